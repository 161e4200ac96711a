"""Haystack: the store as a component gives what the store gives, in pipelines that are written down and read again."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack.utils import Secret
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from retrieval_cases import inside, questions, scopes
from sample_library import BOOK, GUIDE

from ragraph.errors import ArgumentError
from ragraph.filters import field
from ragraph.haystack import RagraphRetriever
from ragraph.search import Weights

if TYPE_CHECKING:
    from ragraph import Store


def ids(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item.meta["document_id"], item.meta["node_id"]) for item in found["documents"]]


def test_the_same_nodes_in_the_same_order_as_the_store(library: Store) -> None:
    found_any = 0
    for query, options in questions(library):
        hits = library.search(query, **options)
        retriever = RagraphRetriever(store=library, **options)
        found = retriever.run(query=query)
        assert ids(found) == [(hit.document_id, hit.node_id) for hit in hits]
        assert [item.score for item in found["documents"]] == [hit.score for hit in hits]
        assert [item.content for item in found["documents"]] == [hit.content for hit in hits]
        later = asyncio.run(retriever.run_async(query=query))
        assert ids(later) == ids(found)
        scores = [item.score for item in found["documents"]]  # a vector of a query varies in its last digit
        assert [item.score for item in later["documents"]] == pytest.approx(scores, abs=1e-6)
        found_any += bool(hits)
    assert found_any > 40


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nothing_is_found_outside_the_scope(library: Store, data: st.DataObject) -> None:
    options = data.draw(scopes(library))
    allowed = inside(library, options)
    types = options.pop("types", None)
    found = ids(RagraphRetriever(store=library, types=types).run(query="the price of land and corn", **options))
    assert set(found) <= allowed.keys()
    assert found or not any(node.content_node_type == "PARAGRAPH" for node in allowed.values())


def test_expansion_gives_the_blocks_of_the_context(library: Store) -> None:
    context = library.context("the price of corn", 500, document=BOOK)
    retriever = RagraphRetriever(store=library, expand="auto", token_budget=500, document=BOOK)
    found = retriever.run(query="the price of corn")["documents"]
    assert [item.content for item in found] == [block.text for block in context.blocks] != []


def test_threads_and_tasks_get_the_same(library: Store) -> None:
    retriever = RagraphRetriever(store=library, k=5)
    asked = [query for query, _ in questions(library, 12)]
    alone = [ids(retriever.run(query=query)) for query in asked]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda query: ids(retriever.run(query=query)), asked)) == alone

    async def all_at_once() -> list[dict[str, Any]]:
        return await asyncio.gather(*(retriever.run_async(query=query) for query in asked))

    assert [ids(found) for found in asyncio.run(all_at_once())] == alone


def test_a_pipeline_is_written_down_and_read_again(
    library: Store, library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBRARY", library_url)
    pipeline = Pipeline()
    retriever = RagraphRetriever(
        url=Secret.from_env_var("LIBRARY"),
        k=3,
        document=[GUIDE, BOOK],
        types=["PARAGRAPH"],
        published=(date(1700, 1, 1), None),
        filter=field("language") != "xx",
        weights=Weights(text=0.5),
    )
    pipeline.add_component("retriever", retriever)
    pipeline.add_component("prompt", PromptBuilder("{% for d in documents %}{{ d.meta.citation }}\n{% endfor %}"))
    pipeline.connect("retriever.documents", "prompt.documents")
    written = pipeline.dumps()
    assert library_url not in written
    again = Pipeline.loads(written, allowed_modules=["ragraph.haystack"])
    assert again.dumps() == written
    asked = {"retriever": {"query": "the price of corn", "document": BOOK}}
    expected = library.search(
        "the price of corn",
        3,
        document=BOOK,
        types=["PARAGRAPH"],
        published=(date(1700, 1, 1), None),
        filter=field("language") != "xx",
        weights=Weights(text=0.5),
    )
    told = "".join(f"{hit.citation}\n" for hit in expected)
    assert pipeline.run(asked)["prompt"]["prompt"] == again.run(asked)["prompt"]["prompt"] == told
    assert expected


def test_a_retriever_with_an_open_store_is_not_written_down(library: Store) -> None:
    with pytest.raises(ArgumentError, match="create it with a url"):
        RagraphRetriever(store=library).to_dict()


def test_where_to_look_is_checked_when_the_retriever_is_made(library: Store) -> None:
    with pytest.raises(ArgumentError, match="a section needs its document"):
        RagraphRetriever(store=library, section="3.1")
    with pytest.raises(TypeError, match="top_k"):
        RagraphRetriever(store=library, top_k=3)  # type: ignore[call-arg]
