"""The part of the store's face that retrieves: searches, sections first, expansion, contexts, another order."""

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
from ragraph.retrieval.context import expand, fitted
from ragraph.retrieval.scope import Scope
from ragraph.retrieval.search import KnownModels, arguments, load_model_of, name_of, search
from ragraph.retrieval.sections import candidates, rank_sections
from ragraph.schema.results import ExplainedHits, Hit, SearchStep
from ragraph.store.reading import StoreReading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Unpack

    from ragraph.base.defaults import ModeName, Strategy
    from ragraph.retrieval.scope import ScopeOptions
    from ragraph.schema.context import Context, SectionHit
    from ragraph.search import SearchOptions, Weights


_HOW = ("mode", "model", "match", "weights", "boost")
"""Keyword arguments of a search that say how; the others say where."""


@check_methods
class StoreSearching(StoreReading):
    """Methods of ``Store``."""

    _models: KnownModels

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
        """Return the k nodes that answer a query best, best first, each with its citation.

        Fewer than k come back only when fewer lie in the scope, or in mode ``text`` match. Within a section, and in
        any other scope of up to 10,000 nodes, the search is exact.

        Args:
            query: what to look for, in words; modes other than ``vector`` read ``"a phrase"`` and ``-without`` (a minus
                before a digit is of the number).
            k: how many nodes to return.
            mode: ``hybrid`` by meaning and by words, ``vector`` by meaning, ``text`` by words (loads no model),
                ``graph`` both and what relations and neighbourhood tie to the best of them.
            model: embedding model, by its name in the store or its place; default the one that ``switch_model`` named.
                One that lacks vectors of some documents is told of by a ``RagraphNotice``.
            match: of mode ``text``: nodes that match ``all`` of the query, or ``any`` of its words.
            weights: of modes ``hybrid`` and ``graph``: what each method counts (``ragraph.search.Weights``).
            boost: of modes ``hybrid`` and ``graph``: an entity, or several, by name, alias or identity; of what is
                found, nodes that mention one count as if another method had ranked them first.
            explain: return ``ExplainedHits``, whose ``steps`` say which way was taken, what was looked at, and how long
                each part took.
            **where: where to look, all optional, as ``ScopeOptions`` describes them: ``document``, ``section``,
                ``types``, ``pages``, ``collection``, ``tags``, ``languages``, ``published``, ``filter``,
                ``entity``.

        Raises:
            ArgumentError: an argument is outside what the search takes.
            ModelNotFoundError: nothing was embedded with this model.
            DocumentNotFoundError, ComponentNotFoundError: the scope names what is not there.
            EntityNotFoundError: no document names an entity so.
        """
        how: dict[str, Any] = {"mode": mode, "model": model, "match": match, "weights": weights, "boost": boost}
        if not explain:
            return self._found(query, k, {**how, **where})
        scope, how["known"] = Scope.of(**where), self._models
        steps: list[SearchStep] = []
        begin = time.perf_counter()
        with self._ask.explained(steps) as rows:
            hits = self._models.asked(lambda: search(rows, query, k, scope, **how))
        asked = sum(step.ms for step in steps if step.way == STATEMENT)
        rest = round(max((time.perf_counter() - begin) * 1000 - asked, 0.0), 3)
        return ExplainedHits(hits, [*steps, SearchStep(part="query", way="outside of the database", ms=rest)])

    def embed_query(self, text: str, model: str = CURRENT_MODEL) -> list[float]:
        """Return the vector of a query, with the prefix of the model, as ``ragraph.search_vector`` takes it.

        Args:
            text: what to look for, in words.
            model: name of a model that the store holds embeddings of.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: the model cannot be loaded, or makes nothing of the text.
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

        A section is ranked by the nodes found in it: several count for more than one, but its length does not.

        Args:
            query: what to look for, in words.
            k: how many sections to return.
            nodes: how many nodes of each at most.
            **options: where and how to search, as of ``search``.

        Raises:
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as ``search``.
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
        **switches: Any,
    ) -> Context:
        """Return hits with what belongs to them, ready to be read: blocks of text under their headings.

        The hits go in first, best first, each that still fits into the budget; only what is left of it goes to
        what they bring along, so a hit is never pushed out. No character comes twice.

        Args:
            hits: what a search returned, or mappings with ``document_id``, ``node_id`` and, where known, ``score``,
                ``char_start`` and ``char_end`` (a part of the node, counted in the text of the document).
            strategy: names a set of switches (``context.STRATEGIES``): ``none`` brings nothing, ``focus``
                nothing either but gives of each hit the sentences that are about the query, ``section``
                the section around each hit, ``merge`` sections of which the hits make up half, ``sentences`` two
                sentences on each side, ``neighbours`` a node on each side, ``graph`` what relations lead to,
                ``pagerank`` what a random walk from the hits meets, ``auto`` is ``focus`` where the query is given,
                else the whole of each node with its notes and captions, and ``merge``.
            token_budget: tokens the context may have at most, its headings included; None = no limit. If not even
                the best hit fits, it is cut where a sentence ends (``Context.cut``).
            query: what was searched; for ``focus`` and ``auto``.
            tuned: of ``focus``: sentences by the ranker of their collection, where it has one (``tune``).
            explain: of ``focus``: say of each part what it got for what (``ContextPart.why``).
            **switches: arguments of ``ragraph.expand_hits``, over those of the strategy: ``sections``,
                ``merge_share``, ``sentences``, ``before``, ``after``, ``cross_sections``, ``whole_nodes``,
                ``captions``, ``notes``, ``citations``, ``cross_references``, ``supplements``, ``max_hops``,
                ``breadcrumbs``; and of ``focus``, ``words_share`` and ``headings_share``: what the words of the query
                count in a sentence and in the headings above it, each 0 to 1.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: a hit is not in the store.
            ArgumentError: a strategy, switch or number that does not exist.
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
        """Search and expand in one go: what the store has on a question, within a budget of tokens.

        The defaults are what measured best (bench/results/retrieval.md).

        Args:
            query: what to look for, in words.
            token_budget: as of ``expand``.
            k: how many hits the context is made of.
            strategy: as of ``expand``.
            rerank: cross-encoder that orders five times k hits first, as of ``rerank``.
            tuned: as of ``expand``.
            explain: as of ``expand``.
            per_document: most sentences of each document, so that more of them have a say; default as they come.
            **options: where and how to search, as of ``search``; ``mode`` is ``hybrid`` unless told.

        Raises:
            ArgumentError, ModelError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as of
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
            query: what was looked for.
            hits: what a search returned; give it several times k, since a reranker only reorders.
            model: hub name or folder of a sentence-transformers CrossEncoder.
            k: how many to return, default all.

        Raises:
            ModelError: the model cannot be loaded or used.
            ArgumentError: the query is empty, or k below 1.
        """
        for hit in (given := several("hits", "a list of hits", hits)):
            if not isinstance(hit, Hit):
                raise refusal("hits", "a list of hits", hit)
        return load_reranker(model).rerank(query, given, k)

    def _found(self, query: str, k: int, options: Mapping[str, Any]) -> list[Hit]:
        """Return the k best nodes; ``options`` say where and how to search."""
        how: dict[str, Any] = {"mode": DEFAULT_MODE, "model": CURRENT_MODEL, "known": self._models}
        how |= {name: options[name] for name in _HOW if name in options}
        scope = Scope.of(**cast("ScopeOptions", {name: options[name] for name in options if name not in _HOW}))
        with measured("ragraph.search", mode=how["mode"]) as found:
            hits = self._models.asked(lambda: search(self._ask.rows, query, k, scope, **how))
            found |= {"k": k, "hits": len(hits)}
        return hits

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
