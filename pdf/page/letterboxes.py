"""Words whose boxes are drawn around the ink of their letters, given the height that their type has.

For some fonts docling-parse knows no ascent and descent and hands out the box of the ink: "an" is half as high as
"dog" then, and everything that goes by size or baseline breaks. Which letters a word has tells how much of the
height of the type its ink takes.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import FALLING, HIGH_LETTERS, LETTER_OR_DIGIT, LOW_LETTERS, RISING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable

    from ragraph.pdf.model import Font, Word

_MIDDLE, _ASCENT, _DESCENT = 0.45, 0.70, 0.22
"""Height of an x, reach of a b above and of a p below the baseline, per point of size: those of most text faces."""
_EXAMPLES = 8
"""Words of either kind from which a font is judged."""


def ink_fonts(words: Iterable[Word]) -> set[Font]:
    """Return the fonts of the words whose boxes follow the ink: low letters are much lower than high ones."""
    low: dict[Font, list[float]] = defaultdict(list)
    high: dict[Font, list[float]] = defaultdict(list)
    for word in words:
        if LOW_LETTERS.match(word.text):
            low[word.font].append(word.height)
        elif HIGH_LETTERS.match(word.text):
            high[word.font].append(word.height)
    return {
        font
        for font in low.keys() & high.keys()
        if len(low[font]) >= _EXAMPLES and len(high[font]) >= _EXAMPLES and median(low[font]) < 0.8 * median(high[font])
    }


def set_type_box(word: Word, known: Counter[float] | None, exact: float | None = None) -> None:
    """Set size and box of a word of such a font as its type has them; punctuation alone takes the commonest size.

    Args:
        word: its box is that of the ink.
        exact: size of its type, if that is known; else it is told by the height of the ink.
        known: the sizes in which the file uses the font, with their counts; None if they are not known.
    """
    text = word.text
    rises, falls = bool(RISING.search(text)), bool(FALLING.search(text))
    ink = (_ASCENT if rises else _MIDDLE) + (_DESCENT if falls else 0.0)
    size = word.height / ink
    if exact and 0.5 * size < exact < 2 * size:
        size = exact
    elif known:
        usual = max(known.items(), key=lambda item: (item[1], item[0]))[0]
        size = min(known, key=lambda other: abs(other - size)) if LETTER_OR_DIGIT.search(text) else usual
    baseline = word.bottom - (_DESCENT * size if falls else 0.0)
    word.size = round(size, 1)
    if LETTER_OR_DIGIT.search(text):
        word.top, word.bottom = max(0.0, baseline - _ASCENT * size), baseline + _DESCENT * size
