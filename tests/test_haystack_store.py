"""Haystack's own tests of document stores, and what they do not look at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from haystack import Document, Pipeline
from haystack.components.writers import DocumentWriter
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.testing.document_store import DocumentStoreBaseExtendedTests
from haystack.testing.document_store_async import (
    CountDocumentsAsyncTest,
    DeleteAllAsyncTest,
    DeleteByFilterAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    UpdateByFilterAsyncTest,
    WriteDocumentsAsyncTest,
)
from haystack.utils import Secret

from ragraph.errors import ArgumentError
from ragraph.haystack import RagraphDocumentRetriever, RagraphDocumentStore

if TYPE_CHECKING:
    from ragraph import Store


class _Theirs:
    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    def document_store(self, store: Store) -> RagraphDocumentStore:
        return RagraphDocumentStore(store=store, collection="theirs")

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        """As theirs, but the store embeds by itself, and documents written together have no order."""
        plain = [replace(item, embedding=None) for item in expected]
        assert sorted(received, key=lambda item: item.id) == sorted(plain, key=lambda item: item.id)


class TestDocumentStore(_Theirs, DocumentStoreBaseExtendedTests):
    def test_write_documents(self, document_store: Any) -> None:
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])


@pytest.mark.anyio
class TestDocumentStoreAsync(
    _Theirs,
    CountDocumentsAsyncTest,
    DeleteAllAsyncTest,
    DeleteByFilterAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    UpdateByFilterAsyncTest,
    WriteDocumentsAsyncTest,
):
    async def test_write_documents_async(self, document_store: Any) -> None:
        document = Document(content="test doc")
        assert await document_store.write_documents_async([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            await document_store.write_documents_async([document])


WEATHER = [
    Document(id="rain", content="Rain falls on the hills.", meta={"year": 2020, "kind": "wet"}),
    Document(id="snow", content="Snow is dear this year.", meta={"year": 2022}),
]


def test_a_pipeline_writes_and_another_one_finds(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRARY", database_url)
    documents = RagraphDocumentStore(url=Secret.from_env_var("LIBRARY"), collection="weather")
    writing = Pipeline()
    writing.add_component("writer", DocumentWriter(documents, policy=DuplicatePolicy.OVERWRITE))
    assert writing.run({"writer": {"documents": WEATHER}}) == {"writer": {"documents_written": 2}}
    finding = Pipeline()
    for mode in ("vector", "text", "hybrid"):
        finding.add_component(mode, RagraphDocumentRetriever(documents, mode=mode, top_k=1))
    written = finding.dumps()
    assert database_url not in written
    again = Pipeline.loads(written, allowed_modules=["ragraph.haystack"])
    found = again.run({mode: {"query": "snow"} for mode in ("vector", "text", "hybrid")})
    for mode in ("vector", "text", "hybrid"):
        (best,) = found[mode]["documents"]
        relevance = best.meta.pop("relevance", None)
        assert relevance is None if mode == "vector" else 0 < relevance <= 1
        assert (best.id, best.content, best.meta) == ("snow", WEATHER[1].content, {"year": 2022})
        assert best.score > 0


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({"field": "meta.kind", "operator": "==", "value": "wet"}, ["rain"]),
        ({"field": "year", "operator": ">", "value": 2020}, ["snow"]),
        ({"field": "id", "operator": "in", "value": ["snow"]}, ["snow"]),
        ({"operator": "NOT", "conditions": [{"field": "meta.year", "operator": "<=", "value": 2021}]}, ["snow"]),
        ({}, ["rain", "snow"]),
    ],
)
def test_filters_narrow_a_search(store: Store, filters: Any, ids: list[str]) -> None:
    documents = RagraphDocumentStore(store=store, collection="weather")
    documents.write_documents(WEATHER)
    retriever = RagraphDocumentRetriever(documents)
    assert sorted(item.id for item in retriever.run("weather", filters)["documents"]) == ids
    assert sorted(item.id for item in documents.filter_documents(filters)) == ids
    made_with = RagraphDocumentRetriever(documents, filters=filters)
    assert sorted(item.id for item in made_with.run("weather")["documents"]) == ids
    assert len(made_with.run("weather", {}, 1)["documents"]) == 1


def test_what_is_wrong_is_refused(store: Store) -> None:
    documents = RagraphDocumentStore(store=store)
    assert RagraphDocumentRetriever(documents).run("anything") == {"documents": []}
    with pytest.raises(FilterError, match="is not an operator"):
        RagraphDocumentRetriever(documents, filters={"field": "meta.a", "operator": "like", "value": "x"})
    for name in ("content", "meta.", "", "meta", "score"):
        with pytest.raises(FilterError, match="on id and on keys of meta"):
            documents.filter_documents({"field": name, "operator": "==", "value": "Sun"})
    for wrong in ({"mode": "foo"}, {"top_k": 0}):
        with pytest.raises(ArgumentError):
            RagraphDocumentRetriever(documents, **wrong)
    with pytest.raises(FilterError, match="delete_all_documents"):
        documents.delete_by_filter({})
    with pytest.raises(ArgumentError, match="create it with a url"):
        documents.to_dict()
    with pytest.raises(DuplicateDocumentError):
        documents.write_documents([WEATHER[0], WEATHER[0]])
    assert documents.write_documents([WEATHER[0], WEATHER[0]], DuplicatePolicy.SKIP) == 1
    store.add({"id": "dl_file", "nodes": [{"key": "p", "type": "PARAGRAPH", "text": "Hail breaks glass."}]})
    with pytest.raises(ArgumentError, match="not written as a text"):
        documents.write_documents([Document(id="dl_file", content="Mine.")], DuplicatePolicy.OVERWRITE)
    documents.delete_all_documents()
    assert [document.id for document in store.documents()] == ["dl_file"]
