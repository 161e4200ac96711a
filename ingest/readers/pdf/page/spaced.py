"""Words that are set letter by letter, "C O N T E N T S", put together."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.model import Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.ingest.readers.pdf.model import Page

_LETTERS, _DIFFERENT = 5, 4
"""Letters of such a run at least, and different ones among them: columns of "Y" and "N" have two."""
_GAP = 0.6
"""Gap between letters at most, per point of size: two blanks are less, columns stand further apart."""
_EVEN, _APART = 0.12, 1.4
"""By how much, per point of size, gaps within a word differ at most; and how much wider those between words are."""
_FOOT = 0.1
"""Feet of letters on one line differ by so much at most, per point of size."""
_ROWS, _BELOW, _SHORT = 6, 0.12, 3
"""Rows of a grid, such as a calendar or the answers of a test: so far above or below, per point of size, stand short
words that are of so many letters at most, their edges or middles apart by so much at most, per point of size."""
_ALIGNED = 0.8
"""Share of the letters of a run that have such words above or below them, from which on they are cells of a grid."""


def join_spaced(page: Page) -> None:
    """Join capitals and figures that follow each other in the file by the same gap; wider gaps part words.

    Figures alone stay as they are: they may be cells of a table. So do letters that stand above or below others.

    Args:
        page: with words that have their sizes; the words change.
    """
    words: list[Word] = []
    for run in _runs(page.words):
        words += _joined(run) if _is_spaced(run) and not _in_grid(run, page.words) else run
    page.words = words


def _runs(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield words in groups of single letters that stand on one line; any other word is alone."""
    run: list[Word] = []
    for word in words:
        if run and not _follows(run[-1], word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _follows(last: Word, word: Word) -> bool:
    single = all(len(one.text) == 1 and (one.text.isupper() or one.text.isdigit()) for one in (last, word))
    level = single and last.font is word.font and abs(last.size - word.size) < 0.1
    return level and abs(last.bottom - word.bottom) < _FOOT * word.size and 0 < word.left - last.right < 3 * word.size


def _is_spaced(run: Sequence[Word]) -> bool:
    """Say whether a run is words set wide: letters enough, not counting up as in a list, at even gaps."""
    letters = [word.text for word in run if word.text.isupper()]
    if len(letters) < _LETTERS or len(set(letters)) < _DIFFERENT or letters == sorted(letters):
        return False
    least = _least(run)
    size = run[0].size
    within = [one for one in _gaps(run) if one < _APART * least or one < least + _EVEN * size]
    even = all(one < least + _EVEN * size for one in within)
    return least < _GAP * size and even and 2 * len(within) > len(run)


def _in_grid(run: Sequence[Word], words: Sequence[Word]) -> bool:
    """Say whether most letters of a run have short words above or below them, all by the same edge or the middle."""
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
    return word.left + share * (word.right - word.left)


def _gaps(run: Sequence[Word]) -> list[float]:
    return [word.left - last.right for last, word in pairwise(run)]


def _least(run: Sequence[Word]) -> float:
    return min(_gaps(run))


def _joined(run: Sequence[Word]) -> Iterator[Word]:
    least, size = _least(run), run[0].size
    group = [run[0]]
    for word in run[1:]:
        if word.left - group[-1].right >= max(_APART * least, least + _EVEN * size):
            yield _one(group)
            group = []
        group.append(word)
    yield _one(group)


def _one(group: Sequence[Word]) -> Word:
    first = group[0]
    top, bottom = min(word.top for word in group), max(word.bottom for word in group)
    one = Word(first.left, top, group[-1].right, bottom, "".join(word.text for word in group), first.font)
    one.size, one.unpainted = first.size, first.unpainted
    return one
