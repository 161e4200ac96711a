"""Labels of groups of rows, in a column of their own at the left, level with the first row or at half height."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Grid
from ragraph.pdf.tables.figures import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.tables.figures import Piece

_NEXT = 1.3
"""Rows with a label of their group between them stand at most so many times the usual distance apart."""
_GAP = 0.3
"""Labels of rows begin so many times the size of type behind those of their groups, at least."""
_LEVEL = 0.35
"""Distance of a label from the middle of its rows at most, by that of the rows."""
_FEWEST, _SHARE = 2, 0.6
"""Groups of a table at least, and their number at most, by that of its rows."""


class Group(NamedTuple):
    """The label of a group, and its first and last row of amounts."""

    label: Piece
    first: int
    last: int


def part_groups(rows: Sequence[Row]) -> tuple[list[Group], list[Row]]:
    """Return the labels of groups of rows, and the rows without them; no groups if the labels make one column.

    Args:
        rows: of a body, top to bottom; those with amounts are counted from 0.
    """
    figures = [row for row in rows if row.has_figures]
    loose = [row for row in rows if not row.has_figures and len(row.pieces) == 1 and _is_between(row, figures)]
    outer = [row.pieces[0] for row in loose]
    outer += [row.pieces[0] for row in figures if row.labels > 1]
    inner = [row.pieces[row.labels - 1] for row in figures if row.labels]
    if not _FEWEST <= len(outer) <= _SHARE * len(figures) or len(inner) < len(figures):
        return [], list(rows)
    edge = max(piece.right for piece in outer)
    if edge > min(piece.left for piece in inner) - _GAP * figures[0].size:
        return [], list(rows)
    groups = _assigned(sorted(outer, key=_height), [_middle(row) for row in figures])
    if not groups:
        return [], list(rows)
    names = {id(piece) for piece in outer}
    kept = [row for row in rows if not any(row is other for other in loose)]
    return groups, [Row(row.lines, [piece for piece in row.pieces if id(piece) not in names]) for row in kept]


def set_groups(grid: Grid, groups: Sequence[Group], rows: Sequence[int]) -> Grid:
    """Return a grid with the labels of groups in a first column.

    Args:
        grid: of the rows without them.
        groups: labels.
        rows: the row of the grid of each row of amounts.
    """
    start = min(word.left for group in groups for word in group.label.words)
    edge = max(group.label.right for group in groups)
    behind = [word.left for (row, column), words in grid.words.items()
              if column == 0 and row >= grid.header_rows for word in words]  # fmt: skip
    between = (edge + min(behind, default=edge + 2)) / 2
    bounds = [min(start, grid.bounds[0]), between, *grid.bounds[1:]]
    found = Grid(grid.rows, bounds, header_rows=grid.header_rows)
    for (row, column), words in grid.words.items():
        for word in words:
            outer = column == 0 and row < grid.header_rows and (word.left + word.right) / 2 < between
            found.words.setdefault((row, 0 if outer else column + 1), []).append(word)
    for (row, column), size in grid.spans.items():
        found.spans[row, column + 1] = size
    for group in groups:
        first, last = rows[group.first], rows[group.last]
        found.words[first, 0] = list(group.label.words)
        if last > first:
            found.spans[first, 0] = (last - first + 1, 1)
    return found


def _height(piece: Piece) -> float:
    return (min(word.top for word in piece.words) + max(word.bottom for word in piece.words)) / 2


def _middle(row: Row) -> float:
    return (row.top + row.bottom) / 2


def _is_between(row: Row, figures: Sequence[Row]) -> bool:
    """Return True if a label stands between and left of two rows of amounts that follow each other as the others do."""
    steps = sorted(_middle(lower) - _middle(upper) for upper, lower in pairwise(figures))
    above = max((other for other in figures if _middle(other) < _middle(row)), key=_middle, default=None)
    below = min((other for other in figures if _middle(other) >= _middle(row)), key=_middle, default=None)
    if above is None or below is None:
        return False
    near = _middle(below) - _middle(above) < _NEXT * steps[len(steps) // 2]
    return near and all(bool(other.labels) and row.right < other.left for other in (above, below))


def _assigned(labels: Sequence[Piece], rows: Sequence[float]) -> list[Group]:
    """Return each label with its rows: those from its own to the next label, or those that it is in the middle of.

    Args:
        labels: top to bottom.
        rows: heights of the middles of the rows of amounts.

    Returns:
        Nothing, if the labels do not share all rows out.
    """
    heights = [_height(label) for label in labels]
    steps = sorted(lower - upper for upper, lower in pairwise(rows))
    near = _LEVEL * steps[len(steps) // 2] if steps else 0.0
    level = [next((at for at, row in enumerate(rows) if abs(row - height) < near), None) for height in heights]
    starts = [at for at in level if at is not None]
    if len(starts) == len(labels) and starts[0] == 0 and len(set(starts)) == len(starts):
        ends = [*(at - 1 for at in starts[1:]), len(rows) - 1]
        return [Group(*group) for group in zip(labels, starts, ends, strict=True)]
    found: list[Group] = []
    first = 0
    for label, height in zip(labels, heights, strict=True):
        last = min(range(first, len(rows)), key=lambda at: abs((rows[first] + rows[at]) / 2 - height), default=None)
        if last is None or abs((rows[first] + rows[last]) / 2 - height) > near:
            return []
        found.append(Group(label, first, last))
        first = last + 1
    return found if first == len(rows) else []
