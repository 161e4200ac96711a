"""The `ragraph db` commands, run as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from forked_python import run_python
from server_tools import VERSION, ask, helpers, postmasters, wait_until, watcher_waits

from ragraph.server import EmbeddedServer, stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

COMMAND = [sys.executable, "-c", "from ragraph.faces.cli import main; main()", "db"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cli") / "my store"
    with EmbeddedServer(folder, version=VERSION):
        pass
    yield folder
    stop(folder)


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    values = {name: value for name, value in os.environ.items() if not name.startswith("RAGRAPH_")}
    return {**values, "RAGRAPH_HOME": str(home)}


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    def call(*arguments: str, code: int = 0, **changes: str) -> subprocess.CompletedProcess[str]:
        done = run_python(COMMAND[2], "db", *arguments, env={**environment, **changes}, timeout=60)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return call


def test_init_upgrade_and_again(run: Run) -> None:
    first = json.loads(run("init", "--json").stdout)
    again = json.loads(run("upgrade", "--json").stdout)
    assert again == {"changed": False, "revision": first["revision"]}
    assert run("psql", "-Atc", "SELECT count(*) FROM ragraph.document").stdout == "0\n"


def test_psql(run: Run, home: Path) -> None:
    assert run("psql", "-At", "-c", "SELECT current_user").stdout == "ragraph\n"
    assert run("psql", "--", "-At", "-c", "SELECT 'a b%''c'").stdout == "a b%'c\n"
    refused = run("psql", "-c", "SELECT ragraph.document_text('none')", "-v", "ON_ERROR_STOP=1", code=1).stderr
    assert "ERROR:" in refused
    assert "CONTEXT:" not in refused
    assert run("psql", "-Atc", "SELECT 1/0", "-v", "ON_ERROR_STOP=1", code=1).stderr.count("division by zero") == 1
    wait_until(lambda: not postmasters(home))


def test_psql_holds_the_server(environment: dict[str, str], home: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "psql", "-At"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as shell:
        assert shell.stdin is not None
        assert shell.stdout is not None
        shell.stdin.write("SELECT 'here';\n")
        shell.stdin.flush()
        assert shell.stdout.readline() == "here\n"
        assert len(postmasters(home)) == 1
        wait_until(lambda: watcher_waits(home))
        shell.stdin.write("SELECT 'still';\n")
        shell.stdin.flush()
        assert shell.stdout.readline() == "still\n"
        shell.send_signal(signal.SIGKILL)
    wait_until(lambda: not postmasters(home))


def test_url_keeps_the_server_until_stop(run: Run, home: Path) -> None:
    done = run("url")
    assert "ragraph db stop" in done.stderr
    url = done.stdout.strip()
    assert "\n" not in url
    assert json.loads(run("url", "--json").stdout) == {"url": url}
    assert ask(url, "SELECT current_user") == "ragraph"
    assert len(helpers(home, "hold")) == 1
    assert json.loads(run("stop", "--json").stdout) == {"home": str(home), "stopped": True}
    assert "no server was running" in run("stop").stdout
    assert not postmasters(home)


def test_another_server(run: Run, server_url: str) -> None:
    other = {"RAGRAPH_DATABASE_URL": server_url}
    assert run("url", **other).stdout.strip() == server_url
    assert run("psql", "-Atc", "SELECT 1", **other).stdout == "1\n"
    assert "stop its PostgreSQL where it runs" in run("stop", code=1, **other).stderr
    assert "cannot be read" in run("url", code=1, RAGRAPH_DATABASE_URL="postgresql://a b/%zz").stderr


@pytest.mark.parametrize("command", ["url", "psql", "upgrade"])
def test_no_store(run: Run, tmp_path: Path, command: str) -> None:
    done = run(command, code=1, RAGRAPH_HOME=str(tmp_path / "none"))
    assert done.stderr.count("\n") == 1
    assert "`ragraph ingest FOLDER`" in done.stderr
    assert not (tmp_path / "none").exists()


def test_wrong_setting(run: Run) -> None:
    assert "set it to 16 or 18" in run("url", code=1, RAGRAPH_POSTGRES_VERSION="17").stderr
