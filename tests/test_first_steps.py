"""What somebody meets first: no store yet, the demo, an agent whose client starts the server too early."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import anyio
import mcp_tools
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

if TYPE_CHECKING:
    from pathlib import Path


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


def test_what_the_demo_says_to_try_works(made: tuple[Path, str]) -> None:
    home, printed = made
    tried = re.findall(r"^  (ragraph .*)$", printed, re.MULTILINE)[:-1]
    assert len(tried) == 4
    for command in tried:
        line = command.replace("ragraph", mcp_tools.RAGRAPH, 1)
        demo = environment(home.with_name("ragraph-demo"))
        done = subprocess.run(["bash", "-c", line], env=demo, capture_output=True, text=True, check=False)
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
