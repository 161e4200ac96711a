"""The HTML reader: anchors, notes, structure, tolerance, and nothing fetched or run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragraph.errors import DamagedFileError, EmptyFileError
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.html.reader import HtmlReader
from ragraph.schema.enums import ComponentType as C
from ragraph.schema.enums import ContentNodeType as N
from ragraph.schema.enums import RelationType as R

if TYPE_CHECKING:
    from ragraph.ingest.draft import Draft, DraftNode

PAGE = Path(__file__).parent / "data" / "markup" / "page.html"


@pytest.fixture(scope="module")
def draft() -> Draft:
    return HtmlReader().read(PAGE, ReadOptions())


def read(tmp_path: Path, content: str | bytes, options: ReadOptions | None = None) -> Draft:
    path = tmp_path / "a.html"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return HtmlReader().read(path, options or ReadOptions())


def node(draft: Draft, start: str) -> DraftNode:
    found = [one for one in draft.nodes if one.text.startswith(start)]
    assert len(found) == 1, (start, [one.text for one in found])
    return found[0]


def containers_of(draft: Draft, one: DraftNode) -> list[C]:
    containers = {container.key: container for container in draft.containers}
    path: list[C] = []
    key = one.container
    while key is not None:
        path.insert(0, containers[key].type)
        key = containers[key].parent
    return path


def test_text_links_and_references(draft: Draft) -> None:
    paragraph = node(draft, "A **weir**")
    assert paragraph.text == (
        "A **weir** is a *low* dam. It was studied[1], see Use, [this](https://example.org/w_%28x%29) and that."
    )
    made = {
        (one.type, one.anchor, one.marker, one.marker_start) for one in draft.relations if one.source == paragraph.key
    }
    assert made == {
        (R.REFERENCES_NOTE, "fn1", "1", paragraph.text.index(" It")),
        (R.REFERENCES_CITATION, "cite_note-1", "[1]", paragraph.text.index("[1]")),
        (R.CROSS_REFERENCES, "use", "Use", paragraph.text.index("Use")),
    }


def test_notes_and_entries_without_the_links_back(draft: Draft) -> None:
    note = node(draft, "Some are high.")
    assert (note.type, note.marker, note.anchors) == (N.NOTE, "1", ["fn1"])
    assert containers_of(draft, note) == [C.NOTES_SECTION]
    entry = node(draft, "Rill C.")
    assert (entry.type, entry.text, entry.anchors) == (N.BIBLIOGRAPHIC_ENTRY, "Rill C. On weirs.", ["cite_note-1"])
    assert containers_of(draft, entry) == [C.BIBLIOGRAPHY]


def test_title_and_levels(draft: Draft) -> None:
    heads = [(one.type, one.level, one.text) for one in draft.nodes if one.type in (N.TITLE, N.HEADING)]
    assert heads[:3] == [(N.TITLE, None, "Weirs"), (N.HEADING, 1, "Use"), (N.HEADING, 2, "Code")]
    assert next(one.anchors for one in draft.nodes if one.type is N.HEADING) == ["use"]


def test_furniture_box_and_hidden_text(draft: Draft) -> None:
    assert containers_of(draft, node(draft, "Imprint of the site")) == [C.FOOTER]
    assert containers_of(draft, node(draft, "[Example](/)")) == [C.HEADER]
    assert containers_of(draft, node(draft, "Fish pass by.")) == [C.TEXT_BOX]
    assert not any("seen" in one.text or "color" in one.text for one in draft.nodes)


def test_lists_keep_start_nesting_and_terms(draft: Draft) -> None:
    items = [one for one in draft.nodes if one.type is N.LIST_ITEM and C.HEADER not in containers_of(draft, one)]
    assert [(one.marker, one.text) for one in items] == [
        ("3.", "Mills"),
        ("•", "grain"),
        ("4.", "Locks"),
        (None, "for boats"),
        (None, "**Sill:** The top"),
        (None, "or crest"),
    ]


def test_table_figure_and_code(draft: Draft) -> None:
    by_type = {one.type: one for one in draft.nodes}
    table = by_type[N.TABLE]
    assert table.data == {
        "cells": [["Name", "m"], ["Old", "2"], ["", "3"]],
        "header_rows": 1,
        "spans": [[1, 0, 2, 1]],
    }
    figure = by_type[N.FIGURE]
    assert (figure.anchors, figure.description, figure.storage_url) == (
        ["pic"],
        "A weir",
        "https://example.org/weir.png",
    )
    captions = {one.source: one.target for one in draft.relations if one.type is R.IS_CAPTIONED_BY}
    texts = {one.key: one.text for one in draft.nodes}
    assert texts[captions[table.key] or ""] == "Sizes"
    assert texts[captions[figure.key] or ""] == "The weir in May"
    assert (by_type[N.CODE].text, by_type[N.CODE].data) == ("a = 1\nb = a * 2", {"language": "python"})
    assert draft.warnings == ["1 images lie on the web and were not fetched"]


def test_metadata(draft: Draft) -> None:
    meta = draft.metadata
    assert (meta.title, meta.authors, meta.language, meta.abstract) == ("Weirs", ["Ada Weir"], "en", "About weirs.")


def test_a_note_is_not_taken_for_the_place_it_leads_back_to(tmp_path: Path) -> None:
    body = '<p>One<sup><a id="b1" href="#n1">1</a></sup>.</p><p id="n1"><sup><a href="#b1">1</a></sup> Note.</p>'
    draft = read(tmp_path, body)
    assert [(one.type, one.text, one.marker) for one in draft.nodes] == [
        (N.PARAGRAPH, "One.", None),
        (N.NOTE, "Note.", "1"),
    ]
    assert [(one.source, one.anchor) for one in draft.relations] == [(draft.nodes[0].key, "n1")]


def test_links_to_nowhere_keep_their_anchor(tmp_path: Path) -> None:
    draft = read(tmp_path, '<p>See <a href="#gone">there</a>.</p>')
    assert [(one.type, one.anchor, one.marker) for one in draft.relations] == [(R.CROSS_REFERENCES, "gone", "there")]
    assert draft.nodes[0].text == "See there."


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("<p>äö “日”".encode(), ReadOptions()),
        ("<p>äö “日”".encode("utf-16"), ReadOptions()),
        ("<meta charset=gb18030><p>äö “日”".encode("gb18030"), ReadOptions()),
        ("<p>äö “日”".encode("gb18030"), ReadOptions(charset="gb18030")),
        ('<?xml version="1.0" encoding="gb18030"?><p>äö “日”</p>'.encode("gb18030"), ReadOptions()),
    ],
    ids=["utf-8", "byte order mark", "meta", "option", "xml declaration"],
)
def test_encodings(tmp_path: Path, data: bytes, options: ReadOptions) -> None:
    assert read(tmp_path, data, options).nodes[0].text == "äö “日”"


def test_what_is_not_well_formed_is_mended(tmp_path: Path) -> None:
    draft = read(tmp_path, "<p>one<p>two <b>bold<p>three</b><table><tr><td>a<td>b</table>\x00 & <x")
    assert [one.text for one in draft.nodes][:2] == ["one", "two **bold**"]
    assert next(one for one in draft.nodes if one.type is N.TABLE).data["cells"] == [["a", "b"]]


@pytest.mark.parametrize("content", ["", "  \n", "<html></html>", "<script>var a = 'text'</script>", "<!-- text -->"])
def test_pages_without_text(tmp_path: Path, content: str) -> None:
    with pytest.raises(EmptyFileError):
        read(tmp_path, content)


@pytest.mark.parametrize(
    "tag", ["div", "b", "ul><li", "section", "blockquote", "table><tr><td", "span", "figure", "pre"]
)
def test_deep_nesting_keeps_the_text(tmp_path: Path, tag: str) -> None:
    first = tag.partition(">")[0]
    draft = read(tmp_path, f"<p>before</p>{f'<{tag}>' * 300}<p>deep text</p>{f'</{first}>' * 300}")
    assert any("deep text" in one.text for one in draft.nodes)


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match="deeper"):
        read(tmp_path, "<div>" * 20_000 + "x")


def test_right_to_left(tmp_path: Path) -> None:
    draft = read(tmp_path, '<html dir="rtl" lang="ar"><h1>عنوان</h1><p>نص <b>عربي</b></p>')
    assert [one.text for one in draft.nodes] == ["عنوان", "نص **عربي**"]
    assert draft.metadata.language == "ar"


def test_xhtml_is_read_as_what_it_says_it_is(tmp_path: Path) -> None:
    head = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head>'
    page = f'{head}<body><p>a<a id="x"/>b <span/>c</p>{{}}</body></html>'
    linked = page.format('<p>See <a href="#x">x</a>.</p>')
    draft = read(tmp_path, linked)
    assert [one.text for one in draft.nodes] == ["ab c", "See x."]
    assert draft.nodes[0].anchors == ["x"]
    assert draft.metadata.title == "T"
    assert [one.text for one in read(tmp_path, page.format("<p>not closed")).nodes][-1] == "not closed"


def test_notes_in_the_margin_stay_apart_from_words(tmp_path: Path) -> None:
    draft = read(tmp_path, '<p>Ponds<input type="checkbox"/><span class="sidenote">Small ones.</span>freeze.</p>')
    assert [one.text for one in draft.nodes] == ["Ponds Small ones. freeze."]


def test_what_is_in_a_table_but_in_no_cell_is_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        "<table><tr><td>a</td><td>b</td></tr><tr><table><tr><td>An inner table.</td></tr></table></tr>"
        "<p>Loose words.</p></table><p>After.</p>"
    )
    shown = [node.text for node in HtmlReader().read(path, ReadOptions()).nodes]
    assert shown == ["Loose words.", "a | b", "An inner table.", "After."]


def test_fractions_need_no_brackets_around_one_number(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        "<p><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> or "
        "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac></math></p>"
    )
    assert [node.text for node in HtmlReader().read(path, ReadOptions()).nodes] == ["1/2 or (a+b)/c"]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("Take 2<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> cups", "Take 2 1/2 cups"),
        ("<math><mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "2 1/2"),
        ("<math><mi>x</mi><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "x1/2"),
        ("<math><msup><mfrac><mn>2</mn><mn>3</mn></mfrac><mn>4</mn></msup></math>", "(2/3)^4"),
        ('<math><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac></math>', "binom(n, k)"),
        ('<math><mfrac linethickness="0.5px"><mi>n</mi><mi>k</mi></mfrac></math>', "n/k"),
    ],
)
def test_a_fraction_keeps_its_value_beside_what_stands_around_it(tmp_path: Path, formula: str, expected: str) -> None:
    path = tmp_path / "a.html"
    path.write_text(f"<p>{formula}</p>")
    assert [
        node.text
        for node in HtmlReader()
        .read(
            path,
            ReadOptions(),
        )
        .nodes
    ] == [expected]


@pytest.mark.timeout(20)
def test_a_paragraph_of_very_many_links_is_read_in_linear_time(tmp_path: Path) -> None:
    marks = "".join(f'<a href="#n{place}" id="r{place}">{place}</a> word ' for place in range(4000))
    notes = "".join(f'<a id="n{place}" href="#r{place}">{place}</a> note ' for place in range(4000))
    assert "3999" in read(tmp_path, f"<h1>Rivers</h1><p>{marks}</p><p>{notes}</p>").nodes[-1].text
