"""Methods of ``Store`` that cite nodes and quotes and format citations in the styles of publishers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.arguments import check_methods, refusal, several, texts
from ragraph.database.rows import citation_row, quote_row
from ragraph.errors import ArgumentError, NodeNotFoundError
from ragraph.schema.results import Citation, Hit
from ragraph.store.reading import StoreReading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.documents.csl import CslItem, FormattedCitations

_CITED = "a list of citations or hits"


@check_methods
class StoreCiting(StoreReading):
    """Methods of ``Store`` for citing."""

    def cite(self, document: str, node: str) -> Citation:
        """Return the citation of a node: publication, section path, pages, bounding boxes and its text.

        Args:
            document: id of the document.
            node: id of the node.

        Raises:
            NodeNotFoundError: the document has no such node.
        """
        found = self._ask.rows("node_citation", citation_row, {"document_id": document, "node_id": node})
        if not found:
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}", hint=NodeNotFoundError.look)
        citation: Citation = found[0]
        return citation

    def quote(self, document: str, node: str, quote: str, *, min_words: int = 1) -> Citation:
        """Return the citation of a quote from a node; ``excerpt`` has its words as they are in the node.

        The quote may differ from the node in white space, kinds of quotation marks and dashes, soft hyphens, inline
        Markdown and Unicode composition. It may not differ in anything else, including capitals. An ellipsis (``…``,
        ``...``, ``[...]``) stands for text left out within the node; ``excerpt_pieces`` then has a span for each side.

        Args:
            document: id of the document.
            node: id of the node.
            quote: words of the node. Its ends must not cut a word of a script with spaces, or ``1/2``, ``1 000``,
                ``AT&T``, ``U.S.A``.
            min_words: minimum number of words in each piece, unless the node has fewer. Two characters of a script
                without spaces count as one word.

        Raises:
            QuoteNotFoundError: the node does not have these words, or only as parts of longer ones.
            DocumentNotFoundError, NodeNotFoundError: the document or the node does not exist.
            ArgumentError: the quote has no words, too few words, or too many pieces.
        """
        parameters = {"document_id": document, "node_id": node, "quote": quote, "min_words": min_words}
        (citation,) = self._ask.rows("cite_quote", quote_row, parameters)
        found: Citation = citation
        return found

    def format_citations(
        self, citations: Iterable[Citation | Hit], *, style: str = "apa", html: bool = False
    ) -> FormattedCitations:
        """Format citations in a CSL style: inline citations with pages, and the bibliography.

        Args:
            citations: citations, or hits, whose citations are used.
            style: name of a CSL style (``apa``, ``ieee``, ``chicago-author-date`` ...), or path of a ``.csl`` file.
            html: True for HTML with italics and the like; default plain text.

        Returns:
            The inline citations, in the order of ``citations``, and the entries of the bibliography.

        Raises:
            ArgumentError: the style does not exist.
        """
        from ragraph.documents import csl

        cited = [item.citation if isinstance(item, Hit) else item for item in several("citations", _CITED, citations)]
        for item in cited:
            if not isinstance(item, Citation):
                raise refusal("citations", _CITED, item)
        documents = list(dict.fromkeys(item.document_id for item in cited))
        items = {item["id"]: item for item in self._csl_items(documents)}
        return csl.format_citations(cited, items, style=style, html=html)

    def bibliography(self, documents: str | Sequence[str] | None = None, *, style: str = "apa") -> list[str]:
        """Return the bibliography entries of documents in a CSL style, each publication once.

        Args:
            documents: one id or several; None for all documents of the store.
            style: as in ``format_citations``.

        Raises:
            DocumentNotFoundError: a document does not exist.
            ArgumentError: the style does not exist.
        """
        from ragraph.documents import csl

        return csl.bibliography(self._csl_items(documents), style=style)

    def references(self, documents: str | Sequence[str] | None = None, *, format: str = "csl-json") -> str:
        """Return the publications of documents for a reference manager, each publication once.

        Args:
            documents: one id or several; None for all documents of the store.
            format: ``csl-json`` or ``bibtex``.

        Raises:
            DocumentNotFoundError: a document does not exist.
            ArgumentError: the format does not exist.
        """
        from ragraph.documents import csl

        if format not in ("csl-json", "bibtex"):
            raise ArgumentError(f"format {format!r} is not known; use csl-json or bibtex")
        items = self._csl_items(documents)
        return csl.to_bibtex(items) if format == "bibtex" else csl.to_csl_json(items)

    def _csl_items(self, documents: str | Sequence[str] | None) -> list[CslItem]:
        from ragraph.documents import csl

        return [csl.csl_item(details) for details in self._details(texts("documents", documents))]
