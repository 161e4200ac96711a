"""Titles of slides: what else is set like a title on a slide stands under the title of that slide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_LEAST = 5
"""Pages of slides at least: leaflets are printed on their side, too."""
_MOST = 0.8
"""Share of the pages that are wider than high."""
_TITLED = 0.5
"""Share of the pages with headings whose first one stands above all others, near the upper edge."""
_UPPER = 0.3
"""Share of the height of a page within which its title begins."""


def put_under_titles(pages: Sequence[Page]) -> None:
    """Put the other headings of a slide below its title where they are on its level.

    Args:
        pages: with headings that have their levels; they change.
    """
    wide = sum(page.width > page.height for page in pages)
    if len(pages) < _LEAST or wide < _MOST * len(pages):
        return
    headed = [(page, found) for page in pages if (found := [b for b in page.blocks if b.kind is Kind.HEADING])]
    titled = [(page, found) for page, found in headed if _has_title(page, found)]
    if len(titled) < max(_TITLED * len(headed), _LEAST):
        return
    for _, (title, *others) in titled:
        deeper = 1 + (title.level or 1) - min((other.level or 1 for other in others), default=title.level or 1)
        for other in others:
            other.level = (other.level or 1) + max(deeper, 0)


def _has_title(page: Page, found: Sequence[Block]) -> bool:
    first, *others = found
    return first.top < _UPPER * page.height and all(first.bottom <= other.top for other in others)
