"""Blocks that end between two lines which the rules join, as the learnt weights say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from test_reader_pdf import Sheet, words
from test_reader_pdf_headings import read

from ragraph.ingest.readers.pdf.blocks.assembly import make_blocks, neighbours
from ragraph.ingest.readers.pdf.blocks.breaks import NAMES, measure
from ragraph.ingest.readers.pdf.model import Line, Page, Style, Turn, Word, font_of

if TYPE_CHECKING:
    from pathlib import Path

_STYLE = Style(10.0, False, 12.0)


def test_two_lines_are_measured_by_what_is_named() -> None:
    assert len(_measured("Rivers", "The lake lies below the town.") or ()) == len(NAMES)


def test_titles_in_the_type_of_the_text_stand_apart_where_their_page_is_set_closer(tmp_path: Path) -> None:
    """The pages before are set wide, so that the room under the titles is less than the usual distance of lines."""
    sheet = Sheet()
    for page in range(3):
        _paragraph(sheet, 28 - page, 80, 22)
        sheet.page()
    titles = ["The role of the tests", "Methods of all towns", "Guidance for rivers", "What is safe for ponds"]
    top = 80.0
    for place, title in enumerate(titles):
        sheet.line(title, top)
        top = _paragraph(sheet, 4 + place, top + 19, 13.2) + 12
    texts = [node.text for node in read(sheet, tmp_path).nodes]
    assert set(titles) <= set(texts)


def test_a_line_that_is_full_is_not_asked_of() -> None:
    assert _measured("The lake lies below the town and the", "river goes on.") is None


def test_listings_and_lines_with_numbers_are_left_to_the_rules() -> None:
    assert _measured("Rivers", "2.1 Lakes and all the ponds of the town") is None
    assert _measured("Rivers", "The lake lies below the town.", font="Courier") is None


def test_an_indented_line_from_the_right_is_cut_off_on_no_page_that_is_not_turned() -> None:
    lines = [_from_right(15, 100, indent=40), *(_from_right(18, 115 + 13 * row) for row in range(4))]
    page = Page(1, 612, 792)
    assert [len(block.lines) for block in make_blocks(page, lines, _STYLE)] == [5]


def test_pages_that_are_turned_are_asked_of_from_the_right() -> None:
    """There a line ends at the right like others, so that the room behind it is room for a word."""
    lines = [_from_right(15, 100, indent=40), *(_from_right(18, 115 + 13 * row) for row in range(4))]
    page = Page(1, 612, 792, turn=Turn(612, 792, (-1, 0, 612, 0, 1, 0)))
    assert [len(block.lines) for block in make_blocks(page, lines, _STYLE)] == [1, 4]


def _from_right(count: int, top: float, indent: float = 0) -> Line:
    """Return words of Hebrew that end at one edge, placed from left to right in the order in which they are read."""
    text = (["הנהר", "זורם", "אל", "הים", "דרך", "העיר", "והגשר", "של", "הכפר"] * 2)[:count]
    left = 500 - indent - 5 * sum(map(len, text)) - 2.5 * (count - 1)
    return _line(" ".join(text), top, "Times-Roman", left)


def _paragraph(sheet: Sheet, lines: int, top: float, pitch: float) -> float:
    for line in range(lines):
        end = "." if line == lines - 1 else ""
        sheet.line(" ".join(words(14, start=5 * line)).capitalize() + end, top)
        top += pitch
    return top


def _measured(upper: str, lower: str, font: str = "Times-Roman") -> list[float] | None:
    lines = [_line(upper, 100, font), _line(lower, 112, font)]
    row = measure(lines[0], lines[1], neighbours(lines), _STYLE)
    assert row is None or np.isfinite(row).all()
    return row


def _line(text: str, top: float, font: str, left: float = 72.0) -> Line:
    parts: list[Word] = []
    for part in text.split():
        parts.append(Word(left, top, left + 5 * len(part), top + 10, part, font_of(font)))
        left += 5 * len(part) + 2.5
    return Line(parts)
