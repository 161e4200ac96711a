"""Results of the store: frozen, typed objects made from rows."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from ragraph.schema import display
from ragraph.schema.enums import ComponentType, ContentNodeType, DocumentType, ProcessingStatus, RelationType
from ragraph.schema.page_labels import page_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self, SupportsIndex

    import pandas

T = TypeVar("T")


class Result:
    """Base of results, with the JSON format that the command line prints."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain values: dates as ISO 8601, tuples as lists."""
        return {name: _plain(value) for name, value in asdict(self).items()}  # type: ignore[call-overload]


def _plain(value: Any) -> Any:
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Result):
    """An embedding model of the store.

    Attributes:
        name: its name in searches.
        location: folder, name on the hub or endpoint that it is loaded from; None for the packaged model.
        dimensions: length of its vectors.
        truncated_from: length of the model's full vectors, if its vectors here are cut to their beginning; else None.
        distance: distance of searches.
        max_tokens: maximum number of tokens that it reads.
        query_prefix: prefix of queries.
        document_prefix: prefix of texts.
        created_at: when it was recorded.
        switched_at: when the store was last switched to it.
        current: True if searches and ingestion use it by default.
        vectors: number of its vectors.
        documents: number of documents of the store with text.
        complete: number of these documents with all vectors of it.
        index_kind: what its vector index stores of each vector: halfvec, or bit for the signs.
        indexed: True if a vector index can be used, either this one or the previous one until it is built.
        ef_search: measured number of candidates for searches of the whole store; None if not measured.
        index_recall: measured share of the ten nearest that such searches find.
        measured_vectors: number of vectors at the measurement.
    """

    name: str
    location: str | None
    dimensions: int
    truncated_from: int | None
    distance: str
    max_tokens: int
    query_prefix: str
    document_prefix: str
    created_at: datetime
    switched_at: datetime | None
    current: bool
    vectors: int
    documents: int
    complete: int
    index_kind: str
    indexed: bool
    ef_search: int | None = None
    index_recall: float | None = None
    measured_vectors: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Result):
    """A document with the title of its publication."""

    id: str
    publication_id: str
    title: str
    authors: str | None
    publication_date: date | None
    type: DocumentType
    collection: str
    language: str | None
    mime_type: str | None
    source_uri: str | None
    file_size: int | None
    page_count: int | None
    processing_status: ProcessingStatus
    error_message: str | None
    processed_at: datetime | None
    nodes: int

    def _repr_html_(self) -> str:
        return display.facts(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDetails(Result):
    """All metadata of a document.

    ``ts_config`` is the text search configuration of its words: that of its language, or ``simple``. ``characters`` is
    the length of its text with the gaps between nodes. ``words`` is counted as by ``ragraph_private.count_words``; in
    scripts without spaces two characters count as a word.
    """

    document: Document
    characters: int | None = None
    words: int | None = None
    abstract: str | None
    citation: str | None
    source: str | None
    source_url: str | None
    uri: str | None
    tags: list[str]
    metadata: dict[str, Any]
    ingested_with: dict[str, Any]
    ts_config: str
    components: int
    relations: int
    unresolved_relations: int
    embeddings: dict[str, int]

    def _repr_html_(self) -> str:
        return display.facts(self.document, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TocEntry(Result):
    """A component in the table of contents; ``depth`` counts from 0, ``path`` has the titles down to it."""

    component_id: str
    component_type: ComponentType
    title: str | None
    depth: int
    path: list[str]
    first_page: int | None
    last_page: int | None
    logical_pages: list[str]
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PathEntry(Result):
    """A component that contains another one; ``depth`` counts from 0."""

    component_id: str
    component_type: ComponentType
    title: str | None
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Node(Result):
    """A content node.

    ``positional_data`` is a list of ``{"page_pdf", "page_logical", "bbox"}`` in points, origin top left. ``char_start``
    and ``char_end`` are its span in the text of the document.
    """

    document_id: str
    id: str
    parent_component_id: str | None
    content_node_type: ContentNodeType
    content: str
    description: str | None
    sequence_in_document: int
    positional_data: list[dict[str, Any]]
    token_count: int
    char_start: int
    char_end: int
    data: dict[str, Any]

    def _repr_html_(self) -> str:
        return display.nodes([self], None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Result):
    """A table of a document.

    Attributes:
        node: its node, with pages and boxes.
        caption: its caption; None if it has none.
        rows: the text of its cells without markup, from the top; rows may differ in length.
        header_rows: number of rows at the top that are heads of columns.
        spans: cells that span others: row and column from 0, number of rows, number of columns. The places they cover
            are empty in ``rows``.
    """

    node: Node
    caption: str | None
    rows: list[list[str]]
    header_rows: int
    spans: list[tuple[int, int, int, int]]
    _html: str = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the table in the format that the command line prints, with its place and its HTML."""
        return {
            "document_id": self.node.document_id,
            "node_id": self.node.id,
            "caption": self.caption,
            "pages": self.pages,
            "boxes": self.node.positional_data,
            "rows": self.rows,
            "header_rows": self.header_rows,
            "spans": [list(span) for span in self.spans],
            "html": self._html,
        }

    @property
    def pages(self) -> list[int]:
        """Physical pages of the table from 1, ascending."""
        return sorted({place["page_pdf"] for place in self.node.positional_data if place.get("page_pdf")})

    @property
    def columns(self) -> list[tuple[str, ...]]:
        """Heads of each column, from the top; a head that spans columns or rows is that of each of them."""
        heads = self.filled_rows[: self.header_rows]
        return [tuple(head[column] for head in heads) for column in range(max(map(len, self.rows), default=0))]

    @property
    def filled_rows(self) -> list[list[str]]:
        """The rows, all of one length; a cell that spans rows or columns is in each of them."""
        width = max(map(len, self.rows), default=0)
        filled = [[*row, *[""] * (width - len(row))] for row in self.rows]
        for top, left, high, wide in self.spans:
            for row in range(top, min(top + high, len(filled))):
                for column in range(left, min(left + wide, width)):
                    filled[row][column] = filled[row][column] or filled[top][left]
        return filled

    def to_csv(self) -> str:
        """Return all rows, heads included, as comma-separated values with line feeds (RFC 4180 but for these).

        A cell that spans rows or columns is in the first of them.
        """
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.rows)
        return text.getvalue()

    def to_html(self) -> str:
        """Return the table as HTML, with heads and spans; the text of cells is escaped."""
        return self._html

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame of the rows below the heads; cells are text as printed.

        A cell that spans rows or columns is in each of them.

        Its columns are named by their heads, by a ``MultiIndex`` if there are several rows of heads, and numbered if
        there is none.

        Raises:
            IngestError: pandas is not installed.
        """
        # found by its name, because this folder imports no other one
        frame: pandas.DataFrame = import_module("ragraph.documents.tables").frame_of(self)
        return frame

    def _repr_html_(self) -> str:
        return self._html


class Source(Protocol):
    """What a hit reads from its store, when asked for it."""

    def table(self, document: str, node: str) -> Table | None:
        """Return the table of a node; None if it has none."""

    def shown_table(self, document: str, node: str) -> Table | None:
        """As ``table``, but None if it cannot be read."""

    def places(self, document: str, page: int) -> list[dict[str, Any]]:
        """Return the places of the nodes on a page; an empty list if they cannot be read."""

    def page(self, document: str, page: int) -> tuple[bytes, float, float] | None:
        """Return a page as a JPEG file with its width and height in points; None if it cannot be drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Result):
    """A relation between two nodes; ``marker_start`` is the position of its marker in the source's content."""

    id: str
    source_node_id: str
    target_node_id: str
    relation_type: RelationType
    marker_text: str | None
    marker_start: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedNode(Result):
    """A node reached along relations, with the last relation and the ids of the nodes on the way."""

    node: Node
    relation_id: str
    relation_type: RelationType
    marker_text: str | None
    hop: int
    path: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(Result):
    """The source of a node or quote: publication, section, pages and bounding boxes.

    Attributes:
        section_path: titles of the components around the node, outermost first.
        pages: physical pages from 1, ascending.
        logical_pages: page numbers as printed, in the order of ``pages``; empty if the document has none.
        boxes: ``{"page_pdf", "page_logical", "bbox": {"x1", "y1", "x2", "y2"}}`` in points, origin top left.
        char_start: start of the node in the text of the document, in characters from 0.
        char_end: end of the node, exclusive.
        excerpt: the words that were found; the whole node unless it is long.
        excerpt_span: start and end of the excerpt in the text of the document.
        excerpt_pieces: for a quote that leaves text out, the span of each piece, joined in the excerpt by ``[…]``. Else
            empty, and the excerpt is the text of its span.
    """

    document_id: str
    node_id: str
    publication_id: str
    title: str
    authors: str | None
    publication_date: date | None
    citation: str | None
    uri: str | None
    section_path: list[str]
    pages: list[int]
    logical_pages: list[str]
    boxes: list[dict[str, Any]]
    char_start: int
    char_end: int
    excerpt: str
    excerpt_span: tuple[int, int]
    excerpt_pieces: list[tuple[int, int]] = field(default_factory=list)

    def __str__(self) -> str:
        """Return the citation in one line: title, section path and pages."""
        parts = [self.title]
        if self.section_path:
            parts.append(" > ".join(self.section_path))
        if self.pages:
            parts.append(self.page_label)
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        return display.citation(self)

    @property
    def page_label(self) -> str:
        """Pages as a reader cites them: the printed ones, and the physical ones in parentheses if they differ.

        Empty without pages.
        """
        return page_label(self.pages, self.logical_pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Result):
    """A search result: a node with its score (higher is better) and citation.

    ``span`` is the part of a long node that was found, in the text of the document; None for the whole node. ``ranks``
    has the rank, from 1, by each method: ``vector``, ``text``, ``graph``. ``scores`` has the scores of ``vector`` and
    ``text`` before their fusion in a hybrid search. ``relevance`` is how likely the node answers the query, from 0 to
    1; None in mode ``vector``, and for other models than the default one. ``entities`` are the names of entities that
    the node mentions.
    """

    document_id: str
    node_id: str
    node_type: ContentNodeType
    score: float
    content: str
    citation: Citation = field(repr=False)
    span: tuple[int, int] | None = None
    ranks: dict[str, int] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    entities: list[str] = field(default_factory=list)
    relevance: float | None = None
    _source: Source | None = field(default=None, repr=False, compare=False)

    @property
    def table(self) -> Table | None:
        """The table that was found, read from the store when first asked for; None if the node is no table.

        Raises:
            StoreClosedError: the store is closed.
            DocumentNotFoundError, NodeNotFoundError: the table was deleted meanwhile.
        """
        if self._source is None or self.node_type is not ContentNodeType.TABLE:
            return None
        return self._source.table(self.document_id, self.node_id)

    def _repr_html_(self) -> str:
        return display.hit(self, self._source)

    def to_json(self) -> dict[str, Any]:
        """Return the hit in the format that the command line prints."""
        return {
            "document_id": self.document_id,
            "node_id": self.node_id,
            "node_type": self.node_type.value,
            "score": self.score,
            "relevance": self.relevance,
            "ranks": self.ranks,
            "content": self.content,
            "title": self.citation.title,
            "section_path": self.citation.section_path,
            "pages": self.citation.pages,
            "logical_pages": self.citation.logical_pages,
            "boxes": self.citation.boxes,
            "char_span": [self.citation.char_start, self.citation.char_end],
            "excerpt": self.citation.excerpt,
            "excerpt_span": list(self.citation.excerpt_span),
            "entities": self.entities,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchStep(Result):
    """A step of a search.

    Attributes:
        part: ``vectors``, ``words``, ``pages``, ``graph``, the name of a query that includes these, or ``query`` for
            work outside the database: loading the model and encoding the query.
        way: the method: ``index``, or ``exact`` with the reason.
        ms: milliseconds.
        candidates: number of vectors, nodes or seeds compared, counted only as far as needed to choose the method.
        rows: number of rows found.
    """

    part: str
    way: str
    ms: float
    candidates: float | None = None
    rows: int | None = None


class Shown(list[T]):
    """A list that a notebook shows; its slices are of the same class."""

    @overload
    def __getitem__(self, at: SupportsIndex, /) -> T: ...

    @overload
    def __getitem__(self, at: slice, /) -> Self: ...

    def __getitem__(self, at: SupportsIndex | slice, /) -> T | Self:
        """Return an item, or a slice with what the list has besides its items."""
        if not isinstance(at, slice):
            return super().__getitem__(at)
        part = type(self).__new__(type(self))
        part.extend(super().__getitem__(at))
        part.__dict__.update(self.__dict__)
        return part


class Hits(Shown[Hit]):
    """Hits, best first. A notebook shows them with their places; those on drawable pages on their pages."""

    def _repr_html_(self) -> str:
        return display.hits(self)

    def of(self, source: Source) -> Hits:
        """Let the hits read what they show from a store; return the list."""
        for found in self:
            object.__setattr__(found, "_source", source)
        return self


class ExplainedHits(Hits):
    """Hits with ``steps``, the steps of the search in the order in which they ended."""

    def __init__(self, hits: Iterable[Hit], steps: Sequence[SearchStep]) -> None:
        super().__init__(hits)
        self.steps = list(steps)


class Documents(Shown[Document]):
    """Documents; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        return display.documents(self)


class Contents(Shown[TocEntry]):
    """The sections of a document; a notebook shows them as a table of contents."""

    def _repr_html_(self) -> str:
        return display.contents(self)


class Nodes(Shown[Node]):
    """Nodes in reading order; a notebook shows those of a page, or of a range of pages, on these pages."""

    source: Source | None = None
    pages: tuple[int | None, int | None] = (None, None)

    def _repr_html_(self) -> str:
        return display.nodes(self, self.source, self.pages)


class Tables(Shown[Table]):
    """Tables; a notebook shows each with its caption and pages."""

    def _repr_html_(self) -> str:
        return "".join(display.table(found) for found in self) or "<p>no tables</p>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation(Result):
    """A violated rule of the data model."""

    document_id: str | None
    rule: str
    object_id: str | None
    detail: str
