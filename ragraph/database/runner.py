"""How the store asks its database: queries by name, rows as results."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row

from ragraph.base.arguments import only_text, texts
from ragraph.base.queries import QUERIES
from ragraph.schema.results import SearchStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from psycopg.errors import Diagnostic

    from ragraph.database.connection import Database

STATEMENT = "all of the statement"
"""Way of the step that has those before it in it."""

_PLANNED_INSIDE = {"search_vector", "search_text", "search_hybrid"}
"""Queries that may be prepared: what depends on their values is planned within the functions that they call, each time.
Of others a plan kept for other values may use the wrong index."""

_TOLD = 5
"""Ids that no document has are told at most, as of values in a filter."""

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
            row_factory: makes results of rows, as of ``ragraph.database.rows`` and psycopg.
            parameters: values by name.

        Raises:
            ServerUnavailableError: the server is gone for good.
            ArgumentError: a text that no database can hold.
        """
        return self._database.again(lambda: self._read(query, row_factory, parameters))

    @contextmanager
    def explained(self, steps: list[SearchStep]) -> Iterator[Rows]:
        """Give what asks as ``rows`` does, and notes how each search went.

        Args:
            steps: taken note in: the parts of each query as the database tells them, then the query as a whole.
        """

        def rows(query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
            begin = time.perf_counter()
            with (
                self._database.read() as connection,
                connection.cursor(row_factory=row_factory) as cursor,
                only_text(),
            ):
                told: list[str] = []

                def note(diagnostic: Diagnostic) -> None:
                    told.append(diagnostic.message_detail or "{}")

                connection.execute(QUERIES["explain_on"])
                connection.add_notice_handler(note)
                try:
                    found = cursor.execute(self._database.queries[query], parameters, prepare=False).fetchall()
                finally:
                    connection.remove_notice_handler(note)
            steps.extend(SearchStep(**json.loads(one)) for one in told)
            ms = round((time.perf_counter() - begin) * 1000, 3)
            steps.append(SearchStep(part=query, way=STATEMENT, rows=len(found), ms=ms))
            return found

        yield rows

    def tell_unknown(self, document: str | Sequence[str] | None, collection: str | None) -> None:
        """Tell by notices, as searches do, what no document has of that which an empty listing asked for.

        Args:
            document: ids.
            collection: its name.
        """
        asked = [("document_id", name) for name in texts("document", document) or ()][:_TOLD]
        if collection is not None:
            asked.append(("collection", collection))
        for field, wanted in asked:
            self.rows("note_unknown_value", scalar_row, {"field": field, "wanted": wanted})

    def text(self, query: str, parameters: Mapping[str, Any]) -> str:
        """Return the one text that a query gives; empty if it gives no row."""
        return "".join(self.rows(query, scalar_row, parameters))

    def _read(self, query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
        prepare = None if query in _PLANNED_INSIDE else False
        with only_text():
            return self._database.rows(self._database.queries[query], parameters, row_factory, prepare=prepare)
