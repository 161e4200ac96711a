"""The order in which boxes of a page are read: columns one after the other, and rows where they are told.

The algorithm is that of ``ReadingOrderPredictor`` in docling 2.143 (MIT licence), for text alone, and gives the same
orders. docling's own takes 100 MB for the classes of its documents. Each box is linked to those right above and below
it that share some of its width; from the topmost on, what is linked below is read, what is linked above it first.
"""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SLACK = 1e-3
"""Points by which boxes above or beside each other may overlap."""
_LEVEL = 0.8
"""Minimum height that two boxes share, in that of both together, at which they may stand on one row."""
_WIDENED = 0.15
"""Width by which a box is widened to that above or below it at most, in that of the page."""
_OVERLAP = 0.0025
"""Height by which a box that follows another may overlap it, in that of the page."""
_ONE_EDGE = 0.01
"""Distance of the left edges of such boxes at most, in the width of the page."""


def in_sequence(boxes: Sequence[Box], rows: Sequence[bool], width: float, height: float) -> list[int]:
    """Return the indices of boxes in reading order.

    Args:
        boxes: of a page, in the order of the file, or from top to bottom.
        rows: for each box, whether it may stand on one row with the one before it.
        width: of the page, in points.
        height: of the page, in points.
    """
    beside = _beside(boxes, rows)
    near = [
        row and abs(upper.left - lower.left) < _ONE_EDGE * width
        for row, (upper, lower) in zip(rows[1:], pairwise(boxes), strict=True)
    ]
    above, below = _links(boxes, beside, near, height)
    wider = _widened(boxes, above, below, _WIDENED * width)
    above, below = _links(wider, beside, near, height)

    def compared(one: int, other: int) -> int:
        return -1 if _comes_before(boxes[one], boxes[other]) else 1

    by_place = cmp_to_key(compared)
    for links in (above, below):
        for linked in links:
            linked.sort(key=by_place)
    heads = sorted((index for index, linked in enumerate(above) if not linked), key=by_place)
    return _walked(heads, above, below)


def _beside(boxes: Sequence[Box], rows: Sequence[bool]) -> dict[int, int]:
    """Return the box that stands right of another on its row, with nothing between, by the index of that."""
    found: dict[int, int] = {}
    for index in range(1, len(boxes)):
        left, right = boxes[index - 1], boxes[index]
        if not rows[index] or left.right + _SLACK >= right.left:
            continue
        top, bottom = max(left.top, right.top), min(left.bottom, right.bottom)
        whole = max(left.bottom, right.bottom) - min(left.top, right.top)
        if top >= bottom or (bottom - top) / whole <= _LEVEL:
            continue
        if not any(
            left.right < box.right and box.left < right.left and box.top < bottom and top < box.bottom
            for at, box in enumerate(boxes)
            if at not in {index - 1, index}
        ):
            found[index - 1] = index
    return found


def _links(
    boxes: Sequence[Box], beside: dict[int, int], near: Sequence[bool], height: float
) -> tuple[list[list[int]], list[list[int]]]:
    """Return what is linked above each box, and what below it.

    Sets of boxes are bits of a number: that a box has another between itself and a third is one operation.
    """
    above: list[list[int]] = [[] for _ in boxes]
    below: list[list[int]] = [[] for _ in boxes]
    over = [_bits(box.bottom - _SLACK < lower.top for box in boxes) for lower in boxes]
    under = [_bits(upper.bottom - _SLACK < box.top for box in boxes) for upper in boxes]
    lane = [_bits(_share_width(box, other) for box in boxes) for other in boxes]
    left_of = {right: left for left, right in beside.items()}

    for lower in range(len(boxes)):
        if lower in left_of:
            _link(above, below, left_of[lower], lower)
        for at in range(len(boxes)):
            both = 1 << at | 1 << lower
            if at == lower or not over[lower] & lane[lower] & 1 << at:
                continue
            if not (lane[at] | lane[lower]) & under[at] & over[lower] & ~both:
                _link(above, below, _last_of_row(at, beside), lower)
    for at, (one, other) in enumerate(pairwise(boxes)):
        if near[at] and at + 1 not in below[at] and _overlap_a_little(one, other, _OVERLAP * height):
            _link(above, below, at, at + 1)
    return above, below


def _last_of_row(at: int, beside: dict[int, int]) -> int:
    while at in beside:
        at = beside[at]
    return at


def _link(above: list[list[int]], below: list[list[int]], upper: int, lower: int) -> None:
    below[upper].append(lower)
    above[lower].append(upper)


def _overlap_a_little(one: Box, other: Box, most: float) -> bool:
    """Return True if a box begins a little above the foot of another, as paragraphs that follow each other may."""
    descends = one.top < other.top and one.bottom < other.bottom
    return descends and 0 < one.bottom - other.top <= most


def _bits(flags: Iterable[bool]) -> int:
    return sum(flag << index for index, flag in enumerate(flags))


def _share_width(one: Box, other: Box) -> bool:
    return one.right > other.left and other.right > one.left


def _widened(
    boxes: Sequence[Box], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]], most: float
) -> list[Box]:
    """Return boxes, each widened to the one above and the one below that are linked to it and to nothing else there."""
    found = []
    for index, box in enumerate(boxes):
        left, right = box.left, box.right
        pairs = [(at, index) for at in above[index][:1]] + [(index, at) for at in below[index][:1]]
        for upper, lower in pairs:
            if list(below[upper]) != [lower] or list(above[lower]) != [upper]:
                continue
            other = boxes[upper if lower == index else lower]
            wide = min(left, other.left), max(right, other.right)
            if left - wide[0] > most or wide[1] - right > most:
                left, right = box.left, box.right
                break
            left, right = wide
        found.append(Box(left, box.top, right, box.bottom))
    return found


def _comes_before(one: Box, other: Box) -> bool:
    """Return True if a box stands higher than another in its lane, or begins left of one in another lane."""
    return one.bottom < other.bottom if _share_width(one, other) else one.left < other.left


def _walked(heads: Sequence[int], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> list[int]:
    """Return boxes in the order of a walk down from each head; those in a circle of links come last."""
    order: list[int] = []
    seen: set[int] = set()

    def take(index: int) -> None:
        order.append(index)
        seen.add(index)

    for head in heads:
        if head in seen:
            continue
        take(head)
        stack = [(below[head], 0)]
        while stack:
            linked, start = stack[-1]
            for tried, lower in enumerate(linked[start:], 1):
                top = _topmost(lower, seen, above)
                if top not in seen:
                    take(top)
                    stack[-1] = (linked, tried)
                    stack.append((below[top], 0))
                    break
            else:
                stack.pop()
    return [*order, *(index for index in range(len(above)) if index not in seen)]


def _topmost(index: int, seen: set[int], above: Sequence[Sequence[int]]) -> int:
    """Return the box that is reached by going up from one as long as something is linked that was not read."""
    walked = {index}
    while True:
        upper = next((at for at in above[index] if at not in seen and at not in walked), None)
        if upper is None:
            return index
        walked.add(upper)
        index = upper
