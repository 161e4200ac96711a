"""Pictures set in a line of text like a word: keys, buttons and signs that manuals show where they name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Box, Page, Word

_HIGH = (0.4, 2.2)
"""Height of such a picture, per point of the size of type."""
_WIDE = 4.0
"""Width of one, at most, per point of the size of type."""
_BLANK = 0.8
"""Room between the picture and the words on either side, at most: a bullet of the next column has more before it."""
_FEW = 400
"""Pictures of a page: those with more are drawings."""


def over_pictures(page: Page, rows: list[list[list[Word]]]) -> list[list[list[Word]]]:
    """Return rows with pieces joined that only a picture parts, which stands between them as a word would.

    Args:
        page: with images and drawings.
        rows: pieces of words, from left to right.
    """
    pictures = [*page.images, *page.drawings]
    if not pictures or len(pictures) > _FEW:
        return rows
    found = []
    for row in rows:
        joined = [row[0]]
        for piece in row[1:]:
            if _stands_between(joined[-1], piece, pictures):
                joined[-1] = [*joined[-1], *piece]
            else:
                joined.append(piece)
        found.append(joined)
    return found


def _stands_between(one: Sequence[Word], other: Sequence[Word], pictures: Sequence[Box]) -> bool:
    last, first = one[-1], other[0]
    size = min(last.size, first.size)
    if abs(last.size - first.size) > 0.1 * size or abs(last.bottom - first.bottom) > 0.3 * size:
        return False
    middle = last.middle_y
    return any(
        picture.top < middle < picture.bottom
        and _HIGH[0] * size < picture.height < _HIGH[1] * size
        and picture.width < _WIDE * size
        and -0.1 * size < picture.left - last.right < _BLANK * size
        and -0.1 * size < first.left - picture.right < _BLANK * size
        for picture in pictures
    )
