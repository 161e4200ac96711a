"""What the tests of the server share: clients in processes of their own, and who runs on a store."""

from __future__ import annotations

import os
import pwd
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import psutil
import psycopg
from psycopg import sql

from ragraph.server.account import let_pass, server_account
from ragraph.server.binaries import find_binaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VERSION = int(os.environ.get("RAGRAPH_POSTGRES_VERSION") or 18)

_CLIENT = """
import sys
from pathlib import Path
from ragraph.errors import RagraphError
from ragraph.server import EmbeddedServer
try:
    with EmbeddedServer(Path(sys.argv[1]), version=int(sys.argv[2])) as server:
        print(server.url(), flush=True)
        sys.stdin.read()
except RagraphError as error:
    print(type(error).__name__, error, flush=True)
"""


class Client:
    """A process that opens a store and stays until told to leave, or killed."""

    def __init__(self, home: Path, *, version: int = VERSION) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CLIENT, str(home), str(version)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_open(self) -> str:
        """The URL, once the store is open."""
        assert self.process.stdout is not None
        said = self.process.stdout.readline().strip()
        assert said.startswith("postgresql://"), said
        return said

    def leave(self) -> None:
        self.process.communicate("", timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)


def ask(url: str, statement: str = "SELECT 1") -> Any:
    """The first value of a statement's result, if it has one, over a connection of its own."""
    with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
        cursor = connection.execute(statement)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def postmasters(home: Path) -> list[psutil.Process]:
    """The postmasters that run on a store, by the list of processes and not by a file."""
    return [process for process, words in _commands() if "-D" in words and _within(words[words.index("-D") + 1], home)]


def helpers(home: Path, task: str) -> list[psutil.Process]:
    """The processes of watch.py for a store: task "last" or "hold"."""
    return [
        process
        for process, words in _commands()
        if len(words) > 4 and words[2].endswith("watch.py") and words[3] == task and _within(words[4], home)
    ]


def _commands() -> Iterator[tuple[psutil.Process, list[str]]]:
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if words and process.status() != psutil.STATUS_ZOMBIE:
                yield process, words
        except psutil.Error:
            continue


def _within(path: str, home: Path) -> bool:
    return Path(path).is_relative_to(home)


def kill_server(home: Path) -> None:
    """Kill the postmaster as a crash would; its children end by themselves."""
    for process in postmasters(home):
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: not postmasters(home))


def wait_until(holds: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def run_as(name: str) -> dict[str, Any]:
    """Arguments of subprocess to run as another user; for tests that run as root."""
    user = pwd.getpwnam(name)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextmanager
def tcp_server(folder: Path, version: int = VERSION) -> Iterator[str]:
    """A server of its own on 127.0.0.1 that asks for a password (scram), with pgvector in template1.

    Args:
        folder: an empty folder for its data.
        version: PostgreSQL's major version.

    Yields:
        The URL of its database ``tcp`` for the role ``tcp``, which owns it, may create databases and is no superuser.
    """
    binaries = find_binaries(version)
    owner = server_account(folder / "data")
    data, run, secret = folder / "data", folder / "run", folder / "password"
    let_pass(folder, owner)
    let_pass(binaries.folder, owner)
    password = "p@ss/w:rd%?" + secrets.token_urlsafe(9)  # needs quoting in a URL
    for made in (data, run):
        made.mkdir(mode=0o700)
        owner.own(made)
    secret.write_text(password)
    owner.own(secret)
    initdb: list[str | Path] = [binaries.program("initdb"), "-N", "-D", data, "-U", "admin", "-E", "UTF8", "--locale=C"]
    initdb += ["--auth=scram-sha-256", f"--pwfile={secret}"]
    subprocess.run(initdb, check=True, capture_output=True, cwd="/", **owner.run_as())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": f'"{run}"', "fsync": "off"}
    command: list[str | Path] = [binaries.program("postgres"), "-D", data]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **owner.run_as())
    try:
        wait_until(lambda: "ready" in _read(data / "postmaster.pid"))
        admin = {"host": "127.0.0.1", "port": port, "user": "admin", "password": password}
        with psycopg.connect(dbname="template1", autocommit=True, **admin) as connection:
            connection.execute("CREATE EXTENSION vector")
            role = sql.SQL("CREATE ROLE tcp LOGIN CREATEDB PASSWORD {}")
            connection.execute(role.format(sql.Literal(password)))
        with psycopg.connect(dbname="postgres", autocommit=True, **admin) as connection:
            connection.execute("CREATE DATABASE tcp OWNER tcp")
        yield f"postgresql://tcp:{quote(password, safe='')}@127.0.0.1:{port}/tcp"
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait(60)


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""
