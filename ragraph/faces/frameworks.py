"""Common parts of the retrievers of all frameworks: one search or context of the store, as texts with metadata.

Each framework has a module (``ragraph.langchain``, ``ragraph.llamaindex``, ``ragraph.haystack``) that converts these
texts into its own classes; none searches or ranks by itself.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, cast, get_type_hints

from ragraph.base.arguments import refusal, text, whole
from ragraph.base.defaults import CONTEXT_HITS, Strategy
from ragraph.base.extras import install
from ragraph.errors import ArgumentError
from ragraph.retrieval.context import check_strategy
from ragraph.retrieval.scope import Scope, ScopeOptions
from ragraph.retrieval.search import mode_of
from ragraph.search import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragraph.schema.context import ContextBlock
    from ragraph.schema.results import Hit
    from ragraph.store.store import Store

HITS = 10
"""Default number of nodes that a retriever returns."""


class RetrieverOptions(SearchOptions, total=False):
    """Options of a retriever, all optional: the options of ``Store.search``, and these.

    Attributes:
        k: number of nodes; with ``expand``, number of hits that the context is made from.
        expand: return the blocks of a context made by this strategy instead of nodes (``Store.context``).
        token_budget: maximum number of tokens of the context.
    """

    k: int | None
    expand: Strategy | None
    token_budget: int | None


def types_of(options: Any, **named: Any) -> dict[str, Any]:
    """Return the types of options for frameworks that check them; each may be None, and sequences are lists.

    Args:
        options: ``RetrieverOptions``, or one of its base classes.
        **named: types by the names used in annotations.
    """
    from ragraph.filters import Filter

    words = {"Sequence": list, "Mapping": dict, "Filter": Filter, **named}
    return {name: kind | None for name, kind in get_type_hints(options, localns=words, include_extras=True).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A text with its place in a document: a node, or a block of a context.

    Attributes:
        id: ``DOCUMENT/NODE``; ids of nodes are unique within their document.
        document_id: its document.
        text: its text.
        score: higher is better.
        metadata: the hit or block in the form that the command line prints, with its citation in one line; plain
            values.
    """

    id: str
    document_id: str
    text: str
    score: float | None
    metadata: dict[str, Any]


class StoreSource:
    """A store that is supplied, or opened at the first use and closed together with the owner of this object.

    Raises:
        ArgumentError: the store is no ``Store``, or the url no text.
    """

    def __init__(self, store: Store | None, url: str | None) -> None:
        if store is not None:
            from ragraph.store.store import Store as Known

            if not isinstance(store, Known):
                raise refusal("store", "a Store, as ragraph.open() returns it", store)
        if url is not None:
            text("url", url)
        self._store = store
        self._url = url
        self._lock = Lock()

    def __call__(self) -> Store:
        """Return the store.

        Raises:
            ServerError, SchemaVersionError: as for ``ragraph.open``.
        """
        with self._lock:
            if self._store is None:
                from ragraph.store.opening import open as open_store

                self._store = open_store(self._url)
                weakref.finalize(self, self._store.close)
            return self._store


def find(store: Store, query: str, options: Mapping[str, Any]) -> list[Found]:
    """Return the results for a query, best first; with ``expand`` the blocks of a context, in its order.

    Args:
        store: an open store.
        query: words to look for.
        options: those of ``RetrieverOptions``; None is ignored.

    Raises:
        ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as for ``Store.search``.
    """
    told = {name: value for name, value in options.items() if value is not None}
    k, expand, budget = told.pop("k", None), told.pop("expand", None), told.pop("token_budget", 2000)
    if expand is None:
        return [found_of(hit) for hit in store.search(query, HITS if k is None else k, **cast("SearchOptions", told))]
    if k is None:
        k = CONTEXT_HITS if expand in ("auto", "focus") else HITS
    context = store.context(query, budget, k=k, strategy=expand, **cast("SearchOptions", told))
    return [_of_block(block) for block in context.blocks]


def check(options: Mapping[str, Any]) -> None:
    """Raise an error for wrong options when a retriever is created, not only when it is used.

    Raises:
        ArgumentError: as for ``Scope.of``; or the mode, the strategy of ``expand`` or ``k`` is invalid.
        TypeError: there is no such option.
    """
    others = RetrieverOptions.__annotations__.keys() - ScopeOptions.__annotations__.keys()
    Scope.of(**cast("ScopeOptions", {name: value for name, value in options.items() if name not in others}))
    if (mode := options.get("mode")) is not None:
        mode_of(mode)
    if (strategy := options.get("expand")) is not None:
        check_strategy(strategy)
    if (k := options.get("k")) is not None and whole("k", k) < 1:
        raise ArgumentError(f"k is {k}; ask for at least one node")


def missing(extra: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error for a framework that is not installed."""
    said = f"the package {error.name} is missing; install it with: {install(extra)}"
    return ModuleNotFoundError(said, name=error.name)


def found_of(hit: Hit) -> Found:
    """Return a hit with its place and citation as metadata."""
    metadata = hit.to_json()
    del metadata["content"]
    metadata |= {"citation": str(hit.citation), "uri": hit.citation.uri}
    return Found(
        id=f"{hit.document_id}/{hit.node_id}",
        document_id=hit.document_id,
        text=hit.content,
        score=hit.score,
        metadata=metadata,
    )


def _of_block(block: ContextBlock) -> Found:
    metadata = block.to_json()
    del metadata["text"]
    places = [block.title, " > ".join(block.section_path), block.page_label]
    metadata |= {
        "node_ids": block.node_ids,
        "citation": ", ".join(place for place in places if place),
        "uri": block.citations[0].uri,
    }
    return Found(
        id=f"{block.document_id}/{block.node_ids[0]}",
        document_id=block.document_id,
        text=block.text,
        score=block.score,
        metadata=metadata,
    )
