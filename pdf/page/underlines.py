"""Words that are underlined: the rule under them begins and ends where they do, but for signs around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page, Word

_NEAR = 0.35
"""Distance of the rule from the foot of the letters at most, by the size of the type."""
_EDGE = 2.5
"""Points by which the rule may be longer than the words; those of tables are longer."""
_SIGN = 0.5
"""Width of the signs before or behind underlined words, by the size of the type: the rule often leaves them out."""
_COVERED = 0.8
"""Share of the rule that has words over it."""
_MOST = 600
"""Rules of a page at most; pages with more are drawings or forms."""


def set_underlines(page: Page) -> None:
    """Set which words of a page are underlined."""
    if len(page.horizontals) > _MOST:
        return
    for start, end, height in page.horizontals:
        over = [word for word in page.words if _is_over(word, start, end, height)]
        if over and sum(word.right - word.left for word in over) > _COVERED * (end - start) - _blanks(over):
            for word in over:
                word.underlined = True


def _is_over(word: Word, start: float, end: float, height: float) -> bool:
    if abs(height - word.bottom) >= _NEAR * word.size:
        return False
    before, behind = (_SIGN * word.size * (not sign.isalnum()) for sign in (word.text[:1], word.text[-1:]))
    return word.left > start - _EDGE - before and word.right < end + _EDGE + behind


def _blanks(words: Sequence[Word]) -> float:
    """Return the width of the blanks between words, each of half the size of the type at most."""
    return sum(0.5 * word.size for word in words[1:])
