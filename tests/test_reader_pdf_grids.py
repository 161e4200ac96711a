"""Rows and columns of tables where rules part some of them only, on pages drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from test_reader_pdf_tables import PROSE, Sheet, only_table

from ragraph.pdf.furniture.linenumbers import line_numbers
from ragraph.pdf.model import Line, Word, font_of
from ragraph.pdf.patterns import AMOUNT
from ragraph.pdf.tables.beside import without_text_beside

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return Sheet(tmp_path / "page.pdf")


def booktabs(
    sheet: Sheet, head: Sequence[Sequence[str]], rows: Sequence[Sequence[str]], lefts: Sequence[float]
) -> None:
    """Draw a table at 100 with rules of one length over it, under its head and under its rows."""
    right = lefts[-1] + 60
    sheet.rule(72, 100, right, 100)
    under = sheet.rows(head, 114, lefts) - 6
    sheet.rule(72, under, right, under)
    foot = sheet.rows(rows, under + 14, lefts) - 8
    sheet.rule(72, foot, right, foot)


def test_columns_of_figures_between_two_upright_rules_are_parted(sheet: Sheet) -> None:
    top = sheet.prose(80, 4)
    for y in (top + 10, top + 40, top + 110):
        sheet.rule(72, y, 330, y)
    for x in (160, 250):
        sheet.rule(x, top + 10, x, top + 110)
    sheet.text("Signal", top + 34, 76)
    sheet.text("Depth", top + 22, 192)
    sheet.text("Width", top + 22, 280)
    lefts = [76, 170, 220, 258, 305]
    sheet.rows([["", "5", "4", "5", "4"]], top + 34, lefts)
    rows = [["North", "85.5", "89.5", "0.78", "0.82"], ["South", "76.9", "82.2", "0.66", "0.71"],
            ["East", "74.9", "80.9", "0.63", "0.67"], ["West", "74.7", "80.9", "0.61", "0.68"]]  # fmt: skip
    sheet.rows(rows, top + 54, lefts, 16)
    cells = only_table(sheet.read()).data["cells"]
    assert cells[2:] == rows
    assert cells[0] == ["Signal", "Depth", "", "Width", ""]
    assert cells[1][1:] == ["5", "4", "5", "4"]


def test_two_rows_between_two_level_rules_are_two(sheet: Sheet) -> None:
    top = sheet.prose(80, 4)
    for y in (top + 10, top + 26, top + 54):
        sheet.rule(72, y, 300, y)
    for x in (72, 160, 230, 300):
        sheet.rule(x, top + 10, x, top + 54)
    rows = [["Model", "F1", "EM"], ["Plain", "73.7", "76.3"], ["Letters", "75.2", "78.1"]]
    sheet.rows(rows[:1], top + 22, [76, 164, 234])
    sheet.rows(rows[1:], top + 36, [76, 164, 234], 12)
    assert only_table(sheet.read()).data["cells"] == rows


def test_a_head_of_marks_in_columns_is_left_to_white_space(sheet: Sheet) -> None:
    rows = [["+", "+", "63.6"], ["+", "-", "63.2"], ["-", "-", "12.5"], ["Best of those before", "", "62.6"]]
    booktabs(sheet, [["Plan", "Rank", "Score"]], rows, [76, 240, 330])
    sheet.prose(300, 8)
    cells = only_table(sheet.read()).data["cells"]
    assert cells[1:4] == rows[:3]


def test_labels_of_groups_at_half_height_are_a_column(sheet: Sheet) -> None:
    rows = [["", "Single", "113", "1.94"], ["", "Married", "381", "1.86"], ["", "Alone", "196", "1.38"],
            ["", "In pairs", "225", "1.54"]]  # fmt: skip
    sheet.text("Men", 100 + 14 + 14 + 7 + 1, 76)
    sheet.text("Women", 100 + 14 + 42 + 7 + 1, 76)
    booktabs(sheet, [["Group", "State", "N", "Mean"]], rows, [76, 160, 250, 320])
    sheet.prose(300, 8)
    table = only_table(sheet.read())
    assert table.data["cells"][1:] == [
        ["Men", *rows[0][1:]],
        ["", *rows[1][1:]],
        ["Women", *rows[2][1:]],
        ["", *rows[3][1:]],
    ]
    assert table.data["cells"][0] == ["Group", "State", "N", "Mean"]


def line(left: float, top: float, right: float, text: str, size: float = 10) -> Line:
    return Line([Word(left, top, right, top + size, text, font_of("Times-Roman"))])


def test_text_of_the_page_beside_a_table_is_none_of_its_columns() -> None:
    rows = [line(80 + 60 * at, 120 + 15 * row, 110 + 60 * at, f"{row}.{at}") for row in range(4) for at in range(3)]
    text = [line(320, 100 + 12 * at, 540, "and spoke of the bridge over the river") for at in range(12)]
    beside = [one for one in text if 115 < one.top < 180]
    prose = {id(one) for one in text}
    assert without_text_beside([*rows, *beside], [*rows, *text], prose, []) == rows
    # Under a rule that goes on from the table it is a cell.
    assert len(without_text_beside([*rows, *beside], [*rows, *text], prose, [(80.0, 540.0, 130.0)])) == 12 + len(beside)
    # What begins and ends with the table is a column of words.
    assert len(without_text_beside([*rows, *beside], [*rows, *beside], prose, [])) == 12 + len(beside)


def test_numbers_of_lines_are_no_column() -> None:
    text = [line(100, 72 + 12 * at, 500, "and spoke of the bridge") for at in range(30)]
    numbers = [line(60, 72 + 12 * at, 72, str(117 + at), 6) for at in range(30)]
    years = [line(520, 72 + 12 * at, 540, str(1990 + at)) for at in range(30)]
    assert line_numbers([*text, *numbers, *years]) == [numbers]


def test_small_cells_that_count_are_no_numbers_of_lines() -> None:
    text = [line(60, 72 + 12 * at, 500, "and spoke of the bridge") for at in range(10)]
    cells = [line(left, 200 + 12 * at, left + 12, str(at + 1), 6) for at in range(20) for left in (60, 200)]
    assert line_numbers([*text, *cells, *(line(120, 200 + 12 * at, 180, "oak", 6) for at in range(20))]) == []


def test_numbers_of_lines_between_two_columns_are_no_column() -> None:
    text = [line(left, 72 + 12 * at, left + 220, "and spoke of the bridge") for at in range(30) for left in (72, 320)]
    title = line(120, 40, 500, "Of Bridges over the Rivers of the North", 14)
    numbers = [line(left, 72 + 12 * at, left + 10, str(1 + at), 6) for at in range(30) for left in (56, 304)]
    assert line_numbers([title, *text, *numbers]) == [numbers[::2], numbers[1::2]]


def test_numbers_of_a_listing_are_no_column() -> None:
    text = [line(72, 60 + 12 * at, 500, "and spoke of the bridge over the river") for at in range(9)]
    code = [Line([Word(90, 200 + 12 * at, 400, 210 + 12 * at, "bridge.build()", font_of("Courier"))])
            for at in range(14)]  # fmt: skip
    numbers = [line(72, 200 + 12 * at, 82, str(1 + at), 6) for at in range(14)]
    assert line_numbers([*text, *code, *numbers]) == [numbers]


@pytest.mark.parametrize("left", [72, 200, 40])
def test_years_of_a_table_in_small_type_are_no_numbers_of_lines(sheet: Sheet, left: float) -> None:
    rows = [["Year", "Total", "Length"], *([str(1990 + at), f"{80 + at}.5", f"{3 * at + 40}"] for at in range(12))]
    for at in range(38):
        sheet.text(PROSE[:80], 72 + 13 * (at + 13 * (at > 9)), size=11)
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            sheet.text(text, 212 + 11 * at, left + 70 * column, size=8)
    assert only_table(sheet.read()).data["cells"] == rows


@pytest.mark.parametrize("sign", ["❼", "²", "9" * 5000])
def test_signs_that_are_digits_are_no_numbers_of_lines(sign: str) -> None:
    text = [line(100, 72 + 12 * at, 500, "and spoke of the bridge") for at in range(30)]
    assert line_numbers([*text, *(line(60, 72 + 12 * at, 72, sign, 6) for at in range(30))]) == []


@pytest.mark.parametrize(
    "text",
    ["2,411 (31%)", "94.1 (93.6-94.6)", "0.45* (0.21)", "47.07 (4.05 ↓)", "63.6 ± 1.2", "1e-4", "135 (120, 150)"],
)
def test_an_estimate_and_what_it_may_be_off_by_are_one_amount(text: str) -> None:
    assert AMOUNT.match(text)


@pytest.mark.parametrize("text", ["12 34", "Table 3 (4)", "5 (five)"])
def test_other_numbers_side_by_side_are_none(text: str) -> None:
    assert not AMOUNT.match(text)


@pytest.mark.parametrize("text", ["1," * 60 + "1", "1 (" + "1," * 60 + "1)", "1 (" + "1," * 12_000, "1 - " + "1 " * 60])
def test_long_rows_of_numbers_are_no_amount(text: str) -> None:
    # To try them took time with the square of their length: 5 s for 12,000 signs.
    assert not AMOUNT.match(text)
