"""Tables whose rows have short cells under a row of names, some of them empty: each value is under its name.

White space down the page does not part columns that are mostly empty, and amounts alone do not tell which column is
theirs. So such rows are found first, by the names above them. Rows that wrap, span columns or go on in another way are
left to the other finders.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Grid, Kind, around, in_runs, level_rows
from ragraph.pdf.patterns import AMOUNT, BULLET, CAPTION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.pdf.model import Line

_COLUMNS = 3
"""Minimum columns: of two, text in two columns is more frequent."""
_ROWS = 3
"""Minimum rows of values where some cells are empty; one is enough where all are filled and begin under their names."""
_EDGE = 1.5
"""Points by which a value and the name above it begin, or end, apart at most."""
_SHARED = 0.3
"""Minimum share of a value, or of the column above it, that the two have in common."""
_STEP = 3.4
"""Maximum distance of the feet of two rows, in sizes of type."""
_CLOSE = 1.7
"""Maximum distance of the feet of two lines of one cell, in sizes of type."""
_CLOSER = 0.25
"""Minimum difference between the distances of values and of the lines of a name, in sizes of type."""
_LETTERS = 30
"""Maximum letters of a cell."""
_ANCHORED, _FIRST = 0.5, 0.3
"""Minimum share of rows with several cells, and of rows with a first cell."""

Row = dict[int, "list[Line]"]


def tables_under_names(page: int, lines: Sequence[Line]) -> list[Block]:
    """Return tables of which every value is under one name of the first row.

    Args:
        page: number of the page.
        lines: free lines of the page.
    """
    rows = level_rows(lines)
    found: list[Block] = []
    used = 0
    for at, first in enumerate(rows):
        end, head = _head(rows, at)
        if at < used or not _are_names(head):
            continue
        names = [max(name, key=lambda line: line.width) for name in head]
        columns = [(min(line.left for line in name), max(line.right for line in name)) for name in head]
        body: list[Row] = []
        while end < len(rows) and _is_near(rows[end - 1], rows[end]):
            if body and (number := _further(rows[end], names, body[-1])):
                body[-1][number].append(rows[end][0])
                end += 1
                continue
            row = _assigned(rows[end], columns, names[0].size)
            if row is None:
                break
            columns = [_wider(column, row.get(number)) for number, column in enumerate(columns)]
            body.append(row)
            end += 1
        goes_on = (
            end < len(rows)
            and not _are_names([[line] for line in rows[end]])
            and _goes_on(rows[end - 1], rows[end], names)
        )
        while body and [*body[-1]] == [0]:
            body.pop()  # a title or a note below
        if body and not goes_on and not (at and _goes_on(first, rows[at - 1], names)) and _is_table(names, body):
            used = end
            found.append(_table(page, head, body))
    return found


def _head(rows: Sequence[Sequence[Line]], at: int) -> tuple[int, list[list[Line]]]:
    """Return the row below a head, and the lines of each of its names; rows of it stand closer than those of values."""
    end = at + 1
    while len(rows[at]) > 1 and end + 1 < len(rows) and rows[end][0].bold == rows[at][0].bold:
        size = rows[end][0].size
        steps = [lower[0].bottom - upper[0].bottom for upper, lower in pairwise(rows[end - 1 : end + 2])]
        numbered = any(sign.isdecimal() for line in rows[end] for sign in line.text)
        if numbered or not steps[0] < min(steps[1] - _CLOSER * size, _CLOSE * size):
            break
        end += 1
    ordered = sorted(chain(*rows[at:end]), key=lambda line: line.left)
    cells = in_runs(ordered, lambda cell, line: line.left < max(other.right for other in cell))
    return end, [sorted(cell, key=lambda line: line.top) for cell in cells]


def _are_names(head: Sequence[Sequence[Line]]) -> bool:
    """Return True if a head is several short names without a number."""
    return len(head) >= _COLUMNS and all(
        len(line.text) <= _LETTERS
        and any(map(str.isalpha, line.text))
        and not any(map(str.isdecimal, line.text))
        and not line.text.endswith((".", ":", ","))
        and not BULLET.match(line.text)
        and not CAPTION.match(line.text)
        for name in head
        for line in name
    )


def _is_near(upper: Sequence[Line], row: Sequence[Line]) -> bool:
    return row[0].bottom - upper[0].bottom < _STEP * row[0].size


def _assigned(row: Sequence[Line], columns: Sequence[tuple[float, float]], size: float) -> Row | None:
    """Return the cells of a row by their column; None if one is under no column, under two, or not short."""
    cells: Row = {}
    for line in row:
        under = [
            number
            for number, (left, right) in enumerate(columns)
            if min(line.right, right) - max(line.left, left) > _SHARED * min(line.width, right - left)
        ]
        if len(under) != 1 or under[0] in cells or len(line.text) > _LETTERS or abs(line.size - size) > 1:
            return None
        cells[under[0]] = [line]
    return cells


def _further(row: Sequence[Line], names: Sequence[Line], above: Row) -> int:
    """Return the column of a cell above that a line alone in its row goes on with, close below; 0 if there is none."""
    close = (number for number, lines in above.items() if number and abs(row[0].left - names[number].left) < _EDGE
             and row[0].bottom - lines[-1].bottom < _CLOSE * row[0].size)  # fmt: skip
    wordy = len(row) == 1 and not AMOUNT.match(row[0].text) and row[0].size < names[0].size + 1
    return next(close, 0) if wordy else 0


def _wider(column: tuple[float, float], lines: Sequence[Line] | None) -> tuple[float, float]:
    return column if lines is None else (min(column[0], lines[0].left), max(column[1], lines[0].right))


def _goes_on(upper: Sequence[Line], row: Sequence[Line], names: Sequence[Line]) -> bool:
    """Return True if a row beside those of a table has cells, too, or close text under one of its columns."""
    if abs(row[0].bottom - upper[0].bottom) > _STEP * max(row[0].size, upper[0].size):
        return False
    edges = sum(any(abs(line.left - name.left) < _EDGE for name in names) for line in row)
    return len(row) > 1 or (edges == 1 and row[0].left > names[0].left + _EDGE)


def _is_table(names: Sequence[Line], body: Sequence[Row]) -> bool:
    """Return True if rows have amounts, and either all cells or enough of them."""
    if not any(AMOUNT.match(line.text) for row in body for (line, *_) in row.values()):
        return False
    full = all(len(row) == len(names) for row in body)
    if full and all(abs(line.left - names[at].left) < _EDGE for row in body for at, (line, *_) in row.items()):
        return True
    several = sum(len(row) > 1 for row in body)
    first = sum(0 in row for row in body)
    figures = {at for row in body for at, (line, *_) in row.items() if AMOUNT.match(line.text)}
    filled = {at for row in body for at in row}
    return (
        len(body) >= _ROWS
        and several >= _ANCHORED * len(body)
        and first >= _FIRST * len(body)
        and len(figures) > 1
        and len(filled) == len(names)
    )


def _table(page: int, head: Sequence[Sequence[Line]], body: Sequence[Row]) -> Block:
    rows: list[Mapping[int, Sequence[Line]]] = [dict(enumerate(head)), *body]
    lines = [line for row in rows for _, cell in sorted(row.items()) for line in cell]
    box = around(lines)
    starts = [min(line.left for row in rows for line in row.get(at, ())) for at in range(len(head))]
    grid = Grid(len(rows), [*(start - 1.0 for start in starts), box.right], header_rows=1)
    for number, row in enumerate(rows):
        grid.words |= {(number, column): [word for line in cell for word in line.words] for column, cell in row.items()}
    return Block(page, lines, Kind.TABLE, [(page, box)], grid=grid)
