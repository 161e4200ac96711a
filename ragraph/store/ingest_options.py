"""What ``Store.ingest`` and ``Store.resume_job`` take beside files and jobs, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ragraph.models.embedding import EmbeddingModel
    from ragraph.schema.reports import ProgressEvent


class ResumeOptions(TypedDict, total=False):
    """How this process does its part of a job.

    Attributes:
        workers: processes that read at the same time; default one per core, at most four.
        progress: called in this thread as things happen.
        options: ``ragraph.ingest.readers.ReadOptions``; of a job that is gone on with its password alone.
        ray: address of a Ray cluster whose nodes share the job (extra ``ray``); None shares it with none.
    """

    workers: int | None
    progress: Callable[[ProgressEvent], None] | None
    options: Any
    ray: str | None


class IngestOptions(ResumeOptions, total=False):
    """What ``Store.ingest`` takes; those of the files are the fields of ``ragraph.ingest.jobs.request.IngestRequest``.

    Attributes:
        collection: namespace of new documents.
        tags: put on the publications of the documents.
        document_id: id of the document, for a single file.
        images: take in the images of folders that hold documents too, each as a scanned page.
        model: name, folder or model to embed with; None embeds nothing.
        backend: what computes the vectors, as of ``ragraph.models.embedding.ModelOptions``.
        base_url: endpoint of a model ``openai:NAME``.
        max_tokens: tokens that a model ``openai:NAME`` reads.
        parts: ``ragraph.ingest.vectors.parts.PartSettings``: how long texts are cut for embedding.
        limits: ``ragraph.ingest.reader_process.preflight.Limits``: what a file may be at most.
        timeout_s: seconds of wall clock that reading a file may take; a page whose text is recognised adds to it.
        memory_bytes: memory that reading a file may take.
        keep: False keeps no originals.
        manifest: take in also the files that this lists: JSON lines.
        retry_failed: take in, in place of the paths, the files of the collection whose last try in any job failed.
        job: True writes the run down as a batch job: see ``Store.jobs``.
        lease_s: seconds that a file of a new job is kept for a process that gives no sign.
    """

    collection: str
    tags: str | Sequence[str]
    document_id: str | None
    images: bool
    model: str | EmbeddingModel | None
    backend: str | None
    base_url: str | None
    max_tokens: int | None
    parts: Any
    limits: Any
    timeout_s: float
    memory_bytes: int
    keep: bool
    manifest: str | Path | None
    retry_failed: bool
    job: bool
    lease_s: float
