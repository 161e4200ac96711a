"""Numbers that the parser hands out in pieces, their points and commas as words of their own, put together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.pdf.model import Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.model import Page

_TOUCH = 0.06
"""Pieces of a number are at most so much apart, in sizes of type: less than any blank."""
_LEVEL = 0.3
"""Feet of figures and of commas differ at most by so much, in sizes of type; marks stand higher."""
_END = re.compile(r"\d[.,]?$")
_START = re.compile(r"^[.,]?\d|^[.,]$")


def join_numbers(pages: Iterable[Page]) -> None:
    """Join the pieces of each number of a page: "1" "," "250" is one word.

    Args:
        pages: with words that have their sizes; the words change.
    """
    for page in pages:
        if any(word.text[0] in ".," or word.text[-1] in ".," for word in page.words):
            page.words = _joined(page.words)


def _joined(words: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    for word in words:
        if found and _is_one(found[-1], word):
            last = found[-1]
            level = word if last.text in ".," else last
            one = Word(
                last.left,
                min(last.top, word.top) if word.text not in ".," else last.top,
                max(last.right, word.right),
                level.bottom,
                last.text + word.text,
                last.font,
            )
            one.size = last.size
            found[-1] = one
        else:
            found.append(word)
    return found


def _is_one(one: Word, other: Word) -> bool:
    """Return True if two words are parts of a number, with a point or comma between them."""
    if not (_END.search(one.text) and _START.match(other.text)):
        return False
    if one.text[-1] not in ".," and other.text[0] not in ".,":
        return False
    size = max(one.size, other.size)
    near = -0.3 * size < other.left - one.right < _TOUCH * size and other.left > one.left
    return near and one.font is other.font and abs(one.bottom - other.bottom) < _LEVEL * size
