"""A database, how it is asked (queries by name, rows to records), and which documents it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row
from psycopg.types.json import Jsonb

from ragraph.errors import DocumentNotFoundError, ServerUnavailableError
from ragraph.filters import parse
from ragraph.queries import QUERIES
from ragraph.rows import details_row, document_row
from ragraph.schema.results import Document, DocumentDetails
from ragraph.scope import only_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.database import Database
    from ragraph.filters import Filter


class Connected:
    """What asks a database; an embedded server that was killed meanwhile is started again."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def documents(self, *, collection: str | None = None, limit: int | None = None) -> list[Document]:
        """Return the documents in the order they came in, of one collection or of all."""
        parameters = {"document_ids": None, "collection": collection, "limit": limit}
        return self._rows("list_documents", document_row, parameters)

    def document(self, document: str) -> DocumentDetails:
        """Return what the store knows of a document.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._details([document])[0]

    def _details(self, documents: Sequence[str] | None) -> list[DocumentDetails]:
        """Return what the store knows of documents, in the order given; None = all, in the order they came in."""
        parameters = {"document_ids": documents, "collection": None, "limit": None}
        listed: dict[str, Document] = {item.id: item for item in self._rows("list_documents", document_row, parameters)}
        known = {row.pop("id"): row for row in self._rows("document_details", details_row, parameters)}
        # one may have gone between the two queries
        wanted = [document for document in listed if document in known] if documents is None else documents
        for document in wanted:
            if document not in listed or document not in known:
                raise DocumentNotFoundError(f"no document {document!r}; `ragraph list` shows the ids")
        return [DocumentDetails(document=listed[document], **known[document]) for document in wanted]

    def facets(self) -> dict[str, Any]:
        """Return what documents can be filtered by, the most frequent values first.

        Returns:
            ``collections``, ``languages`` and ``tags``: lists; ``publication_dates``: first and last;
            ``metadata``: its keys, each with a few values.
        """
        (found,) = self._rows("facets", scalar_row, {})
        return dict(found)

    def filter_documents(self, filter: Filter | Mapping[str, Any]) -> list[str]:
        """Return the ids of the documents that a filter keeps, typed or as JSON: ``{"year": {"$gte": 2020}}``.

        Raises:
            ArgumentError: the filter has an unknown operator, or a value of a type that the operator does not take.
        """
        return self._rows("filter_documents", scalar_row, {"filter": Jsonb(parse(filter).to_json())})

    def _rows(self, query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
        try:
            return self._read(query, row_factory, parameters)
        except ServerUnavailableError:
            if not self.database.revive():
                raise
            return self._read(query, row_factory, parameters)

    def _read(self, query: str, row_factory: Any, parameters: Mapping[str, Any]) -> list[Any]:
        with (
            self.database.read() as connection,
            connection.cursor(row_factory=row_factory) as cursor,
            only_text(),
        ):
            # A plan kept for other values may use the wrong index: searches are planned each time.
            return cursor.execute(QUERIES[query], parameters, prepare=False).fetchall()

    def _scalar(self, query: str, parameters: Mapping[str, Any]) -> str:
        return "".join(self._rows(query, scalar_row, parameters))
