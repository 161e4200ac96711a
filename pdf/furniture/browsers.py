"""Heads and feet that browsers print around a web page: date and title above, address and number below.

That is how Chrome prints; Firefox sets title and address above, number and date below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.patterns import PRINTED_ADDRESS, PRINTED_DATE, PRINTED_NUMBER, PRINTED_NUMBER_OF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.furniture.pagenumbers import EdgeRow
    from ragraph.pdf.model import Line, Word


def browser_rows(rows: Sequence[EdgeRow]) -> tuple[set[int], dict[int, tuple[Line, list[Word]]]]:
    """Return the head and foot that a browser set, and the number in the foot, by ``id`` of the row.

    Both are asked for: a date over a page tells nothing, nor does an address under it. Other pages are not asked: each
    page of a file may be printed from another address, under another title.

    Args:
        rows: at the edges of the pages, each with its lines from left to right.

    Returns:
        The rows, and for each foot the line and the words of the number ("1/2", "1 of 2").
    """
    outer = {(id(row.page), row.upper): row for row in rows if row.rank == 0}
    found: set[int] = set()
    numbers: dict[int, tuple[Line, list[Word]]] = {}
    for (page, upper), foot in outer.items():
        head = None if upper else outer.get((page, True))
        number = _number(head, foot) if head is not None else None
        if head is not None and number is not None:
            found |= {id(head), id(foot)}
            numbers[id(foot)] = number
    return found, numbers


def _number(head: EdgeRow, foot: EdgeRow) -> tuple[Line, list[Word]] | None:
    """Return the number in the foot, its line and words; None if no browser set this head and foot."""
    first, last = foot.lines[0], foot.lines[-1]
    if PRINTED_DATE.match(head.lines[0].text) and PRINTED_ADDRESS.match(first.text):
        return (last, [last.words[-1]]) if PRINTED_NUMBER.match(last.words[-1].text) else None
    if PRINTED_ADDRESS.match(head.lines[-1].text) and PRINTED_DATE.match(last.text):
        return (first, list(first.words)) if PRINTED_NUMBER_OF.match(first.text) else None
    return None
