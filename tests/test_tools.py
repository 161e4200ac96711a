"""The tools of language models, called as those call them: places, bounds, cursors, errors of one line."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from sample_library import BOOK, GUIDE
from sheets import SHEETS

import ragraph
from ragraph.errors import ArgumentError, DocumentNotFoundError, EntityNotFoundError, RagraphError
from ragraph.tools.toolbox import Tool, error_line, reading_tools, writing_tools

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store


@pytest.fixture(scope="module")
def tools(paged_library: Store) -> dict[str, Tool]:
    return reading_tools(paged_library)


def call(tools: dict[str, Tool], name: str, **arguments: Any) -> dict[str, Any]:
    return tools[name].call(arguments).body.model_dump(mode="json")


def read_on(tools: dict[str, Tool], name: str, key: str, **arguments: Any) -> list[dict[str, Any]]:
    """Return what a tool gives with all that its cursors lead to."""
    found: list[dict[str, Any]] = []
    cursor = None
    for _ in range(10_000):
        body = call(tools, name, **arguments, cursor=cursor)
        found += body[key]
        cursor = body["next_cursor"]
        if cursor is None:
            return found
    raise AssertionError("no end")


def test_notices_come_with_the_answer(tools: dict[str, Tool]) -> None:
    for found in (
        call(tools, "search", query="rent", mode="text", tags=["nope"]),
        call(tools, "context", query="rent", mode="text", collection="nope"),
        call(tools, "list_documents", filter={"language": "xx"}),
        call(tools, "list_documents", collection="nope"),
    ):
        (notice,) = found["notices"]
        assert notice.startswith("no document has the ")
    assert call(tools, "search", query="rent", mode="text")["notices"] == []


def test_documents_and_their_outline_go_on_by_cursor(tools: dict[str, Tool], paged_library: Store) -> None:
    listed = read_on(tools, "list_documents", "documents", limit=1)
    assert [item["document_id"] for item in listed] == [item.id for item in paged_library.documents()]
    whole = call(tools, "outline", document=BOOK, max_chars=100_000)
    assert whole["next_cursor"] is None
    assert read_on(tools, "outline", "sections", document=BOOK, max_chars=200) == whole["sections"]
    top = call(tools, "outline", document=BOOK, depth=1)["sections"]
    assert 0 < len(top) < len(whole["sections"])
    assert {entry["depth"] for entry in top} == {1}
    assert all(entry["title"] for entry in whole["sections"])


def test_the_outline_without_a_document_is_the_contents_of_the_library(
    tools: dict[str, Tool], paged_library: Store
) -> None:
    library = call(tools, "outline")
    documents = paged_library.documents()
    assert library["document_id"] is None
    assert [entry["section_id"] for entry in library["sections"]] == [item.id for item in documents]
    assert {(entry["type"], entry["depth"]) for entry in library["sections"]} == {("DOCUMENT", 1)}
    assert "1-3" in {entry["pages"] for entry in library["sections"]}
    assert read_on(tools, "outline", "sections", max_chars=200) == library["sections"]
    deep = call(tools, "outline", depth=2, max_chars=100_000)["sections"]
    top = [entry["section_id"] for entry in call(tools, "outline", document=BOOK, depth=1)["sections"]]
    begin = next(place for place, entry in enumerate(deep) if entry["section_id"] == BOOK)
    assert [entry["section_id"] for entry in deep[begin + 1 : begin + 1 + len(top)]] == top
    assert {entry["depth"] for entry in deep} == {1, 2}


def test_a_search_stays_in_its_section_and_says_where_hits_stand(tools: dict[str, Tool], paged_library: Store) -> None:
    section = call(tools, "outline", document=BOOK)["sections"][2]["section_id"]
    inside = {node.id for node in paged_library.nodes(BOOK, section)}
    hits = call(tools, "search", query="the landlord", document=BOOK, section=section, k=20)["hits"]
    assert len(hits) == 20
    assert {hit["node_id"] for hit in hits} <= inside
    plain = paged_library.search("the landlord", 20, document=BOOK, section=section)
    assert [hit["node_id"] for hit in hits] == [hit.node_id for hit in plain]
    assert hits[0]["source"] == str(plain[0].citation)
    few = call(tools, "search", query="the landlord", document=BOOK, k=20, max_chars=2000)["hits"]
    assert any(hit["cut"] for hit in few)
    assert all(len(hit["text"]) <= 301 for hit in few)
    assert call(tools, "search", query="bridge", document=[SHEETS, BOOK], pages="2", k=3)["hits"][0]["pages"] == [2]
    assert call(tools, "search", query="bridge", filter='{"title": "no such title"}')["hits"] == []


def test_a_context_keeps_its_budget_and_names_its_passages(tools: dict[str, Tool], paged_library: Store) -> None:
    found = call(tools, "context", query="why did towns improve the country", budget=300, document=BOOK)
    assert 0 < found["tokens"] <= 300
    for block in found["blocks"]:
        assert block["node_ids"]
        first = block["text"].split("\n")[0][:40]
        assert any(first in paged_library.node(BOOK, node).content for node in block["node_ids"])


@pytest.mark.parametrize("most", [200, 999, 12_000])
def test_a_section_is_read_to_its_end(tools: dict[str, Tool], paged_library: Store, most: int) -> None:
    section = call(tools, "outline", document=BOOK)["sections"][2]["section_id"]
    read = read_on(tools, "read_section", "passages", document=BOOK, section=section, max_chars=most)
    words: dict[str, str] = {}
    for passage in read:
        words[passage["node_id"]] = words.get(passage["node_id"], "") + passage["text"]
    assert words == {node.id: node.content for node in paged_library.nodes(BOOK, section)}
    one = call(tools, "read_section", document=BOOK, section=section, max_chars=most)
    assert sum(len(passage["text"]) for passage in one["passages"]) <= most


def test_a_page_is_read_by_its_number(tools: dict[str, Tool]) -> None:
    page = call(tools, "read_page", document=SHEETS, page=2)
    assert (page["page"], page["page_count"]) == (2, 3)
    assert any("toll was taken" in passage["text"] for passage in page["passages"])
    assert call(tools, "read_page", document=SHEETS, page="2") == page
    with pytest.raises(ArgumentError, match="its pages are 1 to 3"):
        tools["read_page"].call({"document": SHEETS, "page": 4})
    with pytest.raises(ArgumentError, match="read it by section"):
        tools["read_page"].call({"document": BOOK, "page": 1})


def test_a_reference_is_followed_both_ways(tools: dict[str, Tool], paged_library: Store) -> None:
    relation = next(item for item in paged_library.relations(BOOK) if item.relation_type.value == "REFERENCES_NOTE")
    there = call(tools, "follow", document=BOOK, node=relation.source_node_id, relation="REFERENCES_NOTE")["related"]
    found = next(tie for tie in there if tie["node_id"] == relation.target_node_id)
    assert (found["direction"], found["type"], found["marker"]) == ("out", "NOTE", relation.marker_text)
    back = call(tools, "follow", document=BOOK, node=relation.target_node_id, direction="in")["related"]
    assert relation.source_node_id in {tie["node_id"] for tie in back}
    crowded = call(tools, "follow", document=BOOK, node=relation.source_node_id, hops=5, max_chars=200)
    assert len(crowded["related"]) == 1
    assert crowded["left_out"] > 0


def name_a_board(store: Store) -> None:
    text = b"# Tolls\n\nThe National Toll Board (NTB) takes tolls.\n\nThe NTB has no bridge.\n"
    store.ingest(text, name="tolls.md", model=None)
    store.extract_entities()


def test_an_entity_is_looked_up(own_library: Store) -> None:
    name_a_board(own_library)
    tools = reading_tools(own_library)
    known = own_library.entities(limit=1)[0]
    body = tools["entity"].call({"name": known.name, "limit": 2}).body.model_dump(mode="json")
    assert (body["identity"], body["mentions"]) == (known.identity, known.mentions)
    assert body["left_out"] == known.mentions - len(body["places"])
    assert body["places"]
    for place in body["places"]:
        assert place["text"] in own_library.node(place["document_id"], place["node_id"]).content
    with pytest.raises(RagraphError) as refused:
        tools["entity"].call({"name": "xyzzy"})
    assert error_line(refused.value).endswith("; search for its name in the query")


def test_an_entity_of_several_is_that_of_a_document(own_library: Store) -> None:
    name_a_board(own_library)
    again = b"# Tolls\n\nThe Northern Timber Bank (NTB) lends.\n"
    own_library.ingest(again, name="bank.md", document_id="dl_bank", model=None)
    own_library.extract_entities()
    tools = reading_tools(own_library)
    with pytest.raises(ArgumentError, match="'NTB' names 2 entities"):
        tools["entity"].call({"name": "NTB"})
    body = tools["entity"].call({"name": "NTB", "document": "dl_bank"}).body.model_dump(mode="json")
    assert {place["document_id"] for place in body["places"]} == {"dl_bank"}
    assert own_library.entity("NTB", document="dl_bank").documents == 1
    with pytest.raises(EntityNotFoundError):
        own_library.entity("NTB", document=GUIDE)


def test_definitions_and_results_are_short(tools: dict[str, Tool]) -> None:
    from ragraph.faces.mcp.server import _described

    told = [_described(tool).model_dump_json(exclude_none=True, by_alias=True) for tool in tools.values()]
    assert sum(map(len, told)) / 4 < 2500, "tokens, at four characters each"
    text = tools["search"].call({"query": "bridge", "mode": "text", "k": 2}).text
    assert "null" not in text
    assert '"notices"' not in text
    assert "\n " not in text


def test_an_earlier_version_is_read_searched_and_cited(own_library: Store) -> None:
    own_library.keep_versions()
    for said in ("One coin is taken", "Two coins are taken"):
        act = f"# Act\n\n## Tolls\n\n{said} at the bridge.\n".encode()
        own_library.ingest(act, name="act.md", document_id="dl_act")
    tools = reading_tools(own_library)
    where: dict[str, Any] = {"document": "dl_act", "as_of": 1}
    (hit,) = call(tools, "search", query="coin bridge", mode="text", **where)["hits"]
    assert hit["text"] == "One coin is taken at the bridge."
    for name, wanted in (
        ("context", {"query": "What is taken at the bridge?", "mode": "text"}),
        ("read_section", {"section": "Tolls"}),
        ("cite", {"node": hit["node_id"], "quote": "One coin"}),
    ):
        assert "One coin" in json.dumps(call(tools, name, **where, **wanted))
    assert call(tools, "outline", **where)["sections"] == call(tools, "outline", document="dl_act")["sections"]
    assert call(tools, "follow", node=hit["node_id"], **where)["related"] == []
    assert "Two coins" in json.dumps(call(tools, "read_section", document="dl_act"))
    for name, wrong, said in (
        ("search", {"query": "coin", "as_of": "1"}, "as_of needs one document"),
        ("outline", {"as_of": "1"}, "as_of needs one document"),
        ("read_section", {"document": "dl_act", "as_of": "7"}, "there are 1, 2"),
    ):
        with pytest.raises(RagraphError) as refused:
            tools[name].call(wrong)
        assert said in error_line(refused.value)


def test_words_are_cited_or_refused(tools: dict[str, Tool], paged_library: Store) -> None:
    hit = call(tools, "search", query="toll at the bridge", document=SHEETS, k=1)["hits"][0]
    cited = call(tools, "cite", document=SHEETS, node=hit["node_id"], quote="A toll was taken", style="ieee")
    assert cited["citation"]["excerpt"] == "A toll was taken"
    assert cited["citation"]["boxes"][0]["page_pdf"] == 2
    assert cited["inline"].startswith("[1")
    with pytest.raises(RagraphError) as refused:
        tools["cite"].call({"document": SHEETS, "node": hit["node_id"], "quote": "No toll was taken"})
    assert error_line(refused.value).startswith("QuoteNotFoundError: ")


def test_a_highlighted_passage_has_a_box_around_its_ink(tools: dict[str, Tool]) -> None:
    hit = call(tools, "search", query="toll at the bridge", document=SHEETS, k=1)["hits"][0]
    plain = tools["page_image"].call({"document": SHEETS, "page": 2, "scale": 1}).picture
    answer = tools["page_image"].call({"document": SHEETS, "page": 2, "scale": 1, "highlight": [hit["node_id"]]})
    assert plain is not None
    assert answer.picture is not None
    assert answer.body.model_dump()["highlighted"] == [hit["node_id"]]
    before, after = (
        np.asarray(Image.open(io.BytesIO(found.data)).convert("RGB")).astype(int) for found in (plain, answer.picture)
    )
    assert before.shape == after.shape == (595, 420, 3)
    down, across = np.nonzero(np.abs(after - before).sum(axis=2) > 200)
    (box,) = [place["bbox"] for place in call(tools, "cite", document=SHEETS, node=hit["node_id"])["citation"]["boxes"]]
    left, right, top, bottom = across.min(), across.max(), down.min(), down.max()
    assert left <= box["x1"] <= left + 5
    assert right >= box["x2"] >= right - 5
    assert top <= box["y1"] <= top + 5
    assert bottom >= box["y2"] >= bottom - 5
    elsewhere = tools["page_image"].call({"document": SHEETS, "page": 1, "highlight": [hit["node_id"]]})
    assert elsewhere.body.model_dump()["highlighted"] == []


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("search", {}, "ArgumentError: search needs query; Words to look for"),
        ("search", {"query": "a", "k": 0}, "ArgumentError: k takes 1 to 100, not 0 (int)"),
        ("search", {"query": "a", "limit": 3}, "ArgumentError: search takes no 'limit'; it takes query, k, document"),
        ("search", {"query": ["a"]}, "ArgumentError: query: Input should be a valid string, not ['a']"),
        (
            "search",
            {"query": "a", "section": "1"},
            "ArgumentError: a section needs its document; name it with document",
        ),
        ("search", {"query": "a", "pages": "x"}, "ArgumentError: pages are 'x'; use 5 or 3-40"),
        ("outline", {"document": "nope"}, "DocumentNotFoundError: there is no document 'nope'; list_documents returns"),
        ("read_section", {"document": GUIDE, "section": "nope"}, "ComponentNotFoundError: "),
        ("follow", {"document": GUIDE, "node": "nope"}, "NodeNotFoundError: "),
        ("follow", {"document": GUIDE, "node": "x", "relation": "LIKES"}, "ArgumentError: "),
        ("read_section", {"document": GUIDE, "cursor": "next"}, "ArgumentError: 'next' is not a cursor"),
        ("read_section", {"document": GUIDE, "max_chars": 3}, "ArgumentError: max_chars takes 200 to 100,000"),
        (
            "page_image",
            {"document": BOOK, "page": 1},
            "AssetError: document 'dl_book' has no pages to show; read it",
        ),
        ("page_image", {"document": SHEETS, "page": 1, "scale": 100}, "ArgumentError: scale takes 0.2 to 4"),
        ("cite", {"document": SHEETS, "node": "x", "style": "/etc/passwd"}, "NodeNotFoundError: "),
    ],
)
def test_what_a_tool_does_not_take_is_told_in_its_words(
    tools: dict[str, Tool], name: str, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(RagraphError) as refused:
        tools[name].call(arguments)
    line = error_line(refused.value)
    assert line.startswith(said)
    assert "\n" not in line
    assert "store." not in line


_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["\0", "", " ", "x" * 20_000, "'; drop table", "../..", "%s", "{}", "0:99999", "\U0010ffff"]),
    st.lists(st.text(max_size=5), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    st.sampled_from([SHEETS, BOOK, GUIDE, 1, 2, "hybrid", "text"]),
)


@pytest.mark.parametrize("name", ["search", "context", "outline", "read_section", "read_page", "follow", "cite"])
def test_hostile_arguments_are_refused_by_name(tools: dict[str, Tool], name: str) -> None:
    known = list(tools[name].arguments.model_fields)
    needed = {"document": SHEETS, **({"query": "bridge"} if "query" in known else {})}

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.dictionaries(st.sampled_from([*known, "other"]), _VALUES, max_size=5))
    def fuzz(arguments: dict[str, Any]) -> None:
        try:
            answer = tools[name].call({**needed, **arguments})
        except RagraphError as error:
            assert "\n" not in error_line(error)
            assert len(error_line(error)) < 900
        else:
            assert json.loads(answer.text) is not None

    fuzz()


def test_an_empty_store_has_nothing_and_says_so_without_failing(database_url: str) -> None:
    with ragraph.open(database_url) as store:
        tools = reading_tools(store)
        assert call(tools, "list_documents")["documents"] == []
        assert call(tools, "search", query="anything")["hits"] == []
        assert call(tools, "context", query="anything")["blocks"] == []
        with pytest.raises(DocumentNotFoundError):
            tools["outline"].call({"document": "dl_x"})


def test_without_vectors_it_is_said_how_to_search(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "bridges.md").write_text("# Of bridges\n\nA bridge that nobody crosses is a monument.\n")
    with ragraph.open(database_url) as store:
        store.ingest(tmp_path, model=None)
        tools = reading_tools(store)
        for name in ("search", "context"):
            with pytest.raises(RagraphError) as refused:
                tools[name].call({"query": "monument"})
            assert error_line(refused.value).endswith("; use mode text, which needs no vectors")
        assert len(call(tools, "search", query="monument", mode="text")["hits"]) == 1
        assert call(tools, "context", query="monument", mode="text")["blocks"]


def test_a_document_deleted_between_two_calls_is_told(own_library: Store) -> None:
    tools = reading_tools(own_library)
    first = call(tools, "read_section", document=BOOK, max_chars=200)
    own_library.delete(BOOK)
    with pytest.raises(DocumentNotFoundError):
        tools["read_section"].call({"document": BOOK, "cursor": first["next_cursor"]})


def test_tools_that_write(own_library: Store, tmp_path: Path) -> None:
    tools = writing_tools(own_library)
    (tmp_path / "bridges.md").write_text("# Of bridges\n\nA bridge that nobody crosses is a monument.\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    files = call(tools, "ingest", paths=[str(tmp_path)], tags=["new"])["files"]
    assert [file["status"] for file in files] == ["failed", "added"]
    document = files[1]["document_id"]
    changed = call(tools, "update", document=document, title="Bridges", add_tags=["stone"])
    assert changed["document"]["tags"] == ["new", "stone"]
    with pytest.raises(ArgumentError, match="nothing to change"):
        tools["update"].call({"document": document})
    assert call(tools, "delete", document=document) == {"deleted": document}
    with pytest.raises(DocumentNotFoundError):
        own_library.document(document)
