"""Tables of AsciiDoc with each row on one line: docling reads lines as rows, AsciiDoc counts columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

RAW = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```.*)\s*$")
_TABLE_END = re.compile(r"\|={3,}\s*$")
_CELL = re.compile(
    r"(?:(?<!\S)(?:(?P<copies>\d+)\*|(?P<columns>\d+)?(?:\.(?P<rows>\d+))?(?P<spans>\+))?[<^>]?(?:\.[<^>])?[adehlmsv]?)?"
    r"(?<!\\)\|"
)
_COLUMNS = re.compile(r"cols\s*=\s*(?:\"([^\"]+)\"|([^,\]]+))")
_COLUMN = re.compile(r"(?:^|[,;])\s*(?:(\d+)\*)?")
_MOST = 100


def rows_on_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines, with each row of a table on one line."""
    stated, raw = "", ""
    table: list[str] | None = None
    for line in lines:
        if table is not None and _TABLE_END.match(line):
            yield from _rows(table, stated)
            table = None
        elif table is not None:
            table.append(line)
            continue
        elif raw:
            raw = "" if line.rstrip() == raw else raw
        elif (opening := RAW.match(line)) is not None:
            raw = opening[1] if not opening[1].startswith("```") else "```"
        elif _TABLE_END.match(line):
            table = []
        elif not line.startswith("."):  # a title may be between the attributes and the table
            stated = line
        yield line
    yield from table or ()


def _rows(lines: list[str], stated: str) -> list[str]:
    """Return the rows of a table; its lines as they are if they do not fill its columns."""
    filled = [line.strip() for line in lines if line.strip()]
    if not filled or _cells(filled[0]) is None or any(RAW.match(line) or line.startswith("!===") for line in filled):
        return lines
    columns = _COLUMNS.search(stated)
    counts = _COLUMN.findall(columns[1] or columns[2]) if columns else []
    first = sum(width for _, width, _ in _cells(filled[0]) or [])
    width = sum(int(count or 1) for count in counts) if columns else first
    if not width:
        return lines
    grid: list[list[str]] = [[]]
    below: dict[int, int] = {}  # of each column, the rows that a cell above still covers
    for text, spanned, covered in _cells("\n".join(filled)) or []:
        start = len(grid[-1])
        grid[-1] += [text, *[""] * (spanned - 1)]
        below |= {place: covered - 1 for place in range(start, start + spanned) if covered > 1}
        if len(grid[-1]) > width:
            return lines
        _skip(grid, below, width)
    if grid[-1]:
        return lines
    return ["|" + " |".join(row) for row in grid[:-1]]


def _skip(grid: list[list[str]], below: dict[int, int], width: int) -> None:
    """Fill the places that cells above cover, and begin a row behind a full one."""
    while len(grid[-1]) == width or below.get(len(grid[-1])):
        if len(grid[-1]) == width:
            grid.append([])
        else:
            below[len(grid[-1])] -= 1
            grid[-1].append("")


def _cells(text: str) -> list[tuple[str, int, int]] | None:
    """Return the cells of a text: what each says, its columns, its rows; None if it begins with no cell."""
    found = list(_CELL.finditer(text))
    if not found or text[: found[0].start()].strip():
        return None
    cells: list[tuple[str, int, int]] = []
    for cell, end in zip(found, [*(one.start() for one in found[1:]), len(text)], strict=True):
        columns, rows, copies = (min(int(cell[name] or 1), _MOST) for name in ("columns", "rows", "copies"))
        cells += [(" ".join(text[cell.end() : end].split()), columns, rows)] * copies
    return cells
