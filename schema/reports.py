"""What ingesting and embedding report: one report per file, and the whole."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from ragraph.schema.results import Result

FileStatus = Literal["added", "changed", "moved", "unchanged", "duplicate", "failed", "record", "pending"]
"""What became of a file; ``moved`` is a known one at a new place, ``record`` a publication record, ``pending`` was not
reached before the run ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent:
    """Something to show while files are taken in.

    Attributes:
        kind: ``found`` (``total`` files are known of), ``started`` (``path`` is being read), ``finished`` (``file``
            says how it ended), ``embedded`` (``done`` vectors of ``total`` known to be needed).
        path: the file.
        file: its report.
        done: how many so far.
        total: how many there are, as far as is known.
        bytes_done: bytes of the files that this run did; not of ``embedded``.
        bytes_total: bytes of all files, as far as is known.
    """

    kind: Literal["found", "started", "finished", "embedded"]
    path: str | None = None
    file: FileReport | None = None
    done: int = 0
    total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport(Result):
    """What became of one file.

    Attributes:
        path: the file as found.
        status: see ``FileStatus``.
        document_id: the document it became, or that it is a duplicate of; None if it became none.
        reason: why it failed, what it is a duplicate of, or where it was before it moved; one line.
        nodes: content nodes of the document now.
        components: components of it now.
        relations: relations of it now.
        embeddings: embeddings computed in this run.
        seconds: wall clock from first look to last write, waiting included.
        warnings: what the reader could not take over, one line each.
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
    """A document whose file is no longer where it was read; the document stays until it is deleted."""

    document_id: str
    path: str


LeftOutKind = Literal[
    "image", "archive", "mail", "other format", "hidden", "store", "broken link", "link out of the folder", "unreadable"
]
"""What a file of a folder is that was not looked into; ``mail`` are formats of mail that are not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut(Result):
    """A file of a folder, or a folder in it, that was left out.

    Attributes:
        path: as found.
        kind: what it is, by its name.
        reason: why it was left out and what to do, if there is something; one line.
    """

    path: str
    kind: LeftOutKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport(Result):
    """What became of every file, in the order they were found.

    Attributes:
        files: a report per file.
        left_out: files of the folders given that were not looked into.
        gone: documents read earlier from the folders given, whose files are there no more.
        seconds: wall clock.
        ended: why the run ended before all was done, one line; None if it went through.
        warnings: what was left undone for all files together, such as an index that could not be built.
        job_id: the batch job that this was; None if it was none.
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
        """Whether the run went through and no file failed."""
        return self.ended is None and not any(file.status == "failed" for file in self.files)

    @property
    def totals(self) -> dict[str, int]:
        """Files by status, and the sums of nodes, components, relations and embeddings."""
        counts: dict[str, int] = {}
        for file in self.files:
            counts[file.status] = counts.get(file.status, 0) + 1
        for name in ("nodes", "components", "relations", "embeddings"):
            counts[name] = sum(getattr(file, name) for file in self.files)
        return counts

    @property
    def left_out_kinds(self) -> dict[str, int]:
        """How many files were left out, by kind, the most frequent first."""
        counted = Counter(file.kind for file in self.left_out)
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> dict[str, Any]:
        """Return files, totals and verdict as plain values."""
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
    """What embedding did, under one model.

    Attributes:
        model: name of the model.
        documents: documents looked at.
        embeddings: vectors written.
        deleted: vectors removed because their text is gone or changed.
        encoded: texts the model read; fewer than ``embeddings`` where texts are the same.
        copied: texts that had a vector in another place of the store, which they got.
        by_document: vectors written per document, those with none left out.
        warnings: what was left undone, such as an index that could not be built.
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
    """A figure that was not described, and why, in one line."""

    document_id: str
    node_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeReport(Result):
    """What ``describe`` did: figures that had no description, how many have one now, and which have not."""

    figures: int
    described: int
    failed: list[FailedFigure]
