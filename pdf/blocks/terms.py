"""Terms with explanations beside them as a table: where each row has one of both, set in one type."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Grid, Kind, Line, Word, around
from ragraph.pdf.patterns import BULLET

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS = 6
"""Rows, at least: fewer may be fields, addresses, or titles beside their text."""
_LONGEST = 5
"""Lines of an explanation, in the mean, at most: longer ones are text with titles at its side."""
_ROWS_BOLD, _LONGEST_BOLD = 8, 3
"""The same of terms in bold, which may be such titles."""
_WHOLE = 0.9
"""Share of the rows, at least, that have a term and an explanation."""
_ALIKE = 0.05
"""Share of the size of type by which terms and explanations differ at most."""
_LEVEL = 0.3
"""Baselines that differ by less than this share of the size of type are one."""
_APART = 0.4
"""Room between two lines, per point of type, more than that between most: a new row."""


def table_of(terms: Sequence[Block], explanations: Sequence[Block]) -> Block | None:
    """Return the table that two columns are, if each row has a term and what explains it; None if they are text.

    Terms of another size are titles beside their text; those in bold may be, unless there are many with short texts.

    Args:
        terms: blocks of the column at the left, of one page.
        explanations: those of the column beside it.
    """
    left = sorted((line for block in terms for line in block.lines), key=lambda line: line.bottom)
    right = sorted((line for block in explanations for line in block.lines), key=lambda line: line.bottom)
    if not left or not right or not _of_one_size(left, right) or any(BULLET.match(line.text) for line in left):
        return None
    starts = _starts(left, right)
    rows = [_between(left, start, end) for start, end in pairwise([*starts, float("inf")])]
    texts = [_between(right, start, end) for start, end in pairwise([*starts, float("inf")])]
    whole = [bool(term and text) for term, text in zip(rows, texts, strict=True)]
    fewest, longest = (_ROWS_BOLD, _LONGEST_BOLD) if _bold(left) > _bold(right) + 0.5 else (_ROWS, _LONGEST)
    if len(rows) < fewest or sum(whole) < _WHOLE * len(rows) or len(right) > longest * len(rows):
        return None
    return _table(terms[0].page, rows, texts, [*left, *right])


def _table(page: int, rows: Sequence[Sequence[Line]], texts: Sequence[Sequence[Line]], lines: list[Line]) -> Block:
    """Return the table of terms and explanations.

    Args:
        page: number of the page.
        rows: lines of the term of each row.
        texts: those of the explanation.
        lines: all of them.
    """
    box = around(lines)
    left, right = around(list(chain(*rows))), around(list(chain(*texts)))
    grid = Grid(len(rows), [box.left, (left.right + right.left) / 2, box.right])
    for row, cells in enumerate(zip(rows, texts, strict=True)):
        grid.words |= {(row, column): _words(cell) for column, cell in enumerate(cells) if cell}
    return Block(page, lines, Kind.TABLE, [(page, box)], grid=grid)


def _of_one_size(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Return True if both columns are set in type of one size."""
    size = sum(line.size * line.length for line in right) / sum(line.length for line in right)
    return all(abs(line.size - size) < _ALIKE * size for line in left)


def _bold(lines: Sequence[Line]) -> float:
    return sum(line.bold * line.length for line in lines) / sum(line.length for line in lines)


def _starts(left: Sequence[Line], right: Sequence[Line]) -> list[float]:
    """Return the baselines on which rows begin: a term stands there, and the explanation above it has ended."""
    limit = max(line.right for line in right)
    gaps = sorted(lower.top - upper.bottom for upper, lower in pairwise(right))
    usual = gaps[len(gaps) // 4] if gaps else 0.0
    starts: list[float] = []
    for index, line in enumerate(right):
        term = next((at for at, term in enumerate(left) if abs(line.bottom - term.bottom) < _LEVEL * line.size), None)
        if term is None or (term and _cuts_word(left[term - 1].text, left[term].text)):
            continue
        above = right[index - 1] if index else None
        first = line.words[0]
        if (
            above is None
            or line.top - above.bottom > usual + _APART * line.size
            or above.right + first.right - first.left + 0.5 * line.size < limit
            or (above.text[-1:] in ".;:" and first.text[:1].isupper())
        ):
            starts.append(line.bottom)
    return starts


def _between(lines: Sequence[Line], start: float, end: float) -> list[Line]:
    """Return the lines whose baselines are those of a row."""
    return [line for line in lines if start - _LEVEL * line.size <= line.bottom < end - _LEVEL * line.size]


def _words(lines: Sequence[Line]) -> list[Word]:
    return [word for line in lines for word in line.words]


def _cuts_word(upper: str, lower: str) -> bool:
    """Return True if a line ends with the first part of a word that the next one goes on with: "Congres-", "sional"."""
    return upper[-1:] == "-" and upper[-2:-1].isalpha() and lower[:1].islower()
