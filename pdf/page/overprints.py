"""Words printed twice at one place, a little shifted: bold type without a font for it, shadows behind titles."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragraph.pdf.model import Page, Word

_SHIFT = 0.12
"""Distance between both printings at most, per point of size of the type; letters of a word stand further apart."""
_CELL = 4.0
"""Points of the squares in which the second printing is looked for."""


def drop_overprinted(page: Page) -> None:
    """Drop words that are printed again at the same place, in the same font and size; the last one stays, on top."""
    places: dict[tuple[str, int, int], list[Word]] = defaultdict(list)
    kept: list[Word] = []
    for word in reversed(page.words):
        column, row = int(word.left // _CELL), int(word.top // _CELL)
        reach = range(-1 - int(_SHIFT * word.size // _CELL), 2 + int(_SHIFT * word.size // _CELL))
        near = (other for x in reach for y in reach for other in places.get((word.text, column + x, row + y), ()))
        if any(_is_same(word, other) for other in near):
            continue
        places[word.text, column, row].append(word)
        kept.append(word)
    page.words = kept[::-1]


def _is_same(word: Word, other: Word) -> bool:
    shift = _SHIFT * min(word.size, other.size)
    return (
        word.font == other.font
        and abs(word.size - other.size) < shift
        and abs(word.left - other.left) < shift
        and abs(word.top - other.top) < shift
        and abs(word.right - other.right) < shift
    )
