"""Measures of rankings whose items are relevant or not, as trec_eval computes them: R@k, nDCG@k, RR."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

HELD = 0.5
"""Minimum share of a judged box that the box of a hit must cover."""


def recall(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return the share of the relevant items among the first k; 0 if nothing is relevant."""
    return len(set(ranking[:k]) & set(relevant)) / len(relevant) if relevant else 0.0


def ndcg(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return the gain of the first k, discounted by the logarithm of the rank, over that of the best ranking.

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002, with gains of 0 and 1.
    """
    gain = sum(1 / math.log2(rank + 1) for rank, item in enumerate(ranking[:k], 1) if item in relevant)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), k) + 1))
    return gain / best if best else 0.0


def reciprocal_rank(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
    """Return one divided by the rank of the first relevant item; 0 if there is none."""
    return next((1 / rank for rank, item in enumerate(ranking, 1) if item in relevant), 0.0)


def is_held(judged: Mapping[str, Any], boxes: Iterable[Mapping[str, Any]]) -> bool:
    """Return True if one of the boxes is on the page of a judged one and covers at least half of it."""
    wanted = judged["bbox"]
    area = (wanted["x2"] - wanted["x1"]) * (wanted["y2"] - wanted["y1"])
    return any(
        box["page_pdf"] == judged["page_pdf"] and box.get("bbox") and _shared(wanted, box["bbox"]) >= HELD * area
        for box in boxes
    )


def _shared(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    width = min(one["x2"], other["x2"]) - max(one["x1"], other["x1"])
    height = min(one["y2"], other["y2"]) - max(one["y1"], other["y1"])
    return max(width, 0.0) * max(height, 0.0)
