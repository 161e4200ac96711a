"""Files that are being read or fetched, in threads that wait for it. Memory limits how many drafts are read ahead."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING

from ragraph.base.scratch import ScratchFolder
from ragraph.ingest.files.addresses import fetch
from ragraph.ingest.files.attachments import ATTACHED
from ragraph.ingest.files.inside import file_around
from ragraph.ingest.storing.registry import options_for

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.jobs.file_state import FileState
    from ragraph.ingest.jobs.reports import Reports
    from ragraph.ingest.jobs.work import Work
    from ragraph.ingest.reader_process.isolate import ReaderPool
    from ragraph.ingest.reader_process.preflight import Limits
    from ragraph.ingest.readers import ReadOptions

_AHEAD = 2
"""Maximum drafts per reader's process that wait in memory."""

_LOOK_S = 1.0
"""Seconds between two checks for cancellation while a run waits for its readers."""


class ReadingQueue:
    """Has files read or fetched, and returns the results.

    Args:
        pool: the readers' processes; closed with the queue.
        size: number of files that are read at the same time.
        work: records the stage of a file, and knows whether the run was cancelled.
        reports: records how long a stage took.
        options: options for the readers.
        limits: limits of a file's size.
    """

    def __init__(
        self, pool: ReaderPool, size: int, work: Work, reports: Reports, options: ReadOptions, limits: Limits
    ) -> None:
        self._pool = pool
        self._work = work
        self._reports = reports
        self._options = options
        self._limits = limits
        self._most = size * (1 + _AHEAD)
        self._copies = ScratchFolder("fetched")
        self._threads = ThreadPoolExecutor(max_workers=size, thread_name_prefix="ragraph-read")
        self._files: dict[Future[Draft | Path], FileState] = {}
        self._told: dict[int, tuple[float, int]] = {}  # pages read of files, by place, as last reported

    @property
    def room(self) -> int:
        """Return how many more files may be submitted, at least 0."""
        return max(self._most - len(self._files), 0)

    @property
    def busy(self) -> bool:
        """Return True if a file is being read or fetched."""
        return bool(self._files)

    def submit_fetch(self, file: FileState) -> None:
        """Have a remote file copied to this machine; the result is a path."""
        file.copy = self._copies.path / str(file.place)
        self._files[self._threads.submit(self._fetch, file, file.copy)] = file

    def submit_read(self, file: FileState) -> None:
        """Have a file read; the result is a draft."""
        self._files[self._threads.submit(self._read, file)] = file

    def results(self) -> list[tuple[FileState, Future[Draft | Path]]]:
        """Wait a moment for files. Return those that are read, fetched or failed, in the order of the list.

        Raises:
            IngestError: the job was cancelled.
        """
        self._work.raise_if_cancelled()
        done, _ = wait(self._files, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        self._report_pages()
        return sorted(((self._files.pop(future), future) for future in done), key=lambda item: item[0].place)

    def close(self) -> None:
        """Stop reading; files that are being read end with their process."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._pool.close()
        self._copies.remove()

    def _report_pages(self) -> None:
        """Report the files of which more pages are read."""
        for file in self._files.values():
            if file.pages is not None and self._told.get(file.place) != file.pages:
                self._told[file.place] = file.pages
                self._reports.pages_read(file, *file.pages)

    def _fetch(self, file: FileState, copy: Path) -> Path:
        file.begin = time.monotonic()
        self._work.stage_begins(file.found, "reading")
        return fetch(file.found.address or file.found.uri, copy, self._limits.file_bytes)

    def _read(self, file: FileState) -> Draft:
        file.begin = time.monotonic()  # the time that a file waits for its turn does not count
        self._work.stage_begins(file.found, "reading")
        try:
            row = file.target.row if file.target is not None else None
            options = options_for(self._options, row)
            if options.attachments == "documents" and file.found.address and file_around(file.found.address) is None:
                options = replace(options, attachments="sections")  # nobody looked into it for documents
            elif options.attachments == "documents" and file.found.path.suffix.lower() == ".pdf":
                looked = ATTACHED in file.found.entry or file_around(file.found.uri) is not None
                options = options if looked else replace(options, attachments="none")
            return self._pool.read(file.found.path, options, pages=lambda *pages: setattr(file, "pages", pages))
        finally:
            file.spent["reading"] = time.monotonic() - file.begin
            self._reports.log_stage(file, "reading")
