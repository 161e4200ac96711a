"""Rows of separated values in tables and lines: blank rows part them, and most parts go on with the table above."""

from __future__ import annotations

import re
from itertools import chain, groupby, takewhile
from typing import TYPE_CHECKING

from ragraph.ingest.readers.office.sheet_islands import Island, Look, has_own_head, is_mostly, is_number, is_numeric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VALUE = re.compile(r"[-+(]?[\d.,\s%$€£]+\)?|\d{4}-\d\d-\d\d.*")
"""What is no name of a column. Names may be numbers in a wider sense: 2024-25, 12 max."""


def parted(rows: list[list[str]]) -> Iterator[str | list[list[str]]]:
    """Yield the tables without blank rows, and the lines above and below them, in their order."""
    groups = [list(group) for filled, group in groupby(rows, lambda row: any(map(str.strip, row))) if filled]
    first = next((place for place, group in enumerate(groups) if not all(map(_is_lone, group))), 0)
    if not groups or (first and not header_rows(_trimmed(groups[first]))):
        first = 0
    yield from _lines(groups[:first])
    last = len(groups) - (_below(groups[first:]) if first else 0)  # lines above show that others may be below
    table = _Table([])
    waiting: list[list[list[str]]] = []
    for group in groups[first:last]:
        title = list(takewhile(_is_lone, group))
        body = group[len(title) :]
        if table.rows and not body:
            waiting.append(group)
        elif table.rows and _begins(table, body):
            yield _trimmed(table.rows)
            yield from _lines([*waiting, title])
            table, waiting = _Table(body), []
        else:
            table.add([*chain(*waiting), *group])
            waiting = []
    table.add(list(chain(*waiting)))
    yield _trimmed(table.rows)
    yield from _lines(groups[last:])


class _Table:
    """The rows of a table so far: their columns, the row that may be its head, and the cells of each column below it.

    The head is the first row with several cells; while there is none, the first one.
    """

    def __init__(self, rows: list[list[str]]) -> None:
        self.rows: list[list[str]] = []
        self.columns: set[int] = set()
        self.head: dict[int, str] = {}
        self.counts: dict[int, list[int]] = {}  # column to its numbers and its filled cells
        self.add(rows)

    def add(self, rows: list[list[str]]) -> None:
        """Add rows at the end."""
        for row in rows:
            filled = {column: text for column, cell in enumerate(row) if (text := cell.strip())}
            self.columns.update(filled)
            if len(self.head) < 2 and (not self.rows or len(filled) > 1):
                self.head, self.counts = filled, {}
            else:
                for column, text in filled.items():
                    count = self.counts.setdefault(column, [0, 0])
                    count[0] += is_number(text)
                    count[1] += 1
            self.rows.append(row)


def _lines(groups: Iterable[list[list[str]]]) -> Iterator[str]:
    return ("".join(row) for row in chain(*groups))


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the columns behind their last filled one."""
    width = max((place + 1 for row in rows for place, cell in enumerate(row) if cell.strip()), default=0)
    return [row[:width] for row in rows]


def _begins(above: _Table, rows: list[list[str]]) -> bool:
    """Return True if rows behind a blank one are a table of their own: they name other columns than those above."""
    if len(rows) < 2:
        return False
    lower = _island(rows)
    if has_own_head(_island([list(above.head.values())]), 0, lower, lower.first_full(), Look()):
        return True
    if not header_rows(_trimmed(rows)):
        return False
    columns = lower.columns()
    if not columns <= above.columns:
        return True
    for column in columns & set(above.counts):
        numbers, count = above.counts[column]
        if (low := lower.column(column, 0)) and is_mostly(numbers, count) != is_numeric(low):
            return True
    return False


def _island(rows: list[list[str]]) -> Island:
    texts = {(row, column): text for row, cells in enumerate(rows) for column, text in enumerate(cells) if text.strip()}
    return Island(0, len(rows) - 1, 0, max((column for _, column in texts), default=0), texts)


def _is_lone(row: list[str]) -> bool:
    """Return True if one cell of a row is filled."""
    return sum(map(bool, map(str.strip, row))) == 1


def _below(groups: list[list[list[str]]]) -> int:
    """Return how many groups behind the first are lines of text below a table: cells of its first column, or words.

    Words are below a table if they are under a column of numbers.
    """
    worded: dict[int, int] = {}  # column to the first group with words in it, names of columns aside
    for place, group in enumerate(groups):
        for row in group[0 if place else 1 :]:
            for column, cell in enumerate(row):
                if cell.strip() and not _VALUE.fullmatch(cell.strip()):
                    worded.setdefault(column, place)

    def is_below(row: list[str], place: int) -> bool:
        column = next(column for column, cell in enumerate(row) if cell.strip())
        is_text = not _VALUE.fullmatch(row[column].strip())
        return _is_lone(row) and (not column or (is_text and worded.get(column, place) >= place))

    last = len(groups)
    while last > 1 and all(is_below(row, last - 1) for row in groups[last - 1]):
        last -= 1
    return len(groups) - last


def squared(rows: list[list[str]]) -> list[list[str]]:
    """Return rows filled up to the same number of cells."""
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def header_rows(rows: list[list[str]]) -> int:
    """Return 1 if the first row names the columns: all cells filled, none a number, and rows below it."""
    first = [cell.strip() for cell in rows[0]] if rows else []
    return int(len(rows) > 1 and all(first) and not any(_VALUE.fullmatch(cell) for cell in first))
