"""Rows of figures: a label and amounts beside it, of the words of lines that stand level with each other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Sided, around, in_runs, level_rows, line_text
from ragraph.pdf.patterns import AMOUNT, NONE_STATED, TAIL_OF_AMOUNT, UNIT, YEAR
from ragraph.pdf.tables.amounts import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Line, Word

_LEADER = re.compile(r"^[.·…_\s]*[.·…_]{2,}[.·…_\s]*$|^\.$|^·$|^…$")
"""Dots that lead from a label to its amounts."""
_ROW_LABEL = re.compile(r"^(?:(?:19|20)\d\d(?:\s?[-–—]\s?(?:19|20)?\d\d)?|\d{1,3})$")
"""Labels of rows that are years, or numbers in a series."""
_LONG_WORD = re.compile(r"[^\W\d_]{6}")
"""So many letters in a row are in no amount: "bps" and "to" are the most."""
_YEAR_LABEL = re.compile(r"^(?:19|20)\d\d\b")
_BLANK, _ALIKE = 0.42, 1.2
"""Blanks between words of text are narrower than this share of the size of type, also in wide faces, and are wider
than others of their row by this factor at most."""
_OFF = 0.7
"""Amounts stand off from their labels by so many sizes of type at least, most of them."""


@dataclass
class Piece(Sided):
    """Words of a row that stand together: text, or one amount with its signs.

    Attributes:
        words: left to right.
        amount: whether it is a number or stands for one.
        edge: right end of its digits, without per cent, bracket and mark behind them.
        right: right edge.
    """

    words: list[Word]
    amount: bool = field(init=False)
    edge: float = field(init=False)
    right: float = field(init=False)
    text: str = field(init=False)

    def __post_init__(self) -> None:
        plain = [word for word in self.words if not word.raised] or self.words
        self.text = line_text(plain)
        self.amount = bool(AMOUNT.match(self.text))
        self.right = self.edge = max(word.right for word in self.words)
        if self.amount:
            self.edge = _digits_end(plain)

    @property
    def left(self) -> float:
        """Left edge."""
        return self.words[0].left


@dataclass
class Row(Sided):
    """Lines that stand level: their words in pieces, and which of them is the label.

    Attributes:
        lines: of the page.
        pieces: left to right.
        labels: how many of the pieces, from the left, are no amounts but a label.
    """

    lines: list[Line]
    pieces: list[Piece]
    labels: int = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.top, self.right, self.bottom = around(self.lines)
        first = next((n for n, piece in enumerate(self.pieces) if piece.amount), len(self.pieces))
        years = all(YEAR.match(piece.text) for piece in self.pieces)
        if first == 0 and len(self.pieces) > 1 and not years and _ROW_LABEL.match(self.pieces[0].text):
            first = 1
        self.labels = first

    @property
    def size(self) -> float:
        """Size of the type in points."""
        return max(line.size for line in self.lines)

    @property
    def amounts(self) -> list[Piece]:
        """The amounts behind the label."""
        return [piece for piece in self.pieces[self.labels :] if piece.amount]

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def names_years(self) -> bool:
        """Whether its amounts are years or dates that name columns: no label beside them but what is counted in."""
        amounts = self.amounts
        label = " ".join(piece.text for piece in self.pieces[: self.labels])
        years = len(amounts) > 1 and all(piece.words[0].text.isdigit() for piece in amounts)
        plain = not label or bool(UNIT.search(label)) or (len(label) < 60 and years)  # behind labels dates are values
        return bool(amounts) and all(YEAR.match(piece.text) for piece in amounts) and plain

    @property
    def has_figures(self) -> bool:
        """Whether it is a row of a table: amounts, at most as many other pieces behind the label."""
        amounts = self.amounts
        if not amounts or self.names_years:
            return False
        others = len(self.pieces) - self.labels - len(amounts)
        stated = any(any(sign.isdigit() for sign in piece.text) for piece in amounts)
        return others <= len(amounts) and self.labels <= 3 and (stated or len(amounts) > 1 or bool(self.labels))

    @property
    def stands_off(self) -> bool:
        """Whether there is more than a blank between the label, which has letters or is a year, and the amounts."""
        if not self.labels or self.labels == len(self.pieces):
            return False
        label, first = self.pieces[self.labels - 1], self.pieces[self.labels]
        named = any(sum(sign.isalpha() for sign in piece.text) > 1 for piece in self.pieces[: self.labels])
        return (named or bool(_YEAR_LABEL.match(label.text))) and first.left - label.right > _OFF * self.size


def rows_of(lines: Sequence[Line], prose: set[int] | None = None, gutter: float | None = None) -> list[Row]:
    """Return the rows that lines make, cut where running text stands beside them.

    Args:
        lines: of a page.
        prose: the ids of those that are running text.
        gutter: where two columns of text part: text right of it is another row, unless a line runs over it; and
            running text is no label of amounts beside it.
    """
    rows: list[Row] = []
    for group in level_rows(lines):
        for side in _sides(group, gutter):
            part: list[Line] = []
            ordered = sorted(side, key=lambda line: line.left)
            for number, line in enumerate(ordered):
                running = prose is not None and id(line) in prose and len(ordered) > 1
                if running and (part or gutter is not None or not all(map(_is_amounts, ordered[number + 1 :]))):
                    rows += _row(part)
                    part = []
                    continue
                part.append(line)
            rows += _row(part)
    return sorted(rows, key=lambda row: row.top + row.bottom)


def _sides(lines: list[Line], gutter: float | None) -> list[list[Line]]:
    """Return lines that stand level, those right of a gutter apart if they begin with text and none runs over it."""
    if gutter is None or any(line.left < gutter < line.right for line in lines):
        return [lines]
    right = sorted((line for line in lines if line.left >= gutter), key=lambda line: line.left)
    left = [line for line in lines if line.left < gutter]
    found = _pieces(word for line in right for word in line.words)
    amounts = bool(found) and found[0].amount and not _is_numbered(found, gutter)
    return [lines] if not left or not found or amounts else [left, right]


def _is_numbered(found: Sequence[Piece], gutter: float) -> bool:
    """Return True if pieces right of a gutter are a number at the edge of the text there and words behind: a title."""
    words = [piece for piece in found[1:] if sum(map(str.isalpha, piece.text)) > 1]
    return len(found) == 2 and bool(words) and found[0].left - gutter < found[0].words[0].size


def _is_amounts(line: Line) -> bool:
    return all(piece.amount or len(piece.text) < 4 for piece in _pieces(line.words))


def _row(lines: list[Line]) -> list[Row]:
    found = _pieces(word for line in lines for word in line.words)
    return [Row(lines, found)] if found else []


def _pieces(words: Iterable[Word]) -> list[Piece]:
    """Return words in pieces, leaders left out; amounts that only a blank parts are pieces of their own."""
    kept = [word for word in words if not _LEADER.match(word.text)]
    parts = [Piece(part) for chunk in pieces(kept) for part in _single(chunk)]
    amounts = [at for at, piece in enumerate(parts) if piece.amount]
    if amounts and any(sum(map(str.isalpha, piece.text)) > 1 for piece in parts[amounts[0] :]):
        return parts  # justified text with a number in it
    found: list[Piece] = []
    for piece in parts:
        if found and _reads_on(found[-1], piece):
            found[-1] = Piece([*found[-1].words, *piece.words])
        else:
            found.append(piece)
    return found


def _reads_on(one: Piece, other: Piece) -> bool:
    """Return True if two pieces of text have no more than a blank between them, in a face whose blanks are wide."""
    text = not any(piece.amount or not any(map(str.isalpha, piece.text)) for piece in (one, other))
    blanks = [after.left - before.right for piece in (one, other) for before, after in pairwise(piece.words)]
    widest = min(_BLANK * other.words[0].size, _ALIKE * max(blanks, default=other.words[0].size))
    return text and other.left - one.right < widest


def _single(chunk: list[Word]) -> list[list[Word]]:
    """Cut a chunk that is several amounts in a row: each begins at a word that is an amount or its sign."""
    if len(chunk) < 2 or any(_LONG_WORD.search(word.text) for word in chunk):
        return [chunk]
    if AMOUNT.match(line_text([word for word in chunk if not word.raised] or chunk)):
        return [chunk]
    parts = in_runs(chunk, lambda part, word: not _begins(part, word))
    plain = [line_text([word for word in part if not word.raised] or part) for part in parts]
    if len(parts) > 1 and all(AMOUNT.match(text) for text in plain) and any(map(_is_decimal, plain)):
        return parts
    return [chunk]


def _begins(part: Sequence[Word], word: Word) -> bool:
    """Return True if a word begins another amount than the words before it."""
    text = line_text(list(part))
    return not word.raised and bool(AMOUNT.match(text)) and not TAIL_OF_AMOUNT.match(word.text)


def _is_decimal(text: str) -> bool:
    return any(sign in text for sign in ".,$%(") or bool(NONE_STATED.match(text))


def _digits_end(words: Sequence[Word]) -> float:
    """Return where the digits of an amount end: signs behind them stand outside the column, or do not."""
    last = words[-1]
    behind = 0
    for sign in reversed(last.text):
        if sign.isalnum() or sign in "-–—−":
            break
        behind += 1
    if behind == len(last.text) and len(words) > 1:
        return _digits_end(words[:-1])
    share = behind / max(len(last.text), 1)
    return last.right - 0.75 * share * last.width


def part_label(row: Row, columns: Sequence[tuple[float, float]]) -> None:
    """Cut amounts off the end of a label that only a blank parts from them, where they stand in a column.

    Args:
        row: whose last piece of the label may end in an amount; it changes.
        columns: left and right edges of the columns of amounts.
    """
    if not row.labels or not columns:
        return
    piece = row.pieces[row.labels - 1]
    if piece.right < columns[0][0] or len(piece.words) < 2:
        return
    for at, (before, word) in enumerate(pairwise(piece.words), 1):
        tail = Piece(list(piece.words[at:]))
        gap = word.left - before.right
        fits = any((left - 0.5 * word.size <= tail.left and abs(tail.edge - right) < 0.4 * word.size) or (
            left - 1 <= tail.left and tail.right <= right + 1) for left, right in columns)  # fmt: skip
        if tail.amount and gap > 0.2 * word.size and fits:
            row.pieces[row.labels - 1 : row.labels] = [Piece(list(piece.words[:at])), tail]
            return
