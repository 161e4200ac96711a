"""Fractions within lines of text, drawn as a bar with words over and under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 11


def text(sheet: Sheet, top: float, *parts: str | tuple[str, str]) -> None:
    """Draw a line of words and fractions from the left edge.

    Args:
        sheet: the page.
        top: baseline of the line, from the top of the page.
        parts: words, or what is over and under a bar.
    """
    left = 90.0
    for part in parts:
        if isinstance(part, str):
            sheet.line(part, top, left, size=SIZE)
            left += sheet.canvas.stringWidth(part, "Times-Roman", SIZE) + 3
            continue
        widths = [sheet.canvas.stringWidth(row, "Times-Roman", SIZE) for row in part]
        wide = max(widths)
        for row, width, step in zip(part, widths, (-6.5, 7.5), strict=True):
            sheet.line(row, top + step, left + (wide - width) / 2, size=SIZE)
        sheet.canvas.setLineWidth(0.4)
        sheet.canvas.line(left, HEIGHT - top + 2.8, left + wide, HEIGHT - top + 2.8)
        left += wide + 3


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


def test_a_fraction_is_one_word_of_its_line(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(40), 80)
    text(sheet, 200, "We might find the equation", ("2x", "x"), "= 2, written without any hesitation, or in some")
    text(sheet, 220, "books its value at zero,", ("a + b", "c"), "which has no meaning and", ("0", "0"), "has none.")
    sheet.paragraph(words(40), 260)
    (found,) = [
        node for node in of_type(read(sheet.save(tmp_path / "x.pdf")), ContentNodeType.PARAGRAPH) if "We" in node.text
    ]
    assert found.text == (
        "We might find the equation 2x/x = 2, written without any hesitation, or in some books its value at zero,"
        " (a + b)/c which has no meaning and 0/0 has none."
    )


def test_a_rule_between_the_rows_of_a_table_is_no_bar(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(40), 80)
    sheet.line("in millions", 207, 90, size=SIZE)
    for left, year, value in ((220, "2019", "1,204"), (320, "2018", "1,123")):
        sheet.line(year, 200, left, size=SIZE)
        sheet.line("total", 214, left, size=SIZE)
        sheet.canvas.line(left, HEIGHT - 204, left + 30, HEIGHT - 204)
        for row in range(3):
            sheet.line(value, 230 + 14 * row, left, size=SIZE)
    for row, label in enumerate(("Revenue", "Costs", "Income")):
        sheet.line(label, 230 + 14 * row, 90, size=SIZE)
    found = "\n".join(node.text or "" for node in read(sheet.save(tmp_path / "x.pdf")).nodes)
    assert "/" not in found
    assert "2019" in found


def test_underlined_words_are_no_fractions(sheet: Sheet, tmp_path: Path) -> None:
    for number in range(4):
        sheet.line("A line of words and an underlined title of a work", 100 + 12 * number, 90, size=SIZE)
        sheet.canvas.line(170, HEIGHT - 101.5 - 12 * number, 230, HEIGHT - 101.5 - 12 * number)
    found = "\n".join(node.text or "" for node in read(sheet.save(tmp_path / "x.pdf")).nodes)
    assert "/" not in found


def test_words_that_are_struck_out_are_no_fractions(sheet: Sheet, tmp_path: Path) -> None:
    rows = [
        "The tenant shall pay within thirty days of the notice that is given to",
        "him and shall repair without delay whatever the agent of the landlord when",
        "he comes to see the rooms were found broken by the agent when he left it",
        "and the tenant shall not be asked for more than what the repair has cost.",
    ]
    for number, row in enumerate(rows):
        sheet.line(row, 100 + 12 * number)
    start = 72 + sheet.canvas.stringWidth("him and ", "Times-Roman", SIZE)
    end = start + sheet.canvas.stringWidth("shall repair without", "Times-Roman", SIZE)
    sheet.canvas.line(start, HEIGHT - 112 + 3.2, end, HEIGHT - 112 + 3.2)
    (found,) = read(sheet.save(tmp_path / "x.pdf")).nodes
    assert found.text == " ".join(rows)
