"""The methods of an open store that the tools call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Literal, Unpack

    from ragraph.documents.csl import FormattedCitations
    from ragraph.documents.updating import DocumentChanges
    from ragraph.filters import Filter
    from ragraph.schema.context import Context
    from ragraph.schema.entities import Entity, Mention
    from ragraph.schema.pictures import Page, Picture
    from ragraph.schema.reports import IngestReport, ProgressEvent
    from ragraph.schema.results import Citation, Document, DocumentDetails, Hit, Node, RelatedNode, TocEntry
    from ragraph.search import SearchOptions


class Readable(Protocol):
    """Methods for the tools that read; see ``Store`` for each."""

    def documents(
        self,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Document]:
        """See ``Store.documents``."""

    def as_of(self, document: str, version: str) -> AbstractContextManager[Readable]:
        """See ``Store.as_of``."""

    def document(self, document: str) -> DocumentDetails:
        """See ``Store.document``."""

    def toc(self, document: str, max_depth: int | None = None) -> list[TocEntry]:
        """See ``Store.toc``."""

    def nodes(self, document: str, section: str | None = None) -> list[Node]:
        """See ``Store.nodes``."""

    def page(self, document: str, page: int | str) -> list[Node]:
        """See ``Store.page``."""

    def pages(self, document: str) -> list[Page]:
        """See ``Store.pages``."""

    def page_image(self, document: str, page: int, scale: float = 2.0) -> Picture:
        """See ``Store.page_image``."""

    def search(self, query: str, k: int = 10, **options: Unpack[SearchOptions]) -> list[Hit]:
        """See ``Store.search``."""

    def context(self, query: str, token_budget: int | None = 2000, **options: Unpack[SearchOptions]) -> Context:
        """See ``Store.context``."""

    def related(
        self,
        document: str,
        node: str,
        *,
        types: str | Sequence[str] | None = None,
        direction: Literal["out", "in", "both"] = "out",
        max_hops: int = 1,
    ) -> list[RelatedNode]:
        """See ``Store.related``."""

    def entity(self, name: str, *, document: str | Sequence[str] | None = None) -> Entity:
        """See ``Store.entity``."""

    def mentions(self, name: str, *, document: str | Sequence[str] | None = None) -> list[Mention]:
        """See ``Store.mentions``."""

    def cite(self, document: str, node: str) -> Citation:
        """See ``Store.cite``."""

    def quote(self, document: str, node: str, quote: str, *, min_words: int = 1) -> Citation:
        """See ``Store.quote``."""

    def format_citations(self, citations: Iterable[Citation | Hit], *, style: str = "apa") -> FormattedCitations:
        """See ``Store.format_citations``."""


class Writable(Protocol):
    """Methods for the tools that write; see ``Store`` for each."""

    def ingest(
        self,
        paths: Iterable[str | Path],
        *,
        collection: str = "default",
        tags: Sequence[str] = (),
        progress: Callable[[ProgressEvent], None] | None = None,
    ) -> IngestReport:
        """See ``Store.ingest``."""

    def update(self, document: str, **changes: Unpack[DocumentChanges]) -> DocumentDetails:
        """See ``Store.update``."""

    def delete(self, document: str) -> list[str]:
        """See ``Store.delete``."""


class ReadableAndWritable(Readable, Writable, Protocol):
    """Methods for all tools."""
