"""The store as a Haystack retriever; needs the extra ``ragraph-store[haystack]``."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import Secret
except ModuleNotFoundError as error:
    from ragraph.faces.frameworks import missing

    raise missing("haystack", error) from None

from ragraph.errors import ArgumentError
from ragraph.faces.frameworks import RetrieverOptions, StoreSource, check, find, types_of
from ragraph.filters import Filter
from ragraph.search import SearchOptions, Weights

if TYPE_CHECKING:
    from typing import Unpack

    from ragraph.store.store import Store

__all__ = ["RagraphRetriever"]


@component
class RagraphRetriever:
    """Searches a store: ``RagraphRetriever(k=5, document="dl_x", section="3.1").run(query="a question")``.

    A document is a node, with the hit and its citation as meta: pages, bounding boxes, section path. With ``expand`` it
    is a block of a context. Options passed to ``run`` override those of the retriever.

    Args:
        store: an open store, which stays open. A pipeline with an open store cannot be serialised.
        url: database to open if no store is set, as a secret, so that no password is serialised with a pipeline; None
            as in ``ragraph.open``.
        **options: see ``ragraph.faces.frameworks.RetrieverOptions``: ``k``, ``mode``, ``expand``, ``token_budget``,
            ``document``, ``section``, ``pages``, ``filter`` and the others of ``Store.search``.

    Raises:
        ArgumentError, TypeError: the options are not a valid scope.
    """

    def __init__(
        self, *, store: Store | None = None, url: Secret | None = None, **options: Unpack[RetrieverOptions]
    ) -> None:
        check(options)
        self._given = store
        self._url = url
        self._options = options
        self._source: StoreSource | None = None
        for name, kind in types_of(SearchOptions).items():
            component.set_input_type(self, name, kind, None)

    def warm_up(self) -> None:
        """Open the store, unless it is open."""
        if self._source is None:
            self._source = StoreSource(self._given, self._url.resolve_value() if self._url else None)
        self._source()

    def to_dict(self) -> dict[str, Any]:
        """Return the retriever's arguments, for ``Pipeline.dumps``.

        Raises:
            ArgumentError: it was created with an open store.
        """
        if self._given is not None:
            raise ArgumentError("a retriever with an open store cannot be serialised", hint="create it with a url")
        return default_to_dict(self, url=self._url.to_dict() if self._url else None, **_plain(self._options))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RagraphRetriever:
        """Return a retriever from the result of ``to_dict``."""
        made = dict(data["init_parameters"])
        if made.get("url") is not None:
            made["url"] = Secret.from_dict(made["url"])
        if made.get("published") is not None:
            made["published"] = tuple(end and date.fromisoformat(end) for end in made["published"])
        if made.get("weights") is not None:
            made["weights"] = Weights(**made["weights"])
        retriever: RagraphRetriever = default_from_dict(cls, {**data, "init_parameters": made})
        return retriever

    @component.output_types(documents=list[Document])
    def run(self, query: str, k: int | None = None, **options: Unpack[SearchOptions]) -> dict[str, list[Document]]:
        """Search.

        Args:
            query: the query in words.
            k: number of nodes.
            **options: where and how to search, as in ``Store.search``: ``document``, ``section``, ``pages``, ``filter``
                and the others; each is an input of the component.

        Returns:
            ``documents``, best first.

        Raises:
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as for ``Store.search``.
            TypeError: an option does not exist.
        """
        told = {name: value for name, value in {"k": k, **options}.items() if value is not None}
        self.warm_up()
        assert self._source is not None  # noqa: S101 - warm
        documents = [
            Document(id=found.id, content=found.text, meta=found.metadata, score=found.score)
            for found in find(self._source(), query, {**self._options, **told})
        ]
        return {"documents": documents}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, k: int | None = None, **options: Unpack[SearchOptions]
    ) -> dict[str, list[Document]]:
        """Search without blocking the event loop; see ``run``."""
        return await asyncio.to_thread(self.run, query, k, **options)


def _plain(options: RetrieverOptions) -> dict[str, Any]:
    """Return options as plain values that YAML can represent."""
    plain: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, Filter):
            plain[name] = value.to_json()
        elif isinstance(value, Weights):
            plain[name] = asdict(value)
        elif name == "published" and isinstance(value, tuple):
            plain[name] = [end and end.isoformat() for end in value]
        else:
            plain[name] = list(value) if isinstance(value, tuple) else value
    return plain
