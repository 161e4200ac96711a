"""Readers in separate processes: a file that hangs, uses too much memory or crashes its reader fails alone.

Loading docling takes seconds, so a process reads one file after another. It is replaced when it was killed, when it
has grown, or after a number of files. It gets no connection, no inherited file and no secret of the environment.
Drafts come back as JSON over a pipe.
"""

from __future__ import annotations

import _thread
import collections
import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import psutil
from pydantic import ValidationError

from ragraph import errors
from ragraph.base.log import logger
from ragraph.base.scratch import ScratchFolder
from ragraph.base.system import kill_group
from ragraph.ingest.common.memory import LIMITS
from ragraph.ingest.draft import Draft
from ragraph.ingest.reader_process.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.reader_process.worker import HEADER_BYTES
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, Self

    Pages = Callable[[float, int], None]

_MIB = 1024 * 1024
_LOG = logger("ragraph.ingest.reader")

MAX_GRANT_S = 60.0

WORKER = (sys.executable, "-m", "ragraph.ingest.reader_process.worker")
"""Command of the reader's process."""

_TICK_S = 0.1
_CHILDREN_EVERY = 10
_START_S = 120.0
_FILES_PER_WORKER = 200
_IDLE_BYTES = 512 * _MIB
"""Maximum resident memory with which a process is reused: twice that of a new one, with OCR."""
_LARGEST_DRAFT = 1024 * _MIB
_STDERR_LINES = 20

_HEARING_S = 5
"""Seconds within which the last words of a process that has ended are read: a thread does it, and may have to wait."""

_OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "annot allocate memory", "out of memory")
"""Messages of libraries that were refused memory."""

_ENVIRONMENT = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "SSL_CERT_FILE")
_ENVIRONMENT_PREFIXES = ("LC_", "PYTHON", "HF_", "XDG_", "OMP_", "MKL_", "CUDA_", "DOCLING_", "TORCH_", "COVERAGE_")
_SECRET_WORDS = ("TOKEN", "SECRET", "PASSWORD", "KEY")


def read_isolated(
    path: Path,
    *,
    timeout_s: float = TIMEOUT_S,
    memory_bytes: int = MEMORY_BYTES,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
) -> Draft:
    """Return the draft of one file, read in a process that ends afterwards.

    Args:
        path: the file.
        timeout_s: seconds of wall-clock time, without the start of the process.
        memory_bytes: resident memory of the process and its children.
        options: options for the reader.
        limits: limits of the file's size.

    Raises:
        IngestError: the file cannot be read. ReaderTimeoutError and ReaderMemoryError for the two limits.
    """
    with ReaderPool(timeout_s=timeout_s, memory_bytes=memory_bytes, limits=limits) as pool:
        return pool.read(path, options)


class ReaderPool:
    """Processes that read files. ``read`` may be called from several threads; each call has a process to itself.

    Args:
        timeout_s: seconds of wall-clock time per file.
        memory_bytes: resident memory per process.
        limits: limits of a file's size.
        threads: threads of numerical libraries in each process.
    """

    def __init__(
        self,
        *,
        timeout_s: float = TIMEOUT_S,
        memory_bytes: int = MEMORY_BYTES,
        limits: Limits | None = None,
        threads: int = 1,
    ) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._limits = limits or Limits()
        self._threads = threads
        self._lock = threading.Condition()
        self._waiting_alone = 0
        self._alone = False
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, path: Path, options: ReadOptions | None = None, *, pages: Pages | None = None) -> Draft:
        """Return the draft of a file. ``pages`` is told, in this thread, how many of how many pages are read.

        If the process of a file is killed from outside, as the kernel does when memory runs out, the file is read once
        more with no other file at the same time: it need not be the one that used the memory.

        Raises:
            IngestError: see ``read_isolated``.
        """
        try:
            return self._read(path, options, pages, alone=False)
        except _KilledError:
            _LOG.warning("reader was killed: reading the file again, alone", file=str(path))
            try:
                return self._read(path, options, pages, alone=True)
            except _KilledError as again:
                raise errors.ReaderMemoryError(
                    "the reader's process was killed (signal 9) from outside, and again with nothing else being read; "
                    f"it had {again.resident // _MIB:,} MiB: perhaps this machine has too little memory for the file; "
                    "end other programs, split the file or use a larger machine"
                ) from again

    def _read(self, path: Path, options: ReadOptions | None, pages: Pages | None, *, alone: bool) -> Draft:
        worker = self._take(alone=alone)
        try:
            limits = (self._limits, self._timeout_s, self._memory_bytes)
            draft = worker.read(path, options or ReadOptions(), *limits, pages)
        finally:
            self._give_back(worker)
        return draft

    def close(self) -> None:
        """End all processes, including those that are reading."""
        with self._lock:
            self._closed = True
            idle, busy = self._idle, [*self._busy]
            self._idle = []
            self._lock.notify_all()
        for worker in busy:  # the thread that uses it returns it
            worker.kill()
        for worker in idle:
            worker.discard()

    def _take(self, *, alone: bool) -> _Worker:
        unneeded: list[_Worker] = []
        with self._lock:
            self._waiting_alone += alone
            try:
                self._lock.wait_for(lambda: self._closed or self._may_begin(alone))
            finally:
                self._waiting_alone -= alone
            if self._closed:
                raise errors.IngestError("ingestion was stopped")
            if alone:  # idle processes use memory too
                unneeded, self._idle = self._idle, []
            try:
                # Listed before it has started, which takes seconds, so that ``close`` need not wait for that.
                worker = self._idle.pop() if self._idle else _Worker(self._threads)
            except BaseException:  # no memory for a process or a thread: wake others, who may have waited for this one
                self._idle += unneeded
                self._lock.notify_all()
                raise
            self._alone = alone
            self._busy.add(worker)
        for other in unneeded:
            other.discard()
        return worker

    def _may_begin(self, alone: bool) -> bool:
        if alone:
            return not self._busy
        return not self._alone and not self._waiting_alone

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            self._alone = False
            self._lock.notify_all()
            if not self._closed and worker.reusable():
                self._idle.append(worker)
                return
        worker.discard()


class _KilledError(errors.ReaderMemoryError):
    """The process was killed from outside; ``resident`` is its memory in bytes when it was last measured."""

    def __init__(self, resident: int) -> None:
        super().__init__("the reader's process was killed (signal 9) from outside")
        self.resident = resident


class _Worker:
    """One process; used by one thread at a time."""

    def __init__(self, threads: int) -> None:
        self._files = 0
        self._sound = False
        self._usage: psutil.Process | None = None
        self._seen = 0
        self._said: collections.deque[bytes] = collections.deque(maxlen=_STDERR_LINES)
        self._heard = threading.Event()  # to its last word
        self._folder = ScratchFolder("read")
        try:
            self._process = subprocess.Popen(
                WORKER,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(str(self._folder.path), threads),
                start_new_session=True,  # its own process group, so that its children end with it
            )
        except BaseException:
            self._folder.remove()
            raise
        try:
            # Thread.start waits until the thread reports that it runs: for ever if memory is refused to it
            _thread.start_new_thread(self._listen, (_stream(self._process.stderr),))
        except BaseException:
            self.discard()
            _stream(self._process.stderr).close()
            raise

    def reusable(self) -> bool:
        """Return True if the process can read another file."""
        return self._sound and self._files < _FILES_PER_WORKER and self._resident(children=False) < _IDLE_BYTES

    def read(
        self,
        path: Path,
        options: ReadOptions,
        limits: Limits,
        timeout_s: float,
        memory_bytes: int,
        pages: Pages | None = None,
    ) -> Draft:
        """Return the draft of a file. Not ``reusable`` afterwards if it was killed, did not answer or was spoiled."""
        if self._usage is None:
            self._start()
        self._files += 1
        self._sound = False
        self._said.clear()
        request = {
            "path": str(path),
            "options": asdict(options),
            "limits": asdict(limits),
            "cpu_s": timeout_s * (os.cpu_count() or 1) + 60,
            # Above the limit that this process watches, which gives the better message; below it the kernel steps in.
            "data_bytes": memory_bytes + memory_bytes // 2 + 512 * _MIB,
        }
        try:
            stdin = _stream(self._process.stdin)
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
        except OSError:
            self._crashed()
        deadline = time.monotonic() + timeout_s
        kind, content = self._receive(deadline, timeout_s, memory_bytes)
        while kind in (b"T", b"P"):
            if kind == b"T":
                deadline += min(float(json.loads(content)), MAX_GRANT_S)
            elif pages is not None:
                pages(*json.loads(content))
            kind, content = self._receive(deadline, timeout_s, memory_bytes)
        self._sound = True
        if kind == b"D":
            try:
                return Draft.model_validate_json(content)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(step) for step in first["loc"])
                raise errors.DamagedFileError(f"the reader made an invalid draft: {where}: {first['msg']}") from error
        failure = json.loads(content)
        self._sound = not failure["spoiled"]
        kind_of_error = getattr(errors, failure["error"], errors.IngestError)
        raise kind_of_error(failure["message"])

    def kill(self) -> None:
        """End the process and all its children; does nothing if it has ended.

        The pipes stay open: another thread may be waiting at one, and sees its end. If the pipe were closed meanwhile,
        that thread would never wake, and the file descriptor might belong to another file by then.
        """
        self._sound = False
        _LOG.debug("reader ended", reader=self._process.pid, files=self._files)
        kill_group(self._process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._folder.remove()

    def discard(self) -> None:
        """End the process and close its pipes; call it from the thread that uses the process, or when none does."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError, ValueError):
                _stream(stream).close()

    def _start(self) -> None:
        """Wait until the process can read."""
        try:
            self._usage = psutil.Process(self._process.pid)
            self._receive(time.monotonic() + _START_S, _START_S, None)
        except (errors.IngestError, psutil.Error) as error:
            self.kill()
            raise errors.IngestError(f"the reader's process does not start: {self._last_words() or error}") from error
        _LOG.info("reader started", reader=self._process.pid)

    def _receive(self, deadline: float, timeout_s: float, memory_bytes: int | None) -> tuple[bytes, bytes]:
        """Return kind and content of the next answer; kill the process if it exceeds a limit."""
        received = bytearray()
        wanted = HEADER_BYTES
        ticks = 0
        watched = 0.0
        descriptor = _stream(self._process.stdout).fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while len(received) < wanted:
                ready = selector.select(_TICK_S)
                now = time.monotonic()
                if now > deadline:
                    self.kill()
                    raise errors.ReaderTimeoutError(
                        f"reading the file took longer than {timeout_s:g} s and was stopped; "
                        "raise timeout_s= or split it"
                    )
                if memory_bytes is not None and now - watched >= _TICK_S:
                    watched = now
                    ticks += 1
                    self._seen = self._resident(children=ticks % _CHILDREN_EVERY == 0)
                    if self._seen > memory_bytes:
                        self.kill()
                        raise errors.ReaderMemoryError(
                            f"reading the file took more than {memory_bytes // _MIB:,} MiB of memory and was stopped; "
                            "raise memory_bytes= or split it"
                        )
                if not ready:
                    if self._process.poll() is not None:  # its children may hold the pipe open
                        self._crashed()
                    continue
                chunk = os.read(descriptor, min(_MIB, wanted - len(received)))
                if not chunk:
                    self._crashed()
                received += chunk
                if wanted == HEADER_BYTES and len(received) >= HEADER_BYTES:
                    wanted += int.from_bytes(received[1:HEADER_BYTES], "big")
                    if wanted > _LARGEST_DRAFT:
                        self.kill()
                        raise errors.FileTooLargeError("the draft of the file is larger than 1 GiB; split the file")
        return bytes(received[:1]), bytes(received[HEADER_BYTES:])

    def _resident(self, *, children: bool) -> int:
        total = 0
        if self._usage is None:
            return total
        with contextlib.suppress(psutil.Error):
            total = int(self._usage.memory_info().rss)
            if children:
                for child in self._usage.children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        total += int(child.memory_info().rss)
        return total

    def _crashed(self) -> NoReturn:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        code = self._process.returncode
        self.kill()
        name = f"exit code {code}"
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                name = signal.Signals(-code).name
        self._heard.wait(_HEARING_S)
        words = self._last_words()
        if code == -signal.SIGKILL:
            raise _KilledError(self._seen)
        if code == -signal.SIGXCPU:
            raise errors.ReaderTimeoutError(
                "reading the file took more processor time than its limit and was stopped; raise timeout_s= or split it"
            )
        if any(sign in words for sign in _OUT_OF_MEMORY):
            raise errors.ReaderMemoryError(
                f"reading the file took more memory than the limit ({words}); raise memory_bytes= or split it"
            )
        raise errors.ReaderMemoryError(
            f"the reader's process ended ({name}) on this file{': ' + words if words else ''}; the file may be damaged"
        )

    def _listen(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                for line in iter(lambda: stream.readline(4096), b""):
                    self._said.append(line)
        finally:
            self._heard.set()

    def _last_words(self) -> str:
        lines = [line.decode(errors="replace").strip() for line in self._said]
        return next((line[:200] for line in reversed(lines) if line), "")


def _environment(folder: str, threads: int) -> dict[str, str]:
    """Return the environment of the process: paths, but no database, no proxy and no secret."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if (name in _ENVIRONMENT or name.startswith(_ENVIRONMENT_PREFIXES))
        and not any(word in name.upper() for word in _SECRET_WORDS)
    }
    kept.setdefault("OMP_NUM_THREADS", str(threads))
    for name, value in LIMITS.items():
        kept.setdefault(name, str(value))
    # The folder of a killed process is deleted with its temporary files.
    return {**kept, "TMPDIR": folder, "PYTHONUNBUFFERED": "1", "TOKENIZERS_PARALLELISM": "false"}


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError("the process was started with pipes")
    return stream
