"""Results of the files of a run: collected, written to the job if there is one, and sent as progress."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from ragraph.base.log import logger
from ragraph.errors import RagraphError
from ragraph.schema.reports import FileReport, IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ragraph.ingest.jobs.file_state import FileState
    from ragraph.ingest.jobs.work import Work
    from ragraph.schema.reports import FileStatus

_THERE = {"added", "changed", "moved", "unchanged"}
"""Statuses of a document that is in the store now."""


class Reports:
    """The reports of a run.

    Args:
        work: the files.
        progress: called with each event.
        counts: returns the numbers of nodes, components, relations and new embeddings of a document.
    """

    def __init__(
        self,
        work: Work,
        progress: Callable[[ProgressEvent], None],
        counts: Callable[[str], Mapping[str, int]],
    ) -> None:
        self._work = work
        self._progress = progress
        self._counts = counts
        self._bytes = 0
        self._bytes_read = 0
        self._read: set[int] = set()  # places of files whose text is stored
        self._reports: dict[int, FileReport] = {}
        self._unfinished: dict[int, tuple[FileState, str | None]] = {}
        self.log = logger("ragraph.ingest", job=work.job_id, worker=work.worker)

    def log_stage(self, file: FileState, stage: str) -> None:
        """Log the time of a stage of a file."""
        document = file.target.document_id if file.target else None
        seconds = round(file.spent[stage], 3)
        self.log.info("stage done", file=file.found.shown, document=document, stage=stage, seconds=seconds)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Log the time of a stage that belongs to all files together."""
        begin = time.monotonic()
        yield
        self.log.info("stage done", stage=stage, seconds=round(time.monotonic() - begin, 3))

    def send_progress(self, kind: Literal["found", "started", "reading", "stored", "finished"], **what: Any) -> None:
        """Send the state of the run to the caller."""
        self._progress(
            ProgressEvent(
                kind=kind,
                done=self._work.done(len(self._reports)),
                total=self._work.total,
                bytes_done=self._bytes,
                bytes_total=self._work.bytes,
                bytes_read=self._bytes_read,
                **what,
            )
        )

    def pages_read(self, file: FileState, done: float, total: int) -> None:
        """Send how many of its pages are read of a file that is being read."""
        self.send_progress("reading", path=file.found.shown, pages_done=int(done), pages_total=total)

    def not_done_yet(self, file: FileState, reason: str | None) -> None:
        """Record a file whose graph is stored but that is not done. ``reason`` is reported if the run ends now."""
        self._unfinished[file.place] = file, reason
        self._count_read(file)
        self.send_progress("stored", path=file.found.shown)

    def file_lost(self, file: FileState) -> None:
        """Leave a file to the process that took it over."""
        self.log.warning("file taken over by another process", file=file.found.shown)
        self._work.file_lost(file.found)
        self._unfinished.pop(file.place, None)

    def report_file(self, file: FileState, status: FileStatus, document_id: str | None, reason: str | None) -> bool:
        """Report the result of a file. Return False if another process has taken it over."""
        report = self._made(file, status, document_id, reason, self._counted(status, document_id))
        if not self._work.record_report(file.found, report, file.spent):
            return False
        self._reports[file.place] = report
        self._bytes += file.found.size
        self._count_read(file)
        self._unfinished.pop(file.place, None)
        self._log_file(report)
        self.send_progress("finished", path=report.path, file=report)
        return True

    def _counted(self, status: FileStatus, document_id: str | None) -> Mapping[str, int]:
        return self._counts(document_id) if document_id is not None and status in _THERE else {}

    def _made(
        self,
        file: FileState,
        status: FileStatus,
        document_id: str | None,
        reason: str | None,
        counts: Mapping[str, int],
    ) -> FileReport:
        return FileReport(
            path=file.found.shown,
            status=status,
            document_id=document_id,
            reason=reason,
            seconds=time.monotonic() - file.begin,
            warnings=file.target.warnings if file.target else (),
            **counts,
        )

    def _count_read(self, file: FileState) -> None:
        if file.place not in self._read:
            self._read.add(file.place)
            self._bytes_read += file.found.size

    def _log_file(self, report: FileReport) -> None:
        write = self.log.warning if report.status == "failed" else self.log.info
        write(
            "file failed" if report.status == "failed" else "file done",
            file=report.path,
            document=report.document_id,
            status=report.status,
            reason=report.reason,
            nodes=report.nodes or None,
            vectors=report.embeddings or None,
            seconds=round(report.seconds, 3),
        )

    def written(self) -> list[FileReport]:
        """Return the reports of documents that were written."""
        return [report for report in self._reports.values() if report.status in ("added", "changed")]

    def report(self, begin: float, ended: str | None, **more: Any) -> IngestReport:
        """Return the results in the order of the files; see ``Run.report``."""
        if ended is not None:
            ended += f"; {self._work.done(len(self._reports))} of {self._work.total} files were done"
            if self._unfinished:
                ended += f", and {len(self._unfinished)} stored, of which vectors are missing"
            ended += ": run it again to continue"
            there = True
            for file, reason in self._unfinished.values():
                document_id = file.target.document_id if file.target else None
                counts: Mapping[str, int] = {}
                try:
                    counts = self._counted(file.status, document_id) if there else {}
                except RagraphError:  # the server may be what ended the run
                    there = False
                self._reports[file.place] = self._made(file, file.status, document_id, reason, counts)
        self._reports |= self._work.others(self._reports.keys())
        return IngestReport(
            files=tuple(self._reports[place] for place in sorted(self._reports)),
            seconds=time.monotonic() - begin,
            ended=ended,
            job_id=self._work.job_id,
            **more,
        )


def reason_of(error: BaseException) -> str:
    """Return the message of an error as one line."""
    reason = " ".join(str(error).split())[:500] or type(error).__name__
    if isinstance(error, RagraphError | OSError):
        return reason
    return f"ingestion failed on the content of the file: {type(error).__name__}: {reason}"
