"""One run over files: look, read in processes of their own, write, embed; everything but reading in one thread."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.counts import many
from ragraph.base.scratch import ScratchFolder
from ragraph.database.retry import with_retry
from ragraph.errors import (
    IngestError,
    LeaseLostError,
    RagraphError,
    SchemaVersionError,
    ServerError,
)
from ragraph.ingest.files.addresses import fetch
from ragraph.ingest.files.discover import Findings, Found
from ragraph.ingest.files.places import Places, path_of, printable
from ragraph.ingest.files.records import PublicationRecord, read_records, write_records
from ragraph.ingest.jobs.conflicts import Rivals
from ragraph.ingest.jobs.file_state import Opened
from ragraph.ingest.jobs.reports import Outcomes, said
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.reading import isolate
from ragraph.ingest.reading.preflight import Limits
from ragraph.ingest.storing import registry
from ragraph.ingest.vectors.embed import Embedder
from ragraph.ingest.vectors.maintenance import analyze, build_index, count_words, link_works, warned
from ragraph.ingest.vectors.parts import PartSettings
from ragraph.schema.reports import FileStatus, GoneFile, IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.jobs.work import Work
    from ragraph.ingest.storing.registry import Stored
    from ragraph.models.embedding import EmbeddingModel

_ENDS = (ServerError, SchemaVersionError)
"""What no other file would fare better with."""

_AHEAD = 2
"""Drafts per reader's process that wait in memory at most."""

_LOOK_S = 1.0
"""How often a run that waits for its readers looks whether it was cancelled."""

_TRIES = 5
"""How often a file is looked at again when another process changed what it is to the store meanwhile."""


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
        self._reading: dict[Future[Draft | Path], Opened] = {}
        self._later: list[Opened] = []
        self._copies = Path()
        self._submit: Callable[[Opened], Future[Draft | Path]]
        self._places = Places(limits)
        self._ledger = registry.Ledger(database, collection, tags, model, options, parts, self._places, assets)
        self._ledgers = {collection: self._ledger}
        self._make: Callable[[str], registry.Ledger] = lambda into: registry.Ledger(
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
        self._outcomes = Outcomes(work, progress, self._counts)
        self._rivals = Rivals()
        self._embedding: dict[str, Opened] = {}
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
        more = {"left_out": tuple(findings.left_out), "gone": self._gone, "warnings": self._warnings}
        report = self._outcomes.report(begin, ended, **more)
        counts = {name: count for name, count in report.totals.items() if count}
        tell = self._outcomes.log.info if ended is None else self._outcomes.log.warning
        tell("run ended", reason=report.ended, seconds=round(report.seconds, 3), **counts)
        return report

    def tidy(self, folders: list[Path]) -> None:
        """Do what belongs to all files together; what fails there is a warning, and done by the next run.

        Args:
            folders: that were asked for; documents read from there whose file is no longer there are named.
        """

        def look() -> None:
            self._gone = self._ledger.gone(folders)

        self._warnings += warned(self._database, look, "files that are gone could not be looked for")
        new = self._outcomes.written()
        if new:
            with self._outcomes.stage("analyze"):  # first: what follows is planned by it
                self._warnings += analyze(self._database, sum(report.nodes for report in new))
            with self._outcomes.stage("words"):
                self._warnings += count_words(self._database)
        with self._outcomes.stage("works"):  # also what a run that was cut off has left
            self._warnings += link_works(self._database)
        if self._model is not None:
            with self._outcomes.stage("index"):
                self._warnings += build_index(self._database, self._model.name)
        for warning in self._warnings:
            self._outcomes.log.warning("left to the next run", reason=warning)

    def files(self, pool: isolate.ReaderPool, size: int) -> None:
        """Take in all files, so many of them read at the same time."""
        self._outcomes.log.info("run started", files=self._work.total, bytes=self._work.bytes)
        self._outcomes.tell("found")
        executor = ThreadPoolExecutor(max_workers=size, thread_name_prefix="ragraph-read")
        reading = self._reading = {}
        later = self._later = []
        copies = ScratchFolder("fetched")
        self._copies = copies.path
        self._submit = lambda opened: executor.submit(self._read, pool, opened)
        most = size * (1 + _AHEAD)
        try:
            while True:
                taken = self._work.take(most - len(reading)) if len(reading) < most else ()
                for place, item in taken:
                    opened = Opened(place, item, time.monotonic())
                    self._outcomes.tell("started", path=item.shown)
                    if item.address is None or item.missing:
                        self._begin(opened)
                    else:
                        reading[executor.submit(self._fetch, opened)] = opened
                if taken:
                    continue
                if reading:
                    self._collect(reading)
                    continue
                self._rivals.settle()
                for opened in later:  # one after the other, as if all files had come so
                    if self._prepare(opened):
                        reading[self._submit(opened)] = opened
                        while reading:
                            self._collect(reading)
                        self._rivals.settle()
                later.clear()
                self._embed_rest()
                if self._work.over():
                    break
                self._work.wait()  # others are at work on the rest
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            pool.close()
            if self._embedder is not None:
                self._embedder.close()
            copies.remove()

    def _of(self, found: Found) -> registry.Ledger:
        """Return the store as seen by a file, which a manifest may put into a collection of its own."""
        into = found.collection or self._collection
        if into not in self._ledgers:
            self._ledgers[into] = self._make(into)
        return self._ledgers[into]

    def _begin(self, opened: Opened) -> None:
        """Have a file read, at once or after those that it depends on, if it has to be."""
        if self._prepare(opened):
            if opened.waits:
                self._later.append(opened)
            else:
                self._reading[self._submit(opened)] = opened

    def _fetch(self, opened: Opened) -> Path:
        """Copy a file that lies elsewhere; in a thread of those that read."""
        opened.begin = time.monotonic()
        self._work.stage(opened.found, "reading")
        return fetch(opened.found.uri, self._copies / str(opened.place), self._limits.file_bytes)

    def _drop_copy(self, opened: Opened) -> None:
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

    def _prepare(self, opened: Opened) -> bool:
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

    def _has_to_be_read(self, opened: Opened) -> bool:
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
            opened.waits = opened.waits or self._rivals.waits(target)
            if not opened.waits and target.twin is None and (reason := self._rivals.take(opened, target)):
                self._report(opened, "failed", None, reason)
                return False
            if opened.waits or (target.twin is None and target.to_read):
                self._rivals.read(target)
                return True
            if target.twin is not None:
                self._duplicate(opened, target.twin)
                return False
            if kept := with_retry(self._database, partial(self._of(found).keep, target)):
                self._stored(opened, kept)
                return False
        raise IngestError("another process takes in the same files; run this again once it is done")

    def _record(self, opened: Opened) -> None:
        records = read_records(opened.found.path)

        outcome = self._write_records(opened.found, records)
        documents = sum(len(record.downloadLinks) for record in records)
        self._report(
            opened, "record", None, f"{outcome}: {many(len(records), 'publication')}, {many(documents, 'document')}"
        )

    def _write_records(self, found: Found, records: list[PublicationRecord]) -> str:
        def write() -> str:
            with self._database.write() as connection:
                if found.lease is not None:
                    found.lease.check(connection)
                return write_records(connection, records, found.collection or self._collection, self._tags)

        return with_retry(self._database, write)

    def _read(self, pool: isolate.ReaderPool, opened: Opened) -> Draft | Path:
        opened.begin = time.monotonic()  # what a file waits for its turn is not time that it took
        self._work.stage(opened.found, "reading")
        try:
            return pool.read(opened.found.path, self._options)
        finally:
            opened.spent["reading"] = time.monotonic() - opened.begin
            self._outcomes.stage_done(opened, "reading")

    def _collect(self, reading: dict[Future[Draft | Path], Opened]) -> None:
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

    def _store(self, opened: Opened, draft: Draft) -> Stored:
        target = opened.target
        if target is None:
            raise AssertionError("stored before it was looked up")
        begin = time.monotonic()
        self._work.stage(opened.found, "writing")
        stored = self._of(opened.found).store(target, draft)
        opened.spent["writing"] = time.monotonic() - begin
        self._outcomes.stage_done(opened, "writing")
        return replace(stored, target=replace(stored.target, warnings=tuple(draft.warnings)))

    def _duplicate(self, opened: Opened, twin: str) -> None:
        self._report(opened, "duplicate", twin, f"same bytes as document {twin}")

    def _stored(self, opened: Opened, stored: Stored) -> None:
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

    def _go_on(self, opened: Opened) -> None:
        """Embed a document whose graph is stored, or close it."""
        target = opened.target
        if target is None:
            raise AssertionError("embedded before it was stored")
        vectors = "stored, but not all of its vectors"
        self._outcomes.stored(opened, vectors if self._embedder is not None else opened.reason)
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
            self._outcomes.stage_done(opened, "embedding")
            self._report(opened, opened.status, document_id, opened.reason)

    def _guard(self, connection: psycopg.Connection[Any], document_id: str) -> None:
        opened = self._embedding.get(document_id)
        if opened is not None and opened.found.lease is not None:
            opened.found.lease.check(connection)

    def _lost(self, document_id: str) -> None:
        if (opened := self._embedding.pop(document_id, None)) is not None:
            self._forget(opened)

    def _forget(self, opened: Opened) -> None:
        """Leave a file to the process that took it over."""
        self._drop_copy(opened)
        self._outcomes.forget(opened)
        self._rivals.forget(opened)

    def _failed(self, opened: Opened, error: BaseException) -> None:
        reason = said(error)
        found = opened.found
        known = None
        if opened.target is not None:
            self._rivals.fail(opened.target, reason)
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

    def _report(self, opened: Opened, status: FileStatus, document_id: str | None, reason: str | None) -> None:
        self._drop_copy(opened)
        if not self._outcomes.finish(opened, status, document_id, reason):
            self._forget(opened)

    def _counts(self, document_id: str) -> dict[str, int]:
        counts = with_retry(self._database, lambda: self._ledger.counts(document_id))
        return {**counts, "embeddings": self._embedder.written[document_id] if self._embedder else 0}
