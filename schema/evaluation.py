"""What an evaluation reports."""

from __future__ import annotations

from dataclasses import dataclass

from ragraph.schema.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalLine(Result):
    """How one way to search answers the questions; means over them, 0 to 1.

    Attributes:
        mode: how it was searched.
        scope: where: ``document``, ``collection`` or ``store``.
        recall: share of what is relevant among the first k.
        ndcg: nDCG of the first k.
        mrr: one by the rank of the first that is relevant.
        page_hit: share of the questions of which a hit lies on a page that answers; None where no page is known.
        box_hit: share of the questions of which a hit covers half of a box that answers; None where no box is known.
        evidence: budget in tokens to the share of the evidence in a context of that size.
        p50_ms: median time of a search, in milliseconds.
        p95_ms: 19 of 20 searches took no longer.
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
    """How well a store answers judged questions.

    Attributes:
        questions: how many there are.
        digest: SHA-256 of them; figures of other questions cannot be compared.
        model: embedding model of the searches.
        k: how many hits were looked at.
        nowhere: numbers of the lines of the file (of a list: of its items, from 1) whose passages or pages are not in
            the store; they count as not found.
        lines: one for each mode and scope.
    """

    questions: int
    digest: str
    model: str
    k: int
    nowhere: tuple[int, ...]
    lines: tuple[EvalLine, ...]
