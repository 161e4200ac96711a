"""Files that are being read or fetched: threads that wait for it, as many drafts ahead as memory has room for."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from ragraph.base.scratch import ScratchFolder
from ragraph.ingest.files.addresses import fetch

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
"""Drafts per reader's process that wait in memory at most."""

_LOOK_S = 1.0
"""How often a run that waits for its readers looks whether it was cancelled."""


class ReadingQueue:
    """Has files read or fetched, and hands back what comes of it.

    Args:
        pool: the readers' processes; it is closed with the queue.
        size: files that are read at the same time.
        work: told what stage a file is in; says whether the run was cancelled.
        reports: told how long a stage took.
        options: for the readers.
        limits: what a file may be at most.
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

    @property
    def room(self) -> int:
        """How many more files may be submitted; not below 0."""
        return max(self._most - len(self._files), 0)

    @property
    def busy(self) -> bool:
        """Whether a file is being read or fetched."""
        return bool(self._files)

    def submit_fetch(self, file: FileState) -> None:
        """Have a file that lies elsewhere copied to this machine; what comes of it is a path."""
        file.copy = self._copies.path / str(file.place)
        self._files[self._threads.submit(self._fetch, file, file.copy)] = file

    def submit_read(self, file: FileState) -> None:
        """Have a file read; what comes of it is a draft."""
        self._files[self._threads.submit(self._read, file)] = file

    def results(self) -> list[tuple[FileState, Future[Draft | Path]]]:
        """Wait for files, a moment at most; return those that are read, fetched or failed, in the order of the list.

        Raises:
            IngestError: the job was cancelled.
        """
        self._work.raise_if_cancelled()
        done, _ = wait(self._files, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        return sorted(((self._files.pop(future), future) for future in done), key=lambda item: item[0].place)

    def close(self) -> None:
        """Read nothing more; what is being read ends with its process."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._pool.close()
        self._copies.remove()

    def _fetch(self, file: FileState, copy: Path) -> Path:
        file.begin = time.monotonic()
        self._work.stage_begins(file.found, "reading")
        return fetch(file.found.uri, copy, self._limits.file_bytes)

    def _read(self, file: FileState) -> Draft:
        file.begin = time.monotonic()  # what a file waits for its turn is not time that it took
        self._work.stage_begins(file.found, "reading")
        try:
            return self._pool.read(file.found.path, self._options)
        finally:
            file.spent["reading"] = time.monotonic() - file.begin
            self._reports.log_stage(file, "reading")
