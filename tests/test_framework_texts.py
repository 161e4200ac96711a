"""What the vector stores of all frameworks share: long texts, searches by vector, and refusals of wrong arguments."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from haystack import Document as HaystackDocument
from haystack import Pipeline
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery

from ragraph.errors import ArgumentError
from ragraph.haystack import RagraphDocumentRetriever, RagraphDocumentStore, RagraphEmbeddingRetriever
from ragraph.langchain import RagraphVectorStore
from ragraph.llamaindex import RagraphVectorStore as LlamaVectorStore
from ragraph.retrieval.search import nearest_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph import Store

SENTENCE = "Snow lies on the pass until the road is cleared in May. "
LONG = SENTENCE * (120_000 // len(SENTENCE))
TEXTS = {"long": LONG.strip(), "rain": "Rain falls on the hills.", "wind": "The wind turns at noon."}
IDS = [*TEXTS]
ONE: Any = 1
NO_STORE: Any = "x"


@pytest.fixture
def written(store: Store) -> Store:
    RagraphVectorStore(store, collection="notes").add_texts(list(TEXTS.values()), ids=IDS)
    return store


def by_langchain(store: Store, query: str, k: int) -> list[tuple[str | None, str]]:
    found = RagraphVectorStore(store, collection="notes").similarity_search(query, k)
    return [(item.id, item.page_content) for item in found]


def by_llamaindex(store: Store, query: str, k: int) -> list[tuple[str | None, str]]:
    asked = VectorStoreQuery(query_str=query, similarity_top_k=k)
    result = LlamaVectorStore(store, collection="notes").query(asked)
    return [(node.node_id, node.get_content()) for node in result.nodes or ()]


def by_haystack(store: Store, query: str, k: int) -> list[tuple[str | None, str]]:
    documents = RagraphDocumentStore(store=store, collection="notes")
    found = RagraphDocumentRetriever(documents, top_k=k).run(query)["documents"]
    return [(item.id, item.content or "") for item in found]


@pytest.mark.slow
def test_a_long_text_is_found_once_and_as_a_whole(written: Store) -> None:
    for search in (by_langchain, by_llamaindex, by_haystack):
        found = search(written, "snow on the pass", 3)
        assert sorted(name or "" for name, _ in found) == sorted(IDS)
        assert found[0] == ("long", TEXTS["long"])
        assert search(written, "snow on the pass", 1) == found[:1]


@pytest.fixture
def notes(store: Store) -> Store:
    texts = ["Snow lies on the pass.", "Snow is lying on the pass.", "Rain falls on the hills."]
    RagraphVectorStore(store, collection="notes").add_texts(texts, ids=["snow", "again", "rain"])
    return store


def test_searches_by_a_vector(notes: Store) -> None:
    weather = RagraphVectorStore(notes, collection="notes")
    vector = notes.embed_query("where is snow?")
    expected = weather.similarity_search_with_score("where is snow?", 3)
    assert weather.similarity_search_by_vector(vector, 3) == [found for found, _ in expected]
    assert [item.id for item in weather.similarity_search_by_vector(vector, 3, document="rain")] == ["rain"]
    retriever = RagraphEmbeddingRetriever(RagraphDocumentStore(store=notes, collection="notes"), top_k=2)
    found = retriever.run(query_embedding=vector)["documents"]
    assert [(item.id, item.score) for item in found] == [(item.id, score) for item, score in expected[:2]]
    wanted = {"field": "id", "operator": "==", "value": "rain"}
    assert [item.id for item in retriever.run(query_embedding=vector, filters=wanted)["documents"]] == ["rain"]
    for wrong, said in (([1.0], "1 dimensions"), ("x", "list of numbers"), ([0.0] * len(vector), "is zero")):
        with pytest.raises(ArgumentError, match=said):
            weather.similarity_search_by_vector(wrong)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="mode"):
        weather.similarity_search_by_vector(vector, mode="text")


def test_texts_that_differ(notes: Store) -> None:
    weather = RagraphVectorStore(notes, collection="notes")
    assert {item.id for item in weather.similarity_search("where is snow?", 2)} == {"snow", "again"}
    found = weather.max_marginal_relevance_search("where is snow?", 2, lambda_mult=0.1)
    assert "rain" in {item.id for item in found}
    assert len(weather.as_retriever(search_type="mmr", search_kwargs={"k": 2}).invoke("where is snow?")) == 2
    assert RagraphVectorStore(notes, collection="none").max_marginal_relevance_search("snow") == []


def test_a_text_deleted_during_a_search_for_texts_that_differ_is_left_out(
    notes: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    weather = RagraphVectorStore(notes, collection="notes")
    near = weather._near

    def near_and_deleted(*given: Any, **options: Any) -> Any:
        found = near(*given, **options)
        weather.delete(["snow"])
        return found

    monkeypatch.setattr(weather, "_near", near_and_deleted)
    found = weather.max_marginal_relevance_search("where is snow?", 3)
    assert {item.id: item.page_content for item in found} == {
        "again": "Snow is lying on the pass.",
        "rain": "Rain falls on the hills.",
    }


def test_the_nearest_vector_of_a_node_is_not_its_longest() -> None:
    parts = [np.array([1.0, 0.0], np.float32), np.array([30.0, 40.0], np.float32)]

    def rows(name: str, *_: Any) -> list[Any]:
        if name == "embedding_models":
            return [{"name": "m", "location": "m"}]
        return [{"document_id": "dl_1", "node_id": "cn_1", "embedding_vector": part} for part in parts]

    hits: Any = [SimpleNamespace(document_id="dl_1", node_id=name) for name in ("cn_1", "cn_gone")]
    found, gone = nearest_vectors(rows, hits, [1.0, 0.0], "m")
    assert found is parts[0]
    assert gone is None


def test_a_pipeline_with_the_retriever_by_vector_is_saved() -> None:
    pipeline = Pipeline()
    documents = RagraphDocumentStore(url=Secret.from_env_var("LIBRARY_URL"), collection="notes")
    pipeline.add_component("retriever", RagraphEmbeddingRetriever(documents, top_k=3))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["ragraph.haystack"])
    assert again.to_dict() == pipeline.to_dict()


@pytest.mark.parametrize(
    "call",
    [
        lambda store: RagraphVectorStore(store).delete([ONE]),
        lambda store: RagraphVectorStore(store).get_by_ids([ONE]),
        lambda store: RagraphVectorStore(store).add_texts(["x"], ids=[ONE]),
        lambda store: LlamaVectorStore(store).delete_nodes([ONE]),
        lambda store: LlamaVectorStore(store).get_nodes([ONE]),
        lambda store: LlamaVectorStore(store).add(["x"]),
        lambda store: LlamaVectorStore(store).add(TextNode(text="x")),
        lambda store: RagraphDocumentStore(store=store).delete_documents([ONE]),
        lambda store: RagraphDocumentStore(store=store).write_documents(
            [HaystackDocument(id=ONE, content="x")], DuplicatePolicy.SKIP
        ),
        lambda _: RagraphVectorStore(NO_STORE),
        lambda _: LlamaVectorStore(NO_STORE),
        lambda _: RagraphDocumentStore(store=NO_STORE).count_documents(),
        lambda store: RagraphVectorStore(store, collection=""),
        lambda store: LlamaVectorStore(store, collection=""),
        lambda store: RagraphDocumentStore(store=store, collection="").count_documents(),
        lambda store: RagraphVectorStore(store, model=ONE),
    ],
)
def test_wrong_arguments_are_refused(store: Store, call: Callable[[Any], Any]) -> None:
    with pytest.raises(ArgumentError):
        call(store)
