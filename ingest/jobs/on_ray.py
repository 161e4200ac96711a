"""A batch job on a Ray cluster: one or more tasks on each node read, embed and write.

Each task resumes the job as ``ragraph jobs resume`` does on another machine. It claims files by leases when it has
capacity, so no file or draft is sent between nodes and nothing is done twice. The limits of reading hold on each
node, and every node writes. The files of a lost node are done by the others once its leases expire. Ray starts its
task again.
"""

from __future__ import annotations

import logging
import socket
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.base import settings
from ragraph.base.arguments import checked
from ragraph.base.extras import needing
from ragraph.base.log import print_log
from ragraph.base.queries import QUERIES
from ragraph.database.connection import Database
from ragraph.documents.assets import Assets
from ragraph.errors import ArgumentError, IngestEndedError, IngestError, IngestInterrupt, first_line
from ragraph.ingest.files.leases import LEASE_S
from ragraph.ingest.jobs.start import plan_job, resume_job
from ragraph.ingest.jobs.work import reported
from ragraph.ingest.readers import ReadOptions
from ragraph.schema.reports import FileReport, IngestReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragraph.ingest.jobs.request import IngestRequest

_CORES = 4
"""Processors of a task: the number of files that a normal run reads at the same time."""
_RETRIES = 3
"""Times that Ray starts the task of a lost node again."""
_LOOK_S = 1.0
_ENDING_S = 30.0
"""Seconds that interrupted tasks have to release their files."""
_KNOCK_S = 10.0
_LAST_S = 5.0
"""Seconds that tasks have to notice that the job is done, once one of them reports it."""


@checked()
def ingest_on_ray(
    database: Database,
    request: IngestRequest,
    *,
    ray: str,
    workers: int | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    assets: Assets | None = None,
    lease_s: float = LEASE_S,
) -> IngestReport:
    """Ingest files as a batch job that the nodes of a Ray cluster share.

    ragraph must be installed on every node. Each node must reach the database, the files and the folder of originals
    under the same names. If nodes have GPUs, tasks get them and embed with them.

    Args:
        database: the store, on a server that the nodes reach.
        request: the files and options.
        ray: address of the cluster: ``auto`` for the one of this machine, ``HOST:PORT``, ``ray://HOST:PORT``, or
            ``local`` to start one on this machine for the run.
        workers: processors of a task, and number of files that it reads at the same time; default four, or as many
            as a node has.
        progress: called in this thread as files are done.
        assets: where the originals are stored.
        lease_s: seconds that a file is reserved for a node without a heartbeat.

    Returns:
        A report per file, in the order found. Numbers of nodes and vectors that a lost node wrote are missing.

    Raises:
        ArgumentError: Ray is not installed, the nodes cannot reach the database, or see ``plan_job``.
        IngestError: no cluster answers, or it has no processors.
        IngestEndedError: all tasks ended before all was done.
        IngestInterrupt: Ctrl-C; the tasks are ended, and the job can be resumed.
    """
    request = replace(request, keep=request.keep and assets is not None)
    return _share(
        lambda: plan_job(database, request, lease_s=lease_s),
        _Sharing(database, ray, workers, progress or (lambda _: None), assets, request.options.password),
    )


@checked(options=ReadOptions)
def resume_on_ray(
    database: Database,
    job_id: str,
    *,
    ray: str,
    workers: int | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    assets: Assets | None = None,
    options: ReadOptions | None = None,
) -> IngestReport:
    """Resume a batch job on the nodes of a Ray cluster.

    Args:
        database: see ``ingest_on_ray``.
        job_id: the job.
        ray: see ``ingest_on_ray``.
        workers: see ``ingest_on_ray``.
        progress: see ``ingest_on_ray``.
        assets: where the originals are stored, if the job keeps them.
        options: its password is used, because a job does not store it; the other options are the job's.

    Returns:
        See ``ingest_on_ray``.

    Raises:
        JobNotFoundError: no job has the id.
        RagraphError: see ``ingest_on_ray``.
    """
    password = options.password if options is not None else None
    return _share(lambda: job_id, _Sharing(database, ray, workers, progress or (lambda _: None), assets, password))


@dataclass(frozen=True)
class _Sharing:
    """Settings for sharing a job among the nodes of a cluster."""

    database: Database
    ray: str
    workers: int | None
    progress: Callable[[ProgressEvent], None]
    assets: Assets | None
    password: str | None


def _share(job: Callable[[], str], how: _Sharing) -> IngestReport:
    """Have the nodes of a cluster resume a job. ``job`` is called once the nodes can be reached."""
    begin = time.monotonic()
    database = how.database
    with _cluster(how.ray) as cluster:
        slots = _slots(cluster, how.workers)
        _reachable(database, slots)
        job_id = job()
        task = cluster.remote(max_retries=_RETRIES)(_take_part)
        names = (database.url, job_id, how.assets.root if how.assets is not None else None, how.password)
        refs = [task.options(**slot.resources()).remote(*names, slot.cores) for slot in slots]
        events = _JobEvents(database, job_id, how.progress)
        try:
            found, reason = _wait(cluster, refs, events)
        except KeyboardInterrupt as error:
            _end(cluster, refs)
            raise IngestInterrupt("interrupted", _so_far(database, job_id, begin, "interrupted")) from error
    if found is None:
        said = f"{reason}; resume it with: ragraph jobs resume {job_id}"
        raise IngestEndedError(said, _so_far(database, job_id, begin, said))
    return replace(found, seconds=time.monotonic() - begin)


@dataclass(frozen=True)
class _Slot:
    """Capacity for a task on a node: processors, and a share of a GPU if it has one."""

    node: str
    host: str
    cores: int
    gpus: float

    def resources(self) -> dict[str, Any]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        place = NodeAffinitySchedulingStrategy(node_id=self.node, soft=True)  # soft: another node if this one is lost
        return {"num_cpus": self.cores, "num_gpus": self.gpus, "scheduling_strategy": place}


def _take_part(url: str, job_id: str, root: str | None, password: str | None, workers: int) -> IngestReport:
    """Resume the job on a node until all its files are done, by any process; the function of a Ray task."""
    with Database(url) as database, print_log(settings.log()):
        try:
            return resume_job(
                database,
                job_id,
                workers=workers,
                options=ReadOptions(password=password),
                assets=Assets(root) if root is not None else None,
            )
        except (IngestEndedError, IngestInterrupt) as error:
            return error.report


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    """Connect to a cluster; yields the module ``ray``.

    Raises:
        ArgumentError: Ray is not installed.
        IngestError: no cluster answers.
    """
    with needing("a job on Ray", ArgumentError):
        import ray
    before = ray.is_initialized()
    try:
        _knock(address)
        ray.init(
            address=None if address == "local" else address,
            ignore_reinit_error=True,
            log_to_driver=False,
            logging_level=logging.ERROR,
            include_dashboard=False if address == "local" else None,
        )
    except (OSError, ValueError, RuntimeError) as error:
        hint = "start one with `ray start --head`, or give `local`"
        raise IngestError(f"no Ray cluster answers at {address}: {first_line(error)}; {hint}") from error
    try:
        yield ray
    finally:
        if not before:
            ray.shutdown()


def _knock(address: str) -> None:
    """Raise OSError if nothing listens there: Ray would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_S).close()


def _slots(cluster: Any, workers: int | None) -> list[_Slot]:
    """Return where tasks may run: as many on a node as its processors allow, at least one.

    Raises:
        IngestError: no node has processors.
    """
    slots = []
    for node in cluster.nodes():
        cpus = int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0
        if cpus:
            cores = min(workers or _CORES, cpus)
            count = cpus // cores
            gpus = node["Resources"].get("GPU", 0)
            slots += [_Slot(node["NodeID"], node["NodeManagerHostname"], cores, gpus / count)] * count
    if not slots:
        raise IngestError("the Ray cluster has no node with processors; start one with `ray start --address ...`")
    return slots


def _reachable(database: Database, slots: Sequence[_Slot]) -> None:
    elsewhere = sorted({slot.host for slot in slots} - {socket.gethostname()})
    if database.local and elsewhere:
        raise ArgumentError(
            f"the database is reached by a socket of this machine, the cluster has the nodes {', '.join(elsewhere)}",
            hint="name a server that they reach: --url postgresql://HOST/DATABASE",
        )


def _wait(cluster: Any, refs: Sequence[Any], events: _JobEvents) -> tuple[IngestReport | None, str]:
    """Wait for the tasks. Return their combined report if one finished the job, else None and the reason."""
    reports: list[IngestReport] = []
    reason = "no task of the cluster finished the job"
    pending, until = list(refs), float("inf")
    while pending and time.monotonic() < until:
        done, pending = cluster.wait(pending, timeout=_LOOK_S)
        events.send_new()
        for ref in done:
            try:
                report = cluster.get(ref)
            except cluster.exceptions.RayError as error:  # its node is lost, or misconfigured
                reason = first_line(getattr(error, "cause", None) or error)
                continue
            if report.ended is None:
                reports.append(report)
                until = min(until, time.monotonic() + _LAST_S)
            else:
                reason = report.ended
    if not reports:
        return None, reason
    found = _together(reports)
    events.send_rest(found)
    return found, ""


def _together(reports: Sequence[IngestReport]) -> IngestReport:
    """Return the report of a job. Each file is from the task that ingested it: the others do not know its numbers.

    A task that ends after the job was completed lists no unchanged files.
    """
    best: dict[str, FileReport] = {}
    for file in (file for report in reports for file in report.files):
        if file.path not in best or file.seconds > best[file.path].seconds:
            best[file.path] = file
    longest = max(reports, key=lambda report: len(report.files))
    warnings = tuple(dict.fromkeys(line for report in reports for line in report.warnings))
    return replace(longest, files=tuple(best[file.path] for file in longest.files), warnings=warnings)


def _end(cluster: Any, refs: Sequence[Any]) -> None:
    for ref in refs:
        cluster.cancel(ref)  # raises a KeyboardInterrupt there, which releases the files
    cluster.wait(list(refs), num_returns=len(refs), timeout=_ENDING_S)


def _so_far(database: Database, job_id: str, begin: float, reason: str) -> IngestReport:
    names = {"job_id": job_id, "status": None, "limit": None}
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        files = tuple(map(reported, cursor.execute(QUERIES["job_files"], names)))
    return IngestReport(files=files, seconds=time.monotonic() - begin, ended=reason, job_id=job_id)


class _JobEvents:
    """Sends events for files whose rows of the job show that they were done since the last look."""

    def __init__(self, database: Database, job_id: str, progress: Callable[[ProgressEvent], None]) -> None:
        self._database = database
        self._job_id = job_id
        self._progress = progress
        self._seen: set[int] = set()
        self._since = None
        self._total, self._bytes, self._bytes_done = 0, 0, 0
        for row in self._rows("job_list", limit=1):
            self._total, self._bytes = row["files"], row["bytes"]
        progress(ProgressEvent(kind="found", total=self._total, bytes_total=self._bytes))

    def send_new(self) -> None:
        """Send events for the files that were done meanwhile."""
        for row in self._rows("job_ended", since=self._since):
            self._since = row["ended_at"]
            if row["place"] not in self._seen:
                self._seen.add(row["place"])
                self._bytes_done += row["bytes"] or 0
                self._send_finished(row["name"], reported(row))

    def send_rest(self, report: IngestReport) -> None:
        """Send events for files that are no longer listed: the unchanged ones of a completed job."""
        for place, file in enumerate(report.files):
            if place not in self._seen:
                self._seen.add(place)
                self._send_finished(file.path, file)

    def _send_finished(self, path: str, file: Any) -> None:
        done = len(self._seen)
        counts = {"done": done, "total": self._total, "bytes_done": self._bytes_done, "bytes_total": self._bytes}
        counts["bytes_read"] = self._bytes_done
        self._progress(ProgressEvent(kind="finished", path=path, file=file, **counts))

    def _rows(self, query: str, **names: Any) -> list[dict[str, Any]]:
        with self._database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(QUERIES[query], {"job_id": self._job_id, **names}).fetchall()
