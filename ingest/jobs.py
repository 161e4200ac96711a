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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.arguments import checked, text, texts
from ragraph.collection_names import check_collection
from ragraph.embedding import DEFAULT_MODEL, EmbeddingModel
from ragraph.errors import (
    ArgumentError,
    IngestEndedError,
    IngestError,
    IngestInterrupt,
    RagraphError,
    SchemaVersionError,
    ServerError,
)
from ragraph.ingest import isolate, ledger
from ragraph.ingest.discover import Findings, Found, find_files, folders_in
from ragraph.ingest.embed import Embedder
from ragraph.ingest.parts import PartSettings
from ragraph.ingest.places import Places, path_of, printable
from ragraph.ingest.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.records import read_records, write_records
from ragraph.ingest.retry import with_retry
from ragraph.ingest.upkeep import build_index, count_words, warned
from ragraph.labels import check_id, clean_tag
from ragraph.models import load_for, recorded_models
from ragraph.schema.reports import FileReport, FileStatus, GoneFile, IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragraph.assets import Assets
    from ragraph.database import Database
    from ragraph.embedding import ModelOptions
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.ledger import Stored, Target

_ENDS = (ServerError, SchemaVersionError)
"""What no other file would fare better with."""

_AHEAD = 2
"""Drafts per reader's process that wait in memory at most."""

_TRIES = 5
"""How often a file is looked at again when another process changed what it is to the store meanwhile."""


@checked(model=(str, EmbeddingModel), options=ReadOptions, parts=PartSettings, limits=Limits)
def ingest_paths(
    database: Database,
    paths: Iterable[Path],
    *,
    collection: str = "default",
    tags: str | Sequence[str] = (),
    document_id: str | None = None,
    images: bool = False,
    model: str | EmbeddingModel | None = DEFAULT_MODEL,
    backend: str | None = None,
    base_url: str | None = None,
    max_tokens: int | None = None,
    options: ReadOptions | None = None,
    parts: PartSettings | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    timeout_s: float = TIMEOUT_S,
    memory_bytes: int = MEMORY_BYTES,
    progress: Callable[[ProgressEvent], None] | None = None,
    assets: Assets | None = None,
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
        images: take in the images of folders that hold documents too, each as a scanned page.
        model: name, folder or model to embed with; None embeds nothing.
        backend: what computes the vectors, as of ``ragraph.embedding.ModelOptions``.
        base_url: of a model ``openai:NAME``: the same.
        max_tokens: of a model ``openai:NAME``: the same.
        options: for the readers, such as a password.
        parts: how long texts are cut for embedding.
        limits: what a file may be at most.
        workers: processes that read at the same time; default one per core, at most four.
        timeout_s: seconds of wall clock that reading a file may take; a page whose text is recognised adds to it.
        memory_bytes: memory that reading a file may take.
        progress: called in this thread as things happen.
        assets: where the originals are kept; None keeps none.

    Returns:
        A report per file, in the order found.

    Raises:
        ArgumentError: ``document_id`` with more than one file; or what cannot be called so: it, a tag, the collection.
        ModelError: the model cannot be loaded, or differs from the one registered under its name.
        ServerError: the store cannot be used, before anything was read.
        IngestEndedError: the run ended before all was done, such as by a server that did not come back or a full disk;
            its ``report`` says what was done, its cause is why.
        IngestInterrupt: a KeyboardInterrupt that holds the report as well.
    """
    begin = time.monotonic()
    with_retry(database, lambda: check_collection(database, collection))
    given = list(paths)
    options = options or ReadOptions()
    if document_id is not None:
        check_id(text("document_id", document_id))
    labels = tuple(dict.fromkeys(map(clean_tag, texts("tags", tags) or ())))
    findings = find_files(given, images=images, ocr=options.ocr)
    found = findings.files
    if document_id is not None and (len(found) != 1 or found[0].record):
        raise ArgumentError(f"an id can be given for one file, not for {len(found)}; name one file that is no record")
    known = with_retry(database, lambda: recorded_models(database))
    how: ModelOptions = {"backend": backend, "base_url": base_url, "max_tokens": max_tokens}
    loaded = load_for(known, model, **how) if isinstance(model, str) else model
    run = _Run(
        database=database,
        collection=collection,
        tags=labels,
        document_id=document_id,
        model=loaded,
        options=options,
        parts=parts or PartSettings(),
        limits=limits or Limits(),
        progress=progress or (lambda _: None),
        total=len(found),
        assets=assets,
    )
    cores = os.cpu_count() or 1
    size = workers or min(cores, 4)
    threads = max(1, cores // max(1, min(size, len(found))))
    run.start()
    try:
        with isolate.ReaderPool(timeout_s=timeout_s, memory_bytes=memory_bytes, limits=limits, threads=threads) as pool:
            run.files(found, pool, size)
        run.tidy(folders_in(given))
    except KeyboardInterrupt as error:
        report = run.report(findings, begin, str(error) or "interrupted")
        raise IngestInterrupt(str(report.ended), report) from error
    except Exception as error:
        report = run.report(findings, begin, _said(error))
        raise IngestEndedError(str(report.ended), report) from error
    return run.report(findings, begin)


@dataclass
class _Open:
    """A file on its way."""

    place: int
    found: Found
    begin: float
    target: Target | None = None
    waits: bool = False
    """Whether it depends on files of this run that are still being read."""
    status: FileStatus = "unchanged"
    reason: str | None = None


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
        assets: Assets | None,
    ) -> None:
        self._database = database
        self._places = Places(limits)
        self._ledger = ledger.Ledger(database, collection, tags, model, options, parts, self._places, assets)
        self._collection = collection
        self._tags = tags
        self._document_id = document_id
        self._model = model
        self._parts = parts
        self._options = options
        self._progress = progress
        self._total = total
        self._reports: dict[int, FileReport] = {}
        self._unfinished: dict[int, _Open] = {}
        self._embedding: dict[str, _Open] = {}
        self._by_document: dict[str, _Open] = {}
        self._open_documents: set[str] = set()
        self._open_content: set[str] = set()
        self._failed_content: dict[str, str] = {}
        self._embedder: Embedder | None = None
        self._gone: tuple[GoneFile, ...] = ()
        self._warnings: tuple[str, ...] = ()

    def start(self) -> None:
        """Find out what ends the run before anything is read: a store or model that does not fit costs no hour."""
        if self._model is None:
            with_retry(self._database, self._look)
        else:
            self._embedder = Embedder(
                self._database, self._model, self._parts, progress=self._progress, finished=self._embedded
            )

    def _look(self) -> None:
        with self._database.read():
            pass

    def report(self, findings: Findings, begin: float, ended: str | None = None) -> IngestReport:
        """Return what was done, in the order of the files; ``ended`` says why the run ended early."""
        found = findings.files
        if ended is not None:
            done = len(self._reports)
            ended = f"{ended}; {done} of {len(found)} files were done: run the same again to go on from there"
            for opened in self._unfinished.values():
                self._reports[opened.place] = FileReport(
                    path=opened.found.shown,
                    status=opened.status,
                    document_id=opened.target.document_id if opened.target else None,
                    reason="stored, but not all of its vectors" if self._embedder else opened.reason,
                    seconds=time.monotonic() - opened.begin,
                    warnings=opened.target.warnings if opened.target else (),
                )
            for place, item in enumerate(found):
                self._reports.setdefault(place, FileReport(path=item.shown, status="pending"))
        return IngestReport(
            files=tuple(self._reports[place] for place in sorted(self._reports)),
            left_out=tuple(findings.left_out),
            gone=self._gone,
            seconds=time.monotonic() - begin,
            ended=ended,
            warnings=self._warnings,
        )

    def tidy(self, folders: list[Path]) -> None:
        """Do what belongs to all files together; what fails there is a warning, and done by the next run.

        Args:
            folders: that were asked for; documents read from there whose file is no longer there are named.
        """

        def look() -> None:
            self._gone = self._ledger.gone(folders)

        self._warnings += warned(self._database, look, "files that are gone could not be looked for")
        if any(report.status in ("added", "changed") for report in self._reports.values()):
            self._warnings += count_words(self._database)
        if self._model is not None:
            self._warnings += build_index(self._database, self._model.name)

    def files(self, found: list[Found], pool: isolate.ReaderPool, size: int) -> None:
        """Take in all files."""
        self._progress(ProgressEvent(kind="found", total=self._total))
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
                if opened.waits:
                    later.append(opened)
                    continue
                reading[executor.submit(self._read, pool, opened)] = opened
                while len(reading) >= size * (1 + _AHEAD):
                    self._collect(reading)
            while reading:
                self._collect(reading)
            self._open_documents.clear()
            self._open_content.clear()
            for opened in later:  # one after the other, as if all files had come so
                if self._prepare(opened):
                    reading[executor.submit(self._read, pool, opened)] = opened
                    self._collect(reading)
                    self._open_documents.clear()
                    self._open_content.clear()
            if self._embedder is not None:
                self._embedder.finish()
                for document_id, reason in self._embedder.failures.items():
                    self._report(self._embedding.pop(document_id), "failed", document_id, reason)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            pool.close()

    def _prepare(self, opened: _Open) -> bool:
        """Return whether the file has to be read, at once or after those it depends on; else its report is made."""
        found = opened.found
        opened.waits = False
        try:
            if found.missing:
                raise IngestError(found.why_missing)
            if found.record:
                self._record(opened)
                return False
            sha256, size = self._places.fingerprint(found.path)
            for _ in range(_TRIES):
                target = with_retry(self._database, lambda: self._ledger.target(found, sha256, size, self._document_id))
                opened.target = target
                if sha256 in self._open_content or target.considered & self._open_documents:
                    # What this file is depends on what becomes of an earlier one.
                    opened.waits = True
                elif target.twin is None and not self._take(opened, target):
                    return False
                if opened.waits or (target.twin is None and target.to_read):
                    self._open_content.add(sha256)
                    self._open_documents |= target.considered | {target.document_id}
                    return True
                if target.twin is not None:
                    self._duplicate(opened, target.twin)
                    return False
                if kept := with_retry(self._database, partial(self._ledger.keep, target)):
                    self._stored(opened, kept)
                    return False
            raise IngestError("another process takes in the same files; run this again once it is done")
        except _ENDS:
            raise
        except (RagraphError, OSError) as error:
            self._failed(opened, error)
            return False

    def _take(self, opened: _Open, target: Target) -> bool:
        """Claim a document for a file; else report why an earlier file of this run stands in the way."""
        reason = self._failed_content.get(target.sha256) if target.row is None else None
        taken = opened if reason else self._by_document.setdefault(target.document_id, opened)
        if taken is not opened:
            reason = (
                f"document {target.document_id!r} is already read from {taken.found.shown} in this run; "
                "keep one file per document"
            )
        if reason:
            self._report(opened, "failed", None, reason)
        return not reason

    def _record(self, opened: _Open) -> None:
        records = read_records(opened.found.path)

        def write() -> str:
            with self._database.write() as connection:
                return write_records(connection, records, self._collection, self._tags)

        outcome = with_retry(self._database, write)
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
                stored = self._store(opened, future.result())
            except _ENDS:
                raise
            except Exception as error:
                self._failed(opened, error)
                continue
            if stored.target.twin is not None:
                self._duplicate(opened, stored.target.twin)
            else:
                self._stored(opened, stored)

    def _store(self, opened: _Open, draft: Draft) -> Stored:
        target = opened.target
        if target is None:
            raise AssertionError("stored before it was looked up")
        stored = with_retry(self._database, lambda: self._ledger.store(target, draft))
        return replace(stored, target=replace(stored.target, warnings=tuple(draft.warnings)))

    def _duplicate(self, opened: _Open, twin: str) -> None:
        self._report(opened, "duplicate", twin, f"same bytes as document {twin}")

    def _stored(self, opened: _Open, stored: Stored) -> None:
        """Take over what was written, and go on with the vectors."""
        opened.target, opened.status = stored.target, stored.status
        said = []
        if stored.status == "moved":
            before = stored.target.row["source_uri"] if stored.target.row else None
            path = path_of(before) if before else None
            said.append(f"was at {printable(path or before)}" if before else "its file had been replaced")
        row = stored.target.row
        if row is not None and row["collection"] != self._collection:
            said.append(f"in the collection {row['collection']!r}, where somebody moved it")
        if stored.displaced is not None:
            said.append(f"document {stored.displaced} was here before")
        opened.reason = "; ".join(said) or None
        self._go_on(opened)

    def _go_on(self, opened: _Open) -> None:
        """Embed a document whose graph is stored, or close it."""
        target = opened.target
        if target is None:
            raise AssertionError("embedded before it was stored")
        self._unfinished[opened.place] = opened
        if self._embedder is None or target.complete:
            with_retry(self._database, lambda: self._ledger.complete(target))
            self._report(opened, opened.status, target.document_id, opened.reason)
            return
        self._embedding[target.document_id] = opened
        self._embedder.add(target.document_id)
        if self._embedder.gone(target.document_id):
            self._embedding.pop(target.document_id, None)
            self._failed(opened, IngestError("the document was deleted while it was embedded"))

    def _embedded(self, document_id: str) -> None:
        opened = self._embedding.pop(document_id, None)
        if opened is not None:
            self._report(opened, opened.status, document_id, opened.reason)

    def _failed(self, opened: _Open, error: BaseException) -> None:
        reason = _said(error)
        found = opened.found
        known = None
        if opened.target is not None:
            self._failed_content.setdefault(opened.target.sha256, reason)
        if not found.missing and not found.record:
            document_id = opened.target.document_id if opened.target and opened.target.row else self._document_id
            known = with_retry(self._database, lambda: self._ledger.fail(found, document_id, reason))
        self._report(opened, "failed", known, reason)

    def _report(self, opened: _Open, status: FileStatus, document_id: str | None, reason: str | None) -> None:
        counts = {"nodes": 0, "components": 0, "relations": 0}
        embeddings = 0
        if document_id is not None and status in {"added", "changed", "moved", "unchanged"}:
            counts = with_retry(self._database, lambda: self._ledger.counts(document_id))
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
        self._unfinished.pop(opened.place, None)
        self._progress(
            ProgressEvent(kind="finished", path=report.path, file=report, done=len(self._reports), total=self._total)
        )


def _said(error: BaseException) -> str:
    """Return what an error says, in one line."""
    reason = " ".join(str(error).split())[:500] or type(error).__name__
    if isinstance(error, RagraphError | OSError):
        return reason
    return f"the ingester failed on what was read: {type(error).__name__}: {reason}"
