"""Titles with a sign in front: a box to be ticked, an arrow, an ornament, an icon, as manuals and leaflets set them.

A sign in front of a line says item, so that the line is not weighed. What is set like a title over its text, and again
so with the same sign, is weighed without its sign; what comes out as no heading is an item as before.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks.looks import look_of
from ragraph.pdf.blocks.titles import is_at_edge, is_right_over, is_set_off
from ragraph.pdf.model import Block, Kind, Line
from ragraph.pdf.patterns import BULLET

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Page

_LINES = 2
"""Lines of such a title at most."""
_LONGEST = 80
"""Characters of it at most."""
_LARGER = 1.12
"""Minimum size of a title that is not bold, in that of the text below, at which it is set off."""
_ROOM = 2.0
"""Room between it and its text at most, per point of its size."""
_EDGE = 3.0
"""Points by which the sign and the text below begin apart at most: what explains an item is set in with its words."""
_UNDER = {Kind.TEXT, Kind.CODE}
"""What stands under such a title."""
_SERIES = 2
"""Minimum number of titles over text with one sign, in one bold type or size, that are no chance."""
_SHARE = 0.5
"""Share of them among all items with that sign and in that type at least: the others stand over pictures or lists."""


class Signed(NamedTuple):
    """An item that is weighed as a title, and the line that it begins with."""

    block: Block
    line: Line


def take_signs(pages: Sequence[Page]) -> list[Signed]:
    """Make plain text, without their signs, of items that are set like titles; return them as they were.

    Args:
        pages: with blocks in reading order; the items change.
    """
    series: dict[tuple[str, float], list[tuple[Block, bool]]] = defaultdict(list)
    for page in pages:
        for block, below in zip_longest(page.blocks, page.blocks[1:]):
            if _may_be_title(block):
                look = look_of(Block(block.page, _bare_lines(block)))
                size = 0.0 if look.bold else look.size
                series[block.marker or "", size].append((block, below is not None and _heads(block, below)))
    taken: list[Signed] = []
    for found in series.values():
        over = sum(heads for _, heads in found)
        if over >= _SERIES and over >= _SHARE * len(found):
            taken += [Signed(block, block.lines[0]) for block, _ in found]
    for block, _ in taken:
        block.kind, block.lines = Kind.TEXT, _bare_lines(block)
    return taken


def put_back(taken: Iterable[Signed]) -> None:
    """Make items, with their signs, of those that are no headings."""
    for block, line in taken:
        if block.kind is Kind.TEXT:
            block.kind, block.lines = Kind.LIST_ITEM, [line, *block.lines[1:]]


def _may_be_title(block: Block) -> bool:
    """Return True if a block is a short item whose sign is a word of its own, or a picture."""
    if block.kind is not Kind.LIST_ITEM or block.region is not None:
        return False
    words = block.lines[0].words
    drawn = not block.marker and block.lines[0].bulleted
    alone = len(words) > 1 and words[0].text == block.marker and BULLET.match(f"{words[0].text} ") is not None
    return (alone or drawn) and len(block.lines) <= _LINES and block.length <= _LONGEST


def _heads(block: Block, below: Block) -> bool:
    """Return True if an item stands right over text that begins at its sign, and from which its type sets it off."""
    if below.kind not in _UNDER or not is_at_edge(block, below, _EDGE):
        return False
    title = Block(block.page, _bare_lines(block))
    set_off = is_set_off(title.size, title.mean("bold"), below.size, below.mean("bold"), larger=_LARGER)
    return set_off and is_right_over(block, below, _ROOM * title.size)


def _bare_lines(block: Block) -> list[Line]:
    """Return the lines of a block without the sign that it begins with; a picture is no part of them."""
    return [Line(block.lines[0].words[1:]), *block.lines[1:]] if block.marker else block.lines
