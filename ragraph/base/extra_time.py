"""Time for what a reader cannot know beforehand: pages whose text has to be recognised take seconds each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_grant: Callable[[float], None] | None = None


def ask_for(seconds: float) -> None:
    """Ask for more time for the file that is being read; where nobody watches the time, nothing happens."""
    if _grant is not None:
        _grant(seconds)


def on_request(grant: Callable[[float], None] | None) -> None:
    """Set who grants time in this process."""
    global _grant
    _grant = grant
