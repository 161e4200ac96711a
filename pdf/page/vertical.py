"""Pages of Chinese and Japanese that are written from top to bottom, in columns from the right."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Box, Kind, Line, Turn, Word, around, in_runs, text_rows
from ragraph.pdf.page.bidi import plain_forms
from ragraph.pdf.page.turning import moved_word, turn_page
from ragraph.pdf.patterns import EAST_ASIAN

if TYPE_CHECKING:
    from ragraph.pdf.model import Page

_BLANK = 0.18
"""A gap of this share of the size of type between two letters is a blank."""
_SQUARE, _WIDE = 0.8, 1.8
"""Gaps in a column, per size of type, that are a blank of the width of a letter."""
_COLUMN = 20
"""Letters that stand under each other, at least, on a page that is written from top to bottom."""
_MOST = 0.6
"""Share of the letters of such a page that do."""


def is_vertical(page: Page) -> bool:
    """Return True if most Chinese or Japanese letters of a page stand under each other, each a word of its own."""
    single = [word for word in page.words if len(word.text) == 1 and EAST_ASIAN.search(word.text)]
    if len(single) < _COLUMN:
        return False
    letters = sum(len(EAST_ASIAN.findall(word.text)) for word in page.words)
    under = sum(
        abs(one.left + one.right - other.left - other.right) < 0.6 * one.size and 0 < other.top - one.top < 2 * one.size
        for one, other in pairwise(single)
    )
    return under > _MOST * letters


def lay_down(page: Page) -> None:
    """Lay a page of columns on its side: the first letter of the rightmost column comes first."""
    for word in page.words:
        _fill(word)
    body = around([word for word in page.words if len(word.text) == 1 and EAST_ASIAN.search(word.text)])
    inside = [word for word in page.words if word.bottom >= body.top and word.top <= body.bottom]
    _set_apart(page, body)
    columns = in_runs(
        sorted([*inside, *page.sideways], key=lambda word: -_middle(word)),
        lambda column, word: sum(map(_middle, column)) / len(column) - _middle(word) < 0.6 * word.size,
    )
    width = page.width
    words: list[Word] = []
    for column in columns:
        left, right = min(word.left for word in column), max(word.right for word in column)
        for word in sorted(column, key=lambda word: word.top):
            moved = moved_word(word, Box(word.top, width - right, word.bottom, width - left))
            moved.text = plain_forms(moved.text)
            if words and words[-1].top == moved.top and (blank := _blank(words[-1], moved)) is not None:
                words[-1] = _joined(words[-1], moved, blank)
            else:
                words.append(moved)
    page.words, page.sideways, page.directed = words, [], True
    turn_page(page, Turn(page.width, page.height, (0, -1, page.width, 1, 0, 0)))


def _set_apart(page: Page, body: Box) -> None:
    """Make furniture of what stands over or under the columns, set from left to right: page numbers, running heads."""
    for kind, words in (
        (Kind.HEADER, [word for word in page.words if word.bottom < body.top]),
        (Kind.FOOTER, [word for word in page.words if word.top > body.bottom]),
    ):
        for row in text_rows(words, max((word.size for word in words), default=1.0)):
            set_so = sorted(row, key=lambda word: word.left)
            moved = [
                moved_word(word, Box(word.top, page.width - word.right, word.bottom, page.width - word.left))
                for word in set_so
            ]
            counts = "".join(word.text for word in moved).strip("-–—").isdigit()
            block = Block(page.number, [Line(moved)], Kind.PAGE_NUMBER if counts else kind, group=kind.value)
            page.furniture.append(block)


def _fill(word: Word) -> None:
    """Give a letter the room of its square: its box may be that of its ink, which is flat in "one"."""
    side = word.right - word.left
    if len(word.text) == 1 and EAST_ASIAN.search(word.text) and word.height < side:
        middle = word.middle_y
        word.top, word.bottom = max(middle - side / 2, 0.0), middle + side / 2
        word.size = max(word.size, side)


def _middle(word: Word) -> float:
    return word.middle_x


def _blank(last: Word, word: Word) -> str | None:
    """Return what stands between two words of a column that are one: nothing, or a wide blank; None if they are not."""
    gap = (word.left - last.right) / max(word.size, last.size)
    if not (EAST_ASIAN.search(last.text[-1]) or EAST_ASIAN.search(word.text[0])) and gap > _BLANK:
        return None
    return None if gap > _WIDE else " " if gap > _SQUARE else ""


def _joined(last: Word, word: Word, blank: str) -> Word:
    text = last.text + blank + word.text
    one = Word(last.left, last.top, max(last.right, word.right), last.bottom, text, last.font)
    one.size, one.underlined = last.size, last.underlined
    return one
