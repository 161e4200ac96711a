"""What every embedding model does, wherever its vectors come from."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from ragraph.errors import ModelError
from ragraph.models.encoding.counting import TokenCounter
from ragraph.models.encoding.loaded import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragraph.models.encoding import Vectors
    from ragraph.schema.enums import Distance

ENDPOINT = "openai:"
"""What the names of models behind an endpoint begin with."""

_PIECE = 100_000
"""Characters that the tokenizer is given at once where tokens are counted or placed."""


class EmbeddingModel:
    """A model, and what the store has to know of it.

    Made by ``load_model``. Safe to share between threads; encoding is serialised.

    Attributes:
        name: name in the store.
        location: folder, hub name or address that it is loaded from; None for the packaged default.
        dimensions: length of its vectors.
        truncated_from: length of what the model gives, where its vectors here are but the beginning of that.
        distance: distance it was trained for.
        max_tokens: tokens it reads at most, special tokens included; what is beyond is not read.
        query_prefix: put before a query.
        document_prefix: put before a text of the store.
        normalized: whether its vectors have length 1.
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

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, dimensions={self.dimensions}, max_tokens={self.max_tokens})"

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts of the store; ``document_prefix`` is put before each.

        Args:
            texts: any number of texts; those longer than ``max_tokens`` are read up to there.

        Returns:
            float32 of shape (len(texts), dimensions), in the order of ``texts``. A text that the model makes nothing
            of is a zero, which has no direction and cannot be searched.

        Raises:
            ModelError: the model fails, or gives a vector that is not finite or of another length.
        """
        return self._encode(texts, self.document_prefix, query=False)

    def encode_query(self, text: str) -> Vectors:
        """Return the vector of a query; ``query_prefix`` is put before it.

        Returns:
            float32 of shape (dimensions,).

        Raises:
            ModelError: as of ``encode_documents``, or the model makes nothing of the query.
        """
        vector = cast("Vectors", self._encode([text], self.query_prefix, query=True)[0])
        if not vector.any():
            raise ModelError(
                f"model {self.name!r} makes nothing of the query {text[:40]!r}",
                hint="use other words, or look for these as text, by",
                argument="mode",
            )
        return vector

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each token of a text in characters, in order, special tokens left out."""
        offsets: list[tuple[int, int]] = []
        for start, piece in _pieces(text):
            found = self._tokenizer.encode(piece, add_special_tokens=False).offsets
            offsets += ((first + start, last + start) for first, last in found) if start else found
        return offsets

    def count_tokens(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each text, special tokens and prefix left out.

        Memory is bounded whatever the texts: the tokenizer is given so many characters at a time, and keeps some
        hundred bytes for each token until they are counted.
        """
        counts: list[int] = []
        waiting: list[tuple[int, str]] = []  # place of the text in counts, and a piece of it
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

    def _count(self, waiting: Sequence[tuple[int, str]], counts: list[int]) -> None:
        found = self._token_counter.count([piece for _, piece in waiting])
        for (place, _), tokens in zip(waiting, found, strict=True):
            counts[place] += tokens

    @cached_property
    def _token_counter(self) -> TokenCounter:
        return TokenCounter(self._tokenizer)

    @cached_property
    def special_tokens(self) -> int:
        """Number of tokens that the model adds to every text."""
        return int(self._tokenizer.num_special_tokens_to_add(False))

    @property
    def backend(self) -> str:
        """What computed the last texts of the store, as ``ragraph.models.encoding`` names it; empty if unknown."""
        return ""

    @property
    def _tokenizer(self) -> Any:
        """A tokenizer that neither truncates nor pads."""
        raise NotImplementedError

    def _compute(self, texts: list[str], *, query: bool) -> Vectors:
        """Return float32 of shape (len(texts), dimensions); ``texts`` have their prefix and are never none."""
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
                f"model {self.name!r} gave vectors of shape {vectors.shape}, "
                f"not {(len(texts), self.dimensions)}; check its modules.json"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            sound = np.isfinite(np.linalg.norm(vectors, axis=1))
        if not sound.all():
            first = int(np.flatnonzero(~sound)[0])
            raise ModelError(
                f"model {self.name!r} gave a vector that is not finite for the text {texts[first][:40]!r}; "
                "use another model"
            )
        return vectors


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield pieces of a text and where they start: cut before white space, where no tokenizer joins what it parts."""
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        # words are short; where none ends for so long, a token at the cut may be two
        end = next((place for place in range(end, end - 1000, -1) if text[place].isspace()), end)
        yield start, text[start:end]
        start = end
    if text:
        yield start, text[start:]
