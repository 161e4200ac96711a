"""Watermarks across the page, at a slant or level, which are furniture; slanted labels, which are text."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Block, Kind, Line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.ingest.readers.pdf.model import Page, Word

_LARGE = 1.8
"""Size of a watermark, by that of the type it lies over, at least: labels of columns and axes are as small as text."""
_HUGE = 3.0
"""Size of a watermark, by that of the words of its page, that lies over no words, as on a page that is half empty."""
_OVER = 3
"""Words that a watermark lies over, at least."""
_LEAST = 4
"""Letters of a slanted text that is furniture because it comes back: shorter ones are labels."""
_LARGER = 1.5
"""Size of a text that is furniture because it comes back, by that of the words of its page, if it lies over none."""
_STEPS = 50
"""Parts of the width and of the height of a page, by which a place is that on another page."""

_Place = tuple[str, int, int]
"""A slanted text, and in which part of the width and of the height of the page its middle stands."""


def take_slanted(pages: list[Page]) -> None:
    """Take watermarks out of the pages; other slanted text goes among the words.

    They are slanted, and lie over text, are huge or come back at their place; or they are huge and level, over text.

    Heads of columns come back too, over each part of a table, but are as small as its text and lie over none of it.

    Args:
        pages: with words and their sizes, before lines are made.
    """
    places: dict[_Place, set[int]] = defaultdict(set)
    for page in pages:
        for word in page.slanted:
            places[_place(word, page)].add(page.number)
    for page in pages:
        usual = _middle([word.size for word in page.words])
        level: list[Word] = []
        for word in page.slanted:
            under = [other.size for other in page.words if word.box.holds(other.box)]
            over = len(under) >= _OVER
            marks = len(word.text) >= _LEAST and (over or word.size > _LARGER * usual)
            large = len(word.text) >= _LEAST and word.size > _HUGE * usual
            if large or (over and word.size > _LARGE * _middle(under)) or (marks and _comes_back(word, page, places)):
                page.furniture.append(Block(page.number, [Line([word])], Kind.HEADER, group=Kind.HEADER.value))
            else:
                level.append(_level(word))
        huge = [word for word in page.words if word.size > _HUGE * usual and _lies_over(word, page)]
        for word in huge:
            page.furniture.append(Block(page.number, [Line([word])], Kind.HEADER, group=Kind.HEADER.value))
        marked = set(map(id, huge))
        page.words = [*(word for word in page.words if id(word) not in marked), *level]
        page.slanted = []


def _lies_over(word: Word, page: Page) -> bool:
    """Say whether a level word is printed over several others."""
    return sum(word.box.holds(other.box) for other in page.words if other is not word) >= _OVER


def _place(word: Word, page: Page) -> _Place:
    across = (word.left + word.right) / 2 / page.width
    down = (word.top + word.bottom) / 2 / page.height
    return word.text, round(_STEPS * across), round(_STEPS * down)


def _comes_back(word: Word, page: Page, places: Mapping[_Place, set[int]]) -> bool:
    """Say whether another page has the same text at the place, or in the parts around it."""
    text, across, down = _place(word, page)
    around = ((text, across + right, down + below) for right in (-1, 0, 1) for below in (-1, 0, 1))
    return any(places.get(place, set()) - {page.number} for place in around)


def _middle(sizes: Sequence[float]) -> float:
    return sorted(sizes)[len(sizes) // 2] if sizes else 0.0


def _level(word: Word) -> Word:
    """Return a word as high as its type, in the middle of its place: else it would stand beside many lines."""
    middle = (word.top + word.bottom) / 2
    word.top, word.bottom = middle - word.size / 2, middle + word.size / 2
    return word
