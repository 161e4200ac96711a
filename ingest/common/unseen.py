"""Text that a file holds and no person sees: readers leave it out, and it is counted here.

What is left out is recorded, so that the reader's process warns of it, and so that the account of a file knows why it
is not in the store.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Colour = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""

WHITE: Colour = (1.0, 1.0, 1.0)

LOWEST_CONTRAST = 1.05
"""Contrast between text and its background up to which nobody sees text, as WCAG 2.2 computes it (1 for equal)."""

FAINTEST = 0.05
"""Opacity up to which nobody sees text."""

SMALLEST_POINTS = 1.0
"""Font size in points up to which nobody can read."""

_left_out: ContextVar[list[str] | None] = ContextVar("left_out", default=None)


def leave_out(text: str | None) -> None:
    """Record a text that a reader leaves out because no person sees it; it counts within ``collecting``."""
    texts = _left_out.get()
    if texts is not None and text and any(map(str.isalnum, text)):
        texts.append(text)


@contextmanager
def collecting() -> Iterator[list[str]]:
    """Yield a list that gets each text that ``leave_out`` records during the block."""
    texts: list[str] = []
    token = _left_out.set(texts)
    try:
        yield texts
    finally:
        _left_out.reset(token)


def letters(text: str) -> int:
    """Return the number of letters and digits of a text."""
    return sum(map(str.isalnum, text))


def is_same(text: Colour | None, background: Colour | None) -> bool:
    """Return True if text in a colour cannot be told from its background; False if one of them is unknown."""
    return text is not None and background is not None and contrast(text, background) <= LOWEST_CONTRAST


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def hex_colour(value: str | None) -> Colour | None:
    """Return the colour of "RRGGBB", "#RRGGBB" or "AARRGGBB"; None for anything else, such as "auto"."""
    digits = (value or "").strip().lstrip("#")
    digits = digits[-6:] if len(digits) == 8 else digits
    if len(digits) != 6:
        return None
    try:
        number = int(digits, 16)
    except ValueError:
        return None
    return (number >> 16) / 255, (number >> 8 & 255) / 255, (number & 255) / 255
