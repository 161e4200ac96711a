"""Titles in tables: what is set in larger type, alone on its row, parts tables that stand under each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Kind, shared_height
from ragraph.pdf.patterns import LETTER
from ragraph.pdf.stated.regions import stated_boxes
from ragraph.pdf.tables.finding import find_tables
from ragraph.pdf.tables.grids import is_numeric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Line, Page

_LARGER = 1.07
"""Minimum size of a title, in that of most of its table, at which it is larger, as of headings."""
_LETTERS = 4
"""Letters of a title at least: years and signs name columns."""
_WORDED = 0.7
"""Share of its signs that are letters."""
_LEVEL = 0.3
"""Share of its height up to which what stands beside a title may be on its row."""
_INSIDE = 3.0
"""Minimum points within the edges of a table at which an upright rule parts its columns."""
_NEAR = 2.0
"""Distance from a title, in its size, within which such a rule makes it a cell."""
_EDGE = 3.0
"""Points by which cells that stand in one column differ at one of their edges, at most."""
_ALIGNED = 0.7
"""Minimum share of the cells that stand in columns of another part, at which all parts have the same columns."""
_FIGURES = 0.3
"""Minimum share of the lines that are numbers, at which what is no table by itself is part of the whole."""


def part_at_titles(page: Page, tables: Sequence[Block], mono: bool = False) -> list[Block]:
    """Return the tables of a page, those parted that hold titles; titles, and what is no table without them, are left.

    A line is a title that is larger than most of the table, alone on its row and not between upright rules: columns of
    a page that rows happen to join, or lists under each other, each under its title. It names a group of rows, and the
    table stays one, where a part would lose the head over it.

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
        made = [find_tables(page, lines, mono) if lines else [] for lines in parts]
        if _needs_whole(parts, made):
            found.append(table)
        else:
            found += [part for tables in made for part in tables]
    return found


def _needs_whole(parts: Sequence[Sequence[Line]], made: Sequence[Sequence[Block]]) -> bool:
    """Return True if a table is one in spite of its titles: its parts have the same columns, and one head names them.

    Args:
        parts: lines over the first title, and below each.
        made: the tables that each part makes by itself.
    """
    lost = [part for part, tables in zip(parts, made, strict=True) if part and not tables]
    if any(sum(is_numeric(line.text) for line in part) >= _FIGURES * len(part) for part in lost):
        return True
    heads = [bool(grid.header_rows) for tables in made for grid in [table.grid for table in tables] if grid]
    return (bool(lost) or (heads[:1] == [True] and not all(heads))) and _same_columns(parts)


def _same_columns(parts: Sequence[Sequence[Line]]) -> bool:
    """Return True if most cells of all parts stand in columns of another part: they begin, end or centre with one."""
    count = aligned = 0
    for at, part in enumerate(parts):
        others = [line for other, lines in enumerate(parts) if other != at for line in lines]
        count += len(part)
        aligned += sum(
            any(
                abs(line.left - other.left) < _EDGE
                or abs(line.right - other.right) < _EDGE
                or abs(line.left + line.right - other.left - other.right) < 2 * _EDGE
                for other in others
            )
            for line in part
        )
    return aligned >= _ALIGNED * count


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
    return shared_height(line, other) > _LEVEL * min(line.size, other.size)
