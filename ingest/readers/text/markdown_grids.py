"""Grid tables of Pandoc as tables of Markdown: docutils, whose grid tables are the same, finds their cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BORDER = re.compile(r" {0,3}\+(?:[-=:]+\+)+[ \t]*$")
"""The line above or below a row of a grid table."""

_BLOCK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_MOST = 2000
"""Lines of a table above which its cells are not looked for."""


def grid_end(lines: Sequence[str], place: int) -> int:
    """Return the place behind the grid table that begins at a place; that place itself if none does."""
    end = place
    while end < len(lines) and lines[end].strip()[:1] in ("+", "|") and end - place <= _MOST:
        end += 1
    return end if end - place >= 3 and BORDER.match(lines[end - 1]) else place


def as_table(lines: Sequence[str]) -> list[str] | None:
    """Return the lines of a grid table as a table of Markdown; None if it is none.

    The lines of a cell are one, but for items of lists. A cell that spans others is followed by empty ones.
    """
    from docutils.parsers.rst.tableparser import GridTableParser, TableMarkupError
    from docutils.statemachine import StringList

    bare = [line.strip() for line in lines]
    if len(set(map(len, bare))) > 1:
        return None
    heads = [place for place, line in enumerate(bare) if "=" in line and BORDER.match(line)]
    ends = [line.replace(":", "=" if "=" in line else "-") if BORDER.match(line) else line for line in bare]
    for place in heads:  # one line of equal signs is that below the head; others are borders
        if place != heads[0] or place in (0, len(ends) - 1):
            ends[place] = ends[place].replace("=", "-")
    try:
        columns, head, body = GridTableParser().parse(StringList(ends, "grid"))
    except (TableMarkupError, IndexError, ValueError):
        return None
    width = len(columns)
    rows = [_row(row, width) for row in [*head, *body]]
    first = rows[: 1 if head else 0] or [["", *[""] * (width - 1)]]
    return [
        "",
        *(f"| {' | '.join(row)} |" for row in first),
        f"|{'---|' * width}",
        *(f"| {' | '.join(row)} |" for row in rows[1 if head else 0 :]),
        "",
    ]


def _row(row: Sequence[tuple[int, int, int, Sequence[str]] | None], width: int) -> list[str]:
    cells = [_text(cell[3]) if cell is not None else "" for cell in row]
    return [*cells, *[""] * (width - len(cells))]


def _text(lines: Sequence[str]) -> str:
    said = ""
    for line in filter(str.strip, lines):
        said += ("<br>" if said and _BLOCK.match(line) else " " if said else "") + line.strip()
    return re.sub(r"(?<!\\)\|", r"\\|", said)
