"""What is stated at the middle of a word."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragraph.pdf.model import Box, Word

_BAND = 20.0
"""Points of a page by which pieces are looked up."""
_BESIDE = 1.0
"""Points that a piece reaches to its left and right."""


class Boxed(Protocol):
    """Something at a place."""

    @property
    def box(self) -> Box:
        """Its place."""


Piece = TypeVar("Piece", bound=Boxed)


def over(pieces: Iterable[Piece], words: Iterable[Word], high: float) -> Iterator[tuple[Word, list[Piece]]]:
    """Yield each word with the pieces that hold its middle, in their order.

    Args:
        pieces: of the page.
        words: of the page.
        high: points that a piece reaches above and below its box.
    """
    bands: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        for band in range(int((piece.box.top - high) // _BAND), int((piece.box.bottom + high) // _BAND) + 1):
            bands[band].append(piece)
    for word in words:
        x, y = word.middle_x, word.middle_y
        yield word, [piece for piece in bands.get(int(y // _BAND), ())
                     if piece.box.left - _BESIDE <= x <= piece.box.right + _BESIDE
                     and piece.box.top - high <= y <= piece.box.bottom + high]  # fmt: skip
