"""A column of the page's text beside a table, which is none of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Line
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
        if len(column) < _FEWEST:
            continue
        left, right = min(line.left for line in column) - _EDGE, max(line.right for line in column) + _EDGE
        beside = [line for line in lines if line.left > left and line.right < right]
        rest = [line for line in lines if not (line.left > left and line.right < right)]
        over = all(line.right < left for line in rest) or all(line.left > right for line in rest)
        letters = sum(line.length for line in beside)
        if not rest or not over or sum(line.length for line in column) < _SHARE * letters:
            continue
        top, bottom = min(line.top for line in beside), max(line.bottom for line in beside)
        inside = {id(line) for line in beside}
        goes_on = any(
            id(line) in prose and id(line) not in inside and abs(line.left - first.left) < _EDGE
            and (0 <= line.top - bottom < _STEP * line.size or 0 <= top - line.bottom < _STEP * line.size)
            for line in free
        )  # fmt: skip
        ruled = any(rule[0] < first.left + first.size and rule[1] > first.left + first.size
                    and rule[0] < left - first.size and top - 2 < rule[2] < bottom + 2 for rule in rules)  # fmt: skip
        if goes_on and not ruled:
            return rest
    return list(lines)
