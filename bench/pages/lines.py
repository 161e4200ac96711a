"""Systems that answer: pages, or pieces of pages, ranked by vectors, words or both; and ragraph.

A line returns pages in the order found, and a context of ``BUDGET`` tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bench.retrieval.metrics import cut
from bench.retrieval.opponents import DEEP
from bench.retrieval.peers import langchain_recursive
from bench.retrieval.rankers import Ranker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bench.pages.data import PageQuestion
    from bench.retrieval.cache import CachedModel
    from bench.retrieval.rankers import By
    from ragraph import Store
    from ragraph.schema.results import Hit

BUDGET = 2048
"""Tokens of context, headings included."""


@dataclass(frozen=True)
class Found:
    """The answer of a line: pages from 1, best first, without duplicates, and a context."""

    pages: list[int]
    context: str


class PageLine(Protocol):
    """A system that answers questions on a document."""

    name: str

    def answer(self, question: PageQuestion) -> Found:
        """Return pages and context."""


class ChunkLine:
    """Page chunks: a piece is a page, or a part of one from LangChain's splitter (1000/200), returned completely.

    Args:
        name: name of the line.
        texts: text of the pages by document.
        model: makes the vectors; None if ``by`` is ``words``.
        by: what ranks the pieces.
        split: whether pages are split.
    """

    def __init__(
        self, name: str, texts: Mapping[str, list[str]], model: CachedModel | None, by: By, *, split: bool
    ) -> None:
        self.name = name
        self._pieces = {document: list(_pieces(pages, split=split)) for document, pages in texts.items()}
        shown = {document: [text for _, text in pieces] for document, pieces in self._pieces.items()}
        self._ranker = Ranker(shown, model, by)

    def answer(self, question: PageQuestion) -> Found:
        """Return the pages of the best pieces, and these pieces."""
        ranked = self._ranker.ranked(question.text, question.document, DEEP)
        best = [self._pieces[piece.document][piece.place] for piece in ranked]
        return Found(distinct(page for page, _ in best), _context(text for _, text in best))


class SearchLine:
    """``Store.search``: the pages of the hits, and their text.

    Args:
        name: of the line.
        store: with the documents in it.
        ids: file name to the id in the store.
        options: arguments of ``Store.search``.
    """

    def __init__(self, name: str, store: Store, ids: Mapping[str, str], options: Mapping[str, Any]) -> None:
        self.name = name
        self._store = store
        self._ids = ids
        self._options = dict(options)

    def answer(self, question: PageQuestion) -> Found:
        """Return the pages of the hits, and the nodes whole."""
        hits = self._store.search(question.text, **{"k": DEPTH, **self._options}, document=self._ids[question.document])
        return Found(distinct(_pages(hits)), self._context(question, hits))

    def _context(self, question: PageQuestion, hits: list[Hit]) -> str:
        context = self._store.expand(hits, "none", BUDGET, whole_nodes=True)
        return cut(context.text, [BUDGET])[0]


class ContextLine(SearchLine):
    """The default result: ``Store.search`` without settings, and the text of ``Store.context``."""

    def _context(self, question: PageQuestion, hits: list[Hit]) -> str:
        context = self._store.context(question.text, BUDGET, document=self._ids[question.document])
        return cut(context.text, [BUDGET])[0]


DEPTH = 100
"""Hits of a search: enough for ten pages."""


def distinct(pages: Iterable[int]) -> list[int]:
    """Return pages in order, each at its first place."""
    return list(dict.fromkeys(pages))


def _pages(hits: Iterable[Hit]) -> Iterable[int]:
    return (page for hit in hits for page in hit.citation.pages)


def _pieces(pages: list[str], *, split: bool) -> Iterable[tuple[int, str]]:
    for page, text in enumerate(pages, start=1):
        for piece in langchain_recursive(text) if split else [text]:
            if piece.strip():
                yield page, piece


def _context(texts: Iterable[str]) -> str:
    kept: list[str] = []
    characters = 0
    for text in texts:
        kept.append(text)
        characters += len(text)
        if characters > BUDGET * ENOUGH:
            break
    return cut("\n\n".join(kept), [BUDGET])[0]


ENOUGH = 20
"""Characters that are certainly more than a token."""
