"""Helpers of the server tests: clients in processes of their own, and the processes of a store."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg

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
    """A process that opens a store and keeps it open until it is asked to leave, or killed."""

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
    return [
        process
        for process, words in _commands()
        if Path(words[0]).name == "postgres" and "-D" in words and _within(words[words.index("-D") + 1], home)
    ]


def helpers(home: Path, task: str) -> list[psutil.Process]:
    """The processes of watch.py for a store: task "last" or "hold"."""
    return [
        process
        for process, words in _commands()
        if len(words) > 4 and words[2].endswith("watch.py") and words[3] == task and _within(words[4], home)
    ]


def watcher_waits(home: Path) -> bool:
    """Return True if the process that stops the server waits for clients to leave: it sleeps until it has their lock.

    It is not waiting for a moment when one of several clients has left, so give this to ``wait_until``.
    """
    waiting = {line.split()[5] for line in Path("/proc/locks").read_text().splitlines() if " -> FLOCK " in line}
    return any(str(process.pid) in waiting for process in helpers(home, "last"))


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


def has_ended(pid: int) -> bool:
    """Return True if a process has ended, even if its parent has not reaped it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until(holds: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def run_as(name: str) -> dict[str, Any]:
    """Arguments of subprocess to run as another user; for tests that run as root."""
    user = pwd.getpwnam(name)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
