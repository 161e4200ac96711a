"""Again from the start, where the server went away or another transaction was in the way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import psycopg

from ragraph.errors import RagraphError, ServerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

PAUSES_S = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Waits before each new try; a server that was killed is back within seconds."""

_IN_THE_WAY = {"40001", "40P01", "55P03"}
"""Serialisation failure, deadlock, lock not available."""


def with_retry(unit: Callable[[], T]) -> T:
    """Return what a whole unit of work gives; try it again when the connection was lost or it met another's locks.

    The unit opens its own transaction and can be repeated: a commit may have reached the server although the
    answer did not reach us.

    Raises:
        RagraphError: what the last try raised, or the first that another try cannot help.
    """
    for pause in PAUSES_S:
        try:
            return unit()
        except RagraphError as error:
            if not _worth_another(error):
                raise
            time.sleep(pause)
    return unit()


def _worth_another(error: RagraphError) -> bool:
    if isinstance(error, ServerUnavailableError):
        return True
    cause = error.__cause__
    return isinstance(cause, psycopg.Error) and cause.sqlstate in _IN_THE_WAY
