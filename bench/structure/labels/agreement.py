"""Agreement of two passes over the same pages."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import NamedTuple

from bench.structure.labels.model import CUT, RAISED, Block, Furniture, Label
from ragraph.schema.enums import ContentNodeType

_FURNITURE = frozenset({*Furniture, ContentNodeType.PAGE_NUMBER})
_KEY = 30
"""Letters and digits at the beginning of a text that identify its block."""


class Share(NamedTuple):
    """The number of agreements, and of possible ones."""

    agreed: int
    of: int

    def __add__(self, other: object) -> Share:
        """Return the share over both."""
        if not isinstance(other, Share):
            return NotImplemented
        return Share(self.agreed + other.agreed, self.of + other.of)

    def __str__(self) -> str:
        """Return, for example, "0.950 of 40"."""
        return f"{self.agreed / self.of:.3f} of {self.of}" if self.of else "-"


def agreement(first: Label, second: Label) -> dict[str, Share]:
    """Compare two labels of a page.

    Returns:
        Shares by name: ``blocks`` and ``headings`` in both passes, of those in either; ``types`` and ``order`` (pairs
        of blocks) of the blocks in both, without furniture in the order; ``levels`` (pairs of headings with a level in
        both passes); ``marks`` with the mark of their note, and ``cells`` with their row and column, in both of those
        in either.
    """
    pairs = _pairs(first, second)
    headings = [(a, b) for a, b in pairs if a.type == b.type == ContentNodeType.HEADING and a.level and b.level]
    places = [(first.blocks.index(a), second.blocks.index(b)) for a, b in pairs if not {a.type, b.type} & _FURNITURE]
    levels = [(a.level or 0, b.level or 0) for a, b in headings]
    total = len(first.blocks) + len(second.blocks)
    return {
        "blocks": Share(len(pairs), total - len(pairs)),
        "types": Share(sum(_alike(a, b) for a, b in pairs), len(pairs)),
        "order": _same_order(places),
        "headings": _both(_headings(first), _headings(second)),
        "levels": _same_order(levels),
        "marks": _both(_marks(first), _marks(second)),
        "cells": _both(_cells(first), _cells(second)),
    }


def _pairs(first: Label, second: Label) -> list[tuple[Block, Block]]:
    """Return the blocks of two passes that are the same by the beginning of their text, each used once."""
    left = list(second.blocks)
    pairs = []
    for block in first.blocks:
        like = [other for other in left if _key(other) == _key(block)]
        if like:
            # if several have the same text ("Date:"), the first of the same type
            chosen = next((other for other in like if other.type == block.type), like[0])
            left = [other for other in left if other is not chosen]
            pairs.append((block, chosen))
    return pairs


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w", RAISED.sub("", text.split(CUT)[0]).casefold()))


def _key(block: Block) -> str:
    if block.table:
        return "table" + "".join(_letters(text) for text in block.table.grid()[-1])[:_KEY]
    return _letters(block.text)[:_KEY] or block.text or block.type.value


def _alike(a: Block, b: Block) -> bool:
    return bool({a.type, *a.also_types} & {b.type, *b.also_types})


def _same_order(places: list[tuple[int, int]]) -> Share:
    """Count the pairs with the same relative order in both passes: before, after or beside."""
    signs = [(_sign(a - c), _sign(b - d)) for (a, b), (c, d) in combinations(places, 2)]
    return Share(sum(x == y for x, y in signs), len(signs))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _both(first: Counter[tuple[object, ...]], second: Counter[tuple[object, ...]]) -> Share:
    return Share((first & second).total(), (first | second).total())


def _headings(label: Label) -> Counter[tuple[object, ...]]:
    return Counter((_letters(block.text),) for block in label.blocks if block.type == ContentNodeType.HEADING)


def _marks(label: Label) -> Counter[tuple[object, ...]]:
    notes = {block.id: _letters(block.text)[:_KEY] for block in label.blocks if block.type == ContentNodeType.NOTE}
    return Counter((mark.mark, notes.get(mark.note)) for block in label.blocks for mark in block.marks)


def _cells(label: Label) -> Counter[tuple[object, ...]]:
    grids = [block.table.grid() for block in label.blocks if block.table]
    return Counter(
        (number, y, x, re.sub(r"\s", "", text))
        for number, grid in enumerate(grids)
        for y, row in enumerate(grid)
        for x, text in enumerate(row)
    )
