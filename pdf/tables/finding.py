"""The tables of a page: grids of ruling lines, text between level rules, rows that align."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Box, Grid, Kind, Line, Page, Word, around, outermost
from ragraph.pdf.patterns import LEADER, UNIT
from ragraph.pdf.stated.regions import stated_boxes
from ragraph.pdf.stated.votes import is_met, is_seen_as_table, seen_tables
from ragraph.pdf.tables.above import head_above, names_above
from ragraph.pdf.tables.accounts import Body, bodies_of
from ragraph.pdf.tables.aligned import (
    Place,
    are_labels,
    body_rows,
    counts_up,
    figure_columns,
    fills_rows,
    is_labelled,
    is_something_else,
    places,
    prose_of,
    reads_on,
    without_title,
)
from ragraph.pdf.tables.candidates import Candidate
from ragraph.pdf.tables.charts import in_drawing, is_chart
from ragraph.pdf.tables.columns import grid_of
from ragraph.pdf.tables.figures import Row, rows_of
from ragraph.pdf.tables.grids import is_numeric
from ragraph.pdf.tables.head import fold_head, header_rows, is_heavy
from ragraph.pdf.tables.pairs import label_tables, sum_tables
from ragraph.pdf.tables.panels import are_panels
from ragraph.pdf.tables.placed import put_right
from ragraph.pdf.tables.ruled import merged_rules, ruled_boxes, ruled_grid
from ragraph.pdf.tables.sideways import span_titles
from ragraph.pdf.tables.sighted import lines_between, meet, sighted_grid, sighted_place
from ragraph.pdf.tables.signs import with_signs, without_spacers
from ragraph.pdf.tables.under import tables_under_names
from ragraph.pdf.tables.white import white_grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.tables.ruled import Rule

_MAX_RULES = 1200
"""Rules of a page: pages with more are drawings, and crossing them all takes time with their square."""
_RIGHT = 0.42
"""Minimum share of the width of a page at which a column of text may begin that is not the first."""
_WRAPPED = 0.25
"""Share of the rows with text in the columns of amounts, and none: cells of several lines, which white space parts."""
_FILLED = 0.45
"""Share of the places behind the labels that amounts fill: those of charts stand here and there."""
_CELLS = 6
"""Minimum number of paragraphs in a box of ruling lines, at which they are cells."""
_INSIDE = 0.6
"""Minimum share of the rows of amounts within a box of crossing lines, at which they are its rows."""
_ENDS = 3.0
"""Points by which the ends of the rules that open and close a table differ at most."""
_FEWEST = 3
"""Lines of running text that make a column."""
_FEW, _LINES = 2, 4
"""Minimum numbers of lines within crossing rules that may be a table, and that the rules take for one."""
_SPARSE = 0.3
"""Share of the places of a grid of crossing rules that hold text, at least."""
_WHOLE = 0.8
"""Share of a place that lies in a table of which it is a part, and of the text of such a table in its parts, at least:
what is left is titles between them."""


def find_tables(page: Page, lines: Sequence[Line], mono: bool = False) -> list[Block]:
    """Return the tables of a page, each with its lines and its grid of cells.

    Frames around typewriter text are listings, unless the whole document is ``mono``.

    Args:
        page: with words, rules and regions; not changed.
        lines: those of its lines that may belong to tables.
        mono: whether the running text is set in typewriter type.
    """
    finder = _Finder(page, lines, mono)
    finder.take_stated()
    finder.take_labelled()
    finder.take_amounts()
    finder.take_ruled()
    finder.take_sums()
    finder.take_aligned()
    placed = finder.take_sighted()
    return finder.settled(placed)


class _Finder:
    """The tables of a page while they are found, one kind after the other: each leaves the others what is left."""

    def __init__(self, page: Page, lines: Sequence[Line], mono: bool) -> None:
        self.page, self.lines, self.mono = page, lines, mono
        self.free = [line for line in lines if mono or line.mono < 0.7 or is_numeric(line.text)]
        self.tables: list[Block] = []
        self.panels: list[Box] = []
        self.stated = stated_boxes(page, Kind.TABLE)
        self.boxes = boxes_of(page)

    def judge(self, candidate: Candidate | None) -> None:
        """Take a candidate if the rules take it for a table."""
        if candidate is not None:
            if candidate.panels:
                self.panels.append(candidate.place.box)
            if candidate.says and (table := candidate.build(self.left())) is not None:
                self.tables.append(table)

    def left(self) -> list[Line]:
        """Return the free lines that are in no table."""
        return _left(self.free, self.tables)

    def is_stated(self, table: Block) -> bool:
        """Return True if the file's tags or a layout model say that a table is one."""
        return any(box.holds(table.box, 0.5) for box in self.stated)

    def take_stated(self) -> None:
        """Take the tables that are stated."""
        found = (_stated(self.page, box, self.free) for box in self.stated)
        self.tables += [table for table in found if table is not None]
        self.free = self.left()

    def take_labelled(self) -> None:
        """Take rows of labels and values, and values under names, where lines that cross make no better cells."""
        labelled = label_tables(self.page, self.free)
        # other finders put in a wrong place what is beside an empty cell; tables without one are left to them
        named = [one for one in tables_under_names(self.page.number, self.free)
                 if one.grid and not all(map(all, one.grid.texts()))]  # fmt: skip
        for table in (*labelled, *named):
            near = (box for box in self.boxes if box.holds(table.box, 0.8) or table.box.holds(box, 0.5))
            ruled = (_ruled(self.page, box, self.free, self.mono) for box in near)
            cells = any(one is not None and one.says and one.crossed for one in ruled)
            if not cells and len(_left(table.lines, self.tables)) == len(table.lines):
                self.judge(_named(table))
        self.free = self.left()

    def take_amounts(self) -> None:
        """Take rows of amounts that no lattice parts into cells."""
        page, prose = self.page, prose_of(self.page, self.free)
        for body in bodies_of(rows_of(self.free, prose, gutter(page, self.free, prose)), prose):
            if not any(_is_lattice(page, box, body) for box in self.boxes):
                self.judge(_account(page, body, self.left()))

    def take_ruled(self) -> None:
        """Take what is within lines that cross."""
        for box in self.boxes:
            if not any(box.holds(table.box, 0.5) or table.box.holds(box, 0.5) for table in self.tables):
                self.judge(_ruled(self.page, box, _left(self.lines, self.tables), self.mono))

    def take_sums(self) -> None:
        """Take sums, and values under names."""
        left = self.left()
        for table in (*sum_tables(self.page.number, left), *tables_under_names(self.page.number, left)):
            self.judge(_named(table))
        self.free = self.left()

    def take_aligned(self) -> None:
        """Take what is between level rules, and rows that align."""
        found = places(self.page, self.free, [table.box for table in self.tables])
        for place in sorted(found, key=lambda place: -place.rules):
            place.lines = _left(place.lines, self.tables)
            place.seen = is_seen_as_table(self.page, place.box)
            panel = not place.seen and any(box.holds(place.box, _WHOLE) for box in self.panels)
            if place.lines and not panel:  # panels hold running text
                self.judge(white(self.page, place))

    def take_sighted(self) -> list[Block]:
        """Take what a layout model sees, also in place of larger tables, and return these."""
        if is_crowded(self.page):
            return []
        seen, parted = _sighted(self.page, self.tables, self.stated, self.free)
        self.tables = [table for table in self.tables if not any(table is one for one in parted)]
        known = len(self.tables)
        for candidate in seen:
            self.judge(candidate)
        return self.tables[known:]

    def settled(self, placed: Sequence[Block]) -> list[Block]:
        """Return the tables, top to bottom, with heads and values in their places; charts are none.

        Args:
            placed: those that a layout model has placed.
        """
        page = self.page
        for table in self.tables:
            if not self.is_stated(table):
                _name_columns(page, table, self.left())
        kept: list[Block] = []
        for table in self.tables:
            spoke = is_seen_as_table(page, table.box)
            stated = self.is_stated(table)
            if not (stated or spoke) and (is_chart(page, table, self.lines) or in_drawing(page, table, self.tables)):
                continue
            if table.grid is not None and not stated:
                put_right(table.grid)
            table.claims = {"layout": None} if spoke or any(table is one for one in placed) else {}
            kept.append(table)
        return sorted(kept, key=lambda table: (table.top, table.left))


def is_crowded(page: Page) -> bool:
    """Return True if a page has so many ruling lines that it is a drawing."""
    return len(page.horizontals) + len(page.verticals) > _MAX_RULES


def boxes_of(page: Page) -> list[Box]:
    """Return the boxes of ruling lines that cross; none of a page with too many of them."""
    if is_crowded(page):
        return []
    boxes = ruled_boxes(merged_rules(page.horizontals), merged_rules(page.verticals))
    return outermost(sorted(boxes, key=lambda box: box.top))


def _named(table: Block) -> Candidate | None:
    """Return a table that labels or names make, as a candidate."""
    if table.grid is None:
        return None
    return Candidate(Place(table.box, table.lines), table.grid, True, lambda _: table)


def _name_columns(page: Page, table: Block, free: Sequence[Line]) -> None:
    """Give a table without a head of another look the row of names that stands right above it.

    A table with a head within a frame that closes over it has no other: what stands above is not of the table.
    """
    grid = table.grid
    if grid is None or is_heavy(grid, 0) or (grid.header_rows and figure_columns(grid.texts())):
        return
    if grid.header_rows and _is_framed(page, table.box):
        return
    names = names_above(grid, table.box, free)
    if not names:
        return
    words = {(row + 1, column): found for (row, column), found in grid.words.items()}
    words |= {(0, grid.columns - len(names) + at): piece.words for at, piece in enumerate(names)}
    spans = {(row + 1, column): size for (row, column), size in grid.spans.items()}
    # One row of the look of the others was only thought to be a head for want of another.
    rows = grid.header_rows + 1 if grid.header_rows > 1 else 1
    table.grid = Grid(grid.rows + 1, grid.bounds, words, spans, rows, grid.tails)
    inside = {id(word) for piece in names for word in piece.words}
    head = [line for line in free if any(id(word) in inside for word in line.words)]
    table.lines = [*head, *table.lines]
    table.parts = [(table.page, table.box.union(around(head)))]


def _is_framed(page: Page, box: Box) -> bool:
    """Return True if a rule closes a box at the top, from one upright rule at its side to the other."""
    over = any(abs(y - box.top) < _ENDS and left < box.left + _ENDS and right > box.right - _ENDS
               for left, right, y in merged_rules(page.horizontals))  # fmt: skip
    upright = [x for top, bottom, x in merged_rules(page.verticals)
               if top < box.top + _ENDS and bottom > box.middle_y]  # fmt: skip
    return over and all(any(abs(x - side) < _ENDS for x in upright) for side in (box.left, box.right))


def take_cells(page: Page, mono: bool = False) -> None:
    """Make tables of paragraphs that are stated one by one, but are labels and values, or in the cells of ruling lines.

    Args:
        page: its blocks change.
        mono: whether the running text is set in typewriter type.
    """
    stated = [block for block in page.blocks
              if block.kind is Kind.TEXT and block.region is not None and block.region.kind is Kind.TEXT]  # fmt: skip
    for box in boxes_of(page) if len(stated) >= _CELLS else ():
        inside = [block for block in stated if box.holds(block, 0.6)]
        found = _ruled(page, box, [*_lines(inside)], mono)
        table = found.build(()) if found is not None and found.says else None
        if table is not None and table.grid is not None and len(inside) >= max(_CELLS, table.grid.rows):
            page.blocks = [*_others(page.blocks, inside), table]
            stated = _others(stated, inside)
    for table in label_tables(page, [*_lines(stated)]):
        own = {id(line) for line in table.lines}
        inside = [block for block in stated if not own.isdisjoint(map(id, block.lines))]
        if len(inside) > 2 and own.issuperset(map(id, _lines(inside))):
            page.blocks = [*_others(page.blocks, inside), table]


def _lines(blocks: Sequence[Block]) -> Iterator[Line]:
    return chain.from_iterable(block.lines for block in blocks)


def _others(blocks: Sequence[Block], without: Sequence[Block]) -> list[Block]:
    gone = {id(block) for block in without}
    return [block for block in blocks if id(block) not in gone]


def settle_stated(page: Page) -> None:
    """Put the cells that tags state for the tables of a page into the form of those that are read from the page.

    Signs stand with their numbers, columns that only part others go, and where no head is stated the page tells it.
    """
    for block in page.blocks:
        if block.kind is Kind.TABLE and block.grid is not None:
            block.grid = without_spacers(with_signs(block.grid))
            block.grid.header_rows = block.grid.header_rows or header_rows(block.grid)


def _left(lines: Sequence[Line], tables: Sequence[Block]) -> list[Line]:
    inside = {id(line) for table in tables for line in table.lines}
    return [line for line in lines if id(line) not in inside]


def _stated(page: Page, box: Box, lines: Sequence[Line]) -> Block | None:
    """Return the table that the file's tags or a layout model see at a place."""
    inside = [line for line in lines if box.holds(line, 0.5)]
    if not inside:
        return None
    words = _words(inside)
    grid = ruled_grid(box, words, merged_rules(page.horizontals), merged_rules(page.verticals))
    if grid is None or grid.rows < 2 or grid.columns < 2 or grid.filled < 0.3:
        grid = white_grid(box, words, merged_rules(page.horizontals))
    return _block(page, box, inside, grid) if grid is not None else None


def _ruled(page: Page, box: Box, lines: Sequence[Line], mono: bool) -> Candidate | None:
    """Return the cells that a box of crossing lines makes."""
    inside = [line for line in lines if box.holds(line, 0.5)]
    if len(inside) < _FEW:
        return None
    letters = sum(line.length for line in inside)
    bled = box.left < 3 and box.right > page.width - 3
    code = not mono and sum(line.mono * line.length for line in inside) > 0.7 * letters
    refused = len(inside) < _LINES or bled
    words = _words(inside)
    rules = merged_rules(page.horizontals)
    grid = ruled_grid(box, words, rules, merged_rules(page.verticals))
    place = Place(box, inside, rules=3, seen=is_seen_as_table(page, box))
    if grid is None:
        # Rules with verticals at their ends alone: a frame, whose columns are made by white space.
        found = white_grid(box, words, rules)
        if found is None:
            return None
        says = not (refused or code) and fills_rows(place, found)
        return Candidate(place, found, says, lambda _: _block(page, box, inside, found))
    if grid.rows < 2 or grid.columns < 2:
        return None
    empty = grid.filled < _SPARSE or are_labels([*filter(None, chain(*grid.texts()))])
    panels = are_panels(grid)
    says = not (refused or empty or panels)
    return Candidate(place, grid, says, lambda _: _block(page, box, inside, grid), panels, crossed=True)


def gutter(page: Page, lines: Sequence[Line], prose: set[int]) -> float | None:
    """Return the left edge of running text in a column at the right of the page; None if there is none."""
    text = [line for line in lines if id(line) in prose]
    edges = Counter(round(line.left / 3) for line in text if line.left > _RIGHT * page.width)
    if not edges:
        return None
    edge, _ = max(edges.items(), key=lambda item: (item[1], -item[0]))
    start = 3.0 * edge - 3.0
    inside = sum(line.left >= start for line in text)
    over = sum(line.left < start - line.size and line.right > start + line.size for line in text)
    return start if inside >= _FEWEST and over <= 0.25 * len(text) else None


def _is_lattice(page: Page, box: Box, body: Body) -> bool:
    """Return True if a box of crossing lines parts most rows of amounts into cells, better than white space does."""
    rows = [row for row in body.figures if box.holds(around(row.lines), 0.6)]
    if len(rows) < _INSIDE * len(body.figures):
        return False
    held = around([line for row in rows for line in row.lines])
    inner = [rule for rule in merged_rules(page.verticals)
             if held.left + 4 < rule[2] < held.right - 4
             and min(rule[1], held.bottom) - max(rule[0], held.top) > 0.6 * held.height]  # fmt: skip
    most = max(len(row.amounts) for row in rows)
    return len({round(rule[2] / 4) for rule in inner}) >= min(2, most)


def _account(page: Page, body: Body, free: Sequence[Line]) -> Candidate | None:
    """Return the cells of rows of amounts, with the head over their columns."""
    rules = merged_rules(page.horizontals)
    grid = grid_of([], body.rows, rules)
    if grid is None:
        return None
    box = body.box
    known = {id(line) for row in body.rows for line in row.lines}
    head = rows_of(head_above(grid, box, [line for line in free if id(line) not in known]))
    place = Place(box, [line for row in body.rows for line in row.lines])
    says = _is_account(page, body, grid, head)
    return Candidate(place, grid, says, lambda _: _set_out(page, body, head, grid, rules))


def _set_out(page: Page, body: Body, head: list[Row], grid: Grid, rules: Sequence[Rule]) -> Block | None:
    """Return the table of rows of amounts and the rows of its head; None if it has one row or column.

    Args:
        page: that it stands on.
        body: rows of amounts; gets the labels at the foot of the head.
        head: rows over it.
        grid: the cells of the body alone.
        rules: level ruling lines, merged.
    """
    start = body.first_column
    while head and len(head[-1].pieces) == 1 and head[-1].pieces[0].right < start and not UNIT.match(head[-1].text):
        body.rows.insert(0, head.pop())  # the label of the first group
    grid = grid_of(head, body.rows, rules) or grid
    lines = [line for row in [*head, *body.rows] for line in row.lines]
    grid = fold_head(grid, len(head)).trimmed()
    if grid.rows < 2 or grid.columns < 2:
        return None
    if not head:
        grid.header_rows = header_rows(grid)
    return Block(page.number, lines, Kind.TABLE, [(page.number, around(lines))], grid=span_titles(grid))


def _is_account(page: Page, body: Body, grid: Grid, head: Sequence[Row]) -> bool:
    """Return True if rows of amounts are a table: most have labels, and there are several columns, or rows of money."""
    figures = body.figures
    labelled = [row for row in figures if row.stands_off]
    place = Place(body.box, [line for row in body.rows for line in row.lines])
    if len(labelled) < 0.5 * len(figures) or _is_no_account(body, place, grid):
        return False
    several = sum(len(row.amounts) > 1 for row in labelled)
    edges = sorted(piece.edge for row in labelled for piece in row.amounts)
    flush = grid.columns == 2 and len(labelled) >= 4 and edges[-1] - edges[0] < labelled[0].size
    shaded = ((several >= 2 and (head or len(labelled) > 2)) or flush) and len(labelled) >= 0.6 * len(figures)
    if _within(page, place, page.images) or (_within(page, place, page.drawings) and not shaded):
        return False
    if grid.columns > 2 and several:
        return several >= 2 or len(labelled) >= 3 or any(len(row.pieces) > 1 for row in head)
    return _is_column(labelled, headed=bool(head))


def _is_column(labelled: Sequence[Row], *, headed: bool) -> bool:
    """Return True if labels with one column of amounts are enough for a table; a head or money asks for fewer."""
    amounts = [piece.text for row in labelled for piece in row.amounts]
    money = sum(any(sign in text for sign in ".,$%(€£") for text in amounts) >= 0.3 * len(amounts)
    return not counts_up(amounts) and len(labelled) >= (2 if headed and money else 3 if headed or money else 5)


def _is_no_account(body: Body, place: Place, grid: Grid) -> bool:
    """Return True if rows of amounts are words with numbers, wrapped text, contents, or marks here and there."""
    rows = grid.texts()
    behind = [piece for row in body.figures for piece in row.pieces[row.labels :]]
    room = len(body.figures) * (grid.columns - 1)
    return (
        sum(_wraps_text(body.rows, at) for at in range(len(body.rows))) > _WRAPPED * len(body.rows)
        or is_something_else(place, rows, [*filter(None, chain(*rows))])
        or _lists_pages(body.figures)
        or reads_on([row[0] for row in rows if row[0]])
        or len(behind) < _FILLED * room
    )


def _wraps_text(rows: Sequence[Row], at: int) -> bool:
    """Return True if a row without amounts has text under or over text behind the label of a row with amounts."""
    row = rows[at]
    beside = [other for other in rows[max(at - 1, 0) : at + 2] if other.has_figures]
    if row.has_figures or not beside:
        return False
    texts = [piece for other in beside for piece in other.pieces[other.labels :] if not piece.amount]
    return any(one.left < other.right and one.right > other.left for one in row.pieces for other in texts)


def _lists_pages(rows: Sequence[Row]) -> bool:
    """Return True if rows end in numbers that grow, dots before most of them: contents."""
    dotted = sum(bool(LEADER.search(" ".join(line.text for line in row.lines))) for row in rows)
    return dotted >= 0.4 * len(rows) and counts_up(row.pieces[-1].text for row in rows)


def white(page: Page, place: Place) -> Candidate | None:
    """Return the cells that white space makes in a place without a grid of lines."""
    lines = without_title(place)
    if len(lines) < len(place.lines):
        place.lines, place.box = lines, around(lines)
    grid = white_grid(place.box, _words(place.lines), merged_rules(page.horizontals))
    if grid is None:
        return None
    body = body_rows(grid)
    if len(body) < grid.rows:
        kept = {id(word) for (row, _), words in grid.words.items() if row in body for word in words}
        place.lines = [line for line in place.lines if id(line.words[0]) in kept]
        if not place.lines:
            return None
        place.box = around(place.lines)
        grid = white_grid(place.box, _words(place.lines), merged_rules(page.horizontals))
    if grid is None or grid.rows < 2:
        return None
    cells = grid
    drawn = _within(page, place, page.images) or (_within(page, place, page.drawings) and not is_labelled(grid))
    says = not drawn and fills_rows(place, grid)
    return Candidate(place, grid, says, lambda free: _headed(page, place, cells, free))


def _sighted(
    page: Page, tables: Sequence[Block], stated: Sequence[Box], free: Sequence[Line]
) -> tuple[list[Candidate], list[Block]]:
    """Return the cells in places where a layout model sees tables that were not found, or found as one.

    Returns:
        The cells, and the tables that are parted by them; those that the file states stay.
    """
    found: list[Candidate] = []
    parted: list[Block] = []
    left = _left(free, tables)
    boxes = [box for box in seen_tables(page) if not any(is_met(box, table.box) for table in tables)]
    fixed = [table.box for table in tables if any(box.holds(table.box, 0.5) for box in stated)]
    for box in boxes:
        taken = [*fixed, *(candidate.place.box for candidate in found if candidate.says)]
        met = [table for table in tables if meet(box, table.box)]
        if any(meet(box, other) for other in taken):
            continue
        if not met:
            found += _in_place(page, box, left)
        elif len(met) == 1 and met[0].box.holds(box, _WHOLE):
            cut = _parts(page, met[0], boxes, left)
            found += cut
            parted += met if cut else []
    return found, parted


def _parts(page: Page, whole: Block, boxes: Sequence[Box], left: Sequence[Line]) -> list[Candidate]:
    """Return the tables that a layout model sees in a larger one, and what is between them; none if text is lost."""
    parts = [part for part in boxes if whole.box.holds(part, _WHOLE)]
    lines = [*whole.lines, *left]
    cut = [candidate for part in parts for candidate in _in_place(page, part, lines) if candidate.says]
    if len(cut) < max(len(parts), 2):
        return []
    for rest in lines_between(whole, cut):
        cut += [candidate for candidate in _in_place(page, around(rest), rest) if candidate.says]
    held = sum(line.length for candidate in cut for line in candidate.place.lines)
    return cut if held > _WHOLE * whole.length else []


def _in_place(page: Page, box: Box, lines: Sequence[Line]) -> list[Candidate]:
    """Return the cells in a place where a layout model sees a table."""
    place = sighted_place(box, lines)
    cells = sighted_grid(page, place, lines) if place else None
    if place is None or cells is None:
        return []
    grid, says = cells
    return [Candidate(place, grid, says, lambda _: _block(page, place.box, place.lines, grid))]


def _headed(page: Page, place: Place, grid: Grid, free: Sequence[Line]) -> Block | None:
    """Return the table of a place without a grid of lines, with the head over its columns of figures."""
    lines, box = place.lines, place.box
    if figure_columns(grid.texts()):
        known = {id(line) for line in lines}
        head = head_above(grid, box, [line for line in free if id(line) not in known])
        if head:
            lines = [*head, *lines]
            box = around(lines)
            grid = white_grid(box, _words(lines), merged_rules(page.horizontals)) or grid
    table = _block(page, box, lines, fold_head(grid))
    if table is not None and table.grid is not None:
        table.grid = span_titles(table.grid)
    return table


def _block(page: Page, box: Box, lines: Sequence[Line], grid: Grid) -> Block | None:
    grid = with_signs(grid).trimmed()
    if grid.rows < 2 or grid.columns < 2:
        return None
    grid.header_rows = header_rows(grid)
    place = box.union(around(list(lines)))
    return Block(page.number, list(lines), Kind.TABLE, [(page.number, place)], grid=grid)


def _words(lines: Sequence[Line]) -> list[Word]:
    return [word for line in lines for word in line.words]


def _within(page: Page, place: Place, pictures: Sequence[Box]) -> bool:
    """Return True if rows that align stand in a picture or a drawing, and no rule or caption speaks for a table."""
    if place.rules >= 3 or place.captioned or place.seen:
        return False
    area = page.width * page.height
    for box in pictures:
        space = box.area
        if box.height > 30 and space < 0.8 * area and box.holds(place.box, 0.6):
            return True
    return False
