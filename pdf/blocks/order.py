"""The order in which the blocks of a page are read: panels of leaflets, cards on a grid, columns."""

from __future__ import annotations

import re
from itertools import pairwise
from math import inf
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks.glossary import by_rows
from ragraph.pdf.blocks.rows import LEVEL, rows_of
from ragraph.pdf.blocks.sequence import in_sequence
from ragraph.pdf.blocks.titles import is_at_edge, is_centred, is_set_off
from ragraph.pdf.model import Block, Box, Kind, around, by_panel
from ragraph.pdf.patterns import DECIMAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_MAX_ORDERED = 300
"""The reading order takes time with the square of the blocks; pages with more are forms and lists of figures."""
_TITLE_SIZE = 1.1
"""Size of a title at the head of a column, in that of the text beside it in the next column, at least."""
_TITLE_LINES, _TITLE = 3, 120
"""Lines and characters of the title of a card at most."""
_PLAIN = 0.5
"""Minimum share of bold letters of a title at which it is bold, as others of its row are."""
_UNDER = 2.5
"""Distance from a title to its text, per point of its size, at most."""
_SET_IN = 2.0
"""Sizes of type by which a text begins left or right of the title over it, at most, or twice its middle stands off."""
_SAME_SIZE = 0.6
"""Points by which the sizes of titles of one row differ at most."""
_EDGE = 3.0
"""Points by which edges or middles of titles under each other differ at most."""
_HELD = 0.9
"""Share of a block that lies in a frame which holds it, at least."""
_WHITE = 5.0
"""White over the whole width, in sizes of the type, that parts a page: four lines, while titles have two above them."""
_NEXT = 0.8
"""White between items of a list, in sizes of their type, at most: what ends a column stands further off."""
_ASIDE = 0.2
"""Share of the boxes above or below that stand wholly beside a text which is over all their columns, at most."""
_PICTURED = frozenset({Kind.FIGURE, Kind.CAPTION})
"""Kinds that may stand across columns without ending them: text goes on below a picture."""
_GROUND = 0.9
"""Width of a picture that is the ground of a page, in that of the page, at least."""
_CENTRED = 1.0
"""Sizes of type by which the middle of a centred title and that of the page differ at most: lines end ragged."""
_ROWS = 2
"""Rows of titles that make a grid, at least: one row stands over columns."""
_RUNNING = 25
"""Characters of the text under a title, at least, for half of the cards: figures stand under heads of tables."""


def in_order(page: Page, blocks: Sequence[Block]) -> list[Block]:
    """Return blocks in reading order: panels of a leaflet one after the other, within them cards row by row, columns.

    Columns of terms and explanations are read row by row; blocks of several rows are taken apart.
    """
    return [block for panel in by_panel(blocks, page.folds) for block in _panel_in_order(page, panel, page.frames)]


class _Unit(NamedTuple):
    """Blocks that are read together: its box, and what it is, a frame around them or not."""

    box: Box
    blocks: Sequence[Block]
    framed: bool = False


def _panel_in_order(page: Page, blocks: Sequence[Block], frames: Sequence[Box]) -> list[Block]:
    ordered = sorted(blocks, key=lambda block: (block.top, block.left))
    if not _are_side_by_side(ordered) or len(ordered) > _MAX_ORDERED:
        return ordered
    held = _framed(ordered, frames)
    inside = {id(block) for _, blocks in held for block in blocks}
    framed = [
        _Unit(frame, _panel_in_order(page, blocks, [other for other in frames if other is not frame]), framed=True)
        for frame, blocks in held
    ]
    free = [block for block in ordered if id(block) not in inside]
    titles = _titles(free)
    units = [*framed, *_units(free, titles, framed)]
    units.sort(key=lambda unit: (round(unit.box.top), unit.box.left))
    return _by_rows(page, [unit for band in _bands(page, units, titles) for unit in _in_sequence(page, band, titles)])


def _are_side_by_side(ordered: Sequence[Block]) -> bool:
    """Return True if two of the blocks that follow each other from the top stand beside each other."""
    return any(
        other.top < block.bottom - 2 and (other.left >= block.right - 1 or block.left >= other.right - 1)
        for index, block in enumerate(ordered)
        for other in ordered[index + 1 : index + 6]
    )


def _units(free: Sequence[Block], titles: dict[int, tuple[Block, Block]], framed: Sequence[_Unit]) -> list[_Unit]:
    """Return blocks as units: cards on a grid and rows that are read across as one each, others by themselves."""
    grid = _grid(free, titles)
    members = {id(block) for block in grid}
    over_text = {key for key, (_, text) in titles.items() if text.mean("bold") < _PLAIN}
    across = [
        region
        for region in rows_of([block for block in free if id(block) not in members], over_text)
        if not any(around(region).meets(unit.box) for unit in framed)
    ]
    members |= {id(block) for region in across for block in region}
    units = [_Unit(block.box, [block]) for block in free if id(block) not in members]
    return units + [_Unit(around(region), region) for region in ([grid] if grid else []) + across]


def _by_rows(page: Page, units: Sequence[_Unit]) -> list[Block]:
    """Return the blocks of units, terms in front of what explains them; what a frame holds stays together."""
    blocks: list[Block] = []
    framed: dict[int, Sequence[Block]] = {}
    for unit in units:
        if unit.framed:
            blocks.append(Block(page.number, [], Kind.FIGURE, [(page.number, unit.box)]))
            framed[id(blocks[-1])] = unit.blocks
        else:
            blocks += unit.blocks
    return [block for one in by_rows(blocks) for block in framed.get(id(one), [one])]


def _bands(page: Page, units: Sequence[_Unit], titles: dict[int, tuple[Block, Block]]) -> list[list[_Unit]]:
    """Return what stands above and what below wide white, where that is closed by something alone on its row.

    A title under cards would else be read as part of the first column, and the last column after all of the page. What
    is centred above all columns is a part of its own: a short title over the white between two of them is over neither.
    Text alone on its row that runs over the white between columns parts them from what stands below it, or above it.
    """
    sizes = [line.size for unit in units for block in unit.blocks for line in block.lines]
    white = _WHITE * median(sizes) if sizes else float("inf")
    bands: list[list[_Unit]] = [[]]
    bottom = float("inf")
    is_head = True
    for unit in units:
        alone = not any(
            other is not unit and other.box.top < unit.box.bottom and unit.box.top < other.box.bottom for other in units
        )
        was_head, is_head = is_head, is_head and alone and _is_centred(unit, units)
        parted = alone and unit.box.top - bottom >= white and not _is_pictured(page, bottom, unit.box.top)
        if bands[-1] and (parted or (was_head and not is_head)):
            bands.append([])
        bands[-1].append(unit)
        bottom = unit.box.bottom if bottom == float("inf") else max(bottom, unit.box.bottom)
    return [part for band in bands for part in _across(band, titles)]


def _across(units: list[_Unit], titles: dict[int, tuple[Block, Block]]) -> list[list[_Unit]]:
    """Return units in parts, which text over several columns ends or begins; a title over such text goes with it."""
    rows = _beside(units)
    starts = [0]
    ended = False
    for place, unit in enumerate(units):
        alone = not rows[place]
        if ended and not alone:
            starts.append(place)
        ended &= alone
        if not alone or unit.framed or any(block.kind in _PICTURED for block in unit.blocks):
            continue
        if _is_over_columns(unit, units, rows, range(starts[-1], place)):
            start = place
            while start > starts[-1] and not rows[start - 1] and _goes_with(units[start - 1], units[start], titles):
                start -= 1
            starts.append(start)
        ended |= _is_over_columns(unit, units, rows, range(place + 1, len(units)))
    return [units[start:end] for start, end in pairwise([*starts, len(units)]) if start < end]


def _beside(units: Sequence[_Unit]) -> list[list[int]]:
    """Return for each unit the places of those that share some of its height; units come from the top."""
    found: list[list[int]] = [[] for _ in units]
    for place, unit in enumerate(units):
        for other in range(place + 1, len(units)):
            if units[other].box.top > unit.box.bottom + 1:
                break  # tops are in order by whole points
            if units[other].box.top < unit.box.bottom and unit.box.top < units[other].box.bottom:
                found[place].append(other)
                found[other].append(place)
    return found


def _is_over_columns(unit: _Unit, units: Sequence[_Unit], rows: Sequence[Sequence[int]], places: range) -> bool:
    """Return True if a unit reaches over two of those at some places that stand side by side, and all columns there.

    A table has to reach over half of each: one that was found a little too wide stands in its column.
    """
    left, right = unit.box.left + _EDGE, unit.box.right - _EDGE
    area = aside = 0.0
    for place in places:
        box = units[place].box
        area += box.area
        aside += box.area if box.right <= left or right <= box.left else 0.0
    if aside > _ASIDE * area:
        return False  # a line of one column, over parts of formulas
    table = any(block.grid is not None for block in unit.blocks)
    for place in places:
        one = units[place].box
        for number in rows[place]:
            other = units[number].box
            if number not in places or not (left < one.right <= other.left < right):
                continue
            if table and not (left < one.middle_x and other.middle_x < right):
                continue
            near = [units[at].box for at in {*rows[place], *rows[number]} if at in places]
            over = (Box(left, 0, right, 0), one, other)
            if all(any(box.right > column.left and box.left < column.right for column in over) for box in near):
                return True
    return False


def _goes_with(one: _Unit, below: _Unit, titles: dict[int, tuple[Block, Block]]) -> bool:
    """Return True if a unit that is alone on its row is the title of what stands below it, or the item before it."""
    if one.framed or len(one.blocks) != 1:
        return False
    block, other = one.blocks[0], below.blocks[0]
    if titles.get(id(block), (block, None))[1] is other:
        return True
    size = block.size
    like = abs(size - other.size) < _SAME_SIZE and abs(block.left - other.left) < _EDGE
    return like and below.box.top - one.box.bottom < _NEXT * size


def _is_centred(unit: _Unit, units: Sequence[_Unit]) -> bool:
    """Return True if a block stands around the middle of all, with white on either side."""
    whole = around([other.box for other in units])
    left, right = unit.box.left - whole.left, whole.right - unit.box.right
    lines = unit.blocks[0].lines if len(unit.blocks) == 1 else []
    return bool(lines) and min(left, right) > _EDGE and abs(left - right) / 2 <= _CENTRED * unit.blocks[0].size


def _is_pictured(page: Page, top: float, bottom: float) -> bool:
    """Return True if a picture fills half of the height between two distances from the top; grounds of pages do not."""
    return any(
        min(image.bottom, bottom) - max(image.top, top) > (bottom - top) / 2 and image.width < _GROUND * page.width
        for image in page.images
    )


def _framed(blocks: Sequence[Block], frames: Sequence[Box]) -> list[tuple[Box, list[Block]]]:
    """Return the outermost frames that hold some of the blocks, two at least, and over whose edges no text runs."""
    found: list[tuple[Box, list[Block]]] = []
    taken: set[int] = set()
    for frame in sorted(frames, key=lambda box: -box.area):
        if any(other.meets(frame) for other, _ in found):
            continue
        wide = frame.grown(_EDGE)
        held = [block for block in blocks if wide.holds(block.box, _HELD) and id(block) not in taken]
        crossed = any(
            frame.meets(block.box.grown(-_EDGE)) and not wide.holds(block.box, _HELD) and block.kind is not Kind.FIGURE
            for block in blocks
        )
        if 1 < len(held) < len(blocks) and not crossed:
            found.append((frame, held))
            taken |= {id(block) for block in held}
    return found


def _in_sequence(page: Page, units: Sequence[_Unit], titles: dict[int, tuple[Block, Block]]) -> list[_Unit]:
    """Return units in the order of ``sequence``.

    What follows each other and stands on one row may be read from left to right, as labels and their values are;
    titles over columns of their own are no such row, nor are paragraphs.
    """
    if not any(_beside(units)):
        return [*units]
    pairs = zip([None, *units], units, strict=False)
    rows = [before is not None and _may_be_row(before, unit, titles, page.gutter) for before, unit in pairs]
    return [units[at] for at in in_sequence([unit.box for unit in units], rows, page.width, page.height)]


def _may_be_row(one: _Unit, other: _Unit, titles: dict[int, tuple[Block, Block]], gutter: float | None) -> bool:
    """Return True if what stands on one row may be read across: a label and its value, cards in frames.

    A title is no label of what stands beyond the gutter of two columns.
    """
    if one.framed or other.framed:
        return one.framed and other.framed
    first, second = one.blocks[0], other.blocks[0]
    if len(one.blocks) > 1 or len(other.blocks) > 1 or (_is_text(first) and _is_text(second)):
        return False
    heads = [_head(block, titles) for block in (first, second)]
    if gutter is not None and first.right <= gutter <= second.left:
        titled = heads[0] is first or heads[1] is second
        if titled or is_set_off(first.size, 0, second.size, 0, larger=_TITLE_SIZE):
            return False
    return heads[0] is heads[1] or None in heads


def _head(block: Block, titles: dict[int, tuple[Block, Block]]) -> Block | None:
    """Return the title that a block is, or stands under; None if there is none."""
    over = [
        title
        for title, _ in titles.values()
        if title is block
        or (title.bottom <= block.top + _EDGE and title.left < block.right and block.left < title.right)
    ]
    return max(over, key=lambda title: title.bottom, default=None)


def _is_text(block: Block) -> bool:
    return block.kind is Kind.TEXT and block.grid is None and len(block.lines) > _TITLE_LINES


# ---- cards


def _titles(blocks: Sequence[Block]) -> dict[int, tuple[Block, Block]]:
    """Return each title that stands over a text of its own, with that, by the ``id`` of the title."""
    found: dict[int, tuple[Block, Block]] = {}
    for block in blocks:
        if not _is_short(block):
            continue
        below = [
            other
            for other in blocks
            if other.top >= block.bottom - LEVEL * block.size
            and other is not block
            and other.left < block.right
            and block.left < other.right
        ]
        text = min(below, key=lambda other: other.top, default=None)
        if text is not None and _stands_over(block, text):
            found[id(block)] = (block, text)
    return found


def _is_short(block: Block) -> bool:
    return (
        block.kind in {Kind.TEXT, Kind.HEADING}
        and block.grid is None
        and 0 < len(block.lines) <= _TITLE_LINES
        and block.length <= _TITLE
    )


def _stands_over(title: Block, text: Block) -> bool:
    """Return True if a text begins right under a larger or bolder title, at its edge or around its middle."""
    if text.kind not in {Kind.TEXT, Kind.LIST_ITEM} or not text.lines or text.grid is not None:
        return False
    if text.top - title.bottom > _UNDER * title.size:
        return False
    set_in = _SET_IN * title.size
    lined_up = is_at_edge(title, text, set_in) or is_centred(title, text, set_in / 2)
    return lined_up and is_set_off(title.size, title.mean("bold"), text.size, text.mean("bold"))


def _grid(blocks: Sequence[Block], titles: dict[int, tuple[Block, Block]]) -> list[Block]:
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
        if _is_numbered_down(grid):
            continue
        cards = _cards(blocks, grid)
        running = sum(titles[id(title)][1].length >= _RUNNING for row in grid for title in row)
        if cards and 2 * running >= sum(map(len, grid)):
            return [block for card in cards for block in card]
    return []


def _is_numbered_down(grid: Sequence[Sequence[Block]]) -> bool:
    """Return True if the numbers of titles go on down the columns: sections that begin at one height by chance."""
    across = [_number(title) for row in grid for title in row]
    down = [_number(row[at]) for at in range(len(grid[0])) for row in grid if at < len(row)]
    return all(across) and down == sorted(down) and across != down


def _number(title: Block) -> list[int]:
    found = DECIMAL.match(title.text)
    return [int(part) for part in re.findall(r"\d+", found["number"])] if found else []


def _title_rows(titles: Sequence[Block]) -> list[list[Block]]:
    """Return titles in rows, from the top, those of a row from left to right: one baseline, one type."""
    rows: list[list[Block]] = []
    for title in sorted(titles, key=lambda block: block.lines[0].bottom):
        for row in rows:
            one = row[0]
            if (
                abs(one.lines[0].bottom - title.lines[0].bottom) < LEVEL * title.size
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
    """Return True if titles of two rows stand at one edge, or around one middle."""
    middle = abs(title.left + title.right - upper.left - upper.right) < 2 * _EDGE
    return abs(title.left - upper.left) < _EDGE or middle


def _cards(blocks: Sequence[Block], grid: Sequence[Sequence[Block]]) -> list[list[Block]]:
    """Return the blocks of each card, row by row; none if anything runs over the edge of a card."""
    cards: list[list[Block]] = []
    tops = [min(title.top for title in row) for row in grid]
    for row, top, end in zip(grid, tops, [*tops[1:], inf], strict=True):
        titles = {id(title) for title in row}
        below = [block for block in blocks if top - _EDGE <= block.top < end and id(block) not in titles]
        found = _cards_of(row, below, end)
        if not found:
            return []
        cards += found
    inner = {id(block) for card in cards for block in card}
    box = around([block for card in cards for block in card])
    return [] if any(id(block) not in inner and box.holds(block, 0.5) for block in blocks) else cards


def _cards_of(titles: Sequence[Block], below: Sequence[Block], end: float) -> list[list[Block]]:
    """Return the cards of a row, each with its title; none if something below the titles is not of one card alone.

    Args:
        titles: of the cards.
        below: what begins between them and the next row.
        end: where that begins; what is under the last row may go on.
    """
    cards = [[title] for title in titles]
    for block in sorted(below, key=lambda block: (block.top, block.left)):
        own = [card for card in cards if _is_under(block, around(card))]
        foot = max((one.bottom for card in own for one in card), default=0.0)
        near = end < inf or block.top - foot <= _UNDER * titles[0].size
        if len(own) == 1 and near and block.bottom <= end + _EDGE:
            own[0].append(block)
        elif end < inf:
            return []
    return cards


def _is_under(block: Block, card: Box) -> bool:
    return block.left < card.right and card.left < block.right
