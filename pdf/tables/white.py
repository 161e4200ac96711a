"""Rows and columns that white space makes: tables with level rules alone, or without any."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Grid, line_text, text_rows
from ragraph.pdf.patterns import CURRENCY, YEAR
from ragraph.pdf.tables.amounts import pieces
from ragraph.pdf.tables.grids import is_numeric, slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Box, Word

_CELL_GAP = 0.8
"""Gaps above this share of the size of type part cells on their own."""


class Corridor(NamedTuple):
    """A stretch between two columns that no text crosses, but for cells that span them."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        """Where the columns part."""
        return (self.left + self.right) / 2


def white_grid(box: Box, words: Sequence[Word], rules: Sequence[tuple[float, float, float]] = ()) -> Grid | None:
    """Return the cells of a stretch of a page by white space; None if it has fewer than two columns.

    Args:
        box: the stretch.
        words: the words in it.
        rules: level ruling lines; those within the box part rows, and shorter ones tell what a head spans.
    """
    if not words:
        return None
    size = sorted(word.size for word in words)[len(words) // 2]
    rows = text_rows(words, size)
    found = corridors(rows, size)
    if not found:
        return None
    bounds = [min(box.left, *(word.left for word in words)), *(corridor.middle for corridor in found),
              max(box.right, *(word.right for word in words))]  # fmt: skip
    inside = [rule for rule in rules if box.top - 3 <= rule[2] <= box.bottom + 3]
    cuts = _cuts(inside, box)
    ys = row_bounds(rows, bounds, box.top, box.bottom, cuts)
    return _fill(ys, bounds, rows, found, inside)


def _cuts(rules: Sequence[tuple[float, float, float]], box: Box) -> list[float]:
    """Return the heights at which rules part rows: long ones, and short ones under each head of a column."""
    cuts: list[float] = []
    for _, _, height in rules:
        level = [rule for rule in rules if abs(rule[2] - height) < 1.5]
        length = sum(end - start for start, end, _ in level)
        if length > 0.5 * box.width and not any(abs(cut - height) < 1.5 for cut in cuts):
            cuts.append(height)
    return cuts


def corridors(rows: Sequence[Sequence[Word]], size: float) -> list[Corridor]:
    """Return the stretches between columns, left to right.

    Args:
        rows: the words of each row of text.
        size: the usual size of type.
    """
    parts = [pieces(row) for row in rows]
    several = [row for row in parts if len(_cells(row)) > 1]
    if len(several) < 2:
        return []
    allowed = 0 if len(several) < 4 else max(1, round(0.12 * len(several)))
    narrow = (0.9 if len(several) < 4 else 0.65 if len(several) < 7 else 0.5) * size
    edges = sorted({edge for row in several for chunk in row for edge in (chunk[0].left, _right(chunk))})
    spans = [[(chunk[0].left, _right(chunk)) for chunk in row] for row in several]
    found: list[Corridor] = []
    start: float | None = None
    for (left, _), crossing in zip(pairwise(edges), _crossing(edges, spans), strict=True):
        if crossing <= allowed:
            start = left if start is None else start
            continue
        if start is not None and left - start >= narrow:
            found.append(Corridor(start, left))
        start = None
    return [corridor for corridor in found if _supported(corridor, spans, size)]


def _crossing(edges: Sequence[float], rows: Sequence[Sequence[tuple[float, float]]]) -> list[int]:
    """Return how many rows have a chunk over each stretch between neighbouring edges, which all ends of chunks are."""
    number = {edge: at for at, edge in enumerate(edges)}
    steps = [0] * len(edges)
    for row in rows:
        reached = 0
        for left, right in sorted(row):
            first, last = max(number[left], reached), number[right]
            if first < last:
                steps[first] += 1
                steps[last] -= 1
                reached = last
    return [*accumulate(steps)][:-1]


def _supported(corridor: Corridor, spans: Sequence[Sequence[tuple[float, float]]], size: float) -> bool:
    """Return True if enough rows have text on both sides and a gap wider than a blank there."""
    middle = corridor.middle
    both = 0
    for row in spans:
        left = max((right for _, right in row if right <= middle), default=None)
        right = min((left for left, _ in row if left >= middle), default=None)
        both += left is not None and right is not None and right - left > 0.45 * size
    return both >= max(2, 0.2 * len(spans))


def _cells(row: Sequence[Sequence[Word]]) -> list[Sequence[Word]]:
    """Return the chunks of a row that stand apart as cells do."""
    cells = [row[0]] if row else []
    for before, chunk in pairwise(row):
        if chunk[0].left - _right(before) > _CELL_GAP * chunk[0].size:
            cells.append(chunk)
    return cells


def _right(chunk: Sequence[Word]) -> float:
    return max(word.right for word in chunk)


def row_bounds(
    rows: Sequence[Sequence[Word]], bounds: Sequence[float], top: float, bottom: float, cuts: Sequence[float] = ()
) -> list[float]:
    """Return the edges of the rows of a table: rows of text that go on with the cells above belong to their row.

    Args:
        rows: the words of each row of text, top to bottom.
        bounds: edges of the columns.
        top: upper edge of the table.
        bottom: lower edge.
        cuts: heights at which ruling lines part rows.
    """
    columns = [_by_column(row, bounds) for row in rows]
    gaps = [min(word.top for word in lower) - max(word.bottom for word in upper) for upper, lower in pairwise(rows)]
    wide = _wide_gap(gaps, [row[0].size for row in rows])
    if wide is not None and _parts_figures(columns, gaps, wide):
        wide = None
    edges = [top]
    open_row = dict(columns[0]) if columns else {}
    for index, gap in enumerate(gaps):
        end = max(word.bottom for word in rows[index])
        start = min(word.top for word in rows[index + 1])
        ruled = [cut for cut in cuts if rows[index][0].middle_y < cut
                 < (rows[index + 1][0].top + rows[index + 1][0].bottom) / 2]  # fmt: skip
        lower = columns[index + 1]
        if ruled or (gap >= wide if wide is not None else not _goes_on(open_row, columns[index], lower, bounds)):
            edges.append(ruled[0] if ruled else (start + end) / 2)
            open_row = dict(lower)
        else:
            for column, words in lower.items():
                open_row[column] = [*open_row.get(column, []), *words]
    return [*edges, bottom]


def _wide_gap(gaps: Sequence[float], sizes: Sequence[float]) -> float | None:
    """Return the minimum gap that parts rows if lines within a cell are clearly closer, else None."""
    if len(gaps) < 4:
        return None
    size = sorted(sizes)[len(sizes) // 2]
    ordered = sorted(gaps)
    steps = [(after - before, before, after) for before, after in pairwise(ordered)]
    step, before, after = max(steps)
    close, far = sum(gap <= before for gap in gaps), sum(gap >= after for gap in gaps)
    if step < 0.25 * size or close < 2 or far < 2 or before > 0.45 * size:
        return None
    spread = before - ordered[0]
    return (before + after) / 2 if spread < 0.6 * step else None


def _parts_figures(columns: Sequence[dict[int, list[Word]]], gaps: Sequence[float], wide: float) -> bool:
    """Return True if rows that stand close have figures under figures: wide gaps part groups of rows, not rows."""
    close = [index for index, gap in enumerate(gaps) if gap < wide]
    stacked = sum(
        any(column in columns[index + 1] and _figures(words) and _figures(columns[index + 1][column])
            for column, words in columns[index].items() if column > 0)
        for index in close
    )  # fmt: skip
    return stacked > 0.2 * len(close)


def _goes_on(
    open_row: dict[int, list[Word]],
    last: dict[int, list[Word]],
    lower: dict[int, list[Word]],
    bounds: Sequence[float],
) -> bool:
    """Return True if a row of text goes on with the cells of the row above it."""
    texts = {column: line_text(sorted(words, key=lambda word: word.left)) for column, words in lower.items()}
    if any(is_numeric(text) for column, text in texts.items() if column > 0):
        # A label of two lines has its figures beside the second: the first was the label alone.
        alone = set(last) == {0} and set(open_row) == {0} and 0 in lower
        return alone and _mid_sentence(last[0], lower[0])
    if 0 not in lower:
        # Text below text of a column that the row above has: its second line.
        return all(column in open_row and not _figures(open_row[column]) for column in lower)
    if 0 not in last or not set(lower) <= set(open_row):
        return False
    return all(column in last and _wraps(last[column], words, bounds, column) for column, words in lower.items())


def _mid_sentence(upper: list[Word], lower: list[Word]) -> bool:
    """Return True if a line begins, or the one above ends, within a sentence."""
    head = min(lower, key=lambda word: word.left).text
    tail = max(upper, key=lambda word: (word.bottom, word.right)).text
    return head[:1].islower() or head[:1] in "(&/," or tail[-1:] in ",-–"


def _wraps(upper: list[Word], lower: list[Word], bounds: Sequence[float], column: int) -> bool:
    """Return True if a line of a cell goes on below: it fills the column, or the next begins in mid-sentence."""
    first = min(lower, key=lambda word: word.left)
    head = first.text
    if head[:1].islower() or head[:1] in "(&/,":
        return not _figures(lower)
    room = bounds[column + 1] - max(word.right for word in upper)
    indented = first.left > min(word.left for word in upper) + 0.4 * first.size
    return room < first.width + 0.6 * first.size and (indented or not head[:1].isupper())


def _figures(words: Sequence[Word]) -> bool:
    return is_numeric(line_text(sorted(words, key=lambda word: (word.top, word.left))))


def _by_column(row: Sequence[Word], bounds: Sequence[float]) -> dict[int, list[Word]]:
    found: dict[int, list[Word]] = {}
    for word in row:
        found.setdefault(slot(bounds, word.middle_x), []).append(word)
    return found


def _fill(
    ys: list[float],
    bounds: list[float],
    rows: Sequence[Sequence[Word]],
    found: Sequence[Corridor],
    rules: Sequence[tuple[float, float, float]],
) -> Grid:
    """Return the grid with every word in its cell; a chunk that crosses corridors spans the columns beside them."""
    grid = Grid(len(ys) - 1, bounds)
    spans: dict[tuple[int, int], int] = {}
    extents = _extents(rows, found)
    for row in rows:
        at = slot(ys, sum(word.top + word.bottom for word in row) / (2 * len(row)))
        parts = [part for chunk in pieces(row) for part in _split(chunk, found, extents)]
        for index, chunk in enumerate(parts):
            left, right = chunk[0].left, _right(chunk)
            first, last = slot(bounds, left + 0.5), slot(bounds, right - 0.5)
            crosses = [
                number for number, corridor in enumerate(found) if left < corridor.left and right > corridor.right
            ]
            if CURRENCY.match(chunk[0].text) and is_numeric(line_text(chunk[1:] or chunk)):
                # A sign of money may stand far to the left of its number, which stands in the column.
                first = last = slot(bounds, right - 0.5)
            elif not crosses:
                first = last = slot(bounds, (left + right) / 2)
            else:
                first, last = min(first, crosses[0]), max(last, crosses[-1] + 1)
                after = parts[index + 1][0].left if index + 1 < len(parts) else float("inf")
                last = min(last, max(first, slot(bounds, after) - 1)) if after != float("inf") else last
            first, last = _under_rule(first, last, chunk, bounds, rules, parts)
            place = (at, first)
            grid.words.setdefault(place, []).extend(chunk)
            spans[place] = max(spans.get(place, 1), last - first + 1)
    _settle(grid, spans)
    return grid


def _extents(rows: Sequence[Sequence[Word]], found: Sequence[Corridor]) -> list[tuple[float, float]]:
    """Return the left and right edge of the text of each column, of the chunks that stand within one."""
    middles = [corridor.middle for corridor in found]
    edges: list[list[tuple[float, float]]] = [[] for _ in range(len(found) + 1)]
    for row in rows:
        for chunk in pieces(row):
            left, right = chunk[0].left, _right(chunk)
            column = sum(left > middle for middle in middles)
            if column == sum(right > middle for middle in middles):
                edges[column].append((left, right))
    return [(min(one for one, _ in column), max(other for _, other in column)) if column else (0.0, 0.0)
            for column in edges]  # fmt: skip


def _split(chunk: list[Word], found: Sequence[Corridor], extents: Sequence[tuple[float, float]]) -> list[list[Word]]:
    """Cut a chunk whose words stand in columns though only a blank is between them; leave a cell that spans them."""
    left, right = chunk[0].left, _right(chunk)
    crossed = [number for number, corridor in enumerate(found) if left < corridor.left and right > corridor.right]
    if not crossed:
        return [chunk]
    parts: list[list[Word]] = [[]]
    at = 0
    for word in chunk:
        while at < len(crossed) and word.middle_x > found[crossed[at]].middle:
            at += 1
            parts.append([])
        parts[-1].append(word)
    if len(parts) != len(crossed) + 1 or any(not part for part in parts):
        return [chunk]
    gaps = [after[0].left - _right(before) for before, after in pairwise(parts)]
    fits = all(
        found[number].left - 2 < (_right(before) + after[0].left) / 2 < found[number].right + 2
        for number, (before, after) in zip(crossed, pairwise(parts), strict=True)
    )
    if not fits or min(gaps) < 0.15 * chunk[0].size:
        return [chunk]
    numbers = all(is_numeric(line_text(part)) for part in parts)
    placed = sum(_placed(part, extents[column]) for column, part in enumerate(parts, crossed[0]))
    return parts if numbers or placed >= max(2, 0.7 * len(parts)) else [chunk]


def _placed(part: Sequence[Word], extent: tuple[float, float]) -> bool:
    """Return True if words stand at the left, the right or the middle of a column."""
    left, right = part[0].left, _right(part)
    middle = abs((left + right) - (extent[0] + extent[1])) / 2
    return abs(left - extent[0]) < 2.5 or abs(right - extent[1]) < 2.5 or middle < 2.5


def _under_rule(
    first: int,
    last: int,
    chunk: Sequence[Word],
    bounds: Sequence[float],
    rules: Sequence[tuple[float, float, float]],
    row: Sequence[Sequence[Word]],
) -> tuple[int, int]:
    """Widen a head to the columns that a short rule below it spans; rules under figures are those of a sum."""
    text = line_text(list(chunk))
    if is_numeric(text) and not YEAR.match(text):
        return first, last
    left, right = chunk[0].left, _right(chunk)
    foot = max(word.bottom for word in chunk)
    for start, end, height in rules:
        if -2 <= height - foot < 0.8 * chunk[0].size and start - 3 <= left and right <= end + 3:
            if end - start > 0.75 * (bounds[-1] - bounds[0]):
                continue
            others = any(other is not chunk and other[0].left < end and _right(other) > start for other in row)
            if not others:
                # A rule may begin in the room between two columns, so a column counts if it reaches its middle.
                under = [column for column, (one, other) in enumerate(pairwise(bounds))
                         if start < (one + other) / 2 < end]  # fmt: skip
                return min([first, *under]), max([last, *under])
    return first, last


def _settle(grid: Grid, spans: dict[tuple[int, int], int]) -> None:
    """Keep the spans that cover no other cell; words of covered cells join the cell that covers them."""
    for (row, column), wide in sorted(spans.items()):
        free = 1
        while free < wide and (row, column + free) not in grid.words:
            free += 1
        if free > 1:
            grid.spans[row, column] = (1, free)
