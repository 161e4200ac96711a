"""Join the islands of a sheet that are one table.

docling makes a table of each island of adjacent cells. A blank row or column tears a table into several then. A table
is one as long as its columns keep their edges and their heads: a blank column parts nothing if the columns behind it
have no labels of their own, and rows behind a blank row go on if they have no head of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.docling.parts import TOTAL

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_ISLANDS = 300
"""Islands of a sheet above which none are joined: each is compared with each."""

_GAP = 2
"""Maximum blank rows or columns within a table."""

_NARROW = 0.75
"""Width of a blank column, in widths of the narrowest column beside it, below which it is only a space."""

_SHARED = 0.8
"""Minimum share of rows that two islands side by side have in common if they are one table."""

_MOSTLY = 0.6
"""Minimum share of cells of one kind that makes a column one of that kind."""

_WIDTH = 8.43
"""Width of a column that states none, in characters (ECMA-376 part 1, 18.3.1.81)."""

_NUMBER = re.compile(
    r"[-+(]?[^\w\s(]{0,2}\s?\d[\d.,'\s%]*(?:E[+-]?\d+)?\s?[%€$£¥)]{0,2}(?:\s?[A-Z]{3})?|\d{1,4}[-./:]\d{1,2}(?:[-./:].*)?",
    re.IGNORECASE,
)


@dataclass
class Island:
    """Adjacent cells of a sheet: first and last row and column, from 0, and texts and spans by place."""

    top: int
    bottom: int
    left: int
    right: int
    texts: dict[tuple[int, int], str] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def row(self, number: int) -> dict[int, str]:
        """Return the filled cells of a row, by column."""
        return {
            column: text
            for column in range(self.left, self.right + 1)
            if (text := self.texts.get((number, column), "").strip())
        }

    def column(self, number: int, since: int) -> list[str]:
        """Return the filled cells of a column from a row on."""
        cells = (self.texts.get((row, number), "").strip() for row in range(since, self.bottom + 1))
        return [cell for cell in cells if cell]

    def first_full(self) -> int:
        """Return the first row with more than one filled cell; the first row if there is none."""
        wide = self.right > self.left
        return next((row for row in range(self.top, self.bottom + 1) if len(self.row(row)) > 1 or not wide), self.top)

    def columns(self) -> set[int]:
        """Return the columns with a filled cell."""
        return {column for (_, column), text in self.texts.items() if text.strip()}

    def joined(self, other: Island) -> Island:
        """Return the island that holds both."""
        return Island(
            min(self.top, other.top), max(self.bottom, other.bottom), min(self.left, other.left),
            max(self.right, other.right), self.texts | other.texts, self.spans | other.spans,
        )  # fmt: skip

    def meets(self, other: Island) -> bool:
        """Return True if the rectangles of two islands overlap."""
        return (
            self.top <= other.bottom and other.top <= self.bottom
            and self.left <= other.right and other.left <= self.right
        )  # fmt: skip


@dataclass(frozen=True)
class Look:
    """What a sheet shows beside texts: the width of a column in characters, and whether a cell is bold."""

    width: Callable[[int], float] = lambda column: _WIDTH
    bold: Callable[[int, int], bool] = lambda row, column: False


def join(islands: list[Island], look: Look) -> list[Island]:
    """Return the islands with those joined that are one table, in their order."""
    if len(islands) > _MOST_ISLANDS:
        return islands
    found = list(islands)
    for fit in (_beside, _below):
        if fit is _below:
            found = _with_torn_rows(found, look)
        place = 0
        while place < len(found):
            match = next(
                (other for other in found if other is not found[place] and fit(found[place], other, look)), None
            )
            if match is None:
                place += 1
                continue
            whole = found[place].joined(match)
            rest = [one for one in found if one is not found[place] and one is not match]
            if any(whole.meets(one) for one in rest):  # a third island would be torn
                place += 1
                continue
            at = min(found.index(match), place)
            rest.insert(at, whole)
            found, place = rest, at
    return found


def _with_torn_rows(islands: list[Island], look: Look) -> list[Island]:
    """Return the islands with rows joined to the table above them that its blank columns tear into several."""
    found = list(islands)
    for above in islands:
        if above not in found:
            continue
        near = [one for one in found if 0 < one.top - above.bottom <= _GAP + 1]
        parts = [one for one in near if one.columns() <= above.columns()]
        if len(parts) < 2:
            continue
        below = reduce(Island.joined, parts)
        if any(below.meets(one) for one in found if one not in parts) or not _below(above, below, look):
            continue
        rest = [one for one in found if one is not above and one not in parts]
        rest.insert(found.index(above), above.joined(below))
        found = rest
    return found


def _beside(left: Island, right: Island, look: Look) -> bool:
    """Return True if the right island has further columns of the left one."""
    gap = range(left.right + 1, right.left)
    if not 0 < len(gap) <= _GAP:
        return False
    starts = left.first_full(), right.first_full()
    start, end = max(starts), min(left.bottom, right.bottom)
    heights = left.bottom - starts[0] + 1, right.bottom - starts[1] + 1
    common = sum(bool(left.row(row)) and bool(right.row(row)) for row in range(start, end + 1))
    if common < 2 or common < _SHARED * max(heights) or starts[0] != starts[1]:
        return False
    heads = [{text.casefold() for text in one.row(start).values()} for one in (left, right)]
    if heads[0] & heads[1]:
        return False
    around = [look.width(left.right), look.width(right.left)]
    if sum(look.width(column) for column in gap) < _NARROW * min(around):
        return True
    if left.left == left.right or right.left == right.right:
        return True
    labels = right.column(right.left, start + 1)
    return bool(labels) and is_numeric(labels)


def _below(above: Island, below: Island, look: Look) -> bool:
    """Return True if an island has further rows of the one above it."""
    if not 0 < below.top - above.bottom <= _GAP + 1:
        return False
    if _is_sum(above, below):
        return True
    columns = below.columns()
    if not columns <= above.columns() or above.left != below.left or len(above.columns()) < 2 or len(columns) < 2:
        return False
    head, first = above.first_full(), below.first_full()
    if head == above.bottom or has_own_head(above, head, below, first, look):
        return False
    for column in columns:
        upper, lower = above.column(column, head + 1), below.column(column, first)
        if upper and lower and is_numeric(upper) != is_numeric(lower):
            return False
    return True


def _is_sum(above: Island, below: Island) -> bool:
    """Return True if an island is one row of sums under columns of numbers, by its word or by its numbers."""
    cells = below.row(below.top)
    if below.top != below.bottom or not set(cells) <= above.columns() or above.first_full() == above.bottom:
        return False
    words = [text for text in cells.values() if not _NUMBER.fullmatch(text)]
    sums = [column for column, text in cells.items() if _NUMBER.fullmatch(text)]
    if not sums or len(words) > 1 or not all(map(TOTAL.fullmatch, words)):
        return False
    held = [above.column(column, above.first_full() + 1) for column in sums]
    if not all(cells and is_numeric(cells) for cells in held):
        return False
    return bool(words) or all(map(_sums_up, (cells[column] for column in sums), held))


def _sums_up(cell: str, column: list[str]) -> bool:
    """Return True if a number is the sum of those of a column."""
    total, *numbers = map(_amount, (cell, *column))
    return total is not None and total == sum(number for number in numbers if number is not None)


def _amount(cell: str) -> Decimal | None:
    """Return a number as a sheet shows it, with a point before its decimals; None for dates and others."""
    digits = re.sub(r"[^\d.\-]", "", cell)
    try:
        return -abs(Decimal(digits)) if "(" in cell else Decimal(digits)
    except InvalidOperation:
        return None


def has_own_head(above: Island, head: int, below: Island, first: int, look: Look) -> bool:
    """Return True if the first full row of an island is a head of its own."""
    names, upper = below.row(first), above.row(head)
    if [text.casefold() for text in names.values()] == [text.casefold() for text in upper.values()]:
        return True
    if any(_NUMBER.fullmatch(text) for text in names.values()) or first == below.bottom:
        return False
    if all(look.bold(first, column) for column in names):
        return not all(look.bold(first + 1, column) for column in below.row(first + 1))
    return any(is_numeric(cells) for column in names if (cells := below.column(column, first + 1)))


def is_numeric(cells: list[str]) -> bool:
    """Return True if most of these cells are numbers or dates."""
    return is_mostly(sum(map(is_number, cells)), len(cells))


def is_mostly(numbers: int, cells: int) -> bool:
    """Return True if so many numbers among so many cells make a column of numbers."""
    return numbers >= _MOSTLY * cells


def is_number(cell: str) -> bool:
    """Return True if a cell is a number or a date."""
    return _NUMBER.fullmatch(cell) is not None


def join_tables(backend: Any) -> None:
    """Make docling's backend for workbooks join the islands that are one table, before it converts."""
    from docling.backend.msexcel_backend import ExcelCell, ExcelTable

    find = backend._find_data_tables

    def joined(sheet: Any) -> Any:
        tables, comments = find(sheet)
        islands = []
        for table in tables:
            left, top = table.anchor
            island = Island(top, top + table.num_rows - 1, left, left + table.num_cols - 1)
            for cell in table.data:
                place = top + cell.row, left + cell.col
                island.texts[place] = cell.text
                island.spans[place] = cell.row_span, cell.col_span
            islands.append(island)
        whole = join(islands, _look(sheet))
        if len(whole) == len(islands):
            return tables, comments
        return [
            ExcelTable(
                anchor=(one.left, one.top),
                num_rows=one.bottom - one.top + 1,
                num_cols=one.right - one.left + 1,
                data=[
                    ExcelCell(row=row - one.top, col=column - one.left, text=text, row_span=spans[0], col_span=spans[1])
                    for (row, column), text in sorted(one.texts.items())
                    for spans in (one.spans[row, column],)
                ],
            )
            for one in whole
        ], comments

    backend._find_data_tables = joined


def _look(sheet: Any) -> Look:
    """Return the widths and weights of a sheet of openpyxl."""
    widths: dict[int, float] = {}
    for stated in sheet.column_dimensions.values():
        if stated.customWidth or stated.width:
            for column in range((stated.min or 1) - 1, min(stated.max or stated.min or 1, 16_384)):
                widths[column] = 0.0 if stated.hidden else float(stated.width)
    usual = float(sheet.sheet_format.defaultColWidth or _WIDTH)

    def bold(row: int, column: int) -> bool:
        cell = sheet._cells.get((row + 1, column + 1))
        return bool(cell is not None and cell.has_style and cell.font.b)

    return Look(lambda column: widths.get(column, usual), bold)
