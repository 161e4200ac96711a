"""What tuning reports: a fitted ranker of sentences and what it gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragraph.schema.results import Result

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain(Result):
    """What a ranker gains over the default within a budget, on documents that it was not fitted on.

    Attributes:
        budget: tokens of the context; None for the mean over all budgets.
        default: share of the evidence that the default puts into the context, mean over questions.
        tuned: the same for the ranker.
        low: lower end of the 95 % interval of the mean difference, whole documents drawn.
        high: upper end of it.
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
    """What a ranker was fitted on, and what it gains, cross-validated by document.

    Attributes:
        collection: the collection that it is for.
        version: of the ranker that was stored; None if it was refused.
        questions: how many were given.
        documents: of how many documents.
        unanswered: questions whose passages or pages are in no sentence that the search found.
        nowhere: numbers of the lines of the file (of a list: of its items, from 1) whose passages or pages are not in
            the document that they name, or in no document of the collection; these are unanswered too.
        folds: parts that the documents were divided into; each was measured by a ranker fitted on the others.
        gains: for each budget, and last for their mean, which decides; none where nothing was measured.
        words: words of sentences that have a weight.
        crossed: pairs of a word of the question and one of the sentence that have a weight.
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
    """A ranker that the store holds.

    Attributes:
        collection: its collection.
        version: 1, 2, ... as they were fitted.
        active: whether contexts of the collection go by it.
        weights: what each number of a sentence counts, by name.
        words: words of sentences that have a weight, those that count most first, both ways.
        fitted_on: numbers of questions and documents, settings.
        figures: its gains, as of ``TuneReport``.
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
