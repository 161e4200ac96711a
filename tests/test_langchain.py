"""LangChain: its own tests of retrievers and tools, unchanged, and what they do not look at."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from retrieval_cases import inside, questions, scopes
from sample_library import BOOK, GUIDE

from ragraph.errors import ArgumentError, DocumentNotFoundError
from ragraph.filters import field
from ragraph.langchain import RagraphRetriever, search_tool

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.tools import BaseTool

    from ragraph import Store


class _OfLibrary:
    """Their suites ask for properties; the store comes from a fixture."""

    @pytest.fixture(autouse=True)
    def _library(self, library: Store) -> None:
        self.store = library

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"


@pytest.mark.anyio
class TestRetriever(_OfLibrary, RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[RagraphRetriever]:
        return RagraphRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"store": self.store}

    @property
    def retriever_query_example(self) -> str:
        return "the price of corn"


class _Tool(_OfLibrary):
    @property
    def tool_constructor(self) -> BaseTool:
        return search_tool(RagraphRetriever(store=self.store))

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "the price of corn", "document": BOOK}


class TestToolUnit(_Tool, ToolsUnitTests):
    pass


@pytest.mark.anyio
class TestTool(_Tool, ToolsIntegrationTests):
    pass


def ids(documents: list[Document]) -> list[tuple[str, str]]:
    return [(found.metadata["document_id"], found.metadata["node_id"]) for found in documents]


def test_the_same_nodes_in_the_same_order_as_the_store(library: Store) -> None:
    asked = questions(library)
    assert len(asked) == 50
    found_any = 0
    for query, options in asked:
        hits = library.search(query, **options)
        found = RagraphRetriever(store=library, **options).invoke(query)
        assert ids(found) == [(hit.document_id, hit.node_id) for hit in hits]
        assert [item.page_content for item in found] == [hit.content for hit in hits]
        assert [item.id for item in found] == [f"{hit.document_id}/{hit.node_id}" for hit in hits]
        found_any += bool(hits)
    assert found_any > 40


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nothing_is_found_outside_the_scope(library: Store, data: st.DataObject) -> None:
    options = data.draw(scopes(library))
    allowed = inside(library, options)
    found = ids(RagraphRetriever(store=library, **options).invoke("the price of land and corn"))
    assert set(found) <= allowed.keys()
    assert found or not any(node.content_node_type == "PARAGRAPH" for node in allowed.values())


def test_metadata_say_where_a_document_stands(library: Store) -> None:
    (hit,) = library.search("the price of corn", 1, document=BOOK)
    (found,) = RagraphRetriever(store=library, k=1, document=BOOK).invoke("the price of corn")
    assert found.metadata["citation"] == str(hit.citation)
    assert found.metadata["section_path"] == hit.citation.section_path
    assert found.metadata.keys() >= {"pages", "boxes", "score", "node_type", "char_span", "title", "uri"}


def test_what_a_call_gives_stands_in_place_of_what_the_retriever_was_made_with(library: Store) -> None:
    retriever = RagraphRetriever(store=library, k=3, document=GUIDE, filter=field("language") != "xx")
    assert {document for document, _ in ids(retriever.invoke("plants"))} == {GUIDE}
    assert {document for document, _ in ids(retriever.invoke("plants", document=BOOK))} == {BOOK}
    with pytest.raises(TypeError, match="has no option 'top_k'"):
        retriever.invoke("plants", top_k=3)
    with pytest.raises(DocumentNotFoundError):
        retriever.invoke("plants", document="dl_none")
    with pytest.raises(ArgumentError, match="query is empty"):
        retriever.invoke(" ")


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_expansion_gives_the_blocks_of_the_context(library: Store, strategy: Any) -> None:
    context = library.context("the price of corn", 500, k=5, strategy=strategy, document=BOOK)
    found = RagraphRetriever(store=library, k=5, expand=strategy, token_budget=500, document=BOOK).invoke(
        "the price of corn"
    )
    assert [item.page_content for item in found] == [block.text for block in context.blocks] != []
    assert [item.metadata["node_ids"] for item in found] == [block.node_ids for block in context.blocks]
    assert found[0].metadata["citation"].startswith(context.blocks[0].title)


def test_threads_and_tasks_get_the_same(library: Store) -> None:
    retriever = RagraphRetriever(store=library, k=5)
    asked = [query for query, _ in questions(library, 12)]
    alone = [ids(retriever.invoke(query)) for query in asked]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda query: ids(retriever.invoke(query)), asked)) == alone

    async def all_at_once() -> list[list[Document]]:
        return await asyncio.gather(*(retriever.ainvoke(query) for query in asked))

    assert [ids(found) for found in asyncio.run(all_at_once())] == alone


def test_a_chain_runs_on_a_store_that_it_opens(library_url: str) -> None:
    retriever = RagraphRetriever(url=library_url, k=2, document=GUIDE)
    assert library_url not in repr(retriever)

    def documents(found: list[Document]) -> list[str]:
        return [item.metadata["document_id"] for item in found]

    assert (retriever | RunnableLambda(documents)).invoke("plants") == [GUIDE, GUIDE]


def test_an_agent_cannot_leave_what_the_tool_is_bound_to(library: Store) -> None:
    open_tool = search_tool(RagraphRetriever(store=library, k=2))
    assert set(open_tool.args) == {"query", "document", "section", "first_page", "last_page"}
    bound = search_tool(RagraphRetriever(store=library, k=5, document=GUIDE))
    assert set(bound.args) == {"query", "section", "first_page", "last_page"}
    call = {"name": bound.name, "id": "1", "type": "tool_call", "args": {"query": "plants", "document": BOOK}}
    answered = bound.invoke(call)
    assert {document for document, _ in ids(answered.artifact)} == {GUIDE}
    assert answered.content.startswith("[1] ")
    assert answered.artifact[0].metadata["citation"] in answered.content


def test_an_agent_is_told_what_it_asked_wrong(library: Store) -> None:
    tool = search_tool(RagraphRetriever(store=library))
    assert "a section needs its document" in tool.invoke({"query": "corn", "section": "3.1"})
    assert "dl_none" in tool.invoke({"query": "corn", "document": "dl_none"})
    assert tool.invoke({"query": "corn", "document": GUIDE, "first_page": 900}) == "Nothing found."


def test_where_to_look_is_checked_when_the_retriever_is_made(library: Store) -> None:
    with pytest.raises(ArgumentError, match="a section needs its document"):
        RagraphRetriever(store=library, section="3.1")
    with pytest.raises(ArgumentError, match="pages: 5 comes after 3"):
        RagraphRetriever(store=library, pages=(5, 3))
    with pytest.raises(ArgumentError, match="k is 0"):
        RagraphRetriever(store=library, k=0)
