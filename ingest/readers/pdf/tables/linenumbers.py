"""Numbers of the lines of a page, as drafts under review have them, which are no column of a table."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import around
from ragraph.ingest.readers.pdf.tables.grids import is_numeric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.model import Line

_FEWEST = 12
"""Numbers of lines on a page at least."""
_SMALL = 0.9
"""They are set smaller than the text by this factor, at least."""
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
"""Signs from which on a line is running text, not a cell."""
_TYPED = 0.7
"""Share of a line in typewriter type from which on it is one of a listing, whose numbers stand within the page."""
_RUNNING = 0.5
"""Share of the letters at the height of the numbers that are running text, at least."""


def line_numbers(lines: Sequence[Line]) -> set[int]:
    """Return the ids of the lines of a page that number its lines: small numbers under each other that count up.

    They stand along a margin, or between columns, beside running text: years in a small table count up, too.

    Args:
        lines: of a page.
    """
    numbers = [line for line in lines if _is_number(line.text)]
    if len(numbers) < _FEWEST:
        return set()
    text = [line for line in lines if not _is_number(line.text)]
    small = _SMALL * median(line.size for line in text) if text else 0.0
    columns: list[list[Line]] = []
    for line in sorted((line for line in numbers if line.size < small), key=lambda line: line.right):
        if columns and line.right - columns[-1][-1].right < _EDGE:
            columns[-1].append(line)
        else:
            columns.append([line])
    found: set[int] = set()
    for column in columns:
        values = [int(line.text) for line in sorted(column, key=lambda line: line.top)]
        steps = sum(lower - upper in {1, 5} for upper, lower in pairwise(values))
        if len(column) >= _FEWEST and steps >= _STEPS * (len(values) - 1) and _is_margin(column, text):
            found |= {id(line) for line in column}
    return found


def _is_margin(column: Sequence[Line], text: Sequence[Line]) -> bool:
    """Say whether running text stands beside a column of numbers, and none over or under it, except of listings."""
    box = around(column)
    across = sum(line.length for line in text if line.left < box.right and line.right > box.left)
    beside = [line for line in text if line.top < box.bottom and line.bottom > box.top]
    letters = max(sum(line.length for line in beside), 1)
    running = sum(line.length for line in beside if line.length >= _SENTENCE)
    code = sum(line.length for line in beside if line.mono >= _TYPED and not is_numeric(line.text))
    outside = across <= _ACROSS * sum(line.length for line in text)
    return code >= _RUNNING * letters or (outside and running >= _RUNNING * letters)


def _is_number(text: str) -> bool:
    # signs such as "❼" are digits, but no decimal ones
    return len(text) <= _LONGEST and text.isdecimal()
