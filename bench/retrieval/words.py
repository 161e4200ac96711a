"""BM25 as others would use it: bm25s, without English stop words, with or without Snowball's English stems."""

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
"""The best for others of those tried on the documents that settings are chosen on; bm25s's own are 1.5 and 0.75."""


class Words:
    """BM25 over texts; the frequency of words and the mean length are counted among them.

    Args:
        texts: texts, or the words of each (``words_of``), in the order of the scores.
        stems: whether words with the same stem are one.
    """

    def __init__(self, texts: Sequence[str] | Sequence[list[str]], *, stems: bool = True) -> None:
        self._texts = len(texts)
        self._stems = stems
        words = [text for text in texts if not isinstance(text, str)]
        words = words or words_of([text for text in texts if isinstance(text, str)], stems=stems)
        self._index = bm25s.BM25(k1=K1, b=B) if any(words) else None
        if self._index:
            self._index.index(words, show_progress=False)

    def scores(self, query: str) -> Scores:
        """Return the score of each text, float32 of shape (texts,); 0 if it has no word of the query."""
        (asked,) = words_of([query], stems=self._stems)
        if self._index is None or not asked:
            return np.zeros(self._texts, dtype=np.float32)
        scores: Scores = self._index.get_scores(asked)
        return scores


def words_of(texts: Sequence[str], *, stems: bool = True) -> list[list[str]]:
    """Return the words of each text, without English stop words."""
    words: list[list[str]] = bm25s.tokenize(
        list(texts),
        stopwords="en",
        stemmer=_stemmer() if stems else None,
        return_ids=False,
        show_progress=False,
    )
    return words


@cache
def _stemmer() -> Any:
    return Stemmer.Stemmer("english")
