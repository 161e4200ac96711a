"""Answers that a language model, which the test plays, navigates to: what it is given, where it went, where it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from command_line import CommandLine
from llm_stub import Calls, StubModel, stub_model
from sample_library import BOOK, GUIDE
from sheets import SHEETS

from ragraph.answers.answer import Endpoint
from ragraph.errors import AnswerError, ArgumentError, DocumentNotFoundError

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store

QUESTION = "Who takes the toll at the bridge?"
SILENT = {"claims": [], "sufficient": False, "missing": "all of it"}


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGRAPH_LLM_MODEL", "RAGRAPH_LLM_URL", "RAGRAPH_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def endpoint(stub: StubModel) -> Endpoint:
    return Endpoint(model="stub", base_url=stub.url)


def returned(request: dict[str, Any]) -> list[Any]:
    """Return what the tools of the last turn gave, as the model reads it."""
    results: list[Any] = []
    for message in reversed(request["messages"]):
        if message["role"] != "tool":
            break
        try:
            results.insert(0, json.loads(message["content"]))
        except ValueError:
            results.insert(0, message["content"])
    return results


def quoting(text: str) -> Any:
    """Return a reply that claims something with words of the passage that has them, as it stands in the last result."""

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        (body,) = returned(request)
        found = body.get("passages") or body.get("hits") or body.get("related")
        node = next(item["node_id"] for item in found if text in item["text"])
        claim = {"text": "A keeper does.", "quotes": [{"node_id": node, "text": text}]}
        return {"claims": [claim], "sufficient": True}

    return reply


def test_a_model_finds_its_way_by_the_outline(paged_library: Store) -> None:
    told: list[str] = []
    section = next(entry for entry in paged_library.toc(SHEETS) if "tolls" in (entry.title or ""))

    def open_section(request: dict[str, Any]) -> Calls:
        asked = str(request["messages"])
        assert f"[{section.component_id}]" in asked  # the outline is what it begins with
        assert "2 Bridges of tolls" in asked
        return Calls([("read_section", {"document": SHEETS, "section": section.component_id})])

    with stub_model(open_section, quoting("A toll was taken at the bridge")) as stub:
        answer = paged_library.answer(
            QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS, progress=told.append
        )
    assert answer.is_verified
    assert answer.text == "A keeper does. [1]"
    (citation,) = answer.citations
    assert (citation.document_id, citation.pages) == (SHEETS, [2])
    (step,) = answer.path
    assert step.tool == "read_section"
    assert step.arguments == {"document": SHEETS, "section": section.component_id}
    assert step.found.endswith("passages")
    assert citation.node_id in step.nodes
    assert answer.to_json()["path"][0]["tool"] == "read_section"
    assert answer.confidence == 1.0
    assert told == ["model", "look", "check"]
    assert list(answer.timings) == ["model", "look", "check"]
    offered = {tool["function"]["name"] for tool in stub.requests[0]["tools"]}
    assert {"outline", "search", "read_section", "read_page", "follow"} < offered
    assert not offered & {"list_documents", "page_image", "ingest", "delete", "cite"}


def test_a_quote_comes_only_from_what_was_read(paged_library: Store) -> None:
    unread = paged_library.search("keeper", 1, document=SHEETS, mode="text")[0].node_id
    claim = {"text": "A keeper.", "quotes": [{"node_id": unread, "text": "A toll was taken at the bridge"}]}
    blind = {"claims": [claim], "sufficient": True}
    changed = quoting("A toll was taken at the bridge")

    def wrong_words(request: dict[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = changed(request)
        reply["claims"][0]["quotes"][0]["text"] = "No toll was ever taken at the bridge"
        return reply

    with stub_model(blind, blind) as stub:
        answer = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS, retries=1)
    assert "no passage that was read has the node_id" in stub.prompt(1)
    assert (answer.claims, answer.sufficient) == ([], False)
    look = Calls([("read_page", {"document": SHEETS, "page": 2})])
    with stub_model(look, wrong_words, SILENT) as stub:
        answer = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS)
    assert "does not contain" in stub.prompt(2)
    assert not answer.claims
    assert answer.missing == "all of it"


def test_what_a_tool_refuses_is_told_to_the_model(paged_library: Store) -> None:
    lost = Calls([("read_section", {"document": SHEETS, "section": "nowhere"}), ("search", {"query": "", "k": 5})])

    def found(request: dict[str, Any]) -> Calls:
        first, second = returned(request)
        assert first.startswith("ComponentNotFoundError: ")
        assert second.startswith("ArgumentError: ")
        return Calls([("search", {"query": "keeper", "document": SHEETS, "mode": "text"})])

    with stub_model(lost, found, quoting("the keeper wrote the carts down")) as stub:
        answer = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS)
    assert answer.is_verified
    assert answer.sufficient
    assert [step.tool for step in answer.path] == ["read_section", "search", "search"]
    assert answer.path[0].found.startswith("ComponentNotFoundError: ")


def test_the_way_ends_when_steps_or_room_do(paged_library: Store) -> None:
    look = Calls([("read_page", {"document": SHEETS, "page": 2})])

    def ended(request: dict[str, Any]) -> dict[str, Any]:
        assert returned(request) == ["There is no room left: answer now, from what you have read."]
        return SILENT

    with stub_model(look, look, ended) as stub:
        answer = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS, max_steps=1)
    assert len(answer.path) == 1
    with stub_model(look, ended) as stub:
        tiny = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS, token_budget=1)
    assert tiny.path == []
    section = Calls([("read_section", {"document": BOOK, "max_chars": 100_000})])

    def not_all(request: dict[str, Any]) -> dict[str, Any]:
        (body,) = returned(request)
        assert len(json.dumps(body)) < 20_000
        assert body["next_cursor"]
        return SILENT

    with stub_model(section, not_all) as stub:
        paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=BOOK)
    with stub_model(*[look] * 40) as stub:  # one that never answers
        endless = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS, max_steps=3)
    assert (endless.claims, endless.sufficient) == ([], False)
    assert endless.missing == "the model did not arrive at an answer in 3 steps"
    assert len(stub.requests) < 12


def test_nothing_outside_the_scope_is_shown(paged_library: Store) -> None:
    out = Calls(
        [
            ("read_section", {"document": BOOK}),
            ("search", {"query": "rent", "document": BOOK, "mode": "text"}),
            ("search", {"query": "rent", "mode": "text"}),
            ("list_documents", {}),
        ]
    )

    def kept(request: dict[str, Any]) -> dict[str, Any]:
        read, searched, everywhere, listed = returned(request)
        assert read.startswith("DocumentNotFoundError: ")
        assert searched.startswith("DocumentNotFoundError: ")
        assert {hit["document_id"] for hit in everywhere["hits"]} <= {SHEETS, GUIDE}
        assert {item["document_id"] for item in listed["documents"]} == {SHEETS, GUIDE}
        return SILENT

    with stub_model(out, kept) as stub:
        paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=[SHEETS, GUIDE])
    with stub_model() as stub:
        nothing = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", collection="nobody's")
        with pytest.raises(DocumentNotFoundError):
            paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document="dl_nope")
    assert stub.requests == []
    assert not nothing.sufficient


def test_a_library_is_navigated_from_its_contents_to_a_section(own_library: Store, tmp_path: Path) -> None:
    for name in ("ferries", "weirs", "locks"):
        (tmp_path / f"{name}.md").write_text(
            f"# Of {name}\n\n## Their keepers\n\nA keeper of {name} is paid every week.\n\n## Their tolls\n\nNone.\n"
        )
        assert own_library.ingest(tmp_path / f"{name}.md", document_id=f"dl_{name}", collection="waters").ok

    def choose(request: dict[str, Any]) -> Calls:
        begun = str(request["messages"])
        assert "- Of weirs [dl_weirs]" in begun  # documents, with their top sections
        assert BOOK in begun
        return Calls([("outline", {"document": "dl_weirs"})])

    def open_section(request: dict[str, Any]) -> Calls:
        (outline,) = returned(request)
        section = next(entry for entry in outline["sections"] if entry["title"] == "Their keepers")
        return Calls([("read_section", {"document": "dl_weirs", "section": section["section_id"]})])

    with stub_model(choose, open_section, quoting("A keeper of weirs is paid")) as stub:
        answer = own_library.answer("Who is paid at a weir?", llm=endpoint(stub), strategy="navigate")
    assert [step.tool for step in answer.path] == ["outline", "read_section"]
    assert answer.is_verified
    (tmp_path / "fords.md").write_text("# Of fords\n\nNobody keeps a ford.\n")
    assert own_library.ingest(tmp_path / "fords.md", collection="waters").ok

    def only_waters(request: dict[str, Any]) -> Calls:
        assert "Of fords" in str(request["messages"])
        assert BOOK not in str(request["messages"])
        return Calls([("outline", {})])

    def still_only_waters(request: dict[str, Any]) -> dict[str, Any]:
        (library,) = returned(request)
        assert {entry["title"] for entry in library["sections"]} == {"Of ferries", "Of weirs", "Of locks", "Of fords"}
        return SILENT

    with stub_model(only_waters, still_only_waters) as stub:
        own_library.answer("Who?", llm=endpoint(stub), strategy="navigate", collection="waters")


def test_a_model_that_sees_may_look_at_a_page(paged_library: Store) -> None:
    look = Calls([("page_image", {"document": SHEETS, "page": 2, "scale": 1})])

    def seen(request: dict[str, Any]) -> dict[str, Any]:
        assert "data:image/jpeg;base64," in json.dumps(request["messages"])
        return SILENT

    with stub_model(look, seen) as stub:
        answer = paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS, images=True)
    assert answer.path[0].found == "page 2"


def test_wrong_use_is_told_before_a_model_is_asked(paged_library: Store) -> None:
    with stub_model() as stub:
        for options, said in (
            ({"pages": (1, 2)}, "takes no 'pages'"),
            ({"max_steps": 0}, "max_steps takes a whole number of at least 1"),
            ({"max_steps": "many"}, "max_steps takes a whole number"),
            ({"token_budget": -1}, "token_budget takes"),
        ):
            with pytest.raises(ArgumentError, match=said):
                paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", **options)
        with pytest.raises(ArgumentError, match="empty"):
            paged_library.answer(" ", llm=endpoint(stub), strategy="navigate")
        with pytest.raises(AnswerError, match="no language model is named"):
            paged_library.answer(QUESTION, strategy="navigate")
    assert stub.requests == []
    with stub_model(500, 500, 500) as stub, pytest.raises(AnswerError, match="no usable answer"):
        paged_library.answer(QUESTION, llm=endpoint(stub), strategy="navigate", document=SHEETS)


def test_the_command_shows_the_way(
    paged_library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = CommandLine(paged_library_url, monkeypatch, capsys)
    look = Calls([("read_page", {"document": SHEETS, "page": 2})])
    with stub_model(look, quoting("A toll was taken at the bridge")) as stub:
        options = ["--llm", "stub", "--llm-url", stub.url, "--document", SHEETS, "--navigate"]
        ended = command("answer", QUESTION, *options)
    assert ended.code == 0, ended.err
    assert "A keeper does. [1]" in ended.out
    assert f"1. read_page(document={SHEETS}, page=2): " in ended.out
    assert command("answer", QUESTION, "--navigate", "--expand-query", "--llm", "x").code == 2
