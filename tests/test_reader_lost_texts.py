"""Texts that lie where markup of other programs puts them and no grammar expects them: read once, in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.common.unseen import collecting
from ragraph.ingest.readers import ReadOptions, reader_for

if TYPE_CHECKING:
    from pathlib import Path


def _read(path: Path, content: str) -> list[tuple[str, str]]:
    """Return type and text of the nodes of a file; its account must know every letter."""
    path.write_bytes(content.encode())
    options = ReadOptions()
    with collecting() as hidden:
        draft = reader_for(path).read(path, options)
    account = account_of(path, draft, options, hidden)
    assert account is not None
    assert account.unaccounted == 0, account
    return [(node.type.value, node.text) for node in draft.nodes]


PAGES = {
    "behind the page": (
        "<html><body><h1>G</h1><p>first</p></body></html>\n<p>second</p>last words",
        [("PARAGRAPH", "first"), ("PARAGRAPH", "second"), ("PARAGRAPH", "last words")],
    ),
    "behind the body": (
        "<html><body><h1>G</h1><p>first</p></BODY >last words</html>",
        [("PARAGRAPH", "first"), ("PARAGRAPH", "last words")],
    ),
    "a second page": (
        "<html><body><h1>G</h1><p>first</p></body></html>"
        "<html><head><title>B</title></head><body><p>second</p></body></html>",
        [("PARAGRAPH", "first"), ("PARAGRAPH", "second")],
    ),
    "terms without end tags": (
        "<h1>G</h1><dl><dt>Alpha<dt>Beta<dd>Greek.<dd><p>Old</dl><p>behind",
        [
            ("LIST_ITEM", "**Alpha**"),
            ("LIST_ITEM", "**Beta:** Greek."),
            ("LIST_ITEM", "Old"),
            ("PARAGRAPH", "behind"),
        ],
    ),
    "terms in groups": (
        "<h1>G</h1><dl><div><dt>K<dd>D1<dd>D2 <b>end</b> of it</div></dl>",
        [("LIST_ITEM", "**K:** D1"), ("LIST_ITEM", "D2 **end** of it")],
    ),
    "a drawing": (
        "<h1>G</h1><p>See.</p><svg fill='none'><title>Chart</title><defs><text>never</text></defs><g fill='red'>"
        "<text>Revenue <tspan>2023</tspan></text><text>Cost<tspan x='0' dy='1em'>12 M</tspan></text></g>"
        "<switch><foreignObject><div>Box</div></foreignObject><text>Bo</text></switch><text>unfilled</text>"
        "<text opacity='0'>faint</text><g visibility='hidden'><text>gone</text></g></svg><p>End.</p>",
        [("PARAGRAPH", "See."), ("FIGURE", "Revenue 2023\nCost 12 M\nBox"), ("PARAGRAPH", "End.")],
    ),
    "a drawing in a cell": (
        "<h1>G</h1><table><tr><th>State</th><th>Value</th></tr>"
        "<tr><td><svg><text>open</text></svg></td><td>4</td></tr></table>",
        [("TABLE", "State | Value\nopen | 4")],
    ),
    "a formula of which a part has another form": (
        "<h1>G</h1><p>Of <math><mi>a</mi><mo>+</mo><semantics><mi>q</mi><annotation encoding='application/x-tex'>q"
        "</annotation></semantics></math> and <math><mrow><semantics><mi>r</mi>"
        "<annotation encoding='application/x-tex'>r</annotation></semantics></mrow></math>.</p>",
        [("PARAGRAPH", "Of a+q and $r$.")],
    ),
    "words in a list": (
        "<h1>G</h1><ul>before<li>one</li>between | <li>two</li> | </ul><p>end</p>",
        [
            ("LIST_ITEM", "before"),
            ("LIST_ITEM", "one"),
            ("LIST_ITEM", "between |"),
            ("LIST_ITEM", "two"),
            ("PARAGRAPH", "end"),
        ],
    ),
    "words in a table": (
        "<h1>G</h1><table>one<tr>two<td>c1</td>&nbsp;<td>c2</td></tr>three<tr><td>d1</td><td>d2</td></tr></table>",
        [("PARAGRAPH", "one"), ("PARAGRAPH", "two"), ("PARAGRAPH", "three"), ("TABLE", "c1 | c2\nd1 | d2")],
    ),
    "a slot that is filled": (
        "<h1>G</h1><x-a><template shadowrootmode='open'><p>Price: <slot name='p'>unknown</slot> EUR</p></template>"
        "<span slot='p'>45</span></x-a>",
        [("PARAGRAPH", "Price: 45 EUR")],
    ),
    "a slot of text": (
        "<h1>G</h1><x-a><template shadowrootmode='open'><p>Is <slot>no</slot>; <slot name='q'>by default</slot></p>"
        "</template>yes <b>and</b> more</x-a>",
        [("PARAGRAPH", "Is yes **and** more; by default")],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages(tmp_path: Path, name: str) -> None:
    content, expected = PAGES[name]
    assert _read(tmp_path / "a.html", content)[1:] == expected


def test_entities_that_a_page_declares(tmp_path: Path) -> None:
    page = (
        "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY co 'Firma'>]><html xmlns='http://www.w3.org/1999/xhtml'>"
        "<head><title>T</title></head><body><h1>G</h1><p>&co; rises</p></body></html>"
    )
    assert _read(tmp_path / "a.xhtml", page)[1:] == [("PARAGRAPH", "Firma rises")]


@pytest.mark.parametrize("kind", ["plain", "html"])
def test_the_event_of_an_invitation_is_read_behind_its_text(tmp_path: Path, kind: str) -> None:
    said = "You are invited." if kind == "plain" else "<p>You are invited.</p>"
    event = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Team lunch\\, big\nDTSTART:20240301T120000Z\nLOCATION:Room 7\n"
        "DESCRIPTION:Bring\n  food\nBEGIN:VALARM\nDESCRIPTION:Reminder\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    mail = (
        "From: cal@example.org\nSubject: Invitation\nMIME-Version: 1.0\n"
        "Content-Type: multipart/alternative; boundary=Q\n\n"
        f"--Q\nContent-Type: text/{kind}; charset=utf-8\n\n{said}\n"
        f"--Q\nContent-Type: text/calendar; charset=utf-8; method=REQUEST\n\n{event}--Q--\n"
    )
    assert [text for _, text in _read(tmp_path / "a.eml", mail)[2:]] == [
        "You are invited.",
        "Summary: Team lunch, big",
        "Start: 2024-03-01 12:00 UTC",
        "Location: Room 7",
        "Description: Bring food",
    ]


def test_letters_beyond_16_bits_in_rich_text(tmp_path: Path) -> None:
    said = r"Smile \u-10179?\u-8704? and \u55349 ?\u56320 ?{\footnote \u-10179?\u-8703?} end."
    source = rf"{{\rtf1\ansi{{\fonttbl{{\f0 Arial;}}}}\uc1 {said}\par}}"
    assert [text for _, text in _read(tmp_path / "a.rtf", source)] == ["Smile 😀 and 𝐀 end.", "😁"]


def test_a_blank_line_within_a_subtitle(tmp_path: Path) -> None:
    srt = (
        "1\n00:00:01,000 --> 00:00:02,000\nIt was a year\n\nof rain.\n\n2\n00:00:03,000 --> 00:00:04,000\n2001\n\n"
        "00:00:05,000 --> 00:00:06,000\nwas dry.\n"
    )
    assert _read(tmp_path / "a.srt", srt) == [("PARAGRAPH", "It was a year of rain."), ("PARAGRAPH", "2001 was dry.")]


def test_the_name_of_a_voice_has_two_words(tmp_path: Path) -> None:
    first = "WEBVTT\n\n00:00.500 --> 00:02.000\n<v Mary Ann>Hello, this\n\nNOTE not said\n\n"
    vtt = f"{first}00:02.000 --> 00:04.000\n<v Mary Ann>on.\n"
    assert _read(tmp_path / "a.vtt", vtt) == [("PARAGRAPH", "Mary Ann: Hello, this on.")]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.json", '{"port": "Bari", "port": "Pola", "pier": 3}'),
        ("a.yaml", "port: Bari\nport: Pola\npier: 3\n"),
    ],
)
def test_a_name_that_is_stated_twice_has_both_values(tmp_path: Path, name: str, source: str) -> None:
    texts = [text for _, text in _read(tmp_path / name, source)]
    assert texts == ["port", "Bari", "Pola", "pier: 3"] or texts == ["pier: 3", "port", "Bari", "Pola"]


def test_mappings_of_yaml_that_override_others_are_not_stated_twice(tmp_path: Path) -> None:
    source = "base: &b\n  port: Bari\nship:\n  <<: *b\n  port: Pola\n"
    texts = [text for _, text in _read(tmp_path / "a.yaml", source)]
    assert [text for text in texts if "port" in text] == ["port: Bari", "port: Pola"]


def test_attributes_of_drawings_hide_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<style>p {}</style><div display='none'><p>Weirs</p></div><p opacity='0'>Locks</p>"
        "<svg width='9'><g display='none'><text>Otters</text></g><text>Herons</text></svg>"
    )
    assert [node.text for node in reader_for(path).read(path, ReadOptions()).nodes] == ["Weirs", "Locks", "Herons"]


def test_code_of_latex_may_begin_a_document(tmp_path: Path) -> None:
    path = tmp_path / "manual.tex"
    path.write_text(
        "\\documentclass{article}\n\\begin{document}\nIt is 5~\\S{} long.\n\\begin{verbatim}\n\\begin{document}\n"
        "\\parbox{3cm}{kept}\n\\end{document}\n\\end{verbatim}\n\\end{document}\n"
    )
    held = "\n".join(node.text for node in reader_for(path).read(path, ReadOptions()).nodes)
    assert "\\parbox{3cm}{kept}" in held
    assert "§" in held


def test_numbers_of_subtitles_are_not_spoken(tmp_path: Path) -> None:
    source = "1\n\n00:00:01,000 --> 00:00:02,000\n\nHello\n\n\n\n2\n\n00:00:03,000 --> 00:00:04,000\n\nWorld\n"
    assert [text for _, text in _read(tmp_path / "a.srt", source)] in (["Hello World"], ["Hello", "World"])


def test_a_value_alone_in_its_column_belongs_to_the_table(tmp_path: Path) -> None:
    source = "Sales 2024,,\n\nregion,amount,tax\nNorth,1,2\n\n,3,\n"
    assert _read(tmp_path / "a.csv", source) == [
        ("PARAGRAPH", "Sales 2024"),
        ("TABLE", "region | amount | tax\nNorth | 1 | 2\n | 3 |"),
    ]


def test_entries_of_a_feed_are_no_cells(tmp_path: Path) -> None:
    entry = "<entry><title>{0}</title><author><name>Al</name></author><updated>2024-01-01</updated></entry>"
    source = f"<feed><title>Feed</title>{entry.format('Weirs')}{entry.format('Locks')}</feed>"
    texts = [text for _, text in _read(tmp_path / "feed.xml", source)]
    assert texts == ["Feed", "Weirs", "Al", "2024-01-01", "Locks", "Al", "2024-01-01"]


def test_tables_directly_in_rows_of_tables_are_read(tmp_path: Path) -> None:
    inner = "<table>one words<p>two words</p><tr><td>three words</td></tr></table>"
    for within in (f"<table>{inner}</table>", f"{inner}<table><tr><td>four words</td></tr></table>"):
        page = f"<p>Begin.</p><table><tr><td>a cell</td></tr><tr>{within}</tr></table><p>The end.</p>"
        texts = [text for _, text in _read(tmp_path / "a.html", page)]
        wanted = ["Begin.", "a cell", "one words", "two words", "three words", "four words", "The end."]
        assert texts == [text for text in wanted if text in page]


def test_titles_of_notes_of_a_book_are_read_and_their_numbers_are_not(tmp_path: Path) -> None:
    notes = (
        '<body name="notes"><title><p>Notes of it</p></title>'
        '<section id="n1"><title><p>1</p></title><p>First.</p></section>'
        '<section id="n2"><title><p>Source of it:</p></title><p>Second.</p></section></body>'
    )
    text = '<body><section><p>Text<a l:href="#n1" type="note">1</a>.</p></section></body>'
    book = f'<FictionBook xmlns:l="l">{text}{notes}</FictionBook>'
    texts = [text for _, text in _read(tmp_path / "a.fb2", book)]
    assert texts[1:] == ["Notes of it", "First.", "Source of it:\n\nSecond."]


def test_notes_of_rich_text_without_fonts_have_no_text_of_the_body(tmp_path: Path) -> None:
    source = r"{\rtf1\ansi Alpha.\par Beta{\footnote one} end.\par Gamma{\footnote two}.\par}"
    assert _read(tmp_path / "a.rtf", source) == [
        ("PARAGRAPH", "Alpha."),
        ("PARAGRAPH", "Beta end."),
        ("NOTE", "one"),
        ("PARAGRAPH", "Gamma."),
        ("NOTE", "two"),
    ]


def test_words_of_links_of_org_may_have_brackets(tmp_path: Path) -> None:
    assert _read(tmp_path / "a.org", "See [[https://a.org/b][the [upper] reach]].\n") == [
        ("PARAGRAPH", "See [the [upper] reach](https://a.org/b).")
    ]


def test_words_of_pictures_of_asciidoc_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.adoc"
    path.write_text("= T\n\nimage::a.png[width=300,alt=A weir]\n\nimage::b.png[A lock,300]\n\nimage::c.png[width=30]\n")
    nodes = [node for node in reader_for(path).read(path, ReadOptions()).nodes if node.type.value == "FIGURE"]
    assert [node.description for node in nodes] == ["A weir", "A lock", None]


def test_titles_of_callouts_are_text_and_their_kinds_are_not(tmp_path: Path) -> None:
    source = "> [!WARNING] Mind the weir\n> It is deep.\n\n> [!faq]\n> Why?\n\n::: tip Bring a rope\nA long one.\n:::\n"
    texts = [text for _, text in _read(tmp_path / "a.md", source)]
    assert texts == ["Mind the weir", "It is deep.", "Why?", "Bring a rope", "A long one."]


def test_raw_html_of_asciidoc_that_does_not_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.adoc"
    texts = [text for _, text in _read(path, "= Rivers\n\nIt rose.\n\n++++\n<p>It fell.</p>\n")]
    assert texts == ["Rivers", "It rose.", "It fell."]
