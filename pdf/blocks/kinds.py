"""Kinds of blocks that their own look tells: captions, list items, code, formulas; captions meet their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Kind, shared_height, shared_width
from ragraph.pdf.patterns import (
    ADDRESS,
    BARE_NUMBER,
    BULLET,
    CAPTION,
    CAPTION_LABEL_ONLY,
    CAPTION_SENTENCE,
    CAPTION_SIGNED,
    FORMULA_NUMBER,
    NUMBERED,
    OF_TABLE,
    STEP,
    WORDS_ALONE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Line, Page, Style

_TITLE = 240
"""Characters of the title of a table at most."""
_TITLE_LINES = 2
_DISPLAYED = 1.25
"""Lines, and size against the running text, of titles in a typewriter's type."""
_ADDRESS_WORDS = 4
"""Words of an address at most, which ends of lines part."""
_MONO = 0.75
"""Minimum share of its letters in typewriter type at which a block is code."""
_NEXT_LINE = 0.9
"""White between lines of a listing at most, in the size of their type."""
_NEXT_PART = 1.8
"""White that an empty line leaves between two parts of a listing at most, likewise."""
_ONE_SIZE = 0.5
"""Points by which the sizes of such parts differ at most."""
_REACH = 42.0
"""Points between a caption and what it describes, at most."""


def set_kinds(page: Page, style: Style) -> None:
    """Set the kind of captions, code, formulas and list items of a page, and bind captions."""
    graphics = [block for block in page.blocks if block.kind in {Kind.TABLE, Kind.FIGURE}]
    for block in page.blocks:
        text = block.text
        if block.kind is Kind.LIST_ITEM and block.region is not None and CAPTION.match(text):
            # Labels that a program counts up are tagged as those of items.
            block.kind = Kind.CAPTION if _is_caption(block, text, graphics, style) else Kind.LIST_ITEM
        if block.kind is not Kind.TEXT:
            continue
        if CAPTION.match(text) and _is_caption(block, text, graphics, style):
            block.kind = Kind.CAPTION
        elif _is_code(block, style):
            block.kind = Kind.CODE
        elif _is_formula(block, text):
            block.kind = Kind.FORMULA
        elif block.lines[0].bulleted:
            block.kind = Kind.LIST_ITEM
            label = block.lines[0].words[0].text
            block.marker = label if BARE_NUMBER.match(label) else None
        elif BULLET.match(text) and len(text) > 2:
            block.kind = Kind.LIST_ITEM
            block.marker = BULLET.match(text)[0].strip()  # type: ignore[index]
    _join_code(page)
    _mark_formulas(page)
    _join_labels(page)
    _bind_captions([block for block in page.blocks if block.kind is Kind.CAPTION], graphics)


def _is_code(block: Block, style: Style) -> bool:
    """Return True if a block is set in typewriter type, in a document that is not, and no title and no address."""
    if style.mono or block.mean("mono") <= _MONO or block.length <= 8 or _is_displayed(block, style):
        return False
    words = [word.text for line in block.lines for word in line.words]
    return not (len(words) <= _ADDRESS_WORDS and ADDRESS.search(words[0]))


def _join_code(page: Page) -> None:
    """Join the parts of a listing: lines that a file states as paragraphs, one by one, and what empty lines part."""
    listing: Block | None = None
    for block in list(page.blocks):
        stated = block.region is not None and block.region.kind is Kind.TEXT
        free = block.region is None and block.kind is Kind.CODE
        code = block.kind is Kind.CODE or (block.kind is Kind.TEXT and block.mean("mono") > _MONO)
        if not (free or (stated and code)):
            listing = None
        elif listing is not None and (listing.region is None) == free and _goes_on(listing, block):
            page.unite(listing, block, [*listing.lines, *block.lines])
        else:
            listing = block if block.kind is Kind.CODE else None


def _goes_on(listing: Block, block: Block) -> bool:
    """Return True if a block stands under a listing as its next line or, where neither is stated, an empty line on."""
    white = (block.top - listing.bottom) / block.size
    if block.region is not None:
        return block.top - listing.bottom > -2 and white < _NEXT_LINE
    under = block.left < listing.right and listing.left < block.right
    return under and abs(block.size - listing.size) < _ONE_SIZE and _NEXT_LINE < white < _NEXT_PART


def _join_labels(page: Page) -> None:
    """Join a caption that is a label alone ("Table 1.") with the title set below or beside it."""
    blocks = page.blocks
    for index, block in enumerate(blocks[:-1]):
        title = blocks[index + 1]
        if block.kind is not Kind.CAPTION or title.kind is not Kind.TEXT or title.length > _TITLE:
            continue
        alone = CAPTION_LABEL_ONLY.fullmatch(block.text.strip())
        level = shared_height(block, title) > 0.5 * block.size
        below = -2 < title.top - block.bottom < 0.9 * title.size and _distance(block, title) < 1e5
        beside = level and 0 <= title.left - block.right < 4 * block.size
        if alone and (below or beside) and len(title.lines) <= 4 and not CAPTION.match(title.text):
            page.unite(block, title, _in_reading_order([*block.lines, *title.lines]))


def _mark_formulas(page: Page) -> None:
    """Keep the number at the margin of a displayed formula as its marker."""
    for formula in (block for block in page.blocks if block.kind is Kind.FORMULA):
        match = FORMULA_NUMBER.search(formula.text)
        if match:
            formula.marker = match[0].strip()


def _in_reading_order(lines: Sequence[Line]) -> list[Line]:
    rows = sorted(lines, key=lambda line: line.top)
    return sorted(rows, key=lambda line: (round(line.bottom / max(line.size, 1.0)), line.left))


def set_items(pages: list[Page]) -> None:
    """Set the kind of numbered items among the blocks that are still plain text."""
    for page in pages:
        for block in page.blocks:
            match = NUMBERED.match(block.text) if block.kind is Kind.TEXT else None
            if match and len(block.text) > match.end():
                label = match[0].strip()
                # "Step 2." is read with what is to be done, and found by its words.
                block.kind, block.marker = Kind.LIST_ITEM, None if STEP.match(label) else label


def _is_displayed(block: Block, style: Style) -> bool:
    """Return True if a line is set much larger than the text: a title, though the type may be a typewriter's."""
    return len(block.lines) <= _TITLE_LINES and block.size > _DISPLAYED * style.size


def _is_caption(block: Block, text: str, graphics: Sequence[Block], style: Style) -> bool:
    if CAPTION_SENTENCE.match(text):
        return False
    near = any(_distance(block, other) < 26 for other in graphics)
    labelled = bool(CAPTION_SIGNED.match(text))
    return near or labelled or block.size < 0.97 * style.size or block.lines[0].bold > 0.3


def _is_formula(block: Block, text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    math = block.mean("math")
    if WORDS_ALONE.fullmatch(text):
        return False  # programs offer fonts of mathematics for text, too
    return math > 0.4 and letters < 120


def _distance(one: Block, other: Block) -> float:
    """Return the vertical distance of two blocks that stand over one another, else a great number."""
    if shared_width(one, other) <= 0:
        return 1e6
    return max(0.0, one.top - other.bottom, other.top - one.bottom)


def _sideways(caption: Block, graphic: Block) -> float:
    """Return the distance of a caption beside a graphic, never as near as one above or below; else a great number."""
    level = shared_height(caption, graphic)
    if level < 0.6 * caption.height:
        return 1e6
    return 16.0 + max(0.0, caption.left - graphic.right, graphic.left - caption.right)


def _bind_captions(captions: Sequence[Block], graphics: Sequence[Block]) -> None:
    """Give every table and figure the nearest free caption of its kind."""
    pairs = []
    for caption in captions:
        wants_table = bool(OF_TABLE.match(caption.text))
        for graphic in graphics:
            distance = min(_distance(caption, graphic), _sideways(caption, graphic))
            if distance < _REACH:
                matches = wants_table == (graphic.kind is Kind.TABLE)
                pairs.append((not matches, distance, id(caption), caption, graphic))
    used: set[int] = set()
    for _, _, _, caption, graphic in sorted(pairs, key=lambda pair: pair[:2]):
        if id(caption) not in used and graphic.caption is None:
            graphic.caption = caption
            used.add(id(caption))
