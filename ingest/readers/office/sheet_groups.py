"""Rows of separated values in tables and lines: blank rows part them, and most parts go on with the table above."""

from __future__ import annotations

import re
from itertools import chain, groupby, takewhile
from typing import TYPE_CHECKING

from ragraph.ingest.readers.office.sheet_islands import Island, Look, has_own_head, is_numeric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NUMBER = re.compile(r"[-+(]?[\d.,\s%$€£]+\)?|\d{4}-\d\d-\d\d.*")


def parted(rows: list[list[str]]) -> Iterator[str | list[list[str]]]:
    """Yield the tables without blank rows, and the lines above and below them, in their order."""
    groups = [list(group) for filled, group in groupby(rows, lambda row: any(map(str.strip, row))) if filled]
    first = next((place for place, group in enumerate(groups) if not all(map(_is_lone, group))), 0)
    if not groups or (first and not header_rows(_trimmed(groups[first]))):
        first = 0
    yield from _lines(groups[:first])
    last = len(groups)
    if first:  # lines above the table show that others may be below it
        while last > first + 1 and _are_below(groups[last - 1], groups[first : last - 1]):
            last -= 1
    table: list[list[str]] = []
    waiting: list[list[list[str]]] = []
    for group in groups[first:last]:
        title = list(takewhile(_is_lone, group))
        body = group[len(title) :]
        if table and not body:
            waiting.append(group)
        elif table and _begins(table, body):
            yield _trimmed(table)
            yield from _lines([*waiting, title])
            table, waiting = body, []
        else:
            table = [*table, *chain(*waiting), *group]
            waiting = []
    yield _trimmed([*table, *chain(*waiting)])
    yield from _lines(groups[last:])


def _lines(groups: Iterable[list[list[str]]]) -> Iterator[str]:
    return ("".join(row) for row in chain(*groups))


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the columns behind their last filled one."""
    width = max((place + 1 for row in rows for place, cell in enumerate(row) if cell.strip()), default=0)
    return [row[:width] for row in rows]


def _begins(above: list[list[str]], rows: list[list[str]]) -> bool:
    """Return True if rows behind a blank one are a table of their own: they name other columns than those above."""
    upper, lower = _island(above), _island(rows)
    if len(rows) < 2 or has_own_head(upper, upper.first_full(), lower, lower.first_full(), Look()):
        return len(rows) > 1
    if not header_rows(_trimmed(rows)):
        return False
    if not lower.columns() <= upper.columns():
        return True
    columns = [(upper.column(column, upper.first_full() + 1), lower.column(column, 0)) for column in lower.columns()]
    return any(high and low and is_numeric(high) != is_numeric(low) for high, low in columns)


def _island(rows: list[list[str]]) -> Island:
    texts = {(row, column): text for row, cells in enumerate(rows) for column, text in enumerate(cells) if text.strip()}
    return Island(0, len(rows) - 1, 0, max((column for _, column in texts), default=0), texts)


def _is_lone(row: list[str]) -> bool:
    """Return True if one cell of a row is filled."""
    return sum(map(bool, map(str.strip, row))) == 1


def _are_below(group: list[list[str]], above: list[list[list[str]]]) -> bool:
    """Return True if all rows of a group are lines of text below a table."""
    return all(_is_below(row, chain(*above)) for row in group)


def _is_below(row: list[str], table: Iterable[list[str]]) -> bool:
    """Return True if a row is a line of text below a table: one cell, the first, or words under a column of numbers."""
    if not _is_lone(row):
        return False
    column = next(place for place, cell in enumerate(row) if cell.strip())
    if not column:
        return True
    held = [cells[column].strip() for cells in table][1:]
    return not _NUMBER.fullmatch(row[column].strip()) and all(_NUMBER.fullmatch(cell) for cell in held if cell)


def squared(rows: list[list[str]]) -> list[list[str]]:
    """Return rows filled up to the same number of cells."""
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def header_rows(rows: list[list[str]]) -> int:
    """Return 1 if the first row names the columns: all cells filled, none a number, and rows below it."""
    first = [cell.strip() for cell in rows[0]] if rows else []
    return int(len(rows) > 1 and all(first) and not any(_NUMBER.fullmatch(cell) for cell in first))
