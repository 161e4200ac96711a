"""Tables of amounts between level rules: what stands between the rule that opens a table and the one that closes it.

Going by amounts that end under each other, a table falls apart where rows have other cells ("47.1 (4.0)" under "38.9"),
and the lines of its head are told by their looks. Rules of one length over and under the rows say what is one table.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Box
from ragraph.pdf.patterns import CAPTION, UNIT
from ragraph.pdf.tables.accounts import Body
from ragraph.pdf.tables.figures import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.pdf.model import Line
    from ragraph.pdf.tables.figures import Row
    from ragraph.pdf.tables.ruled import Rule

_ENDS = 4.0
"""Points by which the rules of a table differ in their ends at most."""
_CELL = 40
"""Characters of a cell between the last amounts and the rule that closes their table at most."""
_GAP = 14.0
"""Points of the gaps in a rule that goes on from column to column, at most."""
_DOUBLE = 5.0
"""Points between the rules of a double rule at most."""
_BEYOND = 1.5
"""Rules begin and end at most so many times the size of type within the rows."""
_APART = 2.6
"""Rows, and the rules over and under them, stand so near to each other within a table, in sizes of type."""
_RULED, _MOST = 0.6, 0.3
"""Minimum share of a line in a box of crossing rules at which it is of its cells, and of the lines that may be."""
_NAMED = 0.4
"""Share of the rows of several cells that have a label and amounts, at least: marks in columns are neither."""
_OUT = 8.0
"""Points by which rows reach over the ends of the rules at most."""
_LONG = 0.5
"""Share of the length of the rules up to which a line that looks like running text may be a label."""
_HEAD = 8
"""Rows of text in a head at most."""


class Frame(NamedTuple):
    """What rules of one length open and close: its box, and the heights within at which rules go over all columns."""

    box: Box
    heights: list[float]


def join_enclosed(
    bodies: Sequence[Body], lines: Sequence[Line], prose: set[int], rules: Sequence[Rule], boxes: Sequence[Box]
) -> list[Body]:
    """Return bodies of amounts, those between the rules of one table joined with all rows that stand there.

    Args:
        bodies: top to bottom.
        lines: those of the page.
        prose: the ids of lines that are running text.
        rules: level ruling lines, merged.
        boxes: of crossing rules, which say themselves what is one table.
    """
    found: list[Body] = []
    taken: list[Frame] = []
    whole = _joined(rules)
    for body in bodies:
        if any(_holds(frame, body.box) for frame in taken):
            continue
        own = [line for row in body.rows for line in row.lines]
        ruled = sum(any(box.holds(line, _RULED) for box in boxes) for line in own) > _MOST * len(own)
        frame = None if ruled else _frame(body, lines, prose, whole)
        inside = rows_of([line for line in lines if frame is not None and _holds(frame, line)])
        start = _head_end(frame, inside, body) if frame is not None else None
        known = sum(row.stands_off and row.has_figures for row in inside)
        several = sum(len(row.pieces) > 1 and row.top > (start or 0.0) for row in inside)
        if frame is None or start is None or known < _NAMED * several:
            found.append(body)
            continue
        taken.append(frame)
        head = [row for row in inside if row.middle_y < start]
        found.append(Body([row for row in inside if row.middle_y > start], head=head))
    return found


def above_foot(body: Body, rules: Sequence[Rule], free: Sequence[Line]) -> list[Row]:
    """Return the rows of short cells without amounts between a body and the rule that closes it.

    That rule is as long as one over the body, which opens the table.

    Args:
        body: rows of amounts.
        rules: level ruling lines, merged.
        free: lines of the page that are in no table.
    """
    box = body.box
    size = max(row.size for row in body.rows)
    spanning = [rule for rule in rules if rule[0] < box.left + size and rule[1] > box.right - size]
    under = [rule for rule in spanning if rule[2] > box.bottom]
    foot = min(under, key=lambda rule: rule[2], default=None)
    if foot is None or not any(rule[2] < box.top and _is_as_long(rule, foot) for rule in spanning):
        return []
    left, right, height = foot
    rows = rows_of([line for line in free if line.top > box.bottom - 1 and line.bottom < height + 2
                    and line.left > left - 1 and line.right < right + 1])  # fmt: skip
    feet = [box.bottom, *(row.bottom for row in rows)]
    close = all(row.top - above < size for above, row in zip(feet, rows, strict=False)) and height - feet[-1] < size
    cells = all(len(row.pieces) > 1 and all(len(piece.text) <= _CELL for piece in row.pieces) for row in rows)
    return rows if close and cells else []


def unit_above(head: Sequence[Row], free: Sequence[Line]) -> list[Row]:
    """Return the row over the first rule of a table that says what is counted in, if it stands right there.

    Args:
        head: rows under that rule.
        free: lines of the page that are in no table.
    """
    size = head[0].size
    near = [line for line in free if 0 < head[0].top - line.bottom < _APART * size and UNIT.match(line.text)
            and line.left > head[0].left - size]  # fmt: skip
    return rows_of(near)


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """Return rules with those on one level joined that narrow gaps part, as under each column."""
    found: list[Rule] = []
    for left, right, height in sorted(rules, key=lambda rule: (round(rule[2]), rule[0])):
        if found and abs(found[-1][2] - height) < 1 and -1 < left - found[-1][1] < _GAP:
            found[-1] = (found[-1][0], right, height)
        else:
            found.append((left, right, height))
    return found


def _holds(frame: Frame, box: Box | Line) -> bool:
    left, top, right, bottom = frame.box.left, frame.box.top, frame.box.right, frame.box.bottom
    return left - _OUT < box.left and box.right < right + _OUT and top - 2 < box.middle_y < bottom + 2


def _frame(body: Body, lines: Sequence[Line], prose: set[int], rules: Sequence[Rule]) -> Frame | None:
    """Return the rules of the table that rows of amounts are of; None if none opens and closes it."""
    box = body.box
    size = body.rows[0].size
    spanning = [rule for rule in rules
                if rule[0] < box.left + _BEYOND * size and rule[1] > box.right - _BEYOND * size]  # fmt: skip
    for left, right, height in spanning:
        heights = sorted({rule[2] for rule in spanning if _is_as_long(rule, (left, right, height))})
        over = [height for height in heights if height < box.top + 0.3 * size]
        under = [height for height in heights if height > box.bottom - 0.3 * size]
        beside = [line for line in lines if line.left < right and line.right > left]
        held = partial(_is_table, beside, left=left, right=right, size=size, prose=prose)
        if not over or not under or not held(over[-1], under[0]):
            continue
        top, bottom = _reached(over[::-1], held), _reached(under, held)
        within = [rule[2] for rule in rules if top + _DOUBLE < rule[2] < bottom - _DOUBLE
                  and rule[0] < body.first_column and rule[1] > right - _BEYOND * size]  # fmt: skip
        return Frame(Box(left, top, right, bottom), sorted(within))
    return None


def _is_as_long(one: Rule, other: Rule) -> bool:
    """Return True if two rules begin and end at the same places."""
    return abs(one[0] - other[0]) < _ENDS and abs(one[1] - other[1]) < _ENDS


def _reached(heights: Sequence[float], held: Callable[[float, float], bool]) -> float:
    """Return the last of heights to which, from the first, what is between each and the next is of one table."""
    for one, other in pairwise(heights):
        if not held(min(one, other), max(one, other)):
            return one
    return heights[-1]


def _is_table(
    lines: Sequence[Line], top: float, bottom: float, left: float, right: float, size: float, prose: set[int]
) -> bool:
    """Return True if what stands between two rules is of a table: rows close to each other, no running text."""
    inside = sorted((line for line in lines if top < line.middle_y < bottom), key=lambda line: line.top)
    if not inside:
        return bottom - top < _DOUBLE
    long = _LONG * (right - left)
    if any((id(line) in prose and line.width > long) or CAPTION.match(line.text)
           or line.left < left - _OUT or line.right > right + _OUT for line in inside):  # fmt: skip
        return False
    foot = top
    for line in inside:
        if line.top - foot > _APART * size:
            return False
        foot = max(foot, line.bottom)
    return bottom - foot < _APART * size


def _head_end(frame: Frame, rows: Sequence[Row], body: Body) -> float | None:
    """Return the height of the rule under the head: the last one over the rows of amounts; None if there is none."""
    first = min((row.top for row in rows if row.stands_off and row.has_figures), default=body.box.top)
    for height in reversed(frame.heights):
        above = [row for row in rows if row.middle_y < height]
        if height < first + 2 and not any(map(_has_decimals, above)):
            return height
    return None


def _has_decimals(row: Row) -> bool:
    """Return True if a row has several amounts that are no whole numbers, which name columns now and then."""
    return sum(piece.amount and any(sign in piece.text for sign in ".,%") for piece in row.pieces) > 1
