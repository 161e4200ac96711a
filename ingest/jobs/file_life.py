"""The life of a file in a run, in this order: identified, read, stored, embedded, reported.

``file_state.Step`` names the steps, and ``file_state.NEXT`` which may follow which. The comments here say from which
step to which the methods lead. Only reading, in ``reading_queue``, happens in other threads and processes.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ragraph.base.counts import many
from ragraph.database.retry import ENDS, with_retry
from ragraph.errors import IngestError, LeaseLostError, RagraphError
from ragraph.ingest.files.inside import file_around
from ragraph.ingest.files.places import shown_place
from ragraph.ingest.files.records import PublicationRecord, read_records, write_records
from ragraph.ingest.jobs.file_state import FileState, Step
from ragraph.ingest.jobs.reports import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.files.discover import Found
    from ragraph.ingest.files.places import Places
    from ragraph.ingest.jobs.conflicts import Conflicts
    from ragraph.ingest.jobs.reports import Reports
    from ragraph.ingest.jobs.request import IngestRequest
    from ragraph.ingest.jobs.work import Work
    from ragraph.ingest.storing.registry import Registry, Stored, Target
    from ragraph.ingest.vectors.embed import Embedder
    from ragraph.schema.reports import FileStatus

_TRIES = 5
"""Attempts to identify a file if another process changes its document meanwhile."""

_DELETED = "the document was deleted while it was embedded"


class FileLife:
    """Takes files through their steps, in the thread that runs the job.

    Args:
        request: the request.
        work: the files; it records the stage of each.
        database: the store.
        registry: makes the registry of a collection.
        places: the files on this machine.
        conflicts: files of the run that hold up each other.
        reports: the results of the files.
    """

    def __init__(
        self,
        request: IngestRequest,
        work: Work,
        *,
        database: Database,
        registry: Callable[[str], Registry],
        places: Places,
        conflicts: Conflicts,
        reports: Reports,
    ) -> None:
        self._request = request
        self._work = work
        self._database = database
        self._registry = registry
        self._places = places
        self._conflicts = conflicts
        self._reports = reports
        self._embedder: Embedder | None = None
        self._embedding: dict[str, FileState] = {}

    def embed_with(self, make: Callable[..., Embedder]) -> None:
        """Have the documents embedded; without it they end with their graph.

        Args:
            make: makes the embedder, with ``finished``, ``guard`` and ``lost`` as arguments.
        """
        self._embedder = make(finished=self._embedded, guard=self._guard, lost=self._embedding_lost)

    # found, fetching, waiting -> waiting, reading, stored; or an end

    def look_up(self, file: FileState) -> None:
        """Identify a file: it has to be read, now or after other files, or it is done."""
        try:
            self._look_up(file)
        except LeaseLostError:
            self.leave(file)
        except ENDS:
            raise
        except (RagraphError, OSError) as error:
            self.fail(file, error)

    def _look_up(self, file: FileState) -> None:
        found = file.found
        if found.missing:
            raise IngestError(found.why_missing)
        if found.record:
            self._take_in_records(file)
            return
        if given := found.entry.get("record"):
            self._write_records(found, [PublicationRecord.model_validate(given)])
        sha256, size = self._places.fingerprint(found.path)
        registry, named = self._registry_of(found), self._named(found)
        for _ in range(_TRIES):
            target = with_retry(self._database, lambda: registry.target(found, sha256, size, named))
            file.target = target
            if self._settle(file, target):
                return
            if kept := with_retry(self._database, partial(registry.keep, target)):
                self._stored(file, kept)
                return
        raise IngestError("another process ingests the same files; run this again once it is done")

    def _settle(self, file: FileState, target: Target) -> bool:
        """Decide by its document what happens to a file. Return False if it need not be read."""
        if self._conflicts.has_to_wait(target):
            self._conflicts.reading_begins(target)
            file.move_to(Step.WAITING)
        elif target.twin is not None:
            self._duplicate(file, target.twin)
        elif reason := self._conflicts.claim_document(file, target):
            self.report(file, "failed", None, reason)
        elif target.to_read:
            self._conflicts.reading_begins(target)
            file.move_to(Step.READING)
        else:
            return False
        return True

    def _take_in_records(self, file: FileState) -> None:
        records = read_records(file.found.path)
        outcome = self._write_records(file.found, records)
        documents = sum(len(record.downloadLinks) for record in records)
        self.report(
            file, "record", None, f"{outcome}: {many(len(records), 'publication')}, {many(documents, 'document')}"
        )

    def _write_records(self, found: Found, records: list[PublicationRecord]) -> str:
        collection, tags = found.collection or self._request.collection, self._request.tags

        def write() -> str:
            with self._database.write() as connection:
                if found.lease is not None:
                    found.lease.require_held(connection)
                return write_records(connection, records, collection, tags)

        return with_retry(self._database, write)

    # fetching

    def fetched(self, file: FileState, copy: Future[Any]) -> None:
        """Identify a file that was copied to this machine.

        Args:
            file: the file.
            copy: returns its local path, or raises the reason why it could not be copied.
        """
        try:
            file.found = replace(file.found, path=copy.result())
            self.look_up(file)
        except LeaseLostError:
            self.leave(file)
        except ENDS:
            raise
        except Exception as error:
            self.fail(file, error)

    # reading -> stored, reported; and further

    def read(self, file: FileState, draft: Future[Any]) -> None:
        """Store the draft of a file and have it embedded.

        Args:
            file: the file.
            draft: returns its draft, or raises the reason why it could not be read.
        """
        try:
            stored = self._store(file, draft.result())
        except LeaseLostError:
            self.leave(file)
            return
        except ENDS:
            raise
        except Exception as error:
            self.fail(file, error)
            return
        try:
            if stored.target.twin is not None:  # another process stored the same bytes meanwhile
                self._duplicate(file, stored.target.twin)
            else:
                self._stored(file, stored)
        except LeaseLostError:
            self.leave(file)

    def _store(self, file: FileState, draft: Draft) -> Stored:
        begin = time.monotonic()
        self._work.stage_begins(file.found, "writing")
        stored = self._registry_of(file.found).store(file.identified, draft)
        file.spent["writing"] = time.monotonic() - begin
        self._reports.log_stage(file, "writing")
        return replace(stored, target=replace(stored.target, warnings=tuple(draft.warnings)))

    def _stored(self, file: FileState, stored: Stored) -> None:
        """Record that a file is stored, and embed it if vectors are missing."""
        file.move_to(Step.STORED)
        file.target, file.status = stored.target, stored.status
        file.reason = self._remarks(file, stored)
        vectors = "stored, but some of its vectors are missing"
        self._reports.not_done_yet(file, vectors if self._embedder is not None else file.reason)
        _drop_copy(file)
        if self._embedder is None or stored.target.complete:
            with_retry(self._database, lambda: self._registry_of(file.found).complete(stored.target))
            self.report(file, file.status, stored.target.document_id, file.reason)
        else:
            self._embed(file, stored.target.document_id, self._embedder)

    def _remarks(self, file: FileState, stored: Stored) -> str | None:
        """Return where the document was before, its collection if somebody moved it, and what it displaced."""
        said = []
        row = stored.target.row
        if stored.status == "moved":
            before = row["source_uri"] if row else None
            said.append(f"was at {shown_place(before)}" if before else "its file had been replaced")
        if row is not None and row["collection"] != (file.found.collection or self._request.collection):
            said.append(f"in the collection {row['collection']!r}, where somebody moved it")
        if stored.displaced is not None:
            said.append(f"document {stored.displaced} was here before")
        if gone := len(stored.target.outdated):
            said.append(f"{many(gone, 'document')} that {'was' if gone == 1 else 'were'} attached to it deleted")
        return "; ".join(said) or None

    # stored -> embedding

    def _embed(self, file: FileState, document_id: str, embedder: Embedder) -> None:
        file.move_to(Step.EMBEDDING)
        self._embedding[document_id] = file
        self._work.stage_begins(file.found, "embedding")
        embedder.embed_document(document_id)
        if embedder.gone(document_id):
            self.fail(file, IngestError(_DELETED))

    def embed_rest(self) -> None:
        """Embed the remaining documents, once nothing is being read. Documents that still lack vectors have failed."""
        if self._embedder is None or not self._embedding:
            return
        self._embedder.encode_rest()
        for document_id, file in list(self._embedding.items()):
            del self._embedding[document_id]
            self.report(file, "failed", document_id, self._embedder.failures.get(document_id, _DELETED))

    # embedding -> an end; called by the embedder

    def _embedded(self, document_id: str) -> None:
        file = self._embedding.pop(document_id, None)
        if file is not None:
            file.spent["embedding"] = self._embedder.seconds[document_id] if self._embedder else 0.0
            self._reports.log_stage(file, "embedding")
            self.report(file, file.status, document_id, file.reason)

    def _guard(self, connection: psycopg.Connection[Any], document_id: str) -> None:
        file = self._embedding.get(document_id)
        if file is not None and file.found.lease is not None:
            file.found.lease.require_held(connection)

    def _embedding_lost(self, document_id: str) -> None:
        if (file := self._embedding.pop(document_id, None)) is not None:
            self.leave(file)

    # any step -> reported, taken over

    def report(self, file: FileState, status: FileStatus, document_id: str | None, reason: str | None) -> None:
        """End with a report, unless another process has taken the file over."""
        _drop_copy(file)
        if self._reports.report_file(file, status, document_id, reason):
            file.move_to(Step.REPORTED)
        else:
            self.leave(file)

    def _duplicate(self, file: FileState, twin: str) -> None:
        self._conflicts.release_document(file)
        self.report(file, "duplicate", twin, f"same bytes as document {twin}")

    def fail(self, file: FileState, error: BaseException) -> None:
        """End with a report of why a file could not be ingested; its document, if known, stores the reason too."""
        reason = reason_of(error)
        found, target = file.found, file.target
        known = None
        if target is not None:
            self._conflicts.content_fails(target, reason)
        if target is not None and self._embedding.get(target.document_id) is file:
            del self._embedding[target.document_id]  # its report is made here, once
        if not found.missing and not found.record:
            document_id = target.document_id if target and target.row else self._named(found)
            registry = self._registry_of(found)
            try:
                known = with_retry(self._database, lambda: registry.fail(found, document_id, reason))
            except LeaseLostError:
                self.leave(file)
                return
        self.report(file, "failed", known, reason)

    def leave(self, file: FileState) -> None:
        """Leave a file to the process that took it over."""
        _drop_copy(file)
        file.move_to(Step.TAKEN_OVER)
        self._reports.file_lost(file)
        self._conflicts.release_document(file)

    # for all files

    def counts(self, document_id: str) -> dict[str, int]:
        """Return the numbers of nodes, components and relations of a document, and of vectors written for it."""
        registry = self._registry(self._request.collection)
        counts = with_retry(self._database, lambda: registry.counts(document_id))
        return {**counts, "embeddings": self._embedder.written[document_id] if self._embedder else 0}

    def close(self) -> None:
        """Stop embedding."""
        if self._embedder is not None:
            self._embedder.close()

    def _registry_of(self, found: Found) -> Registry:
        """Return the registry for a file, to which a manifest may give a collection of its own."""
        return self._registry(found.collection or self._request.collection)

    def _named(self, found: Found) -> str | None:
        """Return the id that the user chose for the document of a file."""
        named: str | None = found.entry.get("id", self._request.document_id)
        return named if file_around(found.uri) is None else None


def _drop_copy(file: FileState) -> None:
    if file.copy is not None:
        shutil.rmtree(file.copy, ignore_errors=True)
