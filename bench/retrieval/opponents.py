"""The lines of others: how they cut, how they rank, and what they return."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from bench.retrieval.lines import BUDGETS, DEPTH, Answer, contexts, kept_chunks
from bench.retrieval.names import NONE, SHARE
from bench.retrieval.peers import (
    AutoMerging,
    Chunk,
    docling_bare_chunks,
    docling_chunks,
    fixed_windows,
    langchain_recursive,
    llamaindex_sentences,
    plain,
    sentences,
)
from bench.retrieval.rankers import By, Ranker
from bench.retrieval.words import Words, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.retrieval.cache import CachedModel
    from bench.retrieval.data import Corpus, Question
    from bench.retrieval.lines import Cutter, Line
    from bench.retrieval.names import Names
    from bench.retrieval.rankers import Floats, Ranked

    Chunks = Mapping[str, list[Chunk]]

FIXED = "fixed windows, 256 tokens, 20 % overlap"
LANGCHAIN = "LangChain RecursiveCharacterTextSplitter, 1000/200"
LLAMAINDEX = "LlamaIndex SentenceSplitter, 256/50"
DOCLING = "docling HybridChunker"
DOCLING_BARE = "docling HybridChunker, headings not given back"
AUTOMERGING = "LlamaIndex AutoMergingRetriever, 2048/512/128"
SENTENCES = "sentences"

CUTTERS: dict[str, Cutter] = {
    FIXED: plain(fixed_windows),
    LANGCHAIN: plain(langchain_recursive),
    LLAMAINDEX: plain(llamaindex_sentences),
    DOCLING: docling_chunks,
    DOCLING_BARE: docling_bare_chunks,
    SENTENCES: plain(sentences),
}
"""Sizes in tokens, except LangChain's, which are in characters."""

DEEP = 400
"""Maximum pieces returned: more than fit into the largest budget if they are sentences."""

NEARNESS = 0.25
"""Weight of a chunk's score in its sentences; the rest is BM25 among the sentences of all chunks found."""

POOL = 2000
"""Pieces over all documents that are ranked again with the names of their documents."""

NAMES = ", names"
"""End of the names of lines that tell the names in a question from its other words, over all documents."""

WINDOW = 1
"""Sentences returned before and after a found one."""


@dataclass(frozen=True)
class Recipe:
    """How others make a context of documents.

    Attributes:
        cutter: key of ``CUTTERS`` for the pieces.
        by: what ranks the pieces.
        give: the complete pieces, the sentences of the best ``DEPTH`` ranked again, or each piece with its neighbours.
        titled: whether the title of the document is put before each piece for the ranking, and returned once above
            consecutive pieces of one document.
        stems: whether BM25 treats words with the same stem as one.
        names: whether words that name a document count in all its pieces, over many documents.
    """

    cutter: str = ""
    by: By = "vectors"
    give: Literal["whole", "sentences", "windows"] = "whole"
    titled: bool = False
    stems: bool = True
    names: bool = False


def _recipes() -> Iterator[tuple[str, Recipe]]:
    for cutter in (FIXED, LANGCHAIN, LLAMAINDEX, DOCLING, DOCLING_BARE):
        yield cutter, Recipe(cutter)
    short = "LangChain 1000/200"
    for ending, titled in (("", False), (", title in front", True)):
        if titled:
            yield f"{short}, vectors{ending}", Recipe(LANGCHAIN, "vectors", titled=True)
        for named, names in (("", False), (NAMES, True)):
            made = partial(Recipe, titled=titled, names=names)
            yield f"{short}, BM25{ending}{named}", made(LANGCHAIN, "words")
            yield f"{short}, BM25 + vectors{ending}{named}", made(LANGCHAIN, "both")
            yield f"{short}, BM25 + vectors, then sentences{ending}{named}", made(LANGCHAIN, "both", "sentences")
            yield f"sentences, BM25{ending}{named}", made(SENTENCES, "words")
        if not titled:
            yield (
                f"{short}, BM25 + vectors, then sentences, no stems",
                Recipe(LANGCHAIN, "both", "sentences", stems=False),
            )
            yield "sentences, BM25, no stems", Recipe(SENTENCES, "words", stems=False)
        yield f"sentences, BM25 + vectors{ending}", Recipe(SENTENCES, "both", titled=titled)
        yield f"sentence window, vectors{ending}", Recipe(SENTENCES, "vectors", "windows", titled=titled)
        yield f"sentence window, BM25 + vectors{ending}", Recipe(SENTENCES, "both", "windows", titled=titled)


RECIPES: dict[str, Recipe] = dict(_recipes())
"""Lines of others by name, except the AutoMergingRetriever, which has its own class."""

OPPONENTS = (AUTOMERGING, *RECIPES)
"""Names of all lines of others."""


def opponent(name: str, corpus: Corpus, model: CachedModel) -> Line:
    """Return a line of ``OPPONENTS``, prepared for a corpus."""
    if name == AUTOMERGING:
        return AutoMergingLine(corpus, model)
    recipe = RECIPES[name]
    cutter = CUTTERS[recipe.cutter]
    chunks = {document: kept_chunks(recipe.cutter, corpus, document, cutter) for document in corpus.files}
    if recipe.titled:
        chunks = {
            document: [chunk.titled(corpus.titles[document]) for chunk in chunks[document]] for document in chunks
        }
    return PieceLine(name, chunks, model, recipe)


class PieceLine:
    """Pieces of documents, ranked, and returned best first until the budget is full: see ``Recipe``."""

    def __init__(self, name: str, chunks: Chunks, model: CachedModel | None, recipe: Recipe) -> None:
        self.name = name
        self._chunks = chunks
        embedded = {document: [chunk.embedded for chunk in found] for document, found in chunks.items()}
        self._recipe = recipe
        self._ranker = Ranker(embedded, model, recipe.by, stems=recipe.stems)
        self._give = {"whole": self._pieces, "sentences": self._sentences, "windows": self._windows}[recipe.give]

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return all items of a document, id and text."""
        return [(f"{document}:{place}", chunk.shown) for place, chunk in enumerate(self._chunks[document])]

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the ranking and the contexts, within the question's document or over the whole corpus."""
        named: Mapping[str, Names] = {}
        if whole and self._recipe.names:
            pool = self._ranker.ranked(question.text, None, POOL)
            named = self._ranker.names(question.text, pool)
            ranked = self._ranker.again(question.text, pool, named)[:DEEP]
        else:
            ranked = self._ranker.ranked(question.text, None if whole else question.document, DEEP)
        ranking = [(f"{found.document}:{found.place}", self._chunk(found).shown) for found in ranked[:DEPTH]]
        return Answer(ranking, contexts(self._give(question.text, ranked, named)))

    def _chunk(self, found: Ranked) -> Chunk:
        return self._chunks[found.document][found.place]

    def _pieces(self, _query: str, ranked: list[Ranked], _named: Mapping[str, Names]) -> Iterator[Chunk]:
        return map(self._chunk, ranked)

    def _sentences(self, query: str, ranked: list[Ranked], named: Mapping[str, Names]) -> Iterator[Chunk]:
        """Yield the sentences of the best pieces; one that overlapping pieces share has the better score."""
        best = ranked[:DEPTH]
        nearness = scaled(np.array([found.score for found in best]))
        found: dict[tuple[str, str], tuple[float, Names]] = {}
        for near, piece in zip(nearness.tolist(), best, strict=True):
            chunk = self._chunk(piece)
            for sentence in _split(chunk.shown):
                found.setdefault((chunk.head, sentence), (near, named.get(piece.document, NONE)))
        held = [names for _, names in found.values()]
        own = words_of([sentence for _, sentence in found], stems=self._recipe.stems)
        words = Words(
            [mine + names.words for mine, names in zip(own, held, strict=True)], stems=self._recipe.stems
        ).scores(query)
        scores = NEARNESS * np.array([near for near, _ in found.values()])
        scores = scores + (1 - NEARNESS) * words / (words.max(initial=0) or 1)
        scores = scores + SHARE * np.array([names.share for names in held])
        keys = list(found)
        for place in np.argsort(-scores, kind="stable").tolist():
            head, sentence = keys[place]
            yield Chunk(sentence, sentence, head)

    def _windows(self, _query: str, ranked: list[Ranked], _named: Mapping[str, Names]) -> Iterator[Chunk]:
        """Yield pieces with ``WINDOW`` neighbours on each side, without duplicates."""
        given: set[tuple[str, int]] = set()
        for found in ranked:
            chunks = self._chunks[found.document]
            around = range(max(0, found.place - WINDOW), min(len(chunks), found.place + WINDOW + 1))
            new = [place for place in around if (found.document, place) not in given]
            given.update((found.document, place) for place in new)
            if new:
                text = " ".join(chunks[place].shown for place in new)
                yield Chunk(text, text, chunks[found.place].head)


class AutoMergingLine:
    """LlamaIndex's AutoMergingRetriever: as many leaves as would fill the budget are ranked, then merged."""

    name = AUTOMERGING

    def __init__(self, corpus: Corpus, model: CachedModel) -> None:
        self._trees = {document: _tree(corpus.text(document)) for document in corpus.files}
        self._leaves = {document: tree.leaves for document, tree in self._trees.items()}
        self._ranker = Ranker(self._leaves, model, "vectors")

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return the leaves of a document, which are ranked before merging."""
        return [(f"{document}:{place}", leaf) for place, leaf in enumerate(self._leaves[document])]

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the ranking of the leaves and the contexts of the nodes into which they merge."""
        ranked = self._ranker.ranked(question.text, None if whole else question.document, DEPTH)
        found = []
        for place, budget in enumerate(BUDGETS):
            scores: dict[str, dict[int, float]] = {}
            for leaf in ranked[: budget * 3 // 2 // 128]:
                scores.setdefault(leaf.document, {})[leaf.place] = leaf.score
            merged = [item for document, best in scores.items() for item in self._trees[document].retrieve(best)]
            merged.sort(key=lambda item: -item[1])
            found.append(contexts(Chunk(text, text) for text, _ in merged)[place])
        ranking = [(f"{leaf.document}:{leaf.place}", self._leaves[leaf.document][leaf.place]) for leaf in ranked]
        return Answer(ranking, found)


def scaled(scores: Floats) -> Floats:
    """Return scores scaled to 0 for the lowest and 1 for the highest; 1 if all are equal."""
    if not len(scores) or scores.max() == scores.min():
        return np.ones_like(scores)
    found: Floats = (scores - scores.min()) / (scores.max() - scores.min())
    return found


@cache
def _split(text: str) -> list[str]:
    return sentences(text)


@cache
def _tree(text: str) -> AutoMerging:
    return AutoMerging(text)
