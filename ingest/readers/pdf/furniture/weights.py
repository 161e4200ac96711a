"""The weights of furniture."""

from __future__ import annotations

from functools import lru_cache

from ragraph.ingest.readers.pdf.trees import Trees, read_trees


@lru_cache(maxsize=1)
def furniture_trees() -> Trees:
    """Return the weights of furniture, learnt by ``bench/structure/learn/edges.py``."""
    return read_trees(__package__)
