"""Short tables: a row of names, and rows with one value under each name; nothing else goes on below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Grid, Kind, around
from ragraph.pdf.patterns import AMOUNT, BULLET, CAPTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Line

_COLUMNS = 3
"""Minimum columns: of two, text in two columns is more frequent."""
_EDGE = 1.5
"""Points by which a value and the name above it begin apart at most."""
_LEVEL, _STEP = 0.3, 2.2
"""Maximum difference of the feet of cells in a row, and distance of the feet of two rows, in sizes of type."""
_LETTERS = 30
"""Maximum letters of a cell."""


def tables_under_names(page: int, lines: Sequence[Line]) -> list[Block]:
    """Return tables of which every row has one cell at the beginning of each name in the first row.

    Rows that lack a cell, and wrapped ones, are left to the finders that look for white space.

    Args:
        page: number of the page.
        lines: free lines of the page.
    """
    rows = _rows(lines)
    found: list[Block] = []
    used = 0
    for at, names in enumerate(rows):
        if at < used or not _are_names(names):
            continue
        end = at + 1
        while end < len(rows) and _fits(rows[end - 1], rows[end], names):
            end += 1
        body = rows[at + 1 : end]
        if not body or (end < len(rows) and _goes_on(rows[end - 1], rows[end], names)):
            continue
        if at and _goes_on(names, rows[at - 1], names):
            continue
        if any(any(AMOUNT.match(line.text) for line in row) for row in body):
            used = end
            found.append(_table(page, rows[at:end]))
    return found


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Return lines in rows of one baseline, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.bottom, line.left)):
        if rows and abs(line.bottom - rows[-1][0].bottom) < _LEVEL * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _are_names(row: Sequence[Line]) -> bool:
    """Return True if a row is several short names without a number."""
    return len(row) >= _COLUMNS and all(
        len(line.text) <= _LETTERS
        and any(map(str.isalpha, line.text))
        and not any(map(str.isdecimal, line.text))
        and not line.text.endswith((".", ":", ","))
        and not BULLET.match(line.text)
        and not CAPTION.match(line.text)
        for line in row
    )


def _fits(upper: Sequence[Line], row: Sequence[Line], names: Sequence[Line]) -> bool:
    """Return True if a row is close below another and has one short cell at the beginning of each name."""
    near = row[0].bottom - upper[0].bottom < _STEP * row[0].size
    cells = len(row) == len(names) and all(
        abs(line.left - name.left) < _EDGE and len(line.text) <= _LETTERS and abs(line.size - name.size) < 1
        for line, name in zip(row, names, strict=True)
    )
    return near and cells


def _goes_on(upper: Sequence[Line], row: Sequence[Line], names: Sequence[Line]) -> bool:
    """Return True if a row beside those of a table has cells, too, or close text under one of its columns."""
    if abs(row[0].bottom - upper[0].bottom) > _STEP * max(row[0].size, upper[0].size):
        return False
    edges = sum(any(abs(line.left - name.left) < _EDGE for name in names) for line in row)
    return edges > 1 or (edges == 1 and row[0].left > names[0].left + _EDGE)


def _table(page: int, rows: Sequence[Sequence[Line]]) -> Block:
    lines = [line for row in rows for line in row]
    box = around(lines)
    grid = Grid(len(rows), [*(name.left - 1.0 for name in rows[0]), box.right], header_rows=1)
    for at, row in enumerate(rows):
        grid.words |= {(at, column): list(line.words) for column, line in enumerate(row)}
    return Block(page, lines, Kind.TABLE, [(page, box)], grid=grid)
