"""Panels of leaflets and slides, whose frames cross or touch as ruling lines do, and titles at the ends of tables."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.tables.ruled import merged_rules

if TYPE_CHECKING:
    from ragraph.pdf.model import Box, Grid, Page

_BESIDE = 2
"""Rows with cells beside each other that a table has at least."""
_MOSTLY = 0.5
"""Share of the rows in which several cells begin, under which a grid with displayed words, or one that fills its page,
is of panels."""
_FILLS = 0.85
"""Minimum share of the width and of the height of a page at which a frame is that of the page."""
_LONG = 3
"""Rows of a grid that fills its page over which a column of text goes at least, beside smaller frames."""
_INNER = 12.0
"""Points by which a rule stands within a frame at least."""
_LINES, _RUNNING = 3, 0.5
"""Lines of a cell that holds running text, and the share of the words that stand in such cells of panels at least:
the fields of a form stand under each other as well, but hold a line or two."""
_TEXT_ROWS = 4
"""Minimum number of rows of a frame at which it tells that they hold one cell each."""
_DISPLAYED = 1.5
"""Size of displayed words, and of a title over a table, in that of most words of the grid. A title is one cell, or its
words run on over the edge of a column."""


def fills_page(page: Page, box: Box) -> bool:
    """Return True if a frame is that of the page, as leaflets and certificates have it."""
    wide, high = box.width, box.height
    return wide > _FILLS * page.width and high > _FILLS * page.height


def in_columns(page: Page, box: Box) -> bool:
    """Return True if rules from top to bottom, and none across, part a page into columns of text: a leaflet."""
    if not fills_page(page, box):
        return False
    high = box.bottom - box.top
    parting = [
        rule
        for rule in merged_rules(page.verticals)
        if rule[1] - rule[0] > _FILLS * high and box.left + _INNER < rule[2] < box.right - _INNER
    ]
    across = any(
        low < edge < far and box.top + _INNER < at < box.bottom - _INNER
        for low, far, at in merged_rules(page.horizontals)
        for _, _, edge in parting
    )
    return bool(parting) and not across


def is_text(grid: Grid) -> bool:
    """Return True if hardly any row of a frame has two cells: a title with its paragraph beside a picture."""
    rows = [sum(at == row for at, _ in grid.words) for row in range(grid.rows)]
    return len(rows) >= _TEXT_ROWS and sum(cells > 1 for cells in rows) < _BESIDE and _is_running(grid)


def has_head(grid: Grid) -> bool:
    """Return True if the first row names each column in a line, and those below keep to them: a form to fill in."""
    head = [grid.lines(0, column) for column in range(grid.columns) if (0, column) in grid.words]
    own = all(grid.spans.get(place, (1, 1))[1] == 1 for place in grid.words)
    return grid.columns > 1 and len(head) == grid.columns and all(len(lines) == 1 for lines in head) and own


def _is_running(grid: Grid) -> bool:
    """Return True if most words of a grid stand in cells of several lines; the fields of a form do not."""
    running = sum(len(words) for place, words in grid.words.items() if len(grid.lines(*place)) >= _LINES)
    return running >= _RUNNING * sum(map(len, grid.words.values()))


def are_panels(grid: Grid, *, framed: bool) -> bool:
    """Return True if what rules enclose is panels: running text, hardly any row of which has a cell beside another.

    So is a title with its paragraph beside a picture, if the first row is no head.

    Args:
        grid: the cells, those without words among them.
        framed: the rules outside are the frame of the page.
    """
    beside = begun = 0
    for row in range(grid.rows):
        beside += sum(top <= row < top + grid.spans.get((top, column), (1, 1))[0] for top, column in grid.words) > 1
        begun += sum(top == row for top, _ in grid.words) > 1
    sizes = [word.size for words in grid.words.values() for word in words]
    if not _is_running(grid):
        return False
    if is_text(grid) and not has_head(grid):
        return True
    long = sum(len(words) for place, words in grid.words.items() if grid.spans.get(place, (1, 1))[0] >= _LONG)
    if framed and long > _MOSTLY * len(sizes):
        return True
    displayed = framed or max(sizes, default=0.0) >= _DISPLAYED * median(sizes or [1.0])
    return (beside < _BESIDE and not has_head(grid)) or (displayed and begun < _MOSTLY * grid.rows)
