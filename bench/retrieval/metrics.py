"""How much of the evidence a context holds, how well a ranking puts it in front, and how sure that is.

Contexts come from different readers, so that spans cannot be compared: one text has "[12]" where the other has a
small number, one joins what a line end separates. Evidence is therefore looked for by its letters and digits: a
token of the evidence is found when it lies in a run of ``RUN`` letters and digits (or in the whole passage, if that
is shorter) that the context holds as well, in the same order and with nothing but other characters between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
from ir_measures import Qrel, R, ScoredDoc, nDCG

from ragraph.embedding import load_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RUN = 32
"""Letters and digits that must agree without a gap: five to eight words, so that a phrase of every contract does not
count as found in any of them."""

SHORTEST = 10
"""Passages with fewer letters and digits are left out where longer ones are marked: "and", "two years"."""

RELEVANT = 16
"""Tokens of the evidence that make an item of a ranking relevant; fewer where they are half of a passage."""

ROUNDS = 5000
_KEPT = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")


def letters(text: str) -> str:
    """Return the digits and ASCII letters of a text in lower case, nothing else."""
    return "".join(char for char in text.lower() if char in _KEPT)


@dataclass(frozen=True)
class _Passage:
    """A passage in letters, and the tokens of it as ranges of letters; tokens without any are left out."""

    letters: str
    tokens: tuple[tuple[int, int], ...]


class Evidence:
    """The evidence of a question."""

    def __init__(self, passages: Iterable[str]) -> None:
        found = [_passage(text) for text in passages]
        long = [passage for passage in found if len(passage.letters) >= SHORTEST]
        self._passages = long or [passage for passage in found if passage.letters]
        self.tokens = sum(len(passage.tokens) for passage in self._passages)

    def found(self, context: str) -> float:
        """Return the share of the evidence's tokens that a context holds, 0 to 1."""
        return sum(self._counts(letters(context))) / self.tokens if self.tokens else 0.0

    def relevant(self, item: str) -> bool:
        """Whether an item of a ranking holds enough of one of the passages to be worth finding."""
        counts = self._counts(letters(item))
        return any(
            count >= min(RELEVANT, (len(passage.tokens) + 1) // 2)
            for count, passage in zip(counts, self._passages, strict=True)
        )

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


def cut(text: str, budgets: Sequence[int]) -> list[str]:
    """Return a context cut off after each of the budgets, in tokens of the embedding model."""
    offsets = load_model().token_offsets(text)
    return [text if len(offsets) <= budget else text[: offsets[budget - 1][1]] for budget in budgets]


def ranking(rankings: Mapping[str, Sequence[str]], relevant: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """Return recall@5, recall@10 and nDCG@10 over questions, items by id, best first.

    Args:
        rankings: question to its items.
        relevant: question to all the items that are relevant to it; questions without any are left out.
    """
    judged = {question: set(items) for question, items in relevant.items()}
    qrels = [Qrel(question, item, 1) for question, items in judged.items() for item in items]
    run = [
        ScoredDoc(question, item, float(-place))
        for question, items in rankings.items()
        if judged.get(question)
        for place, item in enumerate(items)
    ]
    wanted = {"recall@5": R @ 5, "recall@10": R @ 10, "nDCG@10": nDCG @ 10}
    if not qrels or not run:
        return dict.fromkeys(wanted, 0.0)
    found = ir_measures.calc_aggregate(list(wanted.values()), qrels, run)
    return {name: float(found[measure]) for name, measure in wanted.items()}


def interval(differences: Sequence[float], clusters: Sequence[str] | None = None, seed: int = 7) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean of paired differences.

    Args:
        differences: one per question.
        clusters: the document of each question: whole documents are drawn then, since questions of one document
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


def _passage(text: str) -> _Passage:
    # Where each character's letters start; lower() may make several of one character, or none that is kept.
    lengths = [len(letters(char)) for char in text]
    places = np.concatenate(([0], np.cumsum(lengths))) if text else np.zeros(1, dtype=np.int64)
    kept = "".join(letters(char) for char in text)
    spans = [(int(places[start]), int(places[end])) for start, end in load_model().token_offsets(text)]
    return _Passage(kept, tuple((start, end) for start, end in spans if end > start))
