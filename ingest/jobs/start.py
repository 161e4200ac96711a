"""Taking in files: known ones are passed over, others are read in processes of their own, stored, and embedded.

Each document is one unit of work, and every unit can be repeated. Its graph goes in with one transaction, status
``processing``; its vectors follow, and with the last of them the status becomes ``completed``. Whatever ends a run
in between, the next one finds the documents that are not completed and goes on from there.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from ragraph.base.arguments import checked, text, texts
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.labels import check_id, clean_tag
from ragraph.base.queries import QUERIES
from ragraph.base.scratch import ScratchFolder
from ragraph.base.telemetry import reported
from ragraph.database.collection_names import check_collection
from ragraph.database.retry import with_retry
from ragraph.errors import ArgumentError, IngestEndedError, IngestInterrupt
from ragraph.ingest.files.addresses import is_address
from ragraph.ingest.files.discover import Findings, Found, find_files, folders_in, found_of
from ragraph.ingest.files.leases import LEASE_S, JobFile, JobLeases, make_job
from ragraph.ingest.files.manifest import read_manifest
from ragraph.ingest.files.places import printable
from ragraph.ingest.jobs.reports import said
from ragraph.ingest.jobs.request import Asked
from ragraph.ingest.jobs.run import Run
from ragraph.ingest.jobs.work import Listed, Shared, Work
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.reading import isolate
from ragraph.ingest.reading.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.vectors.parts import PartSettings
from ragraph.models.embedding import EmbeddingModel
from ragraph.models.registry import load_for, recorded_models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.models.embedding import ModelOptions
    from ragraph.schema.reports import IngestReport, ProgressEvent


@checked(model=(str, EmbeddingModel), options=ReadOptions, parts=PartSettings, limits=Limits)
@reported("ragraph.ingest")
def ingest_paths(
    database: Database,
    paths: Iterable[str | Path],
    *,
    collection: str = "default",
    tags: str | Sequence[str] = (),
    document_id: str | None = None,
    images: bool = False,
    model: str | EmbeddingModel | None = CURRENT_MODEL,
    backend: str | None = None,
    base_url: str | None = None,
    max_tokens: int | None = None,
    options: ReadOptions | None = None,
    parts: PartSettings | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    timeout_s: float = TIMEOUT_S,
    memory_bytes: int = MEMORY_BYTES,
    progress: Callable[[ProgressEvent], None] | None = None,
    assets: Assets | None = None,
    job: bool = False,
    job_id: str | None = None,
    lease_s: float = LEASE_S,
    retry_failed: bool = False,
    manifest: str | Path | None = None,
) -> IngestReport:
    """Take in files, folders and publication records; leave alone what is known and unchanged.

    A file that fails does not stop the others and leaves the store as it was; if its document is known, that
    document keeps its content and gets the status ``failed`` with the reason. Several processes may take in the
    same files at once.

    Args:
        database: the store, its schema up to date.
        paths: files, folders, patterns and addresses; see ``find_files``.
        collection: namespace of new documents.
        tags: put on the publications of the documents.
        document_id: id of the document, for a single file.
        images: take in the images of folders that hold documents too, each as a scanned page.
        model: name, folder or model to embed with; None embeds nothing.
        backend: what computes the vectors, as of ``ragraph.models.embedding.ModelOptions``.
        base_url: of a model ``openai:NAME``: the same.
        max_tokens: of a model ``openai:NAME``: the same.
        options: for the readers, such as a password.
        parts: how long texts are cut for embedding.
        limits: what a file may be at most.
        workers: processes that read at the same time; default one per core, at most four.
        timeout_s: seconds of wall clock that reading a file may take; a page whose text is recognised adds to it.
        memory_bytes: memory that reading a file may take.
        progress: called in this thread as things happen.
        assets: where the originals are kept; None keeps none.
        job: write the run down as a batch job: other processes may share it, each file with a lease, and it can be gone
            on with.
        job_id: go on with this job, whose paths and options then hold (``workers``, ``progress``, the password, and a
            model that is loaded already are of this call).
        manifest: take in also the files that this lists: JSON lines as of ``manifest.ManifestLine``.
        retry_failed: take in, in place of ``paths``, the files of the collection whose last try in any job failed.
        lease_s: seconds that a file of a new job is kept for a process that gives no sign.

    Returns:
        A report per file, in the order found.

    Raises:
        ArgumentError: ``document_id`` with more than one file; or what cannot be called so: it, a tag, the collection.
        JobNotFoundError: no job has the id.
        ModelError: the model cannot be loaded, or differs from the one registered under its name.
        ServerError: the store cannot be used, before anything was read.
        IngestEndedError: the run ended before all was done, such as by a server that did not come back or a full disk;
            its ``report`` says what was done, its cause is why.
        IngestInterrupt: a KeyboardInterrupt that holds the report as well.
    """
    begin = time.monotonic()
    given = list(paths)
    asked = _asked(
        given,
        collection=collection,
        tags=tags,
        document_id=document_id,
        images=images,
        model=model,
        backend=backend,
        base_url=base_url,
        max_tokens=max_tokens,
        options=options,
        parts=parts,
        limits=limits,
        timeout_s=timeout_s,
        memory_bytes=memory_bytes,
        keep=assets is not None,
    )
    findings = Findings()
    if job_id is not None:
        asked, given = _go_on(database, job_id, asked.options.password), []
        model = asked.model if model is None or isinstance(model, str) else model
        assets = assets if asked.keep else None
    else:
        findings = _find(database, given, asked, retry_failed=retry_failed, manifest=manifest)
    known = with_retry(database, lambda: recorded_models(database))
    how: ModelOptions = {"backend": asked.backend, "base_url": asked.base_url, "max_tokens": asked.max_tokens}
    loaded = load_for(known, model, **how) if isinstance(model, str) else model
    leases = None
    work: Work = Listed(findings.files)
    if job or job_id is not None:
        leases = JobLeases(database, job_id or _write(database, asked, findings, lease_s))
        work = Shared(leases)
    pictures = None
    if assets is not None:
        pictures = ScratchFolder("pictures")
    run = Run(
        work,
        database=database,
        collection=asked.collection,
        tags=asked.tags,
        document_id=asked.document_id,
        model=loaded,
        options=replace(asked.options, pictures=str(pictures.path) if pictures else None),
        parts=asked.parts,
        limits=asked.limits,
        progress=progress or (lambda _: None),
        assets=assets,
    )
    cores = os.cpu_count() or 1
    size = workers or min(cores, 4)
    threads = max(1, cores // max(1, min(size, work.total)))
    pool = partial(isolate.ReaderPool, timeout_s=asked.timeout_s, memory_bytes=asked.memory_bytes)
    reason = None
    try:
        run.start()
        try:
            with pool(limits=asked.limits, threads=threads) as readers:
                run.files(readers, size)
            run.tidy(folders_in(given))
        except KeyboardInterrupt as error:
            reason = str(error) or "interrupted"
            report = run.report(findings, begin, reason)
            raise IngestInterrupt(str(report.ended), report) from error
        except Exception as error:
            reason = said(error)
            report = run.report(findings, begin, reason)
            raise IngestEndedError(str(report.ended), report) from error
        return run.report(findings, begin)
    finally:
        if leases is not None:
            leases.close(reason)
        if pictures is not None:
            pictures.remove()


def plan_job(
    database: Database,
    paths: Iterable[str | Path],
    *,
    lease_s: float = LEASE_S,
    retry_failed: bool = False,
    manifest: str | Path | None = None,
    **options: Any,
) -> str:
    """Write a job down that a process goes on with later, by ``ingest_paths(database, (), job_id=...)``.

    Args:
        database: the store.
        paths: files and folders.
        lease_s: as of ``ingest_paths``.
        retry_failed: as of ``ingest_paths``.
        manifest: as of ``ingest_paths``.
        **options: as of ``ingest_paths``; ``keep`` in place of ``assets``. The password is not kept.

    Returns:
        The id of the job.

    Raises:
        ArgumentError: as of ``ingest_paths``.
    """
    given = list(paths)
    asked = _asked(given, **options)
    return _write(database, asked, _find(database, given, asked, retry_failed=retry_failed, manifest=manifest), lease_s)


def _asked(
    paths: Sequence[str | Path],
    *,
    tags: str | Sequence[str] = (),
    document_id: str | None = None,
    model: str | EmbeddingModel | None = CURRENT_MODEL,
    options: ReadOptions | None = None,
    parts: PartSettings | None = None,
    limits: Limits | None = None,
    **more: Any,
) -> Asked:
    if document_id is not None:
        check_id(text("document_id", document_id))
    return Asked(
        paths=tuple(str(path) if is_address(path) else printable(Path(path).absolute()) for path in paths),
        tags=tuple(dict.fromkeys(map(clean_tag, texts("tags", tags) or ()))),
        document_id=document_id,
        model=model if model is None or isinstance(model, str) else model.name,
        options=options or ReadOptions(),
        parts=parts or PartSettings(),
        limits=limits or Limits(),
        **more,
    )


def _find(
    database: Database, paths: Sequence[str | Path], asked: Asked, *, retry_failed: bool, manifest: str | Path | None
) -> Findings:
    with_retry(database, lambda: check_collection(database, asked.collection))
    if retry_failed:
        findings = Findings(with_retry(database, lambda: _failed_files(database, asked.collection)))
    else:
        findings = find_files(paths, images=asked.images, ocr=asked.options.ocr)
    if manifest is not None:
        listed = read_manifest(Path(manifest))
        for name in {file.collection for file in listed if file.collection is not None}:
            with_retry(database, partial(check_collection, database, name))
        known = {(file.uri, file.collection or asked.collection) for file in listed}
        findings.files = [file for file in findings.files if (file.uri, asked.collection) not in known] + listed
    found = findings.files
    if asked.document_id is not None and (len(found) != 1 or found[0].record):
        raise ArgumentError(f"an id can be given for one file, not for {len(found)}; name one file that is no record")
    return findings


def _failed_files(database: Database, collection: str) -> list[Found]:
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [found_of(row) for row in cursor.execute(QUERIES["failed_files"], {"collection": collection})]


def _go_on(database: Database, job_id: str, password: str | None) -> Asked:
    """Have a job go on; return what was asked for it.

    Raises:
        JobNotFoundError: there is none of this id.
    """

    def resume() -> Asked:
        names = {"job_id": job_id}
        with database.write() as connection, connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(QUERIES["resume_job"], names)
            (row,) = cursor.execute(QUERIES["job_asked"], names).fetchall()
        return Asked.of(row["asked"], password)

    return with_retry(database, resume)


def _write(database: Database, asked: Asked, findings: Findings, lease_s: float) -> str:
    rows: list[JobFile] = [
        (file.uri, file.collection or asked.collection, place, file.shown, file.record, dict(file.entry), file.size)
        for place, file in enumerate(findings.files)
    ]
    return make_job(database, asked.collection, asked.to_json(), rows, lease_s)
