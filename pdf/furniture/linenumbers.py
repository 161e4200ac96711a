"""Numbers of the lines of a page, as drafts under review have them: no text, and no column of a table."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Kind, around, in_runs
from ragraph.pdf.patterns import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Line, Page

_FEWEST = 12
"""Numbers of lines on a page at least."""
_SMALL = 0.9
"""They are set smaller than the text beside them by this factor, at least: cells are as large as their row."""
_EDGE = 2.0
"""Points by which they end apart at most."""
_STEPS = 0.8
"""Share of them that are one more than the number above, or five."""
_LONGEST = 6
"""Digits of such a number at most."""
_ACROSS = 0.2
"""Share of the letters of a page in lines that reach over or under a column of numbers of lines, at most: titles and
captions over the white between columns. What stands within the text is a column of a table."""
_SENTENCE = 20
"""Minimum number of signs at which a line is running text, not a cell."""
_TYPED = 0.7
"""Minimum share of a line in typewriter type at which it is one of a listing, whose numbers stand within the page."""
_RUNNING = 0.5
"""Share of the letters at the height of the numbers that are running text, at least."""


def take_line_numbers(pages: Sequence[Page]) -> None:
    """Move the numbers of the lines of pages to their ``furniture``, each column as one block.

    Args:
        pages: with lines; they change.
    """
    for page in pages:
        for column in line_numbers(page.lines):
            taken = {id(line) for line in column}
            page.lines = [line for line in page.lines if id(line) not in taken]
            page.furniture.append(Block(page.number, column, Kind.FOOTER, group=Kind.FOOTER.value))


def line_numbers(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the columns of small numbers that count the lines of a page or a listing, from top to bottom.

    They stand along a margin, or between columns, beside running text: years in a small table count up, too.

    Args:
        lines: of a page.
    """
    numbers = [line for line in lines if _is_number(line)]
    if len(numbers) < _FEWEST:
        return []
    numbers.sort(key=lambda line: line.right)
    columns = in_runs(numbers, lambda column, line: line.right - column[-1].right < _EDGE)
    counting = [sorted(column, key=lambda line: line.top) for column in columns if _counts(column)]
    counted = {id(line) for column in counting for line in column}
    text = [line for line in lines if id(line) not in counted]
    return [column for column in counting if _is_beside(column, text)]


def _is_number(line: Line) -> bool:
    """Return True if a line is a number, or two under each other, which a high formula beside them has put together."""
    # signs such as "❼" are digits, but no decimal ones
    numbers = all(len(word.text) <= _LONGEST and word.text.isdecimal() for word in line.words)
    return numbers and all(abs(word.right - line.words[0].right) < _EDGE for word in line.words)


def _counts(column: Sequence[Line]) -> bool:
    """Return True if numbers under each other go up line by line."""
    words = [word for line in column for word in line.words]
    values = [int(word.text) for word in sorted(words, key=lambda word: word.top)]
    steps = sum(lower - upper in {1, 5} for upper, lower in pairwise(values))
    return len(values) >= _FEWEST and steps >= _STEPS * (len(values) - 1)


def _is_beside(column: Sequence[Line], text: Sequence[Line]) -> bool:
    """Return True if numbers are smaller than the text beside them, and that runs on, with none over or under them.

    Numbers of the lines of a listing stand within the page.
    """
    box = around(column)
    level = [line for line in text if line.top < box.bottom and line.bottom > box.top]
    sizes = [line.size for line in level for _ in range(line.length)]
    if not sizes or median(line.size for line in column) >= _SMALL * median(sizes):
        return False
    across = sum(line.length for line in text if line.left < box.right and line.right > box.left)
    running = sum(line.length for line in level if line.length >= _SENTENCE)
    code = sum(line.length for line in level if line.mono >= _TYPED and not NUMERIC.match(line.text))
    outside = across <= _ACROSS * sum(line.length for line in text)
    return code >= _RUNNING * len(sizes) or (outside and running >= _RUNNING * len(sizes))
