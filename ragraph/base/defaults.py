"""The values that callers choose from, and the defaults.

The command line imports this module to print its help, so it imports nothing slow.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class Mode(StrEnum):
    """Search modes."""

    VECTOR = "vector"
    """By meaning: the nearest vectors."""
    TEXT = "text"
    """By words: full text search, ranked by BM25."""
    HYBRID = "hybrid"
    """Both, fused by rank."""
    GRAPH = "graph"
    """Both, and nodes that relations connect to the best hits."""


ModeName = Literal["vector", "text", "hybrid", "graph"]
DEFAULT_MODE: ModeName = "hybrid"
"""The mode that ranked lists of nodes best (bench/results/retrieval.md)."""

Strategy = Literal["auto", "none", "focus", "section", "merge", "sentences", "neighbours", "graph", "pagerank"]
"""Ways to expand hits. ``ragraph.retrieval.context.STRATEGIES`` describes each."""

Format = Literal["markdown", "html", "text"]
"""Output formats of ``Store.render``."""

Notes = Literal["after", "section", "none"]
"""Where ``Store.render`` puts footnotes: after the node that refers to them, at the end of the section, or nowhere."""

Direction = Literal["out", "in", "both"]
"""Follow relations from source to target, from target to source, or both."""

Attachments = Literal["documents", "sections", "none"]
"""What becomes of attachments, see ``ragraph.ingest.readers.ReadOptions``."""

CURRENT_MODEL = "current"
"""Name of the embedding model that the store was switched to; the packaged model if it was never switched."""

LIKELY = 0.8
"""Probability of a fault in a page or a table from which interfaces name it among those to look at."""

FOUND = 0.99
"""Minimum recall of a vector search over the whole store: the share of the ten nearest vectors that it finds."""

CONTEXT_MODE: ModeName = DEFAULT_MODE
"""Default search mode of ``Store.context``."""

CONTEXT_HITS = 200
"""Number of nodes from which ``Store.context`` takes sentences."""

BUDGETS = (512, 1024, 2048)
"""Token budgets at which shares of evidence are compared."""

CONTEXT_TOKENS = 2000
"""Default token budget of ``Store.context``."""

ANSWER_RELEVANCE = 0.03
"""Relevance of the best hit below which a language model is not asked. The shares of questions that are below it, with
an answer and without one, are in bench/results/relevance.md."""

QUOTE_WORDS = 3
"""Minimum number of consecutive words in a quote that supports a claim, unless its node has fewer."""

MAX_STEPS = 16
"""Maximum number of tool calls of a language model that navigates to its answer."""

RERANK_DEPTH = 5
"""Number of hits that a reranker scores for each hit that is requested."""
