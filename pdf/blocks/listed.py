"""Bibliographic entries whose numbers count on below their title: neither sections nor notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Kind
from ragraph.pdf.patterns import ENTRIES_TITLE, ENTRY_SIGNS, SECTION_LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Page

_SKIPPED = 6
"""Numbers of bibliographic entries from one block to the next at most: several may stand in one."""


def numbered_entries(pages: Sequence[Page]) -> set[int]:
    """Return the ``id`` of blocks below a title such as "References" whose numbers count on: "1. Author, A. ...".

    Args:
        pages: with blocks in reading order.
    """
    lists: list[list[Block]] = []
    last: int | None = None
    for page in pages:
        for block in page.blocks:
            if block.kind not in {Kind.TEXT, Kind.HEADING} or not block.lines:
                continue
            label = SECTION_LABEL.match(block.text)
            if ENTRIES_TITLE.match(block.text):
                last = 0
                lists.append([])
            elif last is not None and label is not None and label["number"].isdecimal():
                number = int(label["number"])
                last = number if last < number <= last + _SKIPPED else None
                lists[-1] += [block] if last else []
    return {
        id(block)
        for blocks in lists
        if 2 * sum(bool(ENTRY_SIGNS.search(block.text)) for block in blocks) > len(blocks)
        for block in blocks
    }
