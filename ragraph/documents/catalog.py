"""The part of a store that knows which documents there are and what is known of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from ragraph.base.arguments import texts
from ragraph.database.rows import details_row, document_row
from ragraph.errors import ArgumentError, DocumentNotFoundError
from ragraph.filters import parse
from ragraph.schema.results import Document, DocumentDetails

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.database.runner import QueryRunner
    from ragraph.filters import Filter


class Catalog:
    """Documents and their metadata; the methods are those of ``Store``, which describes them."""

    def __init__(self, runner: QueryRunner) -> None:
        self._ask = runner

    def documents(
        self,
        document: str | Sequence[str] | None = None,
        *,
        collection: str | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Document]:
        """See ``Store.documents``."""
        if offset < 0:
            raise ArgumentError(f"offset is {offset}; count from 0")
        ids = texts("document", document)
        if filter is not None:
            kept = self.filter_documents(filter)
            ids = kept if ids is None else [name for name in kept if name in set(ids)]
        parameters = {"document_ids": ids, "collection": collection, "limit": limit, "offset": offset}
        found: list[Document] = self._ask.rows("list_documents", document_row, parameters)
        if not found:  # of the filter its own query has told
            self._ask.tell_unknown(document, collection)
        return found

    def document(self, document: str) -> DocumentDetails:
        """See ``Store.document``."""
        details = self.details([document])[0]
        (length,) = self._ask.rows("document_length", dict_row, {"document_id": document})
        return replace(details, characters=length["characters"] or 0, words=int(length["words"] or 0))

    def details(self, documents: Sequence[str] | None) -> list[DocumentDetails]:
        """Return what the store knows of documents, in the order given; None = all, in the order they came in.

        Raises:
            DocumentNotFoundError: one of them is not there.
        """
        parameters = {"document_ids": documents, "collection": None, "limit": None, "offset": 0}
        listed: dict[str, Document] = {
            item.id: item for item in self._ask.rows("list_documents", document_row, parameters)
        }
        known = {row.pop("id"): row for row in self._ask.rows("document_details", details_row, parameters)}
        # one may have gone between the two queries
        wanted = [document for document in listed if document in known] if documents is None else documents
        for document in wanted:
            if document not in listed or document not in known:
                self._ask.rows("require_document", scalar_row, {"document_id": document})  # it knows what may be meant
                raise DocumentNotFoundError(f"there is no document {document!r}", hint=DocumentNotFoundError.look)
        return [DocumentDetails(document=listed[document], **known[document]) for document in wanted]

    def facets(self) -> dict[str, Any]:
        """See ``Store.facets``."""
        (found,) = self._ask.rows("facets", scalar_row, {})
        return dict(found)

    def filter_documents(self, filter: Filter | Mapping[str, Any]) -> list[str]:
        """See ``Store.filter_documents``."""
        return self._ask.rows("filter_documents", scalar_row, {"filter": Jsonb(parse(filter).to_json())})
