"""Sheets: cells read as the sheet shows them, heads of several rows, empty rows above a table."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from office_files import read
from openpyxl import Workbook

from ragraph.ingest.readers.docling.parts import sheet_table
from ragraph.ingest.readers.office import sheets
from ragraph.ingest.readers.office.displayed import displayed

if TYPE_CHECKING:
    from pathlib import Path

_EUROS = r'_-* #,##0.00\ "€"_-;\-* #,##0.00\ "€"_-;_-* "-"??\ "€"_-;_-@_-'
_NOON = datetime(2019, 5, 7, 14, 5, 9)


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("0.5", "0%", "0.5"),
        (True, "General", "TRUE"),
        (19.0, "General", "19"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "1E+20"),
        (0.256, "0.0%", "25.6%"),
        (1.005, "0.00", "1.01"),
        (1234.5, "#,##0.00", "1,234.50"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        (-3.456, "0.00;[Red]-0.00", "-3.46"),
        (1234567.891, "[$€-407] #,##0.00", "€ 1,234,567.89"),
        (12345.678, "$#,##0", "$12,346"),
        (1234.5, _EUROS, "1,234.50 €"),
        (0, _EUROS, "- €"),
        (12, "000", "012"),
        (0.5, "0.##", "0.5"),
        (2500000, '0.0,,"M"', "2.5M"),
        (3, 'General" units"', "3 units"),
        (1500, "0.00E+00", "1.50E+03"),
        (99.995, "0.00E+00", "1.00E+02"),
        (0.5, "# ?/?", "1/2"),
        (3.3125, "# ??/??", "3 5/16"),
        (2.375, "# ?/8", "2 3/8"),
        (2.0, "# ?/?", "2"),
        (5551234, "000-0000", "555-1234"),
        (123456789, "000-00-0000", "123-45-6789"),
        (130, '0"h" 00"m"', "1h 30m"),
        (-5, "[Red][<0]-0;0", "-5"),
        (-5, "[<0]-0.0;0.0", "-5.0"),
        (-5, "[<0]($0);$0", "($5)"),
        (-5, '[<0]"pre-tax "0;0', "-5"),
        (-5, "[<100]0.0;0", "-5.0"),
        (5551234567, "[<=9999999]###-####;(###) ###-####", "(555) 123-4567"),
        (1, '[=1]"yes";[=0]"no";General', "yes"),
        ("oak", '@" wood"', "oak wood"),
        (700, "[<1000]0;0.0,", "700"),
        (float("nan"), "0.0", "NaN"),
        (5, '@" units"', "5 units"),
        (-1234, '"ID "@', "-ID 1234"),
        (-5, "0.00;@", "-5.00"),
        (-1250.5, "#,##0.00;[Red]#,##0.00", "-1,250.50"),
        (-5, "General;[Red]General", "-5"),
        (-5, "$0;[Red]0", "-5"),
        (-5, '0"Cr";0"Dr"', "5Dr"),
        (-3, "▲0;▼0;–", "▼3"),
        (-5, '"A-"0;"A-"0', "-5"),
        (-1, '"yes";"yes";"no"', "yes"),
        (5, ";;;", "5"),
        (-5, r"0;\-;\-", "-5"),
        (0, r"0;\-;\-", "-"),
        (-5, "[Red]", "-5"),
        (0, "#", "0"),
        (12345678, '#,##0,,.0"M"', "12.3M"),
        (12345.678, "##0.0E+0", "12.3E+3"),
        (1e300, "0", "1E+300"),
        (5, ".E+00", "5"),
        (datetime(2019, 5, 7), "d-mmm", "7-May"),
        (datetime(2019, 5, 7), "mm-dd-yy", "2019-05-07"),
        (datetime(2019, 5, 7), r"yyyy\-mm\-dd;@", "2019-05-07"),
        (datetime(2019, 5, 7), "[$-409]mmmm d, yyyy", "May 7, 2019"),
        (datetime(2019, 5, 7), "General", "2019-05-07"),
        (_NOON, "m/d/yyyy h:mm AM/PM", "5/7/2019 2:05 PM"),
        (_NOON, "m/d/yy h:mm", "2019-05-07 14:05"),
        (_NOON, "mm:ss.0", "05:09.0"),
        (date(2020, 1, 2), "dddd", "Thursday"),
        (time(9, 30), "h:mm", "9:30"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (timedelta(hours=-1, minutes=-30), "[h]:mm", "-1:30"),
        (timedelta(days=5000000), "[h]:mm", "120000000:00"),
        (timedelta(seconds=5.25), "[s].00", "0:00:05.250000"),
        (datetime(2019, 5, 7), "[h]:mm", "2019-05-07"),
        (time(0), "dd/mm/yyyy", "0"),
        (time(12), "yyyy-mm-dd", "12:00:00"),
        (time(0), "d/m/yyyy h:mm", "00:00:00"),
        (datetime(2019, 5, 7), 'yyyy年m"月"d日', "2019年5月7日"),
        (datetime(2019, 5, 7), '[$-411]ggge"年"m"月"d"日"', "2019-05-07"),
        (datetime(2019, 5, 7), "e/m/d", "2019-05-07"),
        (datetime(2019, 5, 7), 'yyyy"年"m"月"d"日" aaaa', "2019-05-07"),
        (datetime(2019, 5, 7), "[$-41E]d mmmm bbbb", "2019-05-07"),
        (datetime(2019, 5, 7), "TT.MM.JJJJ", "2019-05-07"),
        (_NOON, '[$-804]上午/下午h"时"mm"分"', "2019-05-07 14:05:09"),
        (_NOON, "hh:mm:ss,000", "2019-05-07 14:05:09"),
    ],
)
def test_a_value_is_shown_in_its_number_format(value: object, code: str, shown: str) -> None:
    assert displayed(value, code) == shown


def _workbook(path: Path) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Team schedule"])
    sheet.append(["Club", "Played on", "Share", "Fee"])
    for number in range(30):
        sheet.append([f"Club {number}", datetime(2019, 5, 1 + number), 0.125, 1234.5])
        row = sheet[number + 3]
        row[1].number_format, row[2].number_format, row[3].number_format = "d-mmm", "0.0%", "$#,##0.00"
    book.save(path)
    return path


def test_a_sheet_is_read_as_it_is_shown_and_parts_repeat_the_whole_head(tmp_path: Path) -> None:
    tables = [one for one in read(_workbook(tmp_path / "a.xlsx"), table_rows=20).nodes if one.type == "TABLE"]
    assert tables[0].data["cells"][2] == ["Club 0", "1-May", "12.5%", "$1,234.50"]
    assert tables[0].data["header_rows"] == 2
    assert tables[1].data["header"] == [["Team schedule", "", "", ""], ["Club", "Played on", "Share", "Fee"]]


def test_a_large_sheet_is_read_as_it_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "_MANY_CELLS", 10)
    table = next(one for one in read(_workbook(tmp_path / "a.xlsx")).nodes if one.type == "TABLE")
    assert table.data["cells"][2] == ["Club 0", "1-May", "12.5%", "$1,234.50"]


def test_empty_rows_above_a_table_are_none_of_it(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.merge_cells("A1:C3")
    lines: list[list[str | int]] = [["Journal", "Pages", "Year"], ["Water", 12, 2015], ["Air", 20, 2016]]
    for row, line in enumerate(lines, 4):
        for column, value in enumerate(line, 1):
            sheet.cell(row, column, value)
    book.save(tmp_path / "a.xlsx")
    table = next(one for one in read(tmp_path / "a.xlsx").nodes if one.type == "TABLE")
    assert (table.data["cells"][0], table.data["header_rows"]) == (["Journal", "Pages", "Year"], 1)


def test_a_row_of_numbers_is_no_head(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"] = "Train set"
    sheet.merge_cells("A1:D1")
    for line in (["Patients", 41, "Cells", 5461], ["Others", 20, "Cells", 2567], ["Total", 61, "Cells", 8028]):
        sheet.append(line)
    book.save(tmp_path / "a.xlsx")
    table = next(one for one in read(tmp_path / "a.xlsx").nodes if one.type == "TABLE")
    assert table.data["header_rows"] == 1


def test_dates_in_formats_that_a_workbook_need_not_spell_out_are_dates(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Day", "Fee"])
    for number, value in ((27, 43592), (31, 43593), (57, 43594), (30, -1), (30, 1e9)):
        sheet.append([value, "free"])
        cell: Any = sheet.cell(sheet.max_row, 1)
        cell.number_format = "0"
        cell._style.numFmtId = number
    book.save(tmp_path / "a.xlsx")
    table = next(one for one in read(tmp_path / "a.xlsx").nodes if one.type == "TABLE")
    assert [row[0] for row in table.data["cells"]] == [
        "Day",
        "2019-05-07",
        "2019-05-08",
        "2019-05-09",
        "1899-12-29",
        "1000000000",
    ]


def test_a_duration_beyond_the_calendar_makes_no_file_fail(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (["Job", "Hours"], ["a", 1.0], ["b", 5000000]):
        sheet.append(line)
        sheet.cell(sheet.max_row, 2).number_format = "[h]:mm"
    book.save(tmp_path / "a.xlsx")
    table = next(one for one in read(tmp_path / "a.xlsx").nodes if one.type == "TABLE")
    assert table.data["cells"][1:] == [["a", "24:00"], ["b", "120000000:00"]]


_CLOSED = [["Monday", "closed", "closed"], ["Tuesday", "morning", "late"], ["Friday", "morning", "closed"]]
_DAYS = [["5-Mar-24", "Fair", "Rome"], ["5-Apr-24", "Show", "Oslo"], ["5-May-24", "Fest", "Bonn"]]
_BUDGET = [["Plan", "Jan-24", "Feb-24"], ["Sales", "1", "2"], ["Cost", "4", "5"]]
_YEARS = [["Journal", "Since", "Place"], ["Water", "2015", "Rome"], ["Air", "2016", "Oslo"]]


@pytest.mark.parametrize(
    ("lines", "head"),
    [
        (_CLOSED, 1),
        (_DAYS, 1),
        ([["Day", "What", "Where"], *_DAYS], 2),
        (_BUDGET, 2),
        ([*_BUDGET, *_BUDGET], 2),
        (_YEARS, 2),
        ([["Team", "7-May", "4-Jun"], ["Ash", "home", "away"], ["Elm", "away", "home"]], 2),
        ([["Founded", "7-May", "by"], ["Seat", "Rome", ""], ["Head", "Ann", "here"]], 1),
        ([["Bob", "R1", "Mon"], ["Ann", "R2", "Tue"]], 1),
    ],
)
def test_the_first_row_of_data_is_of_no_head(lines: list[list[str]], head: int) -> None:
    rows, count, _ = sheet_table([["Title", "", ""], *lines], 1, [])
    assert (len(rows), count) == (len(lines) + 1, head)


def test_below_a_head_over_several_columns_stand_their_names_or_data() -> None:
    top, spans = ["Region", "2021 budget", ""], [[0, 1, 1, 2]]
    twice = [["Note", "V0", "V1", "V0", "V1"], ["a", "1", "2", "3", "4"], ["b", "5", "6", "7", "8"]]
    assert sheet_table([["Input", "", "", "", ""], *twice], 1, [])[1] == 2
    words = [["North", "high", "low"], ["South", "low", "low"], ["East", "low", "low"]]
    assert sheet_table([top, *words], 1, spans)[1] == 1
    assert sheet_table([top, ["Name", "Q1", "Q2"], ["North", "1", "2"], ["South", "3", "4"]], 1, spans)[1] == 2


def test_rows_that_are_printed_above_each_page_are_the_head(tmp_path: Path) -> None:
    book = Workbook()
    for number, titles in enumerate(("1:3", "", "1:9")):
        sheet = book.create_sheet(f"S{number}")
        for row in (["Region", "Plan", "Actual"], ["", "here", "there"], ["unit", "kt", "kt"], ["North", "x", "y"]):
            sheet.append(row)
        if titles:
            sheet.print_title_rows = titles
    book.save(tmp_path / "a.xlsx")
    tables = [one for one in read(tmp_path / "a.xlsx").nodes if one.type == "TABLE"]
    assert [one.data["header_rows"] for one in tables] == [3, 1, 1]
