"""Results of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalLine(Result):
    """Quality of one search mode and scope: means over the questions, 0 to 1.

    Attributes:
        mode: search mode.
        scope: ``document``, ``collection`` or ``store``.
        recall: share of the relevant nodes among the first k.
        ndcg: nDCG of the first k.
        mrr: mean reciprocal rank of the first relevant hit.
        page_hit: share of the questions with a hit on a page that answers; None if no page is known.
        box_hit: share of the questions with a hit that covers half of a box that answers; None if no box is known.
        evidence: share of the evidence in a context, by token budget.
        p50_ms: median time of a search, in milliseconds.
        p95_ms: 95th percentile of the time of a search, in milliseconds.
    """

    mode: str
    scope: str
    recall: float
    ndcg: float
    mrr: float
    page_hit: float | None
    box_hit: float | None
    evidence: dict[int, float]
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport(Result):
    """Quality of a store's answers to judged questions.

    Attributes:
        questions: number of questions.
        digest: SHA-256 of the questions; figures of different questions cannot be compared.
        model: embedding model of the searches.
        k: number of hits per search.
        nowhere: line numbers in the file (or positions in the list, from 1) of questions whose passages or pages are
            not in the store; they count as not found.
        lines: one line for each mode and scope.
    """

    questions: int
    digest: str
    model: str
    k: int
    nowhere: tuple[int, ...]
    lines: tuple[EvalLine, ...]
