"""Results of tuning: a fitted ranker of sentences and its gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragraph.schema.results import Result

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain(Result):
    """Gain of a ranker over the default at a token budget, on documents that it was not fitted on.

    Attributes:
        budget: tokens of the context; None for the mean over all budgets.
        default: share of the evidence in the context of the default, mean over questions.
        tuned: share of the evidence in the context of the ranker.
        low: lower end of the 95 % interval of the mean difference, bootstrapped over documents.
        high: upper end of that interval.
    """

    budget: int | None
    default: float
    tuned: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """The mean difference."""
        return self.tuned - self.default


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneReport(Result):
    """The data that a ranker was fitted on, and its gain, cross-validated by document.

    Attributes:
        collection: collection of the ranker.
        version: version of the stored ranker; None if it was refused.
        questions: number of questions.
        documents: number of their documents.
        unanswered: number of questions whose passages or pages are in no sentence that the search found.
        nowhere: line numbers in the file (or positions in the list, from 1) of questions whose passages or pages are
            not in the named document, or in no document of the collection; these are unanswered too.
        folds: number of folds of documents; each was measured by a ranker fitted on the others.
        gains: gain for each budget, and last for their mean, which decides; empty if nothing was measured.
        words: number of words of sentences with a weight.
        crossed: number of pairs of a question's and a sentence's word with a weight.
        warnings: what makes the figures uncertain, one line each.
    """

    collection: str
    version: int | None
    questions: int
    documents: int
    unanswered: int
    nowhere: tuple[int, ...]
    folds: int
    gains: tuple[Gain, ...]
    words: int
    crossed: int
    warnings: tuple[str, ...] = ()

    @property
    def decisive(self) -> Gain:
        """The gain over all budgets."""
        return self.gains[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceRanker(Result):
    """A ranker of the store.

    Attributes:
        collection: its collection.
        version: 1, 2, ... in the order of fitting.
        active: True if contexts of the collection use it.
        weights: weight of each feature of a sentence, by name.
        words: words of sentences with a weight, largest absolute weights first.
        fitted_on: numbers of questions and documents, and settings.
        figures: its gains, as in ``TuneReport``.
        created_at: when it was fitted.
    """

    collection: str
    version: int
    active: bool
    weights: dict[str, float]
    words: dict[str, float]
    fitted_on: dict[str, Any]
    figures: list[dict[str, Any]]
    created_at: datetime
