"""Titles in tables: what is set in larger type, alone on its row, parts tables that stand under each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Kind
from ragraph.ingest.readers.pdf.patterns import LETTER
from ragraph.ingest.readers.pdf.stated.regions import stated_boxes
from ragraph.ingest.readers.pdf.tables.finding import find_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.model import Block, Line, Page

_LARGER = 1.07
"""Size of a title, in that of most of its table, from which on it is larger, as of headings."""
_LETTERS = 4
"""Letters of a title at least: years and signs name columns."""
_WORDED = 0.7
"""Share of its signs that are letters."""
_LEVEL = 0.3
"""Share of its height up to which what stands beside a title may be on its row."""
_INSIDE = 3.0
"""Points within the edges of a table from which on an upright rule parts its columns."""
_NEAR = 2.0
"""Distance from a title, in its size, within which such a rule makes it a cell."""


def part_at_titles(page: Page, tables: Sequence[Block], mono: bool = False) -> list[Block]:
    """Return the tables of a page, those parted that hold titles; titles, and what is no table without them, are left.

    A line is a title that is larger than most of the table, alone on its row and not between upright rules: columns of
    a page that rows happen to join, or lists under each other, each under its title.

    Args:
        page: with words, rules and regions; not changed.
        tables: as found.
        mono: whether the running text is set in typewriter type.
    """
    stated = stated_boxes(page, Kind.TABLE)
    found: list[Block] = []
    for table in tables:
        titles = [] if any(box.holds(table.box, 0.5) for box in stated) else _titles(page, table)
        if not titles:
            found.append(table)
            continue
        edges = [*(title.top for title in titles), float("inf")]
        parts: list[list[Line]] = [[] for _ in edges]
        for line in table.lines:
            if not any(line is title for title in titles):
                parts[next(at for at, edge in enumerate(edges) if line.top < edge)].append(line)
        found += [part for lines in parts if lines for part in find_tables(page, lines, mono)]
    return found


def _titles(page: Page, table: Block) -> list[Line]:
    """Return the lines of a table that are titles, from top to bottom."""
    size = _usual_size(table.lines)
    uprights = [(top, bottom) for top, bottom, x in page.verticals if table.left + _INSIDE < x < table.right - _INSIDE]
    return sorted(
        (
            line
            for line in table.lines
            if line.size > _LARGER * size
            and len(LETTER.findall(line.text)) >= max(_LETTERS, _WORDED * len(line.text.replace(" ", "")))
            and not any(
                top < line.bottom + _NEAR * line.size and bottom > line.top - _NEAR * line.size
                for top, bottom in uprights
            )
            and not any(other is not line and _is_level(line, other) for other in table.lines)
        ),
        key=lambda line: line.top,
    )


def _usual_size(lines: Sequence[Line]) -> float:
    """Return the size up to which half of the letters are set."""
    left = sum(line.length for line in lines) / 2
    size = 0.0
    for line in sorted(lines, key=lambda line: line.size):
        size, left = line.size, left - line.length
        if left <= 0:
            break
    return size


def _is_level(line: Line, other: Line) -> bool:
    return min(line.bottom, other.bottom) - max(line.top, other.top) > _LEVEL * min(line.size, other.size)
