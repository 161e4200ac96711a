"""What the store knows of a file, and the transactions that change it."""

from __future__ import annotations

import mimetypes
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, scalar_row

from ragraph.errors import IngestError
from ragraph.ingest import ids
from ragraph.ingest.discover import Found, printable
from ragraph.ingest.embed import made_with
from ragraph.ingest.graph_rows import DocumentRow, Graph
from ragraph.ingest.readers import ReadOptions, extra_there, reader_for
from ragraph.ingest.stage_two import ingest_draft
from ragraph.ingest.texts import count_tokens
from ragraph.queries import QUERIES
from ragraph.schema.enums import DocumentType, ProcessingStatus

if TYPE_CHECKING:
    import psycopg

    from ragraph.database import Database
    from ragraph.embedding import EmbeddingModel
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.parts import PartSettings
    from ragraph.schema.reports import FileStatus

_MEDIA_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "epub": "application/epub+zip",
    "html": "text/html",
    "jats": "application/xml",
    "uspto": "application/xml",
    "markdown": "text/markdown",
    "latex": "application/x-latex",
    "csv": "text/csv",
    "text": "text/plain",
    "docling": "application/json",
}
"""By the name of the reader: what a file is, whatever its name says."""


@dataclass(frozen=True)
class Target:
    """The document that a file becomes, and what there is to do.

    Attributes:
        document_id: its id.
        found: the file.
        sha256: of the file.
        size: of the file, in bytes.
        row: the row of the document as it was found; None if there is none.
        twin: another document of the collection with the same bytes.
        to_read: whether the file has to be read; False when these bytes were read by the same reader.
        complete: whether nothing is missing at all.
        warnings: of the reader.
    """

    document_id: str
    found: Found
    sha256: str
    size: int
    row: dict[str, Any] | None
    twin: str | None = None
    to_read: bool = True
    complete: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def filled(self) -> bool:
        """Whether a file was read into the document before; then it follows its file, whatever others hold."""
        return self.row is not None and self.row["sha256"] is not None


@dataclass(frozen=True)
class Stored:
    """What storing a draft came to."""

    status: FileStatus = "unchanged"
    twin: str | None = None


class Ledger:
    """The store as the ingester sees it, for one collection and one way of ingesting."""

    def __init__(
        self,
        database: Database,
        collection: str,
        tags: tuple[str, ...],
        model: EmbeddingModel | None,
        options: ReadOptions,
        parts: PartSettings,
    ) -> None:
        self._database = database
        self._collection = collection
        self._tags = list(tags)
        self._model = model
        self._made_with = made_with(parts)
        self._settings = _settings(options)

    def target(self, found: Found, sha256: str, size: int, document_id: str | None) -> Target:
        """Return what a file is to the store.

        Raises:
            IngestError: the id given, or made by a record, belongs to another collection.
        """
        with self._database.read() as connection:
            row = self._row(connection, found, document_id)
            target = Target(
                document_id=row["id"] if row else document_id or ids.document_id(self._collection, found.uri),
                found=found,
                sha256=sha256,
                size=size,
                row=row,
            )
            if row is not None and row["collection"] != self._collection:
                raise IngestError(
                    f"document {row['id']!r} is in the collection {row['collection']!r}; give --collection to match"
                )
            if row is None or row["sha256"] != sha256:
                return target if target.filled else replace(target, twin=self._twin(connection, target))
        if row["ingested_with"].get("settings", {}) != self._settings:
            return target
        reader = reader_for(found.path)
        if row["ingested_with"].get("reader") != f"{reader.name}/{reader.version}":
            return target
        if any(extra_there(name) for name in row["ingested_with"].get("lacks", ())):
            return target
        return replace(target, to_read=False, complete=self._complete(row))

    def store(self, target: Target, draft: Draft) -> Stored:
        """Write the graph of a document in one transaction, unless another process did so meanwhile.

        Raises:
            RagraphError: the database refuses a row; nothing was written.
        """
        with self._database.write() as connection:
            key = {"document_id": target.document_id, "sha256": target.sha256, "collection": self._collection}
            connection.execute(QUERIES["lock_content"], key)
            connection.execute(QUERIES["lock_document"], key)
            row = self._row(connection, target.found, target.document_id)
            if not target.filled and (twin := self._twin(connection, target)):
                return Stored(twin=twin)
            if row is not None and row["sha256"] == target.sha256 and self._as_now(row, draft):
                return Stored("unchanged")
            document = self._document(target, row, draft)
            described = bool(document.ingested_with.get("record"))
            ingest_draft(connection, draft, document, adjust=_of_record if described else count_tokens)
            self._tag(connection, document.publication_id)
        return Stored("changed" if row is not None and row["sha256"] is not None else "added")

    def complete(self, target: Target) -> None:
        """Set the status of a document that lacks nothing."""
        with self._database.write() as connection:
            connection.execute(QUERIES["complete_document"], {"document_id": target.document_id})

    def keep(self, target: Target) -> None:
        """Note where the file of a document that need not be read is now, and the tags of this run."""
        if target.row is None:
            raise AssertionError("a document that is not known has to be read")
        with self._database.write() as connection:
            place = {"document_id": target.document_id, "source_uri": target.found.uri}
            connection.execute(QUERIES["move_document"], place)
            self._tag(connection, target.row["publication_id"])

    def fail(self, found: Found, document_id: str | None, reason: str) -> str | None:
        """Write down why a file could not be taken in, if its document is known; return the id of that."""
        with self._database.write() as connection:
            row = self._row(connection, found, document_id)
            if row is None or row["collection"] != self._collection:
                return None
            connection.execute(QUERIES["fail_document"], {"document_id": row["id"], "reason": reason})
        return str(row["id"])

    def counts(self, document_id: str) -> dict[str, int]:
        """Return how many nodes, components and relations a document has."""
        with self._database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(QUERIES["document_counts"], {"document_id": document_id}).fetchone() or {}

    def _tag(self, connection: psycopg.Connection[Any], publication_id: str) -> None:
        if self._tags:
            connection.execute(QUERIES["tag_publication"], {"publication_id": publication_id, "tags": self._tags})

    def _row(self, connection: psycopg.Connection[Any], found: Found, document_id: str | None) -> dict[str, Any] | None:
        wanted = {
            "document_id": document_id,
            "derived_id": ids.document_id(self._collection, found.uri),
            "source_uri": found.uri,
            "collection": self._collection,
            "stem": printable(found.path.stem),
        }
        with connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(QUERIES["known_documents"], wanted).fetchone()

    def _twin(self, connection: psycopg.Connection[Any], target: Target) -> str | None:
        wanted = {"collection": self._collection, "sha256": target.sha256, "document_id": target.document_id}
        with connection.cursor(row_factory=scalar_row) as cursor:
            twin: str | None = cursor.execute(QUERIES["same_content"], wanted).fetchone()
            return twin

    def _as_now(self, row: dict[str, Any], draft: Draft) -> bool:
        made = row["ingested_with"]
        same = made.get("reader") == draft.reader and made.get("settings", {}) == self._settings
        return bool(same and made.get("lacks") == draft.made_by.get("lacks"))

    def _complete(self, row: dict[str, Any]) -> bool:
        if row["status"] == "processing":
            return False
        if self._model is None:
            return True
        return bool(row["ingested_with"].get("embedded", {}).get(self._model.name) == self._made_with)

    def _document(self, target: Target, row: dict[str, Any] | None, draft: Draft) -> DocumentRow:
        media_type = _MEDIA_TYPES.get(draft.reader.split("/")[0]) or mimetypes.guess_type(target.found.path.name)[0]
        row = row or {}
        made: dict[str, Any] = {"settings": self._settings} if self._settings else {}
        # A row without a file was made by a publication record, which knows better than the file what it is from.
        if row and (row["sha256"] is None or row["ingested_with"].get("record")):
            made["record"] = True
        return DocumentRow(
            id=target.document_id,
            publication_id=row.get("publication_id") or ids.publication_id(target.document_id),
            type=DocumentType(row.get("type") or DocumentType.MAIN),
            download_url=row.get("download_url"),
            description=row.get("description"),
            mime_type=media_type or row.get("mime_type"),
            charset=row.get("charset"),
            version=row.get("version"),
            storage_url=target.found.uri,
            file_size=target.size,
            collection=self._collection,
            source_uri=target.found.uri,
            sha256=target.sha256,
            ingested_with=made,
            processing_status=ProcessingStatus.PROCESSING if self._model else ProcessingStatus.COMPLETED,
        )


def _of_record(graph: Graph) -> Graph:
    """Leave the publication as the record has it."""
    return replace(count_tokens(graph), publication=None)


def _settings(options: ReadOptions) -> dict[str, Any]:
    """Return what of the options decides what a reader gives, those left at their default and secrets left out."""
    usual = asdict(ReadOptions())
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(options).items()}
    return {name: value for name, value in given.items() if value != usual[name] and name != "password"}
