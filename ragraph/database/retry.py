"""Repeat a unit of work if the connection was lost or another transaction conflicted with it."""

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
"""Seconds to wait before each retry. They sum to a minute, for a server that ragraph does not manage; an embedded
server is back within seconds."""

PATIENCE_S = PAUSES_S[:4]
"""Seconds to wait for the end of a transaction whose connection was lost, 3.6 in all. A backend notices the lost
connection when it next reads from it."""

ENDS = (ServerError, SchemaVersionError)
"""Errors after which nothing more can be written."""

_IN_THE_WAY = {"40001", "40P01", "55P03"}
"""Serialisation failure, deadlock, lock not available."""

_REPLANNED = "RevalidateCachedQuery"
"""Where PostgreSQL refuses a statement that was prepared before a column got another type; psycopg then forgets it."""


def with_retry(database: Database, unit: Callable[[], T]) -> T:
    """Return the result of a unit of work; repeat it if the connection was lost or another transaction conflicted.

    The unit opens its own transactions on ``database`` and must be repeatable: a commit may have reached the server
    although its answer was lost. An embedded server that died is started again, at most once for each of ``PAUSES_S``.
    Another server may come back by itself in that time.

    Raises:
        RagraphError: the error of the last attempt, or the first error that no retry can help.
    """
    gone = False
    for pause in (*PAUSES_S, None):
        try:
            if gone:
                database.revive()  # the server may die again while it recovers
            return unit()
        except RagraphError as error:
            if pause is None or not _worth_another(error):
                raise
            gone = isinstance(error, ServerUnavailableError)
            time.sleep(pause)
    raise AssertionError("unreachable")


def write_once(database: Database, unit: Callable[[Connection], T]) -> T:
    """Return the result of a unit of work that writes in one transaction; retry it like ``with_retry``.

    If the transaction was committed and only the answer was lost, its original result is returned. A repeated unit
    would find everything already stored. Whether it was committed is known while the server keeps running. After a
    crash or restart, or if a lost transaction stays in progress for longer than ``PATIENCE_S``, the unit runs again.
    Its new result is returned, unless the lost transaction is known as committed by then.

    Args:
        database: the store's database.
        unit: called with the connection of the transaction; must be repeatable.

    Raises:
        RagraphError: the error of the last attempt, or the first error that no retry can help. No attempt was committed
            as far as the server can tell.
    """
    tried: list[tuple[dict[str, Any], T]] = []

    def attempt() -> T:
        for found in _committed(database, tried):
            return found
        before = len(tried)
        # begun here, because otherwise the unit's own first transaction would be committed before the unit ends
        with database.write() as connection, connection.transaction():
            found = unit(connection)
            names = connection.cursor(row_factory=dict_row).execute(QUERIES["transaction_id"]).fetchone()
            if names is not None and names["transaction_id"] is not None:
                tried.append((names, found))
        # an earlier transaction still in progress made this one wait, and may have been committed meanwhile
        return next(iter(_committed(database, tried[:before])), found)

    try:
        return with_retry(database, attempt)
    except RagraphError:
        with suppress(RagraphError):
            for found in _committed(database, tried):
                return found
        raise


def _committed(database: Database, tried: Sequence[tuple[dict[str, Any], T]]) -> list[T]:
    """Return the result of the first transaction that is known as committed, in a list; empty if there is none.

    Waits while a transaction is in progress, because its backend may not have noticed the lost connection yet.
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
    if isinstance(error, ServerResourcesError):  # connections become free by themselves, disk and memory hardly
        return not isinstance(cause, psycopg.Error) or cause.sqlstate in {None, "53300"}
    return isinstance(cause, psycopg.Error) and (
        cause.sqlstate in _IN_THE_WAY or cause.diag.source_function == _REPLANNED
    )
