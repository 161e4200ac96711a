"""The weights of headings."""

from __future__ import annotations

from functools import lru_cache

from ragraph.ingest.readers.pdf.trees import Trees, read_trees


@lru_cache(maxsize=1)
def heading_trees() -> Trees:
    """Return the weights of headings, learnt by ``bench/structure/learn``."""
    return read_trees(__package__)
