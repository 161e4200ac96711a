"""Web pages: what leads to other texts, who wrote one and what readers say are no text; panels and layout are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
import web_pages
from web_pages import PROSE, read_page

from ragraph.schema.enums import ContentNodeType as N

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.ingest.draft import Draft

    Read = Callable[..., Draft]

TEXT = f"<h1>Weirs</h1><p>{PROSE}</p><p>{PROSE * 2}</p><p>{PROSE}</p>"
CARDS = "".join(
    f'<div><a href="/{number}"><img src="i.png" alt=""><h3>Another text number {number}</h3></a><p>Lead.</p></div>'
    for number in range(3)
)


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_page, tmp_path)


def shown(draft: Draft) -> str:
    """Return the text that is not in a header or footer."""
    return "\n".join(web_pages.shown(draft))


def headings(draft: Draft) -> list[str]:
    return [one.text for one in draft.nodes if one.type in (N.TITLE, N.HEADING)]


def test_a_heading_at_the_end_of_its_block_takes_nothing_along(read: Read) -> None:
    draft = read(
        f"""<main><div class="text">{TEXT}<h3>Share this</h3></div>
        <div class="share"><a href="f">One</a> <a href="t">Two</a></div></main>"""
    )
    assert "low dam" in shown(draft)
    assert headings(draft) == ["Weirs"]


def test_furniture_within_furniture_is_counted_once(read: Read) -> None:
    said = "".join(f'<div class="comment-respond"><p>{PROSE}</p></div>' for _ in range(4))
    draft = read(
        f"""<main><article>{TEXT}</article>
        <div id="comments" class="comments-area">{said}<form><p>Reply</p></form></div></main>
        <div class="cookie"><p>We use cookies.</p></div>"""
    )
    assert shown(draft).count("low dam") == 4
    assert "cookies" not in shown(draft)


def test_cards_behind_the_text_and_their_label_are_none_of_it(read: Read) -> None:
    draft = read(f"<main>{TEXT}<section><h2>From our house</h2><div>{CARDS}</div></section></main>")
    assert "Another text" not in shown(draft)
    assert headings(draft) == ["Weirs"]


def test_short_pages_of_generators_keep_their_title_and_lose_the_logo(read: Read) -> None:
    draft = read(
        """<div id="top"><div id="name">Weirs <span>1.2</span></div></div>
        <div class="header"><div class="headertitle"><div class="title">weir_gate Member List</div></div></div>
        <div class="contents"><p>This is the complete list of members for <a href="g">weir_gate</a>, all of them.</p>
        <table><tr><td><a href="a">open_by</a></td><td><a href="b">weir_gate</a></td></tr>
        <tr><td><a href="c">close_by</a></td><td><a href="d">weir_gate</a></td></tr></table></div>
        <address class="footer"><small>Generated on Tuesday for Weirs by 1.9.4</small></address>""",
        title="Weirs: Member List",
    )
    assert headings(draft) == ["weir_gate Member List"]
    assert "open_by | weir_gate" in shown(draft)
    assert "Generated" not in shown(draft)
    assert "1.2" not in shown(draft)


def test_a_word_in_a_line_is_no_link_back_and_the_author_in_a_list_of_terms_no_box(read: Read) -> None:
    draft = read(
        f"""<main>{TEXT}<div>const T <a href="x">back</a>() const;</div>
        <dl class="author"><dt>Author</dt><dd>Ann Brook, who wrote of weirs and of mills for years</dd></dl></main>"""
    )
    assert "back](x)() const;" in shown(draft)
    assert "Ann Brook" in shown(draft)


def test_cards_are_the_text_of_a_page_that_has_no_other(read: Read) -> None:
    draft = read(f"<main><h1>Weirs</h1><p>All texts on weirs.</p><div>{CARDS}</div></main>")
    assert "Another text number 2" in shown(draft)


@pytest.mark.parametrize(
    "line",
    [
        '<p><strong>Lesen Sie auch:</strong> <a href="x">Mühlen und ihre Wehre im Süden</a></p>',
        '<p>Lea también: <a href="x">Los molinos y sus presas en el sur</a></p>',
        '<p>Read more: <a href="x">Mills and their weirs in the south</a></p>',
        '<article><a href="x"><h3>Mills and their weirs in the south</h3></a></article>',
        '<p><a href="x">Back to overview</a></p>',
        '<div class="tools"><span>Share this article:</span></div>',
    ],
)
def test_a_line_that_leads_to_other_texts_is_none_of_this(read: Read, line: str) -> None:
    draft = read(f"<main><article>{TEXT}{line}<p>{PROSE}</p></article></main>")
    assert shown(draft).count("low dam") == 5
    for word in ("Mühlen", "molinos", "Mills", "overview", "Share"):
        assert word not in shown(draft)


def test_what_is_below_see_also_is_text(read: Read) -> None:
    draft = read(
        f"""<main>{TEXT}<h2>See also</h2><ul><li><a href="a">Sluice gates</a></li>
        <li><a href="b">Mill races</a></li></ul>
        <h2>Related work</h2><p>{PROSE}</p></main>"""
    )
    assert "Sluice gates" in shown(draft)
    assert headings(draft) == ["Weirs", "See also", "Related work"]


def test_the_box_of_the_author_is_none_of_the_text_but_the_byline_is(read: Read) -> None:
    draft = read(
        f"""<article><h1>Weirs</h1><div class="author">By Ann Brook</div><p>{PROSE}</p><p>{PROSE * 2}</p>
        <div class="post-author"><p>Ann Brook writes about rivers since 1990, {PROSE}</p></div></article>"""
    )
    assert "By Ann Brook" in shown(draft)
    assert "since 1990" not in shown(draft)


def test_comments_are_none_of_the_text_but_comments_on_a_match_are(read: Read) -> None:
    said = f"<ol><li><p>{PROSE * 3}</p></li></ol>"
    draft = read(
        f'<main><article>{TEXT}</article><section class="comments-section"><h3>Said</h3>{said}</section></main>'
    )
    assert shown(draft).count("low dam") == 4
    draft = read(f'<main>{TEXT}<div class="live-match-comments"><h3>Said</h3>{said}</div></main>')
    assert shown(draft).count("low dam") == 7


def test_the_title_is_looked_for_above_the_middle_and_its_kicker_is_no_heading(read: Read) -> None:
    draft = read(f"<main><h4>Mills</h4>{TEXT}<h4>Rivers</h4><p>Short.</p></main>")
    assert [(one.type, one.text) for one in draft.nodes[:2]] == [(N.PARAGRAPH, "Mills"), (N.TITLE, "Weirs")]


def test_panels_that_tabs_open_are_read_below_their_labels(read: Read) -> None:
    draft = read(
        f"""<main>{TEXT}<div role="tablist"><button role="tab" id="t1" aria-controls="p1">Linux</button>
        <button role="tab" id="t2" aria-controls="p2">Windows</button></div>
        <div role="tabpanel" id="p1" aria-labelledby="t1"><p>Type make.</p></div>
        <div role="tabpanel" id="p2" aria-labelledby="t2" hidden><p>Type nmake.</p></div>
        <h3><button aria-expanded="false" aria-controls="s1">What it costs</button></h3>
        <div id="s1" style="display: none"><p>Nothing at all.</p></div>
        <div id="other" hidden><p>Never seen.</p></div></main>"""
    )
    text = shown(draft)
    assert text.endswith("Linux\nType make.\nWindows\nType nmake.\nWhat it costs\nNothing at all.")


@pytest.mark.parametrize(
    "table",
    [
        f"<table><tr><td><p>First.</p><p>{PROSE * 2}</p></td><td><p>Second.</p><p>{PROSE * 2}</p></td></tr></table>",
        "<table><tr><td>First.</td></tr><tr><td>Second.</td></tr></table>",
        "<table><tr><td><table><tr><th>River</th><td>First. Rhine</td></tr></table></td><td>Second.</td></tr></table>",
        '<table role="presentation"><tr><td>First.</td><td>Second.</td></tr></table>',
    ],
)
def test_a_table_that_lays_out_a_page_is_read_as_its_blocks(read: Read, table: str) -> None:
    draft = read(f"<main>{TEXT}{table}</main>")
    nodes = [one for one in draft.nodes if "First." in one.text or "Second." in one.text]
    assert ["First." in one.text for one in nodes] == [True, False]
    assert nodes[1].type is not N.TABLE


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><th>River</th></tr><tr><td>Rhine</td></tr><tr><td>Rhone</td></tr></table>",
        "<table><tr><td>Rhine</td><td>1,230</td></tr><tr><td>Rhone</td><td>812</td></tr></table>",
        "<table><tr><td><table><tr><td>int flow</td><td>(int level)</td></tr></table></td><td>inline</td></tr></table>",
        f"<table><tr><th>River</th></tr><tr><td>Rhine</td><td><p>{PROSE}</p><p>{PROSE}</p></td></tr></table>",
    ],
)
def test_a_table_of_values_stays_one(read: Read, table: str) -> None:
    draft = read(f"<main>{TEXT}{table}</main>")
    assert [one.type for one in draft.nodes].count(N.TABLE) == 1


def test_descriptions_of_members_are_no_cards(read: Read) -> None:
    members = "".join(
        f'<div><h6><a href="{name}.html">{name}</a></h6><div><p>Says what {name} does.</p></div></div>'
        for name in ("weir_open", "weir_close", "Weir.find()", "Weir:gate-width")
    )
    draft = read(f"<section>{TEXT}<div><h4>Methods</h4><div>{members}</div></div></section>")
    assert "Says what weir_close does." in shown(draft)
    assert headings(draft)[1:] == ["Methods", "weir_open", "weir_close", "Weir.find()", "Weir:gate-width"]


def test_a_table_of_links_below_a_heading_is_an_overview(read: Read) -> None:
    rows = "".join(
        f'<tr><td><a href="t{number}">gsize</a></td><td><a href="#f{number}">weir_open_{number}</a> ()</td></tr>'
        for number in range(5)
    )
    draft = read(f"<div>{TEXT}<div><h2>Functions</h2><div><table>{rows}</table></div></div><p>{PROSE}</p></div>")
    assert "weir_open_3" in shown(draft)


def test_a_section_whose_name_is_its_heading_is_none_of_furniture(read: Read) -> None:
    links = "".join(f'<p><a href="/{number}">A book on weirs, number {number}</a></p>' for number in range(6))
    draft = read(f'<div>{TEXT}<div id="more-books"><h3>1.5.1 More books</h3>{links}</div></div>')
    assert "1.5.1 More books" in headings(draft)


def test_a_line_that_says_what_links_beside_it_are_makes_a_table_text(read: Read) -> None:
    links = "".join(f'<a href="/{number}.pdf">pdf Weirs of the valley, {number}</a> ' for number in range(9))
    draft = read(
        f"<div>{TEXT}<div><table><tr><td>Institute of Rivers, Paris</td><td>{links}</td></tr></table></div></div>"
    )
    assert "pdf Weirs of the valley, 3" in shown(draft)
