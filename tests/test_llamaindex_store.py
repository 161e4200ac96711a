"""LlamaIndex: a collection as its vector store, used directly and by its index."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.schema import Document, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from ragraph.errors import ArgumentError
from ragraph.langchain import RagraphVectorStore as LangChainStore
from ragraph.llamaindex import RagraphVectorStore

if TYPE_CHECKING:
    from ragraph import Store


def node(name: str, text: str, source: str, **metadata: Any) -> TextNode:
    relationships = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source)}
    return TextNode(
        id_=name, text=text, metadata=metadata, relationships=relationships, excluded_llm_metadata_keys=["year"]
    )


NODES = [
    node("rain", "Rain falls on the hills.", "one", year=2020, kind="wet", tags=["a", "b"]),
    node("snow", "Snow is dear this year.", "one", year=2022, kind="cold", tags=["b"]),
    node("wind", "The wind turns at noon.", "two", year=2024),
]


@pytest.fixture
def weather(store: Store) -> RagraphVectorStore:
    made = RagraphVectorStore(store, collection="weather")
    assert made.add(NODES) == ["rain", "snow", "wind"]
    return made


def one(key: str, value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])


def any_of(*filters: MetadataFilters) -> MetadataFilters:
    return MetadataFilters(filters=list(filters), condition=FilterCondition.OR)


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (one("year", 2020), ["rain"]),
        (one("year", 2020, FilterOperator.NE), ["snow", "wind"]),
        (one("year", 2022, FilterOperator.GTE), ["snow", "wind"]),
        (one("year", 2022, FilterOperator.GT), ["wind"]),
        (one("year", 2022, FilterOperator.LT), ["rain"]),
        (one("year", 2022, FilterOperator.LTE), ["rain", "snow"]),
        (one("kind", ["wet", "dry"], FilterOperator.IN), ["rain"]),
        (one("kind", ["wet"], FilterOperator.NIN), ["snow", "wind"]),
        (one("tags", ["a", "c"], FilterOperator.ANY), ["rain"]),
        (one("tags", ["a", "b"], FilterOperator.ALL), ["rain"]),
        (one("tags", "b", FilterOperator.CONTAINS), ["rain", "snow"]),
        (one("kind", "ol", FilterOperator.TEXT_MATCH), ["snow"]),
        (one("kind", None, FilterOperator.IS_EMPTY), ["wind"]),
        (any_of(one("kind", "wet"), one("year", 2024)), ["rain", "wind"]),
        (MetadataFilters(filters=[one("year", 2020)], condition=FilterCondition.NOT), ["snow", "wind"]),
        (MetadataFilters(filters=[]), ["rain", "snow", "wind"]),
    ],
)
def test_filters_are_on_the_metadata(weather: RagraphVectorStore, filters: MetadataFilters, ids: list[str]) -> None:
    found = weather.query(VectorStoreQuery(query_str="weather", similarity_top_k=9, filters=filters))
    assert sorted(found.ids or []) == ids
    assert sorted(item.node_id for item in weather.get_nodes(filters=filters)) == ids


def test_a_vector_of_the_model_is_searched(weather: RagraphVectorStore, store: Store) -> None:
    vector = store.embed_query(NODES[1].text)
    assert (weather.query(VectorStoreQuery(query_embedding=vector, similarity_top_k=1)).ids or []) == ["snow"]
    with pytest.raises(ArgumentError, match="no query_str"):
        weather.query(VectorStoreQuery(query_embedding=vector, mode=VectorStoreQueryMode.HYBRID))
    with pytest.raises(ArgumentError, match="from 0 to 1, not 2"):
        weather.query(VectorStoreQuery(query_str="snow", mode=VectorStoreQueryMode.HYBRID, alpha=2.0))


def test_nodes_come_back_as_they_were(weather: RagraphVectorStore, store: Store) -> None:
    assert weather.get_nodes(["snow"]) == [NODES[1]]
    result = weather.query(VectorStoreQuery(query_str=NODES[1].text, similarity_top_k=2))
    assert (result.nodes or [])[0] == NODES[1]
    assert (result.ids or [])[0] == "snow" and (result.similarities or [])[0] > 0.99
    assert store.text("snow") == NODES[1].text
    assert weather.add(NODES) and store.check() == []
    assert LangChainStore(store, collection="weather").similarity_search("snow", 1)[0].id == "snow"


@pytest.mark.parametrize("mode", ["default", "hybrid", "semantic_hybrid", "sparse", "text_search"])
def test_modes_and_narrowing(weather: RagraphVectorStore, mode: str) -> None:
    how = VectorStoreQueryMode(mode)
    best = weather.query(VectorStoreQuery(query_str="the dear snow", similarity_top_k=1, mode=how, alpha=0.7))
    assert best.ids == ["snow"]
    (node,) = best.nodes or []
    relevance = node.metadata.get("relevance")
    assert relevance is None if mode == "default" else 0 < relevance <= 1
    assert "relevance" not in node.get_content(MetadataMode.LLM)
    named_mode = VectorStoreQuery(query_str="the dear snow", similarity_top_k=1, mode=mode)
    assert weather.query(named_mode).ids == ["snow"]
    narrowed = VectorStoreQuery(query_str="wind, rain", similarity_top_k=5, mode=how, doc_ids=["two"])
    assert asyncio.run(weather.aquery(narrowed)).ids == ["wind"]
    named = VectorStoreQuery(query_str="wind, rain", similarity_top_k=5, mode=how, node_ids=["rain"])
    assert weather.query(named).ids == ["rain"]


def test_what_the_store_lacks_is_refused(weather: RagraphVectorStore) -> None:
    with pytest.raises(ArgumentError, match="the vector has 2 dimensions"):
        weather.query(VectorStoreQuery(query_embedding=[0.1, 0.2]))
    with pytest.raises(ArgumentError, match="'mmr' is not known"):
        weather.query(VectorStoreQuery(query_str="snow", mode=VectorStoreQueryMode.MMR))
    with pytest.raises(ArgumentError, match="no operator"):
        weather.get_nodes(filters=one("kind", "wet", FilterOperator.TEXT_MATCH_INSENSITIVE))


def test_deletion(weather: RagraphVectorStore, store: Store) -> None:
    store.add({"id": "dl_file", "nodes": [{"key": "p", "type": "PARAGRAPH", "text": "Hail."}]}, collection="weather")
    result = weather.query(VectorStoreQuery(query_str="Hail.", similarity_top_k=1))
    assert (result.ids or [])[0].startswith("dl_file/") and (result.nodes or [])[0].ref_doc_id == "dl_file"
    weather.delete_nodes()
    weather.delete_nodes(["rain", "dl_file", "unknown"])
    assert [item.node_id for item in weather.get_nodes()] == ["snow", "wind"]
    asyncio.run(weather.adelete("one"))
    assert [item.node_id for item in asyncio.run(weather.aget_nodes())] == ["wind"]
    asyncio.run(weather.aclear())
    assert [document.id for document in store.documents()] == ["dl_file"]


def test_an_index_writes_and_finds(store: Store) -> None:
    index = VectorStoreIndex.from_vector_store(
        RagraphVectorStore(store, collection="notes"), embed_model=MockEmbedding(embed_dim=1)
    )
    index.insert(Document(text="Snow is dear.", id_="a", metadata={"year": 2024}))
    index.insert(Document(text="Rain falls.", id_="b", metadata={"year": 2020}))
    retriever = index.as_retriever(similarity_top_k=1)
    assert [found.node.ref_doc_id for found in retriever.retrieve("the price of snow")] == ["a"]
    assert [found.node.ref_doc_id for found in asyncio.run(retriever.aretrieve("rainfall"))] == ["b"]
    narrowed = index.as_retriever(filters=one("year", 2020))
    assert [found.node.ref_doc_id for found in narrowed.retrieve("the price of snow")] == ["b"]
    index.delete_ref_doc("b")
    assert [found.node.ref_doc_id for found in index.as_retriever().retrieve("rainfall")] == ["a"]
