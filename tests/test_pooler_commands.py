"""Each command of the command line through a pooler in transaction mode, which leaves its connections alike.

The list of commands is that of the program: one without a line here fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import psycopg
import pytest
from command_line import CommandLine, built_once
from tcp_server import ROLE
from test_pooler import _draft, _states, pooler
from typer.main import get_command

import ragraph
from ragraph.database import migrate
from ragraph.faces.cli.program import app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tcp_server import TcpServer

SERVED = {"serve": ("--port", "0"), "mcp": ("--http", "--port", "0")}
"""Commands that run until they are stopped."""

NOT_RUN = {"db psql": "it replaces the process by psql, which is no program of ours"}

OWN_DOCUMENTS = ("delete", "update", "prune", "restore-version")
"""Commands that change a document: each has one of its own."""

LINES: dict[str, tuple[str, ...] | tuple[int | None, str, tuple[str, ...]]] = {
    "ingest": ("{folder}/rain.md",),
    "embed": (),
    "import": ("{folder}/draft.jsonl",),
    "explain": (1, "cannot be opened as PDF", ("{folder}/rain.md",)),
    "list": (),
    "show": ("dl_one",),
    "toc": ("dl_one",),
    "page": (1, "read it by section", ("dl_one", "1")),
    "tables": ("dl_one",),
    "render": ("dl_one",),
    "related": ("dl_one", "{node}"),
    "delete": ("dl_delete", "--yes"),
    "check": (),
    "search": ("bridge river",),
    "tune": (1, "", ("{folder}/judged.jsonl",)),
    "judge": ("{folder}/more.jsonl", "bridge river", "--accept", "1"),
    "eval": ("{folder}/judged.jsonl",),
    "export": ("--output", "{folder}/out.jsonl"),
    "backup": (1, "leads to a pooler", ("{folder}/store.ragraph",)),
    "restore": (1, "", ("{folder}/none.ragraph",)),
    "verify": (),
    "describe": (1, "", ()),
    "entity": (1, "", ("nobody",)),
    "citing": ("dl_one",),
    "cited-by": ("dl_one",),
    "doctor": (1, "ok  server", ()),
    "stats": (),
    "demo": (2, "makes a store of its own", ()),
    "embed-query": ("bridge river",),
    "update": ("dl_update", "--title", "Other bridges"),
    "history": ("dl_one",),
    "diff": ("dl_one",),
    "prune": ("dl_prune", "--keep", "1"),
    "restore-version": ("dl_restore-version", "1"),
    "cite": ("dl_one", "{node}"),
    "references": ("dl_one",),
    "answer": (1, "", ("which bridge spans a river",)),
    "ask": ("which bridge spans a river",),
    "reviews add": ("dl_one", "{node}", "right", "--question", "which bridge spans a river"),
    "reviews list": (),
    "reviews withdraw": ("dl_one", "rv_none"),
    "queries log": ("--days", "3"),
    "queries list": (),
    "queries export": (None, "", ("{folder}/logged.jsonl",)),  # refused while nothing is logged
    "queries forget": (),
    "open": (1, "", ("dl_nobody",)),
    "status": (),
    "db init": (),
    "db upgrade": (),
    "db url": (),
    "db roles": (None, "", ()),  # refused, or done if another test made the roles of this server
    "db tenants": (None, "", ("on",)),  # roles of other databases of the server may be there
    "db grant": (1, "", ("nobody", "default", "read")),
    "db revoke": (1, "", ("nobody", "default")),
    "db grants": (),
    "db vectors": ("half",),
    "db stop": (1, "", ()),
    "tokens create": (None, "", ("nobody", "--role", "reader", "--collection", "default")),
    "tokens list": (),
    "tokens revoke": (1, "", ("nobody",)),
    "audit list": (),
    "audit export": (),
    "audit prune": ("--older-than", "365"),
    "jobs list": (),
    "jobs show": (1, "", ("job_none",)),
    "jobs cancel": (1, "", ("job_none",)),
    "jobs resume": (1, "", ("job_none",)),
    "models list": (),
    "models add": (1, "", ("{folder}/none",)),
    "models index": ("{model}", "halfvec"),
    "models measure": ("{model}",),
    "models fill": ("{model}",),
    "models switch": (1, "", ("none",)),
    "models drop": (1, "", ("none",)),
    "assets clean": (),
    "assets original": (1, "", ("dl_nobody", "{folder}/original.md")),
    "assets picture": (1, "", ("dl_nobody", "1", "{folder}/picture.png")),
    "entities list": (),
    "entities extract": (),
    "entities merge": (1, "", ("nobody", "no one")),
    "entities split": (1, "", ("nobody", "--document", "dl_one")),
    "entities reset": (1, "", ("nobody",)),
    "works list": (),
    "works show": (1, "", ("none",)),
    "works merge": (1, "", ("none", "other")),
    "works split": (1, "", ("none", "--document", "dl_one")),
    "works reset": (1, "", ("none",)),
    "cluster check": (1, "", ()),
    "cluster distribute": (1, "", ()),
    "cluster status": (),
}
"""Arguments of each command; where it refuses, the exit code and a part of what it prints come first."""

SYMPTOMS = ("prepared statement", "read-only transaction", "supplies", "Traceback", "current transaction is aborted")
"""What is printed if a command left its state behind, or met that of another."""


def _leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        if hasattr(below, "list_commands"):
            yield from _leaves(below, (*path, name))
        else:
            yield " ".join((*path, name))


def test_each_command_has_a_line() -> None:
    assert {*LINES, *SERVED, *NOT_RUN} == set(_leaves(get_command(app)))


@pytest.fixture(scope="module")
def pooled(tcp: TcpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a store with documents, through the pooler."""
    with psycopg.connect(tcp.url("postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE commanded")
    migrate.upgrade(tcp.url("commanded"))
    with pooler(tmp_path_factory.mktemp("pooler"), tcp) as port:
        url = f"postgresql://{ROLE}@127.0.0.1:{port}/commanded"
        with ragraph.open(url) as store:
            for name in ("one", "two", *OWN_DOCUMENTS):
                assert store.add(_draft(name)).status == "added"
        yield url


@pytest.fixture
def names(pooled: str, tmp_path: Path) -> dict[str, str]:
    """What stands for the names in braces."""
    with ragraph.open(pooled) as store:
        node = store.nodes("dl_one")[1].id
        model = store.models()[0].name
    (tmp_path / "rain.md").write_text("# Rain\n\nRain fills the reservoirs of the valley.\n")
    (tmp_path / "draft.jsonl").write_text(_draft("imported").model_dump_json() + "\n")
    judged = {"question": "bridge river", "document": "dl_one", "passages": ["Bridge 0 of document one spans a river."]}
    (tmp_path / "judged.jsonl").write_text(json.dumps(judged) + "\n")
    return {"folder": str(tmp_path), "node": node, "model": model}


@pytest.mark.parametrize("command", LINES)
def test_a_command_leaves_the_connections_alike(
    command: str,
    pooled: str,
    names: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    line: Any = LINES[command]
    code, told, arguments = line if line and not isinstance(line[0], str) else (0, "", line)
    before = _states(pooled)
    with built_once():
        ended = CommandLine(pooled, monkeypatch, capsys)(
            *command.split(), *(argument.format(**names) for argument in arguments)
        )
    printed = ended.out + ended.err
    assert not any(symptom in printed for symptom in SYMPTOMS), printed
    assert ended.code == code or (code is None and ended.code in (0, 1)), printed
    assert told in printed
    assert _states(pooled) == before


@contextmanager
def _running(url: str, *arguments: str) -> Iterator[str]:
    """Run a service; yield its address."""
    program = [sys.executable, "-c", "from ragraph.faces.cli import main; main()"]
    environment = {**os.environ, "RAGRAPH_DATABASE_URL": url}
    process = subprocess.Popen(
        [*program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    )
    assert process.stdout is not None
    try:
        seen = []
        for line in process.stdout:
            seen.append(line.decode())
            if "Serving at " in seen[-1]:
                break
        else:
            pytest.fail("".join(seen))
        yield seen[-1].partition("Serving at ")[2].split()[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def test_services_leave_the_connections_alike(pooled: str) -> None:
    before = _states(pooled)
    with _running(pooled, "serve", *SERVED["serve"]) as address:
        for mode in ("text", "hybrid"):
            for _ in range(8):
                with urllib.request.urlopen(f"{address}/api/search?q=bridge&mode={mode}", timeout=60) as answer:
                    assert b"dl_" in answer.read()
        with urllib.request.urlopen(f"{address}/api/context?q=bridge", timeout=60) as answer:
            assert b"dl_" in answer.read()
    assert _states(pooled) == before


def test_agents_leave_the_connections_alike(pooled: str) -> None:
    from anyio.from_thread import start_blocking_portal
    from mcp import Client

    before = _states(pooled)
    with _running(pooled, "mcp", *SERVED["mcp"]) as address:
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(address)) as session:
            result = portal.call(session.call_tool, "search", {"query": "bridge river"})
        assert not result.is_error, result
    assert _states(pooled) == before
