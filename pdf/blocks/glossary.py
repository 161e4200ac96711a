"""Terms in a narrow column and their explanations in the one beside it: read row by row, as in glossaries."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.terms import table_of
from ragraph.pdf.model import Block, Kind, Line, around, in_runs
from ragraph.pdf.patterns import BULLET

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS = 4
"""Rows, at least: fewer may stand side by side by chance."""
_LEVEL = 0.3
"""Baselines that differ by less than this share of the size of type are one."""
_NARROW = 0.7
"""Width of the column of terms, of that of the explanations, at most: two columns of running text are alike."""
_SHORT = 0.4
"""Width of a list of terms of one line each, of that of the explanations, at most."""
_BESIDE = 0.8
"""Share of the blocks of either column, at least, that begin where a line of the other one stands."""


def by_rows(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks in reading order, terms each in front of what explains them, or both as a table.

    Blocks of one column that hold several rows are taken apart where a block of the other column begins.

    Args:
        blocks: of one page, in reading order as far as columns go.
    """
    split = [part for block in blocks for part in _lines_apart(block, blocks)]
    text = [block for block in split if _is_text(block)]
    for explanations in _columns(text):
        terms = _terms(text, explanations)
        starts = _starts(terms, explanations)
        if len(starts) >= _ROWS:
            edge = min(block.left for block in explanations)
            ends = [*_ends(text, terms, edge), *_ends(text, explanations, max(block.right for block in text) + 1)]
            rest = [block for block in split if all(block is not other for other in ends)]
            table = table_of(terms, explanations) if _stand_alone(rest, terms, explanations) else None
            return _with(table, rest, terms, explanations) if table else _placed(rest, terms, explanations, starts)
    return list(blocks)


def _is_text(block: Block) -> bool:
    return block.kind is Kind.TEXT and bool(block.lines) and block.grid is None


def _lines_apart(block: Block, blocks: Sequence[Block]) -> list[Block]:
    """Return the lines of a list of short terms as blocks, if each stands beside a line; else the block itself."""
    if not _is_text(block) or len(block.lines) < _ROWS:
        return [block]
    beside = [other for other in blocks if _is_text(other) and other.left > block.right and other.top < block.bottom]
    wide = max((other.right - other.left for other in beside), default=0.0)
    lines = [line for other in beside for line in other.lines]
    if block.width > _SHORT * wide or not all(any(_level(one, two) for two in lines) for one in block.lines):
        return [block]
    return [Block(block.page, [line], region=block.region) for line in block.lines]


def _ends(text: Sequence[Block], column: Sequence[Block], right: float) -> list[Block]:
    """Return the blocks that are ends of loosely set lines of a column; its lines take them in."""
    left = max(block.left for block in column)
    found: list[Block] = []
    for block in sorted(text, key=lambda block: block.left):
        if len(block.lines) > 1 or BULLET.match(block.text) or not left + block.size < block.left < block.right < right:
            continue
        beside = [
            (owner, index)
            for owner in column
            for index, line in enumerate(owner.lines)
            if line.right < block.left and _level(line, block.lines[0])
        ]
        if beside:
            owner, index = beside[-1]
            owner.lines[index] = Line([*owner.lines[index].words, *block.lines[0].words])
            owner.parts = [(owner.page, around(owner.lines))]
            found.append(block)
    return found


def _columns(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return the blocks that begin at one left edge, for each edge at which enough do, the rightmost first."""
    ordered = sorted(blocks, key=lambda block: -block.left)
    columns = in_runs(ordered, lambda column, block: column[0].left - block.left < 2)
    return [column for column in columns if sum(len(block.lines) for block in column) >= _ROWS]


def _terms(blocks: Sequence[Block], explanations: Sequence[Block]) -> list[Block]:
    """Return the blocks of the column in front of the explanations, beside them; empty if they are not narrow."""
    left = min(block.left for block in explanations)
    wide = max(block.right for block in explanations) - left
    top, bottom = min(block.top for block in explanations), max(block.bottom for block in explanations)
    beside = [block for block in blocks if block.right < left and top - 3 < block.top < bottom]
    for column in _columns(beside)[-1:]:
        narrow = max(block.right for block in column) - column[-1].left < _NARROW * wide
        brief = sum(block.length for block in column) < 0.5 * sum(block.length for block in explanations)
        if narrow and brief:
            return column
    return []


def _starts(terms: Sequence[Block], explanations: Sequence[Block]) -> list[float]:
    """Return the baselines on which rows begin; none if the columns do not go together."""
    if not terms:
        return []
    starts: list[float] = []
    for column, other in ((terms, explanations), (explanations, terms)):
        lines = [line for block in other for line in block.lines]
        found = [block.lines[0] for block in column if any(_level(block.lines[0], line) for line in lines)]
        if len(found) < _BESIDE * len(column):
            return []
        starts += [line.bottom for line in found]
    starts.sort()
    return [start for index, start in enumerate(starts) if not index or start - starts[index - 1] > 3]


def _level(line: Line, other: Line) -> bool:
    return abs(line.bottom - other.bottom) < _LEVEL * line.size


def _stand_alone(blocks: Sequence[Block], terms: Sequence[Block], explanations: Sequence[Block]) -> bool:
    """Return True if nothing else stands between the rows of both columns."""
    members = {id(block) for block in (*terms, *explanations)}
    top = min(block.top for block in (*terms, *explanations))
    bottom = max(block.bottom for block in (*terms, *explanations))
    return all(id(block) in members or block.bottom <= top or block.top >= bottom for block in blocks)


def _with(table: Block, blocks: Sequence[Block], terms: Sequence[Block], explanations: Sequence[Block]) -> list[Block]:
    """Return the blocks with a table where the first of the two columns stood."""
    members = {id(block) for block in (*terms, *explanations)}
    at = next(index for index, block in enumerate(blocks) if id(block) in members)
    rest = [block for block in blocks[at:] if id(block) not in members]
    return [*blocks[:at], table, *rest]


def _placed(
    blocks: Sequence[Block], terms: Sequence[Block], explanations: Sequence[Block], starts: Sequence[float]
) -> list[Block]:
    """Return the blocks with the rows where the first of them stood; what stands between rows stays between them."""
    members = {id(block) for block in (*terms, *explanations)}
    top = min(block.top for block in (*terms, *explanations))
    bottom = max(block.bottom for block in (*terms, *explanations))
    rows: list[tuple[float, int, float, Block]] = []
    before: list[Block] = []
    after: list[Block] = []
    for block in blocks:
        if id(block) in members:
            for part in _apart(block, starts):
                row = bisect_right(starts, part.lines[0].bottom + _LEVEL * part.size)
                rows.append((starts[row - 1] if row else 0.0, round(part.left), part.top, part))
        elif top <= block.top < bottom:
            rows.append((block.lines[0].bottom if block.lines else block.top, round(block.left), block.top, block))
        else:
            (after if block.top >= bottom else before).append(block)
    return [*before, *(block for *_, block in sorted(rows, key=lambda row: row[:3])), *after]


def _apart(block: Block, starts: Sequence[float]) -> list[Block]:
    """Return a block as one for each row."""
    cuts = [
        index
        for index, line in enumerate(block.lines)
        if index
        and line.left < block.left + 0.5 * line.size
        and line.top > block.lines[index - 1].top + 0.5 * line.size
        and any(abs(line.bottom - start) < _LEVEL * line.size for start in starts)
    ]
    return block.cut([0, *cuts])
