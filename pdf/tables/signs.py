"""Signs of money and per cent that stand in cells of their own, put to their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Grid, line_text
from ragraph.pdf.patterns import AFTER_AMOUNT, AMOUNT, CURRENCY

if TYPE_CHECKING:
    from ragraph.pdf.model import Word

_REACH = 2
"""A sign stands at most so many columns from its number."""


def with_signs(grid: Grid) -> Grid:
    """Return a grid whose signs stand in the cells of their numbers, without the columns that this empties.

    Heads that span a sign and its number stand over the number. A grid without such cells comes back as it is.

    Args:
        grid: as lines or tags make it, a cell for each sign; it is not changed.
    """
    words = dict(grid.words)
    moved = False
    for (row, column), found in sorted(grid.words.items()):
        text = _text(found)
        if (row, column) in grid.spans or not (CURRENCY.match(text) or AFTER_AMOUNT.match(text)):
            continue
        steps = range(1, _REACH + 1) if CURRENCY.match(text) else range(-1, -_REACH - 1, -1)
        target = next(((row, column + step) for step in steps if (row, column + step) in words), None)
        if target is not None and AMOUNT.match(_text(words[target])):
            words[target] = sorted([*words[target], *found], key=lambda word: word.left)
            del words[row, column]
            moved = True
    if not moved:
        return grid
    return without_spacers(Grid(grid.rows, grid.bounds, words, grid.spans, grid.header_rows, grid.tails))


def without_spacers(grid: Grid) -> Grid:
    """Return a grid without the columns in which nothing stands that is no wider than they are.

    Programs part columns by such; heads that begin over one stand over the next column then.
    """
    live = {column for (row, column) in grid.words if grid.spans.get((row, column), (1, 1))[1] == 1}
    if len(live) == grid.columns:
        return grid
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    placed: dict[tuple[int, int], list[Word]] = {}
    for (row, column), found in grid.words.items():
        high, wide = grid.spans.get((row, column), (1, 1))
        first = next((at for at in range(column, column + wide) if at in live), column)
        placed[row, first] = found
        if (high, wide - first + column) != (1, 1):
            spans[row, first] = (high, wide - first + column)
    return Grid(grid.rows, grid.bounds, placed, spans, grid.header_rows, grid.tails).trimmed()


def _text(words: list[Word]) -> str:
    return line_text(sorted(words, key=lambda word: (word.top, word.left)))
