"""Resources of processes, and what they leave behind."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Self

    from ragraph import Store

RAGRAPH = (sys.executable, "-c", "from ragraph.faces.cli import main; main()")
"""The command line, of the running Python."""

_EVERY_S = 0.05


def tree(root: int) -> list[psutil.Process]:
    """Return a process and all its descendants; an empty list if it has ended."""
    with suppress(psutil.Error):
        top = psutil.Process(root)
        return [top, *top.children(recursive=True)]
    return []


def memory(processes: Iterable[psutil.Process]) -> int:
    """Return the bytes of processes, of those that have not ended; what several share counts once."""
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            total += process.memory_full_info().pss
    return total


def of_folder(folder: Path) -> list[psutil.Process]:
    """Return all processes of this machine that work in a folder, or name it on their command line or in variables.

    This process and those above it are not included.
    """
    here, own = str(folder.resolve()), {os.getpid(), *(above.pid for above in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid in own or process.status() == psutil.STATUS_ZOMBIE:
                continue
            places = [*process.cmdline(), *process.environ().values(), process.cwd()]
            if any(here in place for place in places):
                found.append(process)
    return found


def server_processes(home: Path) -> list[psutil.Process]:
    """Return the embedded server of a home and its backends; an empty list if it does not run."""
    for file in home.glob("postgres-*/postmaster.pid"):
        with suppress(OSError, ValueError, IndexError):
            return tree(int(file.read_text().split()[0]))
    return []


def server_seconds(store: Store, unit: Callable[[], object]) -> float:
    """Return the processor seconds of a store's server during a unit of work, including workers that have ended."""
    with store.database.read() as connection:
        server = psutil.Process(connection.info.backend_pid).parent()
    assert server is not None

    def taken() -> float:
        times = server.cpu_times()
        seconds = float(times.children_user + times.children_system)
        for process in server.children():
            with suppress(psutil.NoSuchProcess):  # it ends during the query
                seconds += sum(process.cpu_times()[:2])
        return seconds

    before = taken()
    unit()
    return taken() - before


class Watch:
    """Measures the memory of processes, twenty times a second, and keeps the maximum of each kind.

    ``largest`` is in bytes of resident memory by kind: ``run`` is the process itself, ``reader`` each reading process
    with its children, ``server`` the largest backend without shared memory.
    """

    def __init__(self, root: int, home: Path) -> None:
        self.largest = {"run": 0, "reader": 0, "server": 0}
        self._root, self._home = root, home
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(_EVERY_S):
            with suppress(psutil.Error):
                self._note("run", [psutil.Process(self._root)])
                for child in psutil.Process(self._root).children():
                    with suppress(psutil.Error):
                        if "ragraph.ingest.reader_process.worker" in child.cmdline():
                            self._note("reader", tree(child.pid))
            for backend in server_processes(self._home)[1:]:
                with suppress(psutil.Error):
                    memory = backend.memory_info()
                    self.largest["server"] = max(self.largest["server"], memory.rss - memory.shared)

    def _note(self, kind: str, processes: Iterable[psutil.Process]) -> None:
        total = 0
        for process in processes:
            with suppress(psutil.Error):
                total += process.memory_info().rss
        self.largest[kind] = max(self.largest[kind], total)


def wait_gone(folder: Path, seconds: float) -> list[str]:
    """Wait until nothing runs in a folder; return the command lines of remaining processes."""
    deadline = time.monotonic() + seconds
    while (left := of_folder(folder)) and time.monotonic() < deadline:
        time.sleep(0.2)
    found = []
    for process in left:
        with suppress(psutil.Error):
            found.append(f"{process.pid} {' '.join(process.cmdline())[:150] or process.name()}")
    return found


def files_below(folder: Path) -> list[str]:
    """Return all files in a folder, relative to it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
