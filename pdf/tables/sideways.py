"""Labels of groups of rows: set sideways at the left of a table, or in the middle over all its columns."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Box, Grid, Kind, Line, Word, around, in_runs, line_text, shared_width
from ragraph.pdf.tables.grids import is_numeric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_AWAY = 3.0
"""Such labels stand at most so many times the size of type left of the rows."""
_APART = 1.0
"""Words of one label stand at most so many times the size of type apart."""
_MIDDLE = 1.0
"""Sizes of type by which a title over all columns may be off their middle."""
_RULE = 0.8
"""Share of the width of a table that a rule between groups of rows covers."""


def add_side_labels(page: Page, table: Block) -> None:
    """Give a table a first column of the labels set sideways at its left, each over the rows of its group.

    The rows of a group are those between two rules that reach over the labels; without such rules there is no column.

    Args:
        page: with ``sideways`` and rules; the labels leave the block of its sideways words.
        table: its grid and box change.
    """
    grid = table.grid
    if grid is None or not page.sideways or table.region is not None:
        return
    edge = min(word.left for words in grid.words.values() for word in words)
    labels = [
        words for words in in_labels(page.sideways)
        if _beside(_around(words), table.box, edge, words[0].size)
    ]  # fmt: skip
    middles = _middles(grid)
    if not labels or not middles:
        return
    left = min(_around(words).left for words in labels)
    cuts = sorted(rule[2] for rule in page.horizontals if rule[0] <= left + 3 and rule[1] - rule[0]
                  > _RULE * (table.right - left))  # fmt: skip
    found = _over_rows(labels, middles, cuts)
    if not found:
        return
    taken = {id(word) for words in labels for word in words}
    page.sideways = [word for word in page.sideways if id(word) not in taken]
    forget(page, taken)
    table.grid = _with_column(grid, found, left)
    table.parts = [(table.page, table.box.union(*(word.box for _, word in found.values())))]


def span_titles(grid: Grid) -> Grid:
    """Return a grid whose rows of one title, in the middle over all columns, are cells that span these.

    Args:
        grid: made by white space, with ``header_rows``.
    """
    for row in range(grid.header_rows, grid.rows):
        cells = [column for (at, column) in grid.words if at == row]
        if len(cells) != 1 or not cells[0] or (row, cells[0]) in grid.spans or grid.columns < 3:
            continue
        words = sorted(grid.words[row, cells[0]], key=lambda word: word.left)
        box = _around(words)
        off = abs(box.left + box.right - grid.bounds[0] - grid.bounds[-1]) / 2
        if off < _MIDDLE * words[0].size and not is_numeric(line_text(words)):
            grid.words[row, 0] = grid.words.pop((row, cells[0]))
            grid.spans[row, 0] = (1, grid.columns)
    return grid


def _over_rows(
    labels: Sequence[Sequence[Word]], middles: Sequence[float], cuts: Sequence[float]
) -> dict[int, tuple[int, Word]]:
    """Return labels as words, with the number of rows, by the first row of each; none if one has no place."""
    found: dict[int, tuple[int, Word]] = {}
    for words in labels:
        box = _around(words)
        band = next(((top, bottom) for top, bottom in pairwise(cuts) if top < box.middle_y < bottom), (0.0, 0.0))
        rows = [row for row, at in enumerate(middles) if band[0] < at < band[1]]
        if not rows or rows[0] in found:
            return {}
        found[rows[0]] = (len(rows), _as_word(words, box))
    return found


def _around(words: Sequence[Word]) -> Box:
    return around([word.box for word in words])


def in_labels(words: Sequence[Word]) -> list[list[Word]]:
    """Return words set sideways in groups that stand in line with each other, in the order of the file."""
    return in_runs(words, lambda label, word: _is_in_line(label[-1], word))


def _is_in_line(last: Word, word: Word) -> bool:
    gap = max(word.top - last.bottom, last.top - word.bottom)
    return shared_width(last, word) > 0.5 * word.width and gap < _APART * word.width


def _beside(label: Box, table: Box, edge: float, size: float) -> bool:
    """Return True if a label stands at the left of the rows of a table, within their height."""
    near = edge - _AWAY * max(size, label.width) < label.left and label.right < edge + 1
    return near and table.top - 1 < label.top and label.bottom < table.bottom + 1


def _middles(grid: Grid) -> list[float]:
    """Return the heights of the middles of the rows of a grid; none if a row has no words."""
    rows: dict[int, list[Word]] = {}
    for (row, _), words in grid.words.items():
        rows.setdefault(row, []).extend(words)
    return [_around(rows[row]).middle_y for row in range(grid.rows)] if len(rows) == grid.rows else []


def _as_word(words: Sequence[Word], box: Box) -> Word:
    """Return the words of a label as one: under each other as they are, they would be taken for lines."""
    one = Word(*box, " ".join(word.text for word in words), words[0].font)
    one.size = words[0].size
    return one


def forget(page: Page, taken: set[int]) -> None:
    """Take words, by their ids, out of the block that holds the sideways words of a page."""
    for block in page.blocks:
        if block.kind in {Kind.SIDE, Kind.TEXT} and any(
            id(word) in taken for line in block.lines for word in line.words
        ):
            rest = [word for line in block.lines for word in line.words if id(word) not in taken]
            block.lines = [Line(rest)] if rest else []
            block.parts = [(page.number, line.box) for line in block.lines] or block.parts
    page.blocks = [block for block in page.blocks if block.lines or block.kind not in {Kind.SIDE, Kind.TEXT}]


def _with_column(grid: Grid, labels: dict[int, tuple[int, Word]], left: float) -> Grid:
    """Return a grid with one more column at the left; rows without a label have an empty cell there."""
    words = {(row, column + 1): found for (row, column), found in grid.words.items()}
    spans = {(row, column + 1): size for (row, column), size in grid.spans.items()}
    for row, (high, word) in labels.items():
        words[row, 0] = [word]
        if high > 1:
            spans[row, 0] = (high, 1)
    return Grid(grid.rows, [left, *grid.bounds], words, spans, grid.header_rows, grid.tails)
