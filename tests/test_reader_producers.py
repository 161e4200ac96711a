"""Files of the kinds that readers know, as other programs write them: each was read wrong once."""
# ruff: noqa: E501 - markup and letters of the files

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from office_files import node, read, relations, texts

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.common.charset import decode_text
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


def _read(path: Path, content: str | bytes) -> Draft:
    """Read a file; everything in it is accounted for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    draft = read(path)
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert (account.unaccounted, account.samples) == (0, [])
    return draft


def _titles(draft: Draft) -> dict[str | None, str | None]:
    return {one.key: one.title for one in draft.containers}


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("Größe ist gut. Preis ", b"\xa3", "450. Über den Fluß."), "Größe ist gut. Preis £450. Über den Fluß."),
        (("Über den Fluß führt er, 2", b"\xbd", " Meilen, ", b"\xb1", "5 %, 20", b"\xb0", "C."), "Über den Fluß führt er, 2½ Meilen, ±5 %, 20°C."),
        (("港は深い。", b"\xa3", "450"), "港は深い。£450"),
    ],
)  # fmt: skip
def test_a_few_foreign_bytes_do_not_make_utf_8_another_set(parts: tuple[str | bytes, ...], text: str) -> None:
    found = decode_text(b"".join(part if isinstance(part, bytes) else part.encode() for part in parts))
    assert (found.text, found.charset) == (text, "utf-8")
    assert found.warning is not None


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("日本の港は深い。船が出る。", "iso2022_jp"),
        ("항구는 깊고 조용하다.", "iso2022_kr"),
        ("İstanbul şehrinde ışık güçlü, çiğ düştü.", "cp1254"),
    ],
)
def test_sets_are_found_without_a_label(text: str, charset: str) -> None:
    assert decode_text(text.encode(charset)).text == text


def test_a_guess_of_windows_1252_counts_with_bytes_that_it_does_not_assign(tmp_path: Path) -> None:
    _read(tmp_path / "a.txt", b"The harbour\x8f is deep.")


def test_subtitles_without_blank_lines_lose_no_cue(tmp_path: Path) -> None:
    source = "1\n00:00:01.000 --> 00:00:02.500\nThe boat is in.\n2\n00:00:03.000 --> 00:00:04.000\nIt is old.\n"
    assert texts(_read(tmp_path / "a.srt", source), "PARAGRAPH") == ["The boat is in.", "It is old."]


def test_rolling_subtitles_say_each_line_once(tmp_path: Path) -> None:
    source = "WEBVTT\nKind: captions\nLanguage: en\n\n00:00.000 --> 00:02.000\nthe boat\n\n00:02.000 --> 00:04.000\nthe boat\nsails at noon\n"
    assert texts(_read(tmp_path / "a.vtt", source), "PARAGRAPH") == ["the boat sails at noon"]


TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Fares</head>'
    "<p>It came at <choice><sic>nooon</sic><corr>noon</corr></choice> with <choice><abbr>Dr</abbr><expan>Doctor</expan></choice> Lie.</p>"
    "<table><head>Fees</head><row role='label'><cell>Route</cell><cell>Fee</cell></row><row><cell>North</cell><cell>4</cell></row></table>"
    "<list type='gloss'><label>Ferry</label><item>A boat.</item></list>"
    "<figure><head>Map</head><figDesc>A map of the sound</figDesc></figure></div></body><back><listBibl>"
    "<biblStruct xml:id='b0'><analytic><title>On tides</title><author><persName><forename>Jo</forename><surname>Lie</surname></persName></author></analytic>"
    "<monogr><title>Sea</title><imprint><biblScope unit='page' from='4' to='9'/><date when='2001'/></imprint></monogr></biblStruct>"
    "</listBibl></back></text></TEI>"
)


def test_tei_has_captions_glosses_corrections_and_entries(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.xml", TEI)
    assert texts(draft, "PARAGRAPH") == ["It came at noon with Dr (Doctor) Lie."]
    assert texts(draft, "CAPTION") == ["Fees", "Map"]
    assert len(relations(draft, "IS_CAPTIONED_BY")) == 2
    assert node(draft, "Route | Fee\nNorth | 4").data["header_rows"] == 1
    assert texts(draft, "LIST_ITEM") == ["**Ferry:** A boat."]
    assert texts(draft, "HEADING") == ["Fares"]
    assert next(one for one in draft.nodes if one.type == "FIGURE").description == "A map of the sound"
    assert texts(draft, "BIBLIOGRAPHIC_ENTRY") == ["On tides, Jo Lie, Sea, 4–9, 2001"]


def test_docbook_references_pictures_and_steps(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.xml",
        '<article xmlns="http://docbook.org/ns/docbook"><section><title>Start</title><para>See <xref linkend="s2"/>.</para>'
        "<procedure><step><para>Open it.</para></step></procedure><equation><title>Energy</title><mathphrase>E = mc2</mathphrase></equation>"
        "<mediaobject><imageobject><imagedata fileref='a.png'/></imageobject><textobject><phrase>A pump drawn</phrase></textobject><caption><para>The pump.</para></caption></mediaobject></section>"
        '<section xml:id="s2"><title>Stop</title><para>End.</para></section><glossary><glossentry><glossterm>Skep</glossterm><glossdef><para>Hive.</para></glossdef></glossentry></glossary></article>',
    )
    assert node(draft, "See Stop.").type == "PARAGRAPH"
    assert node(draft, "Open it.").marker == "1."
    assert texts(draft, "HEADING") == ["Start", "Stop"]
    assert next(one for one in draft.nodes if one.type == "FIGURE").description == "A pump drawn"
    assert texts(draft, "CAPTION") == ["The pump."]
    assert node(draft, "Hive.").data["term"] == "Skep"


def test_notes_of_fiction_books_are_notes(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.fb2",
        '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><body><section><p>The spring is cold<a l:href="#n1" type="note">1</a>.</p></section></body>'
        '<body name="notes"><section id="n1"><title><p>1</p></title><p>Very cold.</p></section></body></FictionBook>',
    )
    assert texts(draft, "PARAGRAPH") == ["The spring is cold."]
    assert node(draft, "Very cold.").type == "NOTE"
    assert relations(draft, "REFERENCES_NOTE")


def test_items_of_feeds_are_sections_and_their_pages_are_read(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.xml",
        "<rss><channel><title>Port</title><item><title>Ship in</title><link>https://x.org/1</link>"
        "<description>&lt;p&gt;The &lt;b&gt;Alma&lt;/b&gt; came.&lt;/p&gt;</description></item></channel></rss>",
    )
    assert texts(draft, "PARAGRAPH") == ["https://x.org/1", "The **Alma** came."]
    assert _titles(draft)[node(draft, "The **Alma** came.").container] == "Ship in"
