"""Citing: where a node or its words stand, and how styles print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.connected import Connected
from ragraph.errors import ArgumentError, NodeNotFoundError
from ragraph.rows import citation_row, quote_row
from ragraph.schema.results import Citation, Hit
from ragraph.scope import several

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.csl import CslItem, FormattedCitations


class Citing(Connected):
    """The part of a store that cites."""

    def cite(self, document: str, node: str) -> Citation:
        """Return where a node stands: publication, section path, pages, boxes and its words.

        Raises:
            NodeNotFoundError: the document has no such node; nothing that does not exist can be cited.
        """
        found = self._rows("node_citation", citation_row, {"document_id": document, "node_id": node})
        if not found:
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}")
        citation: Citation = found[0]
        return citation

    def quote(self, document: str, node: str, quote: str) -> Citation:
        """Return where words of a node stand; ``excerpt`` has them as they are in the node.

        White space, kinds of quotation marks and dashes, and Markdown emphasis may differ from the node; nothing else.

        Raises:
            QuoteNotFoundError: the node does not have these words.
            DocumentNotFoundError, NodeNotFoundError: there is no such node.
            ArgumentError: the quote is empty.
        """
        parameters = {"document_id": document, "node_id": node, "quote": quote}
        (citation,) = self._rows("cite_quote", quote_row, parameters)
        found: Citation = citation
        return found

    def format_citations(
        self, citations: Iterable[Citation | Hit], *, style: str = "apa", html: bool = False
    ) -> FormattedCitations:
        """Return citations as a CSL style prints them: inline with pages, and the bibliography.

        Args:
            citations: citations, or hits, whose citations are taken.
            style: name of a CSL style (``apa``, ``ieee``, ``chicago-author-date`` ...), or path of a ``.csl`` file.
            html: HTML with italics and the like; default plain text.

        Raises:
            ArgumentError: there is no such style.
        """
        from ragraph import csl

        cited = [item.citation if isinstance(item, Hit) else item for item in citations]
        documents = list(dict.fromkeys(item.document_id for item in cited))
        items = {item["id"]: item for item in self._csl_items(documents)}
        return csl.format_citations(cited, items, style=style, html=html)

    def bibliography(self, documents: str | Sequence[str] | None = None, *, style: str = "apa") -> list[str]:
        """Return the publications of documents as a CSL style lists them, each publication once.

        Args:
            documents: one id or several; default all of the store.
            style: as of ``format_citations``.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: there is no such style.
        """
        from ragraph import csl

        return csl.bibliography(self._csl_items(documents), style=style)

    def references(self, documents: str | Sequence[str] | None = None, *, format: str = "csl-json") -> str:
        """Return the publications of documents for a reference manager, each publication once.

        Args:
            documents: one id or several; default all of the store.
            format: ``csl-json`` or ``bibtex``.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: the format does not exist.
        """
        from ragraph import csl

        if format not in ("csl-json", "bibtex"):
            raise ArgumentError(f"format {format!r} is not known; use csl-json or bibtex")
        items = self._csl_items(documents)
        return csl.to_bibtex(items) if format == "bibtex" else csl.to_csl_json(items)

    def _csl_items(self, documents: str | Sequence[str] | None) -> list[CslItem]:
        from ragraph import csl

        return [csl.csl_item(details) for details in self._details(several(documents))]
