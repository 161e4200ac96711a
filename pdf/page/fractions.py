"""Fractions within a line of text: what is over and under their bar is read as one word, "2x/x"."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Word, line_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_THIN = 1.2
"""Points: height of a bar at most."""
_MOST = 600
"""Bars of a page at most; pages with more are drawings or forms."""
_LONGEST = 10.0
"""Length of a bar, of the size of the type of its line, at most."""
_LEVEL = 0.25
"""Distance of a bar from the middle of the words beside it, of their size, at most."""
_BESIDE = 0.8
"""Gap between a bar and the word beside it, of its size, at most; columns of a table are wider apart."""
_OVER, _UNDER = 0.3, 1.1
"""Distance of the middle of a word over or under a bar from it, of the size of the line, at least and at most: lines
above and below are further away, unless they are set solid."""
_WORDS = 3
"""Different words of three letters or more in a line of text with a fraction, at least."""
_SMALL = 0.8
"""Size of raised and lowered words, of the size of the others, at most."""
_EDGE = 1.5
"""Points that a word may reach beyond the bar."""
_COVERED = 0.6
"""Share of the bar that the wider one of both rows covers, at least."""
_SUM = re.compile(r"[-+\u2212\u00b1=\u00b7\u00d7\s]")


class _Bar(NamedTuple):
    left: float
    right: float
    y: float


def join_fractions(page: Page) -> None:
    """Replace the words over and under each bar that is level with the words beside it by one word between them.

    Args:
        page: with words and rules; its words change, and rules that are bars are no longer among them.
    """
    bars = _bars(page)
    if not bars or len(bars) > _MOST:
        return
    words = sorted(page.words, key=lambda word: word.middle_y)
    heights = [word.middle_y for word in words]
    reach = max((word.size for word in words), default=0.0) * _UNDER
    joined: dict[int, Word] = {}
    gone: set[int] = set()
    taken: list[_Bar] = []
    for bar in bars:
        near = words[bisect_left(heights, bar.y - reach) : bisect_left(heights, bar.y + reach)]
        near = [word for word in near if id(word) not in gone]
        beside = _beside(bar, near)
        if beside is None or not _is_text(beside, near) or any(_is_struck(word, bar, beside.size) for word in near):
            continue
        over, under, text = _parts(bar, near, beside.size)
        if not text:
            continue
        new = Word(bar.left, beside.top, bar.right, beside.bottom, text, (over or under)[0].font)
        new.size = beside.size
        joined[id((over or under)[0])] = new
        gone |= {id(word) for word in (*over, *under)}
        taken.append(bar)
    if taken:
        page.words = [joined.get(id(word), word) for word in page.words if id(word) in joined or id(word) not in gone]
        page.horizontals = [rule for rule in page.horizontals if not any(_is_same(rule, bar) for bar in taken)]


def _bars(page: Page) -> list[_Bar]:
    """Return the level rules and thin drawings of a page, top to bottom, each once."""
    found = [_Bar(*rule) for rule in page.horizontals]
    thin = [_Bar(box.left, box.right, box.middle_y) for box in page.drawings if box.height <= _THIN < box.width]
    found += [bar for bar in thin if not any(_is_same(rule, bar) for rule in page.horizontals)]
    return sorted(found, key=lambda bar: (bar.y, bar.left))


def _is_same(rule: tuple[float, float, float], bar: _Bar) -> bool:
    return abs(rule[0] - bar.left) < 1 and abs(rule[1] - bar.right) < 1 and abs(rule[2] - bar.y) < 1


def _beside(bar: _Bar, words: Sequence[Word]) -> Word | None:
    """Return the nearest word that a bar is level with, in front of it or behind it."""
    found = [
        (gap, word.left, word)
        for word in words
        if abs(word.middle_y - bar.y) < _LEVEL * word.size
        and -_EDGE < (gap := max(bar.left - word.right, word.left - bar.right)) < _BESIDE * word.size
        and bar.right - bar.left < _LONGEST * word.size
    ]
    return min(found, key=lambda one: one[:2])[2] if found else None


def _is_struck(word: Word, bar: _Bar, size: float) -> bool:
    """Return True if a bar goes through a word: it is struck out. Figures over each other are higher than a word."""
    through = abs(word.middle_y - bar.y) < _LEVEL * word.size and word.height <= (1 + 2 * _OVER) * size
    return through and min(word.right, bar.right) - max(word.left, bar.left) > _EDGE


def _is_text(word: Word, words: Sequence[Word]) -> bool:
    """Return True if the line of a word is text, by its words; a formula has few."""
    line = [other for other in words if abs(other.middle_y - word.middle_y) < _LEVEL * word.size]
    return len({other.text for other in line if other.text.isalpha() and len(other.text) > 2}) >= _WORDS


def _parts(bar: _Bar, words: Sequence[Word], size: float) -> tuple[list[Word], list[Word], str]:
    """Return the words over and under a bar, left to right, and both as text; empty text if it is no fraction."""
    level = [word for word in words if abs(word.middle_y - bar.y) < _UNDER * size and word.left >= bar.left - _EDGE]
    own = [word for word in level if word.right <= bar.right + _EDGE]
    over = _row([word for word in own if word.middle_y < bar.y - _OVER * size], bar.y)
    under = _row([word for word in own if word.middle_y > bar.y + _OVER * size], bar.y)
    widest = max((row[-1].right - row[0].left for row in (over, under) if row), default=0.0)
    if not over or not under or widest < _COVERED * (bar.right - bar.left):
        return [], [], ""
    return over, under, f"{_text(over)}/{_text(under)}"


def _row(words: Sequence[Word], y: float) -> list[Word]:
    """Return the words of the row that is nearest to a bar, raised and lowered ones included, left to right."""
    if not words:
        return []
    size = max(word.size for word in words)
    large = [word for word in words if word.size > _SMALL * size]
    nearest = min(large, key=lambda word: abs(word.middle_y - y))
    row = [word for word in large if abs(word.middle_y - nearest.middle_y) < _OVER * size]
    beside = [word for word in words if word.size <= _SMALL * size and any(_touch(word, other) for other in row)]
    return sorted([*row, *beside], key=lambda word: word.left)


def _touch(small: Word, word: Word) -> bool:
    """Return True if a small word is set right behind or in front of another one, raised or lowered."""
    gap = max(small.left - word.right, word.left - small.right)
    return abs(gap) < 0.2 * word.size and abs(small.middle_y - word.middle_y) < word.size


def _text(words: Sequence[Word]) -> str:
    """Return words as text, a sum in brackets."""
    text = line_text(words)
    return f"({text})" if _SUM.search(text) else text
