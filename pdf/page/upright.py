"""Pages that lie on their side or stand on their head, set upright: folded leaflets, tables laid on their side."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.model import Turn, shared_width
from ragraph.pdf.page.turning import turn_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page, Word

_SIDEWAYS = 0.9
"""Minimum share of the letters of a page that run up or down, at which it is read from its side."""
_LEAST = 150
"""Letters of such a page at least: pictures and stamps have fewer."""
_FITS = 0.95
"""Height of a line of words, per point of the size of type: the boxes of some fonts are higher."""


def set_upright(page: Page) -> None:
    """Turn a page whose text runs up or down, or stands on its head, so that it is read like any other.

    ``turn`` is the way back.

    Args:
        page: with words, their sizes and all that is drawn; what stands on it changes its place.
    """
    if page.upside_down and page.turn is None and not page.letters:
        turn = Turn(page.width, page.height, (-1.0, 0.0, page.width, 0.0, -1.0, page.height))
        for word in page.words:
            word.left, word.top, word.right, word.bottom = turn.placed(word.box)
        turn_page(page, turn)
        return
    aside = sum(len(word.text) for word in page.sideways)
    if page.turn is not None or page.letters or aside < _LEAST:
        return  # letters are kept of pages that are read from the right
    if aside < _SIDEWAYS * (aside + sum(len(word.text) for word in page.words)):
        return
    rises = _rises(page.sideways)
    width, height = page.width, page.height
    back = (0.0, 1.0, 0.0, -1.0, 0.0, height) if rises else (0.0, -1.0, width, 1.0, 0.0, 0.0)

    turn = Turn(width, height, back)
    for word in (*page.words, *page.sideways):
        word.left, word.top, word.right, word.bottom = turn.placed(word.box)
    for word in page.sideways:
        _trim(word)
    page.words, page.sideways = page.sideways, page.words
    turn_page(page, turn)


def _rises(words: Sequence[Word]) -> bool:
    """Return True if words that follow each other in the file do so up the page, rather than down."""
    up = 0
    for one, other in pairwise(words):
        if shared_width(one, other) > 0.5 * one.width:
            up += 1 if other.bottom <= one.top + 1 else -1 if other.top >= one.bottom - 1 else 0
    return up >= 0


def _trim(word: Word) -> None:
    slack = (word.height - _FITS * word.size) / 2
    if slack > 0:
        word.top, word.bottom = word.top + slack, word.bottom - slack
