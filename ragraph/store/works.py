"""The part of the store's face that is about works: what documents cite, and which of them cite each other."""

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
    """Methods of ``Store``."""

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
        """Return the works that documents cite, or that they are, the most cited first.

        Where there are none, a document or collection that is not there is told by a notice.

        Args:
            name: only what is called so: an identity, a DOI, a PMID or a title; several may be.
            document: only what these cite or are: ids; counts are theirs.
            collection: only of this one.
            limit: how many at most.
            offset: how many to pass over.

        Raises:
            WorkNotFoundError: nothing is called so.
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
        """Return what a document cites: the entries of its bibliography in reading order, taken apart.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._ask.rows("cited_works", class_row(WorkEntry), {"document_id": document})

    def citing(self, document: str) -> list[WorkEntry]:
        """Return who cites a document: the entries of other documents that mean it.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._ask.rows("citing_documents", class_row(WorkEntry), {"document_id": document})

    def co_cited(self, document: str, limit: int | None = 20) -> list[CoCitedWork]:
        """Return the works that are cited by the documents that cite this one too (co-citation), most often first.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: ``limit`` is negative.
        """
        values = {"document_id": document, "k": _count("limit", limit)}
        return self._ask.rows("co_cited_works", class_row(CoCitedWork), values)

    def coupled(self, document: str, limit: int | None = 20) -> list[RelatedDocument]:
        """Return the documents that cite the same works as this one (bibliographic coupling), those with most first.

        Raises:
            DocumentNotFoundError: there is no such document.
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
        """Take apart the entries that are new or changed, and work out anew what hangs together with them.

        Taking files in does it; this is for a store that was filled by an older version, or whose last run warned.

        Args:
            document: only these: ids.
            collection: only this one.
            progress: told how many documents are done, and of how many.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        from ragraph.works.update import update_works

        documents = texts("document", document)
        for name in documents or ():
            with self.database.read() as connection:
                connection.execute(QUERIES["require_document"], {"document_id": name})
        return update_works(self.database, documents, collection=collection, progress=progress)

    def merge_works(self, names: Sequence[str]) -> str:
        """Say that works are one, by identity, identifier or title; return the identity that they share from now on.

        Raises:
            WorkNotFoundError: nothing is called so.
            ArgumentError: fewer than two, or of several collections.
        """
        return str(self._write_works("merge_works", {"works": texts("names", names)}))

    def split_work(self, name: str, document: str) -> str:
        """Say that what a document cites so is another work than elsewhere; return its own identity.

        Raises:
            DocumentNotFoundError, WorkNotFoundError: there is no such document, or it cites nothing so.
        """
        return str(self._write_works("split_work", {"work": name, "document_id": document}))

    def reset_work(self, name: str) -> int:
        """Take back what ``merge_works`` and ``split_work`` said of a work; return how many entries were let go.

        Raises:
            WorkNotFoundError: nothing is called so.
        """
        return int(self._write_works("reset_work", {"work": name}))

    def _write_works(self, query: str, values: dict[str, Any]) -> Any:
        with self.database.write() as connection:
            row = connection.execute(QUERIES[query], values).fetchone()
        return row[0] if row else None


def _count(name: str, number: int | None) -> int | None:
    return None if number is None else whole(name, number)
