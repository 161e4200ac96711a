"""The store as a LlamaIndex vector store, retriever and reader; needs the extra ``ragraph-store[llamaindex]``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        BaseNode,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
    from llama_index.core.schema import Document as LlamaDocument
    from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQueryResult
    from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict
except ModuleNotFoundError as error:
    from ragraph.faces.frameworks import missing

    raise missing("llamaindex", error) from None

from ragraph.base.arguments import refusal, several, texts
from ragraph.errors import ArgumentError
from ragraph.faces.framework_drafts import Piece, drafts_of
from ragraph.faces.framework_filters import of_llamaindex
from ragraph.faces.framework_texts import Text, Texts
from ragraph.faces.frameworks import RetrieverOptions, StoreSource, check, find, found_of
from ragraph.filters import And, Filter, field
from ragraph.search import Weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Unpack

    from llama_index.core.vector_stores.types import MetadataFilters, VectorStoreQuery

    from ragraph.faces.frameworks import Found
    from ragraph.schema.results import Hit
    from ragraph.store.store import Store

__all__ = ["RagraphReader", "RagraphRetriever", "RagraphVectorStore", "drafts"]

_MODES = {
    "default": "vector",
    "hybrid": "hybrid",
    "semantic_hybrid": "hybrid",
    "sparse": "text",
    "text_search": "text",
}
"""Search modes by LlamaIndex's names of query modes."""

_OWN = ("_node_content", "_node_type", "ref_doc_id")
"""Keys of the metadata that hold the rest of a node, as in other vector stores of LlamaIndex."""


class RagraphRetriever(BaseRetriever):  # type: ignore[misc]
    """Searches a store: ``RagraphRetriever(store=store, k=5, document="dl_x", section="3.1").retrieve("a question")``.

    A node is a node of the store, with the hit and its citation as metadata: pages, bounding boxes, section path. With
    ``expand`` it is a block of a context. Language models see only the citation of the metadata, embedding models none
    of it.

    Args:
        store: an open store, which stays open.
        url: database to open if no store is set; None as in ``ragraph.open``.
        callback_manager: LlamaIndex's callback manager.
        **options: see ``ragraph.faces.frameworks.RetrieverOptions``: ``k``, ``mode``, ``expand``, ``token_budget``,
            ``document``, ``section``, ``pages``, ``filter`` and the others of ``Store.search``.

    Raises:
        ArgumentError, TypeError: the options are not a valid scope.
    """

    def __init__(
        self,
        *,
        store: Store | None = None,
        url: str | None = None,
        callback_manager: Any = None,
        **options: Unpack[RetrieverOptions],
    ) -> None:
        check(options)
        self._source = StoreSource(store, url)
        self._options = options
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(found) for found in find(self._source(), query_bundle.query_str, self._options)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class RagraphReader(BaseReader):  # type: ignore[misc]
    """Reads the documents of a store as clean Markdown: ``RagraphReader(store=store).load_data(collection="reports")``.

    Each is a document of LlamaIndex under its id, with title, authors, date, collection, language and place of its file
    as metadata, as far as they are known.

    Args:
        store: an open store, which stays open.
        url: database to open if no store is set; None as in ``ragraph.open``.
    """

    def __init__(self, *, store: Store | None = None, url: str | None = None) -> None:
        self._source = StoreSource(store, url)

    def lazy_load_data(
        self,
        document: str | Sequence[str] | None = None,
        *,
        collection: str | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
    ) -> Iterator[LlamaDocument]:
        """Yield the documents in the order of their ingestion; see ``Store.documents``.

        Raises:
            ArgumentError: the filter is not valid.
        """
        store = self._source()
        for found in store.documents(document=document, collection=collection, filter=filter):
            known = {
                "title": found.title,
                "authors": found.authors,
                "publication_date": found.publication_date and found.publication_date.isoformat(),
                "collection": found.collection,
                "language": found.language,
                "source_uri": found.source_uri,
            }
            metadata = {name: value for name, value in known.items() if value}
            yield LlamaDocument(id_=found.id, text=store.render(found.id), metadata=metadata)


class RagraphVectorStore(BasePydanticVectorStore):  # type: ignore[misc]
    """A collection of a store as a vector store: ``VectorStoreIndex.from_vector_store(RagraphVectorStore(store))``.

    Each LlamaIndex node is a document of the store, under its id, with its text and metadata. The store embeds texts
    and queries itself, so queries need ``query_str``; embeddings of nodes are not stored. Searches cover
    the whole collection, ingested files too. Only nodes that were added are listed, overwritten and deleted.

    Args:
        store: an open store, which stays open.
        url: database to open if no store is set; None as in ``ragraph.open``.
        collection: collection to write to and to search in.
        model: embedding model, by its name in the store or its place; None for the current one.
    """

    stores_text: bool = True
    is_embedding_query: bool = False
    collection: str = "default"
    model: str | None = None

    _source: StoreSource = PrivateAttr()
    _texts: Texts = PrivateAttr()

    def __init__(
        self,
        store: Store | None = None,
        *,
        url: str | None = None,
        collection: str = "default",
        model: str | None = None,
    ) -> None:
        super().__init__(collection=collection, model=model)
        self._source = StoreSource(store, url)
        self._texts = Texts(self._source, collection, model)

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in LlamaIndex's JSON."""
        return "RagraphVectorStore"

    @property
    def client(self) -> Store:
        """The store."""
        return self._source()

    def add(self, nodes: Sequence[BaseNode], **add_kwargs: Any) -> list[str]:
        """Write nodes and return their ids; of a known id, what changed is written and embedded.

        Raises:
            ArgumentError: there is something else than nodes, or an id is that of a document that was not written as a
                text of this collection.
            IngestError: a node has no text, or an invalid id; the others are written.
        """
        for node in (given := several("nodes", "a list of nodes", nodes)):
            if not isinstance(node, BaseNode):
                raise refusal("nodes", "a list of nodes", node)
        self._texts.write([_written(node) for node in given])
        return [node.node_id for node in given]

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """Return the nodes with these ids that pass filters, in the order in which they were written."""
        return [_restored(text) for text in self._chosen(node_ids, filters)]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Delete the nodes that were made of this LlamaIndex document."""
        found = self._texts.filtered(field("metadata.ref_doc_id") == ref_doc_id)
        self._texts.delete([text.id for text in found])

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Delete the nodes with these ids that pass filters; nothing if neither is set, see ``clear``."""
        if node_ids is not None or filters is not None:
            self._texts.delete([text.id for text in self._chosen(node_ids, filters)])

    def clear(self) -> None:
        """Delete all nodes that were added to the collection."""
        self._texts.delete()

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Search.

        Args:
            query: with ``query_str``, or in mode default with a vector of the store's model as ``query_embedding``.
                Modes: default (vectors), hybrid and semantic_hybrid, sparse and text_search (words). ``alpha`` is the
                share of vectors in a hybrid search.
            **kwargs: other options of ``Store.search``, such as ``types`` and ``pages``.

        Returns:
            Nodes, ids and scores, best first; a long one once, by its best part. A node of an ingested file has the id
            ``DOCUMENT/NODE`` and the metadata of ``RagraphRetriever``.

        Raises:
            ArgumentError: the query has neither, or a mode that the store lacks, or invalid filters.
            ModelNotFoundError: as for ``Store.search``.
        """
        given = getattr(query.mode, "value", query.mode)  # the name of a mode is accepted too
        if (mode := _MODES.get(given)) is None:
            raise ArgumentError(f"query mode {given!r} is not known; use {', '.join(_MODES)}")
        options: dict[str, Any] = {"mode": mode, **kwargs, "filter": _filter(query)}
        k = query.similarity_top_k
        if query.alpha is not None and not 0 <= query.alpha <= 1:
            raise ArgumentError(f"alpha is the share of vectors, from 0 to 1, not {query.alpha}")
        if mode == "text":
            options.setdefault("match", "any")
        elif mode == "hybrid":
            k = query.hybrid_top_k or k
            if query.alpha is not None:
                options["weights"] = Weights(vector=query.alpha, text=1 - query.alpha)
        if query.query_str is not None:
            found = self._texts.search(query.query_str, k, options)
        elif mode == "vector" and query.query_embedding is not None:
            found = self._texts.search_by_vector(query.query_embedding, k, {**kwargs, "filter": options["filter"]})
        else:
            raise ArgumentError("the query has no query_str; a query_embedding alone is for mode 'default'")
        return VectorStoreQueryResult(
            nodes=[_found(text, hit) for text, hit in found],
            similarities=[hit.score for _, hit in found],
            ids=[text.id for text, _ in found],
        )

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Write without blocking the event loop; see ``add``."""
        return await asyncio.to_thread(self.add, nodes, **kwargs)

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Read without blocking the event loop; see ``get_nodes``."""
        return await asyncio.to_thread(self.get_nodes, node_ids, filters)

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Delete without blocking the event loop; see ``delete``."""
        await asyncio.to_thread(self.delete, ref_doc_id)

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Delete without blocking the event loop; see ``delete_nodes``."""
        await asyncio.to_thread(self.delete_nodes, node_ids, filters)

    async def aclear(self) -> None:
        """Delete without blocking the event loop; see ``clear``."""
        await asyncio.to_thread(self.clear)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Search without blocking the event loop; see ``query``."""
        return await asyncio.to_thread(self.query, query, **kwargs)

    def _chosen(self, node_ids: list[str] | None, filters: MetadataFilters | None) -> list[Text]:
        if filters is None:
            return self._texts.read(node_ids)
        found = self._texts.filtered(of_llamaindex(filters))
        ids = texts("node_ids", node_ids)
        return found if ids is None else [text for text in found if text.id in set(ids)]


def drafts(documents: Iterable[BaseNode]) -> Iterator[dict[str, Any]]:
    """Yield drafts for ``Store.add_many`` from the documents of readers: one draft for each file, with its pages.

    Consecutive documents with the same ``file_path`` become one draft, and those with a ``page_label`` its pages in
    their order. Pass documents from a reader, not from a splitter, because the store makes its own chunks.

    Args:
        documents: documents, consumed one at a time.
    """
    return drafts_of(_pieces(documents), "llamaindex")


def _pieces(documents: Iterable[BaseNode]) -> Iterator[Piece]:
    before: str | None = None
    page = 0
    for document in documents:
        source = document.metadata.get("file_path") or document.ref_doc_id or document.node_id
        label = document.metadata.get("page_label")
        page = page + 1 if source == before else 1
        before = source
        yield Piece(
            source=source,
            text=document.get_content(),
            page=None if label is None else page,
            label=label,
            metadata={name: value for name, value in document.metadata.items() if name != "page_label"},
        )


def _filter(query: VectorStoreQuery) -> Filter | None:
    """Return the conditions of a query on metadata, nodes and LlamaIndex documents."""
    made = [of_llamaindex(query.filters)]
    if query.node_ids:  # VectorStoreIndex passes an empty list if the vector store has the texts
        made.append(field("document_id").is_in(query.node_ids))
    if query.doc_ids:
        made.append(field("metadata.ref_doc_id").is_in(query.doc_ids))
    parts = tuple(part for part in made if part is not None)
    return And(parts) if parts else None


def _written(node: BaseNode) -> Text:
    metadata = node_to_metadata_dict(node, remove_text=True)
    of = {"ref_doc_id": node.ref_doc_id} if node.ref_doc_id else {}
    rest = {name: metadata[name] for name in ("_node_content", "_node_type")}
    return Text(id=node.node_id, text=node.get_content(), metadata={**node.metadata, **rest, **of})


def _restored(text: Text) -> BaseNode:
    own = {name: value for name, value in text.metadata.items() if name not in _OWN}
    if "_node_content" not in text.metadata:  # written by another framework
        return TextNode(id_=text.id, text=text.text, metadata=own)
    node = metadata_dict_to_node(text.metadata, text=text.text)
    node.metadata = own
    return node


def _found(text: Text, hit: Hit) -> BaseNode:
    if text.id != hit.document_id:
        return _node(found_of(hit)).node
    node = _restored(text)
    if hit.relevance is not None:
        node.metadata = {**node.metadata, "relevance": hit.relevance}
        node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, "relevance"]
        node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, "relevance"]
    return node


def _node(found: Found) -> NodeWithScore:
    node = TextNode(
        id_=found.id,
        text=found.text,
        metadata=found.metadata,
        excluded_llm_metadata_keys=[name for name in found.metadata if name != "citation"],
        excluded_embed_metadata_keys=list(found.metadata),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=found.document_id)},
    )
    return NodeWithScore(node=node, score=found.score)
