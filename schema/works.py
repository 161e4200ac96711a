"""Results about works."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksReport(Result):
    """Report of ``update_works``.

    ``documents`` were checked, ``read`` of them had ``entries`` that were new or changed. ``changed`` rows now belong
    to another work, or to the same for another reason.
    """

    documents: int
    read: int
    entries: int
    changed: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Result):
    """A work that documents cite, or that a document of the store is; ``identity`` identifies it.

    ``documents`` cite it, with ``entries`` in their bibliographies. ``held`` are the documents of the store that are
    this work.
    """

    identity: str
    title: str | None
    authors: list[str]
    year: int | None
    container: str | None
    volume: str | None
    pages: str | None
    doi: str | None
    pmid: str | None
    arxiv: str | None
    isbn: str | None
    url: str | None
    documents: int
    entries: int
    held: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkEntry(Result):
    """A parsed bibliography entry, and the work that it cites.

    ``rule`` is the reason for its identity: doi, pmid, pmcid, arxiv, isbn, title or place (journal, volume, page) if it
    equals others by that, own if no other row is the same work, hand if a user decided. ``stated`` is True if the
    fields come from the format, False if they were parsed from the text.
    """

    identity: str
    document_id: str
    document_title: str
    node_id: str
    authors: list[str]
    year: int | None
    title: str | None
    container: str | None
    volume: str | None
    issue: str | None
    pages: str | None
    doi: str | None
    pmid: str | None
    pmcid: str | None
    arxiv: str | None
    isbn: str | None
    url: str | None
    rule: str
    stated: bool
    held: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedDocument(Result):
    """A document that shares cited works with another: their number, and their share of all works that either cites."""

    document_id: str
    title: str
    shared: int
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CoCitedWork(Result):
    """A work that is cited together with another, and by how many documents."""

    identity: str
    title: str | None
    authors: list[str]
    year: int | None
    documents: int
    held: list[str]
