"""What holds of every table: a value is under the head or the values of its column, and in the row of its baseline.

What does not, is put right if its place is free, and reported as in doubt if not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragraph.pdf.model import Grid, line_text, text_rows
from ragraph.pdf.patterns import AMOUNT
from ragraph.pdf.tables.amounts import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Word

_OVER = 0.5
"""Minimum share of the width of a piece, or of what is in a column, that the two have in common."""
_TWO = 2
"""Minimum cells of a column that a value is under, before it is put there."""
_LINES = 2
"""Minimum columns with several amounts in one cell, each on a baseline of its own, before a row is parted."""

Place = tuple[int, int]


def put_right(grid: Grid) -> list[Place]:
    """Put values under their heads and into their rows.

    Args:
        grid: of a table that no file states; its words change.

    Returns:
        The cells, by row and column, of which a value is under another column that is not free.
    """
    _part_rows(grid)
    covered = _covered(grid)
    spots = {
        place: (min(word.left for word in words), max(word.right for word in words))
        for place, words in grid.words.items()
        if place not in grid.spans
    }
    columns: list[dict[int, tuple[float, float]]] = [{} for _ in range(grid.columns)]
    for (row, column), spot in spots.items():
        columns[column][row] = spot
    filled = Counter(row for row, _ in spots)
    doubts: list[Place] = []
    for row, column in sorted(spots):
        if row < grid.header_rows or filled[row] < _TWO:
            continue
        for piece in _pieces(grid.words[row, column]):
            target = _target(piece, row, column, columns)
            if target is None:
                continue
            place = (row, target)
            if place in grid.words or place in covered:
                doubts.append((row, column))
                continue
            gone = {id(word) for word in piece}
            left = [word for word in grid.words[row, column] if id(word) not in gone]
            grid.words[place] = list(piece)
            if left:
                grid.words[row, column] = left
            else:
                del grid.words[row, column]
                break
    return doubts


def _covered(grid: Grid) -> set[Place]:
    """Return the places of cells that span several rows or columns."""
    return {(row + down, column + right) for (row, column), (high, wide) in grid.spans.items()
            for down in range(high) for right in range(wide)}  # fmt: skip


def _pieces(words: Sequence[Word]) -> list[list[Word]]:
    """Return the pieces of a cell that stand apart, row by row of its text."""
    size = max(word.size for word in words)
    return [piece for row in text_rows(words, size) for piece in pieces(row)]


def _target(
    piece: Sequence[Word], row: int, column: int, columns: Sequence[dict[int, tuple[float, float]]]
) -> int | None:
    """Return the column that a piece is under, if it is under nothing in its own."""
    left, right = min(word.left for word in piece), max(word.right for word in piece)

    def under(number: int) -> Iterator[bool]:
        return (
            min(right, end) - max(left, start) > _OVER * min(right - left, end - start)
            for other, (start, end) in columns[number].items()
            if other != row
        )

    if any(under(column)):
        return None
    counts = {number: sum(under(number)) for number in range(len(columns)) if number != column}
    best = max(counts, key=lambda number: counts[number], default=None)
    return best if best is not None and counts[best] >= _TWO else None


def _part_rows(grid: Grid) -> None:
    """Part rows in which several columns have an amount on each of several baselines."""
    for row in range(grid.rows - 1, grid.header_rows - 1, -1):
        cells = {column: words for (at, column), words in grid.words.items() if at == row}
        if any((row, column) in grid.spans for column in cells):
            continue
        levels = [levels for words in cells.values() if len(levels := _amounts(words)) > 1]
        if len(levels) < _LINES or len({len(found) for found in levels}) > 1:
            continue
        feet = levels[0]
        size = max(word.size for words in cells.values() for word in words)
        if any(abs(one - other) > 0.5 * size for found in levels for one, other in zip(found, feet, strict=True)):
            continue
        _insert(grid, row, len(feet) - 1)
        for column, words in cells.items():
            del grid.words[row, column]
            for word in words:
                near = min(range(len(feet)), key=lambda at: abs(word.middle_y - feet[at]))
                grid.words.setdefault((row + near, column), []).append(word)


def _amounts(words: Sequence[Word]) -> list[float]:
    """Return the middles of the lines of a cell, if each is an amount; else nothing."""
    found = text_rows(words, max(word.size for word in words))
    texts = [line_text(sorted(line, key=lambda word: word.left)) for line in found]
    if not all(AMOUNT.match(text) and any(map(str.isdecimal, text)) for text in texts):
        return []
    return [sum(word.top + word.bottom for word in line) / (2 * len(line)) for line in found]


def _insert(grid: Grid, row: int, count: int) -> None:
    """Make room for rows behind a row."""
    grid.words = {(at + count * (at > row), column): words for (at, column), words in grid.words.items()}
    grid.spans = {(at + count * (at > row), column): size for (at, column), size in grid.spans.items()}
    grid.tails = {(at + count * (at > row), column): words for (at, column), words in grid.tails.items()}
    grid.rows += count
