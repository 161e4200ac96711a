"""Links between documents, by shared entities and shared cited works, and rankings that use them."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import networkx

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph import Hit, Store

SEEDS = 20
"""Number of best nodes that pass their score on to other documents."""

SHARE = 0.2
"""Share of the score that documents get. More finds a few further documents, but moves a single wanted one down."""

Scores = dict[str, float]


class Links:
    """The entities and cited works of the documents of a collection."""

    def __init__(self, store: Store, collection: str) -> None:
        mentions = """
            SELECT m.document_id, m.node_id, e.identity
            FROM ragraph.mention AS m
            INNER JOIN ragraph.entity AS e ON m.document_id = e.document_id AND m.entity_id = e.id
            WHERE e.collection = %s
        """
        cited = "SELECT document_id, identity FROM ragraph.work_entry WHERE node_id IS NOT NULL AND collection = %s"
        self.named: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.naming: dict[str, set[str]] = defaultdict(set)
        self.cited: dict[str, set[str]] = defaultdict(set)
        self.citing: dict[str, set[str]] = defaultdict(set)
        with store.database.read() as connection:
            for document, node, entity in connection.execute(mentions, [collection]):
                self.named[document, node].add(entity)
                self.naming[entity].add(document)
            for document, work in connection.execute(cited, [collection]):
                self.cited[document].add(work)
                self.citing[work].add(document)
        self.documents = {document for document, _ in self.named} | set(self.cited)
        self.graph: networkx.Graph[str] = networkx.Graph()
        for item, documents in [*self.naming.items(), *self.citing.items()]:
            if len(documents) > 1:
                self.graph.add_edges_from((item, document) for document in documents)

    def by_entities(self, hits: Sequence[Hit]) -> list[str]:
        """Return documents by their best hit and the rare entities that they share with the best nodes."""
        named: Scores = defaultdict(float)
        for hit in hits[:SEEDS]:
            for entity in self.named.get((hit.document_id, hit.node_id), ()):
                named[entity] = max(named[entity], hit.score or 0.0)
        return _ranked(hits, self._handed(named, self.naming))

    def by_works(self, hits: Sequence[Hit]) -> list[str]:
        """Return documents by their best hit and the works that they cite together with documents of the best nodes."""
        cited: Scores = defaultdict(float)
        for document, score in _best(hits[:SEEDS]).items():
            for work in self.cited[document]:
                cited[work] += score / 10
        return _ranked(hits, self._handed(cited, self.citing))

    def by_pagerank(self, hits: Sequence[Hit]) -> list[str]:
        """Return documents by their best hit and their PageRank over entities and works, started at the best ones."""
        start = {document: score for document, score in _best(hits[:SEEDS]).items() if document in self.graph}
        if not start:
            return _ranked(hits, {})
        met = networkx.pagerank(self.graph, personalization=start)
        most = max(met.values()) / max(hit.score or 0.0 for hit in hits)
        return _ranked(hits, {document: met.get(document, 0.0) / most for document in self.documents})

    def _handed(self, scores: Scores, holders: dict[str, set[str]]) -> Scores:
        """Return the scores that documents get through what they share; what many share counts little for each."""
        got: Scores = defaultdict(float)
        for item, score in scores.items():
            documents = holders[item]
            if len(documents) > 1:
                rare = math.log(len(self.documents) / len(documents)) / math.log(len(self.documents))
                for document in documents:
                    got[document] += score * rare / len(documents)
        return got


def _best(hits: Sequence[Hit]) -> Scores:
    best: Scores = {}
    for hit in hits:
        best.setdefault(hit.document_id, hit.score or 0.0)
    return best


def _ranked(hits: Sequence[Hit], more: Scores) -> list[str]:
    scores = _best(hits)
    for document, score in more.items():
        scores[document] = scores.get(document, 0.0) + SHARE * score
    return sorted(scores, key=lambda document: -scores[document])
