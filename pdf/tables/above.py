"""The head of a table that stands over its rows: lines over its columns of figures, and what they are counted in."""

from __future__ import annotations

from itertools import pairwise
from statistics import median_high
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import CAPTION, UNIT, YEAR
from ragraph.pdf.tables.figures import rows_of
from ragraph.pdf.tables.grids import is_numeric, slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Box, Grid, Line
    from ragraph.pdf.tables.figures import Piece

_STEP = 2.0
"""Rows of a head stand at most so many times the size of type over the row below, head to foot."""
_FAR = 3.5
"""The same of a row of years alone, which a band of colour may set apart."""
_NAMED = 5.0
"""The same of a row whose pieces stand over most of the columns of figures, one over each."""
_PITCH = 1.3
"""A head stands at most so many times the usual distance of the rows above them, where rows stand far apart."""
_COVERED = 0.6
"""Share of the columns of figures that are most of them."""
_LONGEST = 80
"""Characters of a line of a head at most: longer ones are text."""
_SHORT = 40
"""Characters of a label that may stand in the middle of the column of labels ("ASSETS")."""
_NOTE = 2
"""Digits of the number of a note at most."""
_LARGER = 1.15
"""Type larger than that of the rows by this factor is a title's."""
_NUMBERS = 0.4
"""Share of the pieces of a head that may be numbers: ends of dates ("June" over "7,"), numbers of columns."""
_LARGEST = 1.4
"""The same for several pieces side by side, which no title is set in."""
_OUT = 6
"""A head may reach so many times the size of type over the right edge of narrow amounts below it."""
_GROUPS = 3
"""Labels between a head and the first figures at most."""
_FEWEST = 3
"""Columns of a table of words at least whose names may stand apart from it."""
_MOST = 8
"""Lines of text in a head at most."""


def head_above(grid: Grid, box: Box, lines: Sequence[Line]) -> list[Line]:
    """Return those of the free lines of a page that name the columns of figures of a table below them.

    Going up from the table, a row of text belongs to its head if all of it stands over columns of figures, or says
    what they are counted in; a name of the column of labels may stand beside. The first row that does not ends it, but
    for a few labels between the head and the first figures, those of groups of rows ("ASSETS", "Current assets:").

    Args:
        grid: cells of the table, which has columns of figures.
        box: its place.
        lines: free lines of its page.
    """
    size = _usual_size(grid)
    wide = max(_STEP * size, _PITCH * _distance(grid))
    found: list[Line] = []
    group: list[Line] = []
    top = box.top
    over = [line for line in lines if line.bottom < box.top + 0.4 * line.size
            and line.right > box.left and line.left < box.right]  # fmt: skip
    for _ in range(_MOST):
        near = [line for line in over if -0.4 * line.size < top - line.bottom < max(wide, _NAMED * size)]
        if not near:
            break
        foot = max(near, key=lambda line: line.bottom)
        row = [line for line in over if line.bottom > foot.middle_y]
        step = top - foot.bottom
        years = step < _FAR * size and all(YEAR.match(line.text) for line in row)
        if step > wide and not years and not _names_each(row, grid):
            break
        if _names_columns(row, grid, box, size):
            found += [*group, *row]
            group = []
        elif not found and len(group) < _GROUPS and _names_rows(row, grid, box, size):
            group = [*row, *group]
        else:
            break
        top = min(line.top for line in row)
        over = [line for line in over if all(line is not other for other in row)]
    return found


def names_above(grid: Grid, box: Box, lines: Sequence[Line]) -> list[Piece]:
    """Return the row of names right above a table of words: one over each column, or over each but the first.

    Such a row stands over the first rule of a table, or its names are centred over cells that begin at one edge.

    Args:
        grid: cells of the table, three columns or more.
        box: its place.
        lines: free lines of its page.
    """
    columns = [_extent(grid, column) for column in range(grid.columns)]
    if grid.columns < _FEWEST or not all(columns):
        return []
    size = _usual_size(grid)
    over = rows_of([line for line in lines if box.top - _NAMED * size < line.top
                    and line.bottom < box.top + 0.4 * line.size
                    and line.right > box.left - size and line.left < box.right + size])  # fmt: skip
    if not over or box.top - over[-1].bottom > _STEP * size:
        return []
    pieces = over[-1].pieces
    first = grid.columns - len(pieces)
    again = len(over) > 1 and len(over[-2].pieces) >= len(pieces) and over[-1].top - over[-2].bottom < _STEP * size
    if first not in {0, 1} or again or any(not _is_name(piece, size) for piece in pieces):
        return []
    starts = [extent[0] for extent in columns if extent]
    ends = [*starts[1:], float("inf")]
    fits = all(piece.right > start and piece.left < end for piece, start, end
               in zip(pieces, starts[first:], ends[first:], strict=True))  # fmt: skip
    return pieces if fits and pieces[0].left > starts[first] - size else []


def _usual_size(grid: Grid) -> float:
    """Return the size of type in the middle of those of all words."""
    return median_high(word.size for words in grid.words.values() for word in words)


def _is_name(piece: Piece, size: float) -> bool:
    words = piece.words
    return (
        not piece.amount
        and len(piece.text) <= _SHORT
        and piece.text[-1:] not in ".;:"
        and not CAPTION.match(piece.text)
        and words[0].size <= _LARGEST * size
    )


def _extent(grid: Grid, column: int) -> tuple[float, float] | None:
    """Return the left and right edge of the words of a column that stand in no cell over several."""
    words = [word for place, words in grid.words.items() if place[1] == column
             and grid.spans.get(place, (1, 1))[1] == 1 for word in words]  # fmt: skip
    return (min(word.left for word in words), max(word.right for word in words)) if words else None


def _distance(grid: Grid) -> float:
    """Return the usual distance of the rows of a grid, foot to head, in points; 0 for one row."""
    rows = sorted({row for row, _ in grid.words})
    tops = {row: min(word.top for (at, _), words in grid.words.items() if at == row for word in words) for row in rows}
    feet = {row: max(word.bottom for (at, _), words in grid.words.items() if at == row for word in words)
            for row in rows}  # fmt: skip
    steps = sorted(tops[lower] - feet[upper] for upper, lower in pairwise(rows))
    return steps[len(steps) // 2] if steps else 0.0


def _names_each(row: Sequence[Line], grid: Grid) -> bool:
    """Return True if the pieces of a row stand over most columns of figures, one over each; the labels may have one."""
    pieces = [piece for level in rows_of(row) for piece in level.pieces]
    columns = [slot(grid.bounds, piece.middle_x) for piece in pieces]
    named = len([column for column in columns if column])
    return len(set(columns)) == len(columns) and named >= max(2, _COVERED * (grid.columns - 1))


def _names_rows(row: Sequence[Line], grid: Grid, box: Box, size: float) -> bool:
    """Return True if a row is one label, over the column of labels alone or in the middle over all columns.

    The number of a note may stand beside it.
    """
    labels = sorted(word.size for (_, column), words in grid.words.items() if column == 0 for word in words)
    usual = max(size, labels[len(labels) // 2]) if labels else size
    first, *others = sorted(row, key=lambda line: line.left)
    noted = all(line.text.isdigit() and line.length <= _NOTE for line in others)
    at_edge = abs(first.left - box.left) < 2 * size and first.right < grid.bounds[1] + size
    plain = first.length <= _LONGEST and first.size <= _LARGER * usual and first.text[-1:] not in ".;"
    within = first.left >= box.left - 2 and first.right < grid.bounds[1] and first.length <= _SHORT
    middle = abs(first.left + first.right - box.left - box.right) < 4 * size and first.length <= _SHORT
    return (
        noted
        and (at_edge or within or middle)
        and plain
        and not CAPTION.match(first.text)
        and (not is_numeric(first.text) or bool(YEAR.match(first.text)))
    )


def _names_columns(row: Sequence[Line], grid: Grid, box: Box, size: float) -> bool:
    """Return True if all pieces of a row are those of a head."""
    start = grid.bounds[1]
    named = False
    pieces = [piece for level in rows_of(row) for piece in level.pieces]
    if _is_other(row, pieces, grid, size):
        return False
    for piece in pieces:
        over = piece.right < box.right + size or (
            start < piece.left < box.right and piece.right < box.right + _OUT * size
        )
        if not (piece.left > box.left - size and over):
            return False
        if UNIT.match(piece.text):
            continue
        centred = len(pieces) == 1 and abs(2 * piece.middle_x - box.left - box.right) < 2 * size
        if piece.middle_x > start and piece.left > (grid.bounds[0] + start) / 2 and not centred:
            named = True
        elif piece.right > start or piece.text[-1:] in (".;" if len(pieces) > 1 else ".:;"):
            return False
    return named or any(UNIT.match(piece.text) for piece in pieces)


def _is_other(row: Sequence[Line], pieces: Sequence[Piece], grid: Grid, size: float) -> bool:
    """Return True if a row is a caption, the end of a sentence, text, a title or amounts."""
    start, first = grid.bounds[1], row[0]
    ends = first.left < start - size and first.right > start and first.text[-1:] in ".;:" and first.length > _SHORT
    short = len(pieces) >= _COVERED * grid.columns and all(len(piece.text) <= _SHORT for piece in pieces)
    figures = [piece for piece in pieces if piece.amount and not all(YEAR.match(word.text) for word in piece.words)]
    return (
        any(CAPTION.match(line.text) for line in row)
        or ends
        or (not short and any(line.length > _LONGEST for line in row))
        or max(line.size for line in row) > (_LARGER if len(pieces) < 2 else _LARGEST) * size
        or len(figures) > _NUMBERS * len(pieces)
    )
