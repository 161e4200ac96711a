"""HTML: boxes among the text, tables that lay out a page, spans, shadow roots, frames, deleted text, fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from office_files import check_draft, node, read, texts

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

_WORDS = (
    "The keeper of the lock opens the gates at six and closes them when the last barge of the day has passed through."
)
_BOX = (
    "In the old days the gates were moved by hand, and four people were needed to push each of the long wooden beams."
)


def _page(path: Path, body: str) -> Draft:
    path.write_text(
        f"<!DOCTYPE html><html><head><title>Locks</title></head><body>{body}</body></html>", encoding="utf-8"
    )
    draft = read(path)
    check_draft(draft)
    return draft


def _around(draft: Draft, words: str) -> list[str]:
    parents = {one.key: one for one in draft.containers}
    key, found = node(draft, words).container, []
    while key is not None:
        found.append(parents[key].type.value)
        key = parents[key].parent
    return found


@pytest.mark.parametrize(
    "box",
    [
        '<div class="sidebar"><h3>Before</h3><p>{}</p></div>',
        '<aside class="sidebar"><p>{}</p></aside>',
        '<div class="admonition note"><p class="admonition-title">Note</p><p>{}</p></div>',
        '<div class="warning"><div class="para">{}</div></div>',
        '<section class="callout"><p>{}</p></section>',
    ],
)
def test_a_box_of_sentences_among_the_text_is_a_text_box(tmp_path: Path, box: str) -> None:
    body = f"<h1>Locks</h1><div class='section'><p>{_WORDS}</p>{box.format(_BOX)}<p>{_WORDS} Twice.</p></div>"
    assert _around(_page(tmp_path / "a.html", body), "moved by hand") == ["TEXT_BOX"]


def test_a_sidebar_of_links_stays_furniture(tmp_path: Path) -> None:
    links = "".join(f"<li><a href='/{number}'>Lock number {number} of the canal</a></li>" for number in range(9))
    body = f"<h1>Locks</h1><div><p>{_WORDS}</p><div class='sidebar'><ul>{links}</ul></div><p>{_WORDS} Twice.</p></div>"
    assert "HEADER" in _around(_page(tmp_path / "a.html", body), "Lock number 3")


def test_a_row_of_running_text_is_layout_and_a_row_of_values_is_a_table(tmp_path: Path) -> None:
    body = f"<table><tr><td>Menu</td><td>{_WORDS}</td></tr></table><table><tr><td>Gate</td><td>4 m</td></tr></table>"
    draft = _page(tmp_path / "a.html", body)
    assert texts(draft, "TABLE") == ["Gate | 4 m"]
    assert _WORDS in texts(draft, "PARAGRAPH")


def test_a_spanning_cell_is_stored_once(tmp_path: Path) -> None:
    body = (
        "<h1>Locks</h1><table><tr><th rowspan=2>Lock</th><th colspan=2>Gates</th></tr><tr><th>up</th><th>down</th></tr>"
        "<tr><td>Ahl</td><td>2</td><td>3</td></tr><tr></tr><tr><td rowspan=9>Bod</td><td>4</td><td>5</td></tr></table>"
    )
    (table,) = [one for one in _page(tmp_path / "a.html", body).nodes if one.type == "TABLE"]
    assert table.data["cells"] == [
        ["Lock", "Gates", ""], ["", "up", "down"], ["Ahl", "2", "3"], ["Bod", "4", "5"]
    ]  # fmt: skip
    assert table.data["spans"] == [[0, 0, 2, 1], [0, 1, 1, 2]]


def test_shadow_roots_inner_documents_deleted_text_and_fields(tmp_path: Path) -> None:
    body = (
        "<h1>Locks</h1><x-card><template shadowrootmode='open'><p>In the shadow root.</p></template></x-card>"
        "<template><p>Never shown.</p></template><iframe srcdoc='&lt;p&gt;In the frame.&lt;/p&gt;'></iframe>"
        "<p>The fee is <del>3</del> <ins>4</ins> euro.</p>"
        "<form><p>Name: <input type=text value='Ola Berg'> <input type=hidden value=zz> "
        "<select><option>tin</option><option selected>zinc</option></select></p></form>"
        "<form role=search><input type=text value='Search me'></form>"
    )
    words = " ".join(one.text for one in _page(tmp_path / "a.html", body).nodes)
    for said in ("In the shadow root.", "In the frame.", "The fee is 4 euro.", "Ola Berg", "zinc"):
        assert said in words
    for said in ("Never shown.", "zz", "tin", "Search me"):
        assert said not in words
