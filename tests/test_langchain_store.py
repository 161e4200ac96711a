"""LangChain's own tests of vector stores, unchanged, and what they do not look at."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_tests.integration_tests import VectorStoreIntegrationTests

from ragraph.errors import ArgumentError, IngestError
from ragraph.faces.framework_texts import relevance
from ragraph.filters import field
from ragraph.langchain import RagraphVectorStore

if TYPE_CHECKING:
    from ragraph import Store

TEXTS = ["Rain falls on the hills.", "Snow is dear this year.", "The wind turns at noon."]
METADATA: list[dict[str, Any]] = [
    {"year": 2020, "kind": "wet", "tags": ["a", "b"], "day": date(2020, 1, 2)},
    {"year": 2022, "kind": "cold", "tags": ["b"], "title": "On snow"},
    {"year": 2024, "open": False, "source": "/notes/wind.txt"},
]
IDS = ["rain", "snow", "wind"]


@pytest.mark.anyio
class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    def vectorstore(self, store: Store) -> RagraphVectorStore:
        return RagraphVectorStore(store, collection="theirs")


@pytest.fixture
def weather(store: Store) -> RagraphVectorStore:
    return RagraphVectorStore.from_texts(TEXTS, None, METADATA, ids=IDS, store=store, collection="weather")


def found(weather: RagraphVectorStore, **options: Any) -> list[str]:
    return sorted(str(item.id) for item in weather.similarity_search("weather", 10, **options))


@pytest.mark.parametrize(
    ("filter", "ids"),
    [
        ({"year": 2020}, ["rain"]),
        ({"year": {"$gte": 2022}}, ["snow", "wind"]),
        ({"year": {"$gt": 2020, "$lt": 2024}}, ["snow"]),
        ({"year": {"$between": [2020, 2022]}}, ["rain", "snow"]),
        ({"kind": {"$in": ["wet", "dry"]}}, ["rain"]),
        ({"kind": {"$nin": ["wet"]}}, ["snow", "wind"]),
        ({"kind": {"$ne": "wet"}, "year": {"$lte": 2022}}, ["snow"]),
        ({"kind": {"$exists": False}}, ["wind"]),
        ({"open": {"$exists": True}}, ["wind"]),
        ({"kind": None}, ["wind"]),
        ({"kind": {"$ne": None}}, ["rain", "snow"]),
        ({"tags": "a"}, ["rain"]),
        ({"tags": {"$contains": "b"}}, ["rain", "snow"]),
        ({"day": date(2020, 1, 2)}, ["rain"]),
        ({"title": "On snow"}, ["snow"]),
        ({"$or": [{"kind": "wet"}, {"open": False}]}, ["rain", "wind"]),
        ({"$and": [{"kind": "wet"}, {"year": 2022}]}, []),
        ({"$not": {"kind": "wet"}}, ["snow", "wind"]),
        ({"$not": [{"kind": "wet"}]}, ["snow", "wind"]),
        ({"$not": [{"kind": "wet"}, {"year": 2022}]}, ["wind"]),
        ({}, IDS),
        (field("metadata.year") >= 2024, ["wind"]),
    ],
)
def test_filters_are_on_the_metadata(weather: RagraphVectorStore, filter: Any, ids: list[str]) -> None:
    assert found(weather, filter=filter) == sorted(ids)


@pytest.mark.parametrize(
    "filter",
    [
        "year = 2020",
        {"year": {"$regex": "2"}},
        {"$nor": []},
        {"$or": []},
        {"year": {"$between": [1]}},
        {"$not": None},
        {"$not": []},
    ],
)
def test_what_is_no_filter_is_refused(weather: RagraphVectorStore, filter: Any) -> None:
    with pytest.raises(ArgumentError):
        weather.similarity_search("weather", filter=filter)


def test_a_text_is_a_document_of_the_store(weather: RagraphVectorStore, store: Store) -> None:
    details = store.document("rain")
    assert (details.document.collection, details.document.nodes) == ("weather", 1)
    assert details.metadata == {"year": 2020, "kind": "wet", "tags": ["a", "b"], "day": "2020-01-02"}
    assert [store.document(name).document.title for name in IDS] == [TEXTS[0], "On snow", "wind.txt"]
    assert store.text("snow") == TEXTS[1]
    assert store.search("snow", 1, collection="weather")[0].document_id == "snow"
    assert store.check() == []


def test_only_what_changed_is_written(weather: RagraphVectorStore, store: Store) -> None:
    before = {name: (store.document(name).document.processed_at, store.nodes(name)[0].id) for name in IDS}
    weather.add_texts(TEXTS, [METADATA[0] | {"year": 2021}, METADATA[1], METADATA[2]], ids=IDS)
    after = {name: (store.document(name).document.processed_at, store.nodes(name)[0].id) for name in IDS}
    assert after["snow"] == before["snow"] and after["wind"] == before["wind"]
    assert after["rain"][1] == before["rain"][1] and found(weather, filter={"year": 2021}) == ["rain"]
    weather.add_documents([Document(id="rain", page_content="It rains.", metadata={"kind": "wet"})])
    assert weather.get_by_ids(["rain"]) == [Document(id="rain", page_content="It rains.", metadata={"kind": "wet"})]


def test_numbers_of_numpy_are_numbers(weather: RagraphVectorStore) -> None:
    metadata = {
        "year": np.int64(2031),
        "depth": np.float32(1.5),
        "dear": np.bool_(True),
        "at": np.datetime64("2031-01-02"),
    }
    weather.add_texts(["Hail breaks glass."], [metadata], ids=["hail"])
    try:
        (hail,) = weather.similarity_search("hail", 3, filter={"year": {"$gte": np.int64(2030)}})
        assert hail.metadata == {"year": 2031, "depth": 1.5, "dear": True, "at": "2031-01-02"}
    finally:
        weather.delete(["hail"])


def test_scores_and_relevance(weather: RagraphVectorStore, store: Store) -> None:
    scored = weather.similarity_search_with_score(TEXTS[1], 3)
    assert scored[0][0].id == "snow"
    assert [score for _, score in scored] == sorted((score for _, score in scored), reverse=True)
    relevant = weather.similarity_search_with_relevance_scores(TEXTS[1], 3)
    assert all(0 <= score <= 1 for _, score in relevant) and relevant[0][1] > 0.99
    least = (relevant[0][1] + relevant[1][1]) / 2
    only = weather.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"k": 3, "score_threshold": least}
    )
    assert [document.id for document in only.invoke(TEXTS[1])] == ["snow"]
    assert [document.id for document in asyncio.run(only.ainvoke(TEXTS[1]))] == ["snow"]
    likely = weather.similarity_search_with_relevance_scores(TEXTS[1], 3, mode="hybrid")
    assert likely[0][0].id == "snow" and all(0 <= score <= 1 for _, score in likely)
    (hit,) = store.search(TEXTS[1], 1, collection="weather")
    assert relevance(hit) == hit.relevance
    with pytest.raises(ArgumentError, match="is not known"):
        relevance(replace(hit, relevance=None))


def test_a_retriever_has_options_of_the_search(weather: RagraphVectorStore) -> None:
    retriever = weather.as_retriever(search_kwargs={"k": 2, "mode": "text", "match": "any", "filter": {"kind": "wet"}})
    assert [document.id for document in retriever.invoke("rain or snow")] == ["rain"]
    with pytest.raises(TypeError, match="no argument 'top_k'"):
        weather.similarity_search("snow", top_k=3)
    with pytest.raises(TypeError, match="that of the vector store"):
        weather.similarity_search("snow", collection="other")


def test_files_of_the_collection_are_found_and_never_overwritten(store: Store) -> None:
    store.add({"id": "dl_file", "nodes": [{"key": "p", "type": "PARAGRAPH", "text": "Hail breaks glass."}]})
    notes = RagraphVectorStore(store)
    notes.add_texts(["Fog is thick."], ids=["fog"])
    hail, fog = notes.similarity_search("Hail breaks glass.", 2)
    assert (hail.id or "").startswith("dl_file/") and hail.metadata["document_id"] == "dl_file"
    assert (fog.id, fog.metadata) == ("fog", {})
    with pytest.raises(ArgumentError, match="not written as a text"):
        notes.add_texts(["Mine."], ids=["dl_file"])
    other = RagraphVectorStore(store, collection="other")
    with pytest.raises(ArgumentError, match="not written as a text"):
        other.add_texts(["Mine."], ids=["fog"])
    assert other.get_by_ids(["fog"]) == []
    assert other.similarity_search("fog") == []
    other.delete(["fog", "dl_file"])
    notes.delete()
    assert [document.id for document in store.documents()] == ["dl_file"]


def test_what_cannot_be_written_is_reported(store: Store) -> None:
    notes = RagraphVectorStore(store)
    with pytest.raises(IngestError, match="1 of 2 texts could not be written; empty: "):
        notes.add_texts(["", "Something."], ids=["empty", "full"])
    assert [document.id for document in notes.get_by_ids(["full", "empty"])] == ["full"]
    for given, said in (
        ((["a", "b"], [{}]), "2 texts have 1 metadatas"),
        ((["a", None],), "takes text, not None"),
        ((["a"], [["year", 2020]]), "takes a mapping"),
    ):
        with pytest.raises(ArgumentError, match=said):
            notes.add_texts(*given)
    with pytest.raises(ArgumentError, match="2 texts have 1 ids"):
        notes.add_texts(["a", "b"], ids=["a"])
    with pytest.raises(ArgumentError, match="an id takes text"):
        notes.add_texts(["a"], ids=[5])  # type: ignore[list-item]
    assert [document.id for document in store.documents()] == ["full"]
    with pytest.raises(ArgumentError, match="embeds texts itself"):
        RagraphVectorStore.from_texts(["a"], object(), store=store)  # type: ignore[arg-type]
    assert notes.add_texts([]) == []


def test_the_text_stays_as_it_is(store: Store) -> None:
    text = "  # Not a heading\n\nfirst *paragraph*\n\n\n- second  \n"
    notes = RagraphVectorStore(store, collection="notes")
    (name,) = notes.add_texts([text])
    assert notes.get_by_ids([name])[0].page_content == text
    assert notes.similarity_search("paragraph")[0].page_content == text
