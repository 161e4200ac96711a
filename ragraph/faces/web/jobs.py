"""Uploaded files are ingested one after the other by a thread, which reports its progress.

Files with an address are fetched before by a few other threads, so that a slow host delays no upload and no request.
Batch jobs are resumed by a thread of their own.
"""

from __future__ import annotations

import copy
import logging
import secrets
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event, Lock
from typing import TYPE_CHECKING, Literal

from ragraph.base.scratch import ScratchFolder
from ragraph.database.collection_names import check_collection
from ragraph.errors import AccessError, ArgumentError, RagraphError
from ragraph.faces.web.downloads import file_name
from ragraph.schema.results import Result
from ragraph.store.intake import from_ingester
from ragraph.store.jobs import reopen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import BinaryIO

    from ragraph.faces.web.asking import Asker
    from ragraph.faces.web.downloads import Download
    from ragraph.schema.jobs import Job
    from ragraph.schema.reports import IngestReport, ProgressEvent
    from ragraph.store.ingest_options import IngestOptions

_KEPT = 200
_FETCHED = 4
"""Maximum number of files that are fetched at a time."""
_BLOCK = 1024 * 1024
MOST_BYTES = 1024 * 1024 * 1024
_CHANGED = ("added", "changed", "moved", "record")
"""Statuses of files of a batch job whose documents the audit log names."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload(Result):
    """An uploaded file: ``waiting``, ``running``, then the status of the file (``added``, ``failed`` ...).

    A file with an address waits, and has the step ``fetching`` while it arrives.
    ``done`` of ``total`` counts vectors once the file was read.
    """

    id: str
    name: str
    status: str
    document_id: str | None = None
    reason: str | None = None
    step: Literal["fetching", "reading", "embedding", ""] = ""
    done: int = 0
    total: int = 0

    @property
    def ended(self) -> bool:
        """True if the job has ended."""
        return self.status not in ("waiting", "running")


class Jobs:
    """The uploads in progress, and the last ones that ended."""

    def __init__(self) -> None:
        self._asker: Asker | None = None
        self._jobs: OrderedDict[tuple[str, str], Upload] = OrderedDict()
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ragraph-upload")
        self._fetching = ThreadPoolExecutor(_FETCHED, thread_name_prefix="ragraph-fetch")
        self._downloads: dict[str, Download] = {}
        self._resuming = ThreadPoolExecutor(1, thread_name_prefix="ragraph-resume")
        self._resumed: dict[str, Event] = {}  # of each job that waits or runs, what stops it
        self._closed = Event()

    def of(self, asker: Asker) -> Jobs:
        """Return the uploads of somebody, who sees no others."""
        theirs = copy.copy(self)
        theirs._asker = asker
        return theirs

    def close(self) -> None:
        """Stop fetching and ingesting; a job that was resumed can be resumed again."""
        self._closed.set()
        self._fetching.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            downloads = list(self._downloads.values())
        for download in downloads:
            download.stop()
        self._fetching.shutdown(wait=True)
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._resuming.shutdown(wait=True, cancel_futures=True)

    def get(self, id: str) -> Upload | None:
        """Return a job, or None if it does not exist."""
        with self._lock:
            return self._jobs.get(self._key(id))

    def all(self) -> list[Upload]:
        """Return the jobs, the newest first."""
        with self._lock:
            return [job for (asker, _), job in reversed(self._jobs.items()) if asker == self._asking.id]

    def add(self, file: BinaryIO, name: str | None, options: IngestOptions, keep: str | None = None) -> Upload:
        """Copy an upload to a temporary folder and queue it for ingestion.

        Raises:
            ArgumentError: it has no name, or is too large, or an option is not valid.
        """
        called = file_name(name)
        self._check(options)
        folder = ScratchFolder("upload")
        try:
            (folder.path / called).parent.mkdir(parents=True, exist_ok=True)
            _copy(file, folder.path / called)
        except BaseException:
            folder.remove()
            raise
        job = self._added(called)
        self._queue(job.id, folder, folder.path / called, options, keep)
        return job

    def _queue(self, id: str, folder: ScratchFolder, path: Path, options: IngestOptions, keep: str | None) -> None:
        """Queue a file to be ingested; if the service ends before, its folder is removed."""
        queued = self._thread.submit(self._run, id, folder, path, options, keep)
        queued.add_done_callback(lambda done: folder.remove() if done.cancelled() else None)

    def refused(self, name: str, reason: str) -> Upload:
        """Return a failed job for an upload that ``add`` refused, so that it is listed with the others."""
        job = self._added(name)
        self._set(job.id, status="failed", reason=reason)
        return replace(job, status="failed", reason=reason)

    def fetch(self, download: Download, options: IngestOptions, keep: str | None = None) -> Upload:
        """Queue a file to be fetched, then ingested.

        Raises:
            ArgumentError: an option is not valid.
        """
        self._check(options)
        job = self._added(download.name)
        self._fetching.submit(self._fetch, job.id, download, options, keep)
        return job

    def _check(self, options: IngestOptions) -> None:
        """Check the options.

        Raises:
            ArgumentError: an option is not valid.
        """
        check_collection(self._asking.store.database, options["collection"])
        from_ingester("ingest").IngestRequest.of(**options)

    def _added(self, name: str) -> Upload:
        job = Upload(id=secrets.token_hex(8), name=name, status="waiting")
        with self._lock:
            self._jobs[self._key(job.id)] = job
            while len(self._jobs) > _KEPT:
                self._jobs.popitem(last=False)
        return job

    def cancel(self, id: str) -> Upload | None:
        """Cancel a job that waits or fetches its file; return the job, or None if it does not exist.

        Raises:
            ArgumentError: its file is being ingested, which one transaction ends.
        """
        with self._lock:
            job = self._jobs.get(self._key(id))
            if job is not None and job.status == "running":
                raise ArgumentError(
                    "the file is being ingested and cannot be cancelled any more", hint="wait, then delete the document"
                )
            if job is not None and job.status == "waiting":
                job = self._jobs[self._key(id)] = replace(job, status="cancelled", step="")
                if id in self._downloads:
                    self._downloads[id].stop()
            return job

    def resume(self, job: str) -> Job:
        """Resume a batch job in a thread, unless it has one; return the job. Jobs wait for each other.

        Raises:
            AccessError: whoever asks may not name files of this machine, as a job does.
            JobNotFoundError: no batch job has this id.
        """
        if not self._asking.is_admin:
            raise AccessError("only an admin may resume a job: it reads files of the server")
        store = self._asking.store
        if store.job(job).status != "completed":
            reopen(store.database, job)
        found = store.job(job)
        with self._lock:
            if job not in self._resumed and found.status != "completed":
                stop = self._resumed[job] = Event()
                self._resuming.submit(self._resume, job, stop)
        return self.shown(found)

    def shown(self, job: Job) -> Job:
        """Return a batch job as it is shown: running from when it was resumed, although it may wait for another."""
        with self._lock:
            resumed = job.id in self._resumed and job.status not in ("completed", "cancelled")
        return replace(job, status="running") if resumed else job

    def stop(self, job: str) -> None:
        """Stop at once what resumes a batch job that was cancelled here; others end at their next heartbeat."""
        with self._lock:
            stop = self._resumed.pop(job, None)
        if stop is not None:
            stop.set()

    def _is_cancelled(self, job: str, stop: Event) -> bool:
        """Return True if a job was cancelled while it waited to be resumed, here or by another process."""
        with suppress(RagraphError):  # resuming it tells what is wrong
            if not stop.is_set() and self._asking.store.job(job).status == "cancelled":
                self.stop(job)
        return stop.is_set()

    def _resume(self, job: str, stop: Event) -> None:
        def progress(_: ProgressEvent) -> None:
            if self._closed.is_set():
                raise KeyboardInterrupt("the service ended")
            if stop.is_set():
                raise KeyboardInterrupt("the job was cancelled")

        if self._is_cancelled(job, stop):
            return
        report: IngestReport | None = None
        try:
            report = self._asking.store.resume_job(job, progress=progress)
        except (RagraphError, OSError) as error:
            report = getattr(error, "report", None)
            _logger.warning("%s was resumed and failed: %s", job, error)
        except KeyboardInterrupt as error:
            report = getattr(error, "report", None)
            _logger.info("%s was interrupted: %s", job, error)
        except Exception:
            _logger.exception("%s was resumed and failed", job)
        finally:
            if stop.is_set():  # it may have been cancelled before it was marked as running
                with suppress(RagraphError):
                    self._asking.store.cancel_job(job)
            with self._lock:
                if self._resumed.get(job) is stop:
                    del self._resumed[job]
            changed = [file.document_id for file in report.files if file.status in _CHANGED] if report else []
            self._audit("resume job", filter(None, changed), failed=report is None or not report.ok)

    def _begin(self, id: str) -> bool:
        """Mark a job as running; return False if it was cancelled."""
        with self._lock:
            job = self._jobs.get(self._key(id))
            if job is not None and job.status == "cancelled":
                return False
            if job is not None:
                self._jobs[self._key(id)] = replace(job, status="running", step="reading")
            return True

    def _set(self, id: str, **values: object) -> None:
        with self._lock:
            key = self._key(id)
            if key in self._jobs and not self._jobs[key].ended:
                self._jobs[key] = replace(self._jobs[key], **values)  # type: ignore[arg-type]

    def _key(self, id: str) -> tuple[str, str]:
        return self._asking.id, id

    @property
    def _asking(self) -> Asker:
        assert self._asker is not None  # noqa: S101 - routes have what ``of`` returns
        return self._asker

    def _fetch(self, id: str, download: Download, options: IngestOptions, keep: str | None) -> None:
        with self._lock:
            job = self._jobs.get(self._key(id))
            if job is not None and job.ended:  # cancelled
                return
            self._downloads[id] = download
        folder = ScratchFolder("download")
        try:
            self._set(id, step="fetching")
            saved = download.save(folder.path, _copy)
            self._set(id, name=saved.name, step="")
            self._queue(id, folder, saved, options, keep)
        except BaseException as error:
            folder.remove()
            self._set(id, status="failed", reason=" ".join(str(error).split()), step="")
            self._audit_upload(id)
            if not isinstance(error, RagraphError):
                raise
        finally:
            with self._lock:
                del self._downloads[id]

    def _run(self, id: str, folder: ScratchFolder, path: Path, options: IngestOptions, keep: str | None) -> None:
        def progress(event: ProgressEvent) -> None:
            embedding = event.kind == "embedded"
            counts = {"done": event.done, "total": event.total} if embedding else {}
            self._set(id, step="embedding" if embedding else "reading", **counts)

        if not self._begin(id):
            folder.remove()
            return
        try:
            store = self._asking.store
            if keep is not None:
                store.keep_versions(options["collection"], None if keep == "all" else int(keep))
            options["progress"] = progress
            report = store.ingest(path, **options)
            if report.files:
                (file, *_) = report.files
                self._set(id, status=file.status, document_id=file.document_id, reason=file.reason, step="")
            else:
                self._set(id, status="failed", reason="there was nothing to ingest", step="")
        except (RagraphError, OSError) as error:
            self._set(id, status="failed", reason=" ".join(str(error).split()), step="")
        except BaseException:
            self._set(id, status="failed", reason="it was interrupted", step="")
            raise
        finally:
            folder.remove()
            self._audit_upload(id)

    def _audit_upload(self, id: str) -> None:
        """Write the line of an upload that ended."""
        ended = self.get(id)
        document = ended.document_id if ended is not None else None
        self._audit("ingest upload", [document] if document else (), failed=ended is None or ended.status == "failed")

    def _audit(self, action: str, documents: Iterable[str], *, failed: bool) -> None:
        self._asking.noted.update(documents)
        with suppress(RagraphError):  # the log of the service has the reason; the files are ingested
            self._asking.audit(action, 422 if failed else 200)


def _copy(file: BinaryIO, target: Path) -> None:
    size = 0
    with target.open("wb") as copy:
        while block := file.read(_BLOCK):
            size += len(block)
            if size > MOST_BYTES:
                raise ArgumentError(f"the file has more than {MOST_BYTES // 1024**2:,} MiB; ingest it on the server")
            copy.write(block)
