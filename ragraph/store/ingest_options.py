"""Keyword arguments of the methods of ``Store`` that ingest, and of ``Store.answer``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from ragraph.search import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from ragraph.models.embedding import EmbeddingModel
    from ragraph.schema.reports import ProgressEvent

    # of ragraph.ingest, which this package does not import
    ReadOptions: TypeAlias = Any
    PartSettings: TypeAlias = Any
    Limits: TypeAlias = Any


class ResumeOptions(TypedDict, total=False):
    """Options for this process's part of a job.

    Attributes:
        workers: number of reader processes; default one per core, at most four.
        progress: called in this thread with each event.
        options: ``ragraph.ingest.readers.ReadOptions``; for a resumed job only its password is used.
        ray: address of a Ray cluster whose nodes share the job (extra ``ray``); None to work alone.
    """

    workers: int | None
    progress: Callable[[ProgressEvent], None] | None
    options: ReadOptions | None
    ray: str | None


class IngestOptions(ResumeOptions, total=False):
    """Options of ``Store.ingest``; those about files are the fields of ``ragraph.ingest.jobs.request.IngestRequest``.

    Attributes:
        name: file name of a source that is bytes or a file object without one; its ending tells the format.
        collection: collection of new documents.
        tags: tags added to the publications of the documents.
        document_id: id of the document, for a single file.
        charset: character set of text files, as ``windows-1250``; the same as that of ``options``.
        images: also ingest the images of folders that have documents, each as a scanned page.
        model: name, folder or object of the embedding model; None stores no vectors.
        backend: encoder backend, as in ``ragraph.models.embedding.ModelOptions``.
        base_url: endpoint of a model ``openai:NAME``.
        max_tokens: maximum number of tokens that a model ``openai:NAME`` reads.
        parts: ``ragraph.ingest.vectors.parts.PartSettings``: length of the chunks that are embedded.
        limits: ``ragraph.ingest.reader_process.preflight.Limits``: maximum sizes of a file.
        timeout_s: seconds that reading a file may take, and writing it; pages with text recognition add to reading.
        memory_bytes: memory that reading a file may take.
        keep: False to store no originals.
        manifest: also ingest the files listed in this file of JSON lines.
        retry_failed: instead of paths, ingest the files of the collection whose last attempt in any job failed.
        job: True to record the run as a batch job; see ``Store.jobs``.
        lease_s: seconds after which a file of a new job is released if its process gives no sign of life.
    """

    name: str | None
    collection: str
    tags: str | Sequence[str]
    document_id: str | None
    charset: str | None
    images: bool
    model: str | EmbeddingModel | None
    backend: str | None
    base_url: str | None
    max_tokens: int | None
    parts: PartSettings | None
    limits: Limits | None
    timeout_s: float
    memory_bytes: int
    keep: bool
    manifest: str | Path | None
    retry_failed: bool
    job: bool
    lease_s: float


class AddOptions(TypedDict, total=False):
    """Options of ``Store.add`` and ``Store.add_many``.

    Attributes:
        collection: collection of new documents; exported documents keep theirs.
        model: name or folder of the embedding model, or an object with its methods; None stores no vectors.
        backend: encoder backend, as in ``ragraph.models.embedding.ModelOptions``.
        base_url: endpoint of a model ``openai:NAME``.
        max_tokens: maximum number of tokens that a model ``openai:NAME`` reads.
        parts: ``ragraph.ingest.vectors.parts.PartSettings``: length of the chunks that are embedded.
    """

    collection: str
    model: Any
    backend: str | None
    base_url: str | None
    max_tokens: int | None
    parts: PartSettings | None


class AnswerOptions(SearchOptions, total=False):
    """Options of ``Store.answer``: where and how to search, and how the model answers.

    Attributes:
        k: number of nodes to search for; not with ``navigate``.
        token_budget: maximum number of tokens shown to the model: 3,000, and 24,000 for the results of its tools.
        rerank: cross-encoder that reorders the hits; not with ``navigate``.
        expand_query: also search other wordings of the question; not with ``navigate``.
        self_query: let the model turn the question into a filter on documents; not with ``navigate``.
        max_steps: maximum number of tool calls with ``navigate``: 16.
        images: show pages to a vision model, with ``navigate``.
        retries: number of times that the model may correct an answer that is not usable.
        min_words: minimum number of words in a row in each quote.
        progress: called with the name of each step as it begins.
    """

    k: int
    token_budget: int
    rerank: str | None
    expand_query: bool
    self_query: bool
    max_steps: int
    images: bool
    retries: int
    min_words: int
    progress: Callable[[str], None] | None
