"""Heads of tables: the rows that name the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Grid
from ragraph.pdf.patterns import UNIT, YEAR
from ragraph.pdf.tables.grids import is_numeric

if TYPE_CHECKING:
    from collections.abc import Sequence


_MOST = 6
"""Rows of text of a head at most."""
_BOLD = 0.8
"""Minimum share of the letters of a row at which it is bold."""
_NEXT, _UNDER_SPAN = 0.75, 1.6
"""Distance of the lines of a head at most, in sizes of type; and under a name of several columns, on a rule."""


def header_rows(grid: Grid) -> int:
    """Return how many rows at the top name the columns: those over the first row of figures, or of another look."""
    texts = grid.texts()
    limit = min(_MOST, grid.rows - 1)
    figures = [0 if _are_years(row) else sum(map(is_numeric, filter(None, row[1:]))) for row in texts]
    filled = [sum(map(bool, row[1:])) for row in texts]
    body = [index for index in range(grid.rows) if filled[index] and figures[index] >= 0.5 * filled[index]]
    heavy = [boldness(grid, row) for row in range(grid.rows)]
    if len(body) >= 0.4 * grid.rows and 0 < body[0] <= limit:
        count = body[0]
        # Rows of a label alone above the first figures are parts of the body.
        while count > 1 and filled[count - 1] == 0:
            count -= 1
        return count
    if len(body) >= 0.4 * grid.rows and body[0] == 0:
        return int(heavy[0] > 0.8 and sum(heavy[1:]) < 0.5 * (grid.rows - 1))
    count = 0
    while count < limit and heavy[count] > 0.8 and filled[count] and sum(heavy[count:]) < 0.7 * (grid.rows - count) + 1:
        count += 1
    return count or 1


def _are_years(row: Sequence[str]) -> bool:
    """Return True if a row names columns by years: no label beside them but what the numbers are counted in."""
    years = [text for text in row[1:] if text]
    return bool(years) and all(map(YEAR.match, years)) and (not row[0] or bool(UNIT.match(row[0])))


def boldness(grid: Grid, row: int) -> float:
    """Return the share of the letters of a row that are bold."""
    words = [word for (at, _), found in grid.words.items() if at == row for word in found]
    letters = sum(len(word.text) for word in words)
    return sum(len(word.text) * word.font.bold for word in words) / letters if letters else 0.0


def is_heavy(grid: Grid, row: int) -> bool:
    """Return True if a row is set in bold, and most of those below it are not."""
    below = [boldness(grid, other) for other in range(row + 1, grid.rows)]
    return boldness(grid, row) > _BOLD and sum(below) < 0.5 * len(below)


def fold_head(grid: Grid, count: int | None = None) -> Grid:
    """Return a grid whose head, set in several lines of text, has a row per level: groups of columns, then columns.

    Lines of a head below the last cell that spans columns are one row; a column under no such cell is named by one
    cell from the top to the foot of the head.

    Args:
        grid: whose ``header_rows`` are set where they are known.
        count: rows of the head, if they are known.
    """
    known = count is not None
    count = header_rows(grid) if count is None else count
    grid.header_rows = count if known else grid.header_rows
    if count < 2 or any(not _close(grid, row) for row in range(count - 1)):
        return grid
    spanning = [place for place, size in grid.spans.items() if place[0] < count and size[1] > 1]
    last = max((row for row, _ in spanning), default=-1)
    levels = last + 1 + (last + 1 < count)
    under = {column + right for row, column in spanning for right in range(grid.spans[row, column][1])}
    folded = Grid(grid.rows - count + levels, grid.bounds, header_rows=levels if known else 0)
    for (row, column), words in sorted(grid.words.items()):
        level = row - count + levels if row >= count else min(row, levels - 1) if column in under else 0
        folded.words.setdefault((level, column), []).extend(words)
    for (row, column), size in grid.spans.items():
        folded.spans[row if row < count else row - count + levels, column] = size
    named = {column for row, column in folded.words if row == 0} - under if levels > 1 else set()
    folded.spans |= {(0, column): (levels, 1) for column in sorted(named)}
    return folded


def _close(grid: Grid, row: int) -> bool:
    """Return True if the next row follows a row of text as its next line does."""
    upper = [word for (at, _), words in grid.words.items() if at == row for word in words]
    lower = [word for (at, _), words in grid.words.items() if at == row + 1 for word in words]
    if not upper or not lower:
        return False
    gap = min(word.top for word in lower) - max(word.bottom for word in upper)
    spanning = any(at == row and size[1] > 1 for (at, _), size in grid.spans.items())
    return gap < (_UNDER_SPAN if spanning else _NEXT) * lower[0].size
