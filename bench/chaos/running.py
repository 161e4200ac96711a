"""A command of ``ragraph`` in a process that need not import first, and a client that uploads files to a service."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PRELOADED = ("ragraph.faces.cli.program", "ragraph.ingest.jobs.start", "ragraph.faces.web.app", "openai", "uvicorn")
_PATIENCE_S = 60.0


def processes() -> Any:
    """Return a context whose processes are forks of one that has imported what commands need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    return context


class Running:
    """A command that runs.

    Args:
        context: from ``processes``.
        arguments: of ``ragraph``; ``{port}`` is a free port.
        environment: variables beside those of this process.
        said: file for its output.
        uploads: files to upload to it, if it is a service; it is then ended.
    """

    def __init__(
        self,
        context: Any,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        said: Path,
        uploads: Sequence[Path] = (),
    ) -> None:
        self.port = port = _free_port()
        given = [argument.format(port=port) for argument in arguments]
        self._said = said
        self._uploaded = False
        self._process = context.Process(target=_be_ragraph, args=(given, dict(environment), said))
        self._process.start()
        self.pid: int = self._process.pid
        self._client = threading.Thread(target=self._upload, args=(port, uploads), daemon=True) if uploads else None
        if self._client is not None:
            self._client.start()

    @property
    def ended(self) -> bool:
        """True if the command has ended, or everything is uploaded; a service is asked to end then."""
        if self._client is not None and not self._client.is_alive() and self._process.is_alive():
            self._process.terminate()
            self._process.join(_PATIENCE_S)
        return not self._process.is_alive()

    @property
    def code(self) -> int:
        """Exit code; of a service 0 if all files were ingested, else 1."""
        code: int = self._process.exitcode
        if self._client is None or code == -signal.SIGKILL:
            return code
        self._client.join(_PATIENCE_S)
        return 0 if self._uploaded else 1

    @property
    def said(self) -> str:
        """What it has printed."""
        return self._said.read_text(errors="replace") if self._said.exists() else ""

    def wait_for_answers(self, seconds: float) -> bool:
        """Wait until a service answers; return False if it has ended, or does not answer in this time."""
        end = time.monotonic() + seconds
        while self._process.is_alive() and time.monotonic() < end:
            with suppress(httpx.TransportError):
                httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=_PATIENCE_S)
                return True
            time.sleep(0.05)
        return False

    def end(self) -> bool:
        """Ask it to end; return False if it had to be killed because it did not."""
        self._process.terminate()
        self._process.join(_PATIENCE_S)
        if not self._process.is_alive():
            return True
        self.kill()
        return False

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.join()

    def _upload(self, port: int, files: Sequence[Path]) -> None:
        """Upload files one after the other, and wait until each is ingested; stop at the first failure."""
        with (
            suppress(httpx.HTTPError),
            httpx.Client(base_url=f"http://127.0.0.1:{port}/api", timeout=_PATIENCE_S) as client,
        ):
            while self._process.is_alive():
                with suppress(httpx.TransportError):
                    client.get("/health")
                    break
                time.sleep(0.05)
            for file in files:
                answer = client.post("/documents", files={"file": (file.name, file.read_bytes())})
                while (job := answer.json()).get("status") in ("waiting", "running"):
                    time.sleep(0.05)
                    answer = client.get(f"/jobs/{job['id']}")
                if job.get("status") not in ("added", "changed", "unchanged", "duplicate", "moved"):
                    with self._said.open("a") as said:
                        said.write(f"upload of {file.name}: {job}\n")
                    return
            self._uploaded = True


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _be_ragraph(arguments: list[str], environment: dict[str, str], said: Path) -> None:
    descriptor = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
    for number in (1, 2):
        os.dup2(descriptor, number)
    os.environ.update(environment)
    sys.argv = ["ragraph", *arguments]
    from ragraph.faces.cli import main

    main()
