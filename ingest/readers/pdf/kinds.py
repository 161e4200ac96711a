"""Kinds of blocks that their own look tells: captions, list items, code, formulas; captions meet their tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.blocks import BULLET, CAPTION, NUMBERED
from ragraph.ingest.readers.pdf.layout import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.layout import Page, Style

_SENTENCE = re.compile(
    CAPTION.pattern
    + r"\s+(?:shows?|lists?|summari|compar|illustrat|describes?|presents?|gives?|depicts?|provides?|contains?|is|are"
    r"|was|were|and|in|of|to|on|above|below)\b",
    re.I,
)
_FORMULA_NUMBER = re.compile(r"\(\d+(?:\.\d+)*[a-z]?\)$")
_REACH = 42.0
"""Points between a caption and what it describes, at most."""


def set_kinds(page: Page, style: Style) -> None:
    """Set the kind of captions, code, formulas and list items of a page, and bind captions."""
    graphics = [block for block in page.blocks if block.kind in {Kind.TABLE, Kind.FIGURE}]
    for block in page.blocks:
        if block.kind is not Kind.TEXT:
            continue
        text = block.text
        if CAPTION.match(text) and block.length < 900 and _is_caption(block, text, graphics, style):
            block.kind = Kind.CAPTION
        elif not style.mono and block.mean("mono") > 0.75 and block.length > 8:
            block.kind = Kind.CODE
        elif _is_formula(block, text):
            block.kind = Kind.FORMULA
        elif BULLET.match(text) and len(text) > 2:
            block.kind = Kind.LIST_ITEM
            block.marker = BULLET.match(text)[0].strip()  # type: ignore[index]
    _bind_captions([block for block in page.blocks if block.kind is Kind.CAPTION], graphics)


def set_items(pages: list[Page]) -> None:
    """Set the kind of numbered items among the blocks that are still plain text."""
    for page in pages:
        for block in page.blocks:
            match = NUMBERED.match(block.text) if block.kind is Kind.TEXT else None
            if match and len(block.text) > match.end():
                block.kind, block.marker = Kind.LIST_ITEM, match[0].strip()


def _is_caption(block: Block, text: str, graphics: Sequence[Block], style: Style) -> bool:
    if _SENTENCE.match(text):
        return False
    near = any(_distance(block, other) < 26 for other in graphics)
    labelled = bool(re.match(CAPTION.pattern + r"\s*[.:|–—-]", text, re.I))
    return near or labelled or block.size < 0.97 * style.size or block.lines[0].bold > 0.3


def _is_formula(block: Block, text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    math = block.mean("math")
    return (math > 0.4 and letters < 120) or (bool(_FORMULA_NUMBER.search(text)) and math > 0.15 and block.length < 200)


def _distance(one: Block, other: Block) -> float:
    """Return the vertical distance of two blocks that stand over one another, else a great number."""
    if min(one.right, other.right) <= max(one.left, other.left):
        return 1e6
    return max(0.0, one.top - other.bottom, other.top - one.bottom)


def _bind_captions(captions: Sequence[Block], graphics: Sequence[Block]) -> None:
    """Give every table and figure the nearest free caption of its kind."""
    pairs = []
    for caption in captions:
        wants_table = bool(re.match(r"\W?\s*(?:\w+\s+)?tab|cuadro", caption.text, re.I))
        for graphic in graphics:
            distance = _distance(caption, graphic)
            if distance < _REACH:
                matches = wants_table == (graphic.kind is Kind.TABLE)
                pairs.append((not matches, distance, id(caption), caption, graphic))
    used: set[int] = set()
    for _, _, _, caption, graphic in sorted(pairs, key=lambda pair: pair[:2]):
        if id(caption) not in used and graphic.caption is None:
            graphic.caption = caption
            used.add(id(caption))
