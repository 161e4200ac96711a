"""The settings of ragraph that the benchmark compares, and the names of lines that tables highlight."""

from __future__ import annotations

from bench.retrieval.ours import Settings
from ragraph.search import Weights

BARE = "ragraph: nodes, embedded without headings"
"""Measured on parts that the benchmark embeds itself, because the store always embeds the path."""

_TEXT = {"mode": "text", "match": "any"}
_HYBRID = {"mode": "hybrid"}
_FEW = {"mode": "vector", "k": 10}
"""Few hits: expansion uses the rest of the budget, and its effect should be visible."""

_FOCUS: dict[str, object] = {"strategy": "focus"}

SETTINGS = [
    Settings("ragraph: nodes, vector", {"mode": "vector"}, {"strategy": "none"}),
    Settings("ragraph: nodes, hybrid", _HYBRID, {"strategy": "none"}),
    Settings("ragraph: focus, hybrid", _HYBRID, _FOCUS),
]
"""Lines of ragraph besides the lines of others."""

EXPANSIONS = [
    Settings("ragraph: 10 nodes", _FEW, {"strategy": "none"}),
    Settings("ragraph: 10 nodes, + the whole of each node", _FEW, {"strategy": "none", "whole_nodes": True}),
    Settings("ragraph: 10 nodes, + section", _FEW, {"strategy": "section"}),
    *(
        Settings(f"ragraph: 10 nodes, + merge at {share}", _FEW, {"strategy": "merge", "merge_share": share})
        for share in (0.3, 0.5, 0.7)
    ),
    Settings("ragraph: 10 nodes, + sentences around", _FEW, {"strategy": "sentences"}),
    Settings("ragraph: 10 nodes, + neighbours", _FEW, {"strategy": "neighbours"}),
    Settings("ragraph: 10 nodes, + captions", _FEW, {"strategy": "none", "captions": True}),
    Settings("ragraph: 10 nodes, + notes", _FEW, {"strategy": "none", "notes": True}),
    Settings("ragraph: 10 nodes, + citations", _FEW, {"strategy": "none", "citations": True}),
    Settings("ragraph: 10 nodes, + cross-references", _FEW, {"strategy": "none", "cross_references": True}),
    Settings("ragraph: 10 nodes, + PageRank", _FEW, {"strategy": "pagerank"}),
    Settings("ragraph: nodes, vector", {"mode": "vector"}, {"strategy": "none"}),
    Settings(
        "ragraph: 5 sections first, then 3 nodes of each", {"k": 5, "nodes": 3}, {"strategy": "none"}, sections=True
    ),
    Settings("ragraph: nodes, graph", {"mode": "graph"}, {"strategy": "none"}),
    Settings(
        "ragraph: nodes, graph, counts half",
        {"mode": "graph", "weights": Weights(graph=0.5)},
        {"strategy": "none"},
    ),
    Settings(
        "ragraph: nodes, hybrid, text counts twice", {**_HYBRID, "weights": Weights(text=2)}, {"strategy": "none"}
    ),
    Settings(
        "ragraph: nodes, hybrid, vector counts twice", {**_HYBRID, "weights": Weights(vector=2)}, {"strategy": "none"}
    ),
    Settings("ragraph: nodes, text", _TEXT, {"strategy": "none"}),
    Settings("ragraph: nodes, hybrid", _HYBRID, {"strategy": "none"}),
    Settings("ragraph: focus, text", _TEXT, _FOCUS),
    Settings("ragraph: focus, hybrid", _HYBRID, _FOCUS),
    Settings("ragraph: focus, 20 nodes", {"mode": "vector", "k": 20}, _FOCUS),
    Settings("ragraph: focus, headings not shown", {"mode": "vector"}, {**_FOCUS, "breadcrumbs": False}),
    Settings("ragraph: focus, headings do not count", {"mode": "vector"}, {**_FOCUS, "headings_share": 0}),
    Settings("ragraph: focus, + sentences around", {"mode": "vector"}, {**_FOCUS, "sentences": 1}),
]
"""Each way to search and to expand separately, on the documents that settings are chosen on."""

DEFAULT = "ragraph: default"
"""``store.context`` without settings."""

TUNED = "ragraph: tuned"
"""The same with the ranker that ``store.tune`` fits to the questions on the documents that settings are chosen on."""

OURS = "ragraph"
"""Beginning of the names of ragraph's lines."""

WITH = " with "
"""Stands in the name of a line before the name of its embedding model, unless that is the packaged one."""
