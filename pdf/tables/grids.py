"""What grids of cells are made by: groups of words in a row, bounds of columns, cells that are numbers."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Word

_GAP = 0.34
"""Gaps below this share of the size of type are blanks between words."""


def chunks(row: Iterable[Word], gap: float = _GAP) -> list[list[Word]]:
    """Return the words of a row in groups that blanks wider than ``gap`` times the size of type part."""
    found: list[list[Word]] = []
    right = 0.0
    for word in sorted(row, key=lambda word: word.left):
        if found and word.left - right < gap * max(word.size, found[-1][-1].size):
            found[-1].append(word)
            right = max(right, word.right)
        else:
            found.append([word])
            right = word.right
    return found


def is_numeric(text: str) -> bool:
    """Return True if a text is a number, an amount, a share, a date in digits or a dash for none."""
    return bool(NUMERIC.match(text))


def slot(bounds: Sequence[float], value: float) -> int:
    """Return the number of the interval that a value lies in, the nearest for values outside."""
    return min(max(bisect_left(bounds, value) - 1, 0), len(bounds) - 2)
