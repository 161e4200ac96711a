"""Words that are set letter by letter, "C O N T E N T S", put together."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Word, gaps_in, in_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Page

_SPLIT, _LESS, _USUAL = 0.1, 0.35, 5
"""Gap within a word that the parser took for a blank, at most: per point of size, and by the usual blank of the line,
which is known from so many gaps on."""
_LETTERS, _DIFFERENT = 5, 4
"""Letters of such a run at least, and different ones among them: columns of "Y" and "N" have two."""
_GAP = 0.6
"""Gap between letters at most, per point of size: two blanks are less, columns stand further apart."""
_EVEN, _APART = 0.12, 1.4
"""By how much, per point of size, gaps within a word differ at most; and how much wider those between words are."""
_FOOT, _LEGS = 0.1, 0.35
"""Feet of letters on one line differ by so much at most, per point of size: of capitals, and of small letters."""
_ROWS, _BELOW, _SHORT = 6, 0.12, 3
"""Rows of a grid, such as a calendar or the answers of a test: so far above or below, per point of size, stand short
words that are of so many letters at most, their edges or middles apart by so much at most, per point of size."""
_ALIGNED = 0.8
"""Minimum share of the letters of a run that have such words above or below them, at which they are cells of a grid."""
_BLANK = 0.3
"""Width of a blank between words set wide, per point of size."""
_PIECE, _PIECES = 6, 4
"""Letters of a piece of a word set wide at most, since narrow ones are read as one, and pieces of a run at least."""
_SINGLE, _MUTE = 0.6, 0.3
"""Minimum share of the pieces that are single letters, or that have no vowel, at which they are no words."""
_NARROW = 0.24
"""Minimum gap, per point of size, at which blanks of usual fonts may be what parts the pieces: of letters set that wide
each is read alone."""
_CLEAR = 0.4
"""Minimum gap, likewise, at which it is clearly unlike a blank, so that a word set wide may stand without another."""
_WORD, _SOUNDING = 7, 0.3
"""Letters of a word that stands without another and is set no wider than blanks are, at least, and its vowels among
them: names of points and sides have fewer."""
_LATIN = re.compile("[a-zà-öø-ÿœ]+", re.I)
_VOWEL = re.compile("[aeiouyäöüàáâãåæèéêëìíîïòóôõøùúûýœ]", re.I)


def join_spaced(page: Page) -> None:
    """Join letters and figures that follow each other in the file by the same gap; wider gaps part words.

    Figures alone stay as they are: they may be cells of a table. So do letters that stand above or below others, and
    small letters that make no words with a capital in front.

    Args:
        page: with words that have their sizes; the words change.
    """
    page.words = _without_splits(page.words)
    words: list[Word] = []
    for run in in_runs(page.words, lambda run, word: _follows(run[-1], word)):
        words += _joined(run) if _is_spaced(run) and not _in_grid(run, page.words) else run
    page.words = []
    for run in in_runs(words, lambda run, word: _is_next_piece(run[-1], word)):
        page.words += _joined(run) if _is_set_wide(run) and not _in_grid(run, words) else run


def _without_splits(words: Sequence[Word]) -> list[Word]:
    """Return words, those joined that the parser parts by much less than a blank: letters that are placed singly."""
    gaps: dict[int, list[float]] = defaultdict(list)
    for last, word in pairwise(words):
        if _is_level(last, word, _FOOT):
            gaps[round(word.bottom)].append(word.left - last.right)
    usual = {line: sorted(found)[len(found) // 2] for line, found in gaps.items() if len(found) >= _USUAL}

    def split(run: Sequence[Word], word: Word) -> bool:
        last = run[-1]
        text = last.text[-1:].isalpha() and word.text[:1].islower()
        near = text and last.font is word.font and not word.led and _is_level(last, word, _FOOT)
        gap = word.left - last.right
        return near and gap < _SPLIT * word.size and gap < _LESS * usual.get(round(word.bottom), 0.0)

    return [new for run in in_runs(words, split) for new in (run if len(run) == 1 else [_one(run)])]


def _one(run: Sequence[Word]) -> Word:
    """Return a run of words as one without blanks."""
    first = run[0]
    word = Word(*first.box.union(*(other.box for other in run[1:])), "".join(other.text for other in run), first.font)
    word.size, word.unpainted, word.led = first.size, first.unpainted, first.led
    return word


def _follows(last: Word, word: Word) -> bool:
    if len(word.text) != 1 or len(last.text) != 1 or last.font is not word.font:
        return False
    single = all(one.text.isupper() or one.text.isdigit() for one in (last, word))
    return single and _is_level(last, word, _FOOT)


def _is_level(last: Word, word: Word, foot: float) -> bool:
    level = abs(last.size - word.size) < 0.1 and abs(last.bottom - word.bottom) < foot * word.size
    return level and 0 < word.left - last.right < 3 * word.size


def _is_next_piece(last: Word, word: Word) -> bool:
    if len(word.text) > _PIECE or len(last.text) > _PIECE or last.font is not word.font:
        return False
    return last.text.isalpha() and word.text.isalpha() and not word.font.math and _is_level(last, word, _LEGS)


def _is_set_wide(run: Sequence[Word]) -> bool:
    """Return True if pieces of words in mixed letters are words set wide: at even gaps, which wider ones part."""
    capitals = all(len(word.text) == 1 and word.text.isupper() for word in run)
    if capitals or len(run) < _PIECES or _least(run) >= _GAP * run[0].size:
        return False
    least, size = _least(run), run[0].size
    wide = [gap for gap in gaps_in(run) if gap >= max(_APART * least, least + _EVEN * size)]
    alone = sum(len(word.text) == 1 for word in run)
    if (least >= _NARROW * size and alone < len(run)) or not (wide or least >= _CLEAR * size or _is_word(run)):
        return False  # blanks as they are between words: "Vowels a e i o u"
    single = alone >= _SINGLE * len(run)
    mute = sum(_is_mute(word.text) for word in run) >= _MUTE * len(run)
    texts = [word.text for word in _joined(run)]
    worded = all(text.islower() or text.isupper() or text.istitle() for text in texts) and texts[0][:1].isupper()
    letters = max(map(len, texts))
    return worded and letters >= _LETTERS and (single or mute) and 2 * len(wide) < len(run)


def _is_word(run: Sequence[Word]) -> bool:
    """Return True if single letters that are alike far apart read as a word, and are no list of letters."""
    letters = [word.text.lower() for word in run]
    vowels = sum(bool(_VOWEL.search(letter)) for letter in letters)
    single = all(len(letter) == 1 for letter in letters)
    return single and len(run) >= _WORD and letters != sorted(letters) and vowels >= _SOUNDING * len(run)


def _is_mute(text: str) -> bool:
    """Return True if a piece in Latin letters has no vowel; of other letters this is not known."""
    return bool(_LATIN.fullmatch(text)) and not _VOWEL.search(text)


def _is_spaced(run: Sequence[Word]) -> bool:
    """Return True if a run is words set wide: letters enough, not counting up as in a list, at even gaps."""
    letters = [word.text for word in run if word.text.isupper()]
    if len(letters) < _LETTERS or len(set(letters)) < _DIFFERENT or letters == sorted(letters):
        return False
    least = _least(run)
    size = run[0].size
    within = [one for one in gaps_in(run) if one < _APART * least or one < least + _EVEN * size]
    even = all(one < least + _EVEN * size for one in within)
    return least < _GAP * size and even and 2 * len(within) > len(run)


def _in_grid(run: Sequence[Word], words: Sequence[Word]) -> bool:
    """Return True if most letters of a run have short words above or below them, all by the same edge or the middle."""
    size, foot = run[0].size, run[0].bottom
    short = [word for word in words if len(word.text) <= _SHORT and word.text.isalnum()]
    near = [word for word in short if 0.5 * size < abs(word.bottom - foot) < _ROWS * size]
    for share in (0.0, 0.5, 1.0):
        others = [_at(word, share) for word in near]
        aligned = sum(any(abs(_at(word, share) - other) < _BELOW * size for other in others) for word in run)
        if aligned >= _ALIGNED * len(run):
            return True
    return False


def _at(word: Word, share: float) -> float:
    return word.left + share * word.width


def _least(run: Sequence[Word]) -> float:
    return min(gaps_in(run))


def _joined(run: Sequence[Word]) -> Iterator[Word]:
    least, size = _least(run), run[0].size
    group = [run[0]]
    for word in run[1:]:
        if word.left - group[-1].right >= max(_APART * least, least + _EVEN * size):
            yield _letters_as_one(group, word.left - _BLANK * size)
            group = []
        group.append(word)
    yield _letters_as_one(group)


def _letters_as_one(group: Sequence[Word], until: float = 0.0) -> Word:
    """Return a word of letters; the room behind each belongs to it, so that it ends before the next word."""
    first = group[0]
    top, bottom = min(word.top for word in group), max(word.bottom for word in group)
    one = Word(first.left, top, max(group[-1].right, until), bottom, "".join(word.text for word in group), first.font)
    one.size, one.unpainted = first.size, first.unpainted
    return one
