"""Pieces of a row: words that belong to one cell, a sign of money or per cent with its number."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import AFTER_AMOUNT, CURRENCY
from ragraph.pdf.tables.grids import chunks, is_numeric

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragraph.pdf.model import Word

_SIGN_GAP = 40.0
"""A sign of money set at the left of its column stands at most so many times the size of type from its number."""
_TAIL_GAP = 1.6
"""A sign of per cent or a bracket that closes stands at most so many times the size of type behind its number."""


def pieces(row: Iterable[Word]) -> list[list[Word]]:
    """Return the words of a row in groups that are cells or parts of cells, left to right.

    Blanks part groups as in ``chunks``; but a sign of money goes with the number to the right of it, however far its
    column reaches, and a sign of per cent or a bracket that closes with the number to the left.
    """
    parts = [part for chunk in chunks(row) for part in _before_signs(chunk)]
    found: list[list[Word]] = []
    for part in parts:
        last = found[-1] if found else None
        if last and (_is_sign_of(last, part) or _closes(last, part)):
            last.extend(part)
        else:
            found.append(list(part))
    return found


def _before_signs(chunk: list[Word]) -> list[list[Word]]:
    """Cut a group before signs of money that stand behind a number, or at its end."""
    parts = [[chunk[0]]]
    for number, (before, word) in enumerate(pairwise(chunk), 1):
        sign = bool(CURRENCY.match(word.text))
        if sign and (is_numeric(before.text) or number == len(chunk) - 1):
            parts.append([])
        parts[-1].append(word)
    return parts


def _is_sign_of(sign: list[Word], number: list[Word]) -> bool:
    alone = len(sign) == 1 and bool(CURRENCY.match(sign[0].text))
    return alone and is_numeric(number[0].text) and number[0].left - sign[0].right < _SIGN_GAP * number[0].size


def _closes(number: list[Word], tail: list[Word]) -> bool:
    last, first = number[-1], tail[0]
    near = first.left - last.right < _TAIL_GAP * last.size
    return len(tail) == 1 and near and bool(AFTER_AMOUNT.match(first.text)) and is_numeric(last.text)
