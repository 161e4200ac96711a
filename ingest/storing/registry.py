"""Find the document of a file in the store, and the transactions that change it."""

from __future__ import annotations

import itertools
import mimetypes
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from ragraph.base.counts import many
from ragraph.base.extras import extra_there
from ragraph.base.queries import QUERIES
from ragraph.database.deadline import DeadlineError, deadline
from ragraph.database.retry import write_once
from ragraph.documents.assets import assets_of, is_asset, release
from ragraph.errors import IngestError, RagraphError, ReaderTimeoutError
from ragraph.ingest.common import ids
from ragraph.ingest.common.graph_rows import DocumentRow, Graph
from ragraph.ingest.files.identity import Identity, identify
from ragraph.ingest.files.inside import file_around, is_still_there
from ragraph.ingest.files.places import PACKAGE, name_of, path_of, printable, shown_place
from ragraph.ingest.reader_process.figures import ASSET
from ragraph.ingest.reader_process.preflight import TIMEOUT_S
from ragraph.ingest.readers import AUTO, ReadOptions, reader_for
from ragraph.ingest.storing.attaching import (
    adopt,
    delete_attached,
    no_longer_inside,
    of_same_file,
    own_metadata,
    publication_around,
)
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.ingest.storing.write import id_is_free
from ragraph.ingest.vectors.embed import is_made_with
from ragraph.ingest.vectors.texts import tokens_of
from ragraph.schema.enums import DocumentType, ProcessingStatus
from ragraph.schema.reports import GoneFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.files.discover import Found
    from ragraph.ingest.files.places import Places
    from ragraph.ingest.vectors.parts import PartSettings
    from ragraph.models.embedding import EmbeddingModel
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
    "eml": "message/rfc822",
}
"""Media type by the name of the reader, whatever the file is called."""


@dataclass(frozen=True)
class Target:
    """The document that a file becomes, and what has to be done.

    Attributes:
        document_id: its id.
        found: the file.
        sha256: SHA-256 of the file.
        size: size of the file in bytes.
        row: the row of the document as it was found; None if it is new.
        named: the id that the user chose.
        moved: whether the document was at another place before.
        twin: another document of the collection with the same bytes, of which this file is a copy.
        considered: ids of the documents on which this result depends.
        to_read: whether the file has to be read; False if the same reader has read these bytes.
        complete: whether nothing is missing, vectors included.
        warnings: warnings of the reader.
        outdated: ids of documents that were attached to the file and are no longer in it.
    """

    document_id: str
    found: Found
    sha256: str
    size: int
    row: dict[str, Any] | None
    named: str | None = None
    moved: bool = False
    twin: str | None = None
    considered: frozenset[str] = frozenset()
    to_read: bool = True
    complete: bool = False
    warnings: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()

    @property
    def packed(self) -> bool:
        """Return True if the document is one file."""
        return self.found.path.suffix.lower() != PACKAGE


@dataclass(frozen=True)
class Stored:
    """The result of a write: the status of the file, its target now, and the document that it displaced."""

    status: FileStatus
    target: Target
    displaced: str | None = None


class Registry:
    """The store during ingestion, for one collection and one set of options."""

    def __init__(
        self,
        database: Database,
        collection: str,
        tags: tuple[str, ...],
        model: EmbeddingModel | None,
        options: ReadOptions,
        parts: PartSettings,
        places: Places,
        assets: Assets | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._timeout_s = timeout_s
        self._assets = assets
        self._database = database
        self._collection = collection
        self._tags = list(tags)
        self._model = model
        self._parts = parts
        self._options = options
        self._pictures = options.pictures
        self._places = places

    def target(self, found: Found, sha256: str, size: int, document_id: str | None) -> Target:
        """Return the document of a file.

        Raises:
            IngestError: the given id, or the id from a record, belongs to another collection.
        """
        with self._database.read() as connection:
            return self._target(connection, found, sha256, size, document_id)

    def _target(
        self, connection: psycopg.Connection[Any], found: Found, sha256: str, size: int, named: str | None
    ) -> Target:
        rows = self._rows(connection, found, sha256, named)
        publication = publication_around(connection, found, self._collection)
        if named is None:
            alike = of_same_file(rows, found, publication)
            is_there = partial(self._is_there, found, sha256)
            stem = printable(found.path.stem)
            identity = identify(alike, self._collection, found.uri, stem, sha256, is_there)
        else:
            identity = self._named(connection, rows, found, sha256, named)
        row = identity.row
        target = Target(
            document_id=row["id"] if row else named or self._new_id(connection, found, sha256),
            found=found,
            sha256=sha256,
            size=size,
            row=row,
            named=named,
            moved=identity.moved,
            twin=identity.twin,
            considered=frozenset(row["id"] for row in rows),
            outdated=no_longer_inside(connection, row, found, self._collection, self._options.attachments),
        )
        if row is None or target.twin or row["sha256"] != sha256:
            return target
        if row["ingested_with"].get("settings", {}) != self._settings_for(row):
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
            LeaseLostError: of a batch job: another process has claimed the file.
            ReaderTimeoutError: it took longer than the limit for a file, or needed too much; nothing was written.
            RagraphError: the database refuses a row; nothing was written.
        """
        tokens = tokens_of(node.text for node in draft.nodes)  # slow, so not while others wait for the document
        stored, unnamed = write_once(self._database, partial(self._store, target, draft, tokens))
        self._release(unnamed)
        return stored

    def _store(
        self, target: Target, draft: Draft, tokens: Mapping[str, int], connection: psycopg.Connection[Any]
    ) -> tuple[Stored, set[str]]:
        """Write the graph of a document in a transaction; return also the assets that are no longer used."""
        _own(connection, target.found)
        target = self._locked(connection, target)
        row = target.row
        if target.twin is not None:
            return Stored("duplicate", target), set()
        if row is not None and row["sha256"] == target.sha256 and self._as_now(row, draft):
            self._keep(connection, target)
            unnamed = delete_attached(connection, target.outdated)
            return Stored("moved" if target.moved else "unchanged", target, self._put(connection, target)), unnamed
        document = self._document(connection, target, row, draft)
        if kept := self._kept(target):
            document = replace(document, storage_url=kept)
        self._keep_pictures(connection, draft)
        before = assets_of(connection, target.document_id)
        shared = document.publication_id != ids.publication_id(document.id)
        adjust = _of_record if shared or document.ingested_with.get("record") else None
        try:
            with deadline(connection, self._timeout_s):
                ingest_draft(connection, draft, document, adjust=adjust, tokens=tokens)
        except DeadlineError as error:
            raise ReaderTimeoutError(
                f"writing the file {error} and was stopped;"
                f" it has {many(len(draft.nodes), 'node')} and {many(len(draft.relations), 'relation')}:"
                " raise timeout_s= or split it"
            ) from error
        unnamed = before - assets_of(connection, target.document_id) | delete_attached(connection, target.outdated)
        displaced = self._put(connection, target)
        adopt(connection, document.publication_id, target.found, self._collection)
        self._tag(connection, document.publication_id, target.found)
        if target.moved and row is not None and row["sha256"] == target.sha256:
            return Stored("moved", target, displaced), unnamed
        status: FileStatus = "changed" if row is not None and row["sha256"] is not None else "added"
        return Stored(status, target, displaced), unnamed

    def complete(self, target: Target) -> None:
        """Set the status of a document to completed."""
        with self._database.write() as connection:
            _own(connection, target.found)
            connection.execute(QUERIES["complete_document"], {"document_id": target.document_id})

    def keep(self, target: Target) -> Stored | None:
        """Record the present place of a file that need not be read, and the tags of this run.

        Returns:
            None if another process changed the document of the file.
        """
        if target.row is None:
            raise AssertionError("a document that is not known has to be read")
        displaced = None
        placed = target.row["source_uri"] == target.found.uri and self._collection in target.row["ingested_into"]
        unnamed: set[str] = set()
        changes = self._tags or any(target.found.entry.values()) or target.outdated
        if changes or not placed or self._lacks_original(target):
            with self._database.write() as connection:
                _own(connection, target.found)
                now = self._locked(connection, target)
                if (now.document_id, now.to_read, now.twin) != (target.document_id, False, None):
                    return None
                displaced = self._put(connection, target)
                self._keep(connection, target)
                unnamed = delete_attached(connection, now.outdated)
                adopt(connection, target.row["publication_id"], target.found, self._collection)
                self._tag(connection, target.row["publication_id"], target.found)
                target = replace(target, outdated=now.outdated)
        self._release(unnamed)
        return Stored("moved" if target.moved else "unchanged", target, displaced)

    def fail(self, found: Found, document_id: str | None, reason: str) -> str | None:
        """Store the reason why a file could not be ingested with its document, if known; return the document's id."""
        with self._database.write() as connection:
            _own(connection, found)
            rows = self._rows(connection, found, None, document_id)
            if document_id is None:
                stem = printable(found.path.stem)
                rows = of_same_file(rows, found, publication_around(connection, found, self._collection))
                row = identify(rows, self._collection, found.uri, stem, None, lambda _: True).row
            else:
                row = rows[0] if rows and self._is_ours(rows[0]) else None
            if row is None:
                return None
            connection.execute(QUERIES["fail_document"], {"document_id": row["id"], "reason": reason})
        return str(row["id"])

    def counts(self, document_id: str) -> dict[str, int]:
        """Return the numbers of nodes, components and relations of a document."""
        with self._database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(QUERIES["document_counts"], {"document_id": document_id}).fetchone() or {}

    def gone(self, folders: list[Path]) -> tuple[GoneFile, ...]:
        """Return the documents ingested into the collection whose file, in one of these folders, is missing."""
        places: dict[str, str] = {}
        with self._database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
            for folder in folders:
                key = {"collection": self._collection, "folder": folder.as_uri().rstrip("/") + "/"}
                places |= {row["id"]: row["source_uri"] for row in cursor.execute(QUERIES["documents_below"], key)}
        return tuple(
            GoneFile(document_id=name, path=shown_place(place))
            for name, place in sorted(places.items())
            if (path := path_of(file_around(place) or place)) is not None
            and not (os.path.lexists(path) and is_still_there(place))
        )

    def _release(self, unnamed: set[str]) -> None:
        """Delete assets that no document names any more."""
        if self._assets is not None and unnamed:
            with suppress(RagraphError):  # clean_assets deletes what remains of a changed file
                release(self._database, self._assets, sorted(unnamed))

    def _lacks_original(self, target: Target) -> bool:
        """Return True if the original should be stored and is not. An unpacked EPUB is a folder and is never copied."""
        row = target.row or {}
        return self._assets is not None and target.packed and not is_asset(row.get("storage_url"))

    def _kept(self, target: Target) -> str | None:
        """Store the original, whose bytes the caller has locked; return where it is."""
        if self._assets is None or not target.packed:
            return None
        return self._assets.put(target.found.path, target.sha256)

    def _keep_pictures(self, connection: psycopg.Connection[Any], draft: Draft) -> None:
        """Store the pictures of figures, which the reader's process has written."""
        if self._assets is None or self._pictures is None:
            return
        for name in sorted(
            {url.removeprefix(ASSET) for node in draft.nodes if is_asset(url := node.storage_url or "")}
        ):
            connection.execute(QUERIES["lock_content"], {"sha256": name})
            self._assets.put(Path(self._pictures) / name, name)

    def _keep(self, connection: psycopg.Connection[Any], target: Target) -> None:
        """Store the original of a document whose content does not change."""
        if self._lacks_original(target) and (kept := self._kept(target)):
            key = {"document_id": target.document_id, "sha256": target.sha256, "storage_url": kept}
            connection.execute(QUERIES["keep_original"], key)

    def _tag(self, connection: psycopg.Connection[Any], publication_id: str, found: Found) -> None:
        """Store the tags of the run, and the tags and metadata that a manifest has for the file."""
        if tags := [*self._tags, *found.entry.get("tags", ())]:
            connection.execute(QUERIES["tag_publication"], {"publication_id": publication_id, "tags": tags})
        if metadata := found.entry.get("metadata"):
            names = {"publication_id": publication_id, "metadata": Jsonb(metadata)}
            if connection.execute(QUERIES["describe_publication"], names).rowcount:
                connection.execute(QUERIES["works_owe"], names)

    def _locked(self, connection: psycopg.Connection[Any], target: Target) -> Target:
        """Lock the bytes, place and document of a file, and return its document as it is now."""
        connection.execute(QUERIES["lock_content"], {"sha256": target.sha256})
        connection.execute(QUERIES["lock_place"], {"source_uri": target.found.uri})
        if (mail := file_around(target.found.uri)) is not None:  # its publication comes with it or after it
            connection.execute(QUERIES["lock_place"], {"source_uri": mail})
        locked = target.document_id
        while True:
            connection.execute(QUERIES["lock_document"], {"document_id": locked})
            target = self._target(connection, target.found, target.sha256, target.size, target.named)
            if target.row is None and target.named is None and target.twin is None:
                target = replace(target, document_id=self._free_id(connection, target.found, target.sha256))
            if target.document_id == locked:
                return target
            locked = target.document_id

    def _put(self, connection: psycopg.Connection[Any], target: Target) -> str | None:
        """Store the present place of a document's file; return the id of another document that was there."""
        own = target.row["collection"] if target.row else self._collection
        before = name_of(target.row["source_uri"]) if target.row else None
        name = name_of(target.found.uri)
        key = {
            "document_id": target.document_id,
            "source_uri": target.found.uri,
            "collection": self._collection,
            "own_collection": own,
            "name": before,
            "title": name,
        }
        with connection.cursor(row_factory=scalar_row) as cursor:
            displaced: str | None = cursor.execute(QUERIES["clear_place"], key).fetchone()
        connection.execute(QUERIES["move_document"], key)
        # only the publication that was made up for the file is named after it
        made_up = {"publication_id": ids.publication_id(target.document_id), "name": before, "title": name}
        if before is not None and connection.execute(QUERIES["retitle_publication"], made_up).rowcount:
            connection.execute(QUERIES["works_owe"], made_up)
        return displaced

    def _rows(
        self, connection: psycopg.Connection[Any], found: Found, sha256: str | None, named: str | None
    ) -> list[dict[str, Any]]:
        with connection.cursor(row_factory=dict_row) as cursor:
            if named is not None:
                return cursor.execute(QUERIES["document_by_id"], {"document_id": named}).fetchall()
            wanted = {
                "source_uri": found.uri,
                "collection": self._collection,
                "stem": printable(found.path.stem),
                "sha256": sha256,
            }
            return cursor.execute(QUERIES["documents_of_file"], wanted).fetchall()

    def _named(
        self, connection: psycopg.Connection[Any], rows: list[dict[str, Any]], found: Found, sha256: str, named: str
    ) -> Identity:
        """Return the document of an id that the user chose: it follows the file, unless another has these bytes."""
        row = rows[0] if rows else None
        if row is not None and not self._is_ours(row):
            raise IngestError(
                f"document {row['id']!r} is in the collection {row['collection']!r}; give collection= to match"
            )
        if row is not None and row["sha256"] is not None:
            return Identity(row, moved=row["sha256"] == sha256 and row["source_uri"] not in (None, found.uri))
        return Identity(row, twin=self._same_content(connection, row, sha256, named, attached=False))

    def _same_content(
        self,
        connection: psycopg.Connection[Any],
        row: dict[str, Any] | None,
        sha256: str,
        document_id: str,
        *,
        attached: bool = True,
    ) -> str | None:
        """Return another document with these bytes in the collection of a document, present or future.

        Attachments count only with ``attached``, because a file never is a copy of one.
        """
        wanted = {
            "collection": row["collection"] if row else self._collection,
            "sha256": sha256,
            "document_id": document_id,
            "attached": attached,
        }
        with connection.cursor(row_factory=scalar_row) as cursor:
            found: str | None = cursor.execute(QUERIES["same_content"], wanted).fetchone()
        return found

    def _is_ours(self, row: dict[str, Any]) -> bool:
        """Return True if a document is in the collection, or was ingested into it and moved since."""
        return self._collection in (row["collection"], *row["ingested_into"])

    def _is_there(self, found: Found, sha256: str, row: dict[str, Any]) -> bool:
        return self._places.holds(row["source_uri"], sha256, found.path)

    def _new_id(self, connection: psycopg.Connection[Any], found: Found, sha256: str) -> str:
        """Return the first id for these bytes that no visible document has; a document with one has changed since."""
        return next(self._new_ids(connection, found, sha256))

    def _new_ids(self, connection: psycopg.Connection[Any], found: Found, sha256: str) -> Iterator[str]:
        attached = file_around(found.uri) is not None
        for n in itertools.count():
            # thousands of mails may have the same attachment: the second id is that of its address
            bytes_of = f"{sha256} {found.uri}" if attached and n else sha256
            wanted = ids.document_id(self._collection, bytes_of, n)
            if connection.execute(QUERIES["document_by_id"], {"document_id": wanted}).fetchone() is None:
                yield wanted

    def _free_id(self, connection: psycopg.Connection[Any], found: Found, sha256: str) -> str:
        """Return the first of these ids that no other tenant, whose documents are not visible, has taken."""
        return next(
            wanted
            for wanted in self._new_ids(connection, found, sha256)
            if id_is_free(connection, wanted, self._collection)
        )

    def _settings_for(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with which a document is read now."""
        return _settings(options_for(self._options, row))

    def _as_now(self, row: dict[str, Any], draft: Draft) -> bool:
        made = row["ingested_with"]
        same = made.get("reader") == draft.reader and made.get("settings", {}) == self._settings_for(row)
        return bool(same and made.get("lacks") == draft.made_by.get("lacks"))

    def _complete(self, row: dict[str, Any]) -> bool:
        if row["status"] == "processing":
            return False
        if self._model is None:
            return True
        return is_made_with(row["ingested_with"].get("embedded", {}).get(self._model.name), self._parts)

    def _document(
        self, connection: psycopg.Connection[Any], target: Target, row: dict[str, Any] | None, draft: Draft
    ) -> DocumentRow:
        media_type = _MEDIA_TYPES.get(draft.reader.split("/")[0]) or mimetypes.guess_type(target.found.path.name)[0]
        row = row or {}
        settings = self._settings_for(row)
        made: dict[str, Any] = {"settings": settings} if settings else {}
        # a row without a file comes from a publication record, whose metadata is better than the file's
        if row and (row["sha256"] is None or row["ingested_with"].get("record")):
            made["record"] = True
        if like := self._same_content(connection, row or None, target.sha256, target.document_id):
            made["like"] = like  # it now has the same bytes as another document; check_store accepts this by the mark
        around = None if row else publication_around(connection, target.found, self._collection)
        attached = file_around(target.found.uri) is not None
        return DocumentRow(
            id=target.document_id,
            publication_id=row.get("publication_id") or around or ids.publication_id(target.document_id),
            type=DocumentType(row.get("type") or (DocumentType.SUPPLEMENTAL if attached else DocumentType.MAIN)),
            download_url=row.get("download_url"),
            description=row.get("description") or (name_of(target.found.uri) if attached else None),
            **(own_metadata(draft, target.found.uri) if attached else {}),
            mime_type=media_type or row.get("mime_type"),
            charset=row.get("charset") if "record" in made else settings.get("charset") or draft.made_by.get("charset"),
            version=row.get("version"),
            language=row.get("language") if "language" in row.get("set_by_hand", ()) else None,
            storage_url=target.found.uri,
            file_size=target.size,
            collection=row.get("collection") or self._collection,
            source_uri=target.found.uri,
            sha256=target.sha256,
            ingested_with=made,
            processing_status=ProcessingStatus.PROCESSING if self._model else ProcessingStatus.COMPLETED,
        )


def _own(connection: psycopg.Connection[Any], found: Found) -> None:
    """Raise LeaseLostError if another process has taken over the file of a batch job."""
    if found.lease is not None:
        found.lease.require_held(connection)


def _of_record(graph: Graph) -> Graph:
    """Remove the publication from a graph, so that the record's one stays."""
    return replace(graph, publication=None)


def options_for(options: ReadOptions, row: dict[str, Any] | None) -> ReadOptions:
    """Return the options for a document: a character set that was named for it holds until another, or auto, is."""
    if options.charset == AUTO:
        return replace(options, charset=None)
    named = (row or {}).get("ingested_with", {}).get("settings", {}).get("charset")
    return replace(options, charset=options.charset or named)


def _settings(options: ReadOptions) -> dict[str, Any]:
    """Return the options that affect the draft, without those at their default and without secrets."""
    usual = asdict(ReadOptions())
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(options).items()}
    return {
        name: value
        for name, value in given.items()
        if value != usual[name] and name not in ("password", "pictures", "strict")
    }
