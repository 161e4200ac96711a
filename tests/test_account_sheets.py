"""The account of workbooks: each cell counts, with what it shows, however many others show the same."""

from __future__ import annotations

import datetime as dt
import zipfile
from typing import TYPE_CHECKING

import pytest
from office_files import read
from openpyxl import Workbook

from ragraph.ingest.account.sources import account_of
from ragraph.ingest.common.unseen import collecting
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.account.settle import Account

_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)


def _account(path: Path, lost: str = "") -> Account:
    """Return the account of a file; with ``lost`` as if its reader had lost the first cell that shows it."""
    with collecting() as hidden:
        draft = read(path)
    if lost:
        nodes = [one.model_copy(update={"text": one.text.replace(lost, "", 1), "data": {}}) for one in draft.nodes]
        assert [one.text for one in nodes] != [one.text for one in draft.nodes]
        draft = draft.model_copy(update={"nodes": nodes})
    account = account_of(path, draft, ReadOptions(), hidden)
    assert account is not None
    return account


def _xlsx(path: Path) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Lock", "Boats", "Toll", "Opened", "Share", "Open", "Sluice"])
    for number in range(4):
        day = dt.datetime(1790 + 200, 3, number + 1)
        sheet.append([f"L{number}", 1200, 12.5, day, 0.125, number % 2 == 0, dt.time(6, 30)])
    for row in sheet.iter_rows(min_row=2):
        row[2].number_format, row[3].number_format, row[4].number_format = '0.00 "€"', "d mmm yyyy", "0.0%"
    sheet["A8"] = "=SUM(B2:B5)"
    sheet["B8"] = "#N/A"
    sheet["C8"].number_format = "0.0"  # a style on an empty cell before others
    sheet["D8"] = "Moored"
    sheet.row_dimensions[3].hidden = True
    book.save(path)
    return path


_CELL = '<table:table-cell office:value-type="{}" {}>{}</table:table-cell>'.format


def _ods(path: Path) -> Path:
    number = 'office:value="1200" table:number-columns-repeated="3"'
    cells = "".join((
        _CELL("string", "", "<text:p>Locks</text:p>"), _CELL("float", number, "<text:p>1,200</text:p>"),
        _CELL("float", 'office:value="12.5"', ""), _CELL("percentage", 'office:value="0.125"', ""),
        _CELL("time", 'office:time-value="PT06H30M00S"', ""), _CELL("string", 'office:string-value="said"', ""),
        _CELL("currency", 'office:value="3.5" office:currency="EUR"', ""),
    ))  # fmt: skip
    row = f'<table:table-row table:number-rows-repeated="2"{{}}>{cells}</table:table-row>'
    hidden = ' table:visibility="collapse"'
    table = f'<table:table table:name="S">{row.format("")}{row.format(hidden)}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", f"<office:document-content {_ODF}>{body}</office:document-content>")
    return path


def test_all_cells_of_a_workbook_are_accounted(tmp_path: Path) -> None:
    account = _account(_xlsx(tmp_path / "a.xlsx"))
    assert (account.unaccounted, account.samples) == (0, [])
    assert account.left_out["hidden"] > 25  # all of L1, but for numbers that are elsewhere too


@pytest.mark.parametrize("lost", ["1200", "Moored", "12.50 €", "4 Mar 1990", "12.5%", "TRUE", "=SUM(B2:B5)", "#N/A"])
def test_a_lost_cell_of_a_workbook_is_seen(tmp_path: Path, lost: str) -> None:
    counted = sum(letter.isalnum() or letter in "€%" for letter in lost)
    missing = _account(_xlsx(tmp_path / "a.xlsx"), lost).unaccounted
    assert counted - 1 <= missing <= counted  # a digit may be elsewhere too


def test_all_cells_of_an_opendocument_sheet_are_accounted(tmp_path: Path) -> None:
    path = _ods(tmp_path / "a.ods")
    row = "Locks | 1,200 | 1,200 | 1,200 | 12.5 | 12.5% | 06:30:00 | said | 3.5 EUR"
    assert [one.text for one in read(path).nodes] == ["S", f"{row}\n{row}"]
    account = _account(path)
    assert (account.unaccounted, account.samples) == (0, [])
    assert account.left_out["hidden"] == account.stored


@pytest.mark.parametrize("lost", ["1,200", "12.5%", "06:30:00", "3.5 EUR", "said"])
def test_a_lost_cell_of_an_opendocument_sheet_is_seen(tmp_path: Path, lost: str) -> None:
    assert _account(_ods(tmp_path / "a.ods"), lost).unaccounted > 0
