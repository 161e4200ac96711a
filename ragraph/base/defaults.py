"""What callers choose among, and what they get unasked.

The command line reads this to print its help, so it imports nothing that takes time.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class Mode(StrEnum):
    """Ways to search."""

    VECTOR = "vector"
    """By meaning: the nearest vectors."""
    TEXT = "text"
    """By words: full text search, ranked by BM25."""
    HYBRID = "hybrid"
    """Both, fused by rank."""
    GRAPH = "graph"
    """Both, and what the graph ties to the best of them."""


ModeName = Literal["vector", "text", "hybrid", "graph"]
DEFAULT_MODE: ModeName = "hybrid"
"""What ranked lists of nodes best (docs/retrieval.md)."""

Strategy = Literal["auto", "none", "focus", "section", "merge", "sentences", "neighbours", "graph", "pagerank"]
"""Ways to expand hits; ``ragraph.retrieval.context.STRATEGIES`` says what each brings along."""

Format = Literal["markdown", "html", "text"]
"""Forms that ``Store.render`` gives a document in."""

Notes = Literal["after", "section", "none"]
"""Where ``Store.render`` puts footnotes: after what refers to them, at the end of the section, or nowhere."""

Direction = Literal["out", "in", "both"]
"""Along relations, against them, or both."""

CURRENT_MODEL = "current"
"""Names the embedding model that the store was switched to; before it ever was, the packaged one."""

FOUND = 0.99
"""Share of the ten nearest that searches of the whole store should find."""

CONTEXT_MODE: ModeName = DEFAULT_MODE
"""How ``Store.context`` searches unless told."""

CONTEXT_HITS = 200
"""How many nodes ``Store.context`` takes sentences of."""

BUDGETS = (512, 1024, 2048)
"""Budgets, in tokens, in which shares of evidence are compared."""

CONTEXT_TOKENS = 2000
"""How many tokens ``Store.context`` gives unless told."""

QUOTE_WORDS = 3
"""Words in a row that a quote of a claim must have, unless its node has fewer."""

MAX_STEPS = 16
"""How often a language model may look that navigates to its answer."""

RERANK_DEPTH = 5
"""How many hits a reranker is given for each that is asked for."""
