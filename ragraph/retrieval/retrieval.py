"""The part of a store that retrieves: searches, sections first, expansion, contexts, another order."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

from ragraph.base.arguments import refusal, several
from ragraph.base.defaults import (
    CONTEXT_HITS,
    CONTEXT_MODE,
    CONTEXT_TOKENS,
    CURRENT_MODEL,
    DEFAULT_MODE,
    RERANK_DEPTH,
)
from ragraph.base.telemetry import measured
from ragraph.database.rows import context_row
from ragraph.database.runner import STATEMENT
from ragraph.errors import ArgumentError
from ragraph.models.rerank import load_reranker
from ragraph.retrieval.context import expand, fitted
from ragraph.retrieval.scope import Scope
from ragraph.retrieval.search import KnownModels, arguments, load_model_of, name_of, search
from ragraph.retrieval.sections import candidates, rank_sections
from ragraph.schema.results import ExplainedHits, Hit, SearchStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Literal, Unpack

    import networkx

    from ragraph.base.defaults import ModeName, Strategy
    from ragraph.database.runner import QueryRunner
    from ragraph.retrieval.scope import ScopeOptions
    from ragraph.schema.context import Context, SectionHit
    from ragraph.search import SearchOptions, Weights


class Retrieval:
    """From questions to hits and contexts; the methods are those of ``Store``, which describes them."""

    def __init__(self, runner: QueryRunner, graph: Callable[[str], networkx.MultiDiGraph[str]]) -> None:
        self._ask = runner
        self._graph = graph
        self._models = KnownModels()

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        mode: ModeName = DEFAULT_MODE,
        model: str = CURRENT_MODEL,
        match: Literal["all", "any"] = "all",
        weights: Weights | None = None,
        boost: str | Sequence[str] | None = None,
        explain: bool = False,
        **where: Unpack[ScopeOptions],
    ) -> list[Hit]:
        """See ``Store.search``."""
        scope = Scope.of(**where)
        how: dict[str, Any] = {"mode": mode, "model": model, "match": match, "weights": weights, "boost": boost}
        how["known"] = self._models
        if not explain:
            with measured("ragraph.search", mode=mode) as found:
                hits = self._models.asked(lambda: search(self._ask.rows, query, k, scope, **how))
                found |= {"k": k, "hits": len(hits)}
            return hits
        steps: list[SearchStep] = []
        begin = time.perf_counter()
        with self._ask.explained(steps) as rows:
            hits = self._models.asked(lambda: search(rows, query, k, scope, **how))
        asked = sum(step.ms for step in steps if step.way == STATEMENT)
        rest = round(max((time.perf_counter() - begin) * 1000 - asked, 0.0), 3)
        return ExplainedHits(hits, [*steps, SearchStep(part="query", way="outside of the database", ms=rest)])

    def embed_query(self, text: str, model: str = CURRENT_MODEL) -> list[float]:
        """See ``Store.embed_query``."""
        if not text.strip():
            raise ArgumentError("the query is empty; say what to look for")
        vector: list[float] = load_model_of(self._ask.rows, model).encode_query(text).tolist()
        return vector

    def search_sections(
        self, query: str, k: int = 5, *, nodes: int = 3, **options: Unpack[SearchOptions]
    ) -> list[SectionHit]:
        """See ``Store.search_sections``."""
        if k < 1 or nodes < 1:
            raise ArgumentError(f"k is {k} and nodes {nodes}; ask for at least one section and one node of each")
        hits = self.search(query, candidates(k), **options)
        return rank_sections(self._ask.rows, hits, k, nodes)

    def expand(
        self,
        hits: Iterable[Hit | Mapping[str, Any]],
        strategy: Strategy = "auto",
        token_budget: int | None = CONTEXT_TOKENS,
        *,
        query: str | None = None,
        tuned: bool = True,
        explain: bool = False,
        **switches: Any,
    ) -> Context:
        """See ``Store.expand``."""
        return expand(
            self._ask.rows,
            self._graph,
            hits,
            strategy,
            token_budget,
            query,
            tuned=tuned,
            explain=explain,
            **switches,
        )

    def context(
        self,
        query: str,
        token_budget: int | None = CONTEXT_TOKENS,
        *,
        k: int = CONTEXT_HITS,
        strategy: Strategy = "auto",
        rerank: str | None = None,
        tuned: bool = True,
        explain: bool = False,
        per_document: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> Context:
        """See ``Store.context``."""
        how = {"tuned": tuned, "explain": explain, "per_document": per_document}
        options.setdefault("mode", CONTEXT_MODE)
        told = options["mode"] in ("vector", "graph") or rerank or options.keys() & {"match", "weights", "boost"}
        if strategy in ("auto", "focus") and not told:
            return self._focused(query, token_budget, k, how, options)
        if per_document is not None:
            raise ArgumentError("per_document is for strategy 'auto' or 'focus' by words, or by words and vectors")
        hits = self.search(query, RERANK_DEPTH * k if rerank else k, **options)
        if rerank:
            hits = self.rerank(query, hits, rerank, k)
        found_by = options["mode"], name_of(self._ask.rows, options["mode"], options.get("model", CURRENT_MODEL))
        return expand(
            self._ask.rows,
            self._graph,
            hits,
            strategy,
            token_budget,
            query,
            found_by=found_by,
            tuned=tuned,
            explain=explain,
        )

    def _focused(
        self, query: str, token_budget: int | None, k: int, how: Mapping[str, Any], options: SearchOptions
    ) -> Context:
        """Search by words, or by words and vectors, and take the sentences, in one round trip."""
        mode, model = options.pop("mode"), options.pop("model", CURRENT_MODEL)
        scope = Scope.of(**cast("ScopeOptions", options))

        def ask(room: int | None) -> list[Any]:
            return self._models.asked(lambda: found(room))

        def found(room: int | None) -> list[Any]:
            rows, known = self._ask.rows, self._models
            _, parameters = arguments(rows, query, k, scope, mode=mode, model=model, known=known)
            return self._ask.rows("search_context", context_row, {**parameters, **how, "token_budget": room})

        return fitted(ask, None, "focus", token_budget)

    def rerank(self, query: str, hits: Sequence[Hit], model: str, k: int | None = None) -> list[Hit]:
        """See ``Store.rerank``."""
        for hit in (given := several("hits", "a list of hits", hits)):
            if not isinstance(hit, Hit):
                raise refusal("hits", "a list of hits", hit)
        return load_reranker(model).rerank(query, given, k)
