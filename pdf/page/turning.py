"""Pages turned for reading: words, drawings and what is stated, moved to where they are then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box, Word

if TYPE_CHECKING:
    from ragraph.pdf.model import Page, Turn


def moved_word(word: Word, box: Box) -> Word:
    """Return a word at another place."""
    moved = Word(*box, word.text, word.font)
    moved.size, moved.raised, moved.underlined = word.size, word.raised, word.underlined
    return moved


def turn_page(page: Page, turn: Turn) -> None:
    """Move what is drawn and stated on a page to where it is when the page is turned; its words are there already.

    Args:
        page: changed in place; it gets the size that it has then, and ``turn``.
        turn: the way back.
    """
    moved = turn.placed
    level = [moved(Box(left, y, right, y)) for left, right, y in page.horizontals]
    upright = [moved(Box(x, top, x, bottom)) for top, bottom, x in page.verticals]
    level, upright = (upright, level) if turn.lies else (level, upright)
    page.horizontals = sorted((box.left, box.right, box.top) for box in level)
    page.verticals = sorted((box.top, box.bottom, box.left) for box in upright)
    page.images, page.drawings = [moved(box) for box in page.images], [moved(box) for box in page.drawings]
    page.slanted = [moved_word(word, moved(word.box)) for word in page.slanted]
    page.spots, page.frames = [moved(box) for box in page.spots], [moved(box) for box in page.frames]
    page.striped = [moved(box) for box in page.striped]
    page.regions = [replace(region, box=moved(region.box)) for region in page.regions]
    page.seen = [seen._replace(box=moved(seen.box)) for seen in page.seen]
    if turn.lies:
        page.regions = [region for region in page.regions if region.grid is None]
        page.width, page.height = page.height, page.width
    else:
        page.sideways = [moved_word(word, moved(word.box)) for word in page.sideways]
    page.turn = turn
