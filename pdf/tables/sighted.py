"""Tables in places that a layout model sees, where the rules found no cells to judge."""

from __future__ import annotations

import re
from itertools import chain
from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box, around
from ragraph.pdf.patterns import BULLET, CAPTION, LEADER, TABLE_CAPTION
from ragraph.pdf.tables.aligned import Place, body_rows, figure_columns, is_something_else, reads_on
from ragraph.pdf.tables.panels import are_panels
from ragraph.pdf.tables.ruled import merged_rules, ruled_grid
from ragraph.pdf.tables.white import white_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Grid, Line, Page
    from ragraph.pdf.tables.candidates import Candidate
    from ragraph.pdf.tables.ruled import Rule

_BEYOND = 2.0
"""Sizes of type by which a line of a table runs out of the box that is seen of it, at most: boxes are loose."""
_SLACK = 2.0
"""Points between the text and the rules around it, and between pieces of one rule, at most."""
_STEP = 2.0
"""Sizes of type from a place to the row that goes on with it, less than that."""
_ROWS = 3
"""Rows that a place goes on at either end, at most."""
_LED = 0.3
"""Minimum share of the rows with leaders, at which they are entries of contents."""
_MARKED, _NUMBERED = 0.3, 3
"""Minimum share of the rows that begin with a bullet or the number of an item, so that they are a list; and minimum
number of columns at which numbers are those of rows."""
_NUMBER = re.compile(r"^\(?(?:\d{1,3}|[a-z])[.)]$")
"""Such a number, alone."""
_RULES = 3
"""Level rules of a table that has neither figures nor a caption, at least: text in columns looks like one, too."""
_FULL, _SMALL = 0.9, 0.1
"""Share of the places that hold text, at least, and of the cells behind the first of a row that begin within a
sentence, at most, in a table without such rules."""
_ACROSS = 0.5
"""Minimum share of the width of a place that a rule goes over, at which it parts rows."""
_RUNNING = 0.5
"""Minimum share of the letters in columns that read on from cell to cell, at which they are running text."""
_SPARSE = 0.45
"""Share of the places of a grid that hold text, at least."""
_REACH = 0.1
"""Share of a table that lies in the place of another at most, if they are two."""
_CELLS = 6
"""Cells with text, at least: four are two boxes with a word beside a paragraph."""
_BESIDE = 0.4
"""Share of the rows with a cell beside another, at least."""


def sighted_place(box: Box, lines: Sequence[Line]) -> Place | None:
    """Return the lines that stand where a table is seen, without those that run out of it and without its caption.

    Args:
        box: what the model sees.
        lines: those that stand in no table yet.
    """
    inside = [
        line
        for line in lines
        if box.top < line.middle_y < box.bottom
        and line.left > box.left - _BEYOND * line.size
        and line.right < box.right + _BEYOND * line.size
    ]
    captions = [line for line in inside if CAPTION.match(line.text) and TABLE_CAPTION.match(line.text)]
    inside = [line for line in inside if not any(line is caption for caption in captions)]
    if not inside:
        return None
    return Place(around(inside), inside, captioned=bool(captions), seen=True)


def sighted_grid(page: Page, place: Place, lines: Sequence[Line]) -> tuple[Grid, bool] | None:
    """Return the cells of a place, made by ruling lines or else by white space, and whether they are those of a table.

    The place loses a title above the cells and notes below them, and gets the rows that follow on it in its columns.

    Args:
        page: with its rules.
        place: what is seen.
        lines: those that stand in no table yet.
    """
    level, upright = merged_rules(page.horizontals), merged_rules(page.verticals)
    grid = _cells(place, level, upright)
    if grid is None:
        return None
    body = body_rows(grid)
    if len(body) < grid.rows:
        kept = {id(word) for (row, _), words in grid.words.items() if row in body for word in words}
        inside = [line for line in place.lines if id(line.words[0]) in kept]
        if not inside:
            return None
        place.lines, place.box = inside, around(inside)
        grid = _cells(place, level, upright)
    for above in (True, False):
        for _ in range(_ROWS):
            more = _next_row(place, lines, above=above)
            wider = Place(around([*place.lines, *more]), [*place.lines, *more])
            found = _cells(wider, level, upright) if grid and len(more) > 1 else None
            if grid is None or found is None or not _goes_on(grid, found, above=above):
                break
            place.lines, place.box, place.rules, grid = wider.lines, wider.box, wider.rules, found
    return (grid, _is_sound(place, grid)) if grid is not None else None


def lines_between(whole: Block, parts: Sequence[Candidate]) -> list[list[Line]]:
    """Return the lines of a table that stand over, between and under its parts."""
    inside = {id(line) for part in parts for line in part.place.lines}
    tops = sorted(part.place.box.top for part in parts)
    rest: dict[int, list[Line]] = {}
    for line in whole.lines:
        if id(line) not in inside:
            rest.setdefault(sum(top < line.top for top in tops), []).append(line)
    return [*rest.values()]


def meet(box: Box, other: Box) -> bool:
    """Return True if the places of two tables are not beside each other: boxes that are seen are loose."""
    return box.holds(other, _REACH) or other.holds(box, _REACH)


def _cells(place: Place, level: Sequence[Rule], upright: Sequence[Rule]) -> Grid | None:
    words = [word for line in place.lines for word in line.words]
    place.rules = _rules_across(place, level)
    grid = ruled_grid(place.box.grown(_SLACK), words, level, upright)
    if grid is not None and grid.rows > 1 and grid.columns > 1 and grid.filled >= _SPARSE:
        return grid
    return white_grid(place.box, words, level)


def _rules_across(place: Place, level: Sequence[Rule]) -> int:
    """Return the number of level rules that part the rows of a place, or open or close it."""
    box = place.box.grown(median(line.size for line in place.lines))
    lengths: dict[int, float] = {}
    for left, right, height in level:
        if box.top < height < box.bottom:
            reach = min(right, box.right) - max(left, box.left)
            lengths[round(height / _SLACK)] = lengths.get(round(height / _SLACK), 0.0) + max(reach, 0.0)
    return sum(length > _ACROSS * box.width for length in lengths.values())


def _next_row(place: Place, lines: Sequence[Line], *, above: bool) -> list[Line]:
    """Return the lines of the row right over a place, or under it."""
    own = {id(line) for line in place.lines}
    size = median(line.size for line in place.lines)
    reach = place.box.grown(_BEYOND * size)
    beside: list[Line] = []
    for line in lines:
        away = place.box.top - line.bottom if above else line.top - place.box.bottom
        inside = reach.left < line.left and line.right < reach.right and id(line) not in own
        if inside and -0.5 * size < away < _STEP * size:
            beside.append(line)
    if not beside:
        return []
    first = max(beside, key=lambda line: line.bottom) if above else min(beside, key=lambda line: line.top)
    return [line for line in beside if line.top < first.bottom and line.bottom > first.top]


def _goes_on(grid: Grid, wider: Grid, *, above: bool) -> bool:
    """Return True if a grid with one more row has the same columns, and cells in half of them in that row."""
    row = 0 if above else wider.rows - 1
    filled = sum(at == row for at, _ in wider.words)
    return wider.columns >= grid.columns and wider.rows == grid.rows + 1 and filled >= max(2, wider.columns / 2)


def _is_sound(place: Place, grid: Grid) -> bool:
    rows = grid.texts()
    cells = [*filter(None, chain(*rows))]
    several = sum(sum(map(bool, row)) > 1 for row in rows)
    sparse = several < max(2, _BESIDE * grid.rows) or len(cells) < max(_CELLS, _SPARSE * grid.rows * grid.columns)
    if grid.columns < 2 or sparse or is_something_else(place, rows, cells) or are_panels(grid):
        return False
    if _is_list(rows):
        return False
    small = sum(text[:1].islower() for row in rows for text in row[1:])
    full = len(cells) >= _FULL * grid.rows * grid.columns and small <= _SMALL * len(cells)
    if place.rules < _RULES and not place.captioned and not figure_columns(rows) and not full:
        return False
    columns = [[row[at] for row in rows if row[at]] for at in range(grid.columns)]
    running = sum(sum(map(len, column)) for column in columns if reads_on(column))
    return running < _RUNNING * sum(map(len, cells))


def _is_list(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if most rows are items, a bullet or number alone before their text, or have leaders."""
    if sum(any(map(LEADER.search, row)) for row in rows) >= _LED * len(rows):
        return True
    first = [row[0] for row in rows if row[0]]
    marked = sum(bool(BULLET.match(text)) or (len(rows[0]) < _NUMBERED and bool(_NUMBER.match(text))) for text in first)
    return bool(first) and marked >= _MARKED * len(first)
