"""Panels of leaflets and slides, whose frames cross or touch as ruling lines do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragraph.pdf.model import Grid

_BESIDE = 2
"""Rows with cells beside each other that a table has at least."""
_LINES, _RUNNING = 3, 0.5
"""Lines of a cell that holds running text, and the share of the words that stand in such cells of panels at least:
the fields of a form stand under each other as well, but hold a line or two."""


def has_head(grid: Grid) -> bool:
    """Return True if the first row names each column in a line, and those below keep to them: a form to fill in."""
    head = [grid.lines(0, column) for column in range(grid.columns) if (0, column) in grid.words]
    own = all(grid.spans.get(place, (1, 1))[1] == 1 for place in grid.words)
    return grid.columns > 1 and len(head) == grid.columns and all(len(lines) == 1 for lines in head) and own


def _is_running(grid: Grid) -> bool:
    """Return True if most words of a grid stand in cells of several lines; the fields of a form do not."""
    running = sum(len(words) for place, words in grid.words.items() if len(grid.lines(*place)) >= _LINES)
    return running >= _RUNNING * sum(map(len, grid.words.values()))


def are_panels(grid: Grid) -> bool:
    """Return True if what rules enclose is panels: running text, hardly any row of which has a cell beside another.

    Args:
        grid: the cells, those without words among them.
    """
    beside = 0
    for row in range(grid.rows):
        beside += sum(top <= row < top + grid.spans.get((top, column), (1, 1))[0] for top, column in grid.words) > 1
    return _is_running(grid) and beside < _BESIDE and not has_head(grid)
