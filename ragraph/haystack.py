"""The store as a Haystack document store and as retrievers; needs the extra ``ragraph-store[haystack]``."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.document_stores.errors import DuplicateDocumentError
    from haystack.document_stores.types import DuplicatePolicy
    from haystack.errors import FilterError
    from haystack.utils import Secret
except ModuleNotFoundError as error:
    from ragraph.faces.frameworks import missing

    raise missing("haystack", error) from None

from ragraph.errors import ArgumentError
from ragraph.faces.framework_filters import of_haystack
from ragraph.faces.framework_texts import Text, Texts
from ragraph.faces.frameworks import HITS, RetrieverOptions, StoreSource, check, find, types_of
from ragraph.filters import Filter
from ragraph.search import SearchOptions, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from ragraph.base.defaults import ModeName
    from ragraph.schema.results import Hit
    from ragraph.store.store import Store

__all__ = ["RagraphDocumentRetriever", "RagraphDocumentStore", "RagraphEmbeddingRetriever", "RagraphRetriever"]


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


class RagraphDocumentStore:
    """A collection of a store as a document store for ``DocumentWriter``: ``RagraphDocumentStore(collection="notes")``.

    Each Haystack document is a document of the store, under its id, with its content and meta. The store embeds the
    contents itself; embeddings and blobs are not stored. Only documents that were written like this are
    counted, listed, overwritten and deleted, never ingested files of the collection.

    Args:
        store: an open store, which stays open. A pipeline with an open store cannot be serialised.
        url: database to open if no store is set, as a secret; None as in ``ragraph.open``.
        collection: collection to write to and to search in.
        model: embedding model, by its name in the store or its place; None for the current one.
    """

    def __init__(
        self,
        *,
        store: Store | None = None,
        url: Secret | None = None,
        collection: str = "default",
        model: str | None = None,
    ) -> None:
        self._given = store
        self._url = url
        self._collection = collection
        self._model = model
        self._made: Texts | None = None

    @property
    def texts(self) -> Texts:
        """The texts of the collection; the store is opened when they are used."""
        if self._made is None:
            source = StoreSource(self._given, self._url.resolve_value() if self._url else None)
            self._made = Texts(source, self._collection, self._model)
        return self._made

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments, for ``Pipeline.dumps``.

        Raises:
            ArgumentError: it was created with an open store.
        """
        if self._given is not None:
            raise ArgumentError("a document store with an open store cannot be serialised", hint="create it with a url")
        url = self._url.to_dict() if self._url else None
        return default_to_dict(self, url=url, collection=self._collection, model=self._model)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RagraphDocumentStore:
        """Return a document store from the result of ``to_dict``."""
        made = dict(data["init_parameters"])
        if isinstance(made.get("url"), dict):
            made["url"] = Secret.from_dict(made["url"])
        found: RagraphDocumentStore = default_from_dict(cls, {**data, "init_parameters": made})
        return found

    def count_documents(self) -> int:
        """Return the number of documents."""
        return self.texts.count()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that pass Haystack's filters, in the order in which they were written.

        Raises:
            FilterError: the filters are invalid.
        """
        return [_document(text) for text in self.texts.filtered(_filter(filters))]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write documents and return how many were written; of a known one, what changed is written and embedded.

        Args:
            documents: the documents; none may be without content.
            policy: for known ids: ``OVERWRITE``, ``SKIP``, or ``FAIL``, which ``NONE`` means too.

        Raises:
            ValueError: the argument is not a list of documents.
            DuplicateDocumentError: an id is known and the policy is ``FAIL``; nothing is written.
            ArgumentError: an id is that of a document that was not written as a text of this collection.
            IngestError: a document has no content, or an invalid id; the others are written.
        """
        if not isinstance(documents, list) or not all(isinstance(item, Document) for item in documents):
            raise ValueError("write_documents takes a list of Haystack documents")
        texts = [Text(id=item.id, text=item.content or "", metadata=item.meta) for item in documents]
        if policy is not DuplicatePolicy.OVERWRITE:
            known = {text.id for text in self.texts.read([text.id for text in texts])}
            new: list[Text] = []
            for text in texts:
                if text.id not in known:
                    new.append(text)
                elif policy is not DuplicatePolicy.SKIP:
                    raise DuplicateDocumentError(f"the document store has the id {text.id!r}")
                known.add(text.id)
            texts = new
        self.texts.write(texts)
        return len(texts)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""
        self.texts.delete(document_ids)

    def delete_all_documents(self) -> None:
        """Delete all documents that were written to this collection by a framework."""
        self.texts.delete()

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Delete the documents that pass filters, and return their number.

        Raises:
            FilterError: the filters are invalid, or empty, which all documents pass.
        """
        if not filters:
            raise FilterError("every document passes an empty filter; delete_all_documents deletes all")
        return self.texts.delete([text.id for text in self.texts.filtered(_filter(filters))])

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Set keys of the meta of the documents that pass filters, and return their number.

        Raises:
            FilterError: the filters are invalid.
        """
        found = self.texts.filtered(_filter(filters))
        self.texts.write([Text(id=text.id, text=text.text, metadata={**text.metadata, **meta}) for text in found])
        return len(found)

    async def count_documents_async(self) -> int:
        """Count without blocking the event loop."""
        return await asyncio.to_thread(self.count_documents)

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Filter without blocking the event loop; see ``filter_documents``."""
        return await asyncio.to_thread(self.filter_documents, filters)

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Write without blocking the event loop; see ``write_documents``."""
        return await asyncio.to_thread(self.write_documents, documents, policy)

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """Delete without blocking the event loop; see ``delete_documents``."""
        await asyncio.to_thread(self.delete_documents, document_ids)

    async def delete_all_documents_async(self) -> None:
        """Delete without blocking the event loop; see ``delete_all_documents``."""
        await asyncio.to_thread(self.delete_all_documents)

    async def delete_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Delete without blocking the event loop; see ``delete_by_filter``."""
        return await asyncio.to_thread(self.delete_by_filter, filters)

    async def update_by_filter_async(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Update without blocking the event loop; see ``update_by_filter``."""
        return await asyncio.to_thread(self.update_by_filter, filters, meta)


@component
class RagraphDocumentRetriever:
    """Searches a document store: ``RagraphDocumentRetriever(RagraphDocumentStore(), mode="text").run(query="snow")``.

    Args:
        document_store: the document store.
        mode: ``vector``, ``text``, ``hybrid`` or ``graph``, as in ``Store.search``.
        filters: Haystack's filters on meta.
        top_k: maximum number of documents.
    """

    def __init__(
        self,
        document_store: RagraphDocumentStore,
        *,
        mode: ModeName = "vector",
        filters: dict[str, Any] | None = None,
        top_k: int = HITS,
    ) -> None:
        if not isinstance(document_store, RagraphDocumentStore):
            raise ArgumentError("document_store is not a RagraphDocumentStore")
        check({"mode": mode, "k": top_k})
        _filter(filters)
        self.document_store = document_store
        self.mode = mode
        self.filters = filters
        self.top_k = top_k

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments, for ``Pipeline.dumps``."""
        store = self.document_store.to_dict()
        return default_to_dict(self, document_store=store, mode=self.mode, filters=self.filters, top_k=self.top_k)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RagraphDocumentRetriever:
        """Return a retriever from the result of ``to_dict``."""
        found: RagraphDocumentRetriever = default_from_dict(cls, _with_store(data))
        return found

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Search.

        Args:
            query: the query in words.
            filters: Haystack's filters, instead of those of the retriever.
            top_k: maximum number of documents, instead of that of the retriever.

        Returns:
            ``documents``, best first, with the scores of the mode; a long one once, by its best part. A node of an
            ingested file of the collection has the id ``DOCUMENT/NODE`` and the meta of ``RagraphRetriever``.

        Raises:
            FilterError: the filters are invalid.
            ArgumentError, ModelNotFoundError: as for ``Store.search``.
        """
        options = {
            "mode": self.mode,
            "match": "any" if self.mode == "text" else None,
            "filter": _filter(self.filters if filters is None else filters),
        }
        found = self.document_store.texts.search(query, self.top_k if top_k is None else top_k, options)
        return {"documents": [_found(text, hit) for text, hit in found]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Search without blocking the event loop; see ``run``."""
        return await asyncio.to_thread(self.run, query, filters, top_k)


@component
class RagraphEmbeddingRetriever:
    """Searches a document store by a vector, in a pipeline after an embedder: ``run(query_embedding=[...])``.

    The embedder must use the model of the store; ``RagraphDocumentRetriever`` embeds the query itself.

    Args:
        document_store: the document store.
        filters: Haystack's filters on meta.
        top_k: maximum number of documents.
    """

    def __init__(
        self, document_store: RagraphDocumentStore, *, filters: dict[str, Any] | None = None, top_k: int = HITS
    ) -> None:
        if not isinstance(document_store, RagraphDocumentStore):
            raise ArgumentError("document_store is not a RagraphDocumentStore")
        check({"k": top_k})
        _filter(filters)
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments, for ``Pipeline.dumps``."""
        store = self.document_store.to_dict()
        return default_to_dict(self, document_store=store, filters=self.filters, top_k=self.top_k)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RagraphEmbeddingRetriever:
        """Return a retriever from the result of ``to_dict``."""
        found: RagraphEmbeddingRetriever = default_from_dict(cls, _with_store(data))
        return found

    @component.output_types(documents=list[Document])
    def run(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Search.

        Args:
            query_embedding: the vector of the query under the model of the store, as ``Store.embed_query`` returns it.
            filters: Haystack's filters, instead of those of the retriever.
            top_k: maximum number of documents, instead of that of the retriever.

        Returns:
            ``documents``, best first, as ``RagraphDocumentRetriever`` returns them in mode ``vector``.

        Raises:
            FilterError: the filters are invalid.
            ArgumentError: the vector is none of this model.
            ModelNotFoundError: as for ``Store.search``.
        """
        options = {"filter": _filter(self.filters if filters is None else filters)}
        most = self.top_k if top_k is None else top_k
        found = self.document_store.texts.search_by_vector(query_embedding, most, options)
        return {"documents": [_found(text, hit) for text, hit in found]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Search without blocking the event loop; see ``run``."""
        return await asyncio.to_thread(self.run, query_embedding, filters, top_k)


def _with_store(data: dict[str, Any]) -> dict[str, Any]:
    """Return what ``to_dict`` of a retriever returned with its document store."""
    made = dict(data["init_parameters"])
    if isinstance(made["document_store"], dict):
        made["document_store"] = RagraphDocumentStore.from_dict(made["document_store"])
    return {**data, "init_parameters": made}


def _filter(filters: Mapping[str, Any] | None) -> Filter | None:
    try:
        return of_haystack(filters)
    except ArgumentError as error:
        raise FilterError(str(error)) from error


def _document(text: Text) -> Document:
    return Document(id=text.id, content=text.text, meta=text.metadata)


def _found(text: Text, hit: Hit) -> Document:
    likely = {} if hit.relevance is None else {"relevance": hit.relevance}
    return Document(id=text.id, content=text.text, meta={**text.metadata, **likely}, score=hit.score)


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
