"""LlamaIndex: the store as its retriever gives what the store gives."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.schema import MetadataMode
from retrieval_cases import inside, questions, scopes
from sample_library import BOOK, GUIDE

from ragraph.errors import ArgumentError
from ragraph.llamaindex import RagraphReader, RagraphRetriever

if TYPE_CHECKING:
    from ragraph import Store


def ids(found: Any) -> list[tuple[str, str]]:
    return [(item.node.metadata["document_id"], item.node.metadata["node_id"]) for item in found]


def test_the_same_nodes_in_the_same_order_as_the_store(library: Store) -> None:
    found_any = 0
    for query, options in questions(library):
        hits = library.search(query, **options)
        retriever = RagraphRetriever(store=library, **options)
        found = retriever.retrieve(query)
        assert ids(found) == [(hit.document_id, hit.node_id) for hit in hits]
        assert [item.score for item in found] == [hit.score for hit in hits]
        assert ids(asyncio.run(retriever.aretrieve(query))) == ids(found)
        found_any += bool(hits)
    assert found_any > 40


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nothing_is_found_outside_the_scope(library: Store, data: st.DataObject) -> None:
    options = data.draw(scopes(library))
    allowed = inside(library, options)
    found = ids(RagraphRetriever(store=library, **options).retrieve("the price of land and corn"))
    assert set(found) <= allowed.keys()
    assert found or not any(node.content_node_type == "PARAGRAPH" for node in allowed.values())


def test_a_node_knows_its_document_and_shows_a_model_its_citation_alone(library: Store) -> None:
    (hit,) = library.search("the price of corn", 1, document=BOOK)
    (found,) = RagraphRetriever(store=library, k=1, document=BOOK).retrieve("the price of corn")
    assert found.node.ref_doc_id == BOOK
    assert found.node.metadata["boxes"] == hit.citation.boxes
    assert found.node.get_content(MetadataMode.LLM) == f"citation: {hit.citation}\n\n{hit.content}"
    assert found.node.get_content(MetadataMode.EMBED) == hit.content


def test_expansion_gives_the_blocks_of_the_context(library: Store) -> None:
    context = library.context("the price of corn", 500, document=BOOK)
    found = RagraphRetriever(store=library, expand="auto", token_budget=500, document=BOOK).retrieve(
        "the price of corn"
    )
    assert [item.node.text for item in found] == [block.text for block in context.blocks] != []


def test_threads_and_tasks_get_the_same(library: Store) -> None:
    retriever = RagraphRetriever(store=library, k=5)
    asked = [query for query, _ in questions(library, 12)]
    alone = [ids(retriever.retrieve(query)) for query in asked]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda query: ids(retriever.retrieve(query)), asked)) == alone

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(retriever.aretrieve(query) for query in asked))

    assert [ids(found) for found in asyncio.run(all_at_once())] == alone


def test_a_query_engine_answers_from_a_store_that_the_retriever_opens(library_url: str) -> None:
    retriever = RagraphRetriever(url=library_url, k=2, document=GUIDE)
    synthesizer = get_response_synthesizer(llm=MockLLM(), response_mode=ResponseMode.COMPACT)
    answered = RetrieverQueryEngine(retriever=retriever, response_synthesizer=synthesizer).query("plants")
    assert [node.node.ref_doc_id for node in answered.source_nodes] == [GUIDE, GUIDE]


def test_where_to_look_is_checked_when_the_retriever_is_made(library: Store) -> None:
    with pytest.raises(ArgumentError, match="a section needs its document"):
        RagraphRetriever(store=library, section="3.1")
    with pytest.raises(TypeError, match="top_k"):
        RagraphRetriever(store=library, top_k=3)  # type: ignore[call-arg]


def test_the_reader_gives_documents_as_markdown(library: Store) -> None:
    reader = RagraphReader(store=library)
    found = reader.load_data()
    assert [item.id_ for item in found] == [item.id for item in library.documents()]
    (book,) = reader.load_data(BOOK)
    assert book.text == library.render(BOOK)
    details = library.document(BOOK).document
    assert (book.metadata["title"], book.metadata["collection"]) == (details.title, details.collection)
    assert None not in book.metadata.values()
    (only,) = asyncio.run(reader.aload_data(filter={"title": details.title}))
    assert only.id_ == BOOK
    with pytest.raises(ArgumentError):
        reader.load_data(filter={"title": {"$bad": 1}})
