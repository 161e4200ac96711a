"""Personalised PageRank over the graph of a document: how often a random walk from the hits meets each node."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import networkx

WEIGHTS = {"CONTAINS": 1.0, "REFERENCES_CITATION": 0.5, "NEXT": 1.0}
"""Weight of an edge by its type; other relations have weight 2."""


def personalised(
    graph: networkx.MultiDiGraph[str], seeds: Mapping[str, float | None], *, damping: float = 0.85
) -> list[tuple[str, float]]:
    """Return the content nodes of a document with their PageRank, best first, ties by id.

    The walk follows edges in both directions: to a section and back, along relations, and to the nodes before and
    after. It restarts at the hits, in proportion to their scores.

    Args:
        graph: a graph as ``Store.graph`` returns it.
        seeds: scores by node id; None or a score that is not positive counts as the lowest weight.
        damping: probability of continuing at each step.
    """
    import networkx

    walk: networkx.Graph[str] = networkx.Graph()
    walk.add_nodes_from(graph)
    for source, target, edge in graph.edges(data=True):
        _add(walk, source, target, WEIGHTS.get(edge["type"], 2.0))
    reading = sorted(
        (item for item in graph if graph.nodes[item]["kind"] == "node"),
        key=lambda item: graph.nodes[item]["sequence"],
    )
    for before, after in pairwise(reading):
        _add(walk, before, after, WEIGHTS["NEXT"])
    start = {node: max(score or 0.0, 1e-6) for node, score in seeds.items()}
    ranks = networkx.pagerank(walk, alpha=damping, personalization=start)
    return sorted(((node, ranks[node]) for node in reading), key=lambda item: (-item[1], item[0]))


def _add(walk: networkx.Graph[str], one: str, other: str, weight: float) -> None:
    known = walk.get_edge_data(one, other, {"weight": 0.0})["weight"]
    walk.add_edge(one, other, weight=known + weight)
