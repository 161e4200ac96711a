"""Results of the tools: limited in size, with ids that other tools accept."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

Pages = list[int]


class Listed(BaseModel):
    """A document of a list."""

    document_id: str
    title: str
    authors: str | None = None
    publication_date: str | None = None
    collection: str
    language: str | None = None
    mime_type: str | None = None
    pages: int | None = Field(default=None, description="Number of pages; null for formats without pages.")


class Answered(BaseModel):
    """Result of a search or a list, with notices of the store."""

    notices: list[str] = Field(
        default=[], description="Possible mistakes in the request, such as a tag that no document has; usually empty."
    )


class Documents(Answered):
    """Documents of the store."""

    documents: list[Listed]
    next_cursor: str | None = Field(default=None, description="Pass it as cursor to continue; null at the end.")


class Entry(BaseModel):
    """A section in an outline; of type DOCUMENT, a document with its id."""

    section_id: str
    title: str | None
    type: str
    depth: int = Field(description="Level, from 1.")
    pages: str = Field(description="First and last physical page; empty for formats without pages.")


class Outline(BaseModel):
    """Sections of a document in reading order, or the documents of the library."""

    document_id: str | None
    title: str
    sections: list[Entry]
    next_cursor: str | None = Field(default=None, description="Pass it as cursor to continue; null at the end.")


class Found(BaseModel):
    """A passage that a search found."""

    document_id: str
    node_id: str
    type: str
    score: float
    relevance: float | None = Field(
        default=None, description="How likely the passage answers the query, 0 to 1; null if not known."
    )
    source: str = Field(description="Title, section path and pages, as printed.")
    section_path: list[str]
    pages: Pages = Field(description="Physical pages, from 1.")
    text: str
    published: str | None = Field(default=None, description="Date of publication, if known.")
    cut: bool = Field(default=False, description="True if the passage is longer than its text here.")


class Hits(Answered):
    """Results of a search, best first."""

    hits: list[Found]


class Block(BaseModel):
    """Text under one heading, made of passages."""

    document_id: str
    source: str = Field(description="Title, section path and pages, as printed.")
    pages: Pages = Field(description="Physical pages, from 1.")
    node_ids: list[str] = Field(description="Passages that the text consists of; cite accepts them.")
    text: str


class ContextText(Answered):
    """The text of the store about a question."""

    blocks: list[Block]
    tokens: int
    hits_left_out: int = Field(default=0, description="Passages found that did not fit.")


class Passage(BaseModel):
    """A passage of a section or a page."""

    node_id: str
    type: str
    pages: Pages = Field(description="Physical pages, from 1; empty for formats without pages.")
    text: str


class Text(Answered):
    """Passages in reading order."""

    document_id: str
    section_path: list[str] = Field(description="Sections around the first passage, outermost first.")
    passages: list[Passage]
    next_cursor: str | None = Field(default=None, description="Pass it as cursor to continue; null at the end.")


class PageText(Text, Answered):
    """Passages of a page in reading order."""

    page: int = Field(description="Physical page, from 1.")
    printed: str | None = Field(description="The number printed on it.")
    page_count: int
    doubt: float | None = Field(default=None, description="How likely the page was read wrong, 0 to 1.")


class Tie(BaseModel):
    """A passage that a relation leads to, or comes from."""

    relation: str
    direction: str = Field(description="out: the node refers to it; in: it refers to the node.")
    marker: str | None = Field(description="The mark in the text, such as a note's number.")
    hops: int
    node_id: str
    type: str
    pages: Pages
    text: str
    cut: bool = False


class Ties(BaseModel):
    """Passages related to a passage."""

    document_id: str
    node_id: str
    related: list[Tie]
    left_out: int = Field(default=0, description="Further ones that did not fit.")


class Place(BaseModel):
    """A passage that mentions an entity."""

    document_id: str
    node_id: str
    source: str = Field(description="Title, section path and pages, as printed.")
    text: str
    defines: bool = Field(default=False, description="True if the document defines the entity here.")


class EntityBody(Answered):
    """An entity and passages that mention it, definitions first."""

    name: str
    identity: str
    kinds: list[str]
    aliases: list[str]
    documents: int
    mentions: int
    places: list[Place]
    left_out: int = Field(default=0, description="Further mentions.")


class CitationBody(BaseModel):
    """Place of a passage, and its citation in a style."""

    citation: dict[str, Any]
    inline: str
    bibliography: list[str]


class PageImage(BaseModel):
    """Description of the picture of a page; the picture itself is returned separately."""

    document_id: str
    page: int
    width: int = Field(description="Pixels.")
    height: int = Field(description="Pixels.")
    media_type: str
    highlighted: list[str] = Field(description="Passages with a box drawn around them.")


class Deleted(BaseModel):
    """What was deleted."""

    deleted: str


class Taken(BaseModel):
    """A file that was ingested, or the reason why it was not."""

    path: str
    status: str
    document_id: str | None
    reason: str | None


class Ingested(BaseModel):
    """Result of an ingestion, by file."""

    files: list[Taken]
    left_out: int = Field(description="Further files that were ingested but are not listed.")


class Changed(BaseModel):
    """A document after a change."""

    document: dict[str, Any]
