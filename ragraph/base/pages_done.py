"""Let a reader report how many pages of the file it has read: a long file takes minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_tell: Callable[[float, int], None] | None = None


def tell_pages(done: float, total: int) -> None:
    """Report that ``done`` of ``total`` pages are read; do nothing if nobody listens.

    A page that needs further steps may count as a part of one.
    """
    if _tell is not None:
        _tell(done, total)


def on_pages(tell: Callable[[float, int], None] | None) -> None:
    """Set the function that is told in this process; None removes it."""
    global _tell
    _tell = tell
