"""Commands that answer, open, list and export: as a user calls them in a terminal."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml
from command_line import CommandLine
from llm_stub import stub_model
from sample_library import BOOK, GUIDE
from sheets import SHEETS
from test_web_answers import WORDS, claiming
from test_works import fill
from web_tools import served

from ragraph.errors import DocumentNotFoundError
from ragraph.faces.cli import output

if TYPE_CHECKING:
    from ragraph import Store

RAGRAPH = str(Path(sys.executable).parent / "ragraph")


@pytest.fixture
def ragraph(library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    for name in ("RAGRAPH_LLM_MODEL", "RAGRAPH_LLM_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return CommandLine(library_url, monkeypatch, capsys)


def test_without_a_model_a_question_gets_the_best_passages(ragraph: CommandLine) -> None:
    told = ragraph("ask", "price of corn", "--mode", "text", "--match", "any", "-k", "2")
    assert told.code == 0
    assert "1. " in told.out
    assert "No language model is named" in told.out
    answer = json.loads(ragraph("ask", "price of corn", "--mode", "text", "--match", "any", "-k", "2", "--json").out)
    assert answer["answer"] is None
    assert len(answer["passages"]) == 2
    nothing = ragraph("ask", "xyzzyx", "--mode", "text")
    assert nothing.code == 1


def test_a_model_without_an_endpoint_is_told(ragraph: CommandLine) -> None:
    told = ragraph("ask", "price of corn", "--llm", "m")
    assert told.code == 1
    assert "RAGRAPH_LLM_URL" in told.err


def test_open_serves_the_page_of_a_document(library_url: str) -> None:
    command = [RAGRAPH, "--url", library_url, "open", BOOK, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+/documents/\S+", server.stdout.readline())
            assert found
            assert "Wealth" in httpx.get(found[0], timeout=60).text
        finally:
            server.terminate()
        server.wait(60)


def test_open_refuses_what_does_not_exist(ragraph: CommandLine) -> None:
    assert "there is no document" in ragraph("open", "dl_none", "--no-browser").err
    assert "has no page 999" in ragraph("open", BOOK, "--page", "999", "--no-browser").err


@pytest.mark.parametrize("group", ["entities", "works"])
def test_lists_are_commands_of_their_group(ragraph: CommandLine, group: str) -> None:
    assert ragraph(group, "list", "-n", "3") == ragraph(group, "-n", "3")
    assert json.loads(ragraph(group, "list", "--json").out) == json.loads(ragraph(group, "--json").out)


def test_jobs_are_listed_on_a_line_each(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    deep = tmp_path / ("a" * 60) / ("b" * 80)
    deep.mkdir(parents=True)
    files = [deep / f"{number}.md" for number in range(5)]
    for file in files:
        file.write_text(f"# {file.name}\n")
    store.ingest(files, model=None, job=True)
    monkeypatch.setattr(output.console, "_width", 160)
    listed = CommandLine(store.database.url, monkeypatch, capsys)("jobs", "list").out.splitlines()
    assert len(listed) == 2
    assert max(map(len, listed)) <= 160
    job = store.jobs()[0]
    begun = f"{job.created_at.astimezone():%Y-%m-%d %H:%M}"
    assert re.match(rf"{job.id} +completed +{begun} +5 +5 +0 +\d+:\d\d +.*…$", listed[1]), listed[1]
    assert job.created_at < datetime.now(UTC)
    for command in (("status",), ("jobs", "show", job.id)):
        told = CommandLine(store.database.url, monkeypatch, capsys)(*command).out
        assert f"{files[2]} and 2 more" in told.replace("\n", "")
        assert str(files[3]) not in told


def test_everything_is_exported_as_markdown(ragraph: CommandLine, library: Store, tmp_path: Path) -> None:
    told = ragraph("export", "--format", "markdown", str(tmp_path / "out"))
    documents = library.documents()
    assert told.out.startswith(f"{len(documents)} files in ")
    text = (tmp_path / "out" / "default" / f"{BOOK}.md").read_text()
    head: dict[str, Any] = yaml.safe_load(text.split("---")[1])
    assert head["title"] == library.document(BOOK).document.title
    assert text.endswith(library.render(BOOK).rstrip() + "\n")
    assert ragraph("export", "--format", "markdown").code == 2
    assert ragraph("export", str(tmp_path)).code == 2
    one = ragraph("export", "--format", "markdown", str(tmp_path / "one"), "--document", GUIDE)
    assert [path.name for path in (tmp_path / "one").rglob("*.md")] == [f"{GUIDE}.md"], one


def test_an_export_of_what_is_not_there_fails_and_a_dash_is_standard_output(
    ragraph: CommandLine, library: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (("--format", "markdown", "out"), (), ("-o", "lines.jsonl")):
        told = ragraph("export", *arguments, "--document", "nope", "--document", GUIDE)
        assert (told.code, told.out) == (1, ""), arguments
        assert told.err.startswith("error: there is no document 'nope'"), arguments
    with pytest.raises(DocumentNotFoundError):
        library.export(document="nope")
    assert not (tmp_path / "out").exists()
    assert ragraph("export", "-o", "-", "--document", GUIDE, "--no-vectors").code == 0
    assert not (tmp_path / "-").exists()


def test_tags_of_front_matter_are_tags_and_come_back_from_an_export(store: Store, tmp_path: Path) -> None:
    written = b"---\ntitle: Pears\ntags: [fruit, 2024, winter work]\nkind: leaflet\n---\n\nPrune pears in March.\n"
    (file,) = store.ingest(written, name="pears.md", document_id="dl_pears", tags=["mine"], model=None).files
    assert file.status == "added"
    known = store.document("dl_pears")
    assert sorted(known.tags) == ["2024", "fruit", "mine", "winter work"]
    assert known.metadata == {"kind": "leaflet"}
    assert [hit.document_id for hit in store.search("pears", tags="fruit", mode="text")] == ["dl_pears"]
    (exported,) = store.export_markdown(tmp_path)
    store.delete("dl_pears")
    store.ingest(exported, document_id="dl_again", model=None)
    assert sorted(store.document("dl_again").tags) == ["2024", "fruit", "mine", "winter work"]
    store.update("dl_again", tags=["own"])
    exported.write_text(exported.read_text() + "\nAnd plums.\n")
    store.ingest(exported, document_id="dl_again", model=None)
    assert store.document("dl_again").tags == ["own"]
    store.ingest(b"---\ntags: red, dark blue\n---\n\nText.\n", name="words.md", document_id="dl_words", model=None)
    assert sorted(store.document("dl_words").tags) == ["dark blue", "red"]
    store.ingest(b"---\ntags: {a: b}\n---\n\nText of it.\n", name="map.md", document_id="dl_map", model=None)
    assert (store.document("dl_map").tags, store.document("dl_map").metadata) == ([], {"tags": {"a": "b"}})


def test_a_name_in_windows_1252_is_read(store: Store, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9 r\xe9sum\xe9.txt"
    Path(os.fsdecode(path)).write_bytes("Un résumé du café, déjà écrit.".encode("windows-1252"))
    (file,) = store.ingest(Path(os.fsdecode(path)), document_id="dl_cafe", model=None).files
    assert file.status == "added"
    assert store.document("dl_cafe").document.title == "café résumé.txt"
    with served(store) as site:
        name = httpx.get(f"{site}/api/documents/dl_cafe/original").headers["content-disposition"]
    assert name == "attachment; filename*=UTF-8''caf%C3%A9%20r%C3%A9sum%C3%A9.txt"


def test_long_titles_of_works_are_cut_in_the_list(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    title = "On the many names of rivers and of the towns on their banks " * 8
    with store.database.write() as connection:
        fill(connection, "dl_a", [f"Smith, A. (2010). {title}. London: Sage."])
    store.update_works()
    run = CommandLine(store.database.url, monkeypatch, capsys)
    assert json.loads(run("works", "list", "--json").out)[0]["title"].startswith(title[:200])
    listed = " ".join(run("works", "list").out.split())
    assert "…" in listed
    assert listed.count("On the many names") <= 2


def test_documents_are_compared_and_deleted_by_filter(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = []
    for number, text in enumerate(("# Act\n\nOne rule.", "# Act\n\nOther rule.", "# Note\n\nWords.")):
        (file,) = store.ingest(text.encode(), name=f"{number}.md", collection="acts", model=None).files
        ids.append(str(file.document_id))
    run = CommandLine(store.database.url, monkeypatch, capsys)
    assert "+ Other rule." in run("diff", ids[0], "--with", ids[1]).out
    assert run("diff", ids[0], "--with", ids[0]).out.strip() == "They have the same text."
    assert run("diff", ids[0], "--with", ids[1], "--from", "1").code == 2
    assert run("delete").code == 2
    told = run("delete", "--filter", '{"title": "Act"}', "--json")
    assert json.loads(told.out) == {"deleted": ids[:2]}
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert "nothing was deleted" in run("delete", "--collection", "acts").err
    assert run("delete", "--collection", "acts", "--yes").out.strip() == f"Deleted {ids[2]}."
    assert run("delete", "--collection", "acts", "--yes").out.strip() == "No document passes; nothing was deleted."


def test_ask_answers_by_a_model(ragraph: CommandLine) -> None:
    reply = {"sufficient": False, "missing": "nothing on it", "claims": []}
    with stub_model(reply, reply, reply) as stub:
        told = ragraph("ask", "price of corn", "--llm", "stub", "--llm-url", stub.url, "--document", BOOK)
    assert told.code == 1
    assert "The store is not sufficient: nothing on it" in told.out
    assert "shown to the model" in told.out


def test_a_conversation_is_kept_in_a_file(
    paged_library: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = CommandLine(paged_library.database.url, monkeypatch, capsys)
    talk = str(tmp_path / "talk.jsonl")
    assert run("ask", "--conversation", talk).err == f"error: {talk} has no questions; give one\n"
    assert not Path(talk).exists()
    passages = run("ask", "bridge", "-k", "2", "--mode", "text", "--conversation", talk)
    assert passages.code == 0
    with stub_model(
        claiming("The keeper does."), {"question": "Where did the keeper write?"}, claiming("A book.")
    ) as stub:
        model = ("--llm", "stub", "--llm-url", stub.url, "--document", SHEETS, "--conversation", talk)
        assert run("ask", "Who writes down the carts?", *model).code == 0
        assert run("ask", "and where?", *model).code == 0
        assert len(stub.requests) == 3, "without an earlier answer nothing is reworded"
        assert "Who writes down the carts?" in stub.prompt(1)
        assert "The keeper does." in stub.prompt(1)
        assert "Where did the keeper write?" in stub.prompt(2)
    lines = [json.loads(line) for line in Path(talk).read_text().splitlines()]
    assert [line["question"] for line in lines] == [
        "bridge",
        "Who writes down the carts?",
        "and where?",
    ]
    assert lines[2]["answer"]["asked_as"] == "Where did the keeper write?"
    (quote,) = lines[1]["answer"]["claims"][0]["quotes"]
    assert quote["citation"]["pages"] == [2]
    shown = run("ask", "--conversation", talk).out
    assert re.search(rf"^and where\?\nA book\. \[1\]\n\n\[1\] .* p\. .*\n +“{WORDS}”$", shown, re.MULTILINE), shown
    kept = json.loads(run("ask", "--conversation", talk, "--json").out)
    assert [len(turn["passages"]) for turn in kept] == [2, 0, 0]
    assert kept[1]["answer"]["answer"] == "The keeper does. [1]"


def test_a_conversation_has_no_text_that_the_store_no_longer_has(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (file,) = store.ingest(f"# Bridge\n\nThen {WORDS}.".encode(), name="bridge.md", model=None).files
    run = CommandLine(store.database.url, monkeypatch, capsys)
    talk = tmp_path / "talk.jsonl"
    with stub_model(claiming("The keeper does."), claiming("None.")) as stub:
        model = ("--llm", "stub", "--llm-url", stub.url, "--mode", "text", "--conversation", str(talk))
        assert run("ask", "keeper", *model, "--document", str(file.document_id)).code == 0
        assert run("ask", "keeper book", "--mode", "text", "--conversation", str(talk)).code == 0
        store.delete(str(file.document_id))
        shown = run("ask", "--conversation", str(talk)).out
        assert "no claim of the answer could be verified" in shown
        assert "[1]" not in shown
        run("ask", "and where?", *model)
        assert "The keeper does." not in "".join(stub.prompt(number) for number in range(1, len(stub.requests)))


@pytest.mark.parametrize("wrong", ["no JSON", "[1]", "{}", '{"question": "a", "answer": 3, "passages": []}', "\xff"])
def test_a_conversation_is_read_from_no_other_file(ragraph: CommandLine, tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(wrong, encoding="latin-1")
    told = ragraph("ask", "price of corn", "--conversation", str(file))
    assert told.code == 2
    assert told.err.startswith(f"error: {file} is no conversation; name a new file")
    assert file.read_text(encoding="latin-1") == wrong
    assert "cannot be read: Is a directory" in ragraph("ask", "corn", "--conversation", str(tmp_path)).err
    assert "No such file or directory" in ragraph("ask", "corn", "--conversation", str(tmp_path / "no" / "talk")).err
    assert ragraph("ask").code == 2


def test_originals_and_pictures_are_written(
    paged_library: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from PIL import Image

    run = CommandLine(paged_library.database.url, monkeypatch, capsys)
    original, picture, part = (tmp_path / name for name in ("sheets.pdf", "page.png", "part.jpg"))
    assert run("assets", "original", SHEETS, str(original)).code == 0
    found, _ = paged_library.original(SHEETS)
    assert original.read_bytes() == (found if isinstance(found, bytes) else found.read_bytes())
    told = run("assets", "picture", SHEETS, "2", str(picture)).out
    with Image.open(picture) as image:
        height = image.height
    assert told == f"{image.width} x {image.height} pixels, image/png\n"
    node = next(node for node in paged_library.nodes(SHEETS, page=2) if node.positional_data)
    assert run("assets", "picture", SHEETS, node.id, str(part)).code == 0
    with Image.open(part) as drawn:
        assert drawn.height < height
    for command in (("original", SHEETS), ("picture", SHEETS, "2")):
        refused = run("assets", *command, str(picture))
        assert refused.err == f"error: {picture} exists; name another file\n"
        assert "cannot be written: No such file" in run("assets", *command, str(tmp_path / "no" / "file.png")).err
    assert "; its pages are 1 to 3" in run("assets", "picture", SHEETS, "999", str(tmp_path / "none.png")).err
    assert not (tmp_path / "none.png").exists()


def test_sections_are_searched(ragraph: CommandLine, library: Store) -> None:
    told = json.loads(ragraph("search", "corn", "--mode", "text", "--sections", "-k", "2", "--json").out)
    expected = library.search_sections("corn", 2, mode="text")
    assert [section["component_id"] for section in told] == [section.component_id for section in expected]
    shown = ragraph("search", "corn", "--mode", "text", "--sections", "-k", "2").out
    assert all(section.component_id in shown for section in expected)
    assert "Nothing found" in ragraph("search", "xyzzyx", "--mode", "text", "--sections").out
    assert ragraph("search", "corn", "--sections", "--expand", "auto").code == 2
