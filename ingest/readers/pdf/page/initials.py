"""Drop caps: the first letter of a paragraph set as high as several of its lines, put back in front of its word."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.patterns import INITIAL

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from ragraph.ingest.readers.pdf.model import Page, Word

_LARGER = 1.7
"""Size of such a letter in that of its text at least."""
_LINES = (2, 6)
"""Lines beside such a letter."""
_CAPITAL = 0.7
"""Height of capitals per point of size."""
_FEET = 0.22
"""What boxes of words reach below the baseline, per point of size."""
_GAP = 1.5
"""Distance from the letter to its text, in sizes of the text, at most."""
_OFF = 0.7
"""Distances of lines by which the letter is higher or lower than the lines beside it at most."""
_LEVEL = 0.4
"""Baselines that differ by less than this share of the size of type are one."""
_ALONE = frozenset("AIOUYEÀÉÓÚÈÖ")
"""Letters that are words by themselves in some language."""


def join_initials(pages: Sequence[Page]) -> None:
    """Join drop caps with the words that they begin; the lines beside them begin where the letter does.

    Args:
        pages: their words change.
    """
    known: set[str] = set()
    for page in pages:
        found = [word for word in page.words if INITIAL.match(word.text)] if not page.directed else []
        for letter in found:
            rows = _beside(letter, page.words)
            if not rows:
                continue
            known = known or {word.text.casefold().strip(".,;:!?") for one in pages for word in one.words}
            first = rows[0]
            first.text = _joined(letter.text, first.text, known)
            for row in rows:
                row.left = letter.left
            page.words = [word for word in page.words if word is not letter]


def _beside(letter: Word, words: Sequence[Word]) -> list[Word]:
    """Return the first words of the lines that a drop cap stands in front of, from the top; none if it is no such."""
    foot = letter.bottom - _FEET * letter.size
    head = foot - _CAPITAL * letter.size
    near = [
        word
        for word in words
        if word is not letter
        and word.size * _LARGER <= letter.size
        and letter.right - 0.5 * word.size <= word.left <= letter.right + _GAP * word.size
        and head - _LEVEL * word.size < (word.top + word.bottom) / 2 < foot + _LEVEL * word.size
    ]
    rows: list[Word] = []
    for word in sorted(near, key=lambda word: (round(word.bottom), word.left)):
        if not rows or word.bottom - rows[-1].bottom > _LEVEL * word.size:
            rows.append(word)
        elif word.left < rows[-1].left:
            rows[-1] = word
    if not _LINES[0] <= len(rows) <= _LINES[1]:
        return []
    first = rows[0]
    pitch = (rows[-1].bottom - first.bottom) / (len(rows) - 1)
    size = median(row.size for row in rows)
    high = (len(rows) - 1) * pitch + _CAPITAL * size
    before = any(
        word.right > letter.left - size and word.left < letter.left and abs(word.bottom - first.bottom) < size
        for word in words
        if word is not letter
    )
    goes_on = first.text[:1].islower() or first.text.isupper() or not first.text[:1].isalpha()
    alike = all(abs(row.size - size) < 0.2 * size for row in rows)
    return rows if alike and goes_on and not before and abs(_CAPITAL * letter.size - high) < _OFF * pitch else []


def _joined(letter: str, text: str, known: Set[str]) -> str:
    """Return a letter with the word beside it: one word, or two where the letter may be one."""
    whole = letter + text
    word = text.casefold().strip(".,;:!?")
    if letter[-1] not in _ALONE or (letter[-1] + word).casefold() in known or not text[:1].isalpha():
        return whole
    return f"{letter} {text}"
