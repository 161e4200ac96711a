"""Batches of similar cost: texts sorted by length, as many as have a limited number of tokens with padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.models.encoding import Vectors

BATCH_TOKENS = 2048
"""Maximum number of tokens in a batch, including padding to its longest text. Processors are no faster with more."""


def pack(lengths: Sequence[int], tokens: int = BATCH_TOKENS) -> list[list[int]]:
    """Return the indexes of texts in batches, the longest text first.

    A batch has at most ``tokens`` tokens, counting each text as long as the batch's longest. A longer text is a batch
    by itself.
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
        lengths: number of tokens of each text; at least one text.
        compute: returns the vectors of the texts at a list of indexes.
        tokens: maximum number of tokens in a batch.
    """
    batches = pack(lengths, tokens)
    first = compute(batches[0])
    found = np.empty((len(lengths), first.shape[1]), dtype=np.float32)
    found[batches[0]] = first
    for batch in batches[1:]:
        found[batch] = compute(batch)
    return found
