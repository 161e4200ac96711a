"""Again from the start, where the server went away or another transaction was in the way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import psycopg
from psycopg.rows import scalar_row

from ragraph.errors import RagraphError, ServerResourcesError, ServerUnavailableError
from ragraph.queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.database import Connection, Database

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


def written_once(database: Database, unit: Callable[[Connection], T]) -> T:
    """Return what a unit of work gives that writes in one transaction; try it again as ``with_retry`` does.

    Where the transaction was committed and only the answer was lost, what the unit gave then is returned: done again,
    it would find everything there.

    Args:
        database: the store.
        unit: is given the connection of the transaction.

    Raises:
        RagraphError: what the last try raised, or the first that another try cannot help.
    """
    tried: list[tuple[str, T]] = []

    def attempt() -> T:
        if tried and _is_committed(database, tried[-1][0]):
            return tried[-1][1]
        # begun here: a transaction of the unit's own, were it the first, would be committed before its end
        with database.write() as connection, connection.transaction():
            found = unit(connection)
            written = connection.cursor(row_factory=scalar_row).execute(QUERIES["transaction_id"]).fetchone()
            if written is not None:
                tried.append((written, found))
        return found

    return with_retry(database, attempt)


def _is_committed(database: Database, transaction_id: str) -> bool:
    """Return whether a transaction was committed; wait a while for one whose backend has not seen yet that we left."""
    names = {"transaction_id": transaction_id}
    for pause in (*PAUSES_S[:4], None):
        with database.read() as connection:
            status = connection.cursor(row_factory=scalar_row).execute(QUERIES["transaction_status"], names).fetchone()
        if status != "in progress" or pause is None:
            break
        time.sleep(pause)
    return bool(status == "committed")


def _worth_another(error: RagraphError) -> bool:
    if isinstance(error, ServerUnavailableError):
        return True
    cause = error.__cause__
    if isinstance(error, ServerResourcesError):  # connections become free; disk and memory hardly
        return not isinstance(cause, psycopg.Error) or cause.sqlstate in {None, "53300"}
    return isinstance(cause, psycopg.Error) and cause.sqlstate in _IN_THE_WAY
