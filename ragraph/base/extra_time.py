"""Let a reader request more time for work it cannot foresee: text recognition takes seconds for each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_grant: Callable[[float], None] | None = None


def ask_for(seconds: float) -> None:
    """Request more seconds for the file that is being read; do nothing if no time limit is watched."""
    if _grant is not None:
        _grant(seconds)


def on_request(grant: Callable[[float], None] | None) -> None:
    """Set the function that grants time in this process; None removes it."""
    global _grant
    _grant = grant
