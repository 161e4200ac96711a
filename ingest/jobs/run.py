"""One run over files. Everything but reading happens in one thread.

``file_life`` takes each file from step to step, ``reading_queue`` has it read, ``finishing`` does the work at the end.
This module calls them in order.
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
        request: the request.
        database: the store.
        model: model to embed with; None embeds nothing.
        progress: called with each event.
        assets: where the originals are stored; None stores none.
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
            return Registry(database, collection, *own, timeout_s=request.timeout_s)

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
        """Raise errors of the store or the model before anything is read, so that they cost no time."""
        if self._model is None:
            with_retry(self._database, self._look)
        else:
            parts = self._request.parts
            self._life.embed_with(partial(Embedder, self._database, self._model, parts, progress=self._progress))

    def _look(self) -> None:
        with self._database.read():
            pass

    def files(self, pool: ReaderPool, size: int) -> None:
        """Ingest all files, ``size`` of them read at the same time."""
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
        """Do the work at the end, for all files together; see ``Finishing.run``."""
        self._finishing.run(folders)

    def report(self, findings: Findings, begin: float, ended: str | None = None) -> IngestReport:
        """Return the results in the order of the files; ``ended`` is the reason if the run ended early."""
        done = {"gone": self._finishing.gone, "warnings": self._finishing.warnings}
        report = self._reports.report(begin, ended, left_out=tuple(findings.left_out), **done)
        counts = {name: count for name, count in report.totals.items() if count}
        write = self._reports.log.info if ended is None else self._reports.log.warning
        write("run ended", reason=report.ended, seconds=round(report.seconds, 3), **counts)
        return report

    def _begin_files(self, queue: ReadingQueue) -> bool:
        """Begin as many files as the queue accepts; return True if there were any."""
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
        """Have an identified file read if necessary, now or after those that it depends on."""
        if file.step is Step.READING:
            queue.submit_read(file)
        elif file.step is Step.WAITING:
            self._waiting.append(file)

    def _collect(self, queue: ReadingQueue) -> None:
        """Wait a moment for the queue. Store files that were read; have fetched files read."""
        for file, future in queue.results():
            if file.step is Step.FETCHING:
                self._life.fetched(file, future)
                self._read(file, queue)
            else:
                self._life.read(file, future)

    def _read_waiting(self, queue: ReadingQueue) -> None:
        """Read the files that waited, one after the other, as if they had come in this order."""
        self._conflicts.reading_is_over()
        for file in self._waiting:
            self._life.look_up(file)
            if file.step is Step.READING:
                queue.submit_read(file)
                while queue.busy:
                    self._collect(queue)
                self._conflicts.reading_is_over()
        self._waiting.clear()
