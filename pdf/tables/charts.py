"""Charts: ruling lines and numbers that are a scale, or the drawing of a figure, and no rows of a table."""

from __future__ import annotations

import re
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from ragraph.pdf.model import Box, in_runs
from ragraph.pdf.patterns import CAPTION, FIGURE_CAPTION
from ragraph.pdf.tables.ruled import merged_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragraph.pdf.model import Block, Grid, Line, Page, Word

_Mark = TypeVar("_Mark", "Word", "Line")

MARK = re.compile(r"^[$€£]?[-−–]?\d[\d,]*(?:\.\d+)?%?$")
"""A number of a scale."""
_MARKS = 4
"""Numbers of a scale at least: three that fall by one step to nothing stand in many a table."""
_STEP = 0.1
"""Share by which the distances between the numbers of a scale differ at most."""
_EDGE = 3
"""Points by which the numbers of a scale begin, or end, apart at most."""
_BESIDE = 6
"""A scale stands at most so many times its size of type beside the lines that it measures."""
_OVER = 2
"""The same over and under them: the ends of a scale stand at the ends of its lines."""
_ROWS = 0.5
"""Share of the numbers of a scale that have words on their row at most: the numbers of a table have more."""
_EMPTY = 0.5
"""Share of the places with words of their own under which what a caption calls a figure is one."""
_SLACK = 2
"""Points by which a number may reach over the ruling lines of its cell."""
_PART = 0.5
"""Share of a drawing that the tables in it cover, under which they are lines of the drawing."""
_BESIDE_TABLE = 12
"""Points that such a drawing goes on beside a table at least: titles and notes in a frame stand over and under it."""
_LARGEST = 0.25
"""Share of its page that such a drawing takes at most: grounds of pages and forms are larger."""
_FRAME = 4
"""Points between the edges of a frame, or ground, and of its drawing."""
_CAPTION = 3
"""A caption stands at most so many times its size of type over or under its figure."""


def is_chart(page: Page, table: Block, lines: Sequence[Line]) -> bool:
    """Return True if what looks like a table is a chart: it has a scale, or is called a figure and is mostly empty.

    Args:
        page: with its rules.
        table: with its grid.
        lines: of the page, or of the panel.
    """
    grid = table.grid
    return grid is not None and (_is_drawn(table, grid, lines) or _has_scale(page, table, grid, lines))


def in_drawing(page: Page, table: Block, tables: Sequence[Block]) -> bool:
    """Return True if what looks like a table is a small part of one drawing, as lines of measures at a machine are.

    Frames and grounds around a table are no such drawings.

    Args:
        page: with its drawings.
        table: what may be none.
        tables: all those of the page.
    """
    return any(
        drawing.holds(table, 0.9)
        and max(table.left - drawing.left, drawing.right - table.right) > _BESIDE_TABLE
        and sum(other.box.area for other in tables if drawing.holds(other, 0.5)) < _PART * drawing.area
        for drawing in page.drawings
        if drawing.area < _LARGEST * page.width * page.height
        and not any(all(abs(a - b) < _FRAME for a, b in zip(frame, drawing, strict=True)) for frame in page.frames)
    )


def _is_drawn(table: Block, grid: Grid, lines: Sequence[Line]) -> bool:
    if len(grid.words) >= _EMPTY * grid.rows * grid.columns:
        return False
    captions = [line for line in lines if CAPTION.match(line.text)
                and line.right > table.left and line.left < table.right
                and max(table.top - line.bottom, line.top - table.bottom) < _CAPTION * line.size]  # fmt: skip
    return bool(captions) and all(FIGURE_CAPTION.match(line.text) for line in captions)


def _has_scale(page: Page, table: Block, grid: Grid, lines: Sequence[Line]) -> bool:
    """Return True if numbers under each other fall to zero by one step, and most have nothing else on their row.

    Those of a column with a head among heads, and those in cells of their own, are the numbers of a table.
    """
    words = [word for line in lines for word in line.words]
    size = max(line.size for line in table.lines)
    wide, high = _BESIDE * size, _OVER * size
    reach = Box(table.left - wide, table.top - high, table.right + wide, table.bottom + high)
    inside = [word for word in words if reach.holds(word.box, 0.9)]
    marks = [word for word in inside if MARK.match(word.text)]
    known = _on_scales(page, grid, marks)
    scale = [word for word in marks if id(word) in known]
    others = [word for word in inside if id(word) not in known]
    level = sum(any(abs(word.top + word.bottom - other.top - other.bottom) < word.size for other in others)
                for word in scale)  # fmt: skip
    return bool(scale) and level <= _ROWS * len(scale)


def _on_scales(page: Page, grid: Grid, marks: Sequence[Word]) -> set[int]:
    """Return the ``id`` of the numbers that are on a scale."""
    known: set[int] = set()
    for column in (column for side in ("right", "left") for column in in_columns(marks, attrgetter(side), _EDGE)):
        column.sort(key=attrgetter("top"))
        if _falls(column) and not _is_headed(column, grid) and not _in_cells(column, page):
            known |= {id(mark) for mark in column}
    return known


def in_columns(marks: Iterable[_Mark], edge: Callable[[_Mark], float], apart: float) -> list[list[_Mark]]:
    """Return numbers in columns: those of each end at one edge, to within some points."""
    return in_runs(sorted(marks, key=edge), lambda column, mark: edge(mark) - edge(column[0]) <= apart)


def _is_headed(column: Sequence[Word], grid: Grid) -> bool:
    """Return True if numbers stand in one column of a grid, under a row that names every column in words."""
    places = [at for at, (left, right) in enumerate(pairwise(grid.bounds))
              if all(left <= mark.middle_x <= right for mark in column)]  # fmt: skip
    heads = ([grid.words.get((row, at), []) for at in range(grid.columns)] for row in range(grid.header_rows))
    return bool(places) and grid.columns > 1 and any(
        all(any(character.isalpha() for word in head for character in word.text) for head in row) for row in heads
    )  # fmt: skip


def _in_cells(column: Sequence[Word], page: Page) -> bool:
    """Return True if each number, from the top down, has a ruling line on all four sides, before the next one."""
    level = [top for left, right, top in merged_rules(page.horizontals)
             if all(left <= mark.left and mark.right <= right for mark in column)]  # fmt: skip
    upright = merged_rules(page.verticals)
    upper = [0.0, *(mark.bottom - _SLACK for mark in column[:-1])]
    lower = [*(mark.top + _SLACK for mark in column[1:]), page.height]
    for mark, over, under in zip(column, upper, lower, strict=True):
        beside = [at for top, bottom, at in upright if top <= mark.top + _SLACK and mark.bottom - _SLACK <= bottom]
        above = any(over <= at <= mark.top + _SLACK for at in level)
        below = any(mark.bottom - _SLACK <= at <= under for at in level)
        if not (above and below and min(beside, default=mark.left) < mark.left and max(beside, default=0) > mark.right):
            return False
    return True


def _falls(column: Sequence[Word]) -> bool:
    """Return True if numbers fall by one step, as far apart as each other, and come to zero."""
    values = [_value(word.text) for word in column]
    return steps_evenly(column) and min(map(abs, values)) < _STEP * (values[0] - values[1])


def steps_evenly(column: Sequence[Word] | Sequence[Line]) -> bool:
    """Return True if four marks or more, top to bottom, fall by one step, as far apart as each other."""
    if len(column) < _MARKS:
        return False
    marks: list[Word | Line] = sorted(column, key=attrgetter("top"))
    values = [_value(mark.text) for mark in marks]
    steps = [upper - lower for upper, lower in pairwise(values)]
    apart = [lower.top - upper.top for upper, lower in pairwise(marks)]
    even = max(steps) - min(steps) < _STEP * max(steps) and max(apart) - min(apart) < _STEP * max(apart)
    return even and min(steps) > 0


def _value(text: str) -> float:
    size = float(re.sub(r"[^\d.]", "", text))
    return -size if text.lstrip("$€£")[0] in "-−–" else size
