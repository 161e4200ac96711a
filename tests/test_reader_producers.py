"""Files of the kinds that readers know, as other programs write them: each was read wrong once."""
# ruff: noqa: E501 - markup and letters of the files

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from office_files import node, read, relations, texts
from openpyxl import Workbook

from ragraph.errors import DamagedFileError, RagraphNotice
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
    with pytest.warns(RagraphNotice, match="it was read as windows-1252"):
        _read(tmp_path / "a.txt", b"The harbour\x8f is \x93deep\x94, as at the caf\xe9 of M\xfcller \x96 always.")


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


def test_latex_includes_and_settings_of_lists_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.tex").write_text("First file of ash.\n")
    (tmp_path / "parts" / "two.tex").write_text("Second file of elms.\n")
    (tmp_path / "refs.bib").write_text("@book{lie, title={On tides}, author={Lie, Jo}, year=2001}")
    draft = _read(
        tmp_path / "a.tex",
        r"""\documentclass{article}\begin{document}\section{Start}Water \cite{lie}. \input parts/one

\import{parts/}{two}

\begin{verbatim}
\input{no}
\end{verbatim}
\begin{tabular}{lll}\multicolumn{2}{|c|}{both} & x\\ \multirow{2}{*}{tall} & 1 & 2\end{tabular}

\bibliographystyle{plain}

\bibliography{refs}
\end{document}""",
    )
    assert texts(draft, "PARAGRAPH") == ["Water [lie]. First file of ash.", "Second file of elms."]
    assert texts(draft, "CODE") == ["\\input{no}"]
    assert texts(draft, "TABLE") == ["both |  | x\ntall | 1 | 2"]
    assert draft.warnings == []


def test_latex_bibliography_of_biblatex_has_no_settings_in_the_text(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("@book{lie, title={On tides}, author={Lie, Jo}, year=2001}")
    source = r"\documentclass{article}\addbibresource{refs.bib}\begin{document}Text \parencite{lie}. \printbibliography[title={Sources}]\end{document}"
    assert texts(_read(tmp_path / "a.tex", source), "PARAGRAPH") == ["Text [lie]."]


RTF = r"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}}
\pard\outlinelevel1\b Plan\b0\par
\pard{\pntext\f0 1.\tab}First item\par
\pard\f1 \'c3\'eb\'f3\'e1\'e8\'ed\'e0\f0\par
{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt Text in a shape\par}}{\shprslt copy}}After.\par
{\object{\*\objdata 00}{\result Result words}}\par
{\upr{old}{\*\ud{new words}}}\par}"""


def test_rich_text_has_shapes_objects_and_letters_of_fonts(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.rtf", RTF)
    assert texts(draft, "PARAGRAPH") == ["Глубина", "Text in a shape", "After.", "Result words", "new words"]
    assert [(one.text, one.level) for one in draft.nodes if one.type == "HEADING"] == [("Plan", 2)]
    assert node(draft, "First item").marker == "1."


def test_callouts_have_any_name_and_their_own_title(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.md", "Text.\n\n> [!info]- Folded title\n> Body of it.\n\n> [!WARNING]\n> Never.\n")
    assert _titles(draft)[node(draft, "Body of it.").container] == "Folded title"
    assert _titles(draft)[node(draft, "Never.").container] == "Warning"


def test_front_matter_may_be_toml(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.md", '+++\ntitle = "Toml title"\ndate = 2020-01-05\n+++\n\nText.\n')
    assert (draft.metadata.title, str(draft.metadata.publication_date)) == ("Toml title", "2020-01-05")
    assert texts(draft, "PARAGRAPH") == ["Text."]


def test_tables_of_org_may_follow_any_line(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.org", "- item\n| a | b |\n|---+---|\n| 1 | 2 |\n#+CAPTION: Cap\nText.\n")
    assert texts(draft, "TABLE") == ["a | b\n1 | 2"]
    assert texts(draft, "LIST_ITEM") == ["item"]


def test_codes_of_terminals_are_no_text(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.log", "10:01 ERROR \x1b[31mred\x1b[0m\x1b]0;title\x07\n")
    assert texts(draft, "PARAGRAPH") == ["10:01 ERROR red"]


def test_a_broken_line_of_records_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match="line 3 of the file is not JSON"):
        _read(tmp_path / "a.jsonl", '{"text": "one"}\n\n{"text": "two\n{"text": "three"}\n')


def test_json_has_many_endings(tmp_path: Path) -> None:
    source = '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Harbour"}}]}'
    assert "Harbour" in " ".join(one.text for one in _read(tmp_path / "a.geojson", source).nodes)


BEES = "<p>The keepers of the bees moved their hives to the heath each August, when the heather began to bloom.</p>"


def test_a_sidebar_between_paragraphs_is_a_box(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.html",
        f"<html><head><title>Bees</title></head><body><main><h1>Bees</h1>{BEES}{BEES.replace('bees', 'wasps')}"
        f"<div class='sidebar'><p>Wax is drawn from the glands of young workers, who hang in chains.</p></div>{BEES.replace('bees', 'ants')}</main></body></html>",
    )
    kinds = {one.key: one.type for one in draft.containers}
    assert (
        kinds[node(draft, "Wax is drawn from the glands of young workers, who hang in chains.").container or ""]
        == "TEXT_BOX"
    )
    assert all(one.parent is None for one in draft.containers)


def test_cells_end_with_their_part_of_the_table(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.html",
        "<h1>Fleet</h1><table><thead><tr><th>Ship</th><th>Day</th></tr></thead><tbody><tr><td rowspan='0'>Alma</td><td>4</td></tr></tbody>"
        "<tfoot><tr><td>Total</td><td>5</td></tr></tfoot></table>",
    )
    assert texts(draft, "TABLE") == ["Ship | Day\nAlma | 4\nTotal | 5"]


def test_what_was_chosen_in_a_form_is_text(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.html",
        f"<h1>Form</h1>{BEES}<form><label>Name <input value='Ada Krog'></label> <input value='Bergen'> <input type='checkbox' checked> Insured"
        " <input type='hidden' value='secret'></form>",
    )
    assert "Name Ada Krog Bergen ☒ Insured" in texts(draft, "PARAGRAPH")
    assert not draft.containers


def test_readings_are_behind_their_words(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.html", "<h1>会議</h1><p>会議は<ruby><rb>東京</rb><rt>とうきょう</rt></ruby>で開かれる。</p>"
    )
    assert texts(draft, "PARAGRAPH") == ["会議は東京(とうきょう)で開かれる。"]


def test_content_of_a_host_is_in_the_slots_of_its_shadow_root(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.html",
        "<h1>Tides</h1><my-card><template shadowrootmode='open'><p>High water: <slot name='level'></slot> at <slot></slot></p></template>"
        "<span>noon</span><b slot='level'>4.2 m</b></my-card>",
    )
    assert texts(draft, "PARAGRAPH") == ["High water: **4.2 m** at noon"]


def test_a_label_in_a_cell_beside_its_text_is_no_table(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.html",
        f"<h1>Pumps</h1>{BEES}<div class='admonitionblock tip'><table><tr><td>Tip</td><td>Prime it first.</td></tr></table></div>"
        "<table><tr><td><img src='a.png' alt='Logo'></td><td>It runs.</td></tr></table>",
    )
    assert texts(draft, "TABLE") == []
    assert {"Tip", "Prime it first.", "It runs."} <= set(texts(draft, "PARAGRAPH"))


def test_a_table_of_values_behind_the_text_is_no_furniture(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.html",
        f"<table><tr><td><a href='a'>News</a></td><td><table><tr><td>{BEES}{BEES}</td></tr></table><table><tr><td>Ship</td><td>Tons</td></tr><tr><td>Alma</td><td>410</td></tr></table></td></tr></table>",
    )
    assert node(draft, "Ship | Tons\nAlma | 410").container is None


_ODF = {
    name: f"urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"
    for name, space in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
} | {
    "presentation": "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
}


def _odf(path: Path, kind: str, body: str) -> Draft:
    """Read an OpenDocument file with this body; everything in it is accounted for."""
    spaces = " ".join(f'xmlns:{name}="{space}"' for name, space in _ODF.items())
    wanted = f"application/vnd.oasis.opendocument.{kind}"
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", wanted)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{manifest}"><m:file-entry m:full-path="/" m:media-type="{wanted}"/>'
            '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>',
        )
        archive.writestr(
            "content.xml",
            f'<office:document-content {spaces} office:version="1.2"><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>',
        )
        archive.writestr(
            "styles.xml",
            f'<office:document-styles {spaces} office:version="1.2"><office:styles/></office:document-styles>',
        )
        archive.writestr(
            "meta.xml", f'<office:document-meta {spaces} office:version="1.2"><office:meta/></office:document-meta>'
        )
    draft = read(path)
    account = account_of(path, draft, ReadOptions())
    assert account is not None
    assert (account.unaccounted, account.samples) == (0, [])
    return draft


_FRAME = '<draw:frame svg:width="5cm" svg:height="2cm" svg:x="1cm" svg:y="1cm"{}>'


def test_paragraphs_of_opendocument_texts_are_neither_lost_nor_joined(tmp_path: Path) -> None:
    frame = _FRAME.format("")
    draft = _odf(
        tmp_path / "a.odt",
        "text",
        "<text:list><text:list-item><text:p>first</text:p><text:p>second</text:p><text:list><text:list-header><text:p>head</text:p></text:list-header>"
        "<text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list>"
        "<text:numbered-paragraph><text:p>Numbered.</text:p></text:numbered-paragraph>"
        f"{frame}<draw:text-box><text:h text:outline-level='2'>On the page</text:h></draw:text-box></draw:frame>"
        f"<text:p>Anchor {frame}<draw:text-box><text:p>one</text:p><text:p>two</text:p></draw:text-box><svg:desc>Said of it</svg:desc></draw:frame>goes on.</text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell><table:table-cell><table:table><table:table-row>"
        "<table:table-cell><text:p>in</text:p></table:table-cell><table:table-cell><text:p>77</text:p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>",
    )
    assert texts(draft, "LIST_ITEM") == ["first\nsecond", "head", "inner"]
    assert texts(draft, "PARAGRAPH") == ["Numbered.", "one", "two", "Anchor goes on."]
    assert texts(draft, "HEADING") == ["On the page"]
    assert texts(draft, "TABLE") == ["cell | in | 77"]


def test_boxes_and_comments_of_opendocument_sheets(tmp_path: Path) -> None:
    frame = _FRAME.format("")
    draft = _odf(
        tmp_path / "a.ods",
        "spreadsheet",
        "<table:table table:name='One'><table:table-row><table:table-cell office:value-type='string'><text:p>Ship</text:p></table:table-cell>"
        "<table:table-cell office:value-type='string'><text:p>Note</text:p></table:table-cell></table:table-row>"
        f"<table:table-row><table:table-cell office:value-type='string'><text:p>Alma</text:p>{frame}<draw:text-box><text:p>In a cell</text:p></draw:text-box></draw:frame></table:table-cell>"
        "<table:table-cell office:value-type='string'><office:annotation><dc:creator>Bo</dc:creator><text:p>Check it</text:p></office:annotation><text:p>old</text:p></table:table-cell></table:table-row>"
        f"<table:shapes>{frame}<draw:text-box><text:p>On the sheet</text:p></draw:text-box></draw:frame></table:shapes></table:table>",
    )
    assert texts(draft, "TABLE") == ["Ship | Note\nAlma | old"]
    assert node(draft, "Check it").data == {"author": "Bo"}
    assert relations(draft, "REFERENCES_NOTE")
    assert sorted(texts(draft, "PARAGRAPH")) == ["In a cell", "On the sheet"]


def test_groups_and_comments_of_opendocument_slides(tmp_path: Path) -> None:
    title = _FRAME.format(' presentation:class="title"')
    draft = _odf(
        tmp_path / "a.odp",
        "presentation",
        f"<draw:page draw:name='p'>{title}<draw:text-box><text:p>Ships</text:p></draw:text-box></draw:frame>"
        "<draw:g><draw:custom-shape svg:width='5cm' svg:height='2cm' svg:x='1cm' svg:y='7cm'><text:p>In a group</text:p></draw:custom-shape></draw:g>"
        "<office:annotation><dc:creator>Eva</dc:creator><text:p>Check it</text:p></office:annotation></draw:page>",
    )
    assert texts(draft, "PARAGRAPH") == ["In a group"]
    assert node(draft, "Check it").type == "NOTE"
    assert node(draft, "Check it").data == {"author": "Eva"}


def test_narrow_and_blank_lines_together_part_no_table(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (["Ship", None, "Built", None, "Tons"], ["Alma", None, 1901, None, 410], ["Bora", None, 1907, None, 120], [],
                 ["Cora", None, 1911, None, 77], ["Total", None, None, None, 607]):  # fmt: skip
        sheet.append(line)
    for letter in "BD":
        sheet.column_dimensions[letter].width = 2
    book.save(tmp_path / "a.xlsx")
    assert texts(read(tmp_path / "a.xlsx"), "TABLE") == [
        "Ship | Built | Tons\nAlma | 1901 | 410\nBora | 1907 | 120\nCora | 1911 | 77\nTotal |  | 607"
    ]
