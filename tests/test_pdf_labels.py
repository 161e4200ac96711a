"""Text that stands in pictures and drawings, and the labels of these: what weights tell apart that no rule did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from reportlab.lib.colors import HexColor, white
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.ingest.readers.pdf.blocks.drawn import NAMES, measure
from ragraph.ingest.readers.pdf.model import Box, Line, Page, Style, Word, font_of
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
