"""What a layout model that votes says of a place on a page: its boxes are loose, so that it decides nothing alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Kind

if TYPE_CHECKING:
    from ragraph.pdf.model import Box, Page

_SHARED = 0.5
"""Minimum intersection over union at which a sighting is one of a place."""
_TABLE = 0.6
"""Minimum score at which a table is seen."""
_PLACE = 0.4
"""The same where the rules found no cells, or have two tables as one: the cells that come of it are judged."""
_TITLE = 0.3
"""Minimum score at which a title is seen: its words and type speak, too."""


def is_seen_as_title(page: Page, box: Box) -> bool:
    """Return True if the model sees a title where a block stands, and nothing else in it."""
    return any(
        seen.kind is Kind.HEADING and seen.score >= _TITLE and seen.box.shared(box) >= _SHARED for seen in page.seen
    )


def is_seen_as_table(page: Page, box: Box) -> bool:
    """Return True if the model sees a table where the rules found cells."""
    return any(
        seen.kind is Kind.TABLE and seen.score >= _TABLE and seen.box.shared(box) >= _SHARED for seen in page.seen
    )


def seen_tables(page: Page) -> list[Box]:
    """Return the places where the model sees tables, the surest first; what stands there has to be sound."""
    return [seen.box for seen in page.seen if seen.kind is Kind.TABLE and seen.score >= _PLACE]


def is_met(seen: Box, found: Box) -> bool:
    """Return True if a table that was found is the one that is seen."""
    return seen.shared(found) >= _SHARED
