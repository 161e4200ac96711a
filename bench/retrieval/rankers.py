"""How others rank pieces of text: by vectors, by words, or by both."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from bench.retrieval.names import NONE, SHARE, names
from bench.retrieval.words import Words, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from bench.retrieval.cache import CachedModel
    from bench.retrieval.names import Names
    from ragraph.models.embedding import Vectors

    Floats = NDArray[np.floating[Any]]

By = Literal["vectors", "words", "both"]

FUSED = 60
"""How many pieces each of both lists has when they are fused."""

RANK_CONSTANT = 60
"""Of reciprocal rank fusion: Cormack et al., SIGIR 2009."""


class Ranked(NamedTuple):
    """A piece of a document and its score."""

    score: float
    document: str
    place: int


class Ranker:
    """The pieces of documents, ranked for a question within a document or over all of them.

    Args:
        texts: document to its pieces, as the model and BM25 read them.
        model: makes the vectors; None where ``by`` is ``words``.
        by: ``both`` fuses the ranks (reciprocal rank fusion).
        stems: as of ``Words``.
    """

    def __init__(
        self, texts: Mapping[str, Sequence[str]], model: CachedModel | None, by: By, *, stems: bool = True
    ) -> None:
        self._texts = texts
        self._by = by
        self._stems = stems
        self._model = model
        self._ids = [(document, place) for document, found in texts.items() for place in range(len(found))]
        ends = np.cumsum([0, *map(len, texts.values())]).tolist()
        self._ranges = dict(zip(texts, pairwise(ends), strict=True))
        self._words: dict[str | None, Words] = {}
        flat = [text for found in texts.values() for text in found]
        self._vectors: Vectors | None = model.encode_documents(flat) if model and by != "words" else None

    def ranked(self, query: str, document: str | None, depth: int) -> list[Ranked]:
        """Return the best pieces of a document (None = of all), best first, ties in the order of the text."""
        start, end = self._ranges[document] if document else (0, len(self._ids))
        found = []
        if self._vectors is not None and self._model is not None:
            found.append(self._vectors[start:end] @ self._model.encode_query(query))
        if self._by != "vectors":
            found.append(self._among(document).scores(query))
        scores = fused(*found) if self._by == "both" else found[0]
        order = np.argsort(-scores, kind="stable")[:depth].tolist()
        return [Ranked(float(scores[place]), *self._ids[start + place]) for place in order]

    def names(self, query: str, ranked: Sequence[Ranked]) -> Mapping[str, Names]:
        """Return the names in a question that documents hold, from the pieces found over all documents."""
        (asked,) = words_of([query], stems=self._stems)
        return names(asked, ((found.document, self._piece_words[self._place(found)]) for found in ranked))

    def again(self, query: str, ranked: Sequence[Ranked], named: Mapping[str, Names]) -> list[Ranked]:
        """Return pieces ranked among themselves, with the names of their documents as words of each piece."""
        places = [self._place(found) for found in ranked]
        held = [named.get(found.document, NONE) for found in ranked]
        words = Words(
            [self._piece_words[place] + of.words for place, of in zip(places, held, strict=True)], stems=self._stems
        ).scores(query)
        if self._vectors is not None and self._model is not None:
            words = fused(self._vectors[places] @ self._model.encode_query(query), words)
        scores = words / (words.max(initial=0) or 1) + SHARE * np.array([of.share for of in held])
        order = np.argsort(-scores, kind="stable").tolist()
        return [Ranked(float(scores[place]), *ranked[place][1:]) for place in order]

    def _place(self, found: Ranked) -> int:
        start: int = self._ranges[found.document][0]
        return start + found.place

    @cached_property
    def _piece_words(self) -> list[list[str]]:
        return words_of([text for found in self._texts.values() for text in found], stems=self._stems)

    def _among(self, document: str | None) -> Words:
        """Return BM25 over a document, or over all of them; made at the first use."""
        if document not in self._words:
            texts = self._texts[document] if document else [text for found in self._texts.values() for text in found]
            self._words[document] = Words(texts, stems=self._stems)
        return self._words[document]


def fused(*scores: Floats) -> Floats:
    """Return scores fused by rank; items beyond the best ``FUSED`` of a list get nothing from it."""
    total = np.zeros(len(scores[0]))
    for found in scores:
        order = np.argsort(-found, kind="stable")[:FUSED]
        ranks = np.arange(1, len(order) + 1)
        total[order] += np.where(found[order] > 0, 1 / (RANK_CONSTANT + ranks), 0)
    return total
