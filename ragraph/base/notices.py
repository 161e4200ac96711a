"""What the store says beside an answer: a warning of Python, or heard by a face that shows it with the answer."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ragraph.errors import RagraphNotice

if TYPE_CHECKING:
    from collections.abc import Iterator

_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)


def tell(said: str, python: str = "") -> None:
    """Tell of a call that did not fail but may not have meant what it found: as a ``RagraphNotice``, unless heard.

    Args:
        said: what.
        python: what a program may do about it, which no other face is told.
    """
    listening = _heard.get()
    if listening is None:
        warnings.warn(f"{said}; {python}" if python else said, RagraphNotice, stacklevel=3)
    elif said not in listening:
        listening.append(said)


def heard() -> list[str]:
    """Return what has been told so far in the block that listens; nothing outside of any."""
    return list(_heard.get() or ())


@contextmanager
def listening() -> Iterator[list[str]]:
    """Gather what is told in a block, by this thread or task alone: warnings are those of the whole process."""
    said: list[str] = []
    token = _heard.set(said)
    try:
        yield said
    finally:
        _heard.reset(token)
