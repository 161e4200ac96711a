"""Again from the start, where the server went away or another transaction was in the way."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg.rows import dict_row, scalar_row

from ragraph.base.queries import QUERIES
from ragraph.errors import RagraphError, SchemaVersionError, ServerError, ServerResourcesError, ServerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.database.connection import Connection, Database

T = TypeVar("T")

PAUSES_S = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Waits before each new try: a minute in all for a server that is not ours to start; ours is back within seconds."""

PATIENCE_S = PAUSES_S[:4]
"""Waits for the end of a transaction whose connection was lost, 3.6 s in all: a backend sees that when it reads on."""

ENDS = (ServerError, SchemaVersionError)
"""Errors after which nothing more can be written."""

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


def written_once(database: Database, unit: Callable[[Connection], T]) -> T:
    """Return what a unit of work gives that writes in one transaction; try it again as ``with_retry`` does.

    Where the transaction was committed and only the answer was lost, what the unit gave then is returned: done again,
    it would find everything there. That is known while the server runs on. After a crash or a restart of it, and where
    a lost transaction stays in progress for longer than ``PATIENCE_S``, the unit is done again and what it finds
    is returned, unless the end of the lost one is known by then.

    Args:
        database: the store.
        unit: is given the connection of the transaction; can be repeated.

    Raises:
        RagraphError: what the last try raised, or the first that another try cannot help; no try was committed as far
            as the server can tell.
    """
    tried: list[tuple[dict[str, Any], T]] = []

    def attempt() -> T:
        for found in _committed(database, tried):
            return found
        before = len(tried)
        # begun here: a transaction of the unit's own, were it the first, would be committed before its end
        with database.write() as connection, connection.transaction():
            found = unit(connection)
            names = connection.cursor(row_factory=dict_row).execute(QUERIES["transaction_id"]).fetchone()
            if names is not None and names["transaction_id"] is not None:
                tried.append((names, found))
        # one that was still in progress has kept this one waiting, and done its work
        return next(iter(_committed(database, tried[:before])), found)

    try:
        return with_retry(database, attempt)
    except RagraphError:
        with suppress(RagraphError):
            for found in _committed(database, tried):
                return found
        raise


def _committed(database: Database, tried: Sequence[tuple[dict[str, Any], T]]) -> list[T]:
    """Return what the first transaction gave that is known as committed, if any is.

    Waits while one is in progress: its backend may not have seen yet that we left.
    """
    for pause in (*PATIENCE_S, None):
        if not tried:
            break
        waiting = []
        with database.read() as connection:
            cursor = connection.cursor(row_factory=scalar_row)
            for names, found in tried:
                status = cursor.execute(QUERIES["transaction_status"], names).fetchone()
                if status == "committed":
                    return [found]
                if status == "in progress":
                    waiting.append((names, found))
        tried = waiting
        if tried and pause is not None:
            time.sleep(pause)
    return []


def _worth_another(error: RagraphError) -> bool:
    if isinstance(error, ServerUnavailableError):
        return True
    cause = error.__cause__
    if isinstance(error, ServerResourcesError):  # connections become free; disk and memory hardly
        return not isinstance(cause, psycopg.Error) or cause.sqlstate in {None, "53300"}
    return isinstance(cause, psycopg.Error) and cause.sqlstate in _IN_THE_WAY
