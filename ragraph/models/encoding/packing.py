"""Batches of about the same work: texts sorted by length, and as many as have so many tokens, however many that are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.models.encoding import Vectors

BATCH_TOKENS = 2048
"""Tokens of a batch, what is filled up to its longest text included; processors are no faster with more."""


def pack(lengths: Sequence[int], tokens: int = BATCH_TOKENS) -> list[list[int]]:
    """Return the places of texts in batches, the longest first.

    A batch has at most ``tokens`` tokens, each of its texts counted as long as the longest; a longer text is one by
    itself.
    """
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        last = batches[-1] if batches else None
        if last is not None and lengths[last[0]] * (len(last) + 1) <= tokens:
            last.append(place)
        else:
            batches.append([place])
    return batches


def in_batches(lengths: Sequence[int], compute: Callable[[list[int]], Vectors], tokens: int = BATCH_TOKENS) -> Vectors:
    """Return the vectors of texts in their order.

    Args:
        lengths: tokens of each text; one at least.
        compute: gives the vectors of the texts at some places.
        tokens: of a batch.
    """
    batches = pack(lengths, tokens)
    first = compute(batches[0])
    found = np.empty((len(lengths), first.shape[1]), dtype=np.float32)
    found[batches[0]] = first
    for batch in batches[1:]:
        found[batch] = compute(batch)
    return found
