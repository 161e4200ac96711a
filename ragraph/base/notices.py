"""Warnings with an answer: Python warnings, or texts collected by an interface that shows them with the answer."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ragraph.errors import RagraphNotice

if TYPE_CHECKING:
    from collections.abc import Iterator

_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


def warn(text: str, python: str = "") -> None:
    """Warn about a call that succeeded but may not have done what the caller meant.

    The warning is issued as a ``RagraphNotice``, or collected if it happens in a block of ``collect``.

    Args:
        text: the warning.
        python: advice for Python programs alone; collected warnings leave it out.
    """
    texts = _collected.get()
    if texts is None:
        warnings.warn(f"{text}; {python}" if python else text, RagraphNotice, stacklevel=3)
    elif text not in texts:
        texts.append(text)


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
