"""Batch jobs as the store gives them back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ragraph.schema.results import Result

JobStatus = Literal["running", "interrupted", "completed", "ended", "cancelled"]
"""``completed`` went through, though files may have failed; ``ended`` came to its end before; of an ``interrupted`` one
no process gives a sign."""

JobFileStatus = Literal["pending", "processing", "completed", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Result):
    """A batch job and how far it is.

    Attributes:
        id: its id.
        collection: that was named for the documents.
        paths: files and folders that were asked for.
        status: see ``JobStatus``.
        files: how many it lists.
        pending: files that nobody has begun with.
        processing: files that a process has, or had when it was cut off.
        completed: files that were taken in, or had nothing to take in.
        failed: files that could not be.
        outcomes: files by what became of them: added, changed, unchanged, failed ...
        stages: files in each stage at the moment: reading, writing, embedding.
        stage_seconds: seconds that each stage took, over all files; stages of different files overlap.
        bytes: bytes of its files, as far as is known.
        bytes_done: bytes of those done.
        seconds: since it was begun, or gone on with.
        files_per_second: since then; None while nothing is done.
        bytes_per_second: the same.
        seconds_left: by these rates; None unless it is running.
        workers: processes that have files at the moment.
        created_at: when it was asked for.
        heartbeat_at: last sign of a process of it.
        ended_at: when it came to its end.
        error_message: why it ended early.
    """

    id: str
    collection: str
    paths: list[str]
    status: JobStatus
    files: int
    pending: int
    processing: int
    completed: int
    failed: int
    outcomes: dict[str, int]
    stages: dict[str, int]
    stage_seconds: dict[str, float]
    bytes: int
    bytes_done: int
    seconds: float
    files_per_second: float | None
    bytes_per_second: float | None
    seconds_left: float | None
    workers: int
    created_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None
    error_message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFile(Result):
    """A file of a job. Of a completed job, files that were unchanged are counted and no longer listed.

    Attributes:
        name: as it was found.
        source_uri: where it is.
        collection: that its document goes into.
        status: see ``JobFileStatus``.
        stage: reading, writing or embedding, while it is processing.
        outcome: what became of it.
        document_id: the document that it became.
        reason: why it failed, or what it is a duplicate of.
        bytes: its size when it was listed.
        stage_seconds: seconds that each stage took.
        started_at: when a process took it last.
        ended_at: when it was done.
    """

    name: str
    source_uri: str
    collection: str
    status: JobFileStatus
    stage: str | None
    outcome: str | None
    document_id: str | None
    reason: str | None
    bytes: int | None
    stage_seconds: dict[str, float] | None
    started_at: datetime | None
    ended_at: datetime | None


def job_of(row: dict[str, Any]) -> Job:
    """Return a job as of the query ``job_list``."""
    own = {name: row[name] for name in Job.__dataclass_fields__ if name != "paths"}
    return Job(**own, paths=list(row["asked"].get("paths", ())))


def job_file_of(row: dict[str, Any]) -> JobFile:
    """Return a file as of the query ``job_files``."""
    return JobFile(**{name: row[name] for name in JobFile.__dataclass_fields__})
