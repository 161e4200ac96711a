"""Text that runs at a slant: watermarks across the page, which are furniture, and labels, which are text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Block, Kind, Line

if TYPE_CHECKING:
    from ragraph.ingest.readers.pdf.model import Page, Word

_LARGE = 1.8
"""Size of a watermark, by that of the type it lies over, at least: labels of columns and axes are as small as text."""
_OVER = 3
"""Words that a watermark lies over, at least."""
_LEAST = 4
"""Letters of a slanted text that is furniture because it comes back: shorter ones are labels."""


def take_slanted(pages: list[Page]) -> None:
    """Take slanted text that lies over text or comes back out of the pages; the rest goes among their words.

    Args:
        pages: with words and their sizes, before lines are made.
    """
    counts = Counter(text for page in pages for text in {word.text for word in page.slanted})
    for page in pages:
        for word in page.slanted:
            again = counts[word.text] > 1 and len(word.text) >= _LEAST
            if again or _lies_over(word, page):
                page.furniture.append(Block(page.number, [Line([word])], Kind.HEADER, group=Kind.HEADER.value))
            else:
                page.words.append(_level(word))
        page.slanted = []


def _lies_over(word: Word, page: Page) -> bool:
    under = [other.size for other in page.words if word.box.holds(other.box)]
    return len(under) >= _OVER and word.size > _LARGE * sorted(under)[len(under) // 2]


def _level(word: Word) -> Word:
    """Return a word as high as its type, in the middle of its place: else it would stand beside many lines."""
    middle = (word.top + word.bottom) / 2
    word.top, word.bottom = middle - word.size / 2, middle + word.size / 2
    return word
