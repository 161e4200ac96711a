"""A title over its text: whether it is set off from that, and stands right over it at its edge or around its middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import shared_width

if TYPE_CHECKING:
    from ragraph.pdf.model import Block, Line

_LARGER = 1.04
"""Minimum size of a title that is not in bold, in that of its text, at which it is set off; rules that have no more
than the type to go by ask for more."""
_BOLD, _PLAIN = 0.8, 0.5
"""Share of bold letters of a title at least, and of its text at most."""
_OVERLAP = 2.0
"""Points by which a text may begin above the foot of its title: boxes of letters are higher than these."""


def is_set_off(size: float, bold: float, text_size: float, text_bold: float, *, larger: float = _LARGER) -> bool:
    """Return True if a title is larger than its text by the factor ``larger``, or bolder by shares of bold letters."""
    return size > larger * text_size or (bold > _BOLD and text_bold < _PLAIN)


def is_at_edge(title: Block | Line, text: Block | Line, apart: float) -> bool:
    """Return True if title and text begin at one left edge, to within some points."""
    return abs(title.left - text.left) <= apart


def is_centred(title: Block | Line, text: Block | Line, apart: float) -> bool:
    """Return True if title and text stand around one middle, to within some points."""
    return abs(title.left + title.right - text.left - text.right) <= 2 * apart


def is_right_over(title: Block, text: Block, room: float) -> bool:
    """Return True if a text begins under its title, at most some points below it, and partly at its width."""
    beside = shared_width(title, text)
    return beside > 0 and -_OVERLAP < text.top - title.bottom < room
