"""Titles in the type of their paragraph: a line that ends though the next word would have fitted on it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.headings.series import like_title
from ragraph.pdf.model import Kind
from ragraph.pdf.patterns import BULLET, NUMBERED, OPENS_SENTENCE, SENTENCE_END, SUBSECTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Line, Page

_LEAST = 2
"""Lines of the paragraph below the title at least."""
_FULL = 80
"""Characters of the paragraph below at least."""
_WIDE = 16.0
"""Width of the paragraph per point of size at least: in the cells of a table lines end anywhere."""
_ROOM = 1.0
"""Room that is left over behind the next word, per point of size: a paragraph does not fill every line to its edge."""
_SEVERAL = 2
"""Minimum number of paragraphs of a document with such titles, at which they are taken for titles."""


def forced_titles(pages: Sequence[Page]) -> dict[int, int]:
    """Return how many words of a paragraph are a title on a line of its own, by ``id``; none where they are no series.

    The title is set like its paragraph and has the words of one. The paragraph runs on: but for the last of its
    lines none ends before its time, as those of addresses and verses do.

    Args:
        pages: with blocks of known kinds.
    """
    found = {
        id(block): len(block.lines[0].words)
        for page in pages
        for block in page.blocks
        if block.kind is Kind.TEXT and block.region is None and _begins_with_title(block)
    }
    return found if len(found) >= _SEVERAL else {}


def is_forced_title(block: Block) -> bool:
    """Return True if a block was cut off a paragraph as such a title: it ends on a row above that of the rest."""
    rest = block.rest
    return rest is not None and len(block.lines) == 1 and rest.lines[0].top > block.top + 0.5 * block.lines[0].size


def _begins_with_title(block: Block) -> bool:
    if len(block.lines) < _LEAST + 1:
        return False
    title, rest = block.lines[0], block.lines[1:]
    if abs(title.left - rest[1].left) > title.size or sum(line.length for line in rest) < _FULL:
        return False
    if BULLET.match(title.text) or NUMBERED.match(title.text) or SENTENCE_END.search(title.text):
        return False
    if not like_title(SUBSECTION.sub("", title.text).split()) or not OPENS_SENTENCE.match(rest[0].text):
        return False
    edge = max(line.right for line in block.lines)
    if edge - block.left < _WIDE * title.size:
        return False
    return _is_forced(title, rest[0], edge) and not any(_is_forced(line, below, edge) for line, below in pairwise(rest))


def _is_forced(line: Line, below: Line, edge: float) -> bool:
    """Return True if the first word of the line below would have fitted behind a line, with room to spare."""
    word = below.words[0]
    return line.right + (word.right - word.left) + _ROOM * line.size < edge
