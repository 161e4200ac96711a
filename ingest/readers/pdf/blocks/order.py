"""The order in which the blocks of a page are read: panels of leaflets, cards on a grid, columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.blocks.glossary import by_rows
from ragraph.ingest.readers.pdf.model import Block, Box, Kind
from ragraph.ingest.readers.pdf.page.folds import panel_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.model import Page

_MAX_ORDERED = 300
"""docling's reading order takes time with the square of the blocks; pages with more are forms and lists of figures."""
_TITLE_LINES, _TITLE = 3, 120
"""Lines and characters of the title of a card at most."""
_LARGER = 1.04
"""Size of a title that is not in bold, in that of its text, at least."""
_BOLD, _PLAIN = 0.8, 0.5
"""Share of bold letters of a title at least, and of its text at most."""
_UNDER = 2.5
"""Distance from a title to its text, per point of its size, at most."""
_SET_IN = 2.0
"""Sizes of type by which a text begins left or right of the title over it, at most."""
_LEVEL = 0.3
"""Baselines that differ by less than this share of the size of type are one."""
_SAME_SIZE = 0.6
"""Points by which the sizes of titles of one row differ at most."""
_EDGE = 3.0
"""Points by which edges or middles of titles under each other differ at most."""
_ROWS = 2
"""Rows of titles that make a grid, at least: one row stands over columns."""
_RUNNING = 25
"""Characters of the text under a title, at least, for half of the cards: figures stand under heads of tables."""


def in_order(page: Page, blocks: Sequence[Block]) -> list[Block]:
    """Return blocks in reading order: panels of a leaflet one after the other, within them cards row by row, columns.

    Columns of terms and explanations are read row by row; blocks of several rows are taken apart.
    """
    panels: list[list[Block]] = [[] for _ in range(len(page.folds) + 1)]
    for block in blocks:
        panels[panel_of(block, page.folds)].append(block)
    return [block for panel in panels for block in _panel_in_order(page, panel)]


def _panel_in_order(page: Page, blocks: Sequence[Block]) -> list[Block]:
    ordered = sorted(blocks, key=lambda block: (block.top, block.left))
    side_by_side = any(
        other.top < block.bottom - 2 and (other.left >= block.right - 1 or block.left >= other.right - 1)
        for index, block in enumerate(ordered)
        for other in ordered[index + 1 : index + 6]
    )
    if not side_by_side or len(ordered) > _MAX_ORDERED:
        return ordered
    titles = _titles(ordered)
    grid = _grid(ordered, titles)
    if not grid:
        return by_rows(_by_docling(page, [[block] for block in ordered], titles))
    members = {id(block) for block in grid}
    units = [grid, *([block] for block in ordered if id(block) not in members)]
    units.sort(key=lambda unit: (min(block.top for block in unit), min(block.left for block in unit)))
    return by_rows(_by_docling(page, units, titles))


def _by_docling(page: Page, units: Sequence[Sequence[Block]], titles: dict[int, Block]) -> list[Block]:
    """Return blocks by the reading order of docling, those of a unit together.

    docling reads what follows each other in the file and stands on one row from left to right, as labels and their
    values are; titles over columns of their own are no such row, nor are paragraphs.
    """
    from docling.models.postprocessing.reading_order_rb import PageElement, ReadingOrderPredictor
    from docling_core.types.doc import CoordOrigin, DocItemLabel, Size

    size = Size(width=page.width, height=page.height)
    elements = []
    found: dict[int, Sequence[Block]] = {}
    key = 0
    before: Sequence[Block] = ()
    for unit in units:
        # keys that follow each other may be one row
        apart = any(len(one) > 1 for one in (before, unit)) or any(
            all(test(one[-1]) for one in (before, unit) if one) for test in (lambda one: id(one) in titles, _is_text)
        )
        key += 2 if apart else 1
        before = unit
        found[key] = unit
        box = _around(unit)
        elements.append(
            PageElement(
                cid=key,
                page_no=page.number,
                page_size=size,
                label=DocItemLabel.TEXT,
                l=box.left,
                r=box.right,
                t=page.height - box.top,
                b=page.height - box.bottom,
                coord_origin=CoordOrigin.BOTTOMLEFT,
            )
        )
    return [
        block for element in ReadingOrderPredictor().predict_reading_order(elements) for block in found[element.cid]
    ]


def _is_text(block: Block) -> bool:
    return block.kind is Kind.TEXT and block.grid is None and len(block.lines) > _TITLE_LINES


def _around(blocks: Sequence[Block]) -> Box:
    return Box(
        min(block.left for block in blocks),
        min(block.top for block in blocks),
        max(block.right for block in blocks),
        max(block.bottom for block in blocks),
    )


# ---- cards


def _titles(blocks: Sequence[Block]) -> dict[int, Block]:
    """Return the text under each title that stands over a text of its own, by the ``id`` of the title."""
    found: dict[int, Block] = {}
    for block in blocks:
        if not _is_short(block):
            continue
        below = [
            other
            for other in blocks
            if other.top >= block.bottom - _LEVEL * block.size
            and other is not block
            and other.left < block.right
            and block.left < other.right
        ]
        text = min(below, key=lambda other: other.top, default=None)
        if text is not None and _stands_over(block, text):
            found[id(block)] = text
    return found


def _is_short(block: Block) -> bool:
    return (
        block.kind in {Kind.TEXT, Kind.HEADING}
        and block.grid is None
        and 0 < len(block.lines) <= _TITLE_LINES
        and block.length <= _TITLE
    )


def _stands_over(title: Block, text: Block) -> bool:
    """Say whether a text begins right under a title that is set larger or bolder, at its edge or around its middle."""
    if text.kind not in {Kind.TEXT, Kind.LIST_ITEM} or not text.lines or text.grid is not None:
        return False
    if text.top - title.bottom > _UNDER * title.size:
        return False
    at_edge = abs(title.left - text.left) <= _SET_IN * title.size
    centred = abs(title.left + title.right - text.left - text.right) <= _SET_IN * title.size
    bolder = title.mean("bold") > _BOLD and text.mean("bold") < _PLAIN
    return (at_edge or centred) and (bolder or title.size > _LARGER * text.size)


def _grid(blocks: Sequence[Block], titles: dict[int, Block]) -> list[Block]:
    """Return the blocks of cards that stand in rows, row by row, each title with what stands under it; or none."""
    rows = _title_rows([block for block in blocks if id(block) in titles])
    for start, first in enumerate(rows):
        if len(first) < 2:
            continue
        grid = [first]
        grid += [
            row
            for row in rows[start + 1 :]
            if len(row) <= len(first) and all(any(_under(one, other) for other in first) for one in row)
        ]
        if len(grid) < _ROWS or any(len(row) < len(first) for row in grid[:-1]):
            continue
        cards = _cards(blocks, grid)
        running = sum(titles[id(title)].length >= _RUNNING for row in grid for title in row)
        if cards and 2 * running >= sum(map(len, grid)):
            return [block for card in cards for block in card]
    return []


def _title_rows(titles: Sequence[Block]) -> list[list[Block]]:
    """Return titles in rows, from the top, those of a row from left to right: one baseline, one type."""
    rows: list[list[Block]] = []
    for title in sorted(titles, key=lambda block: block.lines[0].bottom):
        for row in rows:
            one = row[0]
            if (
                abs(one.lines[0].bottom - title.lines[0].bottom) < _LEVEL * title.size
                and abs(one.size - title.size) < _SAME_SIZE
                and (one.mean("bold") > _PLAIN) == (title.mean("bold") > _PLAIN)
            ):
                row.append(title)
                break
        else:
            rows.append([title])
    for row in rows:
        row.sort(key=lambda block: block.left)
    return rows


def _under(title: Block, upper: Block) -> bool:
    """Say whether titles of two rows stand at one edge, or around one middle."""
    middle = abs(title.left + title.right - upper.left - upper.right) < 2 * _EDGE
    return abs(title.left - upper.left) < _EDGE or middle


def _cards(blocks: Sequence[Block], grid: Sequence[Sequence[Block]]) -> list[list[Block]]:
    """Return the blocks of each card, row by row; none if anything runs over the edge of a card."""
    cards: list[list[Block]] = []
    ends = [min(title.top for title in row) for row in grid[1:]]
    for row, end in zip(grid, [*ends, None], strict=True):
        top = min(title.top for title in row)
        found = [[title] for title in row]
        for block in sorted(blocks, key=lambda block: (block.top, block.left)):
            if block.top < top - _EDGE or (end is not None and block.top >= end) or any(block is one for one in row):
                continue
            own = [
                card
                for card in found
                if block.left < max(one.right for one in card) and min(one.left for one in card) < block.right
            ]
            last = max((one.bottom for card in own for one in card), default=0.0)
            if end is None and (len(own) != 1 or block.top - last > _UNDER * row[0].size):
                continue  # under the last row
            if len(own) != 1 or (end is not None and block.bottom > end + _EDGE):
                return []
            own[0].append(block)
        cards += found
    inner = {id(block) for card in cards for block in card}
    box = _around([block for card in cards for block in card])
    return [] if any(id(block) not in inner and box.holds(block, 0.5) for block in blocks) else cards
