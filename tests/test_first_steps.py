"""What somebody meets first: no store yet, the demo, an agent whose client starts the server too early."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import anyio
import mcp_tools
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from ragraph.errors import ModelNotFoundError
from ragraph.faces.cli import demo

if TYPE_CHECKING:
    from ragraph import Hit
    from ragraph.store.store import Store

ROOT = Path(__file__).parent.parent


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "RAGRAPH_HOME": str(home), "RAGRAPH_DATABASE_URL": "", "RAGRAPH_BACKEND": "plain"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The home of a demo's store, and what the demo printed."""
    home = tmp_path_factory.mktemp("homes") / "ragraph"
    done = subprocess.run(
        [mcp_tools.RAGRAPH, "demo"], env=environment(home), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return home, done.stdout


def test_the_demo_answers_three_questions_with_citations(made: tuple[Path, str]) -> None:
    home, printed = made
    assert len(re.findall(r"^1\. ", printed, re.MULTILINE)) == 3
    assert len(re.findall(r"^\((?:Hosomi et al\., 2015|Smith, 2021)\) ", printed, re.MULTILINE)) == 3
    assert not home.exists()
    assert f"  export RAGRAPH_HOME={home}-demo\n" in printed
    assert printed.startswith("Making a store in ")
    before = "Or with files of your own, in the store that RAGRAPH_HOME names now:\n"
    assert printed.endswith(f"{before}  export RAGRAPH_HOME={home}\n  ragraph ingest FOLDER\n")


def test_the_demo_run_again_uses_its_store(made: tuple[Path, str]) -> None:
    home, printed = made
    again = subprocess.run(
        [mcp_tools.RAGRAPH, "demo"], env=environment(home), capture_output=True, text=True, check=False
    )
    assert (again.returncode, again.stderr) == (0, "")
    words = printed.replace("Making a store in ", "Using the store in ").split()  # lines wrap at other words
    assert again.stdout.split() == words


def test_the_demo_leads_back_to_the_default_store(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    hit = SimpleNamespace(document_id="d", node_id="n")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAGRAPH_HOME", raising=False)
        demo._print_next(tmp_path, cast("Hit", hit))
    assert "in the default store:\n  unset RAGRAPH_HOME\n" in capsys.readouterr().out


def test_what_the_demo_says_to_try_works(made: tuple[Path, str]) -> None:
    home, printed = made
    tried = re.findall(r"^  (ragraph .*)$", printed, re.MULTILINE)[:-1]
    assert len(tried) == 4
    for command in tried:
        line = command.replace("ragraph", mcp_tools.RAGRAPH, 1)
        there = environment(home.with_name("ragraph-demo"))
        done = subprocess.run(["bash", "-c", line], env=there, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert done.stdout


def test_an_agent_without_a_store_is_told_how_to_make_one(tmp_path: Path) -> None:
    async def ask() -> Any:
        parameters = StdioServerParameters(command=mcp_tools.RAGRAPH, args=["mcp"], env=environment(tmp_path / "none"))
        async with Client(stdio_client(parameters)) as client:
            return await client.call_tool("search", {"query": "rain"})

    answer = anyio.run(ask)
    assert answer.is_error
    assert "create one with `ragraph ingest FOLDER`" in answer.content[0].text
    assert not (tmp_path / "none").exists()


def test_the_demo_finds_its_store_where_it_said_to_look(
    made: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = made[0].with_name("ragraph-demo")
    done = subprocess.run(
        [mcp_tools.RAGRAPH, "demo"], env=environment(home), capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("Using the store in ")
    assert not home.with_name("ragraph-demo-demo").exists()
    assert "in the default store:\n  unset RAGRAPH_HOME\n" in done.stdout


@pytest.mark.parametrize("path", ["nofile.pdf", "nofolder/", "*.pdf", "--manifest=nofile.jsonl"])
def test_a_mistyped_path_creates_no_store(path: str, tmp_path: Path) -> None:
    command = [mcp_tools.RAGRAPH, "ingest", path]
    home = tmp_path / "home"
    done = subprocess.run(command, env=environment(home), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "there is no such file or folder: " in done.stderr
    assert not home.exists()


def test_a_search_of_an_empty_store_leads_to_ingest(store: Store) -> None:
    for ask in (lambda: store.search("rain"), lambda: store.context("rain"), lambda: store.search("x", model="other")):
        with pytest.raises(ModelNotFoundError, match=r"^the store is empty: ingest documents first, with `ragraph in"):
            ask()
    assert store.search("rain", mode="text") == []


def test_the_demo_of_a_checkout_is_where_readme_says() -> None:
    shown = subprocess.run(
        ["make", "--dry-run", "demo"],
        cwd=ROOT,
        env={**os.environ, "RAGRAPH_HOME": "/elsewhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"RAGRAPH_HOME={ROOT}/.demo " in shown.stdout
    assert 'RAGRAPH_HOME="$PWD/.demo"' in (ROOT / "README.md").read_text()
