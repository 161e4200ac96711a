"""Scales, names and legends of charts: what stands beside and below a drawing that numbers under each other measure."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box, Line, around, in_runs, shared_width
from ragraph.pdf.patterns import CAPTION, SENTENCE_END
from ragraph.pdf.tables.charts import MARK, in_columns, steps_evenly
from ragraph.pdf.tables.sideways import forget, in_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.pdf.model import Block, Page, Word

_BESIDE = 4.0
"""A scale stands at most so many times its size of type beside its drawing."""
_UNDER = 2.5
"""Names of places along the axis begin at most so many times their size of type under the drawing."""
_LEGEND = 5.0
"""The same of a legend, and of its rows under the names."""
_EDGE = 3.0
"""Points by which the numbers of a scale begin, or end, apart at most."""
_MARKS = 4
"""Numbers in a figure that make it a chart."""
_LONGEST = 28
"""Characters of a label at most: longer lines are text."""
_WRAP = 0.6
"""Distance of the lines of one label at most, in sizes of type."""
_WRAPPED = 3
"""Lines of the name of one place at most: what goes on is a list, or text in columns."""
_FAR = 8.0
"""Words behind the numbers of a scale, seen from the drawing, begin at most so many times their size of type away."""
_FOOT = 0.15
"""Difference of the feet of what stands on one row at most, in sizes of type: lines of another column are no row."""
_TICK = 0.4
"""Distance of a ruling line from the middle of its number at most, likewise."""
_SHARE = 0.5
"""Minimum share of the numbers of a scale that have words behind them, at which they are a list or a table; and that of
those with a ruling line at their height, under which a plain box is no chart."""
_FRAME = 4.0
"""Points between the edges of a picture, or of a frame, and of the figure that is nothing else."""
_LARGER = 1.3
"""Labels are at most so many times as large as the scale."""
_SWATCH = (2.0, 12.0)
"""Points: sides of the spots of colour before the words of a legend."""


def with_axes(page: Page, box: Box, inside: Sequence[Line], lines: Sequence[Line]) -> tuple[list[Line], Box, bool]:
    """Return the lines and the box of a figure with scale, names of its axis and legend; and whether it has a scale.

    Without a scale (four numbers or more under each other beside the drawing, that count by one step, evenly apart)
    nothing is added. Numbers beside a picture or a plain box, and those with words behind them, are no scale.

    Args:
        page: with its drawings and rules.
        box: of the drawing.
        inside: the lines in it.
        lines: all free lines of its page.
    """
    scale = [line for side in (False, True) for line in _scale(page, box, lines, right=side)]
    if not scale:
        return [*inside], box, False
    size = max(line.size for line in scale)
    known = {id(line) for line in (*inside, *scale)}
    rest = [line for line in lines if id(line) not in known and _is_label(line, size)]
    whole = box.union(around(scale))
    names = _names(whole, box.bottom, rest, size)
    legend = _legend(whole, max(line.bottom for line in (*names, *scale)), rest, page.drawings, size)
    for line in (*names, *legend):
        whole = whole.union(line.box)
    added = {id(line) for line in (*scale, *names, *legend)}
    held = [line for line in rest if id(line) not in added and whole.holds(line, 0.6)]
    return in_rows([*inside, *scale, *names, *legend, *held]), whole, True


def add_labels(page: Page, figure: Block) -> None:
    """Give a figure with numbers of a scale the words set sideways in it, beside it and below it.

    Args:
        page: with ``sideways``; the words leave the block that holds them.
        figure: its lines and box change.
    """
    box = figure.box
    if sum(bool(MARK.match(line.text)) for line in figure.lines) < _MARKS:
        return
    found: list[list[Word]] = []
    for words in in_labels(page.sideways):
        label = around([word.box for word in words])
        size = label.right - label.left
        within = box.left - size < label.left and label.right < box.right + size
        under = within and box.bottom - size < label.top < box.bottom + _UNDER * size
        level = box.top - size < label.top and label.bottom < box.bottom + size
        beside = level and max(box.left - label.right, label.left - box.right) < _BESIDE * size
        if box.holds(label, 0.6) or under or beside:
            found.append(words)
    if not found:
        return
    taken = {id(word) for words in found for word in words}
    page.sideways = [word for word in page.sideways if id(word) not in taken]
    forget(page, taken)
    lines = [Line(words) for words in found]
    figure.lines = [*figure.lines, *lines]
    figure.parts = [(figure.page, box.union(around(lines)))]


def in_rows(lines: Sequence[Line]) -> list[Line]:
    """Return lines row by row, as they are read across a chart."""
    ordered = sorted(lines, key=lambda line: line.top + line.bottom)
    rows = in_runs(ordered, lambda row, line: line.top + line.bottom - row[0].top - row[0].bottom < row[0].size)
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]


def _scale(page: Page, box: Box, lines: Sequence[Line], *, right: bool) -> list[Line]:
    """Return the numbers under each other on one side of a drawing that count by one step."""

    def beside(line: Line) -> bool:
        away = line.left - box.right if right else box.left - line.right
        return -line.size < away < _BESIDE * line.size

    def level(line: Line) -> bool:
        return box.top - line.size < line.middle_y < box.bottom + line.size

    near = [line for line in lines if MARK.match(line.text) and beside(line)]
    marks = [line for line in near if level(line)]
    for edge in (attrgetter("right"), attrgetter("left")):
        for column in in_columns(marks, edge, _EDGE):
            if steps_evenly(column) and not _is_listed(column, lines, right=right) and _measures(page, box, column):
                return _whole([*column], near, edge)
    return []


def _is_listed(column: Sequence[Line], lines: Sequence[Line], *, right: bool) -> bool:
    """Return True if numbers have words on their row, away from the drawing: a list, a table, years of a CV.

    Words in the numbers' own line do not count, nor the lines of the next column, which stand at other heights.
    """

    def behind(mark: Line, line: Line) -> bool:
        away = line.left - mark.right if right else mark.left - line.right
        return (
            0 < away < _FAR * mark.size
            and abs(line.bottom - mark.bottom) < _FOOT * mark.size
            and any(character.isalpha() for character in line.text)
        )

    return sum(any(behind(mark, line) for line in lines) for mark in column) >= _SHARE * len(column)


def _measures(page: Page, box: Box, column: Sequence[Line]) -> bool:
    """Return True if a drawing is more than a picture or plain box, or has rules at the height of its numbers."""
    plain = any(
        all(abs(one - other) < _FRAME for one, other in zip(whole, box, strict=True))
        for whole in (*page.images, *page.frames)
    )
    levels = [top for left, right, top in page.horizontals if left < box.right + _EDGE and right > box.left - _EDGE]
    ticked = sum(any(abs(mark.middle_y - level) < _TICK * mark.size for level in levels) for mark in column)
    return not plain or ticked >= _SHARE * len(column)


def _whole(column: list[Line], marks: Sequence[Line], edge: Callable[[Line], float]) -> list[Line]:
    """Return a scale with the numbers that go on with it above its drawing: bars do not reach the highest lines."""
    column.sort(key=attrgetter("top"))
    over = [mark for mark in marks if mark.bottom < column[0].top and abs(edge(mark) - edge(column[0])) < _EDGE]
    for mark in sorted(over, key=attrgetter("top"), reverse=True):
        if not steps_evenly([mark, *column]):
            break
        column.insert(0, mark)
    return column


def _is_label(line: Line, size: float) -> bool:
    return line.length <= _LONGEST and line.size <= _LARGER * size and not CAPTION.match(line.text)


def _names(whole: Box, bottom: float, lines: Sequence[Line], size: float) -> list[Line]:
    """Return the names along the axis: two pieces or more level with each other below the drawing, and what wraps.

    Nothing is returned where the lines go on under each other, or a sentence ends in them: this is text.
    """
    row = _row_under(whole, bottom, lines, size)
    if len(row) < 2 and not all(MARK.match(word.text) for line in row for word in line.words):
        return []
    found, going = [*row], row
    for _ in range(_WRAPPED):
        known = {id(line) for line in found}
        going = [line for line in lines if id(line) not in known and any(_wraps(other, line) for other in going)]
        found += going
    return [] if going or any(_ends_sentence(line) for line in found) else found


def _row_under(whole: Box, bottom: float, lines: Sequence[Line], size: float) -> list[Line]:
    """Return the first row of lines below a drawing."""
    under = [line for line in lines if whole.left - size < line.left and line.right < whole.right + 2 * size
             and bottom - size < line.top < bottom + _UNDER * size]  # fmt: skip
    first = min(under, key=lambda line: line.top, default=None)
    return [line for line in under if first is not None and line.top < first.bottom]


def _ends_sentence(line: Line) -> bool:
    """Return True if a sentence ends in a line; "Jan." is the name of a place on the axis."""
    return bool(SENTENCE_END.search(line.text)) and (len(line.words) > 2 or line.text[-1] != ".")


def _wraps(upper: Line, lower: Line) -> bool:
    shared = shared_width(upper, lower)
    return (
        -0.3 * upper.size < lower.top - upper.bottom < _WRAP * upper.size
        and shared > 0.5 * min(upper.width, lower.width)
        and abs(upper.size - lower.size) < 0.1 * upper.size
        and lower.left > upper.left - upper.size
    )


def _legend(whole: Box, bottom: float, lines: Sequence[Line], spots: Sequence[Box], size: float) -> list[Line]:
    """Return the words behind spots of colour below or beside a chart."""
    near = Box(whole.left - size, whole.top, whole.right + 12 * size, bottom + _LEGEND * size)
    small = [spot for spot in spots if near.holds(spot)
             and _SWATCH[0] <= min(spot.width, spot.height)
             and max(spot.width, spot.height) <= _SWATCH[1]]  # fmt: skip
    return [line for line in lines if near.holds(line)
            and any(-0.5 * line.size < line.left - spot.right < 1.2 * line.size
                    and spot.top > line.top - 0.3 * line.size and spot.bottom < line.bottom + 0.3 * line.size
                    for spot in small)]  # fmt: skip
