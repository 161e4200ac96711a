"""Where tables of figures stand: rows with a label and amounts that end under each other, whatever is ruled or shaded.

Going down the page, a row of amounts joins the rows above it whose amounts end at the same places; what stands between
them are labels. Text that runs on into the columns of amounts ends a table, and so do new heads after a gap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box, around, shared_width
from ragraph.pdf.patterns import CAPTION, UNIT
from ragraph.pdf.tables.wraps import ends_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.tables.figures import Piece, Row

_STEP = 3.4
"""Rows of a table stand at most so many times the size of type apart, foot to head."""
_NEW = 1.25
"""A head after so much more than the usual step, in sizes of type, begins another table."""
_EDGE = 0.4
"""Amounts of a column end within so much of each other, in sizes of type."""
_MOST_LABELS = 7
"""Rows of labels between two rows of amounts at most."""
_WORDS = 7
"""Words of a line from which it may be running text."""


@dataclass
class Body:
    """Rows of amounts that stand under each other, and the labels between them.

    Attributes:
        rows: top to bottom.
        waiting: rows of text below, which belong to it if amounts follow.
    """

    rows: list[Row]
    waiting: list[Row] = field(default_factory=list)

    @property
    def figures(self) -> list[Row]:
        """The rows with amounts."""
        return [row for row in self.rows if row.has_figures]

    @property
    def amounts(self) -> list[Piece]:
        """All amounts."""
        return [piece for row in self.figures for piece in row.amounts]

    @property
    def first_column(self) -> float:
        """Left edge of the amounts."""
        return min(piece.left for piece in self.amounts)

    @property
    def box(self) -> Box:
        """The box around the rows."""
        return around([line for row in self.rows for line in row.lines])


def bodies_of(rows: Sequence[Row], prose: set[int]) -> list[Body]:
    """Return the bodies of tables that rows of a page make, top to bottom.

    Args:
        rows: of the page, top to bottom.
        prose: the ids of lines that are running text.
    """
    done: list[Body] = []
    going: list[Body] = []
    for row in rows:
        for body in [body for body in going if _is_far(body, row)]:
            going.remove(body)
        near = [body for body in going if _overlap(body, row)]
        if not row.has_figures:
            _let_wait(row, near, going, prose)
        elif fits := [body for body in near if _aligned(body, row) and _follows(body, row)]:
            body = max(fits, key=lambda body: body.rows[-1].bottom)
            body.rows += [*body.waiting, row]
            body.waiting = []
        elif row.stands_off:
            done.append(Body([row]))
            going = [*(other for other in going if other not in near), done[-1]]
    for body in done:
        while body.waiting and (ends_row(body.rows, body.waiting[0]) or _is_row(body, body.waiting[0])):
            body.rows.append(body.waiting.pop(0))
    return done


def _let_wait(row: Row, near: Sequence[Body], going: list[Body], prose: set[int]) -> None:
    """Let a row of text wait below bodies, but for those that it ends."""
    for body in near:
        if _ends(body, row, prose):
            going.remove(body)
        else:
            body.waiting.append(row)


def _is_row(body: Body, row: Row) -> bool:
    """Return True if a row of text right below a body begins where its labels do, the rest under texts of its rows."""
    last, size = body.rows[-1], row.size
    if len(row.pieces) < 2 or row.top - last.bottom > _usual_step(body) + 0.5 * size:
        return False
    texts = [piece for other in body.figures for piece in other.pieces if not piece.amount]
    labels = [other.pieces[0].left for other in body.figures if other.labels]
    return min(abs(left - row.left) for left in labels) < _EDGE * size and all(
        any(abs(piece.left - other.left) < _EDGE * size for other in texts) for piece in row.pieces
    )


def _is_far(body: Body, row: Row) -> bool:
    """Return True if a row stands too far below all of a body to be of it."""
    last = body.waiting[-1] if body.waiting else body.rows[-1]
    return row.top - last.bottom > _STEP * max(row.size, last.size) or len(body.waiting) > _MOST_LABELS


def _overlap(body: Body, row: Row) -> bool:
    left, right = min(other.left for other in body.rows), max(other.right for other in body.rows)
    shared = min(right, row.right) - max(left, row.left)
    return shared > 0.3 * min(right - left, row.width)


def _aligned(body: Body, row: Row) -> bool:
    """Return True if the amounts of a row stand under those of a body: most of them, and most of what the row has."""
    above = [piece for other in body.figures[-8:] for piece in other.amounts]
    found = sum(any(is_under(one, other, row.size) for other in above) for one in row.amounts)
    return found >= 0.5 * len(row.amounts) and found > 0


def is_under(one: Piece, other: Piece, size: float) -> bool:
    """Return True if two amounts are of one column: they end alike, or lie within each other."""
    if abs(one.edge - other.edge) < _EDGE * size or abs(one.right - other.right) < _EDGE * size:
        return True
    shared = shared_width(one, other)
    alike = abs(one.middle_x - other.middle_x) < 0.6 * size or abs(one.left - other.left) < 0.3 * size
    return shared > 0.6 * min(one.width, other.width) and alike


def _follows(body: Body, row: Row) -> bool:
    """Return True if a row goes on with a body: no head of another table between them."""
    heads = [number for number, other in enumerate(body.waiting) if _is_head(body, other)]
    if not heads:
        return True
    before = ([*body.rows, *body.waiting])[len(body.rows) + heads[0] - 1]
    first = body.waiting[heads[0]]
    usual = _usual_step(body)
    return first.top - before.bottom < usual + _NEW * row.size and heads[0] == 0


def _usual_step(body: Body) -> float:
    steps = sorted(max(lower.top - upper.bottom, 0.0) for upper, lower in zip(body.rows, body.rows[1:], strict=False))
    return steps[len(steps) // 2] if steps else 0.5 * body.rows[0].size


def _is_head(body: Body, row: Row) -> bool:
    """Return True if a row of text stands over columns of amounts alone."""
    start = body.first_column
    return all(piece.middle_x > start for piece in (row.amounts if row.names_years else row.pieces))


def _ends(body: Body, row: Row, prose: set[int]) -> bool:
    """Return True if a row of text cannot stand within a table: running text, or a caption."""
    if CAPTION.match(row.text):
        return True
    if row.names_years or len(row.pieces) > 1 or UNIT.match(row.text):
        return False
    piece = row.pieces[0]
    right = max(other.right for other in body.rows)
    start = body.first_column
    runs_in = piece.right > start + 0.3 * (right - start) and piece.left < start
    if not runs_in or len(piece.text.split()) < _WORDS:
        return False
    sentence = piece.text[-1:] in ".;:" or piece.right > right - 2 * row.size
    again = bool(body.waiting) and len(body.waiting[-1].text.split()) >= _WORDS
    return sentence or again or any(id(line) in prose for line in row.lines)
