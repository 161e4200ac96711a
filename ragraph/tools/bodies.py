"""What the tools give: bounded, and with ids that other tools take."""

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
    pages: int | None = Field(default=None, description="How many pages it has; null for formats without pages.")


class Answered(BaseModel):
    """What a search or a list gives, and what the store says beside it."""

    notices: list[str] = Field(
        default=[], description="What may not have been meant, such as a tag that no document has; mostly empty."
    )


class Documents(Answered):
    """Documents of the store."""

    documents: list[Listed]
    next_cursor: str | None = Field(default=None, description="Give it to go on; null at the end.")


class Entry(BaseModel):
    """A section in an outline."""

    section_id: str
    title: str | None
    type: str
    depth: int = Field(description="Level, from 1.")
    pages: str = Field(description="First and last physical page; empty for formats without pages.")


class Outline(BaseModel):
    """Sections of a document, in reading order."""

    document_id: str
    title: str
    sections: list[Entry]
    next_cursor: str | None = Field(default=None, description="Give it to go on; null at the end.")


class Found(BaseModel):
    """A passage that a search found."""

    document_id: str
    node_id: str
    type: str
    score: float
    source: str = Field(description="Title, section path and pages, as printed.")
    section_path: list[str]
    pages: Pages = Field(description="Physical pages, from 1.")
    text: str
    cut: bool = Field(description="Whether the passage is longer than its text here.")


class Hits(Answered):
    """What a search found, best first."""

    hits: list[Found]


class Block(BaseModel):
    """Text under one heading, made of passages."""

    document_id: str
    source: str = Field(description="Title, section path and pages, as printed.")
    pages: Pages = Field(description="Physical pages, from 1.")
    node_ids: list[str] = Field(description="Passages that the text is made of; cite takes them.")
    text: str


class ContextText(Answered):
    """What the store has on a question."""

    blocks: list[Block]
    tokens: int
    hits_left_out: int = Field(description="Passages found that had no room.")


class Passage(BaseModel):
    """A passage of a section or a page."""

    node_id: str
    type: str
    pages: Pages = Field(description="Physical pages, from 1; empty for formats without pages.")
    text: str


class Text(BaseModel):
    """Passages in reading order."""

    document_id: str
    section_path: list[str] = Field(description="Sections around the first passage, outermost first.")
    passages: list[Passage]
    next_cursor: str | None = Field(default=None, description="Give it to go on; null at the end.")


class PageText(Text):
    """Passages of a page in reading order."""

    page: int | None = Field(description="Physical page, from 1.")
    printed: str | None = Field(description="The number that is printed on it.")
    page_count: int | None


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
    cut: bool


class Ties(BaseModel):
    """What belongs to a passage."""

    document_id: str
    node_id: str
    related: list[Tie]
    left_out: int = Field(description="Further ones that had no room.")


class CitationBody(BaseModel):
    """Where a node stands, and how a style prints that."""

    citation: dict[str, Any]
    inline: str
    bibliography: list[str]


class PageImage(BaseModel):
    """What a picture of a page shows; the picture itself comes beside it."""

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
    """A file that was taken in, or why it was not."""

    path: str
    status: str
    document_id: str | None
    reason: str | None


class Ingested(BaseModel):
    """What became of files."""

    files: list[Taken]
    left_out: int = Field(description="Further files, taken in too, that are not named.")


class Changed(BaseModel):
    """A document after a change."""

    document: dict[str, Any]
