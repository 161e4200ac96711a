"""Synthetic documents and vectors: sections of a length, paragraphs of words, vectors around topics."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragraph.ingest.draft import Draft, DraftNode, DraftPage, DraftRelation, Position
from ragraph.models.embedding import EmbeddingModel
from ragraph.schema.enums import ContentNodeType, Distance, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WORDS = [
    a + b
    for a in ("al", "ber", "cor", "den", "el", "fir", "gra")
    for b in ("ma", "tion", "ver", "ness", "ity", "um", "os")
]


def make_draft(seed: int, nodes: int, section: int = 50, per_page: int = 10) -> Draft:
    """Return a draft of about ``nodes`` nodes: a heading before each ``section`` paragraphs, a note in each section."""
    words = random.Random(seed)
    made: list[DraftNode] = []
    relations: list[DraftRelation] = []
    while len(made) < nodes:
        number = len(made)
        page = number // per_page + 1
        kind, level = ContentNodeType.PARAGRAPH, None
        text = f"{number} " + " ".join(words.choices(WORDS, k=30))
        if number % section == 0:
            kind, level = ContentNodeType.HEADING, 1 if number % (section * 10) == 0 else 2
            text = f"Section {seed}.{number}"
        made.append(DraftNode(key=str(number), type=kind, text=text, level=level, positions=[Position(page_pdf=page)]))
        if number % section == section - 1:
            relations.append(
                DraftRelation(
                    source=str(number),
                    type=RelationType.CROSS_REFERENCES,
                    target=str(number - section + 1),
                    marker="above",
                )
            )
    pages = [DraftPage(page_pdf=page, width=612, height=792) for page in range(1, (nodes - 1) // per_page + 2)]
    return Draft(reader="synthetic/1", pages=pages, nodes=made, relations=relations)


def make_vectors(seed: int, count: int, dimensions: int, topics: int = 300) -> NDArray[np.float32]:
    """Return unit vectors, ``count`` by ``dimensions``, scattered around topics that all seeds share."""
    centres = np.random.default_rng(0).standard_normal((topics, dimensions))
    rng = np.random.default_rng(seed + 1)
    vectors = centres[rng.integers(topics, size=count)] + rng.standard_normal((count, dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


class SyntheticModel(EmbeddingModel):
    """Replacement for an embedding model when only the store is measured: vectors at once, one for each text."""

    name = "synthetic"
    location = None
    distance = Distance.COSINE
    max_tokens = 512
    query_prefix = ""
    document_prefix = ""
    normalized = True
    special_tokens = 2

    def __init__(self, dimensions: int = 384) -> None:
        super().__init__()
        self.dimensions = dimensions
        self._made = 0

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the next vectors of the stream."""
        self._made += 1
        return make_vectors(self._made, len(texts), self.dimensions)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text, shape (dimensions,)."""
        vector: NDArray[np.float32] = self.encode_documents([text])[0]
        return vector

    def count_tokens(self, texts: Iterable[str]) -> list[int]:
        """Return numbers of words."""
        return [len(text.split()) for text in texts]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the span of each word."""
        spans, start = [], 0
        for word in text.split():
            start = text.index(word, start)
            spans.append((start, start + len(word)))
            start += len(word)
        return spans
