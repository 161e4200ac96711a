"""How headings of one type are set on the page: centred over text, or set in from its edge."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.pdf.blocks.looks import Look
    from ragraph.pdf.model import Page

_FREE = 0.1
"""Share of the width of its column that a centred heading leaves on either side at least."""
_EVEN = 0.02
"""Share of that width by which what it leaves on its sides differs at most."""
_CENTRED, _FLUSH, _ELSEWHERE = range(3)
"""Where a heading stands: in the middle of its column, at the left edge or out of it, or neither."""
_WIDE = 10.0
"""Minimum width of a column, in sizes of the type of the heading, at which being centred tells something."""
_ACROSS = 0.5
"""Minimum share of the width of a page at which a paragraph goes over it."""
_STEPS = (0.9, 5.0)
"""How far a heading is set in against others of its type, in sizes of its type: less is chance, more a column."""
_SAME = 0.4
"""Sizes of type by which edges differ that are the same."""
_LEAST = 2
"""Headings that stand right under one that is set less in, on the same page, for the step to be a level."""
_BOTH = 2
"""Headings of a type that are centred, and that are not, for the difference to tell."""


def settings_of(pages: Sequence[Page], found: Sequence[Block], looks: Mapping[int, Look]) -> dict[int, int]:
    """Return which headings stand above others of their look, as 1, and which below, as -1; the rest is left out.

    Above are those that are centred where others begin at the left edge, below those that are set in against others
    again and again.

    Args:
        pages: with their blocks.
        found: the headings in reading order.
        looks: their type, by ``id``.
    """
    by_look: dict[Look, list[Block]] = defaultdict(list)
    for block in found:
        if block.rest is None:
            by_look[looks[id(block)]].append(block)
    headings = {id(block) for block in found}
    texts = {
        page.number: [
            block
            for block in page.blocks
            if block.kind is Kind.TEXT and len(block.lines) > 1 and id(block) not in headings
        ]
        for page in pages
    }
    usual = _usual(pages)
    settings: dict[int, int] = {}
    for blocks in by_look.values():
        places = {id(block): _place(block, texts.get(block.page, ()), usual) for block in blocks}
        count = Counter(places.values())
        if min(count[_CENTRED], count[_FLUSH]) >= _BOTH and count[_CENTRED] >= count[_ELSEWHERE]:
            settings |= {key: 1 for key, place in places.items() if place == _CENTRED}
        settings |= dict.fromkeys(_set_in([block for block in blocks if places[id(block)] != _CENTRED]), -1)
    return settings


def _usual(pages: Sequence[Page]) -> Block | None:
    """Return a paragraph as wide as most of those that go over the page, if there are such."""
    wide = [
        block
        for page in pages
        for block in page.blocks
        if block.kind is Kind.TEXT and len(block.lines) > 1 and block.width > _ACROSS * page.width
    ]
    if len(wide) < _LEAST:
        return None
    (left, right), _ = Counter((round(block.left), round(block.right)) for block in wide).most_common(1)[0]
    return min(wide, key=lambda block: abs(block.left - left) + abs(block.right - right))


def _place(block: Block, texts: Sequence[Block], usual: Block | None) -> int:
    """Return where a heading stands in the column of the text nearest to it, else among the usual edges."""
    middle = block.middle_x
    column = [text for text in texts if text.left <= middle <= text.right]
    near = sorted(column, key=lambda text: min(abs(text.top - block.bottom), abs(block.top - text.bottom)))[:1]
    for text in (*near, usual):
        place = _ELSEWHERE if text is None else _place_in(block, text.left, text.right)
        if place != _ELSEWHERE:
            return place
    return _ELSEWHERE


def _place_in(block: Block, left: float, right: float) -> int:
    width = right - left
    before, after = block.left - left, right - block.right
    if before < _SAME * block.size:
        return _FLUSH
    if width < _WIDE * block.size or min(before, after) < _FREE * width:
        return _ELSEWHERE
    return _CENTRED if abs(before - after) < _EVEN * width else _ELSEWHERE


def _set_in(blocks: Sequence[Block]) -> set[int]:
    """Return the headings that are set in against one before them on their page, if there are enough in all."""
    stepped: dict[int, int] = {}
    outer: Block | None = None
    for block in blocks:
        if outer is None or block.page != outer.page or block.top < outer.top:
            outer = block
            continue
        step = (block.left - outer.left) / max(block.size, 1.0)
        if _STEPS[0] <= step <= _STEPS[1]:
            stepped[id(block)] = round(step / _SAME)
        else:
            outer = block
    steps = Counter(stepped.values())
    return {key for key, step in stepped.items() if steps[step - 1] + steps[step] + steps[step + 1] >= _LEAST}
