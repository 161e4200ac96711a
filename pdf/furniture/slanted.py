"""Watermarks across the page, at a slant or level, which are furniture; slanted labels, which are text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Block, Kind, Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page, Word

_LARGE = 1.8
"""Size of a watermark, by that of the type it lies over, at least: labels of columns and axes are as small as text."""
_HUGE = 3.0
"""Size of a watermark, by that of the words of its page, that lies over no words, as on a page that is half empty."""
_LIGHT = 128
"""Difference between the lightest and the darkest shade, of 255, under which such a watermark is light: titles of
flyers, which run at a slant as well, are set to be seen."""
_MOST_PIXELS = 16_000_000
"""Of a drawing: a sheet of the size of a wall would take gigabytes."""
_OVER = 3
"""Words that a watermark lies over, at least."""
_LEAST = 4
"""Letters of a slanted text that is furniture at least, if it lies over none: shorter ones are labels."""


def take_slanted(pages: list[Page], document: Any) -> None:
    """Take watermarks out of the pages; other slanted text goes among the words.

    They are slanted, and lie over text or are huge and light; or they are huge and level, over text.

    Args:
        pages: with words and their sizes, before lines are made.
        document: the file, opened by ``facts.open_pdf``.
    """
    every = _middle([word.size for page in pages for word in page.words])
    for page in pages:
        # of a page without level words, that of the others; where all is slanted no size tells
        usual = _middle([word.size for word in page.words]) or every
        level: list[Word] = []
        for word in page.slanted:
            if _is_watermark(word, page, usual, document):
                page.furniture.append(Block(page.number, [Line([word])], Kind.HEADER, group=Kind.HEADER.value))
            else:
                level.append(_level(word))
        huge = [word for word in page.words if word.size > _HUGE * usual and _lies_over(word, page)]
        for word in huge:
            page.furniture.append(Block(page.number, [Line([word])], Kind.HEADER, group=Kind.HEADER.value))
        marked = set(map(id, huge))
        page.words = [*(word for word in page.words if id(word) not in marked), *level]
        page.slanted = []


def _is_watermark(word: Word, page: Page, usual: float, document: Any) -> bool:
    """Return True if a slanted word is larger than the text under it, huge and light, or huge on a scan."""
    under = _under(word, page)
    if len(under) >= _OVER and word.size > _LARGE * _middle(under):
        return True
    if not usual or len(word.text) < _LEAST or word.size <= _HUGE * usual:
        return False
    on_scan = not page.words and any(image.holds(word.box) for image in page.images)
    return len(under) >= _OVER or on_scan or _is_light(word, page, document)


def _under(word: Word, page: Page) -> list[float]:
    """Return the sizes of the level words that a slanted one lies over."""
    return [other.size for other in page.words if word.box.holds(other.box)]


def _is_light(word: Word, page: Page, document: Any) -> bool:
    """Return True if all that the page shows at the place of a word is near in shade, as type behind text is."""
    sheet = document[page.number - 1]
    try:
        wide, high = sheet.get_size()
        width, height = (page.turn.width, page.turn.height) if page.turn else (page.width, page.height)
        if abs(wide - width) > 1 or abs(high - height) > 1 or wide * high > _MOST_PIXELS:
            return False  # places of words are not those of the drawing, or it is a wall
        left, top, right, bottom = page.turn.box(word.box) if page.turn else word.box
        bitmap = sheet.render(scale=1, grayscale=True)
        part = bitmap.to_numpy()[max(int(top), 0) : int(bottom) + 1, max(int(left), 0) : int(right) + 1]
        light = bool(part.size) and int(part.max()) - int(part.min()) < _LIGHT
        bitmap.close()
    finally:
        sheet.close()
    return light


def _lies_over(word: Word, page: Page) -> bool:
    """Return True if a level word is printed over several others."""
    return sum(word.box.holds(other.box) for other in page.words if other is not word) >= _OVER


def _middle(sizes: Sequence[float]) -> float:
    return sorted(sizes)[len(sizes) // 2] if sizes else 0.0


def _level(word: Word) -> Word:
    """Return a word as high as its type, in the middle of its place: else it would stand beside many lines."""
    middle = word.middle_y
    word.top, word.bottom = middle - word.size / 2, middle + word.size / 2
    return word
