"""Evaluation: runs judged questions in every requested mode and scope, and measures how much of the answers is found.

It uses only public methods of the store, so it measures what users get.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from ragraph.base.arguments import several, texts, whole
from ragraph.base.defaults import Mode
from ragraph.errors import ArgumentError, TuningError
from ragraph.evaluation.measures import is_held, ndcg, recall, reciprocal_rank
from ragraph.schema.evaluation import EvalLine, EvalReport
from ragraph.tuning.evidence import Evidence
from ragraph.tuning.questions import read_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Unpack

    from ragraph.retrieval.scope import ScopeOptions
    from ragraph.schema.context import Context
    from ragraph.schema.results import Document, DocumentDetails, Hit, Node
    from ragraph.search import SearchOptions
    from ragraph.tuning.questions import Question

SCOPES = ("document", "collection", "store")
"""Where questions are asked: in their document, if they name one; in its collection; in the complete store."""


class Asked(Protocol):
    """The methods of an open store that an evaluation needs."""

    def search(self, query: str, k: int = 10, **options: Unpack[SearchOptions]) -> list[Hit]:
        """See ``Store.search``."""

    def context(self, query: str, token_budget: int | None = 2000, **options: Unpack[SearchOptions]) -> Context:
        """See ``Store.context``."""

    def documents(self, *, collection: str | None = None) -> list[Document]:
        """See ``Store.documents``."""

    def document(self, document: str) -> DocumentDetails:
        """See ``Store.document``."""

    def nodes(self, document: str) -> list[Node]:
        """See ``Store.nodes``."""


@dataclass
class _Judged:
    """A question with its answer: relevant items (nodes; pages if no passages are known), pages, boxes."""

    question: Question
    evidence: Evidence | None
    collection: str | None
    relevant: set[Hashable] = field(default_factory=set)
    pages: set[tuple[str, int]] = field(default_factory=set)
    boxes: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def look_at(self, document: str, nodes: Sequence[Node]) -> None:
        """Add the parts of a document that answer the question."""
        stated = {(document, page) for page in self.question.pages} if self.question.document else set()
        for node in nodes:
            pages = {(document, place["page_pdf"]) for place in node.positional_data}
            if self.evidence is None:
                self.relevant |= pages & stated
            elif self.evidence.relevant(node.content):
                self.relevant.add((document, node.id))
                self.pages |= pages
                if not self.question.boxes:
                    self.boxes += [(document, place) for place in node.positional_data if place.get("bbox")]
        if stated:
            self.pages = stated
        if self.question.boxes and self.question.document == document:
            self.boxes = [(document, dict(box)) for box in self.question.boxes]

    def ranking(self, hits: Sequence[Hit]) -> list[Hashable]:
        """Return the items of a ranking, best first, without duplicates."""
        if self.evidence is not None:
            return [(hit.document_id, hit.node_id) for hit in hits]
        return list(dict.fromkeys((hit.document_id, page) for hit in hits for page in hit.citation.pages))

    def on_page(self, hits: Sequence[Hit]) -> bool:
        """Return True if a hit is on a page with the answer."""
        return any((hit.document_id, page) in self.pages for hit in hits for page in hit.citation.pages)

    def in_box(self, hits: Sequence[Hit]) -> bool:
        """Return True if a hit covers half of a box with the answer."""
        return any(
            hit.document_id == document and is_held(box, hit.citation.boxes)
            for document, box in self.boxes
            for hit in hits
        )

    def share(self, context: Context) -> float:
        """Return the share of the evidence in a context, or of the pages if no passages are known."""
        if self.evidence is not None:
            return self.evidence.found(context.text)
        pages = {(block.document_id, page) for block in context.blocks for page in block.pages}
        return len(pages & self.pages) / len(self.pages)

    def where(self, scope: str) -> ScopeOptions:
        """Return the options of a search in this scope."""
        if scope == "document" and self.question.document:
            return {"document": self.question.document}
        if scope != "store" and self.collection:
            return {"collection": self.collection}
        return {}


def evaluate(
    store: Asked,
    questions: str | Path | Iterable[Question | Mapping[str, Any]],
    *,
    modes: str | Sequence[str],
    scopes: str | Sequence[str],
    k: int,
    budgets: Sequence[int],
    model: str,
    collection: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> EvalReport:
    """Return how well a store answers judged questions; see ``Store.evaluate``."""
    ways = [(mode, scope) for mode in _known("modes", modes, tuple(Mode)) for scope in _known("scopes", scopes, SCOPES)]
    budgets = several("budgets", "numbers of tokens", budgets)
    for budget in budgets:
        if whole("budgets", budget) < 1:
            raise ArgumentError(f"a budget of {budget} tokens is too small; give at least 1")
    if k < 1:
        raise ArgumentError(f"k is {k}; give at least 1")
    asked = read_questions(questions)
    if not asked:
        raise TuningError("there is no question; give one JSON object per line")
    judged = _judged(store, asked, collection)
    tell = progress or (lambda *_: None)
    lines = []
    for number, (mode, scope) in enumerate(ways):
        measured = partial(_measured, tell, number * len(judged), len(ways) * len(judged))
        lines.append(_line(store, judged, mode, scope, k, budgets, model, measured))
    return EvalReport(
        questions=len(asked),
        digest=hashlib.sha256(json.dumps([item.to_json() for item in asked]).encode()).hexdigest(),
        model=model,
        k=k,
        nowhere=tuple(item.question.place for item in judged if not item.relevant),
        lines=tuple(lines),
    )


def _measured(tell: Callable[[int, int], None], before: int, total: int, number: int) -> None:
    tell(before + number, total)


def _known(name: str, values: str | Sequence[str], known: Sequence[str]) -> list[str]:
    given = list(dict.fromkeys(texts(name, values) or ()))
    for value in given:
        if value not in known:
            raise ArgumentError(f"{value!r} is not one of the {name}; use {', '.join(known)}")
    if not given:
        raise ArgumentError(f"no {name} are given; use some of {', '.join(known)}")
    return given


def _judged(store: Asked, asked: Sequence[Question], collection: str | None) -> list[_Judged]:
    """Find once, document by document, the parts that answer the questions."""
    named = {item.document: store.document(item.document).document.collection for item in asked if item.document}
    judged = [
        _Judged(
            question=item,
            evidence=Evidence(item.passages, all_scripts=True) if item.passages else None,
            collection=named[item.document] if item.document else item.collection or collection,
        )
        for item in asked
    ]
    wide = [item for item in judged if not item.question.document]
    documents = list(named)
    for place in {item.collection for item in wide}:
        documents += [document.id for document in store.documents(collection=place)]
    inside = {document: named.get(document) for document in documents}
    if wide:
        inside |= {document.id: document.collection for document in store.documents() if document.id in inside}
    for document, its_collection in inside.items():
        nodes = store.nodes(document)
        for item in judged:
            if item.question.document == document or (
                not item.question.document and item.collection in (None, its_collection)
            ):
                item.look_at(document, nodes)
    return judged


def _line(
    store: Asked,
    judged: Sequence[_Judged],
    mode: str,
    scope: str,
    k: int,
    budgets: Sequence[int],
    model: str,
    tell: Callable[[int], None],
) -> EvalLine:
    how = cast("SearchOptions", {"mode": mode, "model": model})
    matching = cast("SearchOptions", {"match": "any"} if mode == "text" else {})
    first = judged[0]
    warm: SearchOptions = {**how, **matching, **first.where(scope)}
    store.search(first.question.question, k, **warm)  # loads the model
    figures: dict[str, list[float]] = {name: [] for name in ("recall", "ndcg", "mrr", "page", "box", "ms")}
    evidence: dict[int, list[float]] = {budget: [] for budget in budgets}
    for number, item in enumerate(judged, 1):
        query = item.question.question
        asked: SearchOptions = {**how, **item.where(scope)}
        matched: SearchOptions = {**asked, **matching}
        begin = time.perf_counter()
        hits = store.search(query, k, **matched)
        figures["ms"].append(1000 * (time.perf_counter() - begin))
        ranking = item.ranking(hits)
        figures["recall"].append(recall(ranking, item.relevant, k))
        figures["ndcg"].append(ndcg(ranking, item.relevant, k))
        figures["mrr"].append(reciprocal_rank(ranking, item.relevant))
        if item.pages:
            figures["page"].append(item.on_page(hits))
        if item.boxes:
            figures["box"].append(item.in_box(hits))
        for budget in budgets:
            evidence[budget].append(item.share(store.context(query, budget, **asked)))
        tell(number)
    return EvalLine(
        mode=mode,
        scope=scope,
        recall=fmean(figures["recall"]),
        ndcg=fmean(figures["ndcg"]),
        mrr=fmean(figures["mrr"]),
        page_hit=fmean(figures["page"]) if figures["page"] else None,
        box_hit=fmean(figures["box"]) if figures["box"] else None,
        evidence={budget: fmean(shares) for budget, shares in evidence.items()},
        p50_ms=float(np.percentile(figures["ms"], 50)),
        p95_ms=float(np.percentile(figures["ms"], 95)),
    )
