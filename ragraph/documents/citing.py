"""The part of a store that cites: where a node or its words stand, and how styles print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.arguments import refusal, several, texts
from ragraph.database.rows import citation_row, quote_row
from ragraph.errors import ArgumentError, NodeNotFoundError
from ragraph.schema.results import Citation, Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.database.runner import QueryRunner
    from ragraph.documents.catalog import Catalog
    from ragraph.documents.csl import CslItem, FormattedCitations


_CITED = "a list of citations or hits"


class Citing:
    """Where things stand; the methods are those of ``Store``, which describes them."""

    def __init__(self, runner: QueryRunner, catalog: Catalog) -> None:
        self._ask = runner
        self._catalog = catalog

    def cite(self, document: str, node: str) -> Citation:
        """See ``Store.cite``."""
        found = self._ask.rows("node_citation", citation_row, {"document_id": document, "node_id": node})
        if not found:
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}", hint=NodeNotFoundError.look)
        citation: Citation = found[0]
        return citation

    def quote(self, document: str, node: str, quote: str, *, min_words: int = 1) -> Citation:
        """See ``Store.quote``."""
        parameters = {"document_id": document, "node_id": node, "quote": quote, "min_words": min_words}
        (citation,) = self._ask.rows("cite_quote", quote_row, parameters)
        found: Citation = citation
        return found

    def format_citations(
        self, citations: Iterable[Citation | Hit], *, style: str = "apa", html: bool = False
    ) -> FormattedCitations:
        """See ``Store.format_citations``."""
        from ragraph.documents import csl

        cited = [item.citation if isinstance(item, Hit) else item for item in several("citations", _CITED, citations)]
        for item in cited:
            if not isinstance(item, Citation):
                raise refusal("citations", _CITED, item)
        documents = list(dict.fromkeys(item.document_id for item in cited))
        items = {item["id"]: item for item in self._csl_items(documents)}
        return csl.format_citations(cited, items, style=style, html=html)

    def bibliography(self, documents: str | Sequence[str] | None = None, *, style: str = "apa") -> list[str]:
        """See ``Store.bibliography``."""
        from ragraph.documents import csl

        return csl.bibliography(self._csl_items(documents), style=style)

    def references(self, documents: str | Sequence[str] | None = None, *, format: str = "csl-json") -> str:
        """See ``Store.references``."""
        from ragraph.documents import csl

        if format not in ("csl-json", "bibtex"):
            raise ArgumentError(f"format {format!r} is not known; use csl-json or bibtex")
        items = self._csl_items(documents)
        return csl.to_bibtex(items) if format == "bibtex" else csl.to_csl_json(items)

    def _csl_items(self, documents: str | Sequence[str] | None) -> list[CslItem]:
        from ragraph.documents import csl

        return [csl.csl_item(details) for details in self._catalog.details(texts("documents", documents))]
