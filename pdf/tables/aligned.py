"""Where tables without a grid of lines stand: text between level rules, and rows of text that align.

Precision comes first: columns of prose, contents, indexes, lists, addresses, formulas and signatures align too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box, Grid, Line, Sided, around, distinct, in_runs, level_rows, shared_width
from ragraph.pdf.patterns import (
    BLANK_FIELD,
    BULLET,
    CAPTION,
    FIELD_NAME,
    ITEM_LABEL,
    LEADER,
    PAGES_LISTED,
    TABLE_CAPTION,
    UNIT,
)
from ragraph.pdf.tables.beside import without_text_beside
from ragraph.pdf.tables.grids import chunks, is_numeric
from ragraph.pdf.tables.head import boldness, is_heavy
from ragraph.pdf.tables.ruled import merged_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Page
    from ragraph.pdf.tables.ruled import Rule

_NAMED = 40
"""Letters of most cells under bold names at most: text in columns has more."""
_BOLD = 0.8
"""Minimum share of the letters of a row at which it is bold."""
_TEXT = 120
"""Letters of nearly all cells beside figures at most, where no rule or caption speaks for a table."""
_PROSE_WORDS = 6
"""Words of a line from which it may be running text."""
_BRACKET = 0.5
"""Room for a bracket behind amounts that stand under each other, per point of size."""
_CELL = 12
"""Lines of a cell of running text at most: columns of a page have more."""
_ITEMS = 0.2
"""Share of the cells that begin with a bullet, at least, in lists that are set in columns."""
_SAME_EDGE = 3
"""Points by which cells of a column begin apart at most."""
_WIDE, _COLUMNS = 0.9, 3
"""Blanks of a line between rules that part cells, in sizes of type, and the cells that make it a row."""
_MAX_STEP = 2.6
"""Rows of a table stand at most so many times the size of type apart, foot to head."""


class Run(Sided):
    """Pieces of text side by side on one row, left to right, parted by gaps."""

    def __init__(self, pieces: list[Line]) -> None:
        self.pieces = pieces
        self.left, self.top, self.right, self.bottom = around(pieces)

    @property
    def several(self) -> bool:
        """Whether it has more than one piece."""
        return len(self.pieces) > 1


@dataclass
class Place:
    """A stretch of a page that may be a table: its box, and what speaks for it: rules, a caption, a model, stripes."""

    box: Box
    lines: list[Line] = field(default_factory=list)
    rules: int = 0
    captioned: bool = False
    seen: bool = False
    striped: bool = False


def places(page: Page, lines: Sequence[Line], taken: Sequence[Box]) -> list[Place]:
    """Return the stretches of a page that may be tables, those between rules first joined with aligned rows beside.

    Args:
        page: the page; its level rules are looked at.
        lines: those of its lines that are not in tables with grids.
        taken: boxes of tables with grids.
    """
    if len(page.horizontals) < 2 and not _side_by_side(lines):
        return []
    prose = prose_of(page, lines)
    runs = _runs(lines, prose)
    level = merged_rules(page.horizontals)
    captions = [line for line in lines if CAPTION.match(line.text) and TABLE_CAPTION.match(line.text)]
    cells = _runs(lines, set())
    found = [Place(box, rules=count) for box, count in _between_rules(page, runs, cells, captions, taken)]
    for group in _groups(runs):
        found = _with_group(found, around([piece for run in group for piece in run.pieces]))
    for place in found:
        inside = [line for line in lines if place.box.holds(line, 0.5)]
        place.lines = without_text_beside(inside, lines, prose, level)
        if place.lines and len(place.lines) < len(inside):
            place.box = around(place.lines)
        place.captioned = any(is_near(caption, place.box) for caption in captions)
        place.striped = any(box.holds(place.box, 0.5) for box in page.striped)
    return [place for place in found if place.lines]


def _with_group(places: Sequence[Place], box: Box) -> list[Place]:
    """Return places with one for the box of a group of rows, which is joined with those that it meets."""
    beside = [place for place in places if _meets(place.box, box)]
    rules = max((place.rules for place in beside), default=0)
    others = [place for place in places if all(place is not other for other in beside)]
    return [*others, Place(around([box, *(place.box for place in beside)]), rules=rules)]


def without_title(place: Place) -> list[Line]:
    """Return the lines of a place without those at its head that stand alone in the middle over the columns."""
    lines = sorted(place.lines, key=lambda line: line.top)
    while len(lines) > 2:
        first = lines[0]
        alone = lines[1].top > first.bottom - 0.4 * first.size
        middle = abs((first.left + first.right) - (place.box.left + place.box.right)) < 14
        if not (alone and middle) or first.left < place.box.left + 2 * first.size:
            break
        lines = lines[1:]
    return lines


def body_rows(grid: Grid) -> range:
    """Return the rows of a grid without a title above and notes below: single cells as wide as several columns."""
    texts = grid.texts()
    figures = set(figure_columns(texts))

    def single(row: int) -> bool:
        filled = [column for column, text in enumerate(texts[row]) if text]
        if len(filled) > 1:
            return False
        if filled and (UNIT.match(texts[row][filled[0]]) or _over_figures(grid, row, filled[0], figures)):
            return False
        wide = grid.spans.get((row, filled[0]), (1, 1))[1] if filled else 1
        return not filled or wide >= max(2, 0.5 * grid.columns) or len(texts[row][filled[0]]) > 80

    first, last = 0, grid.rows
    while first < last and single(first):
        first += 1
    while last > first and single(last - 1):
        last -= 1
    return range(first, last)


def _over_figures(grid: Grid, row: int, column: int, figures: set[int]) -> bool:
    """Return True if a cell stands over columns of figures alone: a head that spans them, no title."""
    high, wide = grid.spans.get((row, column), (1, 1))
    words = grid.words[row, column]
    inside = min(word.left for word in words) > grid.bounds[column] - 1
    return column > 0 and inside and row + high < grid.rows and figures.issuperset(range(column, column + wide))


def fills_rows(place: Place, grid: Grid) -> bool:
    """Return True if the cells in a place fill its rows as those of a table do; fewer need to where one is seen."""
    rows = grid.texts()
    columns = grid.columns
    several = [row for row in rows if sum(map(bool, row)) > 1]
    if columns < 2 or len(several) < 2:
        return False
    cells = [*filter(None, chain(*rows))]
    if is_something_else(place, rows, cells):
        return False
    longest = sorted(map(len, cells))[int(0.9 * (len(cells) - 1))]
    figures = figure_columns(rows)
    if not place.striped and _are_columns_of_text(rows, figures):
        return False
    sound = grid.filled > 0.3 and len(several) >= 0.4 * len(rows)
    ruled = place.rules + bool(figures) >= 3
    if place.seen or place.captioned or place.rules >= 2:
        return sound and (place.seen or bool(figures) or longest < (160 if ruled else 90))
    named = columns > 2 and is_heavy(grid, 0) and longest <= _NAMED and _is_bold_above_all(grid)
    told = (bool(figures) and longest < _TEXT) or named
    return told and grid.filled >= 0.45 and _are_rows(several, columns)


def _are_columns_of_text(rows: Sequence[Sequence[str]], figures: Sequence[int]) -> bool:
    """Return True if most rows have no figure and are lines of running text, whatever prices are beside them."""
    bare = [row for row in rows if not any(is_numeric(row[column]) for column in figures)]
    return 2 * len(bare) > len(rows) and reads_on([*filter(None, chain(*bare))])


def _is_bold_above_all(grid: Grid) -> bool:
    """Return True if rows of several cells are bold at the head of a grid alone: titles over cards come again."""
    several = [row for row, texts in enumerate(grid.texts()) if sum(map(bool, texts)) > 1]
    heads = [boldness(grid, row) > _BOLD for row in several]
    return heads == sorted(heads, reverse=True)


def _are_rows(several: Sequence[Sequence[str]], columns: int) -> bool:
    """Return True if rows of several cells are enough for a table that nothing else tells, and none of contents."""
    if columns > 2:
        return len(several) > 2
    return len(several) > 3 and not counts_up([row[1] for row in several])


def is_something_else(place: Place, rows: Sequence[Sequence[str]], cells: Sequence[str]) -> bool:
    """Return True if cells are those of signatures, forms, indexes, lists, formulas or contents."""
    count = len(cells)
    letters = sum(line.length for line in place.lines)
    if sum(line.math * line.length for line in place.lines) > 0.25 * letters:
        return True
    if are_labels(cells) and not (place.captioned and place.rules):
        return True
    if sum(bool(BLANK_FIELD.search(text)) for text in cells) >= 0.25 * count:
        return True
    if place.rules >= 3:
        return False
    if not place.seen and _is_form_or_list(place, rows, cells):
        return True
    leaders = sum(bool(LEADER.search(" ".join(row))) for row in rows)
    return leaders >= 0.5 * len(rows) and counts_up([row[-1] for row in rows])


def _is_form_or_list(place: Place, rows: Sequence[Sequence[str]], cells: Sequence[str]) -> bool:
    """Return True if most cells are names of fields, entries of an index, or items of a list."""
    if sum(bool(FIELD_NAME.search(text)) for text in cells) >= 0.3 * len(cells):
        return True
    if sum(bool(PAGES_LISTED.search(text)) for text in cells) >= 0.4 * len(cells):
        return True
    figures = ([row[column] for row in rows] for column in figure_columns(rows))
    if place.captioned or not all(counts_up(column, fewest=3) for column in figures):
        return False  # with figures behind them that name no pages, items are numbers of rows
    items = sum(bool(BULLET.match(text)) and len(text.split()) > 1 for text in cells)
    first = [row[0] for row in rows if row[0]]
    marked = sum(bool(BULLET.match(text)) or len(text) <= 1 for text in first)
    return items >= _ITEMS * len(cells) or (bool(first) and marked >= 0.6 * len(first))


def reads_on(cells: Sequence[str]) -> bool:
    """Return True if cells are lines of running text set in columns: long, and most begin or end within a sentence."""
    words = sum(len(text.split()) for text in cells)
    within = sum(text[:1].islower() or text[-1:] in ",-" for text in cells)
    return words >= 4 * len(cells) and within >= 0.3 * len(cells)


def are_labels(cells: Sequence[str]) -> bool:
    """Return True if texts are the letters of a drawing: points, axes, sides."""
    words = [word for text in cells for word in text.split()]
    return max(map(len, words), default=0) <= 4 and sum(map(is_numeric, words)) < 0.5 * len(words)


def figure_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns, but for the first, whose cells are figures below the head; labels of items are none."""
    found = []
    for column in range(1, len(rows[0])):
        texts = [row[column] for row in rows if row[column]]
        if sum(bool(ITEM_LABEL.match(text)) for text in texts) > 0.5 * len(texts):
            continue
        figures = sum(map(is_numeric, texts))
        if len(texts) >= 2 and figures >= max(2, 0.6 * len(texts)) and any(c.isdigit() for text in texts for c in text):
            found.append(column)
    return found


def is_labelled(grid: Grid) -> bool:
    """Return True if rows have a label and figures in several columns: on a ground of shading, not marks of a chart."""
    rows = grid.texts()
    columns = figure_columns(rows)
    with_figures = [row for row in rows if sum(is_numeric(row[column]) for column in columns) >= 2]
    labelled = sum(bool(row[0]) and not is_numeric(row[0]) for row in with_figures)
    return len(columns) >= 2 and len(with_figures) >= 4 and labelled >= 0.6 * len(with_figures)


def counts_up(texts: Iterable[str], fewest: int = 4) -> bool:
    """Return True if whole numbers, of which there are enough, grow from row to row, as page numbers of contents do."""
    numbers = [int(text) for text in texts if text.isdecimal() and len(text) <= 4]
    rising = all(one <= other for one, other in pairwise(numbers))
    return len(numbers) >= fewest and rising and len(set(numbers)) > 2


def prose_of(page: Page, lines: Sequence[Line]) -> set[int]:
    """Return the lines of running text: long ones of several words stacked at one left edge."""
    wide = [line for line in lines if len(line.words) >= _PROSE_WORDS and line.width > 0.22 * page.width
            and not _mostly_figures(line)]  # fmt: skip
    edges: dict[int, list[Line]] = {}
    for line in wide:
        edges.setdefault(round(line.left / 4), []).append(line)
    found: set[int] = set()
    for line in wide:
        place = round(line.left / 4)
        stacked = sum(
            abs(other.left - line.left) < 4 and 0 < abs(other.top - line.top) < 2.2 * line.size
            and abs(other.right - line.right) < 0.25 * line.width
            for step in (-1, 0, 1)
            for other in edges.get(place + step, ())
        )  # fmt: skip
        if stacked:
            found.add(id(line))
    return found


def _side_by_side(lines: Sequence[Line]) -> bool:
    """Return True if at least two lines stand level with the next one."""
    ordered = sorted(lines, key=lambda line: line.bottom)
    return sum(abs(one.bottom - other.bottom) < 0.4 * one.size for one, other in pairwise(ordered)) >= 2


def _mostly_figures(line: Line) -> bool:
    return sum(is_numeric(word.text) for word in line.words) >= 0.4 * len(line.words)


def _runs(lines: Sequence[Line], prose: set[int]) -> list[Run]:
    """Return the rows of the page, cut where running text stands in them."""
    runs: list[Run] = []
    for row in level_rows(lines):
        parts = in_runs(row, lambda part, line: not prose & {id(part[-1]), id(line)})
        runs += [Run(part) for part in parts if id(part[0]) not in prose]
    return runs


def _groups(runs: Sequence[Run]) -> list[list[Run]]:
    """Return runs of several pieces that follow each other down the page and align, single pieces between included."""
    groups: list[list[Run]] = []
    waiting: list[list[Run]] = []
    edges: list[tuple[float, float]] = []
    for run in sorted(runs, key=lambda run: run.top):
        size = max(piece.size for piece in run.pieces)
        best = None
        for index, group in enumerate(groups):
            last = (waiting[index] or group)[-1]
            distance = run.top - max(last.bottom, group[-1].bottom)
            if (
                distance < _MAX_STEP * size
                and _overlaps(edges[index], run)
                and (best is None or len(group) > len(groups[best]))
            ):
                best = index
        if run.several and best is not None and _aligned(groups[best], run):
            for taken in (*waiting[best], run):
                edges[best] = min(edges[best][0], taken.left), max(edges[best][1], taken.right)
                groups[best].append(taken)
            waiting[best] = []
        elif run.several:
            groups.append([run])
            waiting.append([])
            edges.append((run.left, run.right))
        elif best is not None and len(waiting[best]) < 3:
            inside = edges[best][0] - size < run.left and run.right < edges[best][1] + size
            if inside and not CAPTION.match(run.pieces[0].text):
                waiting[best].append(run)
    for index, group in enumerate(groups):
        _add_tail(group, waiting[index])
    return [group for group in groups if sum(run.several for run in group) >= 2]


def _add_tail(group: list[Run], waiting: Sequence[Run]) -> None:
    """Take in single pieces below the last row that go on with its cells: close, and under a column but the first."""
    for run in waiting:
        last = group[-1]
        piece = run.pieces[0]
        if run.top - last.bottom > 0.5 * piece.size or abs(piece.size - last.pieces[0].size) > 0.6:
            break
        under = any(abs(piece.left - other.left) < 3 for other in last.pieces[1:])
        if not under:
            break
        group.append(run)


def _overlaps(edges: tuple[float, float], run: Run) -> bool:
    left, right = edges
    return min(right, run.right) - max(left, run.left) > 0.3 * min(right - left, run.width)


def _aligned(group: Sequence[Run], run: Run) -> bool:
    """Return True if pieces of a row stand under those of rows above: at the same edge, or within their reach."""
    near = [piece for other in group[-4:] for piece in other.pieces]
    alike = 0
    for piece in run.pieces:
        middle = piece.middle_x
        alike += any(
            abs(piece.left - other.left) < 3
            or abs(piece.right - other.right) < 3
            or abs(middle - other.middle_x) < 4
            or (other.left - 2 <= piece.left and piece.right <= other.right + 2)
            or (abs(piece.right - other.right) < _BRACKET * piece.size and _amounts(piece, other))
            for other in near
        )
    return alike >= min(2, len(run.pieces)) and alike >= 0.5 * len(run.pieces)


def _amounts(one: Line, other: Line) -> bool:
    return is_numeric(one.text) and is_numeric(other.text)


def _between_rules(
    page: Page, runs: Sequence[Run], cells: Sequence[Run], captions: Sequence[Line], taken: Sequence[Box]
) -> list[tuple[Box, int]]:
    """Return stretches between level rules of one width whose rows have several pieces, and the number of rules.

    Args:
        page: the page.
        runs: its rows, without running text.
        cells: the same with it: long cells of words are taken for running text, but not below the caption of a table,
            nor on stripes, nor beside rows whose columns they stand in.
        captions: of tables.
        taken: boxes of tables.
    """
    rules = merged_rules(page.horizontals)  # many files draw them cell by cell
    found: list[tuple[Box, int]] = []
    done: set[tuple[int, int]] = set()
    for left, right, _ in sorted(rules, key=lambda rule: rule[2]):
        key = (round(left / 4), round(right / 4))
        if right - left < 0.15 * page.width or key in done:
            continue
        done.add(key)
        family = _family(rules, left, right, taken)
        below = bool(family) and any(is_near(caption, Box(left, family[0], right, family[-1])) for caption in captions)
        striped = [box for box in page.striped if abs(box.left - left) < 4 and abs(box.right - right) < 4]
        bands = [Box(left, upper, right, lower) for upper, lower in pairwise(family)]
        sure = [band for band in bands
                if _tabular(band, cells if below or any(box.holds(band) for box in striped) else runs)]  # fmt: skip
        plain = [] if below else sure
        held = [band for band in bands if band in sure or _goes_on(band, plain, cells)
                or (sure and _tabular(band, cells, blanks=True))]  # fmt: skip
        for run in in_runs(held, lambda run, band: run[-1].bottom == band.top):
            box = Box(left, run[0].top, right, run[-1].bottom)
            if not any(other.holds(box, 0.8) for other, _ in found):
                found.append((box, len(run) + 1))
    return found


def _family(rules: Sequence[Rule], left: float, right: float, taken: Sequence[Box]) -> list[float]:
    """Return the heights of the rules from one edge to the other, but for those in tables that are known."""
    boxes = [box for box in taken if box.left - 4 <= left and right <= box.right + 4]
    return distinct(
        height
        for start, end, height in rules
        if abs(start - left) < 4
        and abs(end - right) < 4
        and not any(box.top - 4 <= height <= box.bottom + 4 for box in boxes)
    )


def _tabular(box: Box, runs: Sequence[Run], *, blanks: bool = False) -> bool:
    """Return True if the rows between two rules are rows of a table; with ``blanks``, also lines of words far apart."""
    inside = _inside(box, runs)
    if not inside:
        return False
    reach = 3.5 * max(piece.size for run in inside for piece in run.pieces)
    near = min(run.top for run in inside) - box.top < reach and box.bottom - max(run.bottom for run in inside) < reach
    several = sum(run.several or (blanks and _stands_in_columns(run)) for run in inside)
    return near and several >= 0.4 * len(inside)


def _stands_in_columns(run: Run) -> bool:
    """Return True if the words of a line stand in three columns or more, which wide blanks part."""
    return len(chunks(run.pieces[0].words, _WIDE)) >= _COLUMNS


def _goes_on(band: Box, plain: Sequence[Box], cells: Sequence[Run]) -> bool:
    """Return True if a band holds a row of words in the columns of the rows in other bands between the same rules."""
    if not plain or not _tabular(band, cells):
        return False
    edges = [piece.left for other in plain for run in _inside(other, cells) if run.several for piece in run.pieces]
    inside = _inside(band, cells)
    return len(inside) <= _CELL and all(
        any(abs(piece.left - edge) < _SAME_EDGE for edge in edges) for run in inside for piece in run.pieces
    )


def _inside(box: Box, runs: Sequence[Run]) -> list[Run]:
    """Return the rows between two rules."""
    return [run for run in runs if box.top - 1 <= run.middle_y <= box.bottom + 1
            and run.left > box.left - 6 and run.right < box.right + 6]  # fmt: skip


def _meets(one: Box, other: Box) -> bool:
    """Return True if two boxes overlap, or stand over one another with next to nothing between."""
    wide = shared_width(one, other)
    gap = max(one.top, other.top) - min(one.bottom, other.bottom)
    return wide > 0.5 * min(one.width, other.width) and gap < 6


def is_near(caption: Line, box: Box) -> bool:
    """Return True if a caption stands right over or under a box."""
    beside = shared_width(caption, box) <= 0
    return not beside and (-6 < box.top - caption.bottom < 40 or -6 < caption.top - box.bottom < 24)
