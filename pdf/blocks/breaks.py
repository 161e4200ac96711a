"""Where a block surely ends between two lines that the rules put together, as learnt from tagged files.

``pdf/training/breaks.py`` makes the weights; ``breaks.npz`` holds them. They are learnt from pairs in which
the first word of the lower line would have fitted on the upper one, or whose type differs, and asked of few of these:
where one line may be a heading. Lines of a menu or of an address stay one block. Lines of listings and lines with
numbers are left to the rules, which know how numbers count on: a list of contents is no row of titles. So are lines
read from the right on pages that are not turned round as a whole: they end where others begin.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragraph.pdf.patterns import BULLET, DECIMAL, NUMBERED, PARAGRAPH_END, RIGHT_TO_LEFT, SENTENCE_END
from ragraph.pdf.trees import read_trees

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ragraph.pdf.model import Line, Style

SURE = 3.0
"""Minimum log-odds at which two lines are parted: nine of ten of those cut so in files not learnt from were stated
apart, and no heading was cut in two."""
_REACH = 6
"""Lines above and below a pair that tell the edges of its column and its usual distance, and sizes of type between two
of them at most."""
_MONO = 0.6
"""Minimum share of typewriter type at which a line may be one of a listing, whose lines are one block."""
_BLANK = 0.3
"""Width of a blank, per point of size."""
_FAR = 9.0
"""Distance, in sizes of type, of a line that is not there."""
_APART = 1.15
"""Minimum distance at which two lines are further apart than others of their column, in usual distances."""
_OTHER_SIZE = 0.04
"""Share by which a line is larger than another at least, to stand out."""
_WHOLLY, _PARTLY = 0.9, 0.5
"""Shares of a line: what is set in bold has more than the first, what only begins with a bold word less than the
second."""
_LETTERS = 3
"""Letters and signs of a line that may be a heading, or what is under one, at least: a full stop may be alone."""
_GOES_ON = (",", "-", "\u2013", ";", "&")
"""What a line ends with whose sentence goes on in the next."""
NAMES = (
    *("gap", "step", "step of style", "step of column", "less before", "less after", "before", "pitch"),
    *("size above", "size at break", "one font", "fonts apart", "fits", "width above", "right", "left", "centre"),
    *("length above", "words above", "digits above", "ends sentence"),
    *("length", "words", "capitals", "first", "bullet"),
)
"""What is measured of two lines, the upper one "above"."""
_STEP = NAMES.index("step of column")


class Neighbours(NamedTuple):
    """The nearest line above and below in its column, by the ``id`` of a line."""

    above: Mapping[int, Line]
    below: Mapping[int, Line]


class _Column(NamedTuple):
    """The edge of a column and its usual distance of lines, 0 where there is none."""

    right: float
    step: float


def breaks_within(
    blocks: Sequence[Sequence[Line]], near: Neighbours, style: Style, *, turned: bool = False
) -> set[int]:
    """Return the ``id`` of each line that begins a block of its own within one that the rules made.

    Args:
        blocks: lines of the blocks of a page.
        near: of all lines of the page.
        style: the running style of the document.
        turned: whether the page is turned round, so that lines from the right stand like others.
    """
    lower: list[Line] = []
    rows: list[list[float]] = []
    for block in blocks:
        for one, other in pairwise(block):
            if not turned and (_from_right(one) or _from_right(other)):
                continue
            row = measure(one, other, near, style)
            if row is not None and may_part(one, other, row):
                lower.append(other)
                rows.append(row)
    if not rows:
        return set()
    trees = read_trees(__package__, "breaks.npz", NAMES)
    found: NDArray[np.bool_] = trees.log_odds(np.array(rows, dtype=np.float32)) > SURE
    return {id(line) for line, sure in zip(lower, found, strict=True) if sure}


def measure(upper: Line, lower: Line, near: Neighbours, style: Style) -> list[float] | None:
    """Return a row of ``NAMES`` for two lines, one below the other; None if they are not asked of.

    Args:
        upper: a line.
        lower: the next one of its column.
        near: of all lines of the page.
        style: the running style of the document.
    """
    if upper.mono >= _MONO or lower.mono >= _MONO or NUMBERED.match(lower.text) or DECIMAL.match(lower.text):
        return None
    em = lower.size
    column = _column(upper, lower, near)
    last, first = upper.words[-1], lower.words[0]
    fits = (column.right - upper.right - first.width) / em - _BLANK
    usual = max(style.pitch * em / style.size, 1.05 * em)
    step = lower.bottom - upper.bottom
    if fits <= 0 and _type(upper) == _type(lower):
        return None
    before, after = near.above.get(id(upper)), near.below.get(id(lower))
    step_before = min((upper.bottom - before.bottom) / em, _FAR) if before else _FAR
    step_after = min((after.bottom - lower.bottom) / em, _FAR) if after else _FAR
    fonts = {word.font.name for word in lower.words}
    return [
        (lower.top - upper.bottom) / em,
        step / em,
        step / usual,
        step / column.step if column.step else 0.0,
        step / em - step_before,
        step / em - step_after,
        step_before,
        style.pitch / style.size,
        upper.size / style.size,
        first.size / max(last.size, 0.1),
        last.font.name == first.font.name,
        all(word.font.name not in fonts for word in upper.words),
        fits,
        upper.width / em,
        (upper.right - lower.right) / em,
        (lower.left - upper.left) / em,
        abs((lower.left + lower.right) - (upper.left + upper.right)) / 2 / em,
        min(upper.length, 150),
        min(len(upper.words), 30),
        sum(map(str.isdigit, upper.text)) / max(len(upper.text), 1),
        bool(SENTENCE_END.search(upper.text)),
        min(lower.length, 150),
        min(len(lower.words), 30),
        _capitals(lower.text),
        _first(lower.text),
        lower.bulleted or bool(BULLET.match(lower.text)),
    ]


def may_part(upper: Line, lower: Line, row: Sequence[float]) -> bool:
    """Return True if one of two lines may be a heading over or under the other: only there is a block cut.

    They stand apart, or the upper one stands out, or the lower one does and a sentence has ended.

    Args:
        upper: a line.
        lower: the next one of its column.
        row: what is measured of them.
    """
    if upper.text[-1:] in _GOES_ON or _first(lower.text) == 1 or min(upper.length, lower.length) < _LETTERS:
        return False
    ended = PARAGRAPH_END.search(upper.text) is not None
    return row[_STEP] > _APART or _stands_out(upper, lower) or (ended and _stands_out(lower, upper))


def _column(upper: Line, lower: Line, near: Neighbours) -> _Column:
    """Return what the lines around a pair tell of its column."""
    right = max(upper.right, lower.right)
    steps: list[float] = []
    for line, way in ((upper, near.above), (lower, near.below)):
        at = line
        for _ in range(_REACH):
            following = way.get(id(at))
            if following is None or abs(following.bottom - at.bottom) > _REACH * line.size:
                break
            if abs(following.size - at.size) < 0.1 * at.size:
                steps.append(abs(following.bottom - at.bottom))
            right = max(right, following.right)
            at = following
    return _Column(right, median(steps) if steps else 0.0)


def _from_right(line: Line) -> bool:
    """Return True if most letters of a line are read from the right."""
    return 2 * len(RIGHT_TO_LEFT.findall(line.text)) > sum(map(str.isalpha, line.text))


def _stands_out(title: Line, other: Line) -> bool:
    """Return True if a line is larger than another, or alone wholly bold, slanted, underlined or in capitals."""
    shares = (
        (title.bold, other.bold),
        (title.italic, other.italic),
        (title.underlined, other.underlined),
        (_capitals(title.text), _capitals(other.text)),
    )
    larger = title.size > (1 + _OTHER_SIZE) * other.size
    return larger or any(whole > _WHOLLY and part < _PARTLY for whole, part in shares)


def _type(line: Line) -> tuple[float, bool, bool, bool]:
    return round(line.size * 2) / 2, line.bold > 0.6, line.italic > 0.7, _capitals(line.text) > 0.85


def _capitals(text: str) -> float:
    """Return the share of capitals among the letters of a text; 0 where there are hardly any letters."""
    letters = [letter for letter in text if letter.isalpha()]
    return sum(map(str.isupper, letters)) / len(letters) if len(letters) > 2 else 0.0


def _first(text: str) -> int:
    """Return what a text begins with, quotes and parentheses aside: 1 small, 2 capital, 3 digit, 4 another sign."""
    sign = text.lstrip("\u201c\"'(")[:1]
    if not sign:
        return 0
    return 1 if sign.islower() else 2 if sign.isupper() else 3 if sign.isdigit() else 4
