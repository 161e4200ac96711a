"""What the store gives of works."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksReport(Result):
    """What ``update_works`` did.

    ``documents`` were looked at, ``read`` had something new, ``entries`` of them; ``changed`` rows are of another
    work, or for another reason, than before.
    """

    documents: int
    read: int
    entries: int
    changed: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Result):
    """A work that documents cite, or that one of them is; ``identity`` names it.

    ``documents`` cite it, by ``entries`` of their bibliographies; ``held`` are the documents of the store that are it.
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
    """An entry of a bibliography, what it says, and which work it means by what.

    ``rule`` is doi, pmid, pmcid, arxiv, isbn, title or place (journal, volume, page) by which it is the same as others,
    own where nothing else means it, hand where people said so. ``stated`` says that the format states the
    fields; else they were read from the text.
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
    """A document that shares cited works with another: how many, and of all that both cite."""

    document_id: str
    title: str
    shared: int
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CoCitedWork(Result):
    """A work that is cited together with another: by how many documents."""

    identity: str
    title: str | None
    authors: list[str]
    year: int | None
    documents: int
    held: list[str]
