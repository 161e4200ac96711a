"""The tables of a page: grids of ruling lines, text between level rules, rows that align."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Box, Grid, Kind, Line, Page, Word, around
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
from ragraph.pdf.tables.enclosed import above_foot, join_enclosed, unit_above
from ragraph.pdf.tables.figures import Row, rows_of
from ragraph.pdf.tables.grids import is_numeric
from ragraph.pdf.tables.head import fold_head, header_rows, is_heavy
from ragraph.pdf.tables.pairs import label_tables, sum_tables
from ragraph.pdf.tables.panels import are_panels, fills_page, has_head, in_columns, is_text
from ragraph.pdf.tables.placed import put_right
from ragraph.pdf.tables.ruled import merged_rules, ruled_boxes, ruled_grid
from ragraph.pdf.tables.sideways import span_titles
from ragraph.pdf.tables.sighted import lines_between, meet, sighted_grid, sighted_place
from ragraph.pdf.tables.signs import with_signs, without_spacers
from ragraph.pdf.tables.under import tables_under_names
from ragraph.pdf.tables.white import white_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.tables.ruled import Rule

_HEAD = 0.3
"""Height of the ground of a head and of the first rows, at most, by that of the page."""
_PIECES = 3
"""Pieces of a head, or of the row below it, at least: running heads on a ground have two beside the number."""
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
    free = [line for line in lines if mono or line.mono < 0.7 or is_numeric(line.text)]
    tables: list[Block] = []
    panels: list[Box] = []
    placed: list[Block] = []

    def judge(candidate: Candidate | None) -> None:
        if candidate is not None:
            if candidate.panels:
                panels.append(candidate.place.box)
            if candidate.says:
                _take(tables, candidate.build(_left(free, tables)))

    stated = stated_boxes(page, Kind.TABLE)
    for box in stated:
        _take(tables, _stated(page, box, free))
    free = _left(free, tables)
    crowded = len(page.horizontals) + len(page.verticals) > _MAX_RULES
    boxes = [] if crowded else _joined(
        ruled_boxes(merged_rules(page.horizontals), merged_rules(page.verticals)))  # fmt: skip
    # other finders put in a wrong place what is beside an empty cell; tables without one are left to them
    named = (one for one in tables_under_names(page.number, free) if one.grid and not all(map(all, one.grid.texts())))
    for table in (*label_tables(page.number, free), *named):
        near = (box for box in boxes if box.holds(table.box, 0.8) or table.box.holds(box, 0.5))
        ruled = (_ruled(page, box, free, mono) for box in near)
        cells = any(one is not None and one.says and one.crossed for one in ruled)
        if not cells and len(_left(table.lines, tables)) == len(table.lines):
            judge(_named(table))
    free = _left(free, tables)
    prose = prose_of(page, free)
    bodies = bodies_of(rows_of(free, prose, _gutter(page, free, prose)), prose)
    for body in join_enclosed(bodies, free, prose, [] if crowded else merged_rules(page.horizontals), boxes):
        if not any(_is_lattice(page, box, body) for box in boxes):
            judge(_account(page, body, _left(free, tables)))
    for box in boxes:
        if not any(box.holds(table.box, 0.5) or table.box.holds(box, 0.5) for table in tables):
            judge(_ruled(page, box, _left(lines, tables), mono))
    left = _left(free, tables)
    for table in (*sum_tables(page.number, left), *tables_under_names(page.number, left)):
        judge(_named(table))
    free = _left(free, tables)
    taken = [table.box for table in tables]
    for place in sorted(places(page, free, taken), key=lambda place: -place.rules):
        inside = [line for line in place.lines if not any(line in table.lines for table in tables)]
        if inside:
            place.lines = inside
            place.seen = is_seen_as_table(page, place.box)
            if not place.seen and any(box.holds(place.box, _WHOLE) for box in panels):
                continue  # running text in panels
            judge(white(page, place))
    if len(page.horizontals) + len(page.verticals) <= _MAX_RULES:
        seen, parted = _sighted(page, tables, stated, free)
        tables = [table for table in tables if not any(table is one for one in parted)]
        known = len(tables)
        for candidate in seen:
            judge(candidate)
        placed = tables[known:]
    for table in tables:
        if not any(box.holds(table.box, 0.5) for box in stated):
            _name_columns(page, table, _left(free, tables))
    kept = [table for table in tables
            if any(box.holds(table.box, 0.5) for box in stated)
            or is_seen_as_table(page, table.box)
            or not (is_chart(page, table, lines) or in_drawing(page, table, tables))]  # fmt: skip
    for table in kept:
        if table.grid is not None and not any(box.holds(table.box, 0.5) for box in stated):
            put_right(table.grid)
        spoke = is_seen_as_table(page, table.box) or any(table is one for one in placed)
        table.claims = {"layout": None} if spoke else {}
    return sorted(kept, key=lambda table: (table.top, table.left))


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
               if top < box.top + _ENDS and bottom > (box.top + box.bottom) / 2]  # fmt: skip
    return over and all(any(abs(x - side) < _ENDS for x in upright) for side in (box.left, box.right))


def take_cells(page: Page, mono: bool = False) -> None:
    """Make tables of paragraphs that are stated one by one, but stand in the cells of ruling lines.

    Args:
        page: its blocks change.
        mono: whether the running text is set in typewriter type.
    """
    stated = [block for block in page.blocks
              if block.kind is Kind.TEXT and block.region is not None and block.region.kind is Kind.TEXT]  # fmt: skip
    if len(stated) < _CELLS or len(page.horizontals) + len(page.verticals) > _MAX_RULES:
        return
    for box in _joined(ruled_boxes(merged_rules(page.horizontals), merged_rules(page.verticals))):
        inside = [block for block in stated if box.holds(block, 0.6)]
        found = _ruled(page, box, [line for block in inside for line in block.lines], mono)
        table = found.build(()) if found is not None and found.says else None
        if table is None or table.grid is None or len(inside) < max(_CELLS, table.grid.rows):
            continue
        gone = {id(block) for block in inside}
        page.blocks = [*(block for block in page.blocks if id(block) not in gone), table]


def settle_stated(page: Page) -> None:
    """Put the cells that tags state for the tables of a page into the form of those that are read from the page.

    Signs stand with their numbers, columns that only part others go, and where no head is stated the page tells it.
    """
    for block in page.blocks:
        if block.kind is Kind.TABLE and block.grid is not None:
            block.grid = without_spacers(with_signs(block.grid))
            block.grid.header_rows = block.grid.header_rows or header_rows(block.grid)


def keep_heads(page: Page) -> None:
    """Give heads of tables back that come again on every page and were taken for running heads.

    Args:
        page: with its furniture taken out; furniture within a stated table, or within a box of crossing lines that
            holds more than furniture, on a ground over columns, and what names the columns of amounts right below it,
            becomes lines of the page again.
    """
    stated = [region.box for region in page.regions if region.kind is Kind.TABLE]
    _give_back(page, [block for block in page.furniture if any(box.holds(block) for box in stated)])
    for box in page.drawings:
        lost = _head_on(page, box)
        if lost:
            _give_back(page, lost)
    if len(page.horizontals) + len(page.verticals) > _MAX_RULES or not page.furniture:
        return
    for box in _joined(ruled_boxes(merged_rules(page.horizontals), merged_rules(page.verticals))):
        lost = [block for block in page.furniture if box.holds(block, 0.6)]
        inside = sum(box.holds(line, 0.6) for line in page.lines)
        if lost and inside > 2 * sum(len(block.lines) for block in lost):
            _give_back(page, lost)
    lost = [block for block in page.furniture
            if block.kind is not Kind.PAGE_NUMBER and block.bottom < 0.5 * page.height]  # fmt: skip
    if not lost:
        return
    lines = {id(line): block for block in lost for line in block.lines}
    prose = prose_of(page, page.lines)
    for body in bodies_of(rows_of(page.lines, prose, _gutter(page, page.lines, prose)), prose):
        grid = grid_of([], body.rows, ())
        over = [line for line in page.lines if line.bottom < body.box.top]
        head = head_above(grid, body.box, [*over, *(line for block in lost for line in block.lines)]) if grid else []
        if any(len(row.pieces) > 1 and any(id(line) in lines for line in row.lines) for row in rows_of(head)):
            _give_back(page, [block for block in lost if any(block is lines.get(id(line)) for line in head)])


def _head_on(page: Page, ground: Box) -> list[Block]:
    """Return the furniture on a ground that is the head of a table: three pieces over other lines, or three, of it."""
    if not page.furniture or ground.bottom - ground.top > _HEAD * page.height:
        return []
    lost = [block for block in page.furniture if block.kind is not Kind.PAGE_NUMBER and ground.holds(block)]
    if len(lost) < _PIECES:
        return []
    below = [line for line in page.lines if line.top > ground.bottom - 1]
    first = min((line.top for line in below), default=0.0)
    row = [line for line in below if line.top < first + line.size and ground.left < line.right < ground.right + 3]
    return lost if len(row) >= _PIECES or any(ground.holds(line) for line in page.lines) else []


def _give_back(page: Page, lost: Sequence[Block]) -> None:
    """Make furniture lines of the page again."""
    if not lost:
        return
    page.furniture = [block for block in page.furniture if all(block is not other for other in lost)]
    found = [*page.lines, *(line for block in lost for line in block.lines)]
    page.lines = sorted(found, key=lambda line: (line.top, line.left))


def _take(tables: list[Block], table: Block | None) -> None:
    if table is not None:
        tables.append(table)


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
    framed = fills_page(page, box)
    place = Place(box, inside, rules=3, seen=is_seen_as_table(page, box))
    if grid is None:
        # Rules with verticals at their ends alone: a frame, whose columns are made by white space.
        found = white_grid(box, words, rules)
        if found is None:
            return None
        says = not (refused or code or framed or is_text(found)) and fills_rows(place, found)
        return Candidate(place, found, says, lambda _: _block(page, box, inside, found))
    if grid.rows < 2 or grid.columns < 2:
        return None
    empty = grid.filled < _SPARSE or are_labels([*filter(None, chain(*grid.texts()))])
    panels = are_panels(grid, framed=framed) or (is_text(grid) and not has_head(grid))
    says = not (refused or empty or panels)
    return Candidate(place, grid, says, lambda _: _block(page, box, inside, grid), panels, crossed=True)


def _gutter(page: Page, lines: Sequence[Line], prose: set[int]) -> float | None:
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
             and min(rule[1], held.bottom) - max(rule[0], held.top) > 0.6 * (held.bottom - held.top)]  # fmt: skip
    most = max(len(row.amounts) for row in rows)
    return len({round(rule[2] / 4) for rule in inner}) >= min(2, most)


def _account(page: Page, body: Body, free: Sequence[Line]) -> Candidate | None:
    """Return the cells of rows of amounts, with the head over their columns."""
    rules = merged_rules(page.horizontals)
    body.rows += above_foot(body, rules, free)
    grid = grid_of([], body.rows, rules)
    if grid is None:
        return None
    box = body.box
    known = {id(line) for row in body.rows for line in row.lines}
    head = body.head
    if head is None:
        head = rows_of(head_above(grid, box, [line for line in free if id(line) not in known]))
    else:
        head = [*unit_above(head, free), *head]
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
    rows = grid.texts()
    place = Place(body.box, [line for row in body.rows for line in row.lines], 0 if body.head is None else 3)
    behind = [piece for row in figures for piece in row.pieces[row.labels :]]
    if len(labelled) < 0.5 * len(figures) or sum(not piece.amount for piece in behind) > 0.5 * len(behind):
        return False
    if sum(_wraps_text(body.rows, at) for at in range(len(body.rows))) > _WRAPPED * len(body.rows):
        return False
    if is_something_else(place, rows, [*filter(None, chain(*rows))]) or _lists_pages(figures):
        return False
    room = len(figures) * (grid.columns - 1)
    if reads_on([row[0] for row in rows if row[0]]) or (body.head is None and len(behind) < _FILLED * room):
        return False
    several = sum(len(row.amounts) > 1 for row in labelled)
    edges = sorted(piece.edge for row in labelled for piece in row.amounts)
    flush = grid.columns == 2 and len(labelled) >= 4 and edges[-1] - edges[0] < labelled[0].size
    shaded = ((several >= 2 and (head or len(labelled) > 2)) or flush) and len(labelled) >= 0.6 * len(figures)
    if _within(page, place, page.images) or (_within(page, place, page.drawings) and not shaded):
        return False
    named = sum(len(row.pieces) > 1 for row in head)
    if grid.columns > 2 and several:
        return several >= 2 or bool(named) or len(labelled) >= 3
    amounts = [piece.text for row in labelled for piece in row.amounts]
    money = sum(any(sign in text for sign in ".,$%(€£") for text in amounts) >= 0.3 * len(amounts)
    if counts_up(amounts):
        return False
    return len(labelled) >= (2 if head and money else 3 if head or money else 5)


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
    columns = in_columns(page, place.box)
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
    says = not (columns or drawn) and fills_rows(place, grid)
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
            whole = met[0]
            parts = [part for part in boxes if whole.box.holds(part, _WHOLE)]
            lines = [*whole.lines, *left]
            cut = [candidate for part in parts for candidate in _in_place(page, part, lines) if candidate.says]
            if len(cut) < len(parts) or len(cut) < 2:
                continue
            for rest in lines_between(whole, cut):
                cut += [candidate for candidate in _in_place(page, around(rest), rest) if candidate.says]
            if sum(line.length for candidate in cut for line in candidate.place.lines) > _WHOLE * sum(
                line.length for line in whole.lines
            ):
                found += cut
                parted += met
    return found, parted


def _in_place(page: Page, box: Box, lines: Sequence[Line]) -> list[Candidate]:
    """Return the cells in a place where a layout model sees a table."""
    place = sighted_place(box, lines)
    cells = sighted_grid(page, place, lines) if place else None
    if place is None or cells is None or in_columns(page, place.box):
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


def _joined(boxes: list[Box]) -> list[Box]:
    """Join boxes of the same width that follow each other closely: parts of one table; drop those inside others."""
    merged: list[Box] = []
    for box in sorted(boxes, key=lambda box: box.top):
        for index, other in enumerate(merged):
            same = abs(other.left - box.left) < 8 and abs(other.right - box.right) < 8
            if same and -1 < box.top - other.bottom < 5:
                merged[index] = other.union(box)
                break
            if other.holds(box, 0.8):
                break
        else:
            merged.append(box)
    return merged


def _within(page: Page, place: Place, pictures: Sequence[Box]) -> bool:
    """Return True if rows that align stand in a picture or a drawing, and no rule or caption speaks for a table."""
    if place.rules >= 3 or place.captioned or place.seen:
        return False
    area = page.width * page.height
    for box in pictures:
        space = box.area
        if box.bottom - box.top > 30 and space < 0.8 * area and box.holds(place.box, 0.6):
            return True
    return False
