"""Tables that go on over pages: their parts become one block with a box per page."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Grid, Kind
from ragraph.pdf.patterns import CONTINUED, TABLE_LABEL
from ragraph.pdf.tables.grids import slot
from ragraph.pdf.tables.head import boldness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Page

_BESIDE = {Kind.NOTE, Kind.SIDE}
_SAME = 0.9
"""Share of the words of a column that stand in one column of the page before, at least."""


def join_tables(pages: Sequence[Page]) -> None:
    """Join a table at the foot of a page with its continuation at the head of the next; pages and blocks change.

    The parts have the same columns. A head that comes again, and a caption that says "continued" or is the same as
    the first, are not repeated; the box of the caption is kept.
    """
    going: Block | None = None
    for page in pages:
        caption, table = _first(page)
        if going is not None and table is not None and going.parts[-1][0] == page.number - 1:
            part = _continuation(going, table, caption)
            if part is not None:
                _join(going, table, part)
                dropped = [table]
                if caption is not None and going.caption is not None:
                    going.caption.parts += caption.parts
                    dropped.append(caption)
                page.drop(*dropped)
                if any(block.kind not in _BESIDE for block in page.blocks):
                    going = _last(page)
                continue
        going = _last(page)


def _first(page: Page) -> tuple[Block | None, Block | None]:
    """Return the table that a page begins with, if it does, and the caption in front of it."""
    caption: Block | None = None
    for block in page.blocks:
        if block.kind is Kind.TABLE:
            return caption or block.caption, block
        if caption is None and (block.kind is Kind.CAPTION or CONTINUED.search(block.text)) and block.length < 300:
            caption = block
        elif block.kind not in _BESIDE:
            return None, None
    return None, None


def _last(page: Page) -> Block | None:
    """Return the table that a page ends with, notes apart."""
    for block in reversed(page.blocks):
        if block.kind is Kind.TABLE:
            return block
        if block.kind not in _BESIDE and block.kind is not Kind.CAPTION:
            return None
    return None


def _continuation(table: Block, following: Block, caption: Block | None) -> Grid | None:
    """Return the rows that a table adds to the one before it, its columns numbered alike; None if it is another one."""
    if table.grid is None or following.grid is None:
        return None
    if caption is not None and not _same_caption(table.caption, caption):
        return None
    columns = _columns(table.grid, following.grid)
    if columns is None:
        return None
    part = _placed(following.grid, columns, table.grid.bounds)
    heads = _repeated(table.grid, part)
    if not heads and part.header_rows and boldness(part, 0) > 0.8 and boldness(table.grid, 0) > 0.8:
        return None
    return _without(part, heads)


def _same_caption(first: Block | None, second: Block) -> bool:
    if CONTINUED.search(second.text):
        return first is None or _label(first.text) == _label(second.text) or not TABLE_LABEL.match(second.text)
    return first is not None and _plain(first.text) == _plain(second.text)


def _label(text: str) -> str:
    match = TABLE_LABEL.match(text)
    return _plain(match[0]) if match else ""


def _plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _columns(grid: Grid, other: Grid) -> list[int] | None:
    """Return for each column of the second grid its number in the first; None if they are not the same columns.

    What stands in a column of the one stands in one of the other: white space parts columns at any place between them.
    """
    shift = other.bounds[0] - grid.bounds[0]
    wide, wide_too = grid.bounds[-1] - grid.bounds[0], other.bounds[-1] - other.bounds[0]
    if abs(wide - wide_too) > 0.08 * wide:
        return None
    found = []
    for column, ends in enumerate(pairwise(other.bounds)):
        words = [word for (row, at), cell in other.words.items() if at == column and (row, at) not in other.spans
                 for word in cell]  # fmt: skip
        middles = [word.middle_x for word in words] or [sum(ends) / 2]
        place, count = Counter(slot(grid.bounds, middle - shift) for middle in middles).most_common(1)[0]
        if count < _SAME * len(middles):
            return None
        found.append(place)
    return found if found == sorted(set(found)) else None


def _placed(grid: Grid, columns: Sequence[int], bounds: list[float]) -> Grid:
    words = {(row, columns[column]): found for (row, column), found in grid.words.items()}
    spans = {(row, columns[column]): size for (row, column), size in grid.spans.items()}
    return Grid(grid.rows, bounds, words, spans, grid.header_rows)


def _repeated(grid: Grid, part: Grid) -> int:
    """Return how many rows at the top of a part are the head of the table again."""
    mine, others = grid.texts(), part.texts()
    count = 0
    while count < min(4, grid.rows, part.rows - 1):
        if _plain("".join(mine[count])) != _plain("".join(others[count])):
            break
        count += 1
    return count


def _without(grid: Grid, count: int) -> Grid:
    """Return a grid without its first rows."""
    if not count:
        return grid
    words = {(row - count, column): found for (row, column), found in grid.words.items() if row >= count}
    spans = {(row - count, column): size for (row, column), size in grid.spans.items() if row >= count}
    return Grid(grid.rows - count, grid.bounds, words, spans)


def _join(table: Block, following: Block, part: Grid) -> None:
    """Add rows, lines and boxes of a continuation to a table; a row that a page breaks becomes one again."""
    grid = table.grid
    if grid is None:
        return
    start = grid.rows
    if _goes_on(grid, part):
        start -= 1
        for (row, column), words in part.words.items():
            if row == 0:
                grid.tails.setdefault((start, column), []).extend(words)
    for (row, column), words in part.words.items():
        if row or start == grid.rows:
            grid.words[start + row, column] = words
    for (row, column), size in part.spans.items():
        if row or start == grid.rows:
            grid.spans[start + row, column] = size
    grid.rows = start + part.rows
    table.lines = [*table.lines, *following.lines]
    table.parts = [*table.parts, *following.parts]


def _goes_on(grid: Grid, part: Grid) -> bool:
    """Return True if the first row of a part is the rest of the last row of the page before."""
    first = part.texts()[0]
    begun = [text for text in first if text]
    return not first[0] and bool(begun) and part.rows > 0 and any(text[:1].islower() for text in begun)
