"""What became of the files of a run: kept, written down where it is a job, and told as it happens."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from ragraph.base.log import logger
from ragraph.errors import RagraphError
from ragraph.schema.reports import FileReport, IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ragraph.ingest.jobs.file_state import Opened
    from ragraph.ingest.jobs.work import Work
    from ragraph.schema.reports import FileStatus

_THERE = {"added", "changed", "moved", "unchanged"}
"""Of a document that the store has now."""


class Outcomes:
    """The reports of a run.

    Args:
        work: the files.
        progress: called as things happen.
        counts: gives the nodes, components, relations and new embeddings of a document.
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
        self._reports: dict[int, FileReport] = {}
        self._unfinished: dict[int, tuple[Opened, str | None]] = {}
        self.log = logger("ragraph.ingest", job=work.job_id, worker=work.worker)

    def stage_done(self, opened: Opened, stage: str) -> None:
        """Log what a stage of a file took."""
        document = opened.target.document_id if opened.target else None
        seconds = round(opened.spent[stage], 3)
        self.log.info("stage done", file=opened.found.shown, document=document, stage=stage, seconds=seconds)

    @contextmanager
    def stage(self, stage: str) -> Iterator[None]:
        """Log what a stage took that belongs to all files together."""
        begin = time.monotonic()
        yield
        self.log.info("stage done", stage=stage, seconds=round(time.monotonic() - begin, 3))

    def tell(self, kind: Literal["found", "started", "finished"], **what: Any) -> None:
        """Say how far the run is."""
        self._progress(
            ProgressEvent(
                kind=kind,
                done=self._work.done(len(self._reports)),
                total=self._work.total,
                bytes_done=self._bytes,
                bytes_total=self._work.bytes,
                **what,
            )
        )

    def stored(self, opened: Opened, reason: str | None) -> None:
        """Take note of a file whose graph is stored and that is not done; ``reason`` says why, should the run end."""
        self._unfinished[opened.place] = opened, reason

    def forget(self, opened: Opened) -> None:
        """Leave a file to the process that took it over."""
        self.log.warning("file taken over by another process", file=opened.found.shown)
        self._work.forget(opened.found)
        self._unfinished.pop(opened.place, None)

    def finish(self, opened: Opened, status: FileStatus, document_id: str | None, reason: str | None) -> bool:
        """Report what became of a file; False if it is another process's by now."""
        counts = self._counts(document_id) if document_id is not None and status in _THERE else {}
        report = FileReport(
            path=opened.found.shown,
            status=status,
            document_id=document_id,
            reason=reason,
            seconds=time.monotonic() - opened.begin,
            warnings=opened.target.warnings if opened.target else (),
            **counts,
        )
        spent = {stage: seconds for stage, seconds in opened.spent.items() if seconds >= 0}
        if not self._work.finish(opened.found, report, spent):
            return False
        self._reports[opened.place] = report
        self._bytes += opened.found.size
        self._unfinished.pop(opened.place, None)
        self._log_file(report)
        self.tell("finished", path=report.path, file=report)
        return True

    def _log_file(self, report: FileReport) -> None:
        tell = self.log.warning if report.status == "failed" else self.log.info
        tell(
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
        """Return what was done, in the order of the files; see ``Run.report``."""
        if ended is not None:
            done = len(self._reports)
            ended = f"{ended}; {done} of {self._work.total} files were done: run the same again to go on from there"
            for opened, reason in self._unfinished.values():
                self._reports[opened.place] = FileReport(
                    path=opened.found.shown,
                    status=opened.status,
                    document_id=opened.target.document_id if opened.target else None,
                    reason=reason,
                    seconds=time.monotonic() - opened.begin,
                    warnings=opened.target.warnings if opened.target else (),
                )
        self._reports |= self._work.others(self._reports.keys())
        return IngestReport(
            files=tuple(self._reports[place] for place in sorted(self._reports)),
            seconds=time.monotonic() - begin,
            ended=ended,
            job_id=self._work.job_id,
            **more,
        )


def said(error: BaseException) -> str:
    """Return what an error says, in one line."""
    reason = " ".join(str(error).split())[:500] or type(error).__name__
    if isinstance(error, RagraphError | OSError):
        return reason
    return f"the ingester failed on what was read: {type(error).__name__}: {reason}"
