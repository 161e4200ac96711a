"""A column of the page's text beside a table, which is none of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import around

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Box, Line
    from ragraph.pdf.tables.ruled import Rule

_FEWEST = 2
"""Lines of running text that make a column of the page."""
_EDGE = 3.0
"""Points by which the lines of such a column begin apart, and reach over its edges, at most."""
_SHARE = 0.45
"""Share of the letters in such a column that are running text, at least."""
_STEP = 1.2
"""Such a column goes on over or under the table at most so many times the size of type away, foot to head."""


def without_text_beside(
    lines: Sequence[Line], free: Sequence[Line], prose: set[int], rules: Sequence[Rule]
) -> list[Line]:
    """Return the lines of a place without those of a column of text beside it that goes on above or below the place.

    Args:
        lines: those of the place.
        free: those of the page.
        prose: the ids of lines that are running text.
        rules: level ruling lines; one that goes on from the table under the text says that it is a cell.
    """
    text = [line for line in lines if id(line) in prose]
    for first in text:
        column = [line for line in text if abs(line.left - first.left) < _EDGE]
        left, right = around(column).left - _EDGE, around(column).right + _EDGE
        beside = [line for line in lines if line.left > left and line.right < right]
        inside = {id(line) for line in beside}
        rest = [line for line in lines if id(line) not in inside]
        if len(column) < _FEWEST or not _is_parted(rest, left, right) or _length(column) < _SHARE * _length(beside):
            continue
        place = around(beside)
        others = prose - inside
        outside = (line for line in free if id(line) in others)
        if any(_goes_on(line, first, place) for line in outside) and not _is_cell(first, left, place, rules):
            return rest
    return list(lines)


def _is_parted(rest: Sequence[Line], left: float, right: float) -> bool:
    """Return True if there are other lines, and all of them are at one side of a column."""
    return bool(rest) and (all(line.right < left for line in rest) or all(line.left > right for line in rest))


def _length(lines: Sequence[Line]) -> int:
    return sum(line.length for line in lines)


def _goes_on(line: Line, first: Line, place: Box) -> bool:
    """Return True if a line is in the column of another one, right over or under a place."""
    apart = max(line.top - place.bottom, place.top - line.bottom)
    return abs(line.left - first.left) < _EDGE and 0 <= apart < _STEP * line.size


def _is_cell(first: Line, left: float, place: Box, rules: Sequence[Rule]) -> bool:
    """Return True if a level rule goes on from the table under a text that begins with a line."""
    return any(
        start < min(first.left + first.size, left - first.size) and end > first.left + first.size
        and place.top - 2 < height < place.bottom + 2
        for start, end, height in rules
    )  # fmt: skip
