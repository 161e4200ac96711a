"""Methods of ``Store`` that search: nodes, sections, expansion of hits, contexts and reranking."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

from ragraph.base.arguments import check_methods, refusal, several
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
from ragraph.retrieval.context import expand, fitted, within
from ragraph.retrieval.scope import Scope
from ragraph.retrieval.search import KnownModels, arguments, load_model_of, name_of, search
from ragraph.retrieval.sections import candidates, rank_sections
from ragraph.schema.results import ExplainedHits, Hit, Hits, SearchStep
from ragraph.store.reading import StoreReading
from ragraph.store.sources import StoreSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Unpack

    from ragraph.base.defaults import ModeName, Strategy
    from ragraph.retrieval.context import Switches
    from ragraph.retrieval.query_log import QueryLog
    from ragraph.retrieval.scope import ScopeOptions
    from ragraph.schema.context import Context, ContextPart, SectionHit
    from ragraph.search import SearchOptions, Weights


_HOW = ("mode", "model", "match", "weights", "boost", "min_relevance")
"""Keyword arguments of a search that say how to search; the others say where."""


@check_methods
class StoreSearching(StoreReading):
    """Methods of ``Store`` for searching."""

    _models: KnownModels
    _queries: QueryLog

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
        min_relevance: float | None = None,
        explain: bool = False,
        **where: Unpack[ScopeOptions],
    ) -> list[Hit]:
        """Return the k nodes that answer a query best, best first, each with its citation.

        Fewer than k are returned only if the scope has fewer, or in mode ``text`` if fewer match. Within a section, and
        in any other scope of up to 10,000 nodes, the search is exact.

        Args:
            query: the query in words. ``-without`` and ``-"a phrase"`` exclude nodes in all modes (a minus before a
                digit belongs to the number). Modes other than ``vector`` accept ``"a phrase"``.
            k: number of nodes to return.
            mode: ``hybrid`` for vectors and words, ``vector`` for vectors, ``text`` for words (loads no model), or
                ``graph`` for both and nodes that relations and neighbourhood connect to the best of them.
            model: embedding model, by its name in the store or its place; default the one set by ``switch_model``. If
                documents lack vectors of it, a ``RagraphNotice`` says so.
            match: for mode ``text``: nodes that match ``all`` words of the query, or ``any``.
            weights: for modes ``hybrid`` and ``graph``: weight of each method (``ragraph.search.Weights``).
            boost: for modes ``hybrid`` and ``graph``: an entity, or several, by name, alias or identity. Found nodes
                that mention one are ranked as if a further method had ranked them first.
            min_relevance: leave out nodes with a lower ``relevance``, from 0 to 1, so that fewer than k may remain. Not
                for mode ``vector``, nor for other models than the default one.
            explain: return ``ExplainedHits``, whose ``steps`` have the method, the number of rows and the time of each
                part.
            **where: the scope, all optional, see ``ScopeOptions``: ``document``, ``section``, ``types``, ``pages``,
                ``collection``, ``tags``, ``languages``, ``published``, ``filter``, ``entity``, ``max_fault``.

        Raises:
            ArgumentError: an argument is invalid.
            ModelNotFoundError: the store has no vectors of this model.
            DocumentNotFoundError, ComponentNotFoundError: the scope names a document or section that does not exist.
            EntityNotFoundError: no document mentions an entity of this name.
        """
        how: dict[str, Any] = {"mode": mode, "model": model, "match": match, "weights": weights, "boost": boost}
        how["min_relevance"] = min_relevance
        if not explain:
            return self._found(query, k, {**how, **where})
        scope, how["known"] = Scope.of(**where), self._models
        steps: list[SearchStep] = []
        begin = time.perf_counter()
        with self._ask.explained(steps) as rows:
            hits = self._models.retry_if_changed(lambda: search(rows, query, k, scope, **how))
        asked = sum(step.ms for step in steps if step.way == STATEMENT)
        seconds = time.perf_counter() - begin
        rest = round(max(seconds * 1000 - asked, 0.0), 3)
        explained = ExplainedHits(hits, [*steps, SearchStep(part="query", way="outside of the database", ms=rest)])
        explained.of(StoreSource(self))
        self._note("search", query, {"k": k, "mode": mode, "model": model, "match": match, **where}, hits, seconds)
        return explained

    def embed_query(self, text: str, model: str = CURRENT_MODEL) -> list[float]:
        """Return the vector of a query, encoded with the model's prefix, as ``ragraph.search_vector`` accepts it.

        Args:
            text: the query in words.
            model: name of a model whose vectors the store has.

        Returns:
            A list of ``dimensions`` floats.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: the model cannot be loaded, or has no vector for the text.
            ArgumentError: the text is empty.
        """
        if not text.strip():
            raise ArgumentError("the query is empty; say what to look for")
        vector: list[float] = load_model_of(self._ask.rows, model).encode_query(text).tolist()
        return vector

    def search_sections(
        self, query: str, k: int = 5, *, nodes: int = 3, **options: Unpack[SearchOptions]
    ) -> list[SectionHit]:
        """Return the k sections that answer a query best, best first, each with its best nodes.

        A section is ranked by the nodes found in it: several nodes count for more than one, but its length does not
        count.

        Args:
            query: the query in words.
            k: number of sections to return.
            nodes: maximum number of nodes of each section.
            **options: where and how to search, as in ``search``.

        Raises:
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as for ``search``.
        """
        if k < 1 or nodes < 1:
            raise ArgumentError(f"k is {k} and nodes {nodes}; ask for at least one section and one node of each")
        hits = self._found(query, candidates(k), options)
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
        **switches: Unpack[Switches],
    ) -> Context:
        """Return a context made of hits and related text: blocks of text under their headings.

        The hits are added first, best first, each that still fits into the token budget. Only the rest of the budget is
        used for related text, so it never displaces a hit. No character is included twice.

        Args:
            hits: hits of a search, or mappings with ``document_id``, ``node_id`` and optionally ``score``,
                ``char_start`` and ``char_end`` (a part of the node, in characters of the document's text).
            strategy: name of a set of switches (``context.STRATEGIES``). ``none`` adds nothing. ``focus`` adds nothing
                and takes of each hit the sentences that are about the query. ``section`` adds the section around each
                hit. ``merge`` adds sections of which the hits make up half, ``sentences`` two sentences on each side,
                ``neighbours`` one node on each side. ``graph`` adds nodes that relations lead to, and ``pagerank``
                nodes that a random walk from the hits meets. ``auto`` is ``focus`` if a query is set, else the whole of
                each node with its notes and captions, and ``merge``.
            token_budget: maximum number of tokens in the context, including headings; None for no limit. If not even
                the best hit fits, it is cut at the end of a sentence (``Context.cut``).
            query: the query of the search; for ``focus`` and ``auto``.
            tuned: for ``focus``: rank sentences by the ranker of their collection, if it has one (``tune``).
            explain: for ``focus``: explain the score of each part (``ContextPart.why``).
            **switches: see ``ragraph.retrieval.context.Switches``: arguments of ``ragraph.expand_hits``, which override
                those of the strategy: ``sections``,
                ``merge_share``, ``sentences``, ``before``, ``after``, ``cross_sections``, ``whole_nodes``,
                ``captions``, ``notes``, ``citations``, ``cross_references``, ``supplements``, ``max_hops``,
                ``breadcrumbs``. For ``focus`` also ``words_share`` and ``headings_share``: weights from 0 to 1 of the
                query's words in a sentence and in the headings above it.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: a hit is not in the store.
            ArgumentError: a strategy or switch does not exist, or a number is invalid.
        """
        return expand(
            self._ask.rows,
            self.graph,
            hits,
            strategy,
            token_budget,
            query,
            tuned=tuned,
            explain=explain,
            **cast("dict[str, Any]", switches),
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
        """Search and expand in one call: return what the store has on a question, within a token budget.

        The defaults are those that measured best (bench/results/retrieval.md).

        Args:
            query: the query in words.
            token_budget: as in ``expand``.
            k: number of hits that the context is made of.
            strategy: as in ``expand``.
            rerank: cross-encoder that first reorders five times k hits, as in ``rerank``.
            tuned: as in ``expand``.
            explain: as in ``expand``.
            per_document: maximum number of sentences of each document, to include more documents; None for no limit.
            **options: where and how to search, as in ``search``; ``mode`` defaults to ``hybrid``.

        Raises:
            ArgumentError, ModelError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as for
                ``search``, ``rerank`` and ``expand``.
        """
        how = {"tuned": tuned, "explain": explain, "per_document": per_document}
        options.setdefault("mode", CONTEXT_MODE)
        told = options["mode"] in ("vector", "graph") or rerank or options.keys() & {"match", "weights", "boost"}
        if strategy in ("auto", "focus") and not told:
            return self._focused(query, token_budget, k, how, options)
        if per_document is not None:
            raise ArgumentError("per_document is for strategy 'auto' or 'focus' by words, or by words and vectors")
        hits = self._found(query, RERANK_DEPTH * k if rerank else k, options)
        if rerank:
            hits = load_reranker(rerank).rerank(query, hits, k)
        found_by = options["mode"], name_of(self._ask.rows, options["mode"], options.get("model", CURRENT_MODEL))
        return expand(
            self._ask.rows,
            self.graph,
            hits,
            strategy,
            token_budget,
            query,
            found_by=found_by,
            tuned=tuned,
            explain=explain,
        )

    def rerank(self, query: str, hits: Sequence[Hit], model: str, k: int | None = None) -> list[Hit]:
        """Return hits in the order of a cross-encoder, which reads query and text together, with its scores.

        Args:
            query: the query of the search.
            hits: hits of a search. Pass several times k, because a reranker only reorders.
            model: hub name or folder of a sentence-transformers CrossEncoder.
            k: number of hits to return; None for all.

        Raises:
            ModelError: the model cannot be loaded or used.
            ArgumentError: the query is empty, or k is below 1.
        """
        for hit in (given := several("hits", "a list of hits", hits)):
            if not isinstance(hit, Hit):
                raise refusal("hits", "a list of hits", hit)
        return Hits(load_reranker(model).rerank(query, given, k))

    def _found(self, query: str, k: int, options: Mapping[str, Any]) -> list[Hit]:
        """Return the k best nodes; ``options`` say where and how to search."""
        how: dict[str, Any] = {"mode": DEFAULT_MODE, "model": CURRENT_MODEL, "known": self._models}
        how |= {name: options[name] for name in _HOW if name in options}
        scope = Scope.of(**cast("ScopeOptions", {name: options[name] for name in options if name not in _HOW}))
        begin = time.perf_counter()
        with measured("ragraph.search", mode=how["mode"]) as found:
            hits = self._models.retry_if_changed(lambda: search(self._ask.rows, query, k, scope, **how))
            found |= {"k": k, "hits": len(hits)}
        self._note("search", query, {"k": k, **options}, hits, time.perf_counter() - begin)
        return Hits(hits).of(StoreSource(self))

    def _focused(
        self, query: str, token_budget: int | None, k: int, how: Mapping[str, Any], options: SearchOptions
    ) -> Context:
        """Search by words, or by words and vectors, and select the sentences, in one round trip."""
        mode, model = options.pop("mode"), options.pop("model", CURRENT_MODEL)
        least = options.pop("min_relevance", None)
        scope = Scope.of(**cast("ScopeOptions", options))

        last: list[Any] = []

        def ask(room: int | None) -> list[Any]:
            limits = {name: how[name] for name in ("per_document", "explain")}
            again = within(self._ask.rows, last, room, **limits) if last and room is not None else None
            if again is None:
                last[:] = again = self._models.retry_if_changed(lambda: found(room))
            return again

        def found(room: int | None) -> list[Any]:
            rows, known = self._ask.rows, self._models
            _, parameters = arguments(rows, query, k, scope, mode=mode, model=model, min_relevance=least, known=known)
            return self._ask.rows("search_context", context_row, {**parameters, **how, "token_budget": room})

        begin = time.perf_counter()
        context = fitted(ask, None, "focus", token_budget)
        parts = [part for block in context.blocks for part in block.parts if part.role == "hit"]
        asked = {"k": k, "mode": mode, "model": model, "token_budget": token_budget, "min_relevance": least, **options}
        self._note("context", query, asked, parts, time.perf_counter() - begin)
        return context

    def _note(
        self, kind: str, query: str, options: Mapping[str, Any], hits: Iterable[Hit | ContextPart], seconds: float
    ) -> None:
        """Log a query that was answered, if its collection keeps a log."""
        found = ((hit.citation.document_id, hit.node_id, hit.score) for hit in hits)
        self._queries.add(kind, query, options, found, seconds)
