"""Sheets: what is one table, text boxes, links, hidden rows and columns, strict files, the separator of Excel."""
# ruff: noqa: E501 - rows of tables

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from office_files import check_draft, node, read, texts
from openpyxl import Workbook
from openpyxl.styles import Font

from ragraph.ingest.readers.docling.parts import sheet_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.ingest.draft import Draft

Line = list[Any]


def _sheet(
    path: Path, lines: list[Line], change: Callable[[Any], None] = lambda sheet: None, *, hidden: bool = False
) -> Draft:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for number, line in enumerate(lines, 1):
        for column, value in enumerate(line, 1):
            if value is not None:
                sheet.cell(number, column, value)
    change(sheet)
    book.save(path)
    draft = read(path, hidden=hidden)
    check_draft(draft)
    return draft


_: None = None
_LAKES = [["Lake", _, "Depth", _, "Area"], ["Como", _, 410, _, 146], ["Garda", _, 346, _, 370], ["Iseo", _, 251, _, 65]]
_GROUPS: list[Line] = [
    ["Fish", "Kilo"],
    ["Perch", 12],
    ["Pike", 30],
    [],
    ["Whitefish", 7],
    ["Trout", 9],
    [],
    ["Total", 58],
]
_HEADED: list[Line] = [["Fish", "Kilo"], ["Perch", 12], ["Pike", 30], [], ["Boat", "Crew"], ["Ada", 3], ["Eva", 4]]
_APART: list[Line] = [
    ["Fish", "Kilo", _, "Fish", "Kilo"], ["Perch", 12, _, "Cod", 5], ["Pike", 30, _, "Hake", 6], ["Carp", 31, _, "Sole", 7]
]  # fmt: skip
_LABELLED: list[Line] = [
    ["Fish", "Kilo", _, "Boat", "Crew"], ["Perch", 12, _, "Ada", 3], ["Pike", 30, _, "Eva", 4], ["Carp", 31, _, "Ina", 7]
]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "tables"),
    [
        (_LAKES, ["Lake | Depth | Area\nComo | 410 | 146\nGarda | 346 | 370\nIseo | 251 | 65"]),
        (_GROUPS, ["Fish | Kilo\nPerch | 12\nPike | 30\nWhitefish | 7\nTrout | 9\nTotal | 58"]),
        (_HEADED, ["Fish | Kilo\nPerch | 12\nPike | 30", "Boat | Crew\nAda | 3\nEva | 4"]),
        (_APART, ["Fish | Kilo\nPerch | 12\nPike | 30\nCarp | 31", "Fish | Kilo\nCod | 5\nHake | 6\nSole | 7"]),
        (_LABELLED, ["Fish | Kilo\nPerch | 12\nPike | 30\nCarp | 31", "Boat | Crew\nAda | 3\nEva | 4\nIna | 7"]),
    ],
)
def test_a_table_goes_on_behind_blanks_if_its_columns_and_head_do(
    tmp_path: Path, lines: list[Line], tables: list[str]
) -> None:
    assert texts(_sheet(tmp_path / "a.xlsx", lines), "TABLE") == tables


def test_a_narrow_blank_column_parts_nothing(tmp_path: Path) -> None:
    def narrow(sheet: Any) -> None:
        sheet.column_dimensions["C"].width = 2

    (table,) = texts(_sheet(tmp_path / "a.xlsx", _LABELLED, narrow), "TABLE")
    assert table.splitlines()[1] == "Perch | 12 | Ada | 3"


def test_a_bold_row_behind_a_blank_one_is_a_head(tmp_path: Path) -> None:
    lines: list[Line] = [["Fish", "Home"], ["Perch", "lake"], ["Pike", "river"], [], ["Boat", "Port"], ["Ada", "Bari"]]

    def bold(sheet: Any) -> None:
        for row in (1, 5):
            for cell in sheet[row]:
                cell.font = Font(bold=True)

    assert len(texts(_sheet(tmp_path / "a.xlsx", lines, bold), "TABLE")) == 2
    assert len(texts(_sheet(tmp_path / "b.xlsx", [*lines[:4], ["Carp", "pond"], ["Eel", "sea"]]), "TABLE")) == 1


def test_sums_are_no_head_and_a_head_over_several_rows_is_one() -> None:
    assert sheet_table([["Total", "58"], ["of these cod", "7"]], 1, [])[1] == 0
    rows = [["Ship", "Winter", ""], ["", "Day", "Night"], ["Alma", "4", "6"]]
    assert sheet_table(rows, 1, [[0, 0, 2, 1], [0, 1, 1, 2]])[1] == 2


def test_hidden_rows_and_columns_are_marked_and_links_keep_their_addresses(tmp_path: Path) -> None:
    def change(sheet: Any) -> None:
        sheet.column_dimensions["C"].hidden = True
        sheet.row_dimensions[3].hidden = True
        sheet["A2"].hyperlink = "https://example.org/como"

    lines: list[Line] = [["Lake", "Depth", "Secret"], ["Como", 410, "a"], ["Garda", 346, "b"]]
    table = node(_sheet(tmp_path / "a.xlsx", lines, change, hidden=True), "Como")
    assert table.data["hidden_columns"] == ["C"]
    assert table.data["hidden_rows"] == [3]
    assert table.data["links"] == [[1, 0, "https://example.org/como"]]
    assert table.text.splitlines()[1] == "Como | 410 | a"
    table = node(_sheet(tmp_path / "a.xlsx", lines, change), "Como")
    assert table.data["cells"] == [["Lake", "Depth"], ["Como", "410"]]


def _rewritten(path: Path, change: Callable[[str, bytes], bytes], more: dict[str, str] | None = None) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: change(name, archive.read(name)) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**members, **{name: text.encode() for name, text in (more or {}).items()}}.items():
            archive.writestr(name, content)


def test_the_strict_dialect_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    _sheet(path, [["Lake", "Depth"], ["Como", 410]])
    old, new = b"http://schemas.openxmlformats.org/", b"http://purl.oclc.org/ooxml/"

    def strict(name: str, content: bytes) -> bytes:
        for group in (b"spreadsheetml", b"officeDocument", b"drawingml"):
            content = content.replace(old + group + b"/2006/", new + group + b"/")
        return content

    _rewritten(path, strict)
    assert texts(read(path), "TABLE") == ["Lake | Depth\nComo | 410"]


def test_text_boxes_and_unsaved_formulas_of_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    _sheet(path, [["Lake", "Depth"], ["Como", 410], ["Sum", "=SUM(B2)"]])
    box = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor><xdr:sp><xdr:txBody>'
        "<a:p><a:r><a:t>Depths are of </a:t></a:r><a:r><a:t>August.</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
        "</xdr:twoCellAnchor></xdr:wsDr>"
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing"
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{kind}" Target="../drawings/d.xml"/></Relationships>'
    )
    _rewritten(path, lambda name, data: data, {"xl/drawings/d.xml": box, "xl/worksheets/_rels/sheet1.xml.rels": rels})
    draft = read(path)
    said = node(draft, "Depths are of August.")
    assert {one.key: one.type for one in draft.containers}[said.container or ""] == "TEXT_BOX"
    assert "Sum | =SUM(B2)" in node(draft, "Como").text
    assert any("formulas" in warning for warning in draft.warnings)


@pytest.mark.parametrize("first", ["sep=;\r\n", '"sep=;"\n', "SEP=;\n"])
def test_the_separator_that_excel_states_is_no_row(tmp_path: Path, first: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{first}Lake, wide;Depth\nComo;410\n", encoding="utf-8")
    assert texts(read(path), "TABLE") == ["Lake, wide | Depth\nComo | 410"]


@pytest.mark.parametrize("sums", [["Sum", 40, 60], [_, "Sum", 60], [_, 40, 60], [_, _, 60]])
def test_a_row_of_sums_behind_a_blank_row_is_of_the_table(tmp_path: Path, sums: Line) -> None:
    lines: list[Line] = [["Lake", "May", "June"], ["Como", 10, 20], ["Garda", 30, 40], [], sums]
    shown = " | ".join("" if value is None else str(value) for value in sums)
    assert texts(_sheet(tmp_path / "a.xlsx", lines), "TABLE") == [
        f"Lake | May | June\nComo | 10 | 20\nGarda | 30 | 40\n{shown}"
    ]


@pytest.mark.parametrize("row", [[_, 2024, 2025], [_, 40, 61], [_, _, 20]])
def test_a_row_of_numbers_that_are_no_sums_is_a_table_of_its_own(tmp_path: Path, row: Line) -> None:
    lines: list[Line] = [["Lake", "May", "June"], ["Como", 10, 20], ["Garda", 30, 40], [], row]
    table, *__ = texts(_sheet(tmp_path / "a.xlsx", lines), "TABLE")
    assert table == "Lake | May | June\nComo | 10 | 20\nGarda | 30 | 40"


@pytest.mark.parametrize("line", [["Reed", 40, 60], [_, "see below", 60], ["Sum", "a", "b"]])
def test_a_row_that_is_no_row_of_sums_is_as_before(tmp_path: Path, line: Line) -> None:
    lines: list[Line] = [["Lake", "Shore", "Boat"], ["Como", "north", "Ada"], ["Garda", "south", "Eva"], [], [*line]]
    assert len(texts(_sheet(tmp_path / "a.xlsx", lines), "TABLE")) == (1 if line[2] == "b" else 2)
