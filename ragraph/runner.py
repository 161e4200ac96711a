"""How the store asks its database: queries by name, rows as results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row

from ragraph.queries import QUERIES
from ragraph.scope import only_text

if TYPE_CHECKING:
    from ragraph.database import Database

Rows = Callable[[str, Any, Mapping[str, Any]], list[Any]]
"""What searches, expansion and the like are given to ask with: ``QueryRunner.rows``."""


class QueryRunner:
    """Reads from a database; an embedded server that was killed meanwhile is started again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self, query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
        """Return the rows of a query of ``QUERIES``.

        Args:
            query: its name.
            row_factory: makes results of rows, as of ``ragraph.rows`` and psycopg.
            parameters: values by name.

        Raises:
            ServerUnavailableError: the server is gone for good.
            ArgumentError: a text that no database can hold.
        """
        return self._database.again(lambda: self._read(query, row_factory, parameters))

    def text(self, query: str, parameters: Mapping[str, Any]) -> str:
        """Return the one text that a query gives; empty if it gives no row."""
        return "".join(self.rows(query, scalar_row, parameters))

    def _read(self, query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
        with (
            self._database.read_once() as connection,
            connection.cursor(row_factory=row_factory) as cursor,
            only_text(),
        ):
            # A plan kept for other values may use the wrong index: searches are planned each time.
            return cursor.execute(QUERIES[query], parameters, prepare=False).fetchall()
