"""The command line, run as a user runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from command_line import CommandLine, Ended
from llm_stub import stub_model
from sample_library import BOOK, GUIDE

if TYPE_CHECKING:
    from ragraph import Store


class Run(Protocol):
    """Runs the command line with these arguments, expects this exit code, and gives what was printed."""

    def __call__(self, *arguments: str, url: str = ..., code: int = ...) -> Ended: ...


@pytest.fixture
def run(library_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs it within this process, which has loaded what commands need."""

    def call(*arguments: str, url: str = library_url, code: int = 0) -> Ended:
        ended = CommandLine(url, monkeypatch, capsys)(*arguments)
        assert ended.code == code, ended
        return ended

    return call


@pytest.fixture
def started(library_url: str) -> Run:
    """Runs it in a process of its own."""

    def call(*arguments: str, url: str = library_url, code: int = 0) -> Ended:
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "RAGRAPH_DATABASE_URL": url}
        command = [sys.executable, "-m", "ragraph", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return Ended(done.returncode, done.stdout, done.stderr)

    return call


def test_list_and_show(started: Run) -> None:
    listed = json.loads(started("list", "--json").out)
    assert {item["id"] for item in listed} == {GUIDE, BOOK}
    assert GUIDE in started("list").out
    assert json.loads(started("show", GUIDE, "--json").out)["document"]["id"] == GUIDE


def test_a_query_is_embedded_for_sql(run: Run, library: Store) -> None:
    question = "growth of towns"
    printed = run("embed-query", question).out
    told = json.loads(run("embed-query", question, "--json").out)
    assert (told["model"], told["dimensions"]) == ("all-MiniLM-L6-v2", 384)
    assert json.loads(printed) == pytest.approx(told["vector"], abs=1e-6)
    with library.database.read() as connection:
        found = connection.execute(
            "SELECT node_id FROM ragraph.search_vector(%s::vector, 'all-MiniLM-L6-v2', 5) ORDER BY rank",
            [printed.strip()],
        ).fetchall()
    assert [node for (node,) in found] == [hit.node_id for hit in library.search(question, 5, mode="vector")]
    assert "second" in run("embed-query", question, "--model", "second", code=1).err
    assert "empty" in run("embed-query", "  ", code=2).err


def test_ids_are_whole_in_narrow_terminals(library_url: str) -> None:
    import pty

    command = [sys.executable, "-c", "from ragraph.faces.cli import main; main()", "toc", GUIDE]
    environment = {**os.environ, "RAGRAPH_DATABASE_URL": library_url, "COLUMNS": "60", "TERM": "dumb"}
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdout=slave, env=environment) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
    os.close(master)
    assert process.returncode == 0
    ids = re.findall(r"cmp_\w*", shown.decode())
    assert ids
    assert {len(item) for item in ids} == {28}


def test_contents_page_and_rendering(run: Run, tmp_path: Path) -> None:
    assert "Content nodes" in run("toc", GUIDE).out
    target = tmp_path / "guide.md"
    run("render", GUIDE, "--section", "Matter", "-o", str(target))
    assert target.read_text().lstrip().startswith("#")


def test_search_prints_a_context(run: Run) -> None:
    command = [
        "search",
        "what holds other parts",
        "--document",
        GUIDE,
        "-k",
        "2",
        "--expand",
        "section",
        "--budget",
        "300",
    ]
    context = json.loads(run(*command, "--json").out)
    assert 0 < context["tokens"] <= 300
    shown = run(*command).out
    for block in context["blocks"]:
        assert " > ".join([block["title"], *block["section_path"]]) in shown
        assert block["text"] in shown
    assert f"{context['tokens']} tokens" in shown
    assert "--expand" in run("search", "x", "--expand", "everything", code=2).err


def test_a_hit_without_words_shows_how_it_is_described(run: Run, database_url: str, tmp_path: Path) -> None:
    page = tmp_path / "cliffs.html"
    page.write_text(
        "<html><body><h1>Cliffs</h1><p>Boats pass below.</p>"
        '<figure><img src="light.png" alt="A lighthouse above the cliffs"></figure></body></html>'
    )
    run("ingest", str(page), url=database_url)
    command = ["search", "lighthouse", "--type", "FIGURE"]
    (hit,) = json.loads(run(*command, "--json", url=database_url).out)
    assert hit["content"] == ""
    assert "described: A lighthouse above the cliffs" in run(*command, url=database_url).out


def test_json_of_a_hit(run: Run) -> None:
    (hit,) = json.loads(
        run("search", "what holds other parts", "--document", GUIDE, "--section", "Components", "-k", "1", "--json").out
    )
    assert hit["document_id"] == GUIDE
    assert {
        "node_id",
        "node_type",
        "score",
        "content",
        "section_path",
        "pages",
        "logical_pages",
        "boxes",
        "char_span",
    } <= set(hit)
    assert hit["section_path"][-1] == "Components"
    related = json.loads(run("related", GUIDE, hit["node_id"], "--direction", "both", "--json").out)
    assert isinstance(related, list)


def test_a_failed_operation_is_one_line_and_code_1(started: Run) -> None:
    failed = started("toc", "dl_nowhere", code=1)
    assert failed.out == ""
    assert failed.err.count("\n") == 1
    assert "dl_nowhere" in failed.err
    as_json = json.loads(started("toc", "dl_nowhere", "--json", code=1).err)
    assert as_json["error"] == "DocumentNotFoundError"


def test_what_the_system_refuses_is_one_line(started: Run, tmp_path: Path) -> None:
    failed = started("render", GUIDE, "-o", str(tmp_path / "nowhere" / "guide.md"), code=1)
    assert failed.err.count("\n") == 1
    failed = started("search", "\udcff", code=2)
    assert failed.err.count("\n") == 1


def test_wrong_usage_is_code_2(run: Run) -> None:
    run("search", code=2)
    run("search", "x", "--type", "POEM", code=2)
    run("search", "x", "--pages", "a-b", code=2)
    run("render", GUIDE, "--format", "papyrus", code=2)
    run("search", "x", "--pages", "5-3", code=2)
    run("page", GUIDE, "5-3", code=2)


def test_a_password_never_reaches_the_message(started: Run) -> None:
    failed = started("list", url="postgresql://nobody:geheim@127.0.0.1:1/none", code=1)
    assert "geheim" not in failed.out + failed.err


def test_every_command_has_help_with_an_example(run: Run) -> None:
    overview = run("--help").out
    for command in ("ingest", "list", "show", "toc", "page", "search", "render", "related", "delete", "embed", "check"):
        assert command in overview
        assert "Example" in run(command, "--help").out, command
    for command in ("init", "upgrade", "url", "psql", "stop"):
        assert "Example" in run("db", command, "--help").out, command


def test_check_is_clean(run: Run) -> None:
    assert "no violation" in run("check").out


def test_cite_and_references(run: Run) -> None:
    (hit,) = json.loads(run("search", "what to do first", "-k", "1", "--document", GUIDE, "--json").out)
    words = " ".join(hit["content"].split()[:4])
    cited = json.loads(run("cite", GUIDE, hit["node_id"], "--quote", words, "--json").out)
    assert " ".join(cited["excerpt"].split()) == words
    assert cited["inline"].startswith("(")
    shown = run("cite", GUIDE, hit["node_id"], "--quote", words, "--style", "ieee").out
    assert "[1]" in shown
    refused = run("cite", GUIDE, hit["node_id"], "--quote", "words nobody wrote", code=1)
    assert "does not contain" in refused.err
    assert run("references").out.count("@") >= 2
    assert len(json.loads(run("references", GUIDE, "--format", "csl-json").out)) == 1
    assert run("references", GUIDE, "--style", "apa").out.strip()
    listed = json.loads(run("references", GUIDE, "--json").out)
    assert listed == json.loads(run("references", GUIDE, "--format", "csl-json").out)
    (entry,) = json.loads(run("references", GUIDE, "--style", "apa", "--json").out)
    assert entry == run("references", GUIDE, "--style", "apa").out.strip()


def test_answer(run: Run) -> None:
    def reply(request: dict[str, Any]) -> dict[str, Any]:
        # the first source with a line of some length
        number, words = re.findall(r"\n\[(\d+) [0-9a-f]{8}\] .*\n(.{40})", request["messages"][-1]["content"])[0]
        quote = {"source": int(number), "text": words.rpartition(" ")[0]}
        return {"claims": [{"text": "So it is.", "quotes": [quote]}], "sufficient": True}

    with stub_model(reply, reply) as stub:
        options = ("--llm", "stub", "--llm-url", stub.url, "--document", GUIDE)
        answered = json.loads(run("answer", "What to do first?", *options, "--json").out)
        assert answered["claims"][0]["quotes"][0]["citation"]["document_id"] == GUIDE
        assert run("answer", "What to do first?", *options).out.startswith("So it is. [1]\n")
    in_guide = ("answer", "When?", "--document", GUIDE)
    with stub_model({"claims": [], "sufficient": False, "missing": "the year"}) as stub:
        shown = run(*in_guide, "--llm", "stub", "--llm-url", stub.url, code=1)
        assert "the year" in shown.out
    assert "name" in run(*in_guide, code=1).err
