"""The cells of a table of figures: columns by where amounts end over all rows, labels at the left, heads above."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Grid, Sided, shared_width
from ragraph.pdf.tables.accounts import is_under
from ragraph.pdf.tables.figures import Piece, part_label
from ragraph.pdf.tables.wraps import OPEN, WITHIN, joined_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Word
    from ragraph.pdf.tables.figures import Row

Rule = tuple[float, float, float]
_PARTS = 0.34
"""Blanks between words of one name are narrower than this share of the size of type."""
_UNDER = 1.0
"""Points by which texts of one column begin apart at most."""
_LEVEL, _NEXT = 0.5, 0.75
"""The lines of a name of a column begin, end or have their middle so near to each other, and stand so close, in sizes
of type."""


@dataclass(eq=False)
class Column(Sided):
    """A column.

    Attributes:
        pieces: what stands in it, one at least.
        rows: numbers of the rows in which it does.
        left: left edge of what stands in it.
        right: right edge of that.
    """

    pieces: list[Piece]
    rows: set[int]
    left: float = field(init=False)
    right: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = min(piece.left for piece in self.pieces)
        self.right = max(piece.right for piece in self.pieces)

    def add(self, pieces: Sequence[Piece], rows: Iterable[int]) -> None:
        """Add pieces, and the numbers of the rows that they stand in."""
        self.pieces += pieces
        self.rows.update(rows)
        self.left = min(self.left, *(piece.left for piece in pieces))
        self.right = max(self.right, *(piece.right for piece in pieces))


def columns_of(rows: Sequence[Row]) -> list[Column]:
    """Return the columns behind the labels, left to right: of amounts, and of text between and beside them.

    Args:
        rows: those with amounts.
    """
    size = max(row.size for row in rows)
    items = [(piece, number) for number, row in enumerate(rows) for piece in row.amounts]
    found: list[Column] = []
    for piece, number in sorted(items, key=lambda item: item[0].edge):
        last = found[-1] if found else None
        if last and piece.edge - last.pieces[-1].edge < 0.3 * size and number not in last.rows:
            last.add([piece], [number])
        else:
            found.append(Column([piece], {number}))
    found = _with_texts(_merged(found, size), rows)
    stray = [column for column in found if len(column.rows) == 1 < len(rows) - 1 and not column.pieces[0].amount]
    return sorted((column for column in found if column not in stray), key=lambda column: column.middle_x)


def _with_texts(columns: list[Column], rows: Sequence[Row]) -> list[Column]:
    """Return columns of amounts with the texts under each other in them, and those of texts alone."""
    texts = [(piece, number) for number, row in enumerate(rows)
             for piece in row.pieces[row.labels :] if not piece.amount]  # fmt: skip
    texts += [(piece, number) for number, row in enumerate(rows) for piece in row.pieces[1 : row.labels]]
    for piece, number in texts:
        wide = piece.right - piece.left
        over = [column for column in columns if _shared(piece, column) > 0.3 * min(wide, column.width)]
        fits = next((column for column in over if number not in column.rows), None)
        if fits is not None:
            fits.add([piece], [number])
        elif not over:
            columns.append(Column([piece], {number}))
    for number, row in enumerate(rows):  # the cell of the labels may be empty
        first = row.pieces[0]
        beside = (column for column in columns if not column.pieces[0].amount and number not in column.rows
                  and abs(column.left - first.left) < _UNDER)  # fmt: skip
        if row.labels == 1 and (column := next(beside, None)):
            column.add([first], [number])
    return columns


def settle_labels(rows: Sequence[Row]) -> None:
    """Count numbers that end a label, left of all amounts of the usual rows, with the label ("... May 5, 2017)").

    Args:
        rows: those with amounts; their number of labels changes.
    """
    usual, _ = Counter(len(row.amounts) for row in rows).most_common(1)[0]
    start = min(row.amounts[0].left for row in rows if len(row.amounts) == usual)
    for row in rows:
        while len(row.amounts) > usual and row.amounts[0].right < start:
            row.labels += 1


def _shared(piece: Piece, column: Column) -> float:
    return shared_width(piece, column)


def _merged(columns: list[Column], size: float) -> list[Column]:
    """Join columns that share no row and lie over each other: amounts that are centred, or end a little apart."""
    while True:
        columns.sort(key=lambda column: column.middle_x)
        best: tuple[float, int] | None = None
        for number, (one, other) in enumerate(pairwise(columns)):
            if one.rows & other.rows:
                continue
            shared = shared_width(one, other)
            share = shared / max(min(one.width, other.width), 1.0)
            alike = any(is_under(a, b, size) for a in one.pieces for b in other.pieces)
            if (share > 0.5 or (alike and share > 0.2)) and (best is None or share > best[0]):
                best = (share, number)
        if best is None:
            return columns
        one, other = columns[best[1]], columns.pop(best[1] + 1)
        one.add(other.pieces, other.rows)


def grid_of(head: Sequence[Row], body: Sequence[Row], rules: Sequence[Rule]) -> Grid | None:
    """Return the cells of a table of figures; None if it has no column of amounts.

    Args:
        head: rows over the columns, top to bottom.
        body: rows of amounts and labels, top to bottom; pieces of rows change where labels run into amounts.
        rules: level ruling lines, merged; short ones tell what a head spans.
    """
    figures = [row for row in body if row.has_figures]
    settle_labels(figures)
    columns = columns_of(figures)
    for row in figures:
        part_label(row, [(column.left, column.right) for column in columns])
    columns = columns_of(figures)
    if not columns:
        return None
    left = min(row.left for row in [*head, *body])
    labels = [row.pieces[0].right for row in figures if row.labels]
    bounds = [left, *_between(columns, max(labels, default=left))]
    right = max([column.right for column in columns] + [row.right for row in head])
    bounds.append(max(right, bounds[-1] + 1))
    grid = Grid(0, bounds)
    for row in head:
        row.pieces = [part for piece in row.pieces for part in _names(piece, columns, row is head[-1])]
    named: list[tuple[Piece, int, int]] = []
    for at in reversed(range(len(head))):
        named = _put_head(grid, at, head[at], named, columns, rules)
    grid.rows = len(head)
    for lines in joined_rows(body, max(labels, default=0.0)):
        for line in lines:
            for column, piece in _placed(line, columns):
                grid.words.setdefault((grid.rows, column), []).extend(piece.words)
        grid.rows += 1
    grid.header_rows = len(head)
    return grid


def _between(columns: Sequence[Column], labels: float) -> list[float]:
    """Return the edges between the labels and the first column, and between columns."""
    found: list[float] = []
    before = min(labels, columns[0].left - 1)
    for column in columns:
        found.append(max((before + column.left) / 2, found[-1] + 1 if found else 0.0))
        before = column.right
    return found


def _placed(row: Row, columns: Sequence[Column]) -> list[tuple[int, Piece]]:
    """Return the pieces of a row of the body with their columns; the label is column 0."""
    found: list[tuple[int, Piece]] = []
    taken: set[int] = set()
    for number, piece in enumerate(row.pieces):
        if any(piece is other for column in columns for other in column.pieces):
            place = _nearest(piece, columns)
        elif not row.has_figures and piece.right < columns[0].left and not any(taken):
            place = 0
        elif number < row.labels and (number == 0 or not row.has_figures):
            place = 0 if number == 0 and (row.has_figures or piece.left < columns[0].left) else _nearest(piece, columns)
        elif number < row.labels:
            place = 0
        else:
            place = _nearest(piece, columns, taken)
        taken.add(place)
        found.append((place, piece))
    return found


def _nearest(piece: Piece, columns: Sequence[Column], taken: Sequence[int] | set[int] = ()) -> int:
    """Return the number of the column that a piece stands in: that which holds it, else the nearest free one."""
    for number, column in enumerate(columns, 1):
        if any(piece is other for other in column.pieces):
            return number
    free = [number for number in range(1, len(columns) + 1) if number not in taken] or [*range(1, len(columns) + 1)]

    def apart(number: int) -> tuple[float, float]:
        column = columns[number - 1]
        return (
            -max(_shared(piece, column), 0.0),
            min(abs(piece.right - column.right), abs(piece.middle_x - column.middle_x)),
        )

    return min(free, key=apart)


def _names(piece: Piece, columns: Sequence[Column], lowest: bool) -> list[Piece]:
    """Cut a piece of a head that names several columns with only blanks between: each word over one of them.

    In the ``lowest`` row they may be as narrow as any; above, words over columns may be one name of them all.
    """
    over = [column for column in columns if piece.left - 1 < column.middle_x < piece.right + 1]
    if len(over) < 2 or len(piece.words) < len(over):
        return [piece]
    parts: list[list[Word]] = [[] for _ in over]
    for word in piece.words:
        middle = word.middle_x
        parts[min(range(len(over)), key=lambda at: abs(over[at].middle_x - middle))].append(word)
    if not all(parts):
        return [piece]
    between = min(after[0].left - before[-1].right for before, after in pairwise(parts))
    within = max((b.left - a.right for part in parts for a, b in pairwise(part)), default=0.0)
    size = piece.words[0].size
    apart = all(
        abs((part[0].left + part[-1].right) / 2 - column.middle_x) < size or abs(part[-1].right - column.right) < size
        for part, column in zip(parts, over, strict=True)
    )
    wide = between > max(1.15 * within, 0.0 if lowest else _PARTS * size)
    return [Piece(part) for part in parts] if apart and wide else [piece]


def _put_head(
    grid: Grid,
    at: int,
    row: Row,
    below: Sequence[tuple[Piece, int, int]],
    columns: Sequence[Column],
    rules: Sequence[Rule],
) -> list[tuple[Piece, int, int]]:
    """Set a row of the head, each piece over the columns that it or the rule under it reaches; return which.

    Args:
        grid: gets the words.
        at: number of the row.
        row: the pieces.
        below: the pieces of the next row of the head, each with its first and last column.
        columns: of the body.
        rules: level ruling lines, merged.
    """
    taken: set[int] = set()
    found = []
    for piece in row.pieces:
        beside = [other for other in row.pieces if other is not piece]
        first, last = _goes_on_below(piece, below, rules) or _reach(piece, beside, below, columns, rules, grid.bounds)
        while first in taken and first < last:
            first += 1
        grid.words.setdefault((at, first), []).extend(piece.words)
        if last > first and not taken & set(range(first, last + 1)):
            grid.spans[at, first] = (1, last - first + 1)
        taken |= set(range(first, last + 1))
        found.append((piece, first, last))
    return found


def _goes_on_below(
    piece: Piece, below: Sequence[tuple[Piece, int, int]], rules: Sequence[Rule]
) -> tuple[int, int] | None:
    """Return the column of the name that a piece begins and that goes on in the next line under it, within a phrase."""
    size = piece.words[0].size
    foot = max(word.bottom for word in piece.words)
    capitals = any(other.text[:1].isupper() for other, _, _ in below)  # else small letters tell nothing
    for other, first, last in below:
        top = min(word.top for word in other.words)
        level = min(abs(piece.middle_x - other.middle_x), abs(piece.left - other.left), abs(piece.right - other.right))
        ruled = any(foot - 2 < height < top + 2 and start < piece.middle_x < end for start, end, height in rules)
        within = OPEN.search(piece.text) or (capitals and WITHIN.match(other.text))
        if first == last and within and level < _LEVEL * size and top - foot < _NEXT * size and not ruled:
            return first, last
    return None


def _reach(
    piece: Piece,
    beside: Sequence[Piece],
    below: Sequence[tuple[Piece, int, int]],
    columns: Sequence[Column],
    rules: Sequence[Rule],
    bounds: Sequence[float],
) -> tuple[int, int]:
    """Return the first and last column under a piece of the head; the labels are column 0."""
    size = piece.words[0].size
    if piece.middle_x < columns[0].left - size and piece.left < (bounds[0] + columns[0].left) / 2:
        return 0, 0
    foot = max(word.bottom for word in piece.words)
    for start, end, height in rules:
        under = -2 <= height - foot < 1.2 * size and start - 3 <= piece.left and piece.right <= end + 3
        if under and start > bounds[0] + 2 * size and not any(o.left < end and o.right > start for o in beside):
            reached = [number for number, column in enumerate(columns, 1) if start - 2 < column.middle_x < end + 2]
            if reached:
                return reached[0], reached[-1]
    reached = [number for number, column in enumerate(columns, 1) if piece.left - 1 < column.middle_x < piece.right + 1]
    if len(reached) > 1:
        return reached[0], reached[-1]
    names = {first: other for other, first, last in below if first == last}
    edges = [(names[number].left, names[number].right) if number in names else (column.left, column.right)
             for number, column in enumerate(columns, 1)]  # fmt: skip
    best = _centred(piece, beside, edges)
    if best is not None:
        return best
    if reached:
        return reached[0], reached[0]
    near = _nearest(piece, columns)
    return near, near


def _centred(piece: Piece, beside: Sequence[Piece], edges: Sequence[tuple[float, float]]) -> tuple[int, int] | None:
    """Return the widest stretch of columns that a piece stands in the middle of, no other piece over them.

    Args:
        piece: of a head.
        beside: the other pieces of its row.
        edges: left and right edge of the name of each column in the next row of the head, or of the column.
    """
    best = None
    count = len(edges)
    for first in range(count):
        for last in range(first + 1, count):
            left, right = edges[first][0], edges[last][1]
            middle = abs((left + right) / 2 - piece.middle_x) < max(6.0, 0.04 * (right - left))
            alone = not any(other.right > left and other.left < right for other in beside)
            if middle and alone and (best is None or last - first > best[1] - best[0]):
                best = (first + 1, last + 1)
    return best
