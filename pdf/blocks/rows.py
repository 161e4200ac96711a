"""Rows of a page that are read across: labels or dates beside their text, tables of words, labels of forms."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Block, in_runs
from ragraph.pdf.patterns import BULLET

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LEVEL = 0.3
"""Baselines that differ by less than this share of the size of type are one."""
_EDGE = 3.0
"""Points by which left edges of labels differ at most, and by which a block may reach into the next row."""
_LABEL_LINES, _LABEL = 3, 60
"""Lines and characters of a label at most."""
_NARROW = 0.7
"""Width of the column of labels, of that of the text beside them, at most: columns of running text are alike."""
_LABELS, _TABLE = 2, 3
"""Rows of labels, and rows of a table below its heads, at least: two paragraphs may begin at one height by chance."""
_DEEPER = 0.5
"""Sizes of type by which what stands beside a label ends below it, and ends of cells differ, at least."""
_MOST = 0.5
"""Share of the rows at least of which that is true."""
_GAP = 2.5
"""White within the text beside the last label, in sizes of its type, at most."""


class _Row(NamedTuple):
    """What begins on one baseline, from left to right, and all that stands right of the first up to the next row."""

    cells: list[Block]
    beside: list[Block]

    def is_deep(self) -> bool:
        """Return True if what stands beside the first cell ends below it."""
        label = self.cells[0]
        return max(block.bottom for block in self.beside) > label.bottom + _DEEPER * label.size

    def is_ragged(self) -> bool:
        """Return True if cells end at different heights."""
        ends = [cell.bottom for cell in self.cells]
        return max(ends) - min(ends) > _DEEPER * self.cells[0].size


def rows_of(blocks: Sequence[Block], titles: Collection[int]) -> list[list[Block]]:
    """Return the regions that are read row by row, each as its blocks in that order.

    Args:
        blocks: of one page or panel, sorted from the top.
        titles: the ``id`` of the blocks that are titles over a text of their own: a row of them heads columns, which
            are rows of a table only if some more rows are under it.
    """
    starts = _starts(blocks)
    found: list[list[Block]] = []
    used: set[int] = set()
    seen: set[int] = set()
    for start in starts:
        if id(start[0]) in used or id(start[0]) in seen:
            continue
        run = _run(blocks, [row for row in starts if row[0].top >= start[0].top and id(row[0]) not in used], start)
        seen.update(id(row.cells[0]) for row in run)
        for part in _parts(run, titles):
            if _is_read_across(part, titles):
                region = [block for row in part for block in (row.cells[0], *_across(row.beside))]
                if used.isdisjoint(map(id, region)):
                    found.append(region)
                    used.update(map(id, region))
    found += [row for row in starts if used.isdisjoint(map(id, row)) and _is_form(row, blocks)]
    return found


def _starts(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return the blocks that begin on one baseline, two at least, from left to right; from the top."""
    ordered = sorted((block for block in blocks if block.lines and block.grid is None), key=_baseline)
    rows = in_runs(ordered, lambda row, block: abs(_baseline(row[0]) - _baseline(block)) < LEVEL * block.size)
    return [sorted(row, key=lambda block: block.left) for row in rows if len(row) > 1]


def _baseline(block: Block) -> float:
    return block.lines[0].bottom


def _run(blocks: Sequence[Block], starts: Sequence[list[Block]], first: list[Block]) -> list[_Row]:
    """Return the rows from one on whose first cells stand under each other with nothing but white between them."""
    column = [row for row in starts if abs(row[0].left - first[0].left) < _EDGE and not BULLET.match(row[0].text)]
    run: list[_Row] = []
    for cells, below in zip(column, [*column[1:], []], strict=False):
        row, goes_on = _row(blocks, cells, {id(cell) for cell in below})
        run += [row] if row is not None else []
        if not goes_on:
            break
    return run


def _row(blocks: Sequence[Block], cells: list[Block], following: set[int]) -> tuple[_Row | None, bool]:
    """Return the row that begins with some cells, if it is one, and whether the next one follows it at once.

    Args:
        blocks: of the page or panel.
        cells: that begin on one baseline.
        following: the ``id`` of those that begin the next row.
    """
    top, edge = min(cell.top for cell in cells), cells[1].left
    members = {id(cell) for cell in cells}
    others = [block for block in blocks if id(block) not in members]
    if cells[0].right >= edge or any(other.top < top - _EDGE and other.bottom > top + _EDGE for other in others):
        return None, False
    below = [other for other in others if other.top >= top - _EDGE]
    end = min((other.top for other in below if other.left < edge - _EDGE or id(other) in following), default=inf)
    beside = _beside(cells, [other for other in below if other.top < end], following=bool(following))
    if any(block.bottom > end + _EDGE for block in (cells[0], *beside)):
        return None, False
    return _Row(cells, beside), any(id(other) in following and other.top == end for other in below)


def _beside(cells: Sequence[Block], inner: Sequence[Block], *, following: bool) -> list[Block]:
    """Return what stands beside the first cell of a row: of the last one, what no wide white parts from the others."""
    beside = list(cells[1:])
    for other in inner:
        if following or other.top - max(block.bottom for block in beside) <= _GAP * cells[0].size:
            beside.append(other)
    return beside


def _parts(run: Sequence[_Row], titles: Collection[int]) -> list[list[_Row]]:
    """Return rows in parts, of which each but the first begins with a row of titles."""
    return in_runs(run, lambda _, row: not _heads(row, titles))


def _heads(row: _Row, titles: Collection[int]) -> bool:
    return sum(id(cell) in titles for cell in row.cells) > 1


def _is_read_across(part: Sequence[_Row], titles: Collection[int]) -> bool:
    headed = _heads(part[0], titles)
    rows = part[1:] if headed else part
    if len(rows) < (_TABLE if headed else _LABELS):
        return False
    right = max(row.cells[0].right for row in rows)
    left = min(block.left for row in rows for block in row.beside)
    if right >= left:
        return False
    wide = max(block.right for row in rows for block in row.beside) - left
    deep = sum(row.is_deep() for row in rows) >= _MOST * len(rows)
    if deep and _are_labels([row.cells[0] for row in rows], wide):
        return True
    aligned = all(len(row.beside) == len(row.cells) - 1 for row in rows)
    ragged = sum(row.is_ragged() for row in rows) >= _MOST * len(rows)
    return len(rows) >= _TABLE and aligned and (headed or ragged)


def _are_labels(cells: Sequence[Block], wide: float) -> bool:
    """Return True if cells are short, and narrow beside a text that is so wide."""
    column = max(cell.right for cell in cells) - min(cell.left for cell in cells)
    return column < _NARROW * wide and all(len(cell.lines) <= _LABEL_LINES and cell.length <= _LABEL for cell in cells)


def _across(blocks: Sequence[Block]) -> list[Block]:
    """Return what stands beside a label, cell by cell, each from the top."""
    ordered = sorted(blocks, key=lambda block: block.left)
    cells = in_runs(ordered, lambda cell, block: block.left < max(other.right for other in cell))
    return [block for cell in cells for block in sorted(cell, key=lambda block: (block.top, block.left))]


def _is_form(row: Sequence[Block], blocks: Sequence[Block]) -> bool:
    """Return True if a row has a label that ends in a colon, lines of their own, and nothing else at its height.

    What goes on from a line above that stands alone on its row is level with a label of another column by chance.
    """
    top, bottom = min(block.top for block in row), max(block.bottom for block in row)
    members = {id(block) for block in row}
    return (
        all(len(block.lines) == 1 for block in row)
        and any(block.text.endswith(":") for block in row)
        and not any(id(other) not in members and other.top < bottom and top < other.bottom for other in blocks)
        and not any(_goes_on(cell, blocks) for cell in row[1:])
    )


def _goes_on(cell: Block, blocks: Sequence[Block]) -> bool:
    """Return True if a line, as an item of a list, stands right under one at its edge that has nothing beside it."""
    above = [
        other
        for other in blocks
        if abs(other.left - cell.left) < _EDGE and -_EDGE < cell.top - other.bottom < cell.size and other.lines
    ]
    return any(
        not any(
            other is not one and other.lines and abs(_baseline(other) - _baseline(one)) < LEVEL * one.size
            for other in blocks
        )
        for one in above
    )
