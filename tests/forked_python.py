"""Runs ``python -c`` in a process of its own that need not import first: it is forked from one that has.

A test that has a process killed at thirty statements would else wait thirty times, most of a second each, for what
the process imports. What is run finds standard input empty, the environment as the caller has it now, and modules as
they are after an import; tests of imports or of starting itself start Python themselves.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

from processor_time import FAMILIES

PRELOADED = (
    *("psycopg", "pgvector.psycopg", "alembic.command", "ragraph", "ragraph.database.migrate", "ragraph.store.opening"),
    *("ragraph.faces.cli", "ragraph.ingest.jobs.start"),
)
_one = threading.Lock()


def run_python(
    code: str, *arguments: str, env: dict[str, str] | None = None, timeout: float = 240
) -> subprocess.CompletedProcess[str]:
    """Run code as ``python -c code arguments...`` does, and return what came of it.

    Raises:
        subprocess.TimeoutExpired: it took longer than ``timeout`` seconds, and was killed.
    """
    with _one, TemporaryDirectory(prefix="ragraph-forked-") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        request = {
            "code": code,
            "arguments": arguments,
            "environment": dict(os.environ if env is None else env),
            "folder": str(Path.cwd()),
            "outputs": [str(out), str(err)],
        }
        parent = _parent(os.getpid())
        requests, answers = parent.stdin, parent.stdout
        assert requests is not None
        assert answers is not None
        requests.write(json.dumps(request) + "\n")
        requests.flush()
        pid = int(answers.readline())
        late = threading.Event()

        def kill() -> None:
            late.set()
            os.kill(pid, signal.SIGKILL)

        watch = threading.Timer(timeout, kill)
        watch.start()
        status = int(answers.readline())
        watch.cancel()
        printed = out.read_text(errors="replace"), err.read_text(errors="replace")
    command = [sys.executable, "-c", code, *arguments]
    if late.is_set():
        raise subprocess.TimeoutExpired(command, timeout, *printed)
    return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), *printed)


@functools.cache
def _parent(_: int) -> subprocess.Popen[str]:
    """Start the process that forks; it ends with this one, whose end it reads on its standard input."""
    started = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    FAMILIES.append(started.pid)
    return started


def _fork_for_each() -> str | None:
    """Fork a child for each request, and tell its number and its end; in a child, return the code to be run."""
    requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    for line in requests:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.close(requests.fileno())
            os.close(answers.fileno())
            for number, path in enumerate(request["outputs"], 1):
                file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
                os.dup2(file, number)
                os.close(file)
            os.environ.clear()
            os.environ.update(request["environment"])
            os.chdir(request["folder"])
            sys.argv = ["-c", *request["arguments"]]
            sys.path[0] = ""
            return str(request["code"])
        print(child, file=answers, flush=True)
        _, status = os.waitpid(child, 0)
        print(status, file=answers, flush=True)
    return None


if __name__ == "__main__":
    for name in PRELOADED:
        __import__(name)
    if (to_run := _fork_for_each()) is not None:
        exec(compile(to_run, "<string>", "exec"), {"__name__": "__main__"})
