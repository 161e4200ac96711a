"""Stretches of a page that may be tables of words without rules, wherever running text stands in their cells."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import around
from ragraph.pdf.patterns import CAPTION, TABLE_CAPTION
from ragraph.pdf.tables.aligned import Place, Run, _runs, is_near
from ragraph.pdf.tables.grids import chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Line

_WHITE = 0.6
"""White between columns of words at least, in sizes of type."""
_WIDE = 0.9
"""Blanks that part cells, in sizes of type."""
_FEWEST, _HEADS, _CROSSED = 2, 2, 0.2
"""Rows of several cells of a table of words at least, and rows, at least and by share, that may stand over white."""
_CELL = 12
"""Minimum number of lines below the last row of several cells, at which they are none of the table."""
_MAX_STEP = 2.6
"""Rows stand at most so many times the size of type apart, foot to head."""


def word_places(lines: Sequence[Line]) -> list[Place]:
    """Return the stretches of a page that may be tables of words: rows below a row of several pieces, running text too.

    Going down from such a row, what follows belongs to it as long as white between its pieces is kept. Columns of
    running text stand so as well, so nothing speaks for these places but what is weighed.

    Args:
        lines: those of its lines that are in no table.
    """
    captions = [line for line in lines if CAPTION.match(line.text) and TABLE_CAPTION.match(line.text)]
    runs = [(run, _spans(run)) for run in _runs(lines, set())]
    used: set[int] = set()
    found = []
    for at, (start, spans) in enumerate(runs):
        if len(spans) < 2 or id(start) in used:
            continue
        group = _kept_apart(runs[at:])
        if sum(len(_spans(run)) > 1 for run in group) < _FEWEST:
            continue
        used |= {id(run) for run in group}
        pieces = [piece for run in group for piece in run.pieces]
        box = around(pieces)
        found.append(Place(box, pieces, captioned=any(is_near(caption, box) for caption in captions)))
    return found


_Span = tuple[float, float]


def _spans(run: Run) -> list[_Span]:
    """Return the left and right edges of what wide blanks part in a row."""
    words = [word for piece in run.pieces for word in piece.words]
    return [(chunk[0].left, max(word.right for word in chunk)) for chunk in chunks(words, _WIDE)]


def _kept_apart(runs: Sequence[tuple[Run, list[_Span]]]) -> list[Run]:
    """Return the first of some rows and those that follow it and leave most of the white between its cells.

    Rows at its top, and few below them, may stand over some of it: heads and titles of groups.
    """
    start, spans = runs[0]
    group = [start]
    white = [(one[1], other[0]) for one, other in pairwise(spans)]
    crossed = [0] * len(white)
    closed = 0
    for run, cells in runs[1:]:
        size = max(piece.size for piece in run.pieces)
        foot = max(other.bottom for other in group[-2:])
        if run.top - foot > _MAX_STEP * size or CAPTION.match(run.pieces[0].text):
            break
        left = [_narrowed(gap, cells) for gap in white]
        kept = [right - edge > _WHITE * size for edge, right in left]
        if sum(kept) < max(1, len(white) / 2):
            break
        group.append(run)
        crossed = [count + (not stays) for count, stays in zip(crossed, kept, strict=True)]
        lost = [count > max(_HEADS, _CROSSED * len(group)) for count in crossed]
        white = [gap if stays else old for gap, old, stays in zip(left, white, kept, strict=True)]
        white = [gap for gap, gone in zip(white, lost, strict=True) if not gone]
        crossed = [count for count, gone in zip(crossed, lost, strict=True) if not gone]
        closed = len(group) if len(cells) > 1 or cells[0][1] < white[0][0] + size else closed
        if not white:
            break
    return group[: max(closed, 1)] if len(group[closed:]) > _CELL else group


def _narrowed(gap: _Span, cells: Sequence[_Span]) -> _Span:
    """Return what a row leaves of the white between two columns; nothing where it stands over the middle of it."""
    left, right = gap
    middle = (left + right) / 2
    for start, end in cells:
        if start < middle < end:
            return (left, left)
        if end <= middle:
            left = max(left, end)
        else:
            right = min(right, start)
    return (left, right)
