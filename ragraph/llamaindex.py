"""The store as a retriever of LlamaIndex; needs the extra ``ragraph-store[llamaindex]``."""

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

    A node is a node of the store, its metadata the hit with its citation: pages, boxes, section path. With ``expand``
    it is a block of a context. Of the metadata a language model is shown the citation, an embedding model nothing.

    Args:
        store: an open store; it stays open.
        url: of the database to open where no store is given; None as of ``ragraph.open``.
        callback_manager: of LlamaIndex.
        **options: as ``ragraph.faces.frameworks.RetrieverOptions`` describes them: ``k``, ``mode``, ``expand``,
            ``token_budget``, ``document``, ``section``, ``pages``, ``filter`` and the others of ``Store.search``.

    Raises:
        ArgumentError, TypeError: the options say no place to look.
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
    """Give drafts for ``Store.add_many`` of documents as readers give them: one of each file, with its pages.

    Documents that follow on each other with the same ``file_path`` are one document, and those of them with a
    ``page_label`` its pages in their order. Give what a reader gave, not what a splitter cut: the store cuts itself.

    Args:
        documents: taken one at a time.
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
