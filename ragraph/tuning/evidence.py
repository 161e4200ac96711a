"""Finds evidence of an answer in results, and computes the confidence interval of a difference.

Judges copy words from another text than ours: one has "[12]" where the other has a small number, one joins words that a
line end separates. Therefore evidence is compared by its letters and digits. A token of the evidence counts as found if
it is part of a run of ``RUN`` letters and digits (or of the complete passage, if that is shorter) that the text also
has, in the same order and with only other characters between them.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from psycopg.rows import dict_row, scalar_row

from ragraph.models.embedding import load_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ragraph.database.runner import Rows
    from ragraph.tuning.questions import Question

    Floats = NDArray[np.float64]

RUN = 32
"""Letters and digits that must agree without a gap: five to eight words, so that a common phrase of contracts does not
count as found in any of them.
"""

SHORTEST = 10
"""Minimum number of letters and digits of a passage; shorter ones ("and", "two years") are ignored if there are longer
ones.
"""

RELEVANT = 16
"""Tokens of the evidence that make an item of a ranking relevant; half of a passage is sufficient if that is fewer."""

ROUNDS = 5000
_KEPT = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")


def letters(text: str, *, all_scripts: bool = False) -> str:
    """Return only the digits and letters of a text, in lower case; letters beyond ASCII only with ``all_scripts``.

    Raised and lowered digits, ligatures and wide letters are plain ones (NFKC, character by character).
    """
    plain = text if text.isascii() else "".join(unicodedata.normalize("NFKC", char) for char in text)
    return "".join(char for char in plain.lower() if (char.isalnum() if all_scripts else char in _KEPT))


@dataclass(frozen=True)
class _Passage:
    """A passage reduced to letters and digits, and its tokens as ranges of these; tokens without any are left out."""

    letters: str
    tokens: tuple[tuple[int, int], ...]


class Evidence:
    """The evidence of a question.

    Args:
        passages: its words.
        all_scripts: True to compare letters beyond ASCII too; without, texts that write them differently still agree.
    """

    def __init__(self, passages: Iterable[str], *, all_scripts: bool = False) -> None:
        self._all_scripts = all_scripts
        found = [_passage(text, all_scripts) for text in passages]
        long = [passage for passage in found if len(passage.letters) >= SHORTEST]
        self._passages = long or [passage for passage in found if passage.letters]
        self.tokens = sum(len(passage.tokens) for passage in self._passages)
        self._runs: dict[int, set[str]] = {}
        for passage in self._passages:
            run = min(RUN, len(passage.letters))
            starts = range(len(passage.letters) - run + 1)
            self._runs.setdefault(run, set()).update(passage.letters[start : start + run] for start in starts)

    def found(self, context: str) -> float:
        """Return the share of the evidence's tokens in a context, 0 to 1."""
        return sum(self._counts(self._letters(context))) / self.tokens if self.tokens else 0.0

    def relevant(self, item: str) -> bool:
        """Return True if an item of a ranking has enough of one of the passages to be relevant."""
        counts = self._counts(self._letters(item))
        return any(
            count >= min(RELEVANT, (len(passage.tokens) + 1) // 2)
            for count, passage in zip(counts, self._passages, strict=True)
        )

    def share_of(self, sentence: str) -> float:
        """Return the share of the letters of a sentence that are evidence, 0 to 1."""
        text = self._letters(sentence)
        if SHORTEST <= len(text) < RUN and any(text in passage.letters for passage in self._passages):
            return 1.0
        held = bytearray(len(text))
        for run, known in self._runs.items():
            for start in range(len(text) - run + 1):
                if text[start : start + run] in known:
                    held[start : start + run] = b"\1" * run
        return sum(held) / len(text) if text else 0.0

    def _letters(self, text: str) -> str:
        return letters(text, all_scripts=self._all_scripts)

    def _counts(self, context: str) -> list[int]:
        counts = []
        for passage in self._passages:
            run = min(RUN, len(passage.letters))
            held = np.zeros(len(passage.letters) + 1, dtype=np.int64)
            for start in range(len(passage.letters) - run + 1):
                if passage.letters[start : start + run] in context:
                    held[start] += 1
                    held[start + run] -= 1
            covered = np.concatenate(([0], np.cumsum(np.cumsum(held)[:-1] > 0)))
            counts.append(sum(1 for start, end in passage.tokens if covered[end] - covered[start] == end - start))
        return counts


def questions_without_evidence(rows: Rows, questions: Sequence[Question], collection: str) -> tuple[int, ...]:
    """Return the places of questions with no passage or page in their document, or in the collection."""
    wanted = {question.document for question in questions}
    if not wanted:
        return ()
    left = {question.place: Evidence(question.passages, all_scripts=True) for question in questions}
    named = None if None in wanted else sorted(document for document in wanted if document)
    for document in rows("documents_of", scalar_row, {"collection": collection, "document_ids": named}):
        (held,) = rows("whole_document", dict_row, {"document_id": document})
        for question in questions:
            if question.place in left and question.document in (None, document):
                there = (
                    left[question.place].found(held["body"])
                    if question.passages
                    else set(question.pages) & set(held["pages"])
                )
                if there:
                    del left[question.place]
    return tuple(sorted(left))


def interval(differences: Sequence[float], clusters: Sequence[str] | None = None, seed: int = 7) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean of paired differences.

    Args:
        differences: one per question.
        clusters: the document of each question. Complete documents are then drawn, because questions of one document
            are not independent; None draws questions.
        seed: of the random numbers.
    """
    values = np.asarray(differences, dtype=np.float64)
    names = np.arange(len(values)) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    sums = np.bincount(names, weights=values).astype(np.float64)
    sizes = np.bincount(names).astype(np.float64)
    means = _resampled(sums, sizes, np.random.default_rng(seed))
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _resampled(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float64]:
    drawn = random.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=ROUNDS)
    means: Floats = (drawn @ sums) / (drawn @ sizes)
    return means


def _passage(text: str, all_scripts: bool) -> _Passage:
    # Where the letters of each character start; lower() may return several characters, or none that is retained.
    lengths = [len(letters(char, all_scripts=all_scripts)) for char in text]
    places = np.concatenate(([0], np.cumsum(lengths))) if text else np.zeros(1, dtype=np.int64)
    kept = "".join(letters(char, all_scripts=all_scripts) for char in text)
    spans = [(int(places[start]), int(places[end])) for start, end in load_model().token_offsets(text)]
    return _Passage(kept, tuple((start, end) for start, end in spans if end > start))
