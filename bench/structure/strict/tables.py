"""Tables by cells: rows whose label and numbers are right, headers within the table, and TEDS."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.labels.model import RAISED
from bench.structure.labels.model import Table as LabelTable
from bench.structure.metrics import Ratio
from bench.structure.strict.items import Item, begins, letters, spanned
from bench.structure.strict.match import types, wanted
from bench.teds import Cell, Table, plain, teds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.structure.labels import Block

_PAIRED = 0.1
"""Minimum share of the cells of a label in a table that counts as the same."""
_NUMBER = re.compile(r"\d|^[-$€£%()]+$")


class Truth(NamedTuple):
    """A table of a label: its grid without raised marks and with them in the line, and its headers."""

    table: Table
    inline: Table
    grid: list[list[str]]
    marked: list[list[str]]
    head_rows: int

    def same(self, row: int, column: int, text: str) -> bool:
        """Return True if a text equals that of a cell: numbers character by character, words by their letters."""
        right = {self.grid[row][column], self.marked[row][column]}
        if _NUMBER.search(self.grid[row][column]):
            return text in right
        return letters(text) in {letters(one) for one in right}

    def heads(self) -> Iterator[tuple[str, range]]:
        """Yield the text of each cell of the header rows, and the columns that it covers."""
        for row in range(self.head_rows):
            column = 0
            while column < len(self.grid[row]):
                text = self.grid[row][column]
                end = column + 1
                while end < len(self.grid[row]) and self.grid[row][end] == text:
                    end += 1
                if letters(text) and (row == 0 or self.grid[row - 1][column] != text):
                    yield text, range(column, end)
                column = end


@dataclass
class TableFigures:
    """The figures of the tables of a page, and the number of found tables of the label."""

    figures: dict[str, Ratio] = field(default_factory=dict)
    paired: int = 0


def score_tables(blocks: Sequence[Block], items: Sequence[Item]) -> TableFigures:
    """Compare the tables of a label with those among the items of its page."""
    truths, found, pairs = _paired(blocks, items)
    taken = {id(item) for item in pairs.values()}
    also = [block for block in blocks if not block.table and "TABLE" in types(block)]
    extra = [item for item in found if id(item) not in taken and not any(_holds(item, block) for block in also)]
    result = TableFigures(paired=len(pairs))
    rows, heads, similar = Ratio(0, 0), Ratio(0, 0), 0.0
    for number, truth in enumerate(truths):
        made = Made(truth, pairs[number]) if number in pairs else None
        rows = _plus(rows, _rows(truth, made))
        heads = _plus(heads, _heads(truth, made))
        similar += made.teds() if made else 0.0
    result.figures = {
        "tables": Ratio(2 * len(pairs), len(truths) + len(pairs) + len(extra)),
        "rows": rows,
        "heads": heads,
        "TEDS": Ratio(similar, len(truths)),
    }
    return result


def laid_on(blocks: Sequence[Block], items: Sequence[Item]) -> list[tuple[Truth, Made | None]]:
    """Return each table of a label with its counterpart."""
    truths, _, pairs = _paired(blocks, items)
    return [(truth, Made(truth, pairs[n]) if n in pairs else None) for n, truth in enumerate(truths)]


def _paired(blocks: Sequence[Block], items: Sequence[Item]) -> tuple[list[Truth], list[Item], dict[int, Item]]:
    truths = [truth_of(block.table) for block in blocks if block.table]
    found = [item for item in items if item.type == "TABLE" and item.grid and item.table]
    return truths, found, _pairs(truths, found)


def truth_of(table: LabelTable) -> Truth:
    """Return a table of a label in the form of comparison."""

    def as_table(mark: str) -> Table:
        rows = []
        for row in table.rows:
            cells = [Cell(cell) if isinstance(cell, str) else Cell(cell.text, cell.rows, cell.columns) for cell in row]
            rows.append(tuple(Cell(plain(RAISED.sub(mark, cell.text)), cell.rows, cell.columns) for cell in cells))
        return Table(tuple(rows))

    without, inline = as_table(""), as_table(r"\1")
    return Truth(without, inline, grid_of(without), grid_of(inline), table.head_rows)


def grid_of(table: Table) -> list[list[str]]:
    """Return the text at each row and column of a table."""
    return spanned([[(cell.text, cell.rows, cell.columns) for cell in row] for row in table.rows])


def _plus(one: Ratio, other: Ratio) -> Ratio:
    return Ratio(one.hits + other.hits, one.total + other.total)


def _holds(item: Item, block: Block) -> bool:
    text = letters(item.text)
    return any(key.head[:60] in text for key in wanted(block))


def _bag(grid: Sequence[Sequence[str]]) -> Counter[str]:
    return Counter(text for row in grid for text in row if text)


def _pairs(truths: Sequence[Truth], found: Sequence[Item]) -> dict[int, Item]:
    """Return the tables found for those of the label, so that most cells are the same."""
    import numpy
    from scipy.optimize import linear_sum_assignment

    shares = numpy.zeros((len(truths), len(found)))
    for row, truth in enumerate(truths):
        cells = _bag(truth.grid)
        for column, item in enumerate(found):
            shares[row, column] = (cells & _bag(item.grid)).total() / max(cells.total(), 1)
    if not shares.size:
        return {}
    chosen = zip(*linear_sum_assignment(shares, maximize=True), strict=True)
    return {int(row): found[int(column)] for row, column in chosen if shares[row, column] >= _PAIRED}


class Made:
    """A table of a reader laid on that of a label.

    Attributes:
        rows: row of the label to that of the reader.
        columns: column of the label to that of the reader.
    """

    def __init__(self, truth: Truth, item: Item) -> None:
        """Pair the rows that share most cells, then the columns that do in those rows."""
        self.truth, self.item, self.grid = truth, item, item.grid
        table = item.table or Table(())
        self.begins = begins([[(cell.text, cell.rows, cell.columns) for cell in row] for row in table.rows])
        self.rows: dict[int, int] = {}
        free = set(range(len(self.grid)))
        bags = [Counter(text for text in row if text) for row in self.grid]
        for row, texts in enumerate(truth.grid):
            cells = Counter(text for text in texts if text)
            best = max(free, key=lambda index: ((cells & bags[index]).total(), -index), default=None)
            if best is not None and (cells & bags[best]):
                self.rows[row] = best
                free.discard(best)
        votes: Counter[tuple[int, int]] = Counter()
        for row, index in self.rows.items():
            for column in range(len(truth.grid[row])):
                for place, text in enumerate(self.grid[index]):
                    if text and truth.same(row, column, text):
                        votes[column, place] += 1
        self.columns: dict[int, int] = {}
        for (column, place), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
            if column not in self.columns and place not in self.columns.values():
                self.columns[column] = place

    def is_right(self, row: int) -> bool:
        """Return True if every cell of a row is in its place, and nothing else is in the row."""
        if row not in self.rows:
            return False
        cells = self.grid[self.rows[row]]
        for column, text in enumerate(self.truth.grid[row]):
            place = self.columns.get(column)
            there = cells[place] if place is not None else ""
            if not self.truth.same(row, column, there) and (text or there):
                return False
        known = set(self.columns.values())
        return not any(
            text and (self.rows[row], place) in self.begins for place, text in enumerate(cells) if place not in known
        )

    def has_head(self, text: str, columns: Sequence[int]) -> bool:
        """Return True if a header is above the data in one of its columns, or in any if these are empty."""
        data = [index for row, index in self.rows.items() if row >= self.truth.head_rows]
        above = self.grid[: min(data, default=len(self.grid))]
        places = [self.columns[column] for column in columns if column in self.columns]
        wide = range(len(above[0])) if above else range(0)
        return any(letters(text) in letters("".join(row[place] for row in above)) for place in places or wide)

    def teds(self) -> float:
        """Return the similarity; of a table over several pages, that of the rows on this one."""
        table = self.item.table
        if table is None:
            return 0.0
        if len(self.item.pages) > 1 and self.rows:
            first = max(0, min(self.rows.values()) - self.truth.head_rows)
            table = Table(table.rows[first : max(self.rows.values()) + 1], table.pages)
        return max(teds(self.truth.table, table), teds(self.truth.inline, table))


def _rows(truth: Truth, made: Made | None) -> Ratio:
    """Count the rows below the heads that have numbers."""
    wants = [
        row
        for row in range(truth.head_rows, len(truth.grid))
        if any(_NUMBER.search(text) for text in truth.grid[row][1:])
    ]
    return Ratio(sum(made.is_right(row) for row in wants) if made else 0, len(wants))


def _heads(truth: Truth, made: Made | None) -> Ratio:
    wants = list(truth.heads())
    return Ratio(sum(made.has_head(*head) for head in wants) if made else 0, len(wants))
