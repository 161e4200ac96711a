"""Labels and values of forms, invoices and orders: short names at the left, values that begin at one edge beside them.

Columns of text are sought by white space down the page, which parts such names from their values. So these rows are
found first: a row is a label and what is beside it on its baseline, at any distance of rows. Blocks of such rows may be
side by side.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Grid, Kind, Line, Sided, around, in_runs, line_text, shared_height
from ragraph.pdf.patterns import AMOUNT, BULLET, CAPTION, CHECKED, LEADER, SENTENCE_END, UNCHECKED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.model import Page, Word

_LABEL_WORDS, _LABEL_LETTERS = 5, 36
"""Maximum words and letters of a label."""
_LEVEL = 0.3
"""Maximum difference of the feet of a label and its value, in sizes of type."""
_EDGE, _FIELD = 2.0, 6.0
"""Points by which values of one block begin apart at most, and values behind a colon: fields have room within."""
_SHARED = 0.5
"""Minimum share of the height of a label with a colon, or of its value, that they have in common."""
_STEP, _FAR, _CLOSE = 4.0, 7.0, 1.7
"""Maximum distance of the feet of two rows of a block, of two with colons, between which a field may be empty, and of
two lines of one value, in sizes of type."""
_FEWEST, _PLAIN = 2, 4
"""Minimum rows of a block, and of one whose labels have neither a colon nor another type than the values."""
_TOLD = 0.3
"""Minimum share of values with a digit or an address in such a block."""
_VALUE_LETTERS = 48
"""Maximum mean letters of a value: longer ones are explanations or running text."""
_ALIKE = 0.6
"""Points by which sizes of what belongs together differ at most."""
_SHORTENED = re.compile(r"\b[^\W\d_]{1,4}\.$")
"""A shortened word at the end of a label: "Order no."."""
_MONEY = re.compile(r"\d[.,]\d\d\b|[$€£¥]")
"""Sums of money, as most amounts of such a block are."""
_SIGN = re.compile(r"[\d@]")
"""What values have more often than names and words."""
_COLON = (":", "\uff1a")
"""Signs at the end of a label."""


@dataclass
class _Row(Sided):
    """A label, its value, and the lines of the page that they are part of.

    ``label`` or ``value`` may be empty: a field that is not filled in, a further line of a value. A row is ``sure`` if
    its label ends with a colon, or its value is that of a field of a form.
    """

    label: list[Word]
    value: list[Word]
    lines: list[Line]
    sure: bool = False
    top: float = field(init=False)
    bottom: float = field(init=False)

    def __post_init__(self) -> None:
        words = [*self.label, *self.value]
        self.top, self.bottom = min(word.top for word in words), max(word.bottom for word in words)

    @property
    def size(self) -> float:
        """Size of the type."""
        return max(word.size for word in (*self.label, *self.value))


def label_tables(page: Page, lines: Sequence[Line]) -> list[Block]:
    """Return the blocks of labels and values among lines, as tables of two columns without a head.

    Args:
        page: the page; its fields are looked at.
        lines: free lines of the page.
    """
    found: list[Block] = []
    taken: set[int] = set()
    filled = {id(line) for line in lines if any(box.holds(line, _SHARED) for box in page.fields)}
    blocks = sorted(_blocks(lines, filled), key=lambda rows: (-sum(row.sure for row in rows), -len(rows), rows[0].top))
    for rows in [*blocks, *blocks]:  # again, as what is beside one may be another
        if any(id(line) in taken for row in rows for line in row.lines):
            continue
        left = [line for line in lines if id(line) not in taken]
        rows = _with_rests(rows, left)
        if not _is_form(rows, left):
            continue
        taken |= {id(line) for row in rows for line in row.lines}
        found.append(_table(page.number, rows))
    return sorted(found, key=lambda table: (table.top, table.left))


def sum_tables(page: int, lines: Sequence[Line]) -> list[Block]:
    """Return the labels with sums that end at one edge, as at the foot of an invoice, as tables without a head.

    They are sought in what no other table takes: rows of amounts with a head are tables of their own.

    Args:
        page: number of the page.
        lines: free lines of the page.
    """
    by_edge: dict[int, list[_Row]] = defaultdict(list)
    for row in _rows(lines):
        if AMOUNT.match(line_text(row.value)) and len(row.lines) > 1:
            right = row.value[-1].right
            near = (edge for edge, rows in by_edge.items() if abs(rows[0].value[-1].right - right) < _EDGE)
            by_edge[next(near, len(by_edge))].append(row)
    found: list[Block] = []
    for rows in by_edge.values():
        rows.sort(key=lambda row: row.top)
        close = all(lower.bottom - upper.bottom < _STEP * lower.size for upper, lower in pairwise(rows))
        lefts, rights = [row.label[0].left for row in rows], [row.label[-1].right for row in rows]
        flush = min(max(lefts) - min(lefts), max(rights) - min(rights)) < _EDGE
        money = sum(bool(_MONEY.search(row.value[-1].text)) for row in rows)
        if len(rows) >= _FEWEST and close and flush and money > 0.5 * len(rows) and not _is_beside(rows, lines):
            found.append(_table(page, rows))
    return found


def _is_beside(rows: Sequence[_Row], lines: Sequence[Line]) -> bool:
    """Return True if other text is on the baseline of a row, or close above or below the labels."""
    own = {id(line) for row in rows for line in row.lines}
    box = around([line for row in rows for line in row.lines])
    near = box.grown(_CLOSE * rows[0].size)
    return any(id(line) not in own and near.meets(line.box) for line in lines)


def _blocks(lines: Sequence[Line], filled: AbstractSet[int]) -> Iterator[list[_Row]]:
    """Yield runs of rows whose values begin at one edge."""
    by_edge: dict[int, list[_Row]] = defaultdict(list)
    for row in _rows(lines, filled):
        apart = _FIELD if row.sure else _EDGE
        left = row.value[0].left
        near = (edge for edge, others in by_edge.items()
                if abs(others[0].value[0].left - left) < apart and others[0].sure == row.sure)  # fmt: skip
        by_edge[next(near, len(by_edge))].append(row)
    for rows in by_edge.values():
        yield from in_runs(sorted(rows, key=lambda row: row.top), lambda run, row: _is_next(run[-1], row, lines))


def _is_next(upper: _Row, row: _Row, lines: Sequence[Line]) -> bool:
    """Return True if a row follows another: near it, its label at one edge with the other's, nothing between."""
    alike = (
        abs(row.label[0].left - upper.label[0].left) < _EDGE or abs(row.label[-1].right - upper.label[-1].right) < _EDGE
    )
    far = (_FAR if row.sure else _STEP) * row.size
    return alike and row.bottom - upper.bottom <= far and not _between(upper, row, lines)


def _rows(lines: Sequence[Line], filled: AbstractSet[int] = frozenset()) -> Iterator[_Row]:
    """Yield each label with the value beside it: the next line on its baseline, or the end of its own line.

    Args:
        lines: free lines of the page.
        filled: the ids of those that are values of fields.
    """
    for line in lines:
        if len(line.words) > 1 and (cut := _cut(line)):
            yield _Row(line.words[:cut], line.words[cut:], [line], sure=True)
            continue
        if id(line) in filled or not _is_label(line.text):
            continue
        named = line.text.endswith(_COLON)
        beside = [other for other in lines if other is not line and other.left >= line.right
                  and _level(line, other, loose=named or id(other) in filled)]  # fmt: skip
        if not beside:
            continue
        value = min(beside, key=lambda other: other.left)
        item = BULLET.match(value.text) and value.text not in {CHECKED, UNCHECKED}
        if not value.text.endswith(_COLON) and not item and not _cut(value):
            yield _Row(line.words, value.words, [line, value], named or id(value) in filled)


def _level(label: Line, value: Line, *, loose: bool) -> bool:
    """Return True if two lines have one baseline; fields, and what is behind a colon, may be higher or lower."""
    if loose:
        shared = shared_height(label, value)
        return shared > _SHARED * min(label.height, value.height)
    return abs(value.bottom - label.bottom) < _LEVEL * max(label.size, value.size)


def _cut(line: Line) -> int:
    """Return the number of words of a label with a colon in front of a gap wider than a blank in a line; 0 if none."""
    for at, (word, after) in enumerate(zip(line.words, line.words[1:], strict=False), 1):
        if word.text.endswith(_COLON):
            wide = after.left - word.right > 0.4 * line.size
            return at if wide and _is_label(" ".join(word.text for word in line.words[:at])) else 0
    return 0


def _is_label(text: str) -> bool:
    """Return True if a text is short, has letters and is no item, caption or sentence."""
    words = text.split()
    if len(words) > _LABEL_WORDS or len(text) > _LABEL_LETTERS or sum(map(str.isalpha, text)) < 2:
        return False
    if BULLET.match(text) or CAPTION.match(text) or LEADER.search(text) or AMOUNT.match(text):
        return False
    if text.endswith(_COLON):
        return True
    ends = SENTENCE_END.search(text) and not _SHORTENED.search(text)
    return text[0].isupper() and not ends and text[-1] not in ",;-–—"


def _between(upper: _Row, lower: _Row, lines: Sequence[Line]) -> bool:
    """Return True if a line with letters at the labels' edge, as of a title, parts two rows."""
    left, right = lower.label[0].left, lower.value[-1].right
    own = {id(line) for row in (upper, lower) for line in row.lines}
    return any(
        upper.bottom <= line.middle_y <= lower.top
        and line.left < lower.value[0].left - _EDGE
        and line.right > left
        and line.left < right
        and not (line.text.endswith(_COLON) and _is_label(line.text))
        for line in lines
        if id(line) not in own
    )


def _with_rests(rows: Sequence[_Row], lines: Sequence[Line]) -> list[_Row]:
    """Add labels without a value, and further lines of values."""
    own = {id(line) for row in rows for line in row.lines}
    found = list(rows)
    for line in sorted(lines, key=lambda line: line.top):
        near = [row for row in found if abs(line.bottom - row.bottom) < _FAR * line.size]
        level = any(abs(line.bottom - row.bottom) < _LEVEL * line.size for row in near)
        if id(line) in own or level or not near:
            continue
        at_edge = abs(line.left - rows[0].label[0].left) < _EDGE and line.top > rows[0].top
        further = _labelled if at_edge and _is_label(line.text) else _goes_on
        for row in further(line, near, rows, lines):
            found.append(row)
            own.update(map(id, row.lines))
    return sorted(found, key=lambda row: row.middle_y)


def _labelled(line: Line, near: Sequence[_Row], rows: Sequence[_Row], lines: Sequence[Line]) -> Iterator[_Row]:
    """Yield the row of a label: with the value that stands a little higher or lower, or without one."""
    edge = rows[0].value[0].left
    level = [other for other in lines if _level(line, other, loose=line.text.endswith(_COLON))]
    beside = any(line.right < other.left < edge for other in level)
    if beside or not rows[0].sure or abs(near[-1].size - line.size) > _ALIKE:
        return
    value = [other for other in level if abs(other.left - edge) < _EDGE]
    if value:
        yield _Row(line.words, value[0].words, [line, value[0]])
    elif line.text.endswith(_COLON) and len(rows) > 2 and line.top < rows[-1].bottom + 2 * line.size:
        yield _Row(line.words, [], [line])


def _goes_on(line: Line, near: Sequence[_Row], *_: Sequence[_Row | Line]) -> Iterator[_Row]:
    """Yield a further line of a value."""
    above = [row for row in near if row.value and abs(line.left - row.value[0].left) < _EDGE
             and 0 < line.bottom - row.bottom < _CLOSE * line.size]  # fmt: skip
    if above and abs(above[-1].value[0].size - line.size) < _ALIKE:
        yield _Row([], line.words, [line])


def _is_form(rows: Sequence[_Row], lines: Sequence[Line]) -> bool:
    """Return True if rows are labels and values: neither running text, terms, nor part of a larger table."""
    full = [row for row in rows if row.label and row.value]
    if len(full) < _FEWEST:
        return False
    values = [" ".join(word.text for word in row.value) for row in full]
    further = sum(not row.label for row in rows)
    if further > len(full) or sum(map(len, values)) > _VALUE_LETTERS * len(full):
        return False
    if all(AMOUNT.match(value) for value in values) or _is_wider(full, lines):
        return False
    return full[0].sure or (not further and _is_told(full, values))


def _is_told(rows: Sequence[_Row], values: Sequence[str]) -> bool:
    """Return True if labels without colons are told by their type, or, if there are some, by their values."""
    if len(rows) < _FEWEST + 1:
        return False
    bold = all(all(word.font.bold for word in row.label) for row in rows)
    if bold and not any(all(word.font.bold for word in row.value) for row in rows):
        return True
    told = sum(bool(_SIGN.search(value)) for value in values)
    numbered = any(sign.isdigit() for row in rows for word in row.label for sign in word.text)
    amounts = sum(bool(AMOUNT.match(value)) for value in values)
    return len(rows) >= _PLAIN and not numbered and told >= _TOLD * len(rows) and 2 * amounts < len(rows)


def _is_wider(rows: Sequence[_Row], lines: Sequence[Line]) -> bool:
    """Return True if most rows go on behind their values without a further label: rows of a larger table."""
    more = 0
    for row in rows:
        right = max(word.right for word in row.value)
        behind = [line for line in lines if line.left >= right
                  and abs(line.bottom - row.bottom) < _LEVEL * row.size]  # fmt: skip
        first = min(behind, key=lambda line: line.left, default=None)
        labels = first is not None and (first.text.endswith(_COLON) or bool(_cut(first)))
        plain = not all(other.sure for other in rows) or (first is not None and bool(AMOUNT.match(first.text)))
        more += first is not None and not labels and plain
    return more > 0.3 * len(rows)


def _table(page: int, rows: Sequence[_Row]) -> Block:
    """Return rows as a table; a further line of a value is in the cell above."""
    lines = list({id(line): line for row in rows for line in row.lines}.values())
    box = around(lines)
    edge = min(row.value[0].left for row in rows if row.value)
    grid = Grid(0, [box.left, edge - 1.0, box.right])
    for row in rows:
        if row.label:
            grid.rows += 1
        for column, words in enumerate((row.label, row.value)):
            if words:
                grid.words.setdefault((grid.rows - 1, column), []).extend(words)
    return Block(page, lines, Kind.TABLE, [(page, box)], grid=grid)
