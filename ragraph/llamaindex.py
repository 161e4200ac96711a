"""The store as a LlamaIndex retriever; needs the extra ``ragraph-store[llamaindex]``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
except ModuleNotFoundError as error:
    from ragraph.faces.frameworks import missing

    raise missing("llamaindex", error) from None

from ragraph.faces.framework_drafts import Piece, drafts_of
from ragraph.faces.frameworks import RetrieverOptions, StoreSource, check, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Unpack

    from llama_index.core.schema import BaseNode

    from ragraph.faces.frameworks import Found
    from ragraph.store.store import Store

__all__ = ["RagraphRetriever", "drafts"]


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
