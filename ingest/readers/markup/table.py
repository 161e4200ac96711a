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
    not count it twice. ``data["cells"]`` is the complete grid, with spanning cells repeated in each of their places;
    ``data["header_rows"]`` is the number of leading header rows. Rows without text are left out.

    Raises:
        FileTooLargeError: more than 1,000,000 cells.
    """
    grid: list[list[str]] = []
    texts: list[Inline] = []
    header_rows, in_header, size = 0, True, 0
    hanging: dict[int, tuple[int, str]] = {}  # column -> rows still covered, text
    for row in rows:
        line: list[str] = []
        shown: list[Inline] = []
        pending = deque(row.cells)
        end = max(hanging, default=-1)
        while pending or len(line) <= end:
            column = len(line)
            if column in hanging:
                left, text = hanging.pop(column)
                if left > 1:
                    hanging[column] = (left - 1, text)
                line.append(text)
                shown.append(Inline(""))
            elif pending:
                cell = pending.popleft()
                for extra in range(max(1, cell.columns) if column < _MAX_COLUMNS else 1):
                    line.append(cell.content.text)
                    shown.append(cell.content if extra == 0 else Inline(""))
                    if cell.rows != 1:
                        hanging[column + extra] = ((cell.rows or _MAX_CELLS) - 1, cell.content.text)
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
    return content, {"cells": cells, "header_rows": header_rows}


def _line(cells: list[Inline]) -> Inline:
    while cells and not cells[-1].text and not cells[-1].marks:
        cells.pop()
    marks, text = list[Mark](), ""
    for index, cell in enumerate(cells):
        text += " | " if index else ""
        marks += cell.shifted(len(text))
        text += cell.text
    return Inline(text, tuple(marks))
