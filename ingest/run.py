"""One run over files: look, read in processes of their own, write, embed; everything but reading in one thread."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from ragraph.errors import (
    IngestError,
    LeaseLostError,
    RagraphError,
    SchemaVersionError,
    ServerError,
)
from ragraph.ingest import isolate, ledger
from ragraph.ingest.addresses import fetch
from ragraph.ingest.discover import Findings, Found
from ragraph.ingest.embed import Embedder
from ragraph.ingest.parts import PartSettings
from ragraph.ingest.places import Places, path_of, printable
from ragraph.ingest.preflight import Limits
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.records import PublicationRecord, read_records, write_records
from ragraph.ingest.retry import with_retry
from ragraph.ingest.upkeep import analyze, build_index, count_words, warned
from ragraph.schema.reports import FileReport, FileStatus, GoneFile, IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    from ragraph.assets import Assets
    from ragraph.database import Database
    from ragraph.embedding import EmbeddingModel
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.ledger import Stored, Target
    from ragraph.ingest.work import Work

_ENDS = (ServerError, SchemaVersionError)
"""What no other file would fare better with."""

_AHEAD = 2
"""Drafts per reader's process that wait in memory at most."""

_LOOK_S = 1.0
"""How often a run that waits for its readers looks whether it was cancelled."""

_TRIES = 5
"""How often a file is looked at again when another process changed what it is to the store meanwhile."""


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
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds of each stage, those it waited for its turn left out."""


class Run:
    """One call of ``ingest_paths``. Everything but reading happens in the caller's thread.

    Args:
        work: the files.
        database: the store.
        collection: namespace of new documents.
        tags: put on the publications of the documents.
        document_id: id of the document, for a single file.
        model: to embed with; None embeds nothing.
        options: for the readers.
        parts: how long texts are cut for embedding.
        limits: what a file may be at most.
        progress: called as things happen.
        assets: where the originals are kept; None keeps none.
    """

    def __init__(
        self,
        work: Work,
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
        assets: Assets | None,
    ) -> None:
        self._database = database
        self._limits = limits
        self._reading: dict[Future[Draft | Path], _Open] = {}
        self._later: list[_Open] = []
        self._copies = Path()
        self._submit: Callable[[_Open], Future[Draft | Path]]
        self._places = Places(limits)
        self._ledger = ledger.Ledger(database, collection, tags, model, options, parts, self._places, assets)
        self._ledgers = {collection: self._ledger}
        self._make: Callable[[str], ledger.Ledger] = lambda into: ledger.Ledger(
            database, into, tags, model, options, parts, self._places, assets
        )
        self._collection = collection
        self._tags = tags
        self._document_id = document_id
        self._model = model
        self._parts = parts
        self._options = options
        self._progress = progress
        self._work = work
        self._bytes = 0
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
                self._database,
                self._model,
                self._parts,
                progress=self._progress,
                finished=self._embedded,
                guard=self._guard,
                lost=self._lost,
            )

    def _look(self) -> None:
        with self._database.read():
            pass

    def report(self, findings: Findings, begin: float, ended: str | None = None) -> IngestReport:
        """Return what was done, in the order of the files; ``ended`` says why the run ended early."""
        if ended is not None:
            done = len(self._reports)
            ended = f"{ended}; {done} of {self._work.total} files were done: run the same again to go on from there"
            for opened in self._unfinished.values():
                self._reports[opened.place] = FileReport(
                    path=opened.found.shown,
                    status=opened.status,
                    document_id=opened.target.document_id if opened.target else None,
                    reason="stored, but not all of its vectors" if self._embedder else opened.reason,
                    seconds=time.monotonic() - opened.begin,
                    warnings=opened.target.warnings if opened.target else (),
                )
        self._reports |= self._work.others(self._reports.keys())
        return IngestReport(
            files=tuple(self._reports[place] for place in sorted(self._reports)),
            left_out=tuple(findings.left_out),
            gone=self._gone,
            seconds=time.monotonic() - begin,
            ended=ended,
            warnings=self._warnings,
            job_id=self._work.job_id,
        )

    def tidy(self, folders: list[Path]) -> None:
        """Do what belongs to all files together; what fails there is a warning, and done by the next run.

        Args:
            folders: that were asked for; documents read from there whose file is no longer there are named.
        """

        def look() -> None:
            self._gone = self._ledger.gone(folders)

        self._warnings += warned(self._database, look, "files that are gone could not be looked for")
        new = [report.nodes for report in self._reports.values() if report.status in ("added", "changed")]
        if new:
            self._warnings += count_words(self._database)
        if self._model is not None:
            self._warnings += build_index(self._database, self._model.name)
        if new:
            self._warnings += analyze(self._database, sum(new))

    def files(self, pool: isolate.ReaderPool, size: int) -> None:
        """Take in all files, so many of them read at the same time."""
        self._tell("found")
        executor = ThreadPoolExecutor(max_workers=size, thread_name_prefix="ragraph-read")
        reading = self._reading = {}
        later = self._later = []
        copies = TemporaryDirectory(prefix="ragraph-fetched-", ignore_cleanup_errors=True)
        self._copies = Path(copies.name)
        self._submit = lambda opened: executor.submit(self._read, pool, opened)
        most = size * (1 + _AHEAD)
        try:
            while True:
                taken = self._work.take(most - len(reading)) if len(reading) < most else ()
                for place, item in taken:
                    opened = _Open(place, item, time.monotonic())
                    self._tell("started", path=item.shown)
                    if item.address is None or item.missing:
                        self._begin(opened)
                    else:
                        reading[executor.submit(self._fetch, opened)] = opened
                if taken:
                    continue
                if reading:
                    self._collect(reading)
                    continue
                self._open_documents.clear()
                self._open_content.clear()
                for opened in later:  # one after the other, as if all files had come so
                    if self._prepare(opened):
                        reading[self._submit(opened)] = opened
                        while reading:
                            self._collect(reading)
                        self._open_documents.clear()
                        self._open_content.clear()
                later.clear()
                self._embed_rest()
                if self._work.over():
                    break
                self._work.wait()  # others are at work on the rest
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            pool.close()
            copies.cleanup()

    def _of(self, found: Found) -> ledger.Ledger:
        """Return the store as seen by a file, which a manifest may put into a collection of its own."""
        into = found.collection or self._collection
        if into not in self._ledgers:
            self._ledgers[into] = self._make(into)
        return self._ledgers[into]

    def _begin(self, opened: _Open) -> None:
        """Have a file read, at once or after those that it depends on, if it has to be."""
        if self._prepare(opened):
            if opened.waits:
                self._later.append(opened)
            else:
                self._reading[self._submit(opened)] = opened

    def _fetch(self, opened: _Open) -> Path:
        """Copy a file that lies elsewhere; in a thread of those that read."""
        opened.begin = time.monotonic()
        self._work.stage(opened.found, "reading")
        return fetch(opened.found.uri, self._copies / str(opened.place), self._limits.file_bytes)

    def _drop_copy(self, opened: _Open) -> None:
        if opened.found.address is not None:
            shutil.rmtree(self._copies / str(opened.place), ignore_errors=True)

    def _embed_rest(self) -> None:
        if self._embedder is None or not self._embedding:
            return
        self._embedder.finish()
        for document_id, opened in list(self._embedding.items()):
            del self._embedding[document_id]
            reason = self._embedder.failures.get(document_id, "the document was deleted while it was embedded")
            self._report(opened, "failed", document_id, reason)

    def _prepare(self, opened: _Open) -> bool:
        """Return whether the file has to be read, at once or after those it depends on; else its report is made."""
        opened.waits = False
        try:
            return self._has_to_be_read(opened)
        except LeaseLostError:
            self._forget(opened)
            return False
        except _ENDS:
            raise
        except (RagraphError, OSError) as error:
            self._failed(opened, error)
            return False

    def _has_to_be_read(self, opened: _Open) -> bool:
        found = opened.found
        if found.missing:
            raise IngestError(found.why_missing)
        if found.record:
            self._record(opened)
            return False
        if given := found.entry.get("record"):
            self._write_records(found, [PublicationRecord.model_validate(given)])
        named = found.entry.get("id", self._document_id)
        sha256, size = self._places.fingerprint(found.path)
        for _ in range(_TRIES):
            target = with_retry(self._database, lambda: self._of(found).target(found, sha256, size, named))
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
            if kept := with_retry(self._database, partial(self._of(found).keep, target)):
                self._stored(opened, kept)
                return False
        raise IngestError("another process takes in the same files; run this again once it is done")

    def _take(self, opened: _Open, target: Target) -> bool:
        """Claim a document for a file; else report why an earlier file of this run stands in the way."""
        reason = self._failed_content.get(target.sha256) if target.row is None else None
        taken = opened if reason else self._by_document.setdefault(target.document_id, opened)
        if taken.place == opened.place:  # a file that was lost to another process, and came back
            self._by_document[target.document_id] = taken = opened
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

        outcome = self._write_records(opened.found, records)
        documents = sum(len(record.downloadLinks) for record in records)
        self._report(opened, "record", None, f"{outcome}: {len(records)} publications, {documents} documents")

    def _write_records(self, found: Found, records: list[PublicationRecord]) -> str:
        def write() -> str:
            with self._database.write() as connection:
                if found.lease is not None:
                    found.lease.check(connection)
                return write_records(connection, records, found.collection or self._collection, self._tags)

        return with_retry(self._database, write)

    def _read(self, pool: isolate.ReaderPool, opened: _Open) -> Draft | Path:
        opened.begin = time.monotonic()  # what a file waits for its turn is not time that it took
        self._work.stage(opened.found, "reading")
        try:
            return pool.read(opened.found.path, self._options)
        finally:
            opened.spent["reading"] = time.monotonic() - opened.begin

    def _collect(self, reading: dict[Future[Draft | Path], _Open]) -> None:
        """Wait for a reader, a moment at most, and store what it gives; or have read what was fetched."""
        self._work.check()
        done, _ = wait(reading, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda future: reading[future].place):
            opened = reading.pop(future)
            try:
                given = future.result()
                if isinstance(given, Path):
                    opened.found = replace(opened.found, path=given)
                    self._begin(opened)
                    continue
                stored = self._store(opened, given)
            except LeaseLostError:
                self._forget(opened)
                continue
            except _ENDS:
                raise
            except Exception as error:
                self._failed(opened, error)
                continue
            try:
                if stored.target.twin is not None:
                    self._duplicate(opened, stored.target.twin)
                else:
                    self._stored(opened, stored)
            except LeaseLostError:
                self._forget(opened)

    def _store(self, opened: _Open, draft: Draft) -> Stored:
        target = opened.target
        if target is None:
            raise AssertionError("stored before it was looked up")
        begin = time.monotonic()
        self._work.stage(opened.found, "writing")
        stored = with_retry(self._database, lambda: self._of(opened.found).store(target, draft))
        opened.spent["writing"] = time.monotonic() - begin
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
        if row is not None and row["collection"] != (opened.found.collection or self._collection):
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
        self._drop_copy(opened)
        if self._embedder is None or target.complete:
            with_retry(self._database, lambda: self._of(opened.found).complete(target))
            self._report(opened, opened.status, target.document_id, opened.reason)
            return
        self._embedding[target.document_id] = opened
        self._work.stage(opened.found, "embedding")
        opened.spent["embedding"] = -time.monotonic()
        self._embedder.add(target.document_id)
        if self._embedder.gone(target.document_id):
            self._embedding.pop(target.document_id, None)
            self._failed(opened, IngestError("the document was deleted while it was embedded"))

    def _embedded(self, document_id: str) -> None:
        opened = self._embedding.pop(document_id, None)
        if opened is not None:
            opened.spent["embedding"] += time.monotonic()
            self._report(opened, opened.status, document_id, opened.reason)

    def _guard(self, connection: psycopg.Connection[Any], document_id: str) -> None:
        opened = self._embedding.get(document_id)
        if opened is not None and opened.found.lease is not None:
            opened.found.lease.check(connection)

    def _lost(self, document_id: str) -> None:
        if (opened := self._embedding.pop(document_id, None)) is not None:
            self._forget(opened)

    def _forget(self, opened: _Open) -> None:
        """Leave a file to the process that took it over."""
        self._drop_copy(opened)
        self._work.forget(opened.found)
        self._unfinished.pop(opened.place, None)
        if opened.target is not None and self._by_document.get(opened.target.document_id) is opened:
            del self._by_document[opened.target.document_id]

    def _failed(self, opened: _Open, error: BaseException) -> None:
        reason = said(error)
        found = opened.found
        known = None
        if opened.target is not None:
            self._failed_content.setdefault(opened.target.sha256, reason)
        if not found.missing and not found.record:
            document_id = (
                opened.target.document_id
                if opened.target and opened.target.row
                else found.entry.get("id", self._document_id)
            )
            try:
                known = with_retry(self._database, lambda: self._of(found).fail(found, document_id, reason))
            except LeaseLostError:
                self._forget(opened)
                return
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
        self._drop_copy(opened)
        spent = {stage: seconds for stage, seconds in opened.spent.items() if seconds >= 0}
        if not self._work.finish(opened.found, report, spent):
            self._forget(opened)
            return
        self._reports[opened.place] = report
        self._bytes += opened.found.size
        self._unfinished.pop(opened.place, None)
        self._tell("finished", path=report.path, file=report)

    def _tell(self, kind: Literal["found", "started", "finished"], **what: Any) -> None:
        done = self._work.done(len(self._reports))
        self._progress(
            ProgressEvent(
                kind=kind,
                done=done,
                total=self._work.total,
                bytes_done=self._bytes,
                bytes_total=self._work.bytes,
                **what,
            )
        )


def said(error: BaseException) -> str:
    """Return what an error says, in one line."""
    reason = " ".join(str(error).split())[:500] or type(error).__name__
    if isinstance(error, RagraphError | OSError):
        return reason
    return f"the ingester failed on what was read: {type(error).__name__}: {reason}"
