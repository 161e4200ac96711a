"""Charts: ruling lines and numbers that are a scale, or the drawing of a figure, and no rows of a table."""

from __future__ import annotations

import re
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Box
from ragraph.ingest.readers.pdf.patterns import CAPTION, FIGURE_CAPTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.model import Block, Grid, Line, Word

_MARK = re.compile(r"^[$€£]?[-−–]?\d[\d,]*(?:\.\d+)?%?$")
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
_CAPTION = 3
"""A caption stands at most so many times its size of type over or under its figure."""


def is_chart(table: Block, lines: Sequence[Line]) -> bool:
    """Say whether what looks like a table is a chart: it has a scale, or is called a figure and is mostly empty.

    Args:
        table: with its grid.
        lines: of the page, or of the panel.
    """
    grid = table.grid
    return grid is not None and (_is_drawn(table, grid, lines) or _has_scale(table, lines))


def _is_drawn(table: Block, grid: Grid, lines: Sequence[Line]) -> bool:
    if len(grid.words) >= _EMPTY * grid.rows * grid.columns:
        return False
    captions = [line for line in lines if CAPTION.match(line.text)
                and line.right > table.left and line.left < table.right
                and max(table.top - line.bottom, line.top - table.bottom) < _CAPTION * line.size]  # fmt: skip
    return bool(captions) and all(FIGURE_CAPTION.match(line.text) for line in captions)


def _has_scale(table: Block, lines: Sequence[Line]) -> bool:
    """Say whether numbers under each other fall to zero by one step, and most have nothing else on their row."""
    words = [word for line in lines for word in line.words]
    size = max(line.size for line in table.lines)
    wide, high = _BESIDE * size, _OVER * size
    reach = Box(table.left - wide, table.top - high, table.right + wide, table.bottom + high)
    inside = [word for word in words if reach.holds(word.box, 0.9)]
    marks = [word for word in inside if _MARK.match(word.text)]
    known: set[int] = set()
    for edge in (attrgetter("right"), attrgetter("left")):
        column: list[Word] = []
        for word in [*sorted(marks, key=edge), None]:
            if column and (word is None or edge(word) - edge(column[0]) > _EDGE):
                known |= {id(mark) for mark in column} if _falls(sorted(column, key=attrgetter("top"))) else set()
                column = []
            column += [word] if word else []
    scale = [word for word in marks if id(word) in known]
    others = [word for word in inside if id(word) not in known]
    level = sum(any(abs(word.top + word.bottom - other.top - other.bottom) < word.size for other in others)
                for word in scale)  # fmt: skip
    return bool(scale) and level <= _ROWS * len(scale)


def _falls(column: Sequence[Word]) -> bool:
    """Say whether numbers fall by one step, as far apart as each other, and come to zero."""
    if len(column) < _MARKS:
        return False
    values = [_value(word.text) for word in column]
    steps = [upper - lower for upper, lower in pairwise(values)]
    apart = [lower.top - upper.top for upper, lower in pairwise(column)]
    even = max(steps) - min(steps) < _STEP * max(steps) and max(apart) - min(apart) < _STEP * max(apart)
    return even and min(steps) > 0 and min(map(abs, values)) < _STEP * min(steps)


def _value(text: str) -> float:
    size = float(re.sub(r"[^\d.]", "", text))
    return -size if text.lstrip("$€£")[0] in "-−–" else size
