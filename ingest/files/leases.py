"""The part of one process in a batch job: the files it has claimed, its heartbeats, and the results.

Everything about a job is written in single statements, each its own transaction, so a process that is stopped
in the middle leaves nothing locked. If the server loses the last of them, a file is looked at a second time.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import psutil
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from ragraph.base.queries import QUERIES
from ragraph.base.system import process_namespace
from ragraph.database.connection import connect
from ragraph.database.copying import Copier
from ragraph.database.driver import translate_errors
from ragraph.database.retry import with_retry
from ragraph.errors import RagraphError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.schema.reports import FileReport

_FILE_COLUMNS = {
    **{"job_id": "text", "source_uri": "text", "collection": "text", "place": "int4", "name": "text"},
    **{"record": "bool", "entry": "jsonb", "bytes": "int8"},
}

LEASE_S = 60.0
"""Seconds that a file is reserved for a process without a heartbeat."""

JobFile = tuple[str, str, int, str, bool, dict[str, Any], int | None]
"""source_uri, collection, place, name, record, entry and bytes: the columns of ``ingest_file``."""

_SIGN_S = 5.0
"""Maximum seconds between two heartbeats; people watch the progress of a job."""


@dataclass(frozen=True)
class Lease:
    """The right to write for a file. A process with an older lease is refused."""

    collection: str
    source_uri: str
    holder: str
    fence: int

    def require_held(self, connection: psycopg.Connection[Any]) -> None:
        """Hold the file until the transaction ends; must be its first statement.

        Raises:
            LeaseLostError: another process has claimed it.
        """
        connection.execute(QUERIES["check_lease"], asdict(self))


class JobLeases:
    """The leases of this process in one job; a thread renews them.

    Args:
        database: the store.
        job_id: id of an existing job.

    Raises:
        JobNotFoundError: the job does not exist.
    """

    def __init__(self, database: Database, job_id: str) -> None:
        self._database = database
        self.job_id = job_id
        self._machine = _machine()
        self.holder = f"{self._machine}:{os.getpid()}:{secrets.token_hex(4)}"
        self._asks = _Line(database.url)
        self._lock = threading.Lock()
        self._held: set[tuple[str, str, int]] = set()
        self._stages: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._ended = threading.Event()
        self.status = "running"
        self.open_files = 0
        self._counted = 0
        self._counting = 0
        (row,) = self._ask("job_asked", {})
        self._every = min(row["lease_seconds"] / 4, _SIGN_S)
        self.look()
        self._thread = threading.Thread(target=self._beat, name="ragraph-leases", daemon=True)
        self._thread.start()

    def claim(self, most: int) -> list[dict[str, Any]]:
        """Claim up to ``most`` files that no other process works on; rows of ``claim_files`` with their ``lease``."""
        with self._lock:
            known = Jsonb(list(self._held))
        rows = self._ask("claim_files", {"most": most, "known": known})
        for row in rows:
            row["lease"] = Lease(row["collection"], row["source_uri"], self.holder, row["fence"])
        with self._lock:
            self._held |= {(row["collection"], row["source_uri"], row["fence"]) for row in rows}
        return rows

    def free_dead(self) -> None:
        """Release the leases of dead processes of this machine, so that nobody waits for them to expire.

        If one lives after all (processes may not see each other), the fence refuses its next transaction.
        """
        for row in self._ask("leases_in_the_way", {"machine": self._machine}):
            if not _lives(int(row["holder"].rsplit(":", 2)[1])):
                self._ask("release_leases", row)

    def look(self) -> None:
        """Read the state of the job now: ``status``, ``open_files``."""
        with_retry(self._database, lambda: self._renew(self._asks))

    def resume(self) -> None:
        """Resume a job that another process ended early."""
        self._ask("resume_job", {})
        self.look()

    def files(self) -> list[dict[str, Any]]:
        """Return the files of the job, rows of the query ``job_files``; empty if the server is gone."""
        with contextlib.suppress(RagraphError):
            return self._asks.ask("job_files", {"job_id": self.job_id, "status": None, "limit": None})
        return []

    def stage_begins(self, lease: Lease, name: str) -> None:
        """Send the stage of a file with the next heartbeat."""
        with self._lock:
            self._stages[lease.source_uri] = name

    def finish_file(self, lease: Lease, report: FileReport, seconds: Mapping[str, float]) -> bool:
        """Write the result of a file and release it; return False if another process has claimed it."""
        self._say_no_more(lease)
        spent = {name: round(value, 3) for name, value in seconds.items()}
        told = {
            "outcome": report.status,
            "document_id": report.document_id,
            "reason": report.reason,
            "stage_seconds": Jsonb(spent),
        }
        with self._lock:
            self._counting += 1
        taken = 0
        try:
            (row,) = self._ask("finish_file", {**asdict(lease), **told})
            taken = row["finish_file"]
        finally:
            with self._lock:
                self._counting -= 1
                self._counted += 1
                self.open_files -= taken
                self._held.discard((lease.collection, lease.source_uri, lease.fence))
        return bool(taken)

    def file_lost(self, lease: Lease) -> None:
        """Leave a file whose lease is lost to others."""
        self._say_no_more(lease)
        with self._lock:
            self._held.discard((lease.collection, lease.source_uri, lease.fence))

    def _say_no_more(self, lease: Lease) -> None:
        with self._lock:
            self._stages.pop(lease.source_uri, None)
            self._told.pop(lease.source_uri, None)

    def close(self, reason: str | None) -> None:
        """Release everything and end this process's part in the job, with the reason if files are left.

        It does not wait for a server that is gone: claimed files become free when their leases expire.
        """
        self._ended.set()
        self._thread.join(self._every + 10)
        names = {"job_id": self.job_id, "holder": self.holder, "reason": reason}
        with contextlib.suppress(RagraphError):
            self._asks.ask("release_leases", names)
            self._asks.ask("close_job", names)
        self._asks.close()

    def _ask(self, query: str, names: Mapping[str, Any]) -> list[dict[str, Any]]:
        own = {"job_id": self.job_id, "holder": self.holder, **names}
        return with_retry(self._database, lambda: self._asks.ask(query, own))

    def _renew(self, line: _Line) -> None:
        with self._lock:
            stages = {name: stage for name, stage in self._stages.items() if self._told.get(name) != stage}
            counted, counting = self._counted, self._counting
        names = {"job_id": self.job_id, "holder": self.holder, "stages": Jsonb(stages)}
        (row,) = line.ask("renew_leases", names)
        with self._lock:
            self._told |= {name: stage for name, stage in stages.items() if name in self._stages}
            self.status = row["status"]
            if not counting and (self._counted, self._counting) == (counted, 0):
                self.open_files = row["open_files"]  # otherwise a file finished just now would be counted twice

    def _beat(self) -> None:
        line = _Line(self._database.url)
        while not self._ended.wait(self._every):
            with contextlib.suppress(RagraphError):  # the server is gone: the working thread has it started again
                self._renew(line)
        line.close()


class _Line:
    """A connection that is opened again after it was lost; used by one thread."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection[Any] | None = None

    def ask(self, query: str, names: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run one statement in a transaction of its own."""
        with translate_errors(self._url):
            if self._connection is None or self._connection.closed:
                self._connection = connect(self._url, autocommit=True)
            with self._connection.transaction(), self._connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute("SET LOCAL synchronous_commit = off")
                return cursor.execute(QUERIES[query], names).fetchall()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _machine() -> str:
    """Return the host name and the process namespace, because containers may have equal host names."""
    namespace = process_namespace()
    return socket.gethostname() if namespace is None else f"{socket.gethostname()}/{namespace}"


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def make_job(
    database: Database,
    collection: str,
    asked: Mapping[str, Any],
    rows: Sequence[JobFile],
    lease_s: float = LEASE_S,
) -> str:
    """Create a job with its files; delete jobs that finished long ago.

    Args:
        database: the store.
        collection: collection named for the documents.
        asked: paths and options, as plain values.
        rows: its files.
        lease_s: seconds that a file is reserved for a process without a heartbeat.

    Returns:
        The id of the job.
    """
    job_id = f"job_{secrets.token_hex(6)}"

    def write() -> None:
        with database.write() as connection:
            connection.execute(QUERIES["drop_old_jobs"])
            names = {"job_id": job_id, "collection": collection, "asked": Jsonb(dict(asked)), "lease_s": lease_s}
            if connection.execute(QUERIES["add_job"], names).rowcount == 0:
                return  # written before the connection was lost
            Copier(connection).copy(
                "ingest_file",
                _FILE_COLUMNS,
                (
                    (job_id, source_uri, into, place, name, record, Jsonb(dict(entry)), size)
                    for source_uri, into, place, name, record, entry, size in rows
                ),
            )

    with_retry(database, write)
    return job_id
