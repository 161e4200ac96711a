"""Readers of office files: what the format states arrives in the draft, and nothing else does."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from datetime import date
from typing import TYPE_CHECKING

import pytest
from docx import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from odfdo import Document as OdfDocument
from odfdo import Table as OdfTable
from office_files import MAKERS, check_draft, make_docx, make_odt, make_pptx, make_xlsx, node, read, relations, texts
from openpyxl import Workbook

from ragraph.ingest.readers.office import sheets

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_a_file_gives_the_same_sound_draft_twice(tmp_path: Path, kind: str) -> None:
    path = MAKERS[kind](tmp_path / f"file.{kind}")
    draft = read(path)
    check_draft(draft)
    assert draft == read(path)
    assert draft.reader.split("/")[0] == kind


def test_docx_headings_lists_tables_and_furniture(tmp_path: Path) -> None:
    draft = read(make_docx(tmp_path / "a.docx"))
    assert texts(draft, "TITLE") == ["Yearly report"]
    assert [(entry.text, entry.level) for entry in draft.nodes if entry.type == "HEADING"] == [
        ("Ponds", 1),
        ("Depths", 2),
    ]
    kinds = {container.key: container.type for container in draft.containers}
    item = node(draft, "second item")
    assert (item.type, kinds[item.container or ""]) == ("LIST_ITEM", "LIST")
    table = next(entry for entry in draft.nodes if entry.type == "TABLE")
    assert table.text == "Pond | Depth\nNorth | 2 * 3 m\nSouth | 4 m"
    assert table.data["cells"][1] == ["North", "2 * 3 m"]
    assert kinds[node(draft, "Running head").container or ""] == "HEADER"
    assert node(draft, "Still waters").type == "BLOCK_QUOTATION"


def test_docx_notes_stand_after_their_call_with_marker_and_place(tmp_path: Path) -> None:
    draft = read(make_docx(tmp_path / "a.docx"))
    source = node(draft, "Water stood")
    assert source.text == "Water stood **very high** this year, more than before."
    calls = [
        (relation.marker, source.text[: relation.marker_start or 0].rsplit(" ", 1)[-1], relation.anchor)
        for relation in relations(draft, "REFERENCES_NOTE")
    ]
    assert calls == [("1", "year", "footnote-2"), ("2", "before", "footnote-3"), ("i", "before.", "endnote-2")]
    place = draft.nodes.index(source)
    assert [entry.text for entry in draft.nodes[place + 1 : place + 3]] == [
        "Since 1990, see chapter 2",
        "By the gauge.",
    ]
    assert [entry.marker for entry in draft.nodes[place + 1 : place + 3]] == ["1", "2"]
    last = draft.nodes[-1]
    assert (last.type, last.text, last.marker, last.container) == ("NOTE", "Thanks to the keeper.", "i", "endnotes")


def test_docx_captions_references_and_properties(tmp_path: Path) -> None:
    draft = read(make_docx(tmp_path / "a.docx"))
    caption = node(draft, "Table 1: Depth by pond")
    assert caption.type == "CAPTION"
    (bound,) = relations(draft, "IS_CAPTIONED_BY")
    assert (bound.target, draft.nodes[[n.key for n in draft.nodes].index(bound.source)].type) == (caption.key, "TABLE")
    crossing = relations(draft, "CROSS_REFERENCES")
    assert [(relation.marker, relation.anchor) for relation in crossing] == [
        ("Depths", "_Ref7"),
        ("this place", "_Ref7"),
    ]
    assert next(entry for entry in draft.nodes if entry.type == "HEADING" and entry.level == 2).anchors == ["_Ref7"]
    assert draft.metadata.title == "Yearly report"
    assert draft.metadata.authors == ["Ada Byron", "Grace Murray"]
    assert draft.metadata.language == "en-GB"
    assert draft.metadata.publication_date == date(2013, 12, 23)  # of the template that python-docx starts from


def test_docx_text_of_every_kind_of_wrapper_arrives(tmp_path: Path) -> None:
    document = WordDocument()
    table = document.add_table(1, 2)
    table.cell(0, 1).text = "more"
    cell = table.cell(0, 0).paragraphs[0]
    plain = document.add_paragraph("before ")
    for paragraph in (cell, plain):
        for wrapper in (
            '<w:ins w:id="1"><w:r><w:t>inserted </w:t></w:r></w:ins>',
            '<w:smartTag w:element="x"><w:r><w:t>tagged </w:t></w:r></w:smartTag>',
            '<w:hyperlink w:anchor="nowhere"><w:r><w:t>linked </w:t></w:r></w:hyperlink>',
            "<w:sdt><w:sdtContent><w:r><w:t>controlled </w:t></w:r></w:sdtContent></w:sdt>",
            '<w:fldSimple w:instr=" AUTHOR "><w:r><w:t>field</w:t></w:r></w:fldSimple>',
            '<w:del w:id="2"><w:r><w:delText>deleted</w:delText></w:r></w:del>',
        ):
            paragraph._p.append(parse_xml(f"<w:p {nsdecls('w')}>{wrapper}</w:p>")[0])
    document.save(str(tmp_path / "a.docx"))
    draft = read(tmp_path / "a.docx")
    check_draft(draft)
    assert texts(draft, "TABLE") == ["inserted tagged linked controlled field | more"]
    assert texts(draft, "PARAGRAPH") == ["before inserted tagged linked controlled field"]


def test_pptx_slides_are_pages_and_sections(tmp_path: Path) -> None:
    draft = read(make_pptx(tmp_path / "a.pptx"))
    assert [page.page_pdf for page in draft.pages] == [1, 2]
    assert (draft.pages[0].width, draft.pages[0].height) == (720.0, 540.0)
    sections = [container for container in draft.containers if container.type == "SECTION"]
    assert [section.title for section in sections] == ["Ponds", "Depths"]
    title = node(draft, "Depths")
    assert (title.type, title.container) == ("HEADING", sections[1].key)
    box = title.positions[0].bbox
    assert box is not None
    assert 0 <= box.y1 < box.y2 < 200  # a title stands at the top, counted from there
    assert node(draft, "shallow").text == "shallow **and clear**"
    note = node(draft, "Speak slowly")
    kinds = {container.key: container for container in draft.containers}
    assert (note.type, kinds[note.container or ""].type) == ("NOTE", "NOTES_SECTION")
    assert kinds[note.container or ""].parent == sections[0].key
    table = next(entry for entry in draft.nodes if entry.type == "TABLE")
    assert (table.text, table.positions[0].page_pdf) == ("Pond | Depth\nNorth | 2 m", 2)
    assert draft.metadata.title == "Deck of ponds"


@pytest.mark.parametrize("docling_reads_it", [True, False])
def test_long_sheets_become_several_tables_and_lose_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, docling_reads_it: bool
) -> None:
    if not docling_reads_it:
        monkeypatch.setattr(sheets, "_MANY_CELLS", 10)
    draft = read(make_xlsx(tmp_path / "a.xlsx"), table_rows=200)
    check_draft(draft)
    tables = [entry for entry in draft.nodes if entry.type == "TABLE" and "day" in entry.text]
    assert [len(table.data["cells"]) for table in tables] == [200, 200, 50]
    rows = "\n".join(table.text for table in tables).split("\n")
    assert rows == ["Day | Depth", *(f"day {number} | {number / 2:g}" for number in range(1, 450))]
    assert [table.data["header_rows"] for table in tables] == [1, 0, 0]
    assert tables[1].data["header"] == [["Day", "Depth"]]
    assert [(entry.text, entry.positions[0].page_pdf) for entry in draft.nodes if entry.type == "HEADING"] == [
        ("Gauge", 1),
        ("Keepers", 2),
    ]
    assert node(draft, "Ada").positions[0].bbox is None


@pytest.mark.parametrize("places", [["A1", "XFD1048576"], ["A1", "XFD1"], ["A1", "A1048576"], ["B7", "ZZ900000"]])
def test_cells_far_from_each_other(tmp_path: Path, places: list[str]) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for place in places:
        sheet[place] = f"at {place}"
    book.save(tmp_path / "a.xlsx")
    nodes = read(tmp_path / "a.xlsx").nodes
    cells = [cell for entry in nodes for row in entry.data.get("cells", [[entry.text]]) for cell in row]
    assert [cell for cell in cells if cell.startswith("at ")] == [f"at {place}" for place in places]
    assert len(cells) <= 16_400


def test_a_sheet_that_states_a_wrong_size(tmp_path: Path) -> None:
    """Some programs write A1:XFD1048576, others A1, whatever the sheet holds."""
    good = make_xlsx(tmp_path / "good.xlsx")
    expected = [entry.text for entry in read(good).nodes]
    for size in (b"A1:XFD1048576", b"A1"):
        other = tmp_path / f"{len(size)}.xlsx"
        with zipfile.ZipFile(good) as source, zipfile.ZipFile(other, "w") as target:
            for member in source.infolist():
                content = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="%s"' % size, source.read(member))
                target.writestr(member, content)
        assert [entry.text for entry in read(other).nodes] == expected


def test_cells_along_a_diagonal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for place in range(1, 700):
        sheet.cell(place, place, f"d{place}")
    book.save(tmp_path / "a.xlsx")
    tables = [entry for entry in read(tmp_path / "a.xlsx", table_rows=10_000).nodes if entry.type == "TABLE"]
    assert [row for table in tables for row in table.data["cells"]] == [[f"d{place}"] for place in range(1, 700)]


def test_xlsx_cells_of_many_kinds(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Name", "When"], ["Ünï 日本", date(2024, 2, 29)], ["=1+1", None], ["a | b", "x"]):
        sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    text = "\n".join(entry.text for entry in read(tmp_path / "a.xlsx").nodes)
    assert "Ünï 日本" in text
    assert "2024-02-29" in text
    assert "a | b" in text


def test_odt_notes_references_and_properties(tmp_path: Path) -> None:
    draft = read(make_odt(tmp_path / "a.odt"))
    source = node(draft, "Water stood")
    assert source.text == "Water stood high this year and fell."
    assert source.anchors == ["place"]
    (call,) = relations(draft, "REFERENCES_NOTE")
    assert (call.marker, call.marker_start, call.anchor) == ("1", len("Water stood high"), "ftn1")
    assert draft.nodes[draft.nodes.index(source) + 1].text == "By the gauge."
    (crossing,) = relations(draft, "CROSS_REFERENCES")
    assert (crossing.marker, crossing.anchor) == ("that place", "place")
    assert texts(draft, "LIST_ITEM") == ["first item", "second item"]
    assert draft.metadata.title == "Pond book"


def test_importing_the_registry_loads_no_parser() -> None:
    parsers = ("docling", "lxml", "torch", "openpyxl", "markdown_it")
    code = f"import sys, ragraph.ingest.readers; print([name for name in {parsers} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_docx_contents_fields_and_citations(tmp_path: Path) -> None:
    def field(instruction: str, result: str) -> str:
        begin, between, end = (
            f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")
        )
        return f"{begin}<w:r><w:instrText>{instruction}</w:instrText></w:r>{between}<w:r><w:t>{result}</w:t></w:r>{end}"

    def add(xml: str, text: str = "") -> None:
        paragraph = document.add_paragraph(text)
        for element in list(parse_xml(f"<w:p {nsdecls('w')}>{xml}</w:p>")):
            paragraph._p.append(element)

    document = WordDocument()
    whole = field("TOC \\o", "|").split("<w:r><w:t>|</w:t></w:r>")
    add(f'{whole[0]}<w:hyperlink w:anchor="_Toc1"><w:r><w:t xml:space="preserve">One </w:t></w:r></w:hyperlink>')
    add(field("PAGEREF _Toc1", "3") + whole[1])
    heading = document.add_heading("One", 1)
    heading._p.insert(1, parse_xml(f'<w:bookmarkStart {nsdecls("w")} w:id="1" w:name="_Toc1"/>'))
    add(field("ADDIN ZOTERO_ITEM CSL_CITATION {}", "(Doe, 2020)"), "Cited ")
    document.add_table(1, 2).cell(0, 0).text = "x"
    add(field("SEQ Table", "1"), "Table ")
    add(field("ADDIN ZOTERO_BIBL {}", "Doe, J. 2020."))
    document.save(str(tmp_path / "a.docx"))

    draft = read(tmp_path / "a.docx")
    check_draft(draft)
    contents = [container.key for container in draft.containers if container.type == "TABLE_OF_CONTENTS"]
    assert [(n.type, n.text) for n in draft.nodes if n.container in contents] == [
        ("LIST_ITEM", "One"),
        ("LIST_ITEM", "3"),
    ]
    assert [r.anchor for r in relations(draft, "CROSS_REFERENCES")] == ["_Toc1", "_Toc1"]
    (citation,) = relations(draft, "REFERENCES_CITATION")
    assert (citation.marker, citation.marker_start, citation.anchor) == ("(Doe, 2020)", 6, None)
    assert texts(draft, "CAPTION") == ["Table 1"]
    assert texts(draft, "BIBLIOGRAPHIC_ENTRY") == ["Doe, J. 2020."]


def test_ods_sheets_keep_their_names(tmp_path: Path) -> None:
    document = OdfDocument("spreadsheet")
    document.body.clear()
    for name in ("Gauge", "Keepers"):
        sheet = OdfTable(name, width=2, height=1)
        sheet.set_value("A1", f"{name} cell")
        document.body.append(sheet)
    document.save(str(tmp_path / "a.ods"))
    draft = read(tmp_path / "a.ods")
    check_draft(draft)
    titles = {container.key: container.title for container in draft.containers}
    assert [(titles[n.container or ""], n.type, n.text) for n in draft.nodes] == [
        ("Gauge", "HEADING", "Gauge"),
        ("Gauge", "TABLE", "Gauge cell"),
        ("Keepers", "HEADING", "Keepers"),
        ("Keepers", "TABLE", "Keepers cell"),
    ]
