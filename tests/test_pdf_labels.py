"""Text that stands in pictures and drawings, and the labels of these: what weights tell apart that no rule did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from reportlab.lib.colors import HexColor, white
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.pdf.blocks.drawn import NAMES, measure
from ragraph.pdf.blocks.labels import rows_of_pairs
from ragraph.pdf.model import Box, Line, Page, Style, Word, font_of
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path


def test_a_row_of_features_for_each_line() -> None:
    font = font_of("Helvetica")
    lines = [Line([Word(20, top, 90, top + 10, "Label", font)]) for top in (20.0, 60.0)]
    page = Page(1, 600, 800, lines=lines, drawings=[Box(10, 10, 200, 100)])
    found = measure(page, page.drawings[0], lines, lines, Style(10, False, 12))
    assert found.shape == (2, len(NAMES))
    assert np.isfinite(found).all()
    assert measure(page, page.drawings[0], [], lines, Style(10, False, 12)).shape == (0, len(NAMES))


@pytest.fixture
def sheet() -> Sheet:
    """A page with a paragraph at the top and one at the foot."""
    sheet = Sheet()
    sheet.paragraph(words(60), 80)
    sheet.paragraph(words(60), 640)
    return sheet


def figure_text(sheet: Sheet, folder: Path) -> str:
    """Return the text of all figures of a sheet, once it is read."""
    return " ".join(node.text for node in of_type(read(sheet.save(folder / "a.pdf")), ContentNodeType.FIGURE))


def test_a_narrow_text_on_a_ground_is_text(sheet: Sheet, tmp_path: Path) -> None:
    sheet.canvas.setFillColor(HexColor("#dddddd"))
    sheet.canvas.rect(330, HEIGHT - 560, 130, 330, stroke=0, fill=1)
    sheet.canvas.setFillColor(HexColor("#222222"))
    text = words(40)
    for row in range(0, 40, 2):
        sheet.line(" ".join(text[row : row + 2]), 260 + 7 * row, left=365, size=11)
    sheet.canvas.rect(330, HEIGHT - 562, 130, 2, stroke=0, fill=1)
    assert figure_text(sheet, tmp_path) == ""


def test_a_listing_in_a_window_is_text(sheet: Sheet, tmp_path: Path) -> None:
    canvas = sheet.canvas
    canvas.setFillColor(HexColor("#222233"))
    canvas.roundRect(72, HEIGHT - 300, 420, 90, 6, stroke=0, fill=1)
    canvas.setFillColor(HexColor("#333355"))
    canvas.rect(72, HEIGHT - 230, 420, 18, stroke=0, fill=1)
    canvas.setFillColor(white)
    for at in (82, 92, 102):
        canvas.circle(at, HEIGHT - 221, 2, stroke=0, fill=1)
    sheet.line("settings.md", 224, left=112, font="Courier", size=8)
    for number, line in enumerate(("- Write the plan to a file", "- Mark what is done", "- Say what was learnt")):
        sheet.line(line, 248 + 13 * number, left=84, font="Courier", size=9)
    assert "plan" not in figure_text(sheet, tmp_path)


def test_names_in_the_boxes_of_a_diagram_are_its_labels(sheet: Sheet, tmp_path: Path) -> None:
    names = ("Client", "Gateway", "Service", "Queue", "Worker")
    for number, name in enumerate(names):
        left, top = 90 + 90 * number, 260 + 130 * (number % 2)
        sheet.canvas.ellipse(left, HEIGHT - top - 60, left + 80, HEIGHT - top)
        sheet.line(name, top + 33, left=left + 24, font="Helvetica", size=8)
        if number:
            foot = HEIGHT - (320 if number % 2 else 390)
            sheet.canvas.line(
                left - 50 if number % 2 else left + 40, foot, left + 40 if number % 2 else left - 50, foot - 70
            )
    found = figure_text(sheet, tmp_path)
    assert all(name in found for name in names)


def test_short_pieces_of_one_chart_stay_together(sheet: Sheet, tmp_path: Path) -> None:
    canvas = sheet.canvas
    names = [
        "CARD FACTORY PLC", "JUST EAT PLC", "BOOHOO PLC", "OPTIMAL PAYMENTS PLC", "PACE PLC", "THOMAS COOK GROUP PLC",
        "Optimal Payments PLC Issue 15 (Nil Paid)", "Restaurant Group plc", "Capital & Counties Properties PLC",
    ]  # fmt: skip
    canvas.setFillColor(HexColor("#e5e5e5"))
    canvas.rect(260, HEIGHT - 520, 250, 260, stroke=0, fill=1)
    canvas.setStrokeColor(white)
    canvas.setFillColor(HexColor("#222222"))
    for at, name in enumerate(names):
        top = 280 + 26 * at
        canvas.line(260, HEIGHT - top + 3, 510, HEIGHT - top + 3)
        canvas.rect(300 + 12 * at, HEIGHT - top - 2, 8, 10, stroke=0, fill=1)
        canvas.setFont("Helvetica", 10)
        canvas.drawRightString(255, HEIGHT - top, name)
    canvas.setStrokeColor(HexColor("#222222"))
    canvas.rect(66, HEIGHT - 540, 450, 290, stroke=1, fill=0)
    for at, month in enumerate(("2013-07", "2014-01", "2014-07", "2015-01")):
        sheet.line(month, 532, left=280 + 55 * at, font="Helvetica", size=10)
        canvas.setStrokeColor(white)
        canvas.line(299 + 55 * at, HEIGHT - 260, 299 + 55 * at, HEIGHT - 520)
    found = figure_text(sheet, tmp_path)
    assert [name for name in (*names, "2013-07", "2015-01") if name not in found] == []


def test_boxes_of_one_flow_chart_stay_together(sheet: Sheet, tmp_path: Path) -> None:
    canvas = sheet.canvas
    names = {"Receive the request": (238, 240), "Is the form complete?": (238, 300), "Send back": (398, 300),
             "Check eligibility": (238, 370), "Approve and archive": (238, 440)}  # fmt: skip
    for name, (left, top) in names.items():
        canvas.setFillColor(HexColor("#ffe8cc"))
        canvas.rect(left - 5, HEIGHT - top - 20, 120, 30, fill=1)
        canvas.setFillColor(HexColor("#000000"))
        sheet.line(name, top, left=left, font="Helvetica", size=9)
    for top, foot in ((250, 270), (310, 340), (380, 410)):
        canvas.line(298, HEIGHT - top, 298, HEIGHT - foot)
    canvas.line(358, HEIGHT - 295, 393, HEIGHT - 295)
    sheet.line("no", 292, left=366, font="Helvetica", size=8)
    sheet.line("yes", 325, left=303, font="Helvetica", size=8)
    found = figure_text(sheet, tmp_path)
    assert [name for name in names if name not in found] == []


def test_rows_of_labels_and_values_are_read_as_rows(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Validation Report", 80, font="Helvetica-Bold", size=20)
    canvas = sheet.canvas
    rows = [
        ("File:", "/books/mybook.pdf"), ("Validation Profile:", "PDF/A-4F validation profile"),
        ("Compliance:", "Passed"), ("Validation Profile:", "Tagged PDF validation profile"), ("Compliance:", "Failed"),
        ("Version:", "1.28.1"), ("Parser:", "GreenField"), ("Passed Checks:", "5427"), ("Failed Checks:", "0"),
    ]  # fmt: skip
    canvas.setFillColor(HexColor("#eeeeee"))
    canvas.rect(60, HEIGHT - 420, 480, 280, stroke=0, fill=1)
    canvas.setFillColor(HexColor("#222222"))
    for at, (name, value) in enumerate(rows):
        sheet.line(name, 170 + 22 * at, left=72, size=12)
        sheet.line(value, 170 + 22 * at, left=235, size=12)
    draft = read(sheet.save(tmp_path / "a.pdf"))
    text = " ".join(node.text for node in draft.nodes).replace("\n", " ").replace(" | ", " ")
    assert [name for name, value in rows if f"{name} {value}" not in text] == []


def test_rows_of_one_column_are_no_pairs() -> None:
    font = font_of("Helvetica")

    def line(left: float, top: float, text: str) -> Line:
        return Line([Word(left, top, left + 5 * len(text), top + 10, text, font)])

    column = [line(72, 100 + 14.0 * at, f"item {at}") for at in range(6)]
    assert rows_of_pairs(column) == []
    two = [line(72 + 200 * side, 100 + 14.0 * at, "a task") for at in range(6) for side in (0, 1)]
    assert rows_of_pairs(two) == []
    items = [line(72 + 200 * side, 100 + 14.0 * at, f"\u2460 within {at} m") for at in range(3) for side in (0, 1)]
    assert rows_of_pairs(items) == [], "items of a list in two columns"
    pairs = [line(72 + 200 * side, 100 + 14.0 * at, f"USD {at}" if side else "a task") for side in (0, 1)
             for at in range(3)]  # fmt: skip
    assert [[one.text for one in row] for row in rows_of_pairs(pairs)] == [
        ["a task", "USD 0", "a task", "USD 1", "a task", "USD 2"]
    ]


def test_a_short_piece_at_the_edge_of_a_figure_is_not_torn_off_what_is_let_go(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("CATEGORY LIST", 70, left=220, font="Helvetica-Bold", size=20)
    for at, name in enumerate(("Fashion", "Electronic", "Furniture", "Automobile")):
        top = 110 + 150 * at
        sheet.canvas.rect(60, HEIGHT - top - 130, 480, 140)
        sheet.canvas.setFillColor(HexColor("#ccddee"))
        sheet.canvas.rect(70, HEIGHT - top - 120, 200, 120, stroke=0, fill=1)
        sheet.canvas.setFillColor(HexColor("#222222"))
        for row, text in enumerate((f"Id: {at + 1}", f"Name: {name}", "Total: 2", "Notes: This is a note")):
            sheet.line(text, top + 30 + 15 * row, left=304, font="Helvetica", size=13)
    found = figure_text(sheet, tmp_path)
    assert ("Id: 1" in found) == ("Name: Fashion" in found)


@pytest.mark.parametrize("numbered", [True, False])
def test_a_listing_in_a_shaded_frame_is_code(numbered: bool, sheet: Sheet, tmp_path: Path) -> None:
    sheet.canvas.setFillColor(HexColor("#eeeeee"))
    sheet.canvas.rect(73, HEIGHT - 420, 450, 190)
    sheet.canvas.setFillColor(HexColor("#222222"))
    code = ["import os", "", "def main():", "    print(name)", "    return 0", "", "# The end", "x = main()"] * 2
    for at, line in enumerate(code):
        if numbered:
            sheet.line(str(at), 250 + 10 * at, left=110, font="Courier", size=8)
        if line.strip():
            indent = 5 * (len(line) - len(line.lstrip()))
            sheet.line(line.strip(), 250 + 10 * at, left=130 + indent, font="Courier", size=8)
    draft = read(sheet.save(tmp_path / "a.pdf"))
    assert len(of_type(draft, ContentNodeType.CODE)) == 1
    assert all("main()" not in node.text for node in of_type(draft, ContentNodeType.FIGURE))
