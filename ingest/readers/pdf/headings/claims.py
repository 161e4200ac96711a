"""The one place where claims about headings are weighed: what the page looks like, and what the file states.

Every source adds to the log-odds of a block; that one is silent takes nothing away from another. What the page says is
learnt (``headings.weights``); contents pages and numbers in series are among the features of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.pdf.blocks.looks import normal, printed
from ragraph.ingest.readers.pdf.headings.candidates import is_name, is_signature, may_be_heading
from ragraph.ingest.readers.pdf.headings.features import measure
from ragraph.ingest.readers.pdf.headings.weights import heading_trees
from ragraph.ingest.readers.pdf.model import Block, Kind
from ragraph.ingest.readers.pdf.patterns import CONTENTS_TITLE, NUMBERED
from ragraph.ingest.readers.pdf.stated.regions import stated_headings, stated_plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.ingest.readers.pdf.blocks.looks import Look
    from ragraph.ingest.readers.pdf.model import Page, Style

_SEVERAL = 3
"""Headings from which it tells that all have one level."""
_LONG = -4.0
"""Log-odds of a block that is too long for its type to tell."""
_OUTLINE = 6.0
"""Log-odds that the outline adds to a block that it names."""
_TAGS = 5.0
"""Log-odds that tags add to what they call a heading; less than the outline, as some call every bold line one."""
_CONTENTS = 1.0
"""Log-odds that contents pages add to a block that they name, beside what the weights have learnt of that."""
_SERIES = 1.0
"""Log-odds that a series of numbers with titles adds to a title that stands alone, likewise."""
_LISTING = 6.0
"""Log-odds that entries of contents add to a title of contents on their page."""
_LISTING_LONGEST = 60
"""Characters of such a title at most."""
_OPENING = -4.0
"""Log-odds of what stands on an upright page of the beginning that holds a title rather than text: names, dates."""
_SIGNED = -4.0
"""Log-odds of what stands at the right edge of the text in no large type: names under a preface."""
_SIGNED_SIZE = 1.3
"""Size, against the running text, from which titles at the right edge are no names."""
_ITEM = -2.0
"""Log-odds of what begins like a list item and is set like the text, in no series of titles."""
_REPEATED = -6.0
"""Log-odds of what says the title of the document again on such a page."""
_NO_TITLE = -6.0
"""Log-odds of what has the words of no title, whatever its type: few of those have been seen that were one."""
_ANOTHER = -4.0
"""Log-odds of what tags call an item, a caption or the like; that they call it a paragraph takes nothing away."""


class Claims(NamedTuple):
    """What is known of a document besides its type.

    Attributes:
        listed: depth in the contents pages, by ``id`` of the block.
        tagged: level in the tags, likewise.
        bookmarked: depth in the outline, likewise.
        series: words of the titles of numbered series, likewise.
        opening: first pages that hold a title rather than text.
        title: words of the title of the document.
    """

    listed: Mapping[int, int | None]
    tagged: Mapping[int, int | None]
    bookmarked: Mapping[int, int | None]
    series: Mapping[int, int]
    opening: AbstractSet[int]
    title: str


def weigh(
    pages: Sequence[Page], style: Style, looks: Mapping[int, Look], claims: Claims, entries: int
) -> dict[int, float]:
    """Return the log-odds that a block is a heading, by ``id``, of those that may be one.

    Args:
        pages: with blocks in reading order.
        style: the running style of the document.
        looks: of the open blocks, by ``id``.
        claims: what is stated of them.
        entries: how many entries the contents pages have.
    """
    trees = heading_trees()
    blocks, rows = measure(pages, style, looks, claims.listed.keys(), entries, claims.series)
    seen = dict(zip(map(id, blocks), trees.log_odds(rows).tolist(), strict=True))
    odds: dict[int, float] = {}
    for page in pages:
        opening = page.number in claims.opening and page.height > page.width
        column = max((other.right for other in page.blocks if len(other.lines) > 2), default=page.width)
        entered = any(block.kind is Kind.CONTENTS for block in page.blocks)
        for block in page.blocks:
            key = id(block)
            if key not in looks or not is_open(block):
                continue
            whole = claims.series.get(key) == sum(len(line.words) for line in block.lines)
            odds[key] = (
                seen.get(key, _LONG)
                + _OUTLINE * (key in claims.bookmarked)
                + _TAGS * (key in claims.tagged)
                + _CONTENTS * (key in claims.listed)
                + _SERIES * whole
                + _LISTING * (entered and _heads_list(block, looks[key], style))
                + _OPENING * (opening and not CONTENTS_TITLE.match(printed(block)))
                + _SIGNED * (looks[key].size < _SIGNED_SIZE * style.size and is_signature(block, page, column))
                + _ITEM * (key not in claims.series and _like_item(block, looks[key], style))
                + _REPEATED * (page.number in claims.opening and normal(printed(block)) in claims.title)
                + _NO_TITLE * (not may_be_heading(block, looks[key], style) or is_name(block))
                + _ANOTHER * _stated_another(block)
            )
    return odds


def is_open(block: Block) -> bool:
    """Say whether what a block is may still be told: plain text, and what is only stated to be an item."""
    stated = block.kind in {Kind.LIST_ITEM, Kind.CONTENTS} and block.region is not None and not block.marker
    return block.kind is Kind.TEXT or stated


def tagged_headings(pages: Sequence[Page], looks: Mapping[int, Look]) -> dict[int, int | None]:
    """Return the blocks that the file states to be headings, by ``id``, with their levels.

    Without levels, if all have one though their type differs in size: those were put in by a program.
    """
    tagged = stated_headings(pages)
    levels = {level for level in tagged.values() if level is not None}
    sizes = {looks[key].size for key in tagged if key in looks}
    if len(tagged) >= _SEVERAL and len(levels) == 1 and sizes and max(sizes) > 1.15 * min(sizes):
        return dict.fromkeys(tagged)
    return tagged


def _stated_another(block: Block) -> bool:
    return stated_plain(block) and block.region is not None and block.region.kind is not Kind.TEXT


def _heads_list(block: Block, look: Look, style: Style) -> bool:
    text = printed(block)
    return block.length < _LISTING_LONGEST and bool(CONTENTS_TITLE.match(text)) and look.stands_out(style)


def _like_item(block: Block, look: Look, style: Style) -> bool:
    return bool(NUMBERED.match(block.text)) and not look.stands_out(style)
