"""Batch jobs and their files, as results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ragraph.schema.results import Result

JobStatus = Literal["running", "interrupted", "completed", "ended", "cancelled"]
"""``completed`` jobs have processed all files, some of which may have failed; ``ended`` jobs ended early;
``interrupted`` jobs have no process with a heartbeat."""

JobFileStatus = Literal["pending", "processing", "completed", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Result):
    """A batch job with its progress.

    Attributes:
        id: id of the job.
        collection: collection of the documents.
        paths: requested files and folders.
        status: see ``JobStatus``.
        files: number of files.
        pending: number of files that no process has started.
        processing: number of files that a process has, or had when it was interrupted.
        completed: number of files that were ingested or needed no work.
        failed: number of files that could not be ingested.
        outcomes: number of files by outcome: added, changed, unchanged, failed ...
        stages: number of files currently in each stage: reading, writing, embedding.
        stage_seconds: seconds of each stage over all files; stages of different files overlap.
        bytes: size of its files, as far as known.
        bytes_done: size of the finished files.
        seconds: seconds since it was last started or resumed.
        files_per_second: rate since then; None until a file is finished.
        bytes_per_second: rate since then; None until a file is finished.
        seconds_left: estimate from these rates; None unless it is running.
        workers: number of processes that currently have files.
        created_at: when it was requested.
        heartbeat_at: last heartbeat of one of its processes.
        ended_at: when it ended, or None.
        error_message: why it ended early, or None.
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
    """A file of a job. A completed job only counts its unchanged files and does not list them.

    Attributes:
        name: the file as found.
        source_uri: URI of the file.
        collection: collection of its document.
        status: see ``JobFileStatus``.
        stage: reading, writing or embedding while it is processing, else None.
        outcome: added, changed, unchanged, failed ..., or None.
        document_id: id of the document made from it, or None.
        reason: why it failed, or what it is a duplicate of.
        bytes: size when it was listed, if known.
        stage_seconds: seconds by stage.
        started_at: when a process last took it.
        ended_at: when it was completed or failed.
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
    """Return a job from a row of the query ``job_list``."""
    own = {name: row[name] for name in Job.__dataclass_fields__ if name != "paths"}
    return Job(**own, paths=list(row["asked"].get("paths", ())))


def job_file_of(row: dict[str, Any]) -> JobFile:
    """Return a file from a row of the query ``job_files``."""
    return JobFile(**{name: row[name] for name in JobFile.__dataclass_fields__})
