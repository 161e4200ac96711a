"""Web pages: what a reader can open is text, below the label of what opens it; menus and dialogs stay shut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from web_pages import PROSE, read_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Texts = Callable[[str], list[str]]

ANSWER = PROSE.strip()


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    def texts(body: str) -> list[str]:
        return [one.text for one in read_page(tmp_path, body, "Weirs").nodes]

    return texts


@pytest.mark.parametrize(
    "item",
    [
        '<div class="card-header"><button data-toggle="collapse" data-target="#c{n}" aria-controls="c{n}">Weir {n}?'
        '</button></div><div id="c{n}" class="collapse" style="display: none">{text}</div>',
        '<div><button data-bs-toggle="collapse" data-bs-target="#c{n}">Weir {n}?</button></div>'
        '<div id="c{n}" class="collapse">{text}</div>',
        '<div class="q" role="button" aria-controls="c{n}">Weir {n}?</div><div id="c{n}" hidden>{text}</div>',
        '<h3 onclick="t({n})">Weir {n}?</h3><div style="display:none !important">{text}</div>',
        '<button onclick="t({n})">Weir {n}?</button><div style="visibility:hidden">{text}</div>',
        '<h3><button>Weir {n}?</button></h3><div class="panel" hidden>{text}</div>',
    ],
)
def test_answers_that_unfold_are_read_below_their_questions(texts: Texts, item: str) -> None:
    items = "".join(f"<div>{item.format(n=n, text=f'<p>{n}: {ANSWER}</p>')}</div>" for n in range(3))
    read = texts(f"<main><h1>Questions</h1><p>{ANSWER * 9}</p>{items}</main>")
    assert read[2:] == [line for n in range(3) for line in (f"Weir {n}?", f"{n}: {ANSWER}")]


def test_tabs_that_only_their_script_names_are_read_below_their_labels(texts: Texts) -> None:
    read = texts(
        f"""<main><h1>Weirs</h1><ul><li><a data-toggle="tab" href="#a">Low</a></li>
        <li><a data-toggle="tab" href="#b">High</a></li></ul><div>
        <div class="tab-pane active" id="a"><p>{ANSWER}</p></div>
        <div class="tab-pane" id="b" style="display:none"><p>Second. {ANSWER}</p></div></div></main>"""
    )
    assert read[-4:] == ["Low", ANSWER, "High", f"Second. {ANSWER}"]


def test_links_of_a_list_called_tabs_open_what_they_lead_to(texts: Texts) -> None:
    read = texts(
        f"""<main><h1>Weirs</h1><p>{ANSWER}</p><ul class="nav nav-tabs"><li><a href="#a">Low</a></li>
        <li><a href="#b">High</a></li></ul><div><div id="a"><pre>build a</pre></div>
        <div id="b" style="display:none"><pre>build b</pre></div></div></main>"""
    )
    assert read[-4:] == ["Low", "build a", "High", "build b"]


def test_a_button_in_the_text_opens_what_follows_it(texts: Texts) -> None:
    shut = f'<button aria-controls="c">Show details</button><div id="c" hidden><p>Second. {ANSWER}</p></div>'
    read = texts(f"<main><h1>Weirs</h1><p>{ANSWER}</p>{shut}<p>Last.</p></main>")
    assert read == ["Weirs", ANSWER, "Show details", f"Second. {ANSWER}", "Last."]


def test_hidden_text_is_read_where_it_is_most_of_a_page_with_scripts(texts: Texts) -> None:
    shut = f'<h2>High</h2><div class="answer" style="display:none"><p>Second. {ANSWER}</p></div>'
    script = "<script>addEventListener('load', show)</script>"
    assert f"Second. {ANSWER}" in texts(f"<main><h1>Weirs</h1><p>Low.</p>{shut}</main>{script}")
    assert f"Second. {ANSWER}" not in texts(f"<main><h1>Weirs</h1><p>Low.</p>{shut}</main>")
    assert f"Second. {ANSWER}" not in texts(f"<main><h1>Weirs</h1><p>{ANSWER * 3}</p>{shut}</main>")


@pytest.mark.parametrize(
    "shut",
    [
        f'<button aria-controls="m">Menu</button><div id="m" hidden><p>{ANSWER}</p><a href="/">{ANSWER * 2}</a></div>',
        f'<button data-toggle="modal" data-target="#m">More</button><div id="m" style="display:none">{ANSWER}</div>',
        f'<button aria-haspopup="true" aria-controls="m">More</button><div id="m" hidden>{ANSWER}</div>',
        f'<div class="cookie-box"><button aria-controls="m">More</button><div id="m" hidden>{ANSWER * 9}</div></div>',
        f'<div hidden class="modal"><p>{ANSWER * 9}</p></div>',
        '<button aria-controls="m">Search</button><div id="m" hidden><form><label>Name of a weir</label></form></div>',
    ],
)
def test_menus_and_what_covers_the_page_stay_shut(texts: Texts, shut: str) -> None:
    assert texts(f"<main><h1>Weirs</h1><p>Mills. {ANSWER}</p>{shut}</main>") == ["Weirs", f"Mills. {ANSWER}"]


def test_controls_beside_text_or_of_the_whole_page_are_no_labels(texts: Texts) -> None:
    read = texts(
        f"""<button aria-controls="all">Larger</button><div id="all"><main><h1>Weirs</h1><p>Mills.
        <button aria-controls="c">Why</button></p><div id="c">{ANSWER}</div>
        <button aria-controls="s">Last</button><button aria-controls="s">Next</button><div id="s">Slide.</div>
        </main></div>"""
    )
    assert read == ["Weirs", "Mills.", ANSWER, "Slide."]
