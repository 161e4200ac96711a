"""Heads of tables that come again on every page and were taken for running heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Box, Kind, Page
from ragraph.pdf.tables.above import head_above
from ragraph.pdf.tables.accounts import bodies_of
from ragraph.pdf.tables.aligned import prose_of
from ragraph.pdf.tables.columns import grid_of
from ragraph.pdf.tables.figures import rows_of
from ragraph.pdf.tables.finding import gutter, is_crowded

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD = 0.3
"""Height of the ground of a head and of the first rows, at most, by that of the page."""
_PIECES = 3
"""Pieces of a head, or of the row below it, at least: running heads on a ground have two beside the number."""


def keep_heads(page: Page) -> None:
    """Give heads of tables back that come again on every page and were taken for running heads.

    Args:
        page: with its furniture taken out; what is of it within a stated table, on a ground over columns, or names
            columns of amounts right below it, becomes lines of the page again.
    """
    stated = [region.box for region in page.regions if region.kind is Kind.TABLE]
    _give_back(page, [block for block in page.furniture if any(box.holds(block) for box in stated)])
    for box in page.drawings:
        _give_back(page, _head_on(page, box))
    lost = [block for block in page.furniture
            if block.kind is not Kind.PAGE_NUMBER and block.bottom < 0.5 * page.height]  # fmt: skip
    if lost and not is_crowded(page):
        _give_back(page, _over_amounts(page, lost))


def _over_amounts(page: Page, lost: Sequence[Block]) -> list[Block]:
    """Return the furniture that names the columns of amounts right below it."""
    lines = {id(line): block for block in lost for line in block.lines}
    found: set[int] = set()
    prose = prose_of(page, page.lines)
    for body in bodies_of(rows_of(page.lines, prose, gutter(page, page.lines, prose)), prose):
        grid = grid_of([], body.rows, ())
        over = [line for line in page.lines if line.bottom < body.box.top]
        head = head_above(grid, body.box, [*over, *(line for block in lost for line in block.lines)]) if grid else []
        if any(len(row.pieces) > 1 and any(id(line) in lines for line in row.lines) for row in rows_of(head)):
            found |= {id(lines[id(line)]) for line in head if id(line) in lines}
    return [block for block in lost if id(block) in found]


def _head_on(page: Page, ground: Box) -> list[Block]:
    """Return the furniture on a ground that is the head of a table: three pieces over other lines, or three, of it."""
    if not page.furniture or ground.height > _HEAD * page.height:
        return []
    lost = [block for block in page.furniture if block.kind is not Kind.PAGE_NUMBER and ground.holds(block)]
    if len(lost) < _PIECES:
        return []
    below = [line for line in page.lines if line.top > ground.bottom - 1]
    first = min((line.top for line in below), default=0.0)
    row = [line for line in below if line.top < first + line.size and ground.left < line.right < ground.right + 3]
    return lost if len(row) >= _PIECES or any(ground.holds(line) for line in page.lines) else []


def _give_back(page: Page, lost: Sequence[Block]) -> None:
    """Make furniture lines of the page again."""
    if not lost:
        return
    page.furniture = [block for block in page.furniture if all(block is not other for other in lost)]
    found = [*page.lines, *(line for block in lost for line in block.lines)]
    page.lines = sorted(found, key=lambda line: (line.top, line.left))
