"""Reports of ingestion and embedding: one for each file, and one for the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from ragraph.schema.results import Result

FileStatus = Literal["added", "changed", "moved", "unchanged", "duplicate", "failed", "record", "pending"]
"""Outcome of a file. ``moved`` is a known file at a new place, ``record`` a publication record, and ``pending`` a file
not reached before the run ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent:
    """A progress event of ingestion.

    Attributes:
        kind: ``found`` (``total`` files are known), ``started`` (``path`` is being read), ``reading`` (more
            pages of ``path`` are read; PDF files only), ``stored`` (the text of ``path`` is stored, vectors may be
            missing), ``finished`` (``file`` has the outcome), ``embedded`` (``done`` of ``total`` vectors known to be
            needed).
        path: the file.
        file: its report.
        done: number done so far.
        total: number of all, as far as known.
        bytes_done: bytes of the files finished in this run; not set for ``embedded``.
        bytes_total: bytes of all files, as far as known.
        bytes_read: bytes of the files whose text is stored, finished or not; not set for ``embedded``.
        characters_done: characters of the texts that have vectors; set for ``embedded`` alone.
        characters_total: characters of all texts known to need vectors; set for ``embedded`` alone.
        pages_done: pages of ``path`` that are read; set for ``reading`` alone. Reading takes steps over all pages, so
            a page counts in part until the last step.
        pages_total: pages of ``path``; set for ``reading`` alone.
    """

    kind: Literal["found", "started", "reading", "stored", "finished", "embedded"]
    path: str | None = None
    file: FileReport | None = None
    done: int = 0
    total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    bytes_read: int = 0
    characters_done: int = 0
    characters_total: int = 0
    pages_done: int = 0
    pages_total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport(Result):
    """Outcome of one file.

    Attributes:
        path: the file as found.
        status: see ``FileStatus``.
        document_id: id of the document made from it, or that it is a duplicate of; None if there is none.
        reason: why it failed, what it is a duplicate of, or its place before it moved; one line.
        nodes: number of content nodes of the document.
        components: number of its components.
        relations: number of its relations.
        embeddings: number of vectors written in this run.
        seconds: wall clock from the first check to the last write, including waits.
        warnings: content that the reader could not convert, one line each.
    """

    path: str
    status: FileStatus
    document_id: str | None = None
    reason: str | None = None
    nodes: int = 0
    components: int = 0
    relations: int = 0
    embeddings: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneFile(Result):
    """A document whose file no longer exists; the document is kept until it is deleted."""

    document_id: str
    path: str


LeftOutKind = Literal[
    "image", "archive", "mail", "other format", "hidden", "store", "broken link", "link out of the folder",
    "unreadable", "included",
]  # fmt: skip
"""Kind of a file in a folder that was skipped: ``mail`` are mail formats that are not supported, ``included`` are parts
of another document, which holds their text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut(Result):
    """A file in a folder, or a subfolder, that was skipped.

    Attributes:
        path: the file as found.
        kind: its kind, by its name.
        reason: why it was skipped, and advice if there is any; one line.
    """

    path: str
    kind: LeftOutKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport(Result):
    """Outcome of all files, in the order they were found.

    Attributes:
        files: a report for each file.
        left_out: files in the given folders that were skipped.
        gone: documents ingested earlier from the given folders whose files no longer exist.
        seconds: wall clock.
        ended: why the run ended early, one line; None if it finished.
        warnings: unfinished work for all files, such as an index that could not be built.
        job_id: id of the batch job; None if the run was not a job.
    """

    files: tuple[FileReport, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    gone: tuple[GoneFile, ...] = ()
    seconds: float = 0.0
    ended: str | None = None
    warnings: tuple[str, ...] = ()
    job_id: str | None = None

    @property
    def ok(self) -> bool:
        """True if the run finished and no file failed."""
        return self.ended is None and not any(file.status == "failed" for file in self.files)

    @property
    def totals(self) -> dict[str, int]:
        """Number of files by status, and sums of nodes, components, relations and embeddings."""
        counts: dict[str, int] = {}
        for file in self.files:
            counts[file.status] = counts.get(file.status, 0) + 1
        for name in ("nodes", "components", "relations", "embeddings"):
            counts[name] = sum(getattr(file, name) for file in self.files)
        return counts

    @property
    def left_out_kinds(self) -> dict[str, int]:
        """Number of skipped files by kind, the most frequent first."""
        counted = Counter(file.kind for file in self.left_out)
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> dict[str, Any]:
        """Return files, totals and outcome as plain values."""
        return {
            "ok": self.ok,
            "seconds": round(self.seconds, 3),
            "ended": self.ended,
            "job_id": self.job_id,
            "warnings": list(self.warnings),
            "totals": self.totals,
            "left_out_kinds": self.left_out_kinds,
            "left_out": [file.to_json() for file in self.left_out],
            "gone": [file.to_json() for file in self.gone],
            "files": [{**file.to_json(), "seconds": round(file.seconds, 3)} for file in self.files],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedReport(Result):
    """Report of embedding with one model.

    Attributes:
        model: name of the model.
        documents: number of documents checked.
        embeddings: number of vectors written.
        deleted: number of vectors removed because their text was deleted or changed.
        encoded: number of texts encoded by the model; fewer than ``embeddings`` if texts repeat.
        copied: number of texts that received the vector of an equal text in the store.
        by_document: number of vectors written by document, without documents with none.
        warnings: unfinished work, such as an index that could not be built.
        seconds: wall clock.
    """

    model: str
    documents: int = 0
    embeddings: int = 0
    deleted: int = 0
    encoded: int = 0
    copied: int = 0
    by_document: dict[str, int]
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedFigure(Result):
    """A figure that was not described, with the reason in one line."""

    document_id: str
    node_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeReport(Result):
    """Report of ``describe``: number of figures without description, number described, and failures."""

    figures: int
    described: int
    failed: list[FailedFigure]
