"""Share of the evidence in a context, quality of a ranking, and their uncertainty.

Contexts come from different readers, so spans cannot be compared; ``ragraph.tuning.evidence`` compares letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import ir_measures
import numpy as np
from ir_measures import Qrel, R, ScoredDoc, nDCG

from ragraph.models.embedding import load_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def cut(text: str, budgets: Sequence[int]) -> list[str]:
    """Return a context cut off after each of the budgets, in tokens of the embedding model."""
    offsets = load_model().token_offsets(text)
    return [text if len(offsets) <= budget else text[: offsets[budget - 1][1]] for budget in budgets]


def ranking(rankings: Mapping[str, Sequence[str]], relevant: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """Return recall@5, recall@10 and nDCG@10 over questions, items by id, best first.

    Args:
        rankings: items of each question.
        relevant: all relevant items of each question; questions without any are left out.
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
