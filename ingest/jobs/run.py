"""One run over files; everything but reading in one thread.

``file_life`` takes each file from step to step, ``reading_queue`` has it read, ``finishing`` does what comes at the end
for all of them; here is the order in which they do.
"""

from __future__ import annotations

import time
from functools import cache, partial
from typing import TYPE_CHECKING

from ragraph.database.retry import with_retry
from ragraph.ingest.files.places import Places
from ragraph.ingest.jobs.conflicts import Conflicts
from ragraph.ingest.jobs.file_life import FileLife
from ragraph.ingest.jobs.file_state import FileState, Step
from ragraph.ingest.jobs.finishing import Finishing
from ragraph.ingest.jobs.reading_queue import ReadingQueue
from ragraph.ingest.jobs.reports import Reports
from ragraph.ingest.storing.registry import Registry
from ragraph.ingest.vectors.embed import Embedder
from ragraph.schema.reports import IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.ingest.files.discover import Findings
    from ragraph.ingest.jobs.request import IngestRequest
    from ragraph.ingest.jobs.work import Work
    from ragraph.ingest.reader_process.isolate import ReaderPool
    from ragraph.models.embedding import EmbeddingModel


class Run:
    """One run over the files of a request.

    Args:
        work: the files.
        request: what was asked for.
        database: the store.
        model: to embed with; None embeds nothing.
        progress: called as things happen.
        assets: where the originals are kept; None keeps none.
    """

    def __init__(
        self,
        work: Work,
        request: IngestRequest,
        *,
        database: Database,
        model: EmbeddingModel | None,
        progress: Callable[[ProgressEvent], None],
        assets: Assets | None,
    ) -> None:
        self._work = work
        self._request = request
        self._database = database
        self._model = model
        self._progress = progress
        self._conflicts = Conflicts()
        self._reports = Reports(work, progress, lambda document_id: self._life.counts(document_id))
        places = Places(request.limits)

        @cache
        def registry(collection: str) -> Registry:
            own = (request.tags, model, request.options, request.parts, places, assets)
            return Registry(database, collection, *own)

        self._life = FileLife(
            request,
            work,
            database=database,
            registry=registry,
            places=places,
            conflicts=self._conflicts,
            reports=self._reports,
        )
        self._finishing = Finishing(database, registry(request.collection), model, self._reports)
        self._waiting: list[FileState] = []

    def start(self) -> None:
        """Find out what ends the run before anything is read: a store or model that does not fit costs no hour."""
        if self._model is None:
            with_retry(self._database, self._look)
        else:
            parts = self._request.parts
            self._life.embed_with(partial(Embedder, self._database, self._model, parts, progress=self._progress))

    def _look(self) -> None:
        with self._database.read():
            pass

    def files(self, pool: ReaderPool, size: int) -> None:
        """Take in all files, so many of them read at the same time."""
        self._reports.log.info("run started", files=self._work.total, bytes=self._work.bytes)
        self._reports.send_progress("found")
        queue = ReadingQueue(pool, size, self._work, self._reports, self._request.options, self._request.limits)
        try:
            while True:
                if self._begin_files(queue):
                    continue
                if queue.busy:
                    self._collect(queue)
                    continue
                self._read_waiting(queue)
                self._life.embed_rest()
                if self._work.all_done():
                    break
                self._work.wait_for_others()
        finally:
            queue.close()
            self._life.close()

    def come_to_end(self, folders: list[Path]) -> None:
        """Do what comes at the end, for all files together; see ``Finishing.run``."""
        self._finishing.run(folders)

    def report(self, findings: Findings, begin: float, ended: str | None = None) -> IngestReport:
        """Return what was done, in the order of the files; ``ended`` says why the run ended early."""
        done = {"gone": self._finishing.gone, "warnings": self._finishing.warnings}
        report = self._reports.report(begin, ended, left_out=tuple(findings.left_out), **done)
        counts = {name: count for name, count in report.totals.items() if count}
        write = self._reports.log.info if ended is None else self._reports.log.warning
        write("run ended", reason=report.ended, seconds=round(report.seconds, 3), **counts)
        return report

    def _begin_files(self, queue: ReadingQueue) -> bool:
        """Begin with as many files as there is room for; return whether there were any."""
        taken = self._work.next_files(queue.room) if queue.room else ()
        for place, found in taken:
            file = FileState(place, found, time.monotonic())
            self._reports.send_progress("started", path=found.shown)
            if found.address is None or found.missing:
                self._life.look_up(file)
                self._read(file, queue)
            else:
                file.move_to(Step.FETCHING)
                queue.submit_fetch(file)
        return bool(taken)

    def _read(self, file: FileState, queue: ReadingQueue) -> None:
        """Have a file read that was looked up, at once or after those that it depends on, if it has to be."""
        if file.step is Step.READING:
            queue.submit_read(file)
        elif file.step is Step.WAITING:
            self._waiting.append(file)

    def _collect(self, queue: ReadingQueue) -> None:
        """Wait for a reader, a moment at most, and store what it gives; or have read what was fetched."""
        for file, future in queue.results():
            if file.step is Step.FETCHING:
                self._life.fetched(file, future)
                self._read(file, queue)
            else:
                self._life.read(file, future)

    def _read_waiting(self, queue: ReadingQueue) -> None:
        """Read the files that waited, one after the other, as if all files had come so."""
        self._conflicts.reading_is_over()
        for file in self._waiting:
            self._life.look_up(file)
            if file.step is Step.READING:
                queue.submit_read(file)
                while queue.busy:
                    self._collect(queue)
                self._conflicts.reading_is_over()
        self._waiting.clear()
