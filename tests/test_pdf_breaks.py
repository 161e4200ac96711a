"""Blocks that end between two lines which the rules join, as the learnt weights say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from test_reader_pdf import Sheet, words
from test_reader_pdf_headings import read

from ragraph.pdf.blocks.assembly import cut_blocks, neighbours
from ragraph.pdf.blocks.breaks import NAMES, may_part, measure
from ragraph.pdf.model import Block, Line, Page, Style, Turn, Word, font_of

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
    assert _cut(Page(1, 612, 792), lines) == [5]


def test_pages_that_are_turned_are_asked_of_from_the_right() -> None:
    """There a line ends at the right like others, so that the room behind it is room for a word."""
    lines = [_from_right(15, 100, indent=40), *(_from_right(18, 115 + 13 * row) for row in range(4))]
    page = Page(1, 612, 792, turn=Turn(612, 792, (-1, 0, 612, 0, 1, 0)))
    assert _cut(page, lines) == [1, 4]


def _cut(page: Page, lines: list[Line]) -> list[int]:
    """Return how many lines each block has that one of these lines is cut into."""
    page.blocks = [Block(1, lines)]
    cut_blocks(page, _STYLE)
    return [len(block.lines) for block in page.blocks]


def _from_right(count: int, top: float, indent: float = 0) -> Line:
    """Return words of Hebrew that end at one edge, placed from left to right in the order in which they are read."""
    text = (["הנהר", "זורם", "אל", "הים", "דרך", "העיר", "והגשר", "של", "הכפר"] * 2)[:count]
    left = 500 - indent - 5 * sum(map(len, text)) - 2.5 * (count - 1)
    return _line(" ".join(text), top, "Times-Roman", left)


def test_only_where_one_line_may_be_a_heading_it_is_asked() -> None:
    """Lines of a menu or of an address are short without being a heading."""
    lake = "The lake lies below the town."
    assert not _asked("Rivers", lake)
    assert _asked("Rivers", lake, step=24)
    assert _asked("Rivers", lake, font="Times-Bold")
    assert _asked("RIVERS", lake)
    assert not _asked("Rivers,", lake, step=24)
    assert not _asked("Rivers", lake.lower(), step=24)
    assert not _asked(".", lake, step=24)
    assert _asked("It is low.", lake.upper())
    assert not _asked("It is in the", lake.upper())


def test_a_paragraph_set_to_the_right_is_one_block(tmp_path: Path) -> None:
    sheet = Sheet()
    wanted: list[str] = []
    for paragraph in range(4):
        lines = [" ".join(words(count, start=7 * paragraph)) for count in (13, 14, 12, 15, 13)]
        lines = [lines[0].capitalize(), *lines[1:-1], lines[-1] + "."]
        sheet.canvas.setFont("Times-Roman", 11)
        for row, text in enumerate(lines):
            sheet.canvas.drawRightString(540, 712 - 90 * paragraph - 13.2 * row, text)
        wanted.append(" ".join(lines))
    assert [node.text for node in read(sheet, tmp_path).nodes] == wanted


def test_pieces_of_a_block_stay_in_its_place() -> None:
    """A title that rules took for the first line of its paragraph, beside a block that begins at its height."""
    page = Page(1, 612, 792)
    text = ["The lake lies below the town and all of the", "rivers that come to it from the hills in the"] * 3
    column = [_line("What is safe for ponds", 100), *(_line(part, 119 + 13.2 * row) for row, part in enumerate(text))]
    beside = [_line("A note beside it", 100, left=400)]
    page.blocks = [Block(1, column), Block(1, beside)]
    cut_blocks(page, Style(10.0, False, 20.0))
    assert [block.lines for block in page.blocks] == [column[:1], column[1:], beside]


def _paragraph(sheet: Sheet, lines: int, top: float, pitch: float) -> float:
    for line in range(lines):
        end = "." if line == lines - 1 else ""
        sheet.line(" ".join(words(14, start=5 * line)).capitalize() + end, top)
        top += pitch
    return top


def _asked(upper: str, lower: str, font: str = "Times-Roman", step: float = 12) -> bool:
    """Say whether it is asked of a line, in some font, and the first of three below it."""
    below = [_line(text, 100 + step + 12 * row) for row, text in enumerate([lower, "All of it is low.", "It is long."])]
    above = _line(upper, 100, font)
    row = measure(above, below[0], neighbours([above, *below]), _STYLE)
    return row is not None and may_part(above, below[0], row)


def _measured(upper: str, lower: str, font: str = "Times-Roman") -> list[float] | None:
    lines = [_line(upper, 100, font), _line(lower, 112, font)]
    row = measure(lines[0], lines[1], neighbours(lines), _STYLE)
    assert row is None or np.isfinite(row).all()
    return row


def _line(text: str, top: float, font: str = "Times-Roman", left: float = 72) -> Line:
    parts: list[Word] = []
    for part in text.split():
        parts.append(Word(left, top, left + 5 * len(part), top + 10, part, font_of(font)))
        left += 5 * len(part) + 2.5
    return Line(parts)
