"""Rows of one document as they are written to and read from the database: plain and frozen, without a connection.

Field names are column names; ``write.py`` and ``sql/queries/ingest.sql`` rely on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ragraph.schema.enums import (
    ComponentType,
    ContentNodeType,
    DocumentType,
    EmbeddingSource,
    ProcessingStatus,
    RelationType,
)

PARAGRAPH_BREAK = "\n\n"
"""Separator of two nodes in ``document_text``; spans count it."""


@dataclass(frozen=True, slots=True)
class PublicationRow:
    """A publication. A plain file has one that is made up for it."""

    id: str
    title: str
    abstract: str | None = None
    citation: str | None = None
    authors: str | None = None
    publication_date: date | None = None
    source: str | None = None
    source_url: str | None = None
    uri: str | None = None
    collection: str = "default"
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document. The caller fills in what is known of the file, ``assemble_graph`` the rest from the draft.

    The draft sets language (if it is null), page_count, ts_config, structure and the reader in ingested_with.
    """

    id: str
    publication_id: str
    type: DocumentType = DocumentType.MAIN
    download_url: str | None = None
    description: str | None = None
    title: str | None = None
    authors: str | None = None
    publication_date: date | None = None
    mime_type: str | None = None
    charset: str | None = None
    storage_url: str | None = None
    file_size: int | None = None
    language: str | None = None
    version: str | None = None
    collection: str = "default"
    source_uri: str | None = None
    sha256: str | None = None
    page_count: int | None = None
    ts_config: str = "simple"
    structure: dict[str, Any] = field(default_factory=dict)
    ingested_with: dict[str, Any] = field(default_factory=dict)
    processing_status: ProcessingStatus = ProcessingStatus.PROCESSING


@dataclass(frozen=True, slots=True)
class PageRow:
    """A physical page; width and height in points; ``doubt`` from 0 to 1, how likely a fault is in it."""

    page_pdf: int
    page_logical: str | None = None
    width: float | None = None
    height: float | None = None
    doubt: float | None = None


@dataclass(frozen=True, slots=True)
class ComponentRow:
    """A branch of the tree; ``page_range`` is (first, last), both inclusive."""

    id: str
    component_type: ComponentType
    title: str | None
    parent_component_id: str | None
    depth: int
    sequence_in_parent_major: int
    sequence_in_parent_minor: int | None = None
    page_range: tuple[int, int] | None = None
    first_sequence: int | None = None
    last_sequence: int | None = None


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A leaf of the tree. ``char_start`` and ``char_end`` count code points of ``document_text``."""

    id: str
    content_node_type: ContentNodeType
    content: str
    content_hash: str
    sequence_in_document: int
    sequence_in_parent_major: int
    sequence_in_parent_minor: int | None = None
    parent_component_id: str | None = None
    storage_url: str | None = None
    description: str | None = None
    embedding_source: EmbeddingSource = EmbeddingSource.TEXT_CONTENT
    positional_data: list[dict[str, Any]] = field(default_factory=list)
    char_start: int = 0
    char_end: int = 0
    data: dict[str, Any] = field(default_factory=dict)
    token_count: int = 0


@dataclass(frozen=True, slots=True)
class RelationRow:
    """An edge; ``target_node_id`` is null until the database resolves marker or anchor."""

    id: str
    source_node_id: str
    relation_type: RelationType
    target_node_id: str | None = None
    marker_text: str | None = None
    marker_start: int | None = None
    target_anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """All rows of one document: ``nodes`` in reading order, ``components`` with parents first."""

    document: DocumentRow
    pages: tuple[PageRow, ...] = ()
    components: tuple[ComponentRow, ...] = ()
    nodes: tuple[NodeRow, ...] = ()
    relations: tuple[RelationRow, ...] = ()
    publication: PublicationRow | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of rows of one table that a write added, changed, removed and left unchanged."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes that a write made to the rows of one document; ``new`` if it had none before."""

    new: bool = False
    nodes: Tally = Tally()
    components: Tally = Tally()
    relations: Tally = Tally()
