"""Tables drawn with ruling lines: cells are what the lines enclose."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box, Grid, distinct, line_text, text_rows
from ragraph.pdf.tables.grids import is_numeric, slot
from ragraph.pdf.tables.white import row_bounds
from ragraph.pdf.tables.within import columns_within, head_cut, parted_by
from ragraph.pdf.tables.wraps import OPEN, WITHIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Word
    from ragraph.pdf.tables.within import Within

_TOUCH = 3.0
"""Points between ends of rules that meet, at most."""
_COVERED = 0.5
"""Share of an edge of a cell that rules must cover."""
_BEYOND = 12.0
"""Points that rules without a frame go on at least beyond those that they cross: a row, or a narrow column."""

Rule = tuple[float, float, float]
"""A ruling line: start, end, and its place on the other axis."""


def merged_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Return ruling lines with those on one line that touch joined: borders are often drawn cell by cell."""
    done: list[Rule] = []
    row: list[Rule] = []
    for rule in [*sorted(rules, key=lambda rule: (rule[2], rule[0])), (0.0, 0.0, float("inf"))]:
        if row and rule[2] - row[0][2] > 1.2:
            place = row[0][2]
            start, end, _ = min(row)
            for left, right, _ in sorted(row):
                if left > end + 2:
                    done.append((start, end, place))
                    start, end = left, right
                end = max(end, right)
            done.append((start, end, place))
            row = []
        row.append(rule)
    return done


def ruled_boxes(horizontals: Sequence[Rule], verticals: Sequence[Rule]) -> list[Box]:
    """Return the boxes of ruling lines that cross or touch and enclose cells."""
    boxes = []
    for level, upright in _crossing(horizontals, verticals):
        rows = len(distinct(rule[2] for rule in level))
        columns = len(distinct(rule[2] for rule in upright))
        cells = (rows - 1) * (columns - 1)
        box = Box(
            min([rule[0] for rule in level] + [rule[2] for rule in upright]),
            min([rule[2] for rule in level] + [rule[0] for rule in upright]),
            max([rule[1] for rule in level] + [rule[2] for rule in upright]),
            max([rule[2] for rule in level] + [rule[1] for rule in upright]),
        )
        if cells >= 4 or (columns >= 3 and rows >= 2) or (rows >= 3 and columns >= 1) or _open(box, level, upright):
            boxes.append(box)
    return boxes


def _crossing(horizontals: Sequence[Rule], verticals: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Return level and upright rules in groups of those that cross or touch."""
    count = len(horizontals)
    parent = list(range(count + len(verticals)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for index, (left, right, height) in enumerate(horizontals):
        for number, (top, bottom, x) in enumerate(verticals):
            if left - _TOUCH <= x <= right + _TOUCH and top - _TOUCH <= height <= bottom + _TOUCH:
                parent[root(index)] = root(count + number)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate((*horizontals, *verticals)):
        groups.setdefault(root(index), ([], []))[index >= count].append(rule)
    return [(level, upright) for level, upright in groups.values() if level and upright]


def _open(box: Box, level: Sequence[Rule], upright: Sequence[Rule]) -> bool:
    """Return True if two level rules and two upright ones or more cross within a table that has no frame around it."""
    across = distinct(rule[2] for rule in level if box.top + _BEYOND < rule[2] < box.bottom - _BEYOND)
    down = distinct(rule[2] for rule in upright if box.left + _BEYOND < rule[2] < box.right - _BEYOND)
    return len(across) >= 2 and len(down) >= 2


def ruled_grid(box: Box, words: Sequence[Word], horizontals: Sequence[Rule], verticals: Sequence[Rule]) -> Grid | None:
    """Return the cells that the lines within a box enclose; None if they make fewer than two columns.

    Where a line between two places is missing, they are one cell, unless white space parts the text there in most
    rows. A band of several rows of figures without lines between is cut by its rows of text, and columns of figures
    between two upright lines by white space.
    """
    upright = [rule for rule in verticals if box.left - _TOUCH <= rule[2] <= box.right + _TOUCH
               and rule[1] > box.top + 1 and rule[0] < box.bottom - 1]  # fmt: skip
    level = [rule for rule in horizontals if box.top - _TOUCH <= rule[2] <= box.bottom + _TOUCH
             and rule[1] > box.left + 1 and rule[0] < box.right - 1
             and not _underlines(rule, words, upright)]  # fmt: skip
    xs = _closed(distinct(rule[2] for rule in upright), box.left, box.right, 6)
    ys = _closed(distinct(rule[2] for rule in level), box.top, box.bottom, 5)
    if len(xs) < 3 or len(ys) < 2:
        return None
    found = columns_within(xs, words)
    columns = sorted([*xs, *(within.at for within in found)])
    cut, between = _cut_bands(ys, columns, words, found)
    lattice = _Lattice(columns, cut, words, level + between, upright + parted_by(found, cut, words))
    return lattice.grid().trimmed()


def _underlines(rule: Rule, words: Sequence[Word], upright: Sequence[Rule]) -> bool:
    """Return True if a level rule underlines words of a cell: it stands right under some, and meets no upright rule."""
    start, end, height = rule
    if any(top - _TOUCH < height < bottom + _TOUCH and start - _TOUCH < x < end + _TOUCH for top, bottom, x in upright):
        return False
    return any(word.underlined and abs(word.bottom - height) < 0.35 * word.size
               and word.left < end and word.right > start for word in words)  # fmt: skip


class _Lattice:
    """Elementary places between lines, joined to cells where no line parts them."""

    def __init__(
        self, xs: list[float], ys: list[float], words: Sequence[Word], level: list[Rule], upright: list[Rule]
    ) -> None:
        self.xs, self.ys = xs, ys
        self.rows, self.columns = len(ys) - 1, len(xs) - 1
        self.level, self.upright = level, upright
        self.places: dict[tuple[int, int], list[Word]] = {}
        for word in words:
            place = (slot(ys, word.middle_y), slot(xs, word.middle_x))
            self.places.setdefault(place, []).append(word)

    def grid(self) -> Grid:
        """Return the cells."""
        grid = Grid(self.rows, self.xs)
        taken: set[tuple[int, int]] = set()
        for row in range(self.rows):
            for column in range(self.columns):
                if (row, column) in taken:
                    continue
                high, wide = self._reach(row, column, taken)
                covered = [(row + down, column + right) for down in range(high) for right in range(wide)]
                taken.update(covered)
                words = [word for place in covered for word in self.places.get(place, ())]
                if words:
                    grid.words[row, column] = words
                if (high, wide) != (1, 1):
                    grid.spans[row, column] = (high, wide)
        return grid

    def _reach(self, row: int, column: int, taken: set[tuple[int, int]]) -> tuple[int, int]:
        """Return how many rows and columns the cell that begins here covers: the largest rectangle without lines."""
        wide = 1
        while column + wide < self.columns and (row, column + wide) not in taken:
            if self._parted(row, column + wide):
                break
            wide += 1
        high = 1
        while row + high < self.rows:
            below = row + high
            free = all((below, column + right) not in taken for right in range(wide))
            open_above = all(not self._ruled_above(below, column + right) for right in range(wide))
            within = all(not self._parted(below, column + right) for right in range(1, wide))
            if not (free and open_above and within):
                break
            high += 1
        return high, wide

    def _parted(self, row: int, column: int) -> bool:
        """Return True if a line, or white space between words, stands at the left of a place."""
        top, bottom, x = self.ys[row], self.ys[row + 1], self.xs[column]
        if _cover(self.upright, x, top, bottom) >= _COVERED * (bottom - top):
            return True
        left = self.places.get((row, column - 1), [])
        right = self.places.get((row, column), [])
        if not left or not right:
            return False
        size = right[0].size
        reach, start = max(word.right for word in left), min(word.left for word in right)
        return start - reach > 0.8 * size

    def _ruled_above(self, row: int, column: int) -> bool:
        left, right, y = self.xs[column], self.xs[column + 1], self.ys[row]
        return _cover(self.level, y, left, right) >= _COVERED * (right - left)


def _cover(rules: Sequence[Rule], place: float, start: float, end: float) -> float:
    """Return how much of a stretch the lines at a place cover."""
    return sum(max(0.0, min(rule[1], end) - max(rule[0], start)) for rule in rules if abs(rule[2] - place) <= _TOUCH)


def _cut_bands(
    ys: list[float], xs: list[float], words: Sequence[Word], found: Sequence[Within]
) -> tuple[list[float], list[Rule]]:
    """Return the edges of rows, and the level lines that bands of several rows of text lack.

    A cell set at half the height of such a band covers its rows. A band whose upper lines name columns of figures that
    white space parts (``found``), and whose lower ones name each of them, is cut between.
    """
    bounds = [ys[0]]
    lines: list[Rule] = []
    for top, bottom in pairwise(ys):
        inside = [word for word in words if top < word.middle_y <= bottom]
        if inside:
            size = sorted(word.size for word in inside)[len(inside) // 2]
            centred = _centred(inside, xs, size)
            rows = text_rows((word for word in inside if slot(xs, word.middle_x) not in centred), size)
            edge, named = head_cut(inside, size, found)
            if named:
                bounds.append(edge)
                lines += [(left, right, edge) for left, right in named]
            elif _are_rows(rows, xs, 2 if centred else 3) and _holds_rows(rows, xs):
                edges = row_bounds(rows, xs, top, bottom)[1:-1]
                bounds += edges
                lines += [(xs[column], xs[column + 1], edge) for edge in edges
                          for column in range(len(xs) - 1) if column not in centred]  # fmt: skip
        bounds.append(bottom)
    return bounds, lines


def _are_rows(rows: list[list[Word]], xs: list[float], fewest: int) -> bool:
    """Return True if a band has so many rows of text, or two that are alike: a label, and figures beside it."""
    if len(rows) != 2 or fewest <= 2:
        return len(rows) >= fewest
    upper, lower = (_texts(row, xs) for row in rows)
    if set(upper) != set(lower) or len(upper) < 2:
        return False
    first, *others = sorted(upper)
    figures = sum(is_numeric(upper[column]) and is_numeric(lower[column]) for column in others)
    return 2 * figures > len(others) and not OPEN.search(upper[first]) and not WITHIN.match(lower[first])


def _texts(row: Sequence[Word], xs: list[float]) -> dict[int, str]:
    """Return the text of a row of words in each column."""
    parts: dict[int, list[Word]] = {}
    for word in row:
        parts.setdefault(slot(xs, word.middle_x), []).append(word)
    return {column: line_text(sorted(words, key=lambda word: word.left)) for column, words in parts.items()}


def _centred(words: Sequence[Word], xs: list[float], size: float) -> set[int]:
    """Return the columns of a band that hold one line of text between the lines of the others."""
    columns: dict[int, list[Word]] = {}
    for word in words:
        columns.setdefault(slot(xs, word.middle_x), []).append(word)
    lines = {column: text_rows(found, size) for column, found in columns.items()}
    middles = [row[0].middle_y for rows in lines.values() if len(rows) > 1 for row in rows]
    found = set()
    for column, rows in lines.items():
        middle = rows[0][0].middle_y
        between = bool(middles) and min(middles) < middle < max(middles)
        if len(rows) == 1 and between and min(abs(middle - other) for other in middles) > 0.3 * size:
            found.add(column)
    return found


def _holds_rows(rows: list[list[Word]], xs: list[float]) -> bool:
    """Return True if rows of text in one band are rows of the table: in two columns, one of them of figures."""
    columns: dict[int, list[str]] = {}
    for row in rows:
        for column, text in _texts(row, xs).items():
            columns.setdefault(column, []).append(text)
    full = [texts for texts in columns.values() if len(texts) >= max(2, 0.5 * len(rows))]
    return len(full) > 1 and any(sum(map(is_numeric, texts)) >= 0.8 * len(texts) for texts in full)


def _closed(bounds: list[float], start: float, end: float, slack: float) -> list[float]:
    if not bounds:
        return [start, end]
    if bounds[0] - start > slack:
        bounds = [start, *bounds]
    if end - bounds[-1] > slack:
        bounds = [*bounds, end]
    return bounds
