"""A linear ranker of sentences, and the sentences it is fitted on; the database computes ``Ranker.scores`` too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


class Lexicon:
    """Numbers for lexemes, so that the sentences of hundreds of questions fit into memory."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return the number of each word; a new word gets the next number."""
        return [self._numbers.setdefault(word, len(self._numbers)) for word in words]

    @property
    def words(self) -> list[str]:
        """The words in the order of their numbers."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences that the search found for a question.

    Attributes:
        places: document, node, start and end in its text, of each sentence.
        features: one row per sentence, columns as in ``ragraph_private.sentence_feature_names``.
        starts: where the lexemes of each sentence begin in ``lexemes``, and where the last ones end.
        lexemes: numbers of a ``Lexicon``.
        asked: lexemes of the question, once for each text search configuration among the sentences.
        asked_of: index in ``asked`` for each sentence.
        answers: share of the letters of each sentence that are evidence, 0 to 1; 1 if it has enough of a passage.
    """

    places: list[tuple[str, str, int, int]]
    features: Floats
    starts: Whole
    lexemes: Whole
    asked: list[list[int]]
    asked_of: Whole
    answers: Floats

    def __len__(self) -> int:
        return len(self.places)

    def entries(self, known: Whole) -> tuple[Whole, Whole]:
        """Return rows and columns of the known lexemes.

        Args:
            known: column of each lexeme of the lexicon, -1 for unknown ones.
        """
        rows = np.repeat(np.arange(len(self)), np.diff(self.starts))
        # words added to the lexicon after the ranker was fitted are not in known
        columns = np.full(len(self.lexemes), -1)
        inside = self.lexemes < len(known)
        columns[inside] = known[self.lexemes[inside]]
        kept = columns >= 0
        return rows[kept], columns[kept]


@dataclass(frozen=True, slots=True)
class Ranker:
    """A fitted ranker; its numbers of words are those of the ``Lexicon`` it was fitted with.

    The score of a sentence is ``intercept + features @ weights`` plus a term for its words. Words are weighted by idf
    and scaled to length one. Each contributes its weight, and its weights for the question words that are paired,
    divided by the square root of their number.

    Attributes:
        weights: of the features, unscaled.
        known: column of each lexeme, -1 for those without a weight.
        idf: of each column.
        word_weights: of each column.
        crossed: lexemes of questions, with a weight for each column.
    """

    intercept: float
    weights: Floats
    known: Whole
    idf: Floats
    word_weights: Floats
    crossed: dict[int, Floats]

    def scores(self, sentences: Sentences) -> Floats:
        """Return the score of each sentence: the fitted log odds that it answers."""
        scores: Floats = self.intercept + sentences.features @ self.weights
        rows, columns = sentences.entries(self.known)
        values = normalised(rows, self.idf[columns], len(sentences))
        counts = np.zeros((len(sentences.asked), len(self.idf)))
        for place, asked in enumerate(sentences.asked):
            crossed = [self.crossed[word] for word in asked if word in self.crossed]
            counts[place] = self.word_weights + (sum(crossed) / np.sqrt(len(crossed)) if crossed else 0.0)
        np.add.at(scores, rows, values * counts[sentences.asked_of[rows], columns])
        return scores


def normalised(rows: Whole, idf: Floats, sentences: int) -> Floats:
    """Return the idf of words, scaled so that the words of each sentence together have length one."""
    norms = np.sqrt(np.bincount(rows, weights=idf**2, minlength=sentences))
    values: Floats = idf / norms[rows]
    return values
