"""The log of queries: written after the answer, in a short transaction of its own, and never at its expense."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row

from ragraph.base import notices
from ragraph.base.queries import QUERIES
from ragraph.database.connection import Database
from ragraph.errors import RagraphError
from ragraph.filters import Filter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ragraph.database.runner import QueryRunner

_LOOK_S = 60.0
"""Seconds between two looks at the settings, which other programs may change: a look costs a round trip."""

_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def unlogged() -> Iterator[None]:
    """Log no queries of this thread in the block: those of evaluations, which nobody asked."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


class QueryLog:
    """Logs the queries of a store if a collection requests it; a query that cannot be logged is answered all the same.

    Args:
        database: the database of the store; only a ``Database`` can be written to.
        ask: reads the settings.
    """

    def __init__(self, database: object, ask: QueryRunner) -> None:
        self._database = database if isinstance(database, Database) else None
        self._ask = ask
        self._on = False
        self._looked: float | None = None

    def look_again(self) -> None:
        """Read the settings before the next query."""
        self._looked = None

    def add(
        self,
        kind: str,
        question: str,
        options: Mapping[str, Any],
        hits: Iterable[tuple[str, str, float | None]],
        seconds: float,
    ) -> None:
        """Log a query that was answered; warn if that fails, and try again after a minute.

        Args:
            kind: ``search`` or ``context``.
            question: the query in words.
            options: keyword arguments of the query; values of None are left out.
            hits: document, node and score, best first.
            seconds: its duration.
        """
        if self._database is None or _silent.get() or not self._is_on():
            return
        given = {name: _plain(value) for name, value in options.items() if value is not None}
        collection = given.get("collection")
        values = {
            "kind": kind,
            "question": question,
            "options": json.dumps(given),
            "hits": json.dumps([dict(zip(("document_id", "node_id", "score"), hit, strict=True)) for hit in hits]),
            "seconds": round(seconds, 4),
            "collection": collection if isinstance(collection, str) else None,
        }
        try:
            with self._database.write() as connection:
                connection.execute(QUERIES["query_log_fast"])
                connection.execute(QUERIES["log_query"], values)
        except RagraphError as error:
            self._on = False
            notices.warn(f"the query was answered but not logged: {' '.join(str(error).split())}")

    def _is_on(self) -> bool:
        if self._looked is None or time.monotonic() - self._looked > _LOOK_S:
            self._looked = time.monotonic()
            try:
                self._on = bool(self._ask.rows("query_log_is_on", scalar_row, {})[0])
            except RagraphError:  # such as a role without rights on tables that are newer than its grants
                self._on = False
        return self._on


def _plain(value: Any) -> Any:
    if isinstance(value, Filter):
        return value.to_json()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    try:
        return [_plain(one) for one in value]
    except TypeError:
        return str(value)
