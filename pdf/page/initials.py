"""Drop caps: the first letter of a paragraph set as high as several of its lines, put back in front of its word."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import INITIAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragraph.pdf.model import Page, Word

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
_ALONE = {
    "en": "AI", "fr": "AÀÔY", "es": "AEOUY", "it": "AEÈIO", "pt": "AÀEÉO", "ca": "AIO", "ro": "AO", "pl": "AIOUWZ",
    "cs": "AIKOSUVZ", "sk": "AIKOSUVZ", "sl": "AHKOSVZ", "hr": "AIOSU", "ru": "АВИКОСУЯ", "uk": "АВЗІОУЯ", "hu": "AŐ",
    "sv": "IÅÖ", "da": "IÅ", "nb": "IÅ", "no": "IÅ", "el": "ΗΟ",
}  # fmt: skip
"""Letters that are words by themselves, by language; in those that are not here none is."""
_USUAL = "en"
"""Language of files that state none."""
_SPACE = 0.15
"""Sizes of the text by which its first line stands further off than the others, at least, behind a word."""


def join_initials(pages: Sequence[Page], language: str | None) -> None:
    """Join drop caps with the words that they begin; the lines beside them begin where the letter does.

    Args:
        pages: their words change.
        language: that the file states, if any: "en", "pt-BR".
    """
    alone = _ALONE.get((language or _USUAL).split("-")[0].lower(), "")
    known: Counter[str] = Counter()
    for page in pages:
        if page.directed or not page.words:
            continue
        least = _LARGER * median(word.size for word in page.words)
        beside = _Beside(page.words)
        for letter in [word for word in page.words if word.size >= least and _is_initial(word.text)]:
            rows = beside.rows(letter)
            if not rows:
                continue
            known = known or Counter(_bare(word.text) for one in pages for word in one.words)
            first = rows[0]
            space = first.left - min(row.left for row in rows[1:]) > _SPACE * first.size
            apart = letter.text[-1] in alone and _are_two(letter.text[-1], first.text, known, space)
            first.text = f"{letter.text} {first.text}" if apart else letter.text + first.text
            for row in rows:
                row.left = letter.left
            page.words = [word for word in page.words if word is not letter]
            beside = _Beside(page.words)


def _is_initial(text: str) -> bool:
    """Return True if a word is one letter, a capital or of a script that has none."""
    return bool(INITIAL.match(text)) and not text[-1].islower()


def _bare(text: str) -> str:
    return text.casefold().strip(".,;:!?")


def _are_two(letter: str, text: str, known: Mapping[str, int], space: bool) -> bool:
    """Return True if a letter that may be a word is one: the gap says so, or the other is known as a word, not both."""
    word = _bare(text)
    if not text[:1].isalpha() or (letter + word).casefold() in known:
        return False
    return space or (len(word) > 1 and known.get(word, 0) > 1)  # it is there itself


class _Beside:
    """The words of a page from left to right, so that a letter is looked at with those right behind it alone."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = sorted(words, key=lambda word: word.left)
        self._lefts = [word.left for word in self._words]

    def rows(self, letter: Word) -> Sequence[Word]:
        """Return the first words of the lines that a drop cap stands in front of; none if it is no such."""
        size = letter.size / _LARGER
        start = bisect_left(self._lefts, letter.right - 0.5 * size)
        end = bisect_right(self._lefts, letter.right + _GAP * size)
        return _rows(letter, self._words[start:end], self._words[: bisect_left(self._lefts, letter.left)])


def _rows(letter: Word, words: Sequence[Word], before: Sequence[Word]) -> Sequence[Word]:
    """Return the first words of the lines that a drop cap stands in front of, from the top; none if it is no such.

    Args:
        letter: the drop cap.
        words: of the page, at least all that stand right behind it.
        before: words that begin left of it.
    """
    foot = letter.bottom - _FEET * letter.size
    head = foot - _CAPITAL * letter.size
    near = [
        word
        for word in words
        if word is not letter
        and word.size * _LARGER <= letter.size
        and letter.right - 0.5 * word.size <= word.left <= letter.right + _GAP * word.size
        and head - _LEVEL * word.size < word.middle_y < foot + _LEVEL * word.size
    ]
    rows = _first_words(near)
    if not _LINES[0] <= len(rows) <= _LINES[1]:
        return []
    first = rows[0]
    pitch = (rows[-1].bottom - first.bottom) / (len(rows) - 1)
    size = median(row.size for row in rows)
    high = (len(rows) - 1) * pitch + _CAPITAL * size
    led = any(word.right > letter.left - size and abs(word.bottom - first.bottom) < size for word in before)
    goes_on = first.text[:1].islower() or first.text.isupper() or not first.text[:1].isalpha()
    alike = all(abs(row.size - size) < 0.2 * size for row in rows)
    return rows if alike and goes_on and not led and abs(_CAPITAL * letter.size - high) < _OFF * pitch else []


def _first_words(words: Iterable[Word]) -> list[Word]:
    """Return the word furthest to the left of each line, from the top."""
    rows: list[Word] = []
    for word in sorted(words, key=lambda word: (round(word.bottom), word.left)):
        if not rows or word.bottom - rows[-1].bottom > _LEVEL * word.size:
            rows.append(word)
        elif word.left < rows[-1].left:
            rows[-1] = word
    return rows
