"""Runs ``python -c`` in a process of its own that need not import first: it is forked from one that has.

A test that has a process killed at thirty statements would else wait thirty times, most of a second each, for what
the process imports. What is run finds the environment as the caller has it now, and modules as they are after an
import; tests of imports or of starting itself start Python themselves.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path

from processor_time import FAMILIES

PRELOADED = (
    *("psycopg", "pgvector.psycopg", "alembic.command", "ragraph", "ragraph.database.migrate", "ragraph.store.opening"),
    *("ragraph.faces.cli", "ragraph.ingest.jobs.start"),
)
_one = threading.Lock()


class Forked:
    """A started process, with what ``subprocess.Popen`` has of it; its output is complete when it has ended."""

    def __init__(
        self, code: str, arguments: tuple[str, ...], env: dict[str, str] | None, input: str, modules: tuple[str, ...]
    ) -> None:
        self.args = [sys.executable, "-c", code, *arguments]
        self.returncode: int | None = None
        folder = Path(tempfile.mkdtemp(prefix="ragraph-forked-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._printed = folder / "out", folder / "err"
        (folder / "in").write_text(input)
        os.mkfifo(folder / "life")
        request = {
            "code": code,
            "arguments": arguments,
            "modules": modules,
            "environment": dict(os.environ if env is None else env),
            "folder": str(Path.cwd()),
            "files": [str(folder / name) for name in ("in", "out", "err")],
            "life": str(folder / "life"),
        }
        with _one:
            requests = _parent(os.getpid()).stdin
            assert requests is not None
            requests.write(json.dumps(request) + "\n")
            requests.flush()
        self._life = (folder / "life").open("rb", buffering=0)  # unbuffered, so that select knows of each line
        self.pid = int(self._life.readline())

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit code.

        Raises:
            subprocess.TimeoutExpired: it has not ended after ``timeout`` seconds.
        """
        if self.returncode is None:
            if not select.select([self._life], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = os.waitstatus_to_exitcode(int(self._life.readline()))
            self._life.close()
        return self.returncode

    def communicate(self, input: None = None, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end and return what it printed to standard output and standard error."""
        self.wait(timeout)
        return self.printed()

    def printed(self) -> tuple[str, str]:
        """Return what it has printed so far."""
        out, err = (path.read_text(errors="replace") for path in self._printed)
        return out, err

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start_python(
    code: str,
    *arguments: str,
    env: dict[str, str] | None = None,
    input: str = "",
    modules: tuple[str, ...] = (),
) -> Forked:
    """Start code as ``python -c code arguments...`` does.

    Args:
        code: what is run.
        *arguments: its ``sys.argv[1:]``.
        env: its environment; that of this process by default.
        input: its standard input.
        modules: what it imports too, also from this folder: imported once, for all that are started later.
    """
    return Forked(code, arguments, env, input, modules)


def run_python(
    code: str, *arguments: str, env: dict[str, str] | None = None, timeout: float = 240
) -> subprocess.CompletedProcess[str]:
    """Run code as ``python -c code arguments...`` does, and return what came of it.

    Raises:
        subprocess.TimeoutExpired: it took longer than ``timeout`` seconds, and was killed.
    """
    process = start_python(code, *arguments, env=env)
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise subprocess.TimeoutExpired(process.args, timeout, *process.printed()) from None
    return subprocess.CompletedProcess(process.args, process.wait(), *process.printed())


@functools.cache
def _parent(_: int) -> subprocess.Popen[str]:
    """Start the process that forks; it ends with this one, whose end it reads on its standard input."""
    started = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, text=True)
    FAMILIES.append(started.pid)
    return started


def _fork_for_each() -> str | None:
    """Fork a child for each request; in a child, return the code to be run."""
    requests = os.fdopen(os.dup(0), "r")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for line in requests:
        request = json.loads(line)
        for name in request["modules"]:
            importlib.import_module(name)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if os.fork():
            continue
        # a process between waits for the child, and reports its number and its end
        life = os.open(request["life"], os.O_WRONLY)
        if child := os.fork():
            os.write(life, b"%d\n" % child)
            _, status = os.waitpid(child, 0)
            os.write(life, b"%d\n" % status)
            os._exit(0)
        os.close(life)
        os.close(requests.fileno())
        for number, path in enumerate(request["files"]):
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            os.dup2(file, number)
            os.close(file)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        sys.argv = ["-c", *request["arguments"]]
        sys.path[0] = ""
        return str(request["code"])
    return None


if __name__ == "__main__":
    for name in PRELOADED:
        __import__(name)
    if (to_run := _fork_for_each()) is not None:
        exec(compile(to_run, "<string>", "exec"), {"__name__": "__main__"})
