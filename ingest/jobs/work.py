"""The files of a run, in order: a list of its own, or one that several processes share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from ragraph.errors import IngestError
from ragraph.ingest.files.discover import Found, found_of
from ragraph.schema.reports import FileReport

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ragraph.ingest.files.leases import JobLeases

Piece = tuple[int, Found]
"""A file and its place in the list."""

_PAUSE_S = 0.5
"""Seconds between two checks whether files of others have become free."""


class Work(Protocol):
    """Source of a run's files, and receiver of their results."""

    total: int
    """Number of files in the list."""

    bytes: int
    """Bytes of the files to be done, as far as known."""

    job_id: str | None
    """The batch job of the files."""

    worker: str | None
    """Name of this process in that job."""

    def next_files(self, most: int) -> Sequence[Piece]:
        """Return up to ``most`` next files; empty if no file is free at the moment."""

    def raise_if_cancelled(self) -> None:
        """Raise IngestError if the job was cancelled."""

    def all_done(self) -> bool:
        """Return True if all files of the list are done, by any process."""

    def wait_for_others(self) -> None:
        """Wait a moment for other processes."""

    def stage_begins(self, found: Found, name: str) -> None:
        """Record that a file is now at a stage."""

    def record_report(self, found: Found, report: FileReport, seconds: Mapping[str, float]) -> bool:
        """Write a report. Return False if another process has taken the file over."""

    def file_lost(self, found: Found) -> None:
        """Record that another process has taken the file over."""

    def done(self, own: int) -> int:
        """Return how many files of the list are done; ``own`` of them by this run."""

    def others(self, own: Collection[int]) -> Iterator[tuple[int, FileReport]]:
        """Yield the reports of files of other processes; files not reached are ``pending``."""


class Listed:
    """A list that only this run uses."""

    def __init__(self, found: Sequence[Found]) -> None:
        self.job_id: str | None = None
        self.worker: str | None = None
        self.total = len(found)
        self.bytes = sum(file.size for file in found)
        self._found = found
        self._next = iter(enumerate(found))

    def next_files(self, most: int) -> Sequence[Piece]:
        """See ``Work``."""
        piece = next(self._next, None)
        return [piece] if piece is not None and most else []

    def raise_if_cancelled(self) -> None:
        """See ``Work``."""

    def all_done(self) -> bool:
        """See ``Work``."""
        return True  # called when no file is left to take

    def wait_for_others(self) -> None:
        """See ``Work``."""

    def stage_begins(self, found: Found, name: str) -> None:
        """See ``Work``."""

    def record_report(self, found: Found, report: FileReport, seconds: Mapping[str, float]) -> bool:
        """See ``Work``."""
        return True

    def file_lost(self, found: Found) -> None:
        """See ``Work``."""

    def done(self, own: int) -> int:
        """See ``Work``."""
        return own

    def others(self, own: Collection[int]) -> Iterator[tuple[int, FileReport]]:
        """See ``Work``."""
        for place, file in enumerate(self._found):
            if place not in own:
                yield place, FileReport(path=file.shown, status="pending")


class Shared:
    """The files of a job, with a lease on each; several processes may work on it.

    Args:
        leases: the leases of this process.
    """

    def __init__(self, leases: JobLeases) -> None:
        self._leases = leases
        self.job_id: str | None = leases.job_id
        self.worker: str | None = leases.holder
        rows = leases.files()
        self.total = len(rows)
        self.bytes = sum(row["bytes"] or 0 for row in rows if row["ended_at"] is None)

    def next_files(self, most: int) -> Sequence[Piece]:
        """See ``Work``."""
        self.raise_if_cancelled()
        return [(row["place"], found_of(row)) for row in self._leases.claim(most)] if most > 0 else []

    def raise_if_cancelled(self) -> None:
        """See ``Work``."""
        if self._leases.status == "cancelled":
            raise IngestError("the job was cancelled")

    def all_done(self) -> bool:
        """See ``Work``."""
        self._leases.look()
        return self._leases.open_files == 0

    def wait_for_others(self) -> None:
        """See ``Work``."""
        self.raise_if_cancelled()
        if self._leases.status == "ended":  # by a process that saw no other at work
            self._leases.resume()
        self._leases.free_dead()
        time.sleep(_PAUSE_S)

    def stage_begins(self, found: Found, name: str) -> None:
        """See ``Work``."""
        if found.lease is not None:
            self._leases.stage_begins(found.lease, name)

    def record_report(self, found: Found, report: FileReport, seconds: Mapping[str, float]) -> bool:
        """See ``Work``."""
        return found.lease is not None and self._leases.finish_file(found.lease, report, seconds)

    def file_lost(self, found: Found) -> None:
        """See ``Work``."""
        if found.lease is not None:
            self._leases.file_lost(found.lease)

    def done(self, own: int) -> int:
        """See ``Work``."""
        return self.total - self._leases.open_files

    def others(self, own: Collection[int]) -> Iterator[tuple[int, FileReport]]:
        """See ``Work``."""
        for row in self._leases.files():
            if row["place"] not in own:
                yield row["place"], reported(row)


def reported(row: Mapping[str, Any]) -> FileReport:
    """Return the report of a file from its row in the job."""
    return FileReport(
        path=row["name"], status=row["outcome"] or "pending", document_id=row["document_id"], reason=row["reason"]
    )
