"""Tables by their ruling lines: where they are, and their cells."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.layout import Block, Box, Kind, Line, Page, Word, line_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TOUCH = 3.0
_MAX_RULES = 1200

Rule = tuple[float, float, float]
"""A ruling line: start, end, and its place on the other axis."""


def find_tables(page: Page, lines: Sequence[Line], mono: bool = False) -> list[Block]:
    """Return the tables of a page: grids of ruling lines, and rows between level rules.

    Frames around typewriter text are listings, unless the whole document is ``mono``.
    """
    horizontals, verticals = page.horizontals, page.verticals
    if len(horizontals) + len(verticals) > _MAX_RULES or not horizontals:
        return []
    boxes = _grids(horizontals, verticals)
    boxes += _between_rules(page, horizontals, lines, boxes)
    tables = []
    for box in _merged(boxes):
        inside = [line for line in lines if box.holds(line, 0.5)]
        letters = sum(line.length for line in inside)
        framed = box.left < 3 and box.right > page.width - 3
        code = not mono and sum(line.mono * line.length for line in inside) > 0.7 * letters
        if len(inside) < 4 or framed or code:
            continue
        words = [word for line in inside for word in line.words]
        cells = _cells(box, words, horizontals, verticals)
        columns = max((len(row) for row in cells), default=0)
        filled = sum(bool(text) for row in cells for text in row)
        if len(cells) < 2 or columns < 2 or filled < 0.3 * len(cells) * columns:
            continue
        tables.append(Block(page.number, inside, Kind.TABLE, [(page.number, box)], cells=cells, header_rows=1))
    return tables


def _grids(horizontals: list[Rule], verticals: list[Rule]) -> list[Box]:
    """Return the boxes of ruling lines that cross or touch and enclose cells."""
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
    groups: dict[int, list[int]] = {}
    for index in range(len(parent)):
        groups.setdefault(root(index), []).append(index)
    boxes = []
    for members in groups.values():
        level = [horizontals[index] for index in members if index < count]
        upright = [verticals[index - count] for index in members if index >= count]
        rows = len(_distinct(rule[2] for rule in level))
        columns = len(_distinct(rule[2] for rule in upright))
        cells = (rows - 1) * (columns - 1)
        if cells >= 4 or (columns >= 3 and rows >= 2) or (rows >= 4 and columns >= 1):
            boxes.append(
                Box(
                    min([rule[0] for rule in level] + [rule[2] for rule in upright]),
                    min([rule[2] for rule in level] + [rule[0] for rule in upright]),
                    max([rule[1] for rule in level] + [rule[2] for rule in upright]),
                    max([rule[2] for rule in level] + [rule[1] for rule in upright]),
                )
            )
    return boxes


def _between_rules(page: Page, horizontals: list[Rule], lines: Sequence[Line], known: list[Box]) -> list[Box]:
    """Return tables set between three or more level rules of the same width."""
    found: list[Box] = []
    for left, right, height in sorted(horizontals, key=lambda rule: rule[2]):
        if right - left < 0.15 * page.width:
            continue
        if any(box.left - 4 <= left and right <= box.right + 4 and box.top - 4 <= height <= box.bottom + 4
               for box in (*known, *found)):  # fmt: skip
            continue
        family = _distinct(
            rule[2]
            for rule in horizontals
            if abs(rule[0] - left) < 4 and abs(rule[1] - right) < 4 and rule[2] >= height - 1
        )
        end = height
        for upper, lower in pairwise(family):
            if lower - upper > 0.45 * page.height:
                break
            end = lower
        box = Box(left, height, right, end)
        inside = [line for line in lines if box.holds(line)]
        rows = Counter(round((line.top + line.bottom) / 8) for line in inside)
        if len(family) >= 3 and rows and sum(number > 1 for number in rows.values()) >= 0.4 * len(rows):
            found.append(box)
    return found


def _merged(boxes: list[Box]) -> list[Box]:
    """Join boxes of the same width that follow each other closely: parts of one table."""
    merged: list[Box] = []
    for box in sorted(boxes, key=lambda box: box.top):
        for index, other in enumerate(merged):
            same = abs(other.left - box.left) < 8 and abs(other.right - box.right) < 8
            if same and -1 < box.top - other.bottom < 16:
                merged[index] = Box(
                    min(box.left, other.left), other.top, max(box.right, other.right), max(box.bottom, other.bottom)
                )
                break
            if other.holds(box, 0.8):
                break
        else:
            merged.append(box)
    return merged


def _cells(box: Box, words: list[Word], horizontals: list[Rule], verticals: list[Rule]) -> list[list[str]]:
    """Sort the words of a table into rows and columns of text."""
    xs = _distinct(
        rule[2] for rule in verticals if box.left - 3 <= rule[2] <= box.right + 3
        and rule[1] > box.top + 1 and rule[0] < box.bottom - 1
    )  # fmt: skip
    ys = _distinct(
        rule[2] for rule in horizontals if box.top - 3 <= rule[2] <= box.bottom + 3
        and min(rule[1], box.right) - max(rule[0], box.left) > 0.25 * (box.right - box.left)
    )  # fmt: skip
    heights = sorted(word.size for word in words)
    size = heights[len(heights) // 2]
    rows = _text_rows(words, size)
    xs = _closed(xs, box.left, box.right, 6) if len(xs) >= 3 else _white_columns(rows, box, size)
    ys = _closed(ys, box.top, box.bottom, 5) if len(ys) >= 4 else _white_rows(rows, xs, box, size)
    grid: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        row = _slot(ys, (word.top + word.bottom) / 2)
        column = _slot(xs, (word.left + word.right) / 2)
        grid.setdefault((row, column), []).append(word)
    used_rows = sorted({row for row, _ in grid})
    used_columns = sorted({column for _, column in grid})
    return [[_cell_text(grid.get((row, column), [])) for column in used_columns] for row in used_rows]


def _cell_text(words: list[Word]) -> str:
    if not words:
        return ""
    rows = _text_rows(words, words[0].size)
    return " ".join(line_text(sorted(row, key=lambda word: word.left)) for row in rows)


def _text_rows(words: list[Word], size: float) -> list[list[Word]]:
    rows: list[list[Word]] = []
    middle = 0.0
    for word in sorted(words, key=lambda word: word.top + word.bottom):
        at = (word.top + word.bottom) / 2
        if rows and at - middle < 0.5 * size:
            rows[-1].append(word)
        else:
            rows.append([word])
            middle = at
    return rows


def _white_columns(rows: list[list[Word]], box: Box, size: float) -> list[float]:
    """Return the bounds of columns: stretches that no text crosses."""
    spans: list[tuple[float, float]] = []
    for row in rows:
        ordered = sorted(row, key=lambda word: word.left)
        start, end = ordered[0].left, ordered[0].right
        for word in ordered[1:]:
            if word.left - end > 0.8 * size:
                spans.append((start, end))
                start = word.left
            end = max(end, word.right)
        spans.append((start, end))
    narrow = [span for span in spans if span[1] - span[0] < 0.6 * (box.right - box.left)] or spans
    bounds = [box.left]
    reach: float | None = None
    for start, end in sorted(narrow):
        if reach is not None and start - reach > 0.3 * size:
            bounds.append((start + reach) / 2)
        reach = end if reach is None else max(reach, end)
    return [*bounds, box.right]


def _white_rows(rows: list[list[Word]], xs: list[float], box: Box, size: float) -> list[float]:
    """Return the bounds of rows: a row begins where the first column has text, or after a wide gap."""
    bounds = [box.top]
    for upper, lower in pairwise(rows):
        end, start = max(word.bottom for word in upper), min(word.top for word in lower)
        columns = {_slot(xs, (word.left + word.right) / 2) for word in lower}
        if 0 in columns or start - end > 0.6 * size:
            bounds.append((start + end) / 2)
    return [*bounds, box.bottom]


def _closed(bounds: list[float], start: float, end: float, slack: float) -> list[float]:
    if bounds[0] - start > slack:
        bounds = [start, *bounds]
    if end - bounds[-1] > slack:
        bounds = [*bounds, end]
    return bounds


def _slot(bounds: list[float], value: float) -> int:
    return min(max(sum(value > bound for bound in bounds) - 1, 0), len(bounds) - 2)


def _distinct(values: Iterable[float]) -> list[float]:
    """Return values sorted, those that touch as one."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > _TOUCH:
            kept.append(value)
    return kept
