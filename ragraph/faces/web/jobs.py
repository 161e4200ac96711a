"""Uploaded files are ingested one after the other by a thread, which reports its progress."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from ragraph.base.arguments import text
from ragraph.base.scratch import ScratchFolder
from ragraph.errors import ArgumentError, RagraphError
from ragraph.schema.results import Result
from ragraph.store.intake import from_ingester

if TYPE_CHECKING:
    from typing import BinaryIO

    from ragraph.schema.reports import ProgressEvent
    from ragraph.store.ingest_options import IngestOptions
    from ragraph.store.store import Store

_KEPT = 200
_BLOCK = 1024 * 1024
MOST_BYTES = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Result):
    """An uploaded file: ``waiting``, ``running``, then the status of the file (``added``, ``failed`` ...).

    ``done`` of ``total`` counts vectors once the file was read.
    """

    id: str
    name: str
    status: str
    document_id: str | None = None
    reason: str | None = None
    step: Literal["reading", "embedding", ""] = ""
    done: int = 0
    total: int = 0

    @property
    def ended(self) -> bool:
        """True if the job has ended."""
        return self.status not in ("waiting", "running")


class Jobs:
    """The uploads in progress, and the last ones that ended."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ragraph-upload")

    def close(self) -> None:
        """Stop ingesting."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def get(self, id: str) -> Job | None:
        """Return a job, or None if it does not exist."""
        with self._lock:
            return self._jobs.get(id)

    def add(
        self, file: BinaryIO, name: str | None, collection: str, tags: list[str], charset: str | None = None
    ) -> Job:
        """Copy an upload to a temporary folder and queue it for ingestion.

        Raises:
            ArgumentError: it has no name, or is too large, or there is no such character set.
        """
        called = Path(text("the name of the file", name or "")).name.strip()
        if not called or called in (".", ".."):
            raise ArgumentError("the file has no name")
        if charset is not None:
            from_ingester("ingest").IngestRequest.of(charset=charset)  # raises if there is no such set
        folder = ScratchFolder("upload")
        try:
            _copy(file, folder.path / called)
        except BaseException:
            folder.remove()
            raise
        job = Job(id=secrets.token_hex(8), name=called, status="waiting")
        with self._lock:
            self._jobs[job.id] = job
            while len(self._jobs) > _KEPT:
                self._jobs.popitem(last=False)
        options: IngestOptions = {"collection": collection, "tags": tags, "charset": charset}
        self._thread.submit(self._run, job.id, folder, called, options)
        return job

    def _set(self, id: str, **values: object) -> None:
        with self._lock:
            if id in self._jobs:
                self._jobs[id] = replace(self._jobs[id], **values)  # type: ignore[arg-type]

    def _run(self, id: str, folder: ScratchFolder, name: str, options: IngestOptions) -> None:
        def progress(event: ProgressEvent) -> None:
            embedding = event.kind == "embedded"
            counts = {"done": event.done, "total": event.total} if embedding else {}
            self._set(id, step="embedding" if embedding else "reading", **counts)

        self._set(id, status="running", step="reading")
        try:
            options["progress"] = progress
            report = self._store.ingest(folder.path / name, **options)
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


def _copy(file: BinaryIO, target: Path) -> None:
    size = 0
    with target.open("wb") as copy:
        while block := file.read(_BLOCK):
            size += len(block)
            if size > MOST_BYTES:
                raise ArgumentError(f"the file has more than {MOST_BYTES // 1024**2:,} MiB; ingest it on the server")
            copy.write(block)
