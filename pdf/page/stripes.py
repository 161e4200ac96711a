"""Stripes behind rows: the ground of one table, and no drawing; their edges part its rows as rules do."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Box, in_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragraph.pdf.model import Page

_EDGE = 1.5
"""Points by which ends of stripes differ at most, and thickness of rules between them."""
_FEWEST = 3
"""Stripes of a table at least."""
_ROWS = 0.7
"""Share of the stripes with words parted as those of cells are, at least: boxes of a diagram have one name each."""
_PARTED = 0.8
"""White between words that parts cells, in their height."""
_ROOM = 2.0
"""Height of the white between two stripes at most, in that of the higher one."""
_HIGHEST = 6.0
"""Height of a stripe at most, in that of its words: grounds of cards and panels are higher."""


class Shape(NamedTuple):
    """A shape of a page: its box, its colour in red, green and blue, and whether it is an upright rectangle."""

    box: Box
    colour: tuple[int, ...]
    upright: bool


def without_stripes(page: Page, drawings: Sequence[Box], shapes: Iterable[Shape]) -> list[Box]:
    """Return the drawings that are anything else than stripes behind rows of words.

    Every row has a stripe, or every other one. A stripe runs from one side of its drawing to the other, or has the
    cells of one row side by side, all of one colour. Rules between stripes, and one ground behind all of them, may be
    part of the drawing.

    Args:
        page: with words; the edges of the stripes become level rules of it, what they are behind is ``striped``.
        drawings: boxes of shapes that touch.
        shapes: of the page.
    """
    parts = _upright(drawings, shapes) if page.words else {}
    stripes = {box: found for box, own in parts.items() if (found := _stripes(box, own))}
    dropped: set[Box] = set()
    for run in _runs(stripes):
        bands = _bands([stripe for box in run for stripe in stripes[box]])
        if len(bands) >= _FEWEST and _bear_rows(page, bands):
            dropped |= {*run}
            whole = bands[0].union(*bands)
            page.striped.append(whole)
            edges = (whole.top, *(band.bottom for band in bands))
            page.horizontals += [(whole.left, whole.right, round(y, 2)) for y in edges]
    return [box for box in drawings if box not in dropped]


def _upright(drawings: Sequence[Box], shapes: Iterable[Shape]) -> dict[Box, list[Shape]]:
    """Return the drawings that are high enough and of upright rectangles alone, each with these."""
    parts: dict[Box, list[Shape]] = {box: [] for box in drawings if box.height > _FEWEST * _EDGE}
    for shape in shapes if parts else ():
        for box in [box for box in parts if box.grown(_EDGE).holds(shape.box, 0.99)]:
            if shape.upright:
                parts[box].append(shape)
            else:
                del parts[box]
    return parts


def is_upright(xs: Sequence[float], ys: Sequence[float]) -> bool:
    """Return True if points are the corners of an upright rectangle, or the ends of a level or upright stroke."""
    return len({round(x, 1) for x in xs}) <= 2 and len({round(y, 1) for y in ys}) <= 2


def _stripes(whole: Box, parts: Iterable[Shape]) -> list[Box]:
    """Return the stripes of a drawing from the top down; none where it is made up of anything else."""
    bars = [part for part in parts if min(part.box.width, part.box.height) > _EDGE and not _is_ground(part.box, whole)]
    bars.sort(key=lambda part: (round(part.box.top), part.box.left))
    rows = in_runs(bars, lambda row, part: _is_level(row[0].box, part.box))
    if any(not _runs_through(whole, row) for row in rows):
        return []
    stripes = [row[0].box.union(row[-1].box) for row in rows]
    stacked = all(abs(lower.top - upper.bottom) < 2 * _EDGE for upper, lower in pairwise(stripes))
    return (stripes or [whole]) if stacked else []


def _is_level(box: Box, other: Box) -> bool:
    return abs(other.top - box.top) < _EDGE and abs(other.bottom - box.bottom) < _EDGE


def _is_ground(box: Box, whole: Box) -> bool:
    return all(abs(a - b) < _EDGE for a, b in zip(box, whole, strict=True))


def _runs_through(whole: Box, row: Sequence[Shape]) -> bool:
    """Return True if cells fill a drawing from one side to the other, in one colour: those of heat maps differ."""
    ends = abs(row[0].box.left - whole.left) < _EDGE and abs(row[-1].box.right - whole.right) < _EDGE
    joined = all(abs(right.box.left - left.box.right) < 2 * _EDGE for left, right in pairwise(row))
    return ends and joined and len({part.colour for part in row}) == 1


def _bear_rows(page: Page, stripes: Sequence[Box]) -> bool:
    """Return True if most stripes bear words parted by white, of which they are not much higher."""
    rows = 0
    for stripe in stripes:
        words = sorted((word for word in page.words if stripe.holds(word.box, 0.5)), key=lambda word: word.left)
        high = max((word.bottom - word.top for word in words), default=0.0)
        if words and stripe.height > _HIGHEST * high:
            return False
        right, parted = words[0].right if words else 0.0, False
        for word in words:
            parted |= word.left - right > _PARTED * high
            right = max(right, word.right)
        rows += parted
    return rows >= max(_FEWEST, _ROWS * len(stripes))


def _runs(stripes: Mapping[Box, Sequence[Box]]) -> list[list[Box]]:
    """Return the drawings of one table each: as wide as each other, with room for a row between them or none."""
    runs: list[list[Box]] = []
    for box in sorted(stripes, key=lambda box: box.top):
        for run in runs:
            last = run[-1]
            same = abs(box.left - last.left) < _EDGE and abs(box.right - last.right) < _EDGE
            over, under = stripes[last][-1], stripes[box][0]
            if same and box.top - last.bottom < _ROOM * max(over.height, under.height):
                run.append(box)
                break
        else:
            runs.append([box])
    return runs


def _bands(stripes: Sequence[Box]) -> list[Box]:
    """Return stripes with the white ones between them, from the top down."""
    bands = [*stripes[:1]]
    for stripe in stripes[1:]:
        last = bands[-1]
        if stripe.top - last.bottom > 2 * _EDGE:
            bands.append(Box(last.left, last.bottom, last.right, stripe.top))
        bands.append(stripe)
    return bands
