"""What the tags of a file, or a layout model, claim about headings, and how much that weighs beside the type.

What they call a heading is one. That they call something a paragraph takes little from what its type says: most files
name only some of their headings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Block, Kind
from ragraph.ingest.readers.pdf.stated.regions import stated_headings, stated_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.blocks.looks import Look
    from ragraph.ingest.readers.pdf.model import Page

_SEVERAL = 3
"""Headings from which it tells that all have one level."""
_CAREFUL = 4
"""Stated headings for each paragraph set like a heading from which tags are careful."""


def is_open(block: Block) -> bool:
    """Say whether what a block is may still be told: plain text, and what is only stated to be an item."""
    stated = block.kind in {Kind.LIST_ITEM, Kind.CONTENTS} and block.region is not None and not block.marker
    return block.kind is Kind.TEXT or stated


def tagged_headings(pages: Sequence[Page], looks: dict[int, Look]) -> dict[int, int | None]:
    """Return the blocks that the file states to be headings, by ``id``, with their levels.

    Without levels, if all have one though their type differs in size: those were put in by a program.
    """
    tagged = stated_headings(pages)
    levels = {level for level in tagged.values() if level is not None}
    sizes = {looks[key].size for key in tagged if key in looks}
    if len(tagged) >= _SEVERAL and len(levels) == 1 and sizes and max(sizes) > 1.15 * min(sizes):
        return dict.fromkeys(tagged)
    return tagged


def vetoed_by_tags(
    pages: Sequence[Page], tagged: dict[int, int | None], looks: dict[int, Look], classes: set[Look]
) -> set[int]:
    """Return the blocks that are no headings since the file states them to be something else.

    A paragraph that is set like a heading is one by its type. That the file calls it a paragraph weighs more only if
    the file calls most of what is set like headings so, but nothing that is set like this one: there somebody has
    told apart what looks alike.
    """
    plain = [block for page in pages for block in page.blocks if id(block) in looks and stated_plain(block)]
    texts = [block for block in plain if block.region is not None and block.region.kind is Kind.TEXT]
    named = {looks[key] for key in tagged if key in looks}
    doubtful = sum(looks[id(block)] in classes for block in texts)
    careful = sum(key in looks and looks[key] in classes for key in tagged) >= _CAREFUL * doubtful
    spared = {id(block) for block in texts if not careful or any(looks[id(block)].resembles(other) for other in named)}
    return {id(block) for block in plain} - spared
