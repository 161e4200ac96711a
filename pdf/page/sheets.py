"""What stands level on the sheet of a page that is read from its side: its page number and running head may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Line, Page, Word
from ragraph.pdf.page.lines import make_lines
from ragraph.pdf.page.turning import moved_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.pdf.model import Box


def level_sheet(page: Page) -> Page | None:
    """Return the sheet of a page set upright as the file has it, with its level words in lines; None for other pages.

    Args:
        page: with ``sideways``, which are level on the sheet.
    """
    turn = page.turn
    if turn is None or not turn.lies or not page.sideways:
        return None
    sheet = Page(page.number, turn.width, turn.height, words=_moved(page.sideways, turn.box))
    make_lines(sheet)
    return sheet


def lay_back(page: Page, sheet: Page) -> None:
    """Give a page the furniture of its sheet, and as sideways words those that are none.

    Args:
        page: changed in place.
        sheet: from ``level_sheet``, its furniture taken out of its lines.
    """
    turn = page.turn
    if turn is None:
        return
    for block in sheet.furniture:
        block.lines = [Line(_moved(line.words, turn.placed)) for line in block.lines]
        block.parts = [(page.number, line.box) for line in block.lines]
    page.furniture += sheet.furniture
    page.sideways = _moved([word for line in sheet.lines for word in line.words], turn.placed)


def _moved(words: list[Word], place: Callable[[Box], Box]) -> list[Word]:
    return [moved_word(word, place(word.box)) for word in words]
