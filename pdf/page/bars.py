"""Bars over words: text that was made unreadable is no drawing, whichever words it has been taken from."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_LOWEST, _HIGHEST = 0.6, 1.9
"""Heights of a bar by that of the words of the page: bars cover a line."""
_ALIKE = 0.35
"""Difference of the heights of the bars of a drawing at most, by the highest one."""
_WIDEST_POINT = 16.0
"""Points: lower and narrower drawings are no figures anyway."""


def without_bars(page: Page, drawings: Sequence[Box], shapes: Sequence[Any]) -> list[Box]:
    """Return the drawings that are anything else than black bars as high as a line of text, with no word on them.

    Args:
        page: with words.
        drawings: boxes of shapes that touch.
        shapes: of docling-parse.
    """
    large = [box for box in drawings if min(box.width, box.height) >= _WIDEST_POINT]
    if not large or not page.words:
        return list(drawings)
    line = median(word.bottom - word.top for word in page.words)
    bars: dict[Box, list[Box]] = {box: [] for box in large}
    for shape in shapes:
        if not bars:
            break
        xs, ys = list(shape.get_x()), list(shape.get_y())
        if not xs:
            continue
        bar = Box(min(xs), page.height - max(ys), max(xs), page.height - min(ys))
        for box in [box for box in bars if box.holds(_middle(bar), 0.5)]:
            if _is_bar(shape, xs, ys) and _LOWEST * line <= bar.height <= _HIGHEST * line:
                bars[box].append(bar)
            else:
                del bars[box]
    return [box for box in drawings
            if not ((own := bars.get(box)) and _alike(own) and not _bear_words(page, box, own))]  # fmt: skip


def _middle(box: Box) -> Box:
    """Return a small box in the middle of another one."""
    x, y = box.middle_x, box.middle_y
    return Box(x - 0.1, y - 0.1, x + 0.1, y + 0.1)


def _alike(bars: Sequence[Box]) -> bool:
    heights = [bar.bottom - bar.top for bar in bars]
    return min(heights) >= (1 - _ALIKE) * max(heights)


def _bear_words(page: Page, around: Box, bars: Sequence[Box]) -> bool:
    """Return True if words stand on bars, as in the head of a table."""
    words = [Box(word.left, word.top, word.right, word.bottom) for word in page.words]
    return any(bar.holds(word) for word in words if around.holds(word) for bar in bars)


def _is_bar(shape: Any, xs: Sequence[float], ys: Sequence[float]) -> bool:
    """Return True if a shape is an upright black rectangle, or a stroke as high as one."""
    corners = {(round(x, 1), round(y, 1)) for x, y in zip(xs, ys, strict=True)}
    upright = len({x for x, _ in corners}) <= 2 and len({y for _, y in corners}) <= 2
    return upright and not any(shape.get_rgb_filling_ops())
