"""Taking in files: known ones are passed over, others are read in processes of their own, stored, and embedded.

Each document is one unit of work, and every unit can be repeated. Its graph goes in with one transaction, status
``processing``; its vectors follow, and with the last of them the status becomes ``completed``. Whatever ends a run
in between, the next one finds the documents that are not completed and goes on from there.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.embedding import DEFAULT_MODEL, EmbeddingModel, load_model
from ragraph.errors import ArgumentError, IngestError, RagraphError, SchemaVersionError, ServerError
from ragraph.ingest import isolate, ledger
from ragraph.ingest.discover import Found, find_files, fingerprint
from ragraph.ingest.embed import Embedder
from ragraph.ingest.parts import PartSettings
from ragraph.ingest.preflight import Limits
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.records import read_records, write_records
from ragraph.ingest.retry import with_retry
from ragraph.queries import QUERIES
from ragraph.schema.reports import FileReport, FileStatus, IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragraph.database import Database
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.ledger import Target

_AHEAD = 2
"""Drafts per reader's process that wait in memory at most."""


def ingest_paths(
    database: Database,
    paths: Iterable[Path],
    *,
    collection: str = "default",
    tags: Sequence[str] = (),
    document_id: str | None = None,
    model: str | EmbeddingModel | None = DEFAULT_MODEL,
    options: ReadOptions | None = None,
    parts: PartSettings | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    timeout_s: float = isolate.TIMEOUT_S,
    memory_bytes: int = isolate.MEMORY_BYTES,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> IngestReport:
    """Take in files, folders and publication records; leave alone what is known and unchanged.

    A file that fails does not stop the others and leaves the store as it was; if its document is known, that
    document keeps its content and gets the status ``failed`` with the reason. Several processes may take in the
    same files at once.

    Args:
        database: the store, its schema up to date.
        paths: files and folders; see ``find_files``.
        collection: namespace of new documents.
        tags: put on the publications of the documents.
        document_id: id of the document, for a single file.
        model: name, folder or model to embed with; None embeds nothing.
        options: for the readers, such as a password.
        parts: how long texts are cut for embedding.
        limits: what a file may be at most.
        workers: processes that read at the same time; default one per core, at most four.
        timeout_s: seconds of wall clock that reading a file may take; a page whose text is recognised adds to it.
        memory_bytes: memory that reading a file may take.
        progress: called in this thread as things happen.

    Returns:
        A report per file, in the order found.

    Raises:
        ArgumentError: ``document_id`` with more than one file, or an empty collection.
        ModelError: the model cannot be loaded, or differs from the one registered under its name.
        ServerError: the server went away and did not come back.
    """
    begin = time.monotonic()
    if not collection:
        raise ArgumentError("the collection has no name; give one, or leave it out for 'default'")
    found = find_files(paths)
    if document_id is not None and (len(found) != 1 or found[0].record):
        raise ArgumentError(f"an id can be given for one file, not for {len(found)}; name one file that is no record")
    loaded = load_model(model) if isinstance(model, str) else model
    run = _Run(
        database=database,
        collection=collection,
        tags=tuple(tags),
        document_id=document_id,
        model=loaded,
        options=options or ReadOptions(),
        parts=parts or PartSettings(),
        limits=limits or Limits(),
        progress=progress or (lambda _: None),
        total=len(found),
    )
    cores = os.cpu_count() or 1
    size = workers or min(cores, 4)
    threads = max(1, cores // max(1, min(size, len(found))))
    with isolate.ReaderPool(timeout_s=timeout_s, memory_bytes=memory_bytes, limits=limits, threads=threads) as pool:
        reports = run.files(found, pool, size)
    return IngestReport(files=tuple(reports), seconds=time.monotonic() - begin)


@dataclass
class _Open:
    """A file on its way."""

    place: int
    found: Found
    begin: float
    target: Target | None = None
    draft: Draft | None = None
    same_as: int | None = None
    """Place of an earlier file of this run with the same bytes."""
    status: FileStatus = "unchanged"


class _Run:
    """One call of ``ingest_paths``. Everything but reading happens in the caller's thread."""

    def __init__(
        self,
        *,
        database: Database,
        collection: str,
        tags: tuple[str, ...],
        document_id: str | None,
        model: EmbeddingModel | None,
        options: ReadOptions,
        parts: PartSettings,
        limits: Limits,
        progress: Callable[[ProgressEvent], None],
        total: int,
    ) -> None:
        self._database = database
        self._ledger = ledger.Ledger(database, collection, tags, model, options, parts)
        self._collection = collection
        self._tags = tags
        self._document_id = document_id
        self._model = model
        self._parts = parts
        self._options = options
        self._limits = limits
        self._progress = progress
        self._total = total
        self._reports: dict[int, FileReport] = {}
        self._embedding: dict[str, _Open] = {}
        self._by_content: dict[str, int] = {}
        self._by_document: dict[str, _Open] = {}
        self._embedder: Embedder | None = None

    def files(self, found: list[Found], pool: isolate.ReaderPool, size: int) -> list[FileReport]:
        """Return the reports of all files, in the order given."""
        self._progress(ProgressEvent(kind="found", total=self._total))
        if self._model is not None:
            # Before anything is read: a model that does not fit must not cost an hour of reading.
            self._embedder = Embedder(
                self._database, self._model, self._parts, progress=self._progress, finished=self._embedded
            )
        executor = ThreadPoolExecutor(max_workers=size, thread_name_prefix="ragraph-read")
        reading: dict[Future[Draft], _Open] = {}
        later: list[_Open] = []
        try:
            for place, item in enumerate(found):
                opened = _Open(place, item, time.monotonic())
                self._progress(
                    ProgressEvent(kind="started", path=item.shown, done=len(self._reports), total=self._total)
                )
                if not self._prepare(opened):
                    continue
                if opened.same_as is not None:
                    later.append(opened)
                    continue
                reading[executor.submit(self._read, pool, opened)] = opened
                while len(reading) >= size * (1 + _AHEAD):
                    self._collect(reading)
            while reading:
                self._collect(reading)
            if self._embedder is not None:
                self._embedder.finish()
                for document_id, reason in self._embedder.failures.items():
                    self._report(self._embedding.pop(document_id), "failed", document_id, reason)
            for opened in later:
                self._same(opened)
            if any(report.status in ("added", "changed") for report in self._reports.values()):
                with_retry(self._count_words)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            pool.close()
        return [self._reports[place] for place in sorted(self._reports)]

    def _count_words(self) -> None:
        """Let the database count again what full text search ranks by, if the store has grown by a tenth."""
        with self._database.write() as connection:
            connection.execute(QUERIES["ensure_text_statistics"])

    def _prepare(self, opened: _Open) -> bool:
        """Return whether the file has to be read; else its report is made."""
        found = opened.found
        try:
            if found.missing:
                raise IngestError("there is no such file or folder")
            if found.record:
                self._record(opened)
                return False
            sha256, size = fingerprint(found.path, self._limits)
            opened.target = target = with_retry(lambda: self._ledger.target(found, sha256, size, self._document_id))
            taken = self._by_document.get(target.document_id)
            if taken is not None:
                raise IngestError(
                    f"document {target.document_id!r} is already read from {taken.found.shown} in this run; "
                    "keep one file per document"
                )
        except (RagraphError, OSError) as error:
            self._failed(opened, error)
            return False
        if target.twin is not None:
            self._report(opened, "duplicate", target.twin, f"same bytes as document {target.twin}")
            return False
        if not target.to_read:
            with_retry(lambda: self._ledger.keep(target))
            self._by_document[target.document_id] = opened
            self._by_content.setdefault(sha256, opened.place)
            self._go_on(opened)
            return False
        opened.same_as = None if target.filled else self._by_content.get(sha256)
        if opened.same_as is None:
            self._by_content.setdefault(sha256, opened.place)
            self._by_document[target.document_id] = opened
        return True

    def _record(self, opened: _Open) -> None:
        records = read_records(opened.found.path)

        def write() -> str:
            with self._database.write() as connection:
                return write_records(connection, records, self._collection, self._tags)

        outcome = with_retry(write)
        documents = sum(len(record.downloadLinks) for record in records)
        self._report(opened, "record", None, f"{outcome}: {len(records)} publications, {documents} documents")

    def _read(self, pool: isolate.ReaderPool, opened: _Open) -> Draft:
        opened.begin = time.monotonic()  # what a file waits for its turn is not time that it took
        return pool.read(opened.found.path, self._options)

    def _collect(self, reading: dict[Future[Draft], _Open]) -> None:
        """Wait for a reader and store what it gives."""
        done, _ = wait(reading, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda future: reading[future].place):
            opened = reading.pop(future)
            try:
                opened.draft = future.result()
                self._store(opened)
            except (ServerError, SchemaVersionError):
                raise
            except Exception as error:
                self._failed(opened, error)
            opened.draft = None

    def _store(self, opened: _Open) -> None:
        target, draft = opened.target, opened.draft
        if target is None or draft is None:
            raise AssertionError("stored before it was read")
        stored = with_retry(lambda: self._ledger.store(target, draft))
        opened.target = replace(target, warnings=tuple(draft.warnings))
        if stored.twin is not None:
            self._report(opened, "duplicate", stored.twin, f"same bytes as document {stored.twin}")
            return
        opened.status = stored.status
        self._go_on(opened)

    def _go_on(self, opened: _Open) -> None:
        """Embed a document whose graph is stored, or close it."""
        target = opened.target
        if target is None:
            raise AssertionError("embedded before it was stored")
        if self._embedder is None or target.complete:
            with_retry(lambda: self._ledger.complete(target))
            self._report(opened, opened.status, target.document_id, None)
            return
        self._embedding[target.document_id] = opened
        self._embedder.add(target.document_id)
        if self._embedder.gone(target.document_id):
            self._embedding.pop(target.document_id, None)
            self._failed(opened, IngestError("the document was deleted while it was embedded"))

    def _embedded(self, document_id: str) -> None:
        opened = self._embedding.pop(document_id, None)
        if opened is not None:
            self._report(opened, opened.status, document_id, None)

    def _same(self, opened: _Open) -> None:
        """Close a file whose bytes an earlier file of this run has."""
        first = self._reports[opened.same_as or 0]
        if first.status == "failed":
            self._report(opened, "failed", None, first.reason)
        else:
            self._report(opened, "duplicate", first.document_id, f"same bytes as document {first.document_id}")

    def _failed(self, opened: _Open, error: BaseException) -> None:
        reason = " ".join(str(error).split())[:500] or type(error).__name__
        if not isinstance(error, RagraphError | OSError):
            reason = f"the ingester failed on what was read: {type(error).__name__}: {reason}"
        found = opened.found
        known = None
        if not found.missing and not found.record:
            known = with_retry(lambda: self._ledger.fail(found, self._document_id, reason))
        self._report(opened, "failed", known, reason)

    def _report(self, opened: _Open, status: FileStatus, document_id: str | None, reason: str | None) -> None:
        counts = {"nodes": 0, "components": 0, "relations": 0}
        embeddings = 0
        if document_id is not None and status in {"added", "changed", "unchanged"}:
            counts = with_retry(lambda: self._ledger.counts(document_id))
            embeddings = self._embedder.written[document_id] if self._embedder else 0
        report = FileReport(
            path=opened.found.shown,
            status=status,
            document_id=document_id,
            reason=reason,
            embeddings=embeddings,
            seconds=time.monotonic() - opened.begin,
            warnings=opened.target.warnings if opened.target else (),
            **counts,
        )
        self._reports[opened.place] = report
        self._progress(
            ProgressEvent(kind="finished", path=report.path, file=report, done=len(self._reports), total=self._total)
        )
