"""The lines of the benchmark: from a question to a context, ours and those of others.

A line is prepared once per corpus, and then asked for each question and scope: one document, or all of them. What it
answers is a ranking of items and, for each budget, the text that a reader would get.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.retrieval_cache import cache_folder, token_count
from bench.retrieval_metrics import cut
from bench.retrieval_peers import AutoMerging, Chunk, best

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.retrieval_cache import CachedModel
    from bench.retrieval_data import Corpus, Question
    from ragraph import Store
    from ragraph.embedding import Vectors
    from ragraph.schema.results import Hit

    Cutter = Callable[[Corpus, str], list[Chunk]]

BUDGETS = (512, 1024, 2048)
"""Tokens of context, headings included."""

DEPTH = 60
"""Items ranked per question: more than fit into the largest budget."""

CHUNKS_VERSION = 1
"""Raised when a cutter gives other pieces, so that those on disk are made again."""


@dataclass(frozen=True)
class Answer:
    """What a line gives for a question: items best first (id and text), and a context for each of ``BUDGETS``."""

    ranking: list[tuple[str, str]]
    contexts: list[str]


class ChunkLine:
    """Pieces of documents, ranked by their vectors, given back best first until the budget is full."""

    def __init__(self, name: str, model: CachedModel, chunks: Mapping[str, list[Chunk]]) -> None:
        self.name = name
        self._model = model
        self._chunks = chunks
        flat = [chunk.embedded for found in chunks.values() for chunk in found]
        self._vectors = _by_document(model.encode_documents(flat), self._chunks)

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return all items of a document, id and text."""
        return [(f"{document}:{place}", chunk.shown) for place, chunk in enumerate(self._chunks[document])]

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the ranking and the contexts, within the question's document or over the whole corpus."""
        query = self._model.encode_query(question.text)
        ranked = []
        for document in self._chunks if whole else [question.document]:
            items, vectors = self.items(document), self._vectors[document]
            ranked += [(float(vectors[place] @ query), *items[place]) for place in best(vectors, query, DEPTH)]
        ranked.sort(key=lambda item: -item[0])
        ranking = [(item, text) for _, item, text in ranked[:DEPTH]]
        return Answer(ranking, cut(_joined(text for _, text in ranking), BUDGETS))


class AutoMergingLine:
    """LlamaIndex's AutoMergingRetriever: as many leaves as would fill the budget are ranked, then merged."""

    name = "LlamaIndex AutoMergingRetriever, 2048/512/128"

    def __init__(self, corpus: Corpus, model: CachedModel) -> None:
        self._model = model
        self._trees = {document: _tree(corpus.text(document)) for document in corpus.files}
        leaves = {document: tree.leaves for document, tree in self._trees.items()}
        self._leaves = leaves
        self._vectors = _by_document(
            model.encode_documents([leaf for found in leaves.values() for leaf in found]), leaves
        )

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return the leaves of a document: what is ranked before merging."""
        return [(f"{document}:{place}", leaf) for place, leaf in enumerate(self._leaves[document])]

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the ranking of the leaves and the contexts of what they merge into."""
        query = self._model.encode_query(question.text)
        ranked = []
        for document in self._trees if whole else [question.document]:
            vectors = self._vectors[document]
            ranked += [(float(vectors[place] @ query), document, place) for place in best(vectors, query, DEPTH)]
        ranked.sort(key=lambda item: -item[0])
        contexts = []
        for budget in BUDGETS:
            scores: dict[str, dict[int, float]] = {}
            for score, document, place in ranked[: budget * 3 // 2 // 128]:
                scores.setdefault(document, {})[place] = score
            merged = [item for document, found in scores.items() for item in self._trees[document].retrieve(found)]
            merged.sort(key=lambda item: -item[1])
            contexts.append(cut(_joined(text for text, _ in merged), [budget])[0])
        ranking = [(f"{document}:{place}", self._leaves[document][place]) for _, document, place in ranked[:DEPTH]]
        return Answer(ranking, contexts)


@dataclass(frozen=True)
class Settings:
    """How ragraph is asked: arguments of ``Store.search`` and of ``Store.expand``."""

    name: str
    search: Mapping[str, Any] = field(default_factory=dict)
    expand: Mapping[str, Any] = field(default_factory=dict)
    sections: bool = False
    """Top-down: ``Store.search_sections``, the nodes of the best section first."""


class StoreLine:
    """ragraph, through ``Store.search`` and ``Store.expand``."""

    def __init__(self, settings: Settings, store: Store, ids: Mapping[str, str], model: CachedModel) -> None:
        self.name = settings.name
        self._settings = settings
        self._store = store
        self._ids = dict(ids)
        self._items: dict[str, list[tuple[str, str]]] = {}

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return the nodes of a document, id and text."""
        if document not in self._items:
            nodes = self._store.nodes(self._ids[document])
            self._items[document] = [(node.id, node.content) for node in nodes]
        return self._items[document]

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the nodes found and the contexts made of them."""
        scope: Any = list(self._ids.values()) if whole else self._ids[question.document]
        hits = self._hits(question.text, scope)
        contexts = []
        for budget in BUDGETS:
            context = self._store.expand(hits, token_budget=budget, query=question.text, **self._settings.expand)
            contexts.append(cut(context.text, [budget])[0])
        return Answer([(hit.node_id, hit.content) for hit in hits], contexts)

    def _hits(self, query: str, scope: Any) -> list[Hit]:
        options = dict(self._settings.search)
        if self._settings.sections:
            sections = self._store.search_sections(query, **options, document=scope)
            return [hit for section in sections for hit in section.hits]
        return self._store.search(query, **{"k": DEPTH, **options}, document=scope)


@cache
def _tree(text: str) -> AutoMerging:
    return AutoMerging(text)


def _joined(texts: Any) -> str:
    """Return texts with empty lines between them, no more than are needed for the largest budget."""
    kept, tokens = [], 0
    for text in texts:
        kept.append(text)
        tokens += token_count(text)
        if tokens >= BUDGETS[-1]:
            break
    return "\n\n".join(kept)


def _by_document(vectors: Vectors, items: Mapping[str, Sequence[Any]]) -> dict[str, Vectors]:
    places = np.cumsum([0, *map(len, items.values())])
    return {name: vectors[start:end] for name, start, end in zip(items, places, places[1:], strict=False)}


def kept_chunks(line: str, corpus: Corpus, document: str, cutter: Cutter) -> list[Chunk]:
    """Return the pieces that others cut of a document from the disk, else make them and put them there."""
    # docling reads the file itself where it is XML
    source = corpus.files[document].read_bytes() if corpus.files[document].suffix == ".nxml" else b""
    key = hashlib.sha256(f"{line} {CHUNKS_VERSION} {corpus.text(document)}".encode() + source).hexdigest()
    path = cache_folder() / "chunks" / f"{key}.json"
    if path.is_file():
        return [Chunk(*pair) for pair in json.loads(path.read_text(encoding="utf-8"))]
    chunks = cutter(corpus, document)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([[chunk.embedded, chunk.shown] for chunk in chunks]), encoding="utf-8")
    return chunks
