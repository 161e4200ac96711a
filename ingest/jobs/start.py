"""Taking in files: known ones are passed over, others are read in processes of their own, stored, and embedded.

Each document is one unit of work, and every unit can be repeated. Its graph goes in with one transaction, status
``processing``; its vectors follow, and with the last of them the status becomes ``completed``. Whatever ends a run
in between, the next one finds the documents that are not completed and goes on from there.
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
from ragraph.base.queries import QUERIES
from ragraph.base.scratch import ScratchFolder
from ragraph.base.telemetry import reported
from ragraph.database.collection_names import check_collection
from ragraph.database.retry import with_retry
from ragraph.errors import ArgumentError, IngestEndedError, IngestInterrupt
from ragraph.ingest.files.discover import Findings, Found, find_files, folders_in, found_of
from ragraph.ingest.files.leases import LEASE_S, JobFile, JobLeases, make_job
from ragraph.ingest.files.manifest import read_manifest
from ragraph.ingest.jobs.reports import reason_of
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.jobs.run import Run
from ragraph.ingest.jobs.work import Listed, Shared, Work
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.readers import ReadOptions
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
    """Take in files, folders and publication records; leave alone what is known and unchanged.

    A file that fails does not stop the others and leaves the store as it was; if its document is known, that
    document keeps its content and gets the status ``failed`` with the reason. Several processes may take in the
    same files at once.

    Args:
        database: the store, its schema up to date.
        request: the files, and how they are taken in.
        workers: processes that read at the same time; default one per core, at most four.
        progress: called in this thread as things happen.
        assets: where the originals are kept; None keeps none.
        job: write the run down as a batch job: other processes may share it, each file with a lease, and it can be gone
            on with.
        lease_s: seconds that a file of a new job is kept for a process that gives no sign.

    Returns:
        A report per file, in the order found.

    Raises:
        ArgumentError: ``document_id`` with more than one file; or what cannot be called so: the collection.
        ModelError: the model cannot be loaded, or differs from the one registered under its name.
        ServerError: the store cannot be used, before anything was read.
        IngestEndedError: the run ended before all was done, such as by a server that did not come back or a full disk;
            its ``report`` says what was done, its cause is why.
        IngestInterrupt: a KeyboardInterrupt that holds the report as well.
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
    """Go on with a batch job, with what was asked for it; others may be at it, here or elsewhere.

    Args:
        database: the store.
        job_id: the job.
        workers: as of ``ingest_paths``.
        progress: as of ``ingest_paths``.
        assets: where the originals are kept, if they are asked for.
        model: the job's model, loaded already; None loads it.
        options: holds the password, which is not kept with the job; the rest is the job's.

    Returns:
        A report per file of the job, those of other processes too.

    Raises:
        JobNotFoundError: no job has the id.
        ModelError: as of ``ingest_paths``.
        ServerError: as of ``ingest_paths``.
        IngestEndedError: as of ``ingest_paths``.
        IngestInterrupt: as of ``ingest_paths``.
    """
    begin = time.monotonic()
    request = _asked(database, job_id, options.password if options is not None else None)
    loaded = model if model is not None else _loaded(database, request)
    return _take_in(_Part(database, request, loaded, Findings(), (), begin, workers, progress, assets), job_id)


def plan_job(database: Database, request: IngestRequest, *, lease_s: float = LEASE_S) -> str:
    """Write a job down that a process goes on with later, by ``resume_job``.

    Args:
        database: the store.
        request: the files, and how they are taken in. The password is not kept.
        lease_s: as of ``ingest_paths``.

    Returns:
        The id of the job.

    Raises:
        ArgumentError: as of ``ingest_paths``.
    """
    return _write(database, request, _find(database, request), lease_s)


@dataclass(frozen=True)
class _Part:
    """What this process does of a request: all of it, or its part of a job."""

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
    """Run over the files; how it ends is told to the job, if it is one."""
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
    """Return the files that a request means."""
    collection = request.collection
    with_retry(database, lambda: check_collection(database, collection))
    if request.retry_failed:
        findings = Findings(with_retry(database, lambda: _failed_files(database, collection)))
    else:
        findings = find_files(request.paths, images=request.images, ocr=request.options.ocr)
    if request.manifest is not None:
        listed = _listed(database, Path(request.manifest))
        known = {(file.uri, file.collection or collection) for file in listed}
        findings.files = [file for file in findings.files if (file.uri, collection) not in known] + listed
    found = findings.files
    if request.document_id is not None and (len(found) != 1 or found[0].record):
        raise ArgumentError(f"an id can be given for one file, not for {len(found)}; name one file that is no record")
    return findings


def _listed(database: Database, manifest: Path) -> list[Found]:
    """Return the files of a manifest, whose collections may be called so."""
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
    """Have a job go on; return what was asked for it.

    Raises:
        JobNotFoundError: there is none of this id.
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
