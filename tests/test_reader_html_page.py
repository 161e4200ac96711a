"""Web pages: what stands around the text is furniture, levels follow the headings, signs of anchors are no text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from web_pages import PROSE, read_page, shown

from ragraph.schema.enums import ContentNodeType as N

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.ingest.draft import Draft

    Read = Callable[..., Draft]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_page, tmp_path)


def headings(draft: Draft) -> list[tuple[int, str]]:
    return [
        (0 if one.type is N.TITLE else one.level or 0, one.text)
        for one in draft.nodes
        if one.type in (N.TITLE, N.HEADING)
    ]


def test_what_stands_around_main_is_furniture_and_its_headings_are_none(read: Read) -> None:
    draft = read(
        f"""<div class="help"><h2>Keyboard shortcuts</h2><p>Press left to go back.</p></div>
        <div role="navigation"><ul><li><a href="a">One</a></li><li><a href="b">Two</a></li></ul></div>
        <main><h1>Weirs</h1><p>{PROSE}</p><h2>Use</h2><p>Mills.</p></main>
        <footer>Made by hand</footer>"""
    )
    assert shown(draft) == ["Weirs", PROSE.strip(), "Use", "Mills."]
    assert headings(draft) == [(0, "Weirs"), (1, "Use")]
    assert any("Press left" in one.text for one in draft.nodes), "nothing is lost, it is only set aside"


def test_without_main_the_text_is_where_the_words_are(read: Read) -> None:
    links = "".join(f'<li><a href="/{number}">Something to read {number}</a></li>' for number in range(9))
    draft = read(
        f"""<div id="top"><ul>{links}</ul></div><div class="cookie-note"><p>We use cookies.</p></div>
        <div id="col"><h1>Weirs</h1><p>{PROSE * 3}</p><h2>Read on</h2><div class="related"><ul>{links}</ul></div></div>
        <div id="end">© Rivers</div>"""
    )
    assert shown(draft) == ["Weirs", (PROSE * 3).strip()]


def test_a_page_that_would_be_all_furniture_keeps_its_text(read: Read) -> None:
    draft = read(f'<div class="sidebar cookie"><p>{PROSE}</p><p>{PROSE}</p></div>')
    assert shown(draft) == [PROSE.strip(), PROSE.strip()]


def test_levels_follow_the_headings_whatever_they_are_nested_in(read: Read) -> None:
    draft = read(
        """<main><h1>Weirs</h1><section><h2>Kinds</h2>
        <details open><summary><section><h4>fixed</h4></section></summary><p>Stone.</p>
        <section><h5>of oak</h5></section></details><details><summary><h4>movable</h4></summary><p>Steel.</p></details>
        </section><div><div><h3>Sizes</h3><p>Small.</p></div></div></main>"""
    )
    assert headings(draft) == [(0, "Weirs"), (1, "Kinds"), (3, "fixed"), (4, "of oak"), (3, "movable"), (2, "Sizes")]


def test_sections_give_the_levels_where_all_headings_are_of_the_first(read: Read) -> None:
    draft = read("<article><h1>A</h1><section><h1>B</h1><section><h1>C</h1><p>c</p></section></section></article>", "")
    assert [level for level, _ in headings(draft)] == [1, 2, 3]


def test_signs_and_controls_are_no_part_of_titles(read: Read) -> None:
    draft = read(
        """<main><h1>Struct Weir<button title="copy">Copy item path</button></h1>
        <h2 id="use"><a href="#use" class="doc-anchor">§</a>Use</h2><p>Mills.</p>
        <h2 id="c">In C#<a class="headerlink" href="#c">¶</a></h2><p>Code.</p>
        <h2 id="e">Edges<a href="/src/weir.rs#5">[src]</a></h2><p>Sharp.</p>
        <h2><button>Unfolds</button></h2><p>Text.</p></main>"""
    )
    assert [title for _, title in headings(draft)] == ["Struct Weir", "Use", "In C#", "Edges", "Unfolds"]


def test_the_title_stands_outside_of_main_or_in_a_line_that_is_no_heading(read: Read) -> None:
    outside = read(f"<div><h1>Weirs</h1></div><main><p>{PROSE}</p><h2>Use</h2><p>Mills.</p></main>")
    assert headings(outside) == [(0, "Weirs"), (1, "Use")]
    line = read(f'<div id="site">Rivers</div><div class="t">Weirs</div><p>{PROSE}</p><h2>Use</h2><p>Mills.</p>')
    assert headings(line) == [(0, "Weirs"), (1, "Use")]


def test_headings_in_rows_of_their_own_part_a_table(read: Read) -> None:
    draft = read(
        """<main><h1>Weirs</h1><table><tr><td colspan="2"><h2>Public</h2></td></tr><tr><td>a</td><td>1</td></tr>
        <tr><td colspan="2"><h2>Private</h2></td></tr><tr><td>b</td><td>2</td></tr></table></main>"""
    )
    assert [(one.type, one.text) for one in draft.nodes] == [
        (N.TITLE, "Weirs"),
        (N.HEADING, "Public"),
        (N.TABLE, "a | 1"),
        (N.HEADING, "Private"),
        (N.TABLE, "b | 2"),
    ]


@pytest.mark.parametrize(
    ("listing", "language"),
    [
        ('<div class="highlight-python notranslate"><div class="highlight"><pre>a = 1</pre></div></div>', "python"),
        ('<div class="highlight-default"><div class="highlight"><pre>a = 1</pre></div></div>', None),
        ('<pre class="rust example"><code>a = 1</code></pre>', "rust"),
        ('<pre data-lang="go">a = 1</pre>', "go"),
        ('<div class="highlight-c"><pre>a = 1</pre><pre>a = 1</pre></div>', None),
    ],
)
def test_listings_keep_the_language_that_is_stated_around_them(read: Read, listing: str, language: str | None) -> None:
    draft = read(f"<main><h1>Weirs</h1>{listing}</main>")
    assert next(one.data.get("language") for one in draft.nodes if one.type is N.CODE) == language


def test_text_behind_a_place_where_a_word_may_break_stays(read: Read) -> None:
    assert headings(read("<main><h1>std::<wbr>boxed</h1><p>A box.</p></main>")) == [(0, "std::boxed")]


def test_line_numbers_and_links_to_skip_are_no_text(read: Read) -> None:
    draft = read(
        f"""<a href="#m">Skip to content</a><main id="m"><h1>Weirs</h1><p>{PROSE}</p>
        <table><tr><td class="linenos"><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table></main>"""
    )
    assert shown(draft)[2:] == ["a\nb"]
    assert not any("Skip" in text for text in shown(draft))


def test_what_is_to_be_chosen_or_filled_in_is_no_text(read: Read) -> None:
    options = "".join(f"<option>{number} bottles of red wine</option>" for number in range(99))
    draft = read(f"<main><h1>Weirs</h1><p>{PROSE}</p><div><select>{options}</select> each</div></main>")
    assert shown(draft) == ["Weirs", PROSE.strip(), "each"]


def test_a_sentence_between_title_and_text_is_text(read: Read) -> None:
    lead = "A weir holds back a river and pays for itself within some years, says the report."
    draft = read(
        f"""<div class="hero"><h1>Weirs</h1><div>By Ann Miller</div><div><p>{lead}</p></div></div>
        <main><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p></main>"""
    )
    assert lead in shown(draft)


def test_columns_and_comments_are_furniture_though_they_hold_sentences(read: Read) -> None:
    column = PROSE.replace("weir", "club").strip()
    draft = read(
        f"""<div id="page"><div id="text"><h1>Weirs</h1>{f"<p>{PROSE}</p>" * 9}</div>
        <div class="sidebar"><h3>About us</h3><div>{column} {column}</div></div>
        <div id="comments"><h3>Two comments</h3><div>I like weirs. {column} {column}</div></div></div>"""
    )
    assert headings(draft) == [(0, "Weirs")]
    assert not any("club" in text for text in shown(draft))
    assert any("club" in one.text for one in draft.nodes)  # nothing is lost


def test_a_box_in_the_text_that_is_called_a_sidebar_is_text(read: Read) -> None:
    box = PROSE.replace("weir", "sluice").strip()
    draft = read(
        f'<div><h1>Weirs</h1><p>{PROSE}</p><div class="sidebar"><p>{box}</p><p>{box}</p></div><p>{PROSE}</p></div>'
    )
    assert box in shown(draft)


def test_a_short_page_keeps_its_column(read: Read) -> None:
    draft = read(f'<div><h1>Weirs</h1><p>Short.</p></div><div class="sidebar"><div>{PROSE}</div></div>')
    assert any("low dam" in text for text in shown(draft))


def test_what_stands_at_the_right_of_names_is_no_text(read: Read) -> None:
    draft = read(
        f"""<main><h1>Struct Weir</h1><p>{PROSE}</p><section><div class="rightside"><span class="since">1.0.0</span> ·
        <a class="srclink" href="s">source</a></div><h4>fn open(&amp;self)</h4>
        <span class="notable-traits">Notable traits for Weir: {PROSE}</span></section>
        <details><summary class="hideme"><span>Expand description</span></summary><p>Opens it.</p></details></main>"""
    )
    assert not any(word in text for text in shown(draft) for word in ("1.0.0", "Notable", "Expand"))
    assert "Opens it." in shown(draft)


def test_the_name_of_the_site_above_the_title_is_furniture_a_line_right_above_it_is_not(read: Read) -> None:
    draft = read(
        f"""<div id="top"><table><tr><td>Rivers of the north, a reference</td></tr></table></div>
        <div class="header"><div class="package">org.rivers</div><h2 class="title">Weir</h2></div>
        <div><p>{PROSE}</p><h3>Use</h3><p>{PROSE}</p></div><div><p>{PROSE}</p></div>""",
        title="Weir (Rivers)",
    )
    assert headings(draft) == [(0, "Weir"), (1, "Use")]
    assert not any("north" in text for text in shown(draft))
    assert any("org.rivers" in text for text in shown(draft))


def test_a_title_that_is_a_block_says_what_the_page_calls_itself(read: Read) -> None:
    draft = read(
        f"""<div class="header"><div class="summary"><a href="#a">Classes</a> | <a href="#b">Functions</a></div>
        <div class="title">weir.h File Reference</div></div><div><p>{PROSE}</p><h2>Classes</h2><p>{PROSE}</p></div>""",
        title="Rivers: src/weir.h File Reference",
    )
    assert headings(draft)[0] == (0, "weir.h File Reference")


def test_a_paragraph_right_above_a_table_belongs_to_it(read: Read) -> None:
    rows = "".join(f"<tr><td>Weir {number}</td><td>{PROSE}</td></tr>" for number in range(9))
    draft = read(
        f"<div><p>This is the complete list of all the weirs and sluices of the river.</p><table>{rows}</table></div>",
        title="Member list",
    )
    assert "This is the complete list of all the weirs and sluices of the river." in shown(draft)


def test_a_footer_with_a_heading_of_the_first_level_is_one(read: Read) -> None:
    draft = read(
        f"<div><h1>Weirs</h1><p>{PROSE}</p><p>{PROSE}</p></div><div><footer><h1>Rivers</h1>Made by hand</footer></div>"
    )
    assert headings(draft) == [(0, "Weirs")]


def test_text_for_readers_without_scripts_is_read_where_there_is_no_other(read: Read) -> None:
    without = "<noscript>Please enable scripts.</noscript>"
    draft = read(f"<div><h1>Weirs</h1><div><noscript><p>{PROSE}</p><p>{PROSE}</p></noscript></div></div>{without}")
    assert PROSE.strip() in shown(draft)
    assert not any("enable" in one.text for one in draft.nodes)
    assert not any(
        "low dam" in t for t in shown(read(f"<h1>Weirs</h1><p>{'Mills. ' * 99}</p><noscript>{PROSE}</noscript>"))
    )


def test_a_section_called_by_its_heading_is_text_whatever_that_says(read: Read) -> None:
    draft = read(
        f"""<div class="row no-sidebar"><h1>Weirs</h1><p>{PROSE}</p>
        <section id="comments"><h2>Comments</h2><div>Short.</div><div>{PROSE}</div></section>
        <section id="how-to-respond"><h2>How to respond</h2><div>{PROSE}</div></section>
        <section id="newsletter"><h2>Newsletter</h2><div>It is short.</div></section></div>"""
    )
    assert [title for _, title in headings(draft)] == ["Weirs", "Comments", "How to respond", "Newsletter"]
    assert "It is short." in shown(draft)


def test_a_column_at_the_right_is_kept(read: Read) -> None:
    draft = read(f'<h1>Weirs</h1><p>{PROSE}</p><div class="rightside"><p>Open Monday to Friday.</p></div>')
    assert any("Monday" in one.text for one in draft.nodes)


def test_labels_in_boxes_are_words_of_their_own(read: Read) -> None:
    label = '<span class="mlabels"><span class="mlabel">inline</span><span class="mlabel">static</span></span>'
    assert "open() inline static" in " ".join(shown(read(f"<h1>Weirs</h1><p>{PROSE}</p><p>open(){label}</p>")))


def test_entries_of_an_index_are_text_and_links_to_its_letters_are_furniture(read: Read) -> None:
    letters = "<h2>" + " ".join(f'<a href="{a}.html">{a}</a>' for a in ("A-I", "J-R", "S-a", "b-c", "d-e")) + "</h2>"
    menu = "".join(f'<li><a href="/{number}">Something to read {number}</a></li>' for number in range(9))

    def entries(letter: str) -> str:
        terms = "".join(f'<dt>{letter}{n}</dt><dd><a href="#{n}">weir_of_{letter}{n}</a></dd>' for n in range(9))
        return f"<h2>Letter {letter}:</h2><dl>{terms}</dl>"

    draft = read(
        f"""<table><tr><td><h1>Rivers</h1><h2>Index of weirs</h2></td></tr></table><table><tr><td><ul>{menu}</ul></td>
        <td>{letters}{entries("l")}{entries("m")}{letters}</td></tr></table>""",
        title="Index of weirs",
    )
    assert [title for _, title in headings(draft)] == ["Rivers", "Index of weirs", "Letter l:", "Letter m:"]
    assert sum("weir_of_" in text for text in shown(draft)) == 18
    assert not any("Something" in text or "J-R" in text for text in shown(draft))


def test_what_the_page_calls_itself_is_a_heading_though_nothing_follows_it(read: Read) -> None:
    menu = "".join(f'<li><a href="/{number}">Something to read {number}</a></li>' for number in range(9))
    draft = read(
        f"<table><tr><td><h1>Rivers</h1><h2>Index of weirs</h2></td></tr></table><ul>{menu}</ul>",
        title="Index of weirs",
    )
    assert [title for _, title in headings(draft)] == ["Rivers", "Index of weirs"]


@pytest.mark.parametrize("around", ["{}", "<div>{}</div>"])
def test_share_is_a_heading_over_text_and_a_label_over_signs(read: Read, around: str) -> None:
    share = around.format("<h2>Share</h2>")
    text = "<p>The share of rivers with a weir in them was 45 percent.</p>"
    signs = '<ul><li><a href="/f">Friends</a></li><li><a href="/g">Mail</a></li></ul>'
    page = f"<main><h1>Weirs</h1><p>{PROSE}</p>{{}}<h2>Use</h2><p>Mills.</p></main>"
    assert headings(read(page.format(share + text))) == [(0, "Weirs"), (1, "Share"), (1, "Use")]
    assert headings(read(page.format(share + signs))) == [(0, "Weirs"), (1, "Use")]
    assert headings(read(page.format(share))) == [(0, "Weirs"), (1, "Use")]


def test_a_sentence_in_a_block_called_share_is_text_unless_there_are_signs(read: Read) -> None:
    told = "Share the fish among four bowls; it will keep two days in a cold room."
    page = f'<main><h1>Weirs</h1><p>{PROSE}</p><div class="share"><p>{told}</p>{{}}</div><p>Mills.</p></main>'
    assert told in shown(read(page.format("")))
    assert told not in shown(read(page.format('<a href="/f"><i></i></a>')))


def test_a_title_that_begins_as_a_link_back_is_text_in_a_list_of_titles(read: Read) -> None:
    back = '<p><a href="/">Back to the constitution of 1848</a></p>'
    page = f"<main><h1>Weirs</h1><p>{PROSE}</p>{{}}</main>"
    assert any("1848" in text for text in shown(read(page.format(back + '<p><a href="/o">Ordinance</a></p>'))))
    assert not any("1848" in text for text in shown(read(page.format(back))))
    short = '<p><a href="/">Back to the rivers</a></p><p><a href="/o">Ordinance</a></p>'
    assert not any("Back" in text for text in shown(read(page.format(short))))


def test_a_title_in_a_cell_that_lays_out_the_page_is_one(read: Read) -> None:
    head = "<table><tr><td><h2>Coding</h2><p>Coding — encodes data</p></td><td></td></tr></table>"
    rows = "".join(f"<tr><td>{name}</td><td>{PROSE}</td></tr>" for name in ("in", "out"))
    draft = read(
        f"""<div class="entry"><div>{head}</div>
        <div class="part"><h2>Includes</h2><p>A short line of words that says what it needs.</p></div>
        <div class="part"><h2>Functions</h2><h3>code ()</h3><table>{rows}</table></div></div>""",
        title="Coding: Reference Manual",
    )
    assert headings(draft) == [(0, "Coding"), (1, "Includes"), (1, "Functions"), (2, "code ()")]
    assert "A short line of words that says what it needs." in shown(draft), "one of two parts is not all of the text"


def test_the_title_says_what_the_page_calls_itself_and_no_more(read: Read) -> None:
    draft = read(
        f"<h1>Weir Plugin</h1><div><h1>Mills Weir Plugin</h1><p>{PROSE * 2}</p><h2>Use</h2><p>Mills.</p></div>",
        title="Weir Plugin - Rivers",
    )
    assert headings(draft) == [(0, "Weir Plugin"), (1, "Mills Weir Plugin"), (2, "Use")]


def test_menus_above_the_title_and_the_owner_at_the_end_are_furniture(read: Read) -> None:
    menu = "".join(f'[<a href="{name}.html">{name}</a>]' for name in ("Overview", "Constants", "Types", "Classes"))
    draft = read(
        f"""<table><tr><td>{menu}</td><td>Reference (rivers)</td></tr></table><h1>Weirs</h1><p>{PROSE}</p>
        <p>Mills.</p><p><small>(c)2007-2016 A. Miller, all rights reserved.</small></p><p>Made with care</p>""",
        title="Weirs",
    )
    assert shown(draft) == ["Weirs", PROSE.strip(), "Mills."]


def test_a_section_on_copyright_is_text(read: Read) -> None:
    draft = read(f"<h1>Weirs</h1><p>{PROSE}</p><h2>COPYRIGHT</h2><p>Copyright 2009 A. Miller. All rights reserved.</p>")
    assert shown(draft)[-1].startswith("Copyright 2009")


def test_short_menus_and_the_footer_of_a_short_page_are_known_by_name(read: Read) -> None:
    draft = read(
        f"""<div class="subNav"><ul><li>Summary:</li><li>Field |</li><li><a href="#r">Required</a> |</li>
        <li><a href="#o">Optional</a></li></ul></div><div class="text"><h2>Weirs</h2><p>{PROSE}</p></div>
        <table class="hub-footer"><tr><td><p>Contact</p><p>Clifton Road</p><p>Unsubscribe</p></td></tr></table>"""
    )
    assert shown(draft) == ["Weirs", PROSE.strip()]


def test_what_a_term_is_stands_apart_from_it(read: Read) -> None:
    draft = read(
        f"""<main><h1>Weirs</h1><p>{PROSE}</p><dl><dt><strong>width</strong><span class="classifier">float</span></dt>
        <dd><p>In metres.</p></dd></dl><p class="src">data Weir <a href="weir.hs">Source</a>
        <a href="#t:Weir" class="selflink">#</a></p></main>"""
    )
    assert "**width : float:**" in shown(draft)
    assert "data Weir" in shown(draft)


def test_the_name_of_the_site_that_leads_home_is_not_the_title(read: Read) -> None:
    draft = read(
        f"""<div><h1><a href="../../index.html">The Rivers Company</a></h1><p>Home of weirs</p></div>
        <div><h5 class="hiddenStructure">Actions</h5><h1>Weirs - old ones</h1><p>{PROSE}</p></div>""",
        title="Weirs - old ones — The Rivers Company",
    )
    assert headings(draft) == [(0, "Weirs - old ones")]
    assert shown(draft)[-2:] == ["Weirs - old ones", PROSE.strip()]


@pytest.mark.parametrize(
    "end",
    [
        "<p>zlib: Copyright (C) 1995 A. Miller</p><p>expat: Copyright (c) 2001 B. Miller. All rights reserved.</p>",
        "<div>Publisher: Big House</div><div>Copyright: 2019</div><div>Pages: 320</div>",
        "<p>When was it built?</p><p>(a) 2019 (b) 2020 (c) 2021</p>",
        "<p>(a) 2019, at four per cent;</p><p>(b) 2020, at five;</p><p>(c) 2021, at six per cent.</p>",
        "<p>The Act secured copyright 1989 style for all of Europe.</p><p>It was a good year.</p>",
        "<h2>Copyright</h2><div><p>Copyright (c) 2020 A. Miller</p></div><p>Distributed freely.</p>",
    ],
)
def test_last_lines_with_years_are_text_unless_one_says_whose_the_page_is(read: Read, end: str) -> None:
    draft = read(f"<h1>Weirs</h1><p>{PROSE}</p>{end}")
    assert all(one.container is None for one in draft.nodes)


@pytest.mark.parametrize("page", ["<main>{}</main><footer>© Rivers</footer>", "<div>{}</div>", "{}<p>It ends.</p>"])
def test_a_table_whose_last_cell_says_whose_a_picture_is_stays_one(read: Read, page: str) -> None:
    rows = "".join(f"<tr><td>Weir {year}</td><td>© {year} Rivers</td></tr>" for year in (1992, 1993))
    table = f"<table><tr><th>Picture</th><th>Rights</th></tr>{rows}</table>"
    draft = read(page.format(f"<h1>Weirs</h1><p>{PROSE}</p>{table}"))
    assert [one.data["cells"][-1] for one in draft.nodes if one.type is N.TABLE] == [["Weir 1993", "© 1993 Rivers"]]
    assert len(shown(draft)) == 3 + page.count("ends")


def test_the_owner_of_a_page_is_text_where_a_footer_names_it_again(read: Read) -> None:
    draft = read(f"<main><h1>Weirs</h1><p>{PROSE}</p><p>© 1993 A. Miller</p></main><footer>© 2024 Rivers</footer>")
    assert shown(draft)[-1] == "© 1993 A. Miller"


@pytest.mark.parametrize(
    "above",
    [
        '<p class="authors"><a href="a">Ada Byron</a>, <a href="b">Bob Noyce</a>, <a href="c">Cy Young</a></p>',
        '<p>For other uses see <a href="1">Weir (film)</a>, <a href="2">Weir (song)</a>, <a href="3">The weir</a></p>',
        '<p class="authors"><a href="a">Ada Byron</a> <a href="b">Bob Noyce</a> <a href="c">Cy Young</a></p>',
    ],
)
def test_authors_and_other_meanings_right_above_the_title_are_text(read: Read, above: str) -> None:
    draft = read(f"<article>{above}<h1>Weirs</h1><p>{PROSE}</p></article>")
    assert all(one.container is None for one in draft.nodes)


def test_words_of_sentences_stay_though_they_link_to_sources(read: Read) -> None:
    told = (
        """<p>Read the <a href="s">source</a>, then <a href="e">edit</a> it and see <a href="c">source code</a>.</p>"""
    )
    item = '<ul><li>The <a href="s">source</a> of it all</li></ul>'
    beside = '<h2>Use</h2><a href="e">Edit</a> <a href="s">View source</a>'
    draft = read(f"<h1>Weirs</h1><p>{PROSE}</p>{told}{item}<div>{beside}<p>Mills.</p></div><h2>Edges</h2><p>Sharp.</p>")
    assert shown(draft)[2:] == [
        "Read the [source](s), then [edit](e) it and see [source code](c).",
        "The [source](s) of it all",
        "Use",
        "Mills.",
        "Edges",
        "Sharp.",
    ]


def test_labels_of_fields_stand_apart(read: Read) -> None:
    fields = "<label>Name</label><input><label>Mail</label><input>"
    assert "Name Mail" in shown(read(f"<main><h1>Weirs</h1><p>{PROSE}</p><div>{fields}</div></main>"))


@pytest.mark.parametrize(
    "page",
    [
        '<header><nav><div><a href="a">Home</a><div><a href="b">News</a></div></nav></header><main>{}</main>',
        '<header><nav><a href="a">Home</a><a href="b">News</a></nav><main><article>{}</article></main>',
        '<nav><a href="a">Home</a><a href="b">News</a><div>{}</div>',
    ],
)
def test_the_text_is_not_furniture_where_the_end_of_a_menu_is_missing(read: Read, page: str) -> None:
    draft = read(page.format(f"<h1>Weirs</h1><p>{PROSE}{PROSE}</p>") + "<footer>Made by hand</footer>")
    assert [text for text in shown(draft) if "Home" not in text] == ["Weirs", f"{PROSE}{PROSE}".strip()]
    assert headings(draft) == [(0, "Weirs")]


def cards(number: int) -> str:
    told = "The council met and decided to mend the weir before winter."
    return "".join(
        f'<a class="row" href="n{n}"><h4>Notice number {n} of the town</h4><p>On day {n}. {told}</p></a>'
        for n in range(number)
    )


def test_a_page_of_cards_is_called_by_its_own_heading_not_by_the_site(read: Read) -> None:
    draft = read(
        f"""<header><div>A website of the town</div>
        <h1><a href="index.html">Rivers</a></h1><div>Founded 1916</div></header>
        <div><h2>News</h2><p>Updates from the town: events, services, public notices, and minutes of meetings.</p></div>
        <main>{cards(3)}</main><footer>© 2024 Rivers</footer>""",
        title="News - Rivers",
    )
    assert headings(draft) == [(0, "News"), *((2, f"Notice number {n} of the town") for n in range(3))]
    assert shown(draft)[0] == "News"
    assert shown(draft)[1].startswith("Updates from the town")


@pytest.mark.parametrize(
    "links",
    [
        "".join(f'<div><a href="f{n}">do_thing_{n}()</a></div>' for n in range(12)),
        f"<table>{''.join(f'<tr><td><a href=f{n}>Line {n} from town</a></td></tr>' for n in range(8))}</table>",
        cards(5),
    ],
)
def test_lists_of_links_that_a_heading_or_line_introduces_are_text(read: Read, links: str) -> None:
    draft = read(f'<div id="content"><h1>Weirs</h1><div class="intro">All of them.</div><div>{links}</div></div>')
    assert len(shown(draft)) > 6
    assert len(shown(read(f'<nav><a href="/a">Home</a></nav><div><h1>Weirs</h1><div>{links}</div></div>'))) > 6


def test_a_headed_section_without_links_behind_the_text_is_text(read: Read) -> None:
    cast = "<h2>Cast</h2><div><img src='a.jpg'><p>Ann Miller</p></div><div><img src='b.jpg'><p>Bob Miller</p></div>"
    page = f"<article><h1>Weirs</h1><p>{PROSE}</p><p>{PROSE}</p></article><section class='{{}}'>{cast}</section>"
    assert [text for text in shown(read(page.format("cast"))) if text][3:] == ["Cast", "Ann Miller", "Bob Miller"]
    assert "Cast" not in shown(read(page.format("sidebar")))


def test_the_footer_of_a_card_in_the_text_is_text(read: Read) -> None:
    card = '<div class="card"><p>A weir of oak.</p><div class="{}">Price 120 EUR</div></div>'
    page = f"<main><h1>Weirs</h1><p>{PROSE}</p>{card}</main>"
    assert shown(read(page.format("card-footer")))[-1] == "Price 120 EUR"
    assert shown(read(page.format("page-footer")))[-1] == "A weir of oak."
