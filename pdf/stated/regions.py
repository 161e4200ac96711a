"""Regions that somebody states on a page, the file's tags or a layout model, as evidence for the assembly.

A region is a box with a kind. Words, reading of notes, joining over pages and levels stay with the rules; a region
says which words belong together and what they are. Whoever knows regions puts them into ``Page.regions`` before the
analysis; the functions here apply them where the rules would otherwise guess.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Box, Kind, Line, in_runs, shared_width
from ragraph.pdf.patterns import BULLET, NUMBERED, STATED_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page, Region, Word


FURNITURE = frozenset({Kind.HEADER, Kind.FOOTER})
_BETWEEN = frozenset({Kind.FIGURE, Kind.TABLE, Kind.CAPTION, Kind.NOTE, Kind.SIDE})
"""What may stand between an item and its rest on the next page."""
_UNSETTLED = frozenset({Kind.TEXT, Kind.LIST_ITEM, Kind.SIDE})
_GRAPHIC = frozenset({Kind.TABLE, Kind.FIGURE})
_SETTLED = frozenset({Kind.TITLE, Kind.LIST_ITEM, Kind.CAPTION, Kind.FIGURE, Kind.FORMULA, Kind.CODE, Kind.CONTENTS})
"""Stated kinds that a block takes over; headings, notes and entries are left to the rules that bind them."""


def split_lines(page: Page) -> None:
    """Cut lines where their words belong to different regions: a gutter that was missed, a heading set into text."""
    if not page.regions:
        return
    lines: list[Line] = []
    for line in page.lines:
        runs: list[tuple[Region | None, list[Word]]] = []
        for word in line.words:
            region = region_of(page, word.box)
            if runs and (region is None or runs[-1][0] is None or region == runs[-1][0]):
                runs[-1] = (runs[-1][0] or region, [*runs[-1][1], word])
            else:
                runs.append((region, [word]))
        lines += [line] if len(runs) == 1 else [Line(words) for _, words in runs]
    page.lines = sorted(lines, key=lambda line: (line.top, line.left))


def take_stated_furniture(page: Page) -> None:
    """Move lines of regions that are said to be running heads or feet from the lines to the furniture of a page."""
    kept: list[Line] = []
    for line in page.lines:
        region = region_of(page, line.box)
        if region is None or region.kind not in FURNITURE:
            kept.append(line)
            continue
        page.furniture.append(Block(page.number, [line], region.kind, group=region.kind.value))
    page.lines = kept


def stated_blocks(page: Page, lines: Sequence[Line]) -> tuple[list[Block], list[Line]]:
    """Return a block per region that holds lines, or is a figure, and the lines that no region holds.

    Tables without cells are left out and their lines returned: ``stated_boxes`` gives their places to those who
    read tables.
    The kind of a block is set where what is stated settles it; ``Block.region`` says what was stated in any case.
    """
    held: dict[Region, list[Line]] = defaultdict(list)
    free: list[Line] = []
    for line in lines:
        region = region_of(page, line.box)
        found = region is not None and (region.kind is not Kind.TABLE or region.grid is not None)
        if region is None or not found or region.kind in FURNITURE:
            free.append(line)
        else:
            held[region].append(line)
    blocks = []
    for region in page.regions:
        inside = held.get(region, [])
        if region.grid is not None and inside:
            blocks.append(
                Block(page.number, inside, Kind.TABLE, [(page.number, region.box)], grid=region.grid, region=region)
            )
        elif region.kind is Kind.FIGURE:
            blocks.append(Block(page.number, inside, Kind.FIGURE, [(page.number, region.box)], region=region))
        elif inside:
            pieces = _items(inside) if region.kind is Kind.LIST_ITEM else [inside]
            for piece in pieces:
                block = Block(page.number, piece, region.kind if region.kind in _SETTLED else Kind.TEXT, region=region)
                if block.kind is Kind.LIST_ITEM:
                    match = _marker(piece[0])
                    block.marker = match[0].strip() if match else None
                blocks.append(block)
    return blocks, free


def _items(lines: list[Line]) -> list[list[Line]]:
    """Cut the lines of a stated item before each line that hangs out with a bullet or number of its own.

    Files tag the rest of an item from the page before and the next item as one.
    """
    marked = [line for line in lines if _marker(line)]
    plain = [line.left for line in lines if not _marker(line)]
    edge = min((line.left for line in marked), default=0.0)
    if not marked or (plain and min(plain) < edge + 0.5 * lines[0].size):
        return [lines]
    if not plain and not all(BULLET.match(line.text) for line in lines):
        return [lines]  # numbers at the beginning of every line may be the text of the item
    return in_runs(lines, lambda _, line: not (_marker(line) and line.left < edge + 0.5 * line.size))


def _marker(line: Line) -> re.Match[str] | None:
    return BULLET.match(line.text) or NUMBERED.match(line.text)


def join_items(pages: Sequence[Page]) -> None:
    """Join the rest of a stated item at the head of a page, which has no bullet, with the item that it goes on."""
    for page, following in pairwise(pages):
        last = next((block for block in reversed(page.blocks) if block.kind not in _BETWEEN), None)
        rest = next((block for block in following.blocks if block.kind not in _BETWEEN), None)
        if last is None or rest is None or rest.marker or not last.marker or not (_is_item(last) and _is_item(rest)):
            continue
        hanging = [line.left for line in last.lines[1:] if line.left > last.left + 0.5 * last.size]
        if not hanging or abs(rest.left - min(hanging)) < 0.5 * rest.size:
            following.append(last, rest)


def _is_item(block: Block) -> bool:
    return block.kind is Kind.LIST_ITEM and block.region is not None and block.region.kind is Kind.LIST_ITEM


def stated_boxes(page: Page, kind: Kind) -> list[Box]:
    """Return the boxes of a page that are said to be of a kind, but no tables whose cells are stated."""
    return [region.box for region in page.regions if region.kind is kind and region.grid is None]


def stated_headings(pages: Sequence[Page]) -> dict[int, int | None]:
    """Return the blocks that are stated to be headings, by ``id``, with their level if that is stated too."""
    return {
        id(block): block.region.level
        for page in pages
        for block in page.blocks
        if block.region is not None and block.region.kind is Kind.HEADING
    }


def settle_notes(pages: Sequence[Page]) -> None:
    """Make notes of the blocks that are stated to be notes though no mark in the text was found to lead to them."""
    for page in pages:
        for block in page.blocks:
            if block.region is not None and block.region.kind is Kind.NOTE and block.kind in _UNSETTLED:
                first = block.lines[0].words[0].text.strip("[]().,:")
                block.kind = Kind.NOTE
                block.marker = first if STATED_MARK.match(first) and block.length > len(first) else None


def stated_another(block: Block) -> bool:
    """Return True if a block is stated to be something else than a heading; that it is a paragraph says nothing."""
    return block.region is not None and block.region.kind not in {Kind.HEADING, Kind.TITLE, Kind.TEXT}


def in_stated_order(blocks: list[Block]) -> list[Block] | None:
    """Return the blocks of a page in the stated order, others behind what stands above them; None if none states it."""
    known = sorted(
        (block for block in blocks if block.region is not None and block.region.order is not None),
        key=lambda block: (block.region.order, block.top),  # type: ignore[union-attr]
    )
    if not known:
        return None
    for block in sorted((block for block in blocks if all(block is not other for other in known)), key=_upper_left):
        above = [place for place, other in enumerate(known) if _is_above(other, block)]
        known.insert(above[-1] + 1 if above else 0, block)
    return known


def region_of(page: Page, box: Box) -> Region | None:
    """Return the region that holds the middle of a box: a table or figure if there is one, else the smallest."""
    x, y = box.middle_x, box.middle_y
    best: Region | None = None
    best_rank = (2, 0.0)
    for region in page.regions:
        around = region.box
        if around.left - 1 <= x <= around.right + 1 and around.top - 1 <= y <= around.bottom + 1:
            rank = (region.kind not in _GRAPHIC, around.area)
            if best is None or rank < best_rank:
                best, best_rank = region, rank
    return best


def _upper_left(block: Block) -> tuple[float, float]:
    return block.top, block.left


def _is_above(upper: Block, lower: Block) -> bool:
    beside = shared_width(upper, lower) <= 0
    return not beside and upper.top <= lower.top
