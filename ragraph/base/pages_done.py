"""Let a reader report how many pages of the file it has read: a long file takes minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_tell: Callable[[float, int], None] | None = None
_pages = 0


def count_pages(total: int) -> None:
    """Set the number of pages of the file that ``tell_share`` counts in."""
    global _pages
    _pages = total


def tell_share(share: float) -> None:
    """Report that this share of the work on a file is done, from 0 to 1, as pages; do nothing if nobody listens.

    A file is read in steps over all its pages, so a page counts in part until the last step is done.
    """
    if _tell is not None and _pages:
        _tell(share * _pages, _pages)


def on_pages(tell: Callable[[float, int], None] | None) -> None:
    """Set the function that is told in this process the pages done and all pages; None removes it."""
    global _tell
    _tell = tell
