"""Again from the start, where the server went away or another transaction was in the way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import psycopg

from ragraph.errors import RagraphError, ServerResourcesError, ServerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.database import Database

T = TypeVar("T")

PAUSES_S = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Waits before each new try: a minute in all for a server that is not ours to start; ours is back within seconds."""

_IN_THE_WAY = {"40001", "40P01", "55P03"}
"""Serialisation failure, deadlock, lock not available."""


def with_retry(database: Database, unit: Callable[[], T]) -> T:
    """Return what a whole unit of work gives; try it again when the connection was lost or it met another's locks.

    The unit opens its own transactions on ``database`` and can be repeated: a commit may have reached the server
    although the answer did not reach us. An embedded server that died is started again, at most as often as there
    are ``PAUSES_S``; another one may come back by itself in that time.

    Raises:
        RagraphError: what the last try raised, or the first that another try cannot help.
    """
    gone = False
    for pause in (*PAUSES_S, None):
        try:
            if gone:
                database.revive()  # which may die again, while it recovers
            return unit()
        except RagraphError as error:
            if pause is None or not _worth_another(error):
                raise
            gone = isinstance(error, ServerUnavailableError)
            time.sleep(pause)
    raise AssertionError("unreachable")


def _worth_another(error: RagraphError) -> bool:
    if isinstance(error, ServerUnavailableError):
        return True
    cause = error.__cause__
    if isinstance(error, ServerResourcesError):  # connections become free; disk and memory hardly
        return not isinstance(cause, psycopg.Error) or cause.sqlstate in {None, "53300"}
    return isinstance(cause, psycopg.Error) and cause.sqlstate in _IN_THE_WAY
