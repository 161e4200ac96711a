"""How likely a reader would find a fault in a page, or in a table: logistic regressions over signs (``signs``).

``weights.json`` holds them; ``python -m bench.doubts`` learns them from pages of which the truth is known. A
probability says how many of a hundred pages with such signs had a fault there: a heading, a row, a note, the order or
the text that was not as the page shows it.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.doubts.signs import PAGE, TABLE, Document, signs_of, table_signs_of
from ragraph.pdf.model import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.pdf.model import Block, Page

KNOWN = 0.95
"""Least probability where the reader knows of a fault: letters without text, values under another column. All 15 pages
and 18 tables with such values, of those that weights were learnt from, had one."""
_FAULTS = ("unknown", "doubted")
"""The signs that say so."""
_DIGITS = 2
"""Decimals of a probability: more would say nothing, and would change with every little change of the reader."""


class Weights(NamedTuple):
    """A logistic regression over signs that are measured in standard deviations from their mean.

    Attributes:
        names: of the signs.
        mean: of each sign in what was learnt from.
        scale: standard deviation of each.
        weight: of each.
        bias: log-odds where every sign has its mean.
    """

    names: Sequence[str]
    mean: Sequence[float]
    scale: Sequence[float]
    weight: Sequence[float]
    bias: float

    def probability(self, signs: Sequence[float]) -> float:
        """Return how likely there is a fault, from 0 to 1, with two decimals; ``KNOWN`` at least where one is known."""
        every = zip(signs, self.mean, self.scale, self.weight, strict=True)
        odds = self.bias + sum(weight * (sign - mean) / scale for sign, mean, scale, weight in every)
        known = any(sign for sign, name in zip(signs, self.names, strict=True) if name in _FAULTS)
        return round(max(1 / (1 + exp(-max(min(odds, 30.0), -30.0))), KNOWN if known else 0.0), _DIGITS)


def set_doubts(pages: Sequence[Page], document: Document) -> None:
    """Set how likely a fault is in each page, and in each table.

    Args:
        pages: of the document, after all other passes; they and their tables change. A page that was left unread
            gets 1, one without anything on it 0.
        document: that they are of.
    """
    weights = read_weights()
    for page, blocks in zip(pages, blocks_on(pages), strict=True):
        page.signs = signs_of(page, blocks, document)
        if page.failed or (page.number in document.scanned and not page.lines):
            page.doubt = 1.0
        else:
            page.doubt = weights["page"].probability(page.signs) if blocks or page.lines else 0.0
        for block in page.blocks:
            if block.kind is Kind.TABLE and block.grid is not None:
                block.signs = table_signs_of(block)
                block.doubt = weights["table"].probability(block.signs)


def blocks_on(pages: Sequence[Page]) -> list[list[Block]]:
    """Return the blocks that have a part on each of some pages, in reading order."""
    at = {page.number: place for place, page in enumerate(pages)}
    found: list[list[Block]] = [[] for _ in pages]
    for block in (block for page in pages for block in page.blocks):
        for number in dict.fromkeys(number for number, _ in block.parts):
            if number in at:
                found[at[number]].append(block)
    return found


@lru_cache(maxsize=1)
def read_weights() -> Mapping[str, Weights]:
    """Return the weights of ``page`` and ``table``.

    Raises:
        ValueError: they were learnt from other signs than are measured.
    """
    data = json.loads(files(__package__).joinpath("weights.json").read_text(encoding="utf-8"))
    found = {name: Weights(**data[name]) for name in ("page", "table")}
    if (tuple(found["page"].names), tuple(found["table"].names)) != (PAGE, TABLE):
        raise ValueError("weights.json was learnt from other signs than are measured; learn it anew")
    return found
