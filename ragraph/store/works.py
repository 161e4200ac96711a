"""Methods of ``Store`` for works: what documents cite, and which documents cite each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row

from ragraph.base.arguments import check_methods, texts, whole
from ragraph.base.queries import QUERIES
from ragraph.schema.works import CoCitedWork, RelatedDocument, Work, WorkEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.schema.works import WorksReport


@check_methods
class StoreWorks:
    """Methods of ``Store`` for works."""

    database: Database
    _ask: QueryRunner

    def works(
        self,
        name: str | None = None,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Work]:
        """Return the works that documents cite or are, the most cited first.

        If there is none, a document or collection that does not exist is reported with a warning.

        Args:
            name: only works with this identity, DOI, PMID or title; there may be several.
            document: only works that these documents cite or are: ids. Counts are for these documents.
            collection: only works of this collection.
            limit: maximum number of works; None for all.
            offset: number of works to skip.

        Raises:
            WorkNotFoundError: no work has this name.
            ArgumentError: a number is negative.
        """
        values = {
            "work": name,
            "document_ids": texts("document", document),
            "collection": collection,
            "k": _count("limit", limit),
            "skip": _count("offset", offset),
        }
        found: list[Work] = self._ask.rows("list_works", class_row(Work), values)
        if not found:
            self._ask.warn_unknown(document, collection)
        return found

    def cited_by(self, document: str) -> list[WorkEntry]:
        """Return the works that a document cites: its bibliography entries in reading order, parsed.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        return self._ask.rows("cited_works", class_row(WorkEntry), {"document_id": document})

    def citing(self, document: str) -> list[WorkEntry]:
        """Return the bibliography entries of other documents that cite a document.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        return self._ask.rows("citing_documents", class_row(WorkEntry), {"document_id": document})

    def co_cited(self, document: str, limit: int | None = 20) -> list[CoCitedWork]:
        """Return the works cited together with a document by others (co-citation), most often first.

        Args:
            document: id of the document.
            limit: maximum number of works; None for all.

        Raises:
            DocumentNotFoundError: the document does not exist.
            ArgumentError: ``limit`` is negative.
        """
        values = {"document_id": document, "k": _count("limit", limit)}
        return self._ask.rows("co_cited_works", class_row(CoCitedWork), values)

    def coupled(self, document: str, limit: int | None = 20) -> list[RelatedDocument]:
        """Return the documents that cite the same works as a document (bibliographic coupling), those with most first.

        Args:
            document: id of the document.
            limit: maximum number of documents; None for all.

        Raises:
            DocumentNotFoundError: the document does not exist.
            ArgumentError: ``limit`` is negative.
        """
        values = {"document_id": document, "k": _count("limit", limit)}
        return self._ask.rows("coupled_documents", class_row(RelatedDocument), values)

    def update_works(
        self,
        document: str | Sequence[str] | None = None,
        *,
        collection: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> WorksReport:
        """Parse new and changed bibliography entries, and match them and related entries to works again.

        Ingestion does this too. Call it for a store that was filled by an older version, or if the last run warned.

        Args:
            document: only these documents: ids.
            collection: only this collection.
            progress: called with the number of finished documents and the number of all.

        Raises:
            DocumentNotFoundError: a document does not exist.
        """
        from ragraph.works.update import update_works

        documents = texts("document", document)
        for name in documents or ():
            with self.database.read() as connection:
                connection.execute(QUERIES["require_document"], {"document_id": name})
        return update_works(self.database, documents, collection=collection, progress=progress)

    def merge_works(self, names: Sequence[str]) -> str:
        """Declare that works are one, by identity, identifier or title.

        Args:
            names: two or more identities, identifiers or titles.

        Returns:
            The identity that they share from now on.

        Raises:
            WorkNotFoundError: no work has one of these names.
            ArgumentError: fewer than two works, or works of several collections.
        """
        return str(self._write_works("merge_works", {"works": texts("names", names)}))

    def split_work(self, name: str, document: str) -> str:
        """Declare that a document cites another work by a name than other documents do.

        Args:
            name: an identity, identifier or title.
            document: id of the document.

        Returns:
            The new identity of the work that this document cites.

        Raises:
            DocumentNotFoundError, WorkNotFoundError: the document does not exist, or does not cite the work.
        """
        return str(self._write_works("split_work", {"work": name, "document_id": document}))

    def reset_work(self, name: str) -> int:
        """Undo ``merge_works`` and ``split_work`` for a work.

        Args:
            name: an identity, identifier or title.

        Returns:
            The number of entries released.

        Raises:
            WorkNotFoundError: no work has this name.
        """
        return int(self._write_works("reset_work", {"work": name}))

    def _write_works(self, query: str, values: dict[str, Any]) -> Any:
        with self.database.write() as connection:
            row = connection.execute(QUERIES[query], values).fetchone()
        return row[0] if row else None


def _count(name: str, number: int | None) -> int | None:
    return None if number is None else whole(name, number)
