"""Tables of markup: cells with spans become a complete grid, and lines of text."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragraph.errors import FileTooLargeError
from ragraph.ingest.readers.markup.inline import Inline, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_SPAN = 1000
_MAX_CELLS = 1_000_000
_MAX_COLUMNS = 2000  # wider spans are not expanded: no real table is that wide, but attacks are


@dataclass(frozen=True)
class Cell:
    """A cell as written: its text, and the rows and columns it spans (0 rows: to the end of the table)."""

    content: Inline
    rows: int = 1
    columns: int = 1


@dataclass
class Row:
    """A row as written."""

    cells: list[Cell] = field(default_factory=list)
    header: bool = False


def span(value: str | None) -> int:
    """Return the number in a ``rowspan`` or ``colspan``: 1 if it is invalid, at most 1,000 as in browsers."""
    digits = (value or "").strip()
    return min(int(digits), _MAX_SPAN) if digits.isdecimal() and len(digits) < 9 else 1


def table(rows: Iterable[Row]) -> tuple[Inline, dict[str, Any]]:
    """Return the text of a table and its data.

    The text has one row per line, with cells joined by `` | ``. A spanning cell is written once, so that searches do
    not count it twice. ``data["cells"]`` is the complete grid; places that a spanning cell covers are empty, and
    ``data["spans"]`` lists it as ``[row, column, rows, columns]``. ``data["header_rows"]`` is the number of leading
    header rows. Rows without text are left out.

    Raises:
        FileTooLargeError: more than 1,000,000 cells.
    """
    grid: list[list[str]] = []
    texts: list[Inline] = []
    header_rows, in_header, size = 0, True, 0
    hanging: dict[int, int] = {}  # column -> rows still covered
    spans: list[list[int]] = []
    places: list[int] = []  # row of the grid at which each row as written is, or would be
    for number, row in enumerate(rows):
        places.append(len(grid))
        line: list[str] = []
        shown: list[Inline] = []
        pending = deque(row.cells)
        end = max(hanging, default=-1)
        while pending or len(line) <= end:
            column = len(line)
            if column in hanging:
                left = hanging.pop(column)
                if left > 1:
                    hanging[column] = left - 1
                line.append("")
                shown.append(Inline(""))
            elif pending:
                cell = pending.popleft()
                wide = max(1, cell.columns) if column < _MAX_COLUMNS else 1
                if wide > 1 or cell.rows != 1:
                    spans.append([number, column, cell.rows or _MAX_CELLS, wide])
                for extra in range(wide):
                    line.append(cell.content.text if extra == 0 else "")
                    shown.append(cell.content if extra == 0 else Inline(""))
                    if cell.rows != 1:
                        hanging[column + extra] = (cell.rows or _MAX_CELLS) - 1
            else:
                line.append("")
                shown.append(Inline(""))
        size += len(line)
        if size > _MAX_CELLS:
            raise FileTooLargeError(f"a table has more than {_MAX_CELLS:,} cells; split the file")
        if not any(item.text or item.marks for item in shown):
            continue
        in_header = in_header and row.header
        header_rows += in_header
        grid.append(line)
        texts.append(_line(shown))
    width = max((len(line) for line in grid), default=0)
    cells = [line + [""] * (width - len(line)) for line in grid] if width * len(grid) <= _MAX_CELLS else grid
    marks, offset = list[Mark](), 0
    for line_text in texts:
        marks += line_text.shifted(offset)
        offset += len(line_text.text) + 1
    content = Inline("\n".join(line_text.text for line_text in texts), tuple(marks))
    kept = list(_spans(spans, [*places, len(grid)]))
    return content, {"cells": cells, "header_rows": header_rows} | ({"spans": kept} if kept else {})


def _spans(spans: list[list[int]], places: list[int]) -> Iterable[list[int]]:
    """Yield spans in rows of the grid, in which rows without text are missing."""
    for row, column, rows, columns in spans:
        top, end = places[row], places[min(row + rows, len(places) - 1)]
        if places[row + 1] > top and (end - top > 1 or columns > 1):
            yield [top, column, end - top, columns]


def _line(cells: list[Inline]) -> Inline:
    while cells and not cells[-1].text and not cells[-1].marks:
        cells.pop()
    marks, text = list[Mark](), ""
    for index, cell in enumerate(cells):
        text += " | " if index else ""
        marks += cell.shifted(len(text))
        text += cell.text
    return Inline(text, tuple(marks))
