"""Grids of cells: the words of a table by row and column, and the cells that cover more than one place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Line, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NUMERIC = re.compile(
    r"^[\s(\[<>≤≥±~≈+–—−*†‡$€£¥%-]*(?:[A-Z]{0,3}\$?\s?)?\d[\d\s.,:/'’×x^()\[\]±–—−%*†‡+-]*"
    r"(?:[a-z]{1,2}|%|[KMB]|bn|mn|\*+)?[\s)\]%*†‡]*$"
    r"|^[\s(]*(?:[-–—−*.…•·]{1,6}|n\.?\s?[ad]\.?|N/?A|NA|X|x|nil|c|:)[\s)]*$"
)
"""Cells that are numbers, or stand for one: amounts, shares, dates in digits, dashes."""
_GAP = 0.34
"""Gaps below this share of the size of type are blanks between words."""


@dataclass
class Grid:
    """The cells of a table.

    Attributes:
        rows: number of rows.
        bounds: edges of the columns from left to right, one more than columns.
        words: the words of a cell by row and column, line by line.
        spans: rows and columns that a cell covers, by its place, where that is more than one.
        header_rows: number of rows at the top that name the columns.
        tails: the words of a cell that stand on the next page.
    """

    rows: int
    bounds: list[float]
    words: dict[tuple[int, int], list[Word]] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    header_rows: int = 0
    tails: dict[tuple[int, int], list[Word]] = field(default_factory=dict)

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.bounds) - 1

    @property
    def filled(self) -> float:
        """Share of the places that hold text or lie under a spanning cell."""
        covered = sum(high * wide - 1 for high, wide in self.spans.values())
        return (len(self.words) + covered) / max(self.rows * self.columns, 1)

    def texts(self) -> list[list[str]]:
        """Return the full grid of texts; the text of a spanning cell stands at its first place."""
        return [[" ".join(line.text for line in self.lines(row, column)) for column in range(self.columns)]
                for row in range(self.rows)]  # fmt: skip

    def lines(self, row: int, column: int) -> list[Line]:
        """Return the lines of a cell in reading order."""
        place = (row, column)
        return [*cell_lines(self.words.get(place, [])), *cell_lines(self.tails.get(place, []))]

    def trimmed(self) -> Grid:
        """Return the grid without rows and columns in which no cell begins."""
        rows = sorted({row for row, _ in self.words})
        columns = sorted({column for _, column in self.words})
        if len(rows) == self.rows and len(columns) == self.columns:
            return self
        down = {row: index for index, row in enumerate(rows)}
        right = {column: index for index, column in enumerate(columns)}
        spans = {}
        for (row, column), (high, wide) in self.spans.items():
            if (row, column) in self.words:
                size = (sum(row <= at < row + high for at in rows), sum(column <= at < column + wide for at in columns))
                if size != (1, 1):
                    spans[down[row], right[column]] = size
        bounds = [self.bounds[column] for column in columns] + [self.bounds[columns[-1] + 1] if columns else 0.0]
        words = {(down[row], right[column]): found for (row, column), found in self.words.items()}
        heads = sum(row < self.header_rows for row in rows)
        return Grid(len(rows), bounds, words, spans, heads)


def cell_lines(words: Sequence[Word]) -> list[Line]:
    """Return the lines of a cell, top to bottom."""
    if not words:
        return []
    size = max(word.size for word in words)
    return [Line(sorted(row, key=lambda word: word.left)) for row in text_rows(words, size)]


def text_rows(words: Iterable[Word], size: float) -> list[list[Word]]:
    """Return words in rows of text, top to bottom; raised and lowered ones with the words they stand beside."""
    rows: list[list[Word]] = []
    middle = 0.0
    for word in sorted(words, key=lambda word: word.top + word.bottom):
        at = (word.top + word.bottom) / 2
        if rows and at - middle < 0.5 * size:
            rows[-1].append(word)
        else:
            rows.append([word])
            middle = at
    return rows


def chunks(row: Iterable[Word], gap: float = _GAP) -> list[list[Word]]:
    """Return the words of a row in groups that blanks wider than ``gap`` times the size of type part."""
    found: list[list[Word]] = []
    right = 0.0
    for word in sorted(row, key=lambda word: word.left):
        if found and word.left - right < gap * max(word.size, found[-1][-1].size):
            found[-1].append(word)
            right = max(right, word.right)
        else:
            found.append([word])
            right = word.right
    return found


def is_numeric(text: str) -> bool:
    """Say whether a text is a number, an amount, a share, a date in digits or a dash for none."""
    return bool(NUMERIC.match(text))


def distinct(values: Iterable[float], touch: float = 3.0) -> list[float]:
    """Return values sorted, those that touch as one."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > touch:
            kept.append(value)
    return kept


def slot(bounds: Sequence[float], value: float) -> int:
    """Return the number of the interval that a value lies in, the nearest for values outside."""
    return min(max(sum(value > bound for bound in bounds) - 1, 0), len(bounds) - 2)
