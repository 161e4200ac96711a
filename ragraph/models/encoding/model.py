"""The base class of embedding models, local or behind an endpoint."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragraph.errors import ModelError
from ragraph.models.encoding.batching import Together
from ragraph.models.encoding.counting import TokenCounter
from ragraph.models.encoding.loaded import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragraph.models.encoding import Vectors
    from ragraph.schema.enums import Distance

ENDPOINT = "openai:"
"""Beginning of the names of models behind an endpoint."""

_PIECE = 100_000
"""Number of characters passed to the tokenizer at once when tokens are counted or located."""


class EmbeddingModel:
    """An embedding model and its properties.

    Created by ``load_model``. Threads may share it; encoding is serialised.

    Attributes:
        name: name in the store.
        location: folder, hub name or address that it is loaded from; None for the packaged default.
        dimensions: length of its vectors.
        truncated_from: length of the model's full vectors, if its vectors here are cut to their beginning; else None.
        distance: distance that it was trained for.
        max_tokens: maximum number of tokens that it reads, with special tokens; the rest of a text is ignored.
        query_prefix: prefix of queries.
        document_prefix: prefix of texts of the store.
        normalized: True if its vectors have length 1.
        languages: languages that it was trained on (primary subtags of BCP 47); None if that is not known or all.
    """

    name: str
    location: str | None
    dimensions: int
    truncated_from: int | None = None
    distance: Distance
    max_tokens: int
    query_prefix: str
    document_prefix: str
    normalized: bool
    languages: tuple[str, ...] | None = None

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, dimensions={self.dimensions}, max_tokens={self.max_tokens})"

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts of the store; each is encoded with ``document_prefix``.

        Args:
            texts: any number of texts; each is read up to ``max_tokens``.

        Returns:
            float32 of shape (len(texts), dimensions), in the order of ``texts``. A text in which the model finds no
            token gives a zero vector, which has no direction and cannot be searched.

        Raises:
            ModelError: the model fails, or a vector is not finite or has another length.
        """
        return self._encode(texts, self.document_prefix, query=False)

    def encode_query(self, text: str) -> Vectors:
        """Return the vector of a query, encoded with ``query_prefix``.

        Queries of several threads that come together are encoded together.

        Returns:
            float32 of shape (dimensions,).

        Raises:
            ModelError: as for ``encode_documents``, or the vector is zero.
        """
        vector = self._queries.encode(text)
        if not vector.any():
            raise ModelError(
                f"model {self.name!r} has no vector for the query {text[:40]!r}",
                hint="use other words, or search for these as text, by",
                argument="mode",
            )
        return vector

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each token of a text in characters, in order, without special tokens."""
        offsets: list[tuple[int, int]] = []
        for start, piece in _pieces(text):
            found = self._tokenizer.encode(piece, add_special_tokens=False).offsets
            offsets += ((first + start, last + start) for first, last in found) if start else found
        return offsets

    def count_tokens(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens and prefix.

        Memory is bounded whatever the texts: the tokenizer gets a limited number of characters at a time, and keeps
        some hundred bytes for each token until they are counted.
        """
        counts: list[int] = []
        waiting: list[tuple[int, str]] = []  # index of the text in counts, and a piece of it
        size = 0
        for text in texts:
            counts.append(0)
            for _, piece in _pieces(text):
                if size + len(piece) > _PIECE:
                    self._count(waiting, counts)
                    waiting, size = [], 0
                waiting.append((len(counts) - 1, piece))
                size += len(piece)
        self._count(waiting, counts)
        return counts

    @cached_property
    def _queries(self) -> Together:
        return Together(lambda texts: self._encode(texts, self.query_prefix, query=True))

    def _count(self, waiting: Sequence[tuple[int, str]], counts: list[int]) -> None:
        found = self._token_counter.count([piece for _, piece in waiting])
        for (place, _), tokens in zip(waiting, found, strict=True):
            counts[place] += tokens

    @cached_property
    def _token_counter(self) -> TokenCounter:
        return TokenCounter(self._tokenizer)

    @cached_property
    def special_tokens(self) -> int:
        """Number of special tokens that the model adds to every text."""
        return int(self._tokenizer.num_special_tokens_to_add(False))

    @property
    def backend(self) -> str:
        """Name of the encoder (``ragraph.models.encoding``) that computed the last texts; empty if unknown."""
        return ""

    @property
    def _tokenizer(self) -> Any:
        """A tokenizer without truncation and padding."""
        raise NotImplementedError

    def _compute(self, texts: list[str], *, query: bool) -> Vectors:
        """Return float32 of shape (len(texts), dimensions); ``texts`` include their prefix and are not empty."""
        raise NotImplementedError

    def _encode(self, texts: Sequence[str], prefix: str, *, query: bool) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        with self._lock:
            try:
                vectors = self._compute([prefix + text for text in texts], query=query)
            except (RuntimeError, ValueError, IndexError) as error:
                raise ModelError(f"model {self.name!r} failed on a batch of {len(texts)}: {short(error)}") from error
        if vectors.shape != (len(texts), self.dimensions):
            raise ModelError(
                f"model {self.name!r} returned vectors of shape {vectors.shape}, "
                f"not {(len(texts), self.dimensions)}; check its modules.json"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            sound = np.isfinite(np.linalg.norm(vectors, axis=1))
        if not sound.all():
            first = int(np.flatnonzero(~sound)[0])
            raise ModelError(
                f"model {self.name!r} returned a vector that is not finite for the text {texts[first][:40]!r}; "
                "use another model"
            )
        return vectors


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield pieces of a text with their start, cut before white space, across which no tokenizer joins tokens."""
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        # words are short; if there is no white space for so long, a token at the cut may be counted as two
        end = next((place for place in range(end, end - 1000, -1) if text[place].isspace()), end)
        yield start, text[start:end]
        start = end
    if text:
        yield start, text[start:]
