"""Leaflets: sheets folded into three or four panels, each a page of its own; no text goes over a fold."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.model import Line, by_panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_PANELS = (3, 4)
"""Panels of a sheet that is folded."""
_WIDE = 1.2
"""Width of such a sheet by its height at least."""
_OFF = 0.03
"""Share of the width of the sheet by which a fold is off its third or quarter at most."""
_MARGIN = 12.0
"""Points of white at a fold at least: the margins of two panels."""
_LARGEST = 12.5
"""Points of the type of a leaflet at most: slides are set larger, and read row by row."""
_RUN = 8
"""Lines of running text, one after the other, in two panels at least: cells of tables hold fewer."""
_FULL = 0.6
"""Width of such lines, in that of the text of the panel, at least."""
_RULES = 2
"""Level rules that run over a fold at most: tables have more."""
_PAGES = 4
"""Sides of a leaflet at most: with one that runs on, the others of its size are panels too, whatever is on them."""


def set_folds(pages: Sequence[Page]) -> None:
    """Set the folds of pages that are sides of a leaflet, and cut lines there.

    Args:
        pages: with lines; ``folds`` and lines change.
    """
    clear = [(page, folds) for page in pages if (folds := _clear(page))]
    running = [page for page, folds in clear if _runs_on(page, folds)]
    few = len(pages) <= _PAGES
    for page, folds in clear:
        like = any(abs(page.width - one.width) < 1 and abs(page.height - one.height) < 1 for one in running)
        if any(page is one for one in running) or (few and like):
            page.folds = folds
            page.lines = [piece for line in page.lines for piece in _cut(line, folds)]


def _clear(page: Page) -> list[float]:
    """Return the folds of a page on which nothing stands in their way; none if it is no folded sheet."""
    if page.width < _WIDE * page.height or not page.words or page.directed:
        return []
    sizes = sorted((word.size, len(word.text)) for word in page.words)
    if median(size for size, length in sizes for _ in range(length)) > _LARGEST:
        return []
    for count in _PANELS:
        folds = [fold for number in range(1, count) if (fold := _fold(page, number / count)) is not None]
        if len(folds) == count - 1 and all(_rules_over(page, fold) <= _RULES for fold in folds):
            return folds
    return []


def _fold(page: Page, share: float) -> float | None:
    """Return the middle of the white strip about a share of the width that no word stands in; None if there is none."""
    at, reach = share * page.width, _OFF * page.width
    left = 0.0
    best: float | None = None
    for start, end in [*sorted((word.left, word.right) for word in page.words), (page.width, page.width)]:
        if start - left >= _MARGIN:
            middle = min(max(at, left + _MARGIN / 2), start - _MARGIN / 2)
            if abs(middle - at) <= reach and (best is None or abs(middle - at) < abs(best - at)):
                best = middle
        left = max(left, end)
    return best


def _rules_over(page: Page, fold: float) -> int:
    return sum(left < fold - _MARGIN and right > fold + _MARGIN for left, right, _ in page.horizontals)


def _runs_on(page: Page, folds: Sequence[float]) -> bool:
    """Return True if two panels hold running text."""
    pieces = [piece for line in page.lines for piece in _cut(line, folds)]
    return sum(map(_has_run, by_panel(pieces, folds))) > 1


def _has_run(lines: Sequence[Line]) -> bool:
    wide = max((line.right for line in lines), default=0.0) - min((line.left for line in lines), default=0.0)
    full = sorted((line for line in lines if line.width >= _FULL * wide), key=lambda line: line.bottom)
    count = 1
    for upper, lower in pairwise(full):
        near = 0.7 * lower.size < lower.bottom - upper.bottom < 1.7 * lower.size
        count = count + 1 if near and abs(upper.size - lower.size) < 0.6 else 1
        if count >= _RUN:
            return True
    return False


def _cut(line: Line, folds: Sequence[float]) -> list[Line]:
    """Return a line in pieces, one for each panel that it stands in."""
    if not any(line.left < fold < line.right for fold in folds):
        return [line]
    return [Line(words) for words in by_panel(line.words, folds) if words]
