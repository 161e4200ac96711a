"""Rows of a table that are set in several lines of text: labels that go on, amounts level with one of their lines."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Word
    from ragraph.pdf.tables.figures import Piece, Row

WITHIN = re.compile(r"^(?:[a-z]|[(&/,][a-z\d])")
"""Beginnings of a line within a sentence."""
OPEN = re.compile(
    r"(?:[,\-–/&]|\b(?:a|an|and|as|at|by|for|from|in|of|on|or|per|the|to|with|net|de|der|die|du|et|und))$", re.I
)
"""Ends of a line within a sentence."""
_EDGE = 1.0
"""Points by which labels at one edge begin apart at most."""


def joined_rows(rows: Sequence[Row], limit: float) -> list[list[Row]]:
    """Return the rows of a table, each with the rows of text that it is set in.

    Args:
        rows: of text, top to bottom.
        limit: right edge of the longest label.
    """
    steps = [max(lower.top - upper.bottom, -0.5 * lower.size) for upper, lower in pairwise(rows)]
    usual = _usual(rows)
    begun = [lower.left for upper, lower in pairwise(rows) if upper.has_figures and lower.has_figures and lower.labels]
    grouped = any(_heads_group(upper, lower, limit, begun) for upper, lower in pairwise(rows))
    found: list[list[Row]] = [[rows[0]]] if rows else []
    for (upper, lower), step in zip(pairwise(rows), steps, strict=True):
        if _goes_on(found[-1], upper, lower, step, usual, limit, grouped=grouped):
            found[-1].append(lower)
        else:
            found.append([lower])
    return found


def ends_row(rows: Sequence[Row], row: Row) -> bool:
    """Return True if a row of text below the last row of a table goes on with its label.

    Args:
        rows: of the table, top to bottom.
        row: the next one.
    """
    last = rows[-1]
    if row.has_figures or len(row.pieces) > 1 or not last.has_figures:
        return False
    amounts = [piece for other in rows for piece in other.amounts]
    under = row.pieces[0].right < min(piece.left for piece in amounts)
    labels = [other.pieces[0].right for other in rows if other.labels]
    step = row.top - last.bottom
    return under and _goes_on([last], last, row, step, _usual(rows), max(labels, default=0.0))


def _usual(rows: Sequence[Row]) -> float:
    """Return the usual distance of rows, foot to head."""
    steps = sorted(max(lower.top - upper.bottom, -0.5 * lower.size) for upper, lower in pairwise(rows))
    return steps[len(steps) // 2] if steps else 0.0


def _heads_group(upper: Row, lower: Row, limit: float, begun: Sequence[float]) -> bool:
    """Return True if a label plainly names the rows set in below it.

    The first word of the next would have fitted beside it, or other rows begin at the edge of the next.

    Args:
        upper: the label.
        lower: the next row.
        limit: right edge of the longest label.
        begun: left edges of the rows that surely begin with a label.
    """
    if upper.has_figures or not lower.has_figures or not upper.labels or not lower.labels:
        return False
    one, other = upper.pieces[0], lower.pieces[0]
    indented = other.left > one.left + 0.4 * lower.size
    begins = any(abs(other.left - left) < _EDGE for left in begun) or not _is_full(one, other, limit)
    return indented and other.text[:1].isupper() and not OPEN.search(one.text) and begins


def _is_full(one: Piece, other: Piece, limit: float) -> bool:
    """Return True if the first word of a piece would not have fitted behind the one above it."""
    return one.right + other.words[0].width + 0.3 * other.words[0].size > limit


def _goes_on(
    row: Sequence[Row], upper: Row, lower: Row, step: float, usual: float, limit: float, *, grouped: bool = False
) -> bool:
    """Return True if a row of text goes on with the label of the row above it.

    Args:
        row: the rows of text that it has so far.
        upper: the last of them.
        lower: the next row of text.
        step: between both, foot to head.
        usual: step of the rows of the table.
        limit: right edge of the longest label.
        grouped: whether labels of the table name the rows set in below them.
    """
    has, gets = any(part.has_figures for part in row), lower.has_figures
    if has and gets:
        return False
    if not upper.labels or not lower.labels:
        # amounts level with the middle of a label of several lines
        bare = (gets and not lower.labels) or (upper.has_figures and not upper.labels)
        return bare and step < -0.15 * lower.size and (len(lower.pieces) == 1 or gets)
    inset = upper.pieces[-1].right < limit + 0.3 * upper.size  # "Less:", and after a tabulator what is taken off
    if (not has and len(upper.pieces) > 1 and not inset) or (not gets and len(lower.pieces) > 1):
        return False
    one, other, first = upper.pieces[upper.labels - 1], lower.pieces[0], row[0].pieces[0]
    if one.text[-1:] in ":" or step > usual + 0.5 * lower.size or not _is_alike(one, other):
        return False
    if other.left < first.left - (0.3 if has else 1.0) * lower.size:
        return False
    if WITHIN.match(other.text) or OPEN.search(one.text):
        return True
    close = step < usual - 0.25 * lower.size
    indented = other.left > first.left + 0.4 * lower.size
    alike = _face(one.words[-1]) == _face(other.words[0])
    near = close or (indented and not grouped and step <= usual + 0.1 * lower.size)
    return alike and near and _is_full(one, other, limit)


def _face(word: Word) -> tuple[bool, bool]:
    return word.font.bold, word.font.italic


def _is_alike(one: Piece, other: Piece) -> bool:
    return abs(one.words[-1].size - other.words[0].size) <= 0.6
