"""Columns of figures between two upright rules, which white space parts and no line does."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import line_text, text_rows
from ragraph.pdf.tables.amounts import pieces
from ragraph.pdf.tables.grids import is_numeric
from ragraph.pdf.tables.white import corridors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Word

_ROWS = 3
"""Rows of text with figures on both sides of the white space, at least."""
_SHARE = 0.6
"""Share of the rows of text with figures that have some on both sides, at least: cells hold two now and then."""
_MIDDLE = 1.0
"""What names several columns has its middle so near to theirs, in sizes of type."""
_LETTERS = re.compile(r"[^\W\d_]{2}")
"""So many letters in a row make a word, which is in no figure."""


class Within(NamedTuple):
    """White space that parts two columns: the upright lines around both, and the place between."""

    left: float
    right: float
    at: float


def columns_within(xs: Sequence[float], words: Sequence[Word]) -> list[Within]:
    """Return where white space parts columns of figures between neighbouring upright lines.

    Args:
        xs: the upright lines, left to right.
        words: those of the table.
    """
    found: list[Within] = []
    for left, right in pairwise(xs):
        inside = _between(words, left, right)
        if len(inside) < 2 * _ROWS:
            continue
        rows = [pieces(row) for row in text_rows(inside, _size(inside))]
        figures = [row for row in rows if any(_is_figure(piece) for piece in row)]
        for corridor in corridors([[word for piece in row for word in piece] for row in rows], _size(inside)):
            both = sum(_parts_figures(row, corridor.middle) for row in figures)
            if both >= _ROWS and both >= _SHARE * len(figures):
                found.append(Within(left, right, corridor.middle))
    return found


def parted_by(found: Sequence[Within], ys: Sequence[float], words: Sequence[Word]) -> list[tuple[float, float, float]]:
    """Return the upright lines that white space stands for, in the rows in which nothing spans the columns beside.

    Args:
        found: white space between columns.
        ys: edges of the rows.
        words: those of the table.
    """
    lines = []
    for within in found:
        inside = _between(words, within.left, within.right)
        for top, bottom in pairwise(ys):
            row = [word for word in inside if top < word.middle_y <= bottom]
            if not any(_spans(level, within) for level in text_rows(row, _size(row))):
                lines.append((top, bottom, within.at))
    return lines


def head_cut(words: Sequence[Word], size: float, found: Sequence[Within]) -> tuple[float, list[tuple[float, float]]]:
    """Return where lines that name several columns end, and lines that name each of them begin.

    Args:
        words: those between two level lines.
        size: the usual size of type.
        found: white space between columns.

    Returns:
        The height between both, and from where to where there are such columns; none if there is no such place.
    """
    reach: list[tuple[float, float]] = []
    ends, starts = [], []
    for within in found:
        rows = text_rows(_between(words, within.left, within.right), size)
        spanning = [_spans(row, within) for row in rows]
        count = sum(spanning)
        if not count or count == len(rows) or not all(spanning[:count]):
            continue
        reach.append((within.left, within.right))
        ends.append(max(word.bottom for row in rows[:count] for word in row))
        starts.append(min(word.top for row in rows[count:] for word in row))
    if not reach or max(ends) > min(starts) + 0.5 * size:
        return 0.0, []
    return (max(ends) + min(starts)) / 2, sorted(set(reach))


def _between(words: Sequence[Word], left: float, right: float) -> list[Word]:
    return [word for word in words if left < word.middle_x <= right]


def _size(words: Sequence[Word]) -> float:
    return sorted(word.size for word in words)[len(words) // 2] if words else 0.0


def _parts_figures(row: Sequence[Sequence[Word]], at: float) -> bool:
    """Return True if the pieces of a row on both sides of a place, next to it, are figures."""
    before = [piece for piece in row if max(word.right for word in piece) <= at]
    behind = [piece for piece in row if piece[0].left >= at]
    return bool(before and behind) and _is_figure(before[-1]) and _is_figure(behind[0])


def _is_figure(piece: Sequence[Word]) -> bool:
    text = line_text(list(piece))
    return is_numeric(text) or (any(map(str.isdigit, text)) and not _LETTERS.search(text))


def _spans(row: Sequence[Word], within: Within) -> bool:
    """Return True if part of a row of text stands over the columns on both sides: across, or alone in the middle."""
    parts = pieces(row)
    if any(part[0].left < within.at < max(word.right for word in part) for part in parts):
        return True
    if len(parts) != 1 or _is_figure(parts[0]):
        return False
    part = parts[0]
    off = part[0].left + max(word.right for word in part) - within.left - within.right
    return abs(off) < 2 * _MIDDLE * part[0].size
