"""Numbers of the lines of a page, as drafts under review have them, which are no column of a table."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

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


def line_numbers(lines: Sequence[Line]) -> set[int]:
    """Return the ids of the lines of a page that number its lines: small numbers under each other that count up.

    Args:
        lines: of a page.
    """
    numbers = [line for line in lines if _is_number(line.text)]
    if len(numbers) < _FEWEST:
        return set()
    text = [line.size for line in lines if not _is_number(line.text)]
    small = _SMALL * median(text) if text else 0.0
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
        if len(column) >= _FEWEST and steps >= _STEPS * (len(values) - 1):
            found |= {id(line) for line in column}
    return found


def _is_number(text: str) -> bool:
    # signs such as "❼" are digits, but no decimal ones
    return len(text) <= _LONGEST and text.isdecimal()
