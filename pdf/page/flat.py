"""Words in fonts that misstate their height: nothing, or far less than letters take; they are given that of type.

docling-parse hands out boxes as high as the font says. Where that is nothing, it takes each letter for a word, for
letters without a height are not beside each other.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Font, Page, Word

_FLAT = 0.8
"""Height of a word to the mean width of its letters, below which the height is not believed; type has 1 to 3."""
_WIDTH = 0.5
"""Mean width of letters per point of size, of most fonts: for those whose size is not known."""
_ASCENT, _DESCENT = 0.75, 0.22
"""What letters take above and below the baseline, per point of size."""
_BLANK = 0.15
"""Gap between words per point of size at least: letters of a word stand closer."""
_SHORT = 3
"""Letters of a word at least whose shape is looked at: a dash is wide by itself."""


def flat_fonts(pages: Sequence[Page]) -> set[Font]:
    """Return the fonts most of whose words are lower than their letters are wide."""
    shapes: dict[Font, list[float]] = defaultdict(list)
    for page in pages:
        for words, high in ((page.words, True), (page.sideways, False)):
            for word in words:
                wide, tall = word.width, word.height
                along, across = (wide, tall) if high else (tall, wide)
                if len(word.text) >= _SHORT or across < _WIDTH:
                    shapes[word.font].append(across * len(word.text) / max(along, 1e-3))
    return {font for font, found in shapes.items() if median(found) < _FLAT}


def size_of(word: Word, known: Counter[float] | None, exact: float | None) -> float:
    """Return the size of a word of such a font in points: as PDFium knows it, else told by the width of its letters."""
    if exact:
        return exact
    size = max(word.width, word.height) / len(word.text) / _WIDTH
    return min(known, key=lambda other: abs(other - size)) if known else round(size, 1)


def set_height(word: Word, size: float, page: Page) -> None:
    """Give a level word the box of its type; the box that it has stands on the baseline, or about it."""
    baseline = word.bottom
    word.size = size
    word.top, word.bottom = max(baseline - _ASCENT * size, 0.0), min(baseline + _DESCENT * size, page.height)


def join_letters(words: Iterable[Word], fonts: set[Font]) -> list[Word]:
    """Return words with those of some fonts joined that follow each other without a blank."""
    joined: list[Word] = []
    for word in words:
        last = joined[-1] if joined else None
        if (
            last is not None
            and word.font in fonts
            and last.font is word.font
            and abs(last.bottom - word.bottom) < _BLANK * word.size
            and abs(word.left - last.right) < _BLANK * word.size
        ):
            last.right, last.text = word.right, last.text + word.text
        else:
            joined.append(word)
    return joined
