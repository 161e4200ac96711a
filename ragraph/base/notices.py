"""Warnings with an answer: Python warnings, or texts collected by an interface that shows them with the answer."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ragraph.errors import RagraphNotice

if TYPE_CHECKING:
    from collections.abc import Iterator

_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


_INSIDE = ("ragraph", "psycopg", "psycopg_pool", "contextlib", "functools")
"""Packages whose lines no warning points to."""


def warn(text: str, python: str = "") -> None:
    """Warn about a call that succeeded but may not have done what the caller meant.

    The warning is issued as a ``RagraphNotice``, or collected if it happens in a block of ``collect``.

    Args:
        text: the warning.
        python: advice for Python programs alone; collected warnings leave it out.
    """
    texts = _collected.get()
    if texts is None:
        warnings.warn(f"{text}; {python}" if python else text, RagraphNotice, stacklevel=_level_of_caller())
    elif text not in texts:
        texts.append(text)


def _level_of_caller() -> int:
    """Return the ``stacklevel`` of the line outside of ragraph, and of what it runs in, that the warning is about."""
    frame = sys._getframe(2)  # of whoever calls warn
    level = 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, level = frame.f_back, level + 1
    return level


def collected() -> list[str]:
    """Return the warnings collected so far in the current block of ``collect``; an empty list outside of one."""
    return list(_collected.get() or ())


@contextmanager
def collect() -> Iterator[list[str]]:
    """Collect the warnings of a block, of this thread or task alone. Python's warnings belong to the whole process.

    Yields:
        The list of warnings, in order and without repetitions.
    """
    texts: list[str] = []
    token = _collected.set(texts)
    try:
        yield texts
    finally:
        _collected.reset(token)
