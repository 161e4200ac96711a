"""The part of the store's face that cites: where nodes and quotes stand, in the styles of publishers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.arguments import check_methods
from ragraph.documents.citing import Citing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.database.runner import QueryRunner
    from ragraph.documents.catalog import Catalog
    from ragraph.documents.csl import FormattedCitations
    from ragraph.schema.results import Citation, Hit


@check_methods
class StoreCiting:
    """Methods of ``Store``."""

    def _may_cite(self, runner: QueryRunner, catalog: Catalog) -> None:
        self._citing = Citing(runner, catalog)

    def cite(self, document: str, node: str) -> Citation:
        """Return where a node stands: publication, section path, pages, boxes and its words.

        Raises:
            NodeNotFoundError: the document has no such node; nothing that does not exist can be cited.
        """
        return self._citing.cite(document, node)

    def quote(self, document: str, node: str, quote: str, *, min_words: int = 1) -> Citation:
        """Return where words of a node stand; ``excerpt`` has them as they are in the node.

        White space, kinds of quotation marks and dashes, soft hyphens, inline Markdown and how letters are composed may
        differ from the node; nothing else, capitals neither. An ellipsis (``…``, ``...``, ``[...]``) stands for text
        left out within the node; ``excerpt_pieces`` then has a span for each side.

        Args:
            document: id of the document.
            node: id of the node.
            quote: its words; no end may cut a word of a script with spaces, or ``1/2``, ``1 000``, ``AT&T``, ``U.S.A``
            min_words: words that each piece must have, unless the node has fewer; two characters of a script without
                spaces count as one.

        Raises:
            QuoteNotFoundError: the node does not have these words, or only within longer ones.
            DocumentNotFoundError, NodeNotFoundError: there is no such node.
            ArgumentError: the quote has no words, too few, or too many pieces.
        """
        return self._citing.quote(document, node, quote, min_words=min_words)

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
        return self._citing.format_citations(citations, style=style, html=html)

    def bibliography(self, documents: str | Sequence[str] | None = None, *, style: str = "apa") -> list[str]:
        """Return the publications of documents as a CSL style lists them, each publication once.

        Args:
            documents: one id or several; default all of the store.
            style: as of ``format_citations``.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: there is no such style.
        """
        return self._citing.bibliography(documents, style=style)

    def references(self, documents: str | Sequence[str] | None = None, *, format: str = "csl-json") -> str:
        """Return the publications of documents for a reference manager, each publication once.

        Args:
            documents: one id or several; default all of the store.
            format: ``csl-json`` or ``bibtex``.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: the format does not exist.
        """
        return self._citing.references(documents, format=format)
