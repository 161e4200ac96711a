"""BM25 as others would use it: bm25s, its English stop words left out, with Snowball's English stems or without."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import bm25s
import numpy as np
import Stemmer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

K1, B = 0.9, 0.75
"""Of those tried on the documents that settings are chosen on the best for others; bm25s's own are 1.5 and 0.75."""


class Words:
    """BM25 over texts; how rare a word is, and how long a text is on average, is counted among them.

    Args:
        texts: in the order of the scores.
        stems: whether words that share a stem are one.
    """

    def __init__(self, texts: Sequence[str], *, stems: bool = True) -> None:
        self._texts = len(texts)
        self._stemmer = _stemmer() if stems else None
        tokens = self._tokens(list(texts))
        self._index = bm25s.BM25(k1=K1, b=B) if any(tokens) else None
        if self._index:
            self._index.index(tokens, show_progress=False)

    def scores(self, query: str) -> Scores:
        """Return the score of each text, float32 of shape (texts,); 0 where it holds no word of the query."""
        (asked,) = self._tokens([query])
        if self._index is None or not asked:
            return np.zeros(self._texts, dtype=np.float32)
        scores: Scores = self._index.get_scores(asked)
        return scores

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        tokens: list[list[str]] = bm25s.tokenize(
            texts, stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        return tokens


@cache
def _stemmer() -> Any:
    return Stemmer.Stemmer("english")
