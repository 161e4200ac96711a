"""Ingest files: known ones are skipped, others are read in separate processes, stored, and embedded.

Each document is one unit of work that can be repeated. Its graph is written in one transaction, with status
``processing``. Its vectors follow, and with the last of them the status becomes ``completed``. If a run is interrupted,
the next one finds the documents that are not completed and continues with them.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.base.arguments import checked
from ragraph.base.counts import duration, many
from ragraph.base.notices import warn
from ragraph.base.queries import QUERIES
from ragraph.base.scratch import ScratchFolder
from ragraph.base.telemetry import reported
from ragraph.database.collection_names import check_collection
from ragraph.database.retry import with_retry
from ragraph.errors import ArgumentError, IngestEndedError, IngestInterrupt
from ragraph.ingest.files.discover import Findings, Found, find_files, folders_in, found_of
from ragraph.ingest.files.inside import file_around
from ragraph.ingest.files.leases import LEASE_S, JobFile, JobLeases, make_job
from ragraph.ingest.files.manifest import read_manifest
from ragraph.ingest.jobs.reports import reason_of
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.run import Run
from ragraph.ingest.jobs.work import Listed, Shared, Work
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.readers import ReadOptions, is_older
from ragraph.models.embedding import EmbeddingModel
from ragraph.models.registry import load_for, recorded_models

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.models.embedding import ModelOptions
    from ragraph.schema.reports import IngestReport, ProgressEvent


@checked()
@reported("ragraph.ingest")
def ingest_paths(
    database: Database,
    request: IngestRequest,
    *,
    workers: int | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    assets: Assets | None = None,
    job: bool = False,
    lease_s: float = LEASE_S,
) -> IngestReport:
    """Ingest files, folders and publication records; skip what is known and unchanged.

    A file that fails does not stop the others and leaves the store as it was. If its document is known, the document
    keeps its content and gets the status ``failed`` with the reason. Several processes may ingest the same files at
    once.

    Args:
        database: the store, its schema up to date.
        request: the files and options.
        workers: processes that read at the same time; default one per core, at most four.
        progress: called in this thread with each event.
        assets: where the originals are stored; None stores none.
        job: record the run as a batch job: other processes may share it, each file with a lease, and it can be
            resumed.
        lease_s: seconds that a file of a new job is reserved for a process without a heartbeat.

    Returns:
        A report per file, in the order found.

    Raises:
        ArgumentError: ``document_id`` with more than one file, or a collection with an invalid name.
        ModelError: the model cannot be loaded, or differs from the one registered under its name.
        ServerError: the store cannot be used; raised before anything is read.
        IngestEndedError: the run ended before all was done, for example because the server did not come back or the
            disk is full. Its ``report`` has the results so far, its cause is the reason.
        IngestInterrupt: a KeyboardInterrupt that also has the report.
    """
    begin = time.monotonic()
    request = replace(request, keep=request.keep and assets is not None)
    findings = _find(database, request)
    model = _loaded(database, request)
    job_id = _write(database, request, findings, lease_s) if job else None
    return _take_in(_Part(database, request, model, findings, request.paths, begin, workers, progress, assets), job_id)


@checked(model=EmbeddingModel, options=ReadOptions)
@reported("ragraph.ingest")
def resume_job(
    database: Database,
    job_id: str,
    *,
    workers: int | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    assets: Assets | None = None,
    model: EmbeddingModel | None = None,
    options: ReadOptions | None = None,
) -> IngestReport:
    """Resume a batch job with its own options. Other processes may work on it, on this machine or another.

    Args:
        database: the store.
        job_id: the job.
        workers: see ``ingest_paths``.
        progress: see ``ingest_paths``.
        assets: where the originals are stored, if the job keeps them.
        model: the job's model if it is already loaded; None loads it.
        options: its password is used, because a job does not store it; the other options are the job's.

    Returns:
        A report per file of the job, including those of other processes.

    Raises:
        JobNotFoundError: no job has the id.
        ModelError: see ``ingest_paths``.
        ServerError: see ``ingest_paths``.
        IngestEndedError: see ``ingest_paths``.
        IngestInterrupt: see ``ingest_paths``.
    """
    begin = time.monotonic()
    request = _asked(database, job_id, options.password if options is not None else None)
    loaded = model if model is not None else _loaded(database, request)
    return _take_in(_Part(database, request, loaded, Findings(), (), begin, workers, progress, assets), job_id)


def plan_job(database: Database, request: IngestRequest, *, lease_s: float = LEASE_S) -> str:
    """Create a job that a process resumes later with ``resume_job``.

    Args:
        database: the store.
        request: the files and options. The password is not stored.
        lease_s: see ``ingest_paths``.

    Returns:
        The id of the job.

    Raises:
        ArgumentError: see ``ingest_paths``.
    """
    return _write(database, request, _find(database, request), lease_s)


@dataclass(frozen=True)
class _Part:
    """The part of a request that this process does: all of it, or a share of a job."""

    database: Database
    request: IngestRequest
    model: EmbeddingModel | None
    findings: Findings
    paths: Sequence[str | Path]
    begin: float
    workers: int | None
    progress: Callable[[ProgressEvent], None] | None
    assets: Assets | None


def _take_in(part: _Part, job_id: str | None) -> IngestReport:
    """Run over the files; if it is a job, record there how it ended."""
    leases = None
    work: Work = Listed(part.findings.files)
    if job_id is not None:
        leases = JobLeases(part.database, job_id)
        work = Shared(leases)
    assets = part.assets if part.request.keep else None
    pictures = ScratchFolder("pictures") if assets is not None else None
    options = replace(part.request.options, pictures=str(pictures.path) if pictures else None)
    run = Run(
        work,
        replace(part.request, options=options),
        database=part.database,
        model=part.model,
        progress=part.progress or (lambda _: None),
        assets=assets,
    )
    cores = os.cpu_count() or 1
    size = part.workers or min(cores, 4)
    limits: dict[str, Any] = {name: getattr(part.request, name) for name in ("timeout_s", "memory_bytes", "limits")}
    reason = None
    try:
        run.start()
        _warn_of_readers(part.database, part.findings.files)
        try:
            with isolate.ReaderPool(**limits, threads=max(1, cores // max(1, min(size, work.total)))) as readers:
                run.files(readers, size)
            run.come_to_end(folders_in(part.paths))
        except KeyboardInterrupt as error:
            reason = str(error) or "interrupted"
            report = run.report(part.findings, part.begin, reason)
            raise IngestInterrupt(str(report.ended), report) from error
        except Exception as error:
            reason = reason_of(error)
            report = run.report(part.findings, part.begin, reason)
            raise IngestEndedError(str(report.ended), report) from error
        return run.report(part.findings, part.begin)
    finally:
        if leases is not None:
            leases.close(reason)
        if pictures is not None:
            pictures.remove()


def _find(database: Database, request: IngestRequest) -> Findings:
    """Return the files of a request."""
    collection = request.collection
    with_retry(database, lambda: check_collection(database, collection))
    if request.retry_failed:
        findings = Findings(with_retry(database, lambda: _failed_files(database, collection)))
    else:
        apart = request.options.attachments == "documents"
        findings = find_files(request.paths, images=request.images, ocr=request.options.ocr, attachments=apart)
    if request.manifest is not None:
        listed = _listed(database, Path(request.manifest))
        known = {(file.uri, file.collection or collection) for file in listed}
        findings.files = [file for file in findings.files if (file.uri, collection) not in known] + listed
    found = [file for file in findings.files if file_around(file.uri) is None]
    if request.document_id is not None and (len(found) != 1 or found[0].record):
        raise ArgumentError(f"an id can be given for one file, not for {len(found)}; name one file that is no record")
    return findings


def _warn_of_readers(database: Database, files: Sequence[Found]) -> None:
    """Warn how many documents are read again because another version of their reader has read them, and how long."""
    if not files:
        return

    def readers() -> list[tuple[str, list[str]]]:
        with database.read() as connection:
            return connection.execute(QUERIES["readers_of_files"], {"uris": [file.uri for file in files]}).fetchall()

    older = {reader: documents for reader, documents in with_retry(database, readers) if is_older(reader)}
    if not older:
        return
    documents = [document for of_reader in older.values() for document in of_reader]

    def times() -> tuple[int, float]:
        with database.read() as connection:
            ((timed, seconds),) = connection.execute(QUERIES["seconds_of_reading"], {"documents": documents}).fetchall()
            return timed, seconds

    timed, seconds = with_retry(database, times)
    listed = ", ".join(f"{len(of_reader):,} by {reader}" for reader, of_reader in sorted(older.items()))
    said = f"{many(len(documents), 'document')} will be read again, because their readers have changed: {listed}"
    took = f"; a process needs about {duration(seconds * len(documents) / timed)} for it, as before" if timed else ""
    warn(said + took)


def _listed(database: Database, manifest: Path) -> list[Found]:
    """Return the files of a manifest; check the names of their collections."""
    listed = read_manifest(manifest)
    for name in {file.collection for file in listed if file.collection is not None}:
        with_retry(database, partial(check_collection, database, name))
    return listed


def _failed_files(database: Database, collection: str) -> list[Found]:
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [found_of(row) for row in cursor.execute(QUERIES["failed_files"], {"collection": collection})]


def _loaded(database: Database, request: IngestRequest) -> EmbeddingModel | None:
    """Return the model of a request, loaded."""
    known = with_retry(database, lambda: recorded_models(database))
    if not isinstance(request.model, str):
        return request.model
    how: ModelOptions = {
        "backend": request.backend,
        "base_url": request.base_url,
        "max_tokens": request.max_tokens,
    }
    return load_for(known, request.model, **how)


def _asked(database: Database, job_id: str, password: str | None) -> IngestRequest:
    """Set a job to running again and return its request.

    Raises:
        JobNotFoundError: no job has the id.
    """

    def resume() -> IngestRequest:
        names = {"job_id": job_id}
        with database.write() as connection, connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(QUERIES["resume_job"], names)
            (row,) = cursor.execute(QUERIES["job_asked"], names).fetchall()
        return IngestRequest.from_json(row["asked"], password)

    return with_retry(database, resume)


def _write(database: Database, request: IngestRequest, findings: Findings, lease_s: float) -> str:
    rows: list[JobFile] = [
        (file.uri, file.collection or request.collection, place, file.shown, file.record, dict(file.entry), file.size)
        for place, file in enumerate(findings.files)
    ]
    return make_job(database, request.collection, request.to_json(), rows, lease_s)
