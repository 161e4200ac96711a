"""Run named queries of the store and return their rows as results."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row

from ragraph.base.arguments import only_text, texts
from ragraph.base.queries import QUERIES
from ragraph.schema.results import Document, DocumentDetails, SearchStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from psycopg.errors import Diagnostic

    from ragraph.database.connection import Database

STATEMENT = "all of the statement"
"""``SearchStep.way`` of the step for a whole query, which includes the steps before it."""

_PLANNED_INSIDE = {"search_vector", "search_text", "search_hybrid"}
"""Queries that may be prepared, because the functions they call plan each time for the current values. For other
queries a plan cached for other values may use the wrong index."""

_WARNED_IDS = 5
"""Maximum number of unknown ids to warn about, as for values in a filter."""

Rows = Callable[[str, Any, Mapping[str, Any]], list[Any]]
"""Type of ``QueryRunner.rows``, which searches, expansion and the like are passed to query with."""


class QueryRunner:
    """Runs read queries; an embedded server that was killed meanwhile is started again.

    Args:
        database: the database.
        noted: set to which the ids of documents are added that queries name or return; None to note none.
    """

    def __init__(self, database: Database, noted: set[str] | None = None) -> None:
        self._database = database
        self._noted = noted

    def rows(self, query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
        """Return the rows of a named query.

        Args:
            query: its name in ``QUERIES``.
            row_factory: makes results of rows, from ``ragraph.database.rows`` or psycopg.
            parameters: values by name.

        Raises:
            ServerUnavailableError: the server is gone and does not come back.
            ArgumentError: a text has a lone surrogate.
        """
        found = self._database.retry_once(lambda: self._read(query, row_factory, parameters))
        self._note(parameters, found)
        return found

    def _note(self, parameters: Mapping[str, Any], found: Sequence[Any]) -> None:
        if self._noted is not None:
            if isinstance(parameters.get("document_id"), str):
                self._noted.add(parameters["document_id"])
            self._noted.update(parameters.get("document_ids") or ())
            self._noted.update(name for row in found if (name := _document_of(row)))

    @contextmanager
    def explained(self, steps: list[SearchStep]) -> Iterator[Rows]:
        """Return a function like ``rows`` that also records the steps of each search.

        Args:
            steps: the list that is filled: the parts of each query as the database reports them, then the whole query.
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
            self._note(parameters, found)
            steps.extend(SearchStep(**json.loads(one)) for one in told)
            ms = round((time.perf_counter() - begin) * 1000, 3)
            steps.append(SearchStep(part=query, way=STATEMENT, rows=len(found), ms=ms))
            return found

        yield rows

    def warn_unknown(self, document: str | Sequence[str] | None, collection: str | None) -> None:
        """Warn, as searches do, about each id or collection of an empty listing that no document has.

        Args:
            document: ids of documents.
            collection: name of the collection.
        """
        asked = [("document_id", name) for name in texts("document", document) or ()][:_WARNED_IDS]
        if collection is not None:
            asked.append(("collection", collection))
        for field, wanted in asked:
            self.rows("note_unknown_value", scalar_row, {"field": field, "wanted": wanted})

    def text(self, query: str, parameters: Mapping[str, Any]) -> str:
        """Return the single text that a query returns; an empty text if it returns no row."""
        return "".join(self.rows(query, scalar_row, parameters))

    def _read(self, query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
        prepare = None if query in _PLANNED_INSIDE else False
        with only_text():
            return self._database.rows(self._database.queries[query], parameters, row_factory, prepare=prepare)


def _document_of(row: Any) -> str | None:
    """Return the id of the document that a row is of; None if it is of none."""
    if isinstance(row, Document):
        return row.id
    if isinstance(row, DocumentDetails):
        return row.document.id
    name = row.get("document_id") if isinstance(row, Mapping) else getattr(row, "document_id", None)
    return name if isinstance(name, str) else None
