"""Faults of jobs, of the server and of what they need; each ends by itself, or is undone after a while."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import psutil

from bench.processes import server_processes, tree

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from bench.chaos.proxy import Proxy

LEASE_S = 2.0
_MIB = 1 << 20


@dataclass
class Scene:
    """Targets of the faults.

    Attributes:
        home: home of the embedded store.
        disk: its file system, with nothing else on it; None if none can be made.
        proxy: proxy to the server for some of the jobs; None if there is none.
        jobs: processes that ingest.
    """

    home: Path
    disk: Path | None
    proxy: Proxy | None
    jobs: list[int] = field(default_factory=list)


class Faults:
    """Causes random faults, and undoes those that have lasted long enough.

    Args:
        scene: targets.
        chance: source of all that is random.
        longest_s: how long a process is stopped, memory refused or a disk full, at most.
    """

    def __init__(self, scene: Scene, chance: random.Random, longest_s: float = 3 * LEASE_S) -> None:
        self.scene, self._chance, self._longest_s = scene, chance, longest_s
        self.refused: set[int] = set()
        """Processes whose memory was limited: libraries end these in various ways."""
        self._healing: list[tuple[threading.Timer, Callable[[], None]]] = []
        self.kinds: dict[str, Callable[[], bool]] = {
            "kill a job": lambda: self._kill(self._job()),
            "kill a reader": lambda: self._kill(self._reader()),
            "kill a backend": lambda: self._kill(self._backend()),
            "kill the postmaster": lambda: self._kill(self._postmaster()),
            "kill the watcher": lambda: self._kill(self._watcher()),
            "stop a job": lambda: self._stop(self._job()),
            "stop a reader": lambda: self._stop(self._reader()),
            "stop a backend": lambda: self._stop(self._backend()),
            "stop the postmaster": lambda: self._stop(self._postmaster()),
            "limit the memory of a job": lambda: self._limit(self._job()),
            "limit the memory of a reader": lambda: self._limit(self._reader()),
            "limit the memory of a backend": lambda: self._limit(self._backend()),
        }
        if scene.proxy is not None:
            self.kinds["cut the connections"] = self._cut
        if scene.disk is not None:
            self.kinds["fill the disk"] = self._fill

    def strike(self, kind: str) -> bool:
        """Cause a fault; return False if there was no target."""
        with suppress(psutil.Error, ProcessLookupError, OSError):
            return self.kinds[kind]()
        return False

    def heal(self) -> None:
        """Undo at once all faults that have not ended by themselves."""
        while self._healing:
            timer, undo = self._healing.pop()
            timer.cancel()
            undo()

    def _later(self, seconds: float, undo: Callable[[], object]) -> None:
        """Undo a fault after a while, without blocking; doing it twice is harmless."""

        def quietly() -> None:
            with suppress(psutil.Error, OSError):
                undo()

        timer = threading.Timer(seconds, quietly)
        timer.daemon = True
        timer.start()
        self._healing.append((timer, quietly))

    def _lasts(self) -> float:
        return self._chance.uniform(self._longest_s / 6, self._longest_s)

    def _one(self, found: list[psutil.Process]) -> psutil.Process | None:
        return self._chance.choice(found) if found else None

    def _job(self) -> psutil.Process | None:
        return self._one([psutil.Process(pid) for pid in self.scene.jobs if psutil.pid_exists(pid)])

    def _reader(self) -> psutil.Process | None:
        below = [process for pid in self.scene.jobs for process in tree(pid)[1:]]
        return self._one([process for process in below if "ragraph.ingest.reader_process.worker" in process.cmdline()])

    def _backend(self) -> psutil.Process | None:
        return self._one(server_processes(self.scene.home)[1:])

    def _postmaster(self) -> psutil.Process | None:
        return self._one(server_processes(self.scene.home)[:1])

    def _watcher(self) -> psutil.Process | None:
        home = str(self.scene.home.resolve())
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                words = process.cmdline()
                if "last" in words and any(word.startswith(home) for word in words):
                    found.append(process)
        return self._one(found)

    def _kill(self, process: psutil.Process | None) -> bool:
        if process is not None:
            process.kill()
        return process is not None

    def _stop(self, process: psutil.Process | None) -> bool:
        if process is None:
            return False
        process.send_signal(signal.SIGSTOP)
        self._later(self._lasts(), process.resume)
        return True

    def _limit(self, process: psutil.Process | None) -> bool:
        """Limit the memory of a process to a few MiB more than it has."""
        if process is None:
            return False
        before = resource.prlimit(process.pid, resource.RLIMIT_AS)
        most = process.memory_info().vms + self._chance.randint(0, 16) * _MIB
        resource.prlimit(process.pid, resource.RLIMIT_AS, (most, before[1]))
        self.refused.add(process.pid)
        self._later(self._lasts() / 2, lambda: resource.prlimit(process.pid, resource.RLIMIT_AS, before))
        return True

    def _fill(self) -> bool:
        """Leave no byte, or a few KiB, on the disk."""
        disk = self.scene.disk
        assert disk is not None
        filler = disk / "filler"
        size = shutil.disk_usage(disk).free - self._chance.choice((0, 0, 64, 1024)) * 1024
        if size <= 0:
            return False
        descriptor = os.open(filler, os.O_CREAT | os.O_RDWR)
        self._later(self._lasts() / 2, filler.unlink)
        try:
            with suppress(OSError):  # others used some of it meanwhile, so it is as full as possible
                os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)
        return True

    def _cut(self) -> bool:
        proxy = self.scene.proxy
        assert proxy is not None
        there = proxy.cut(self._chance.choice((0, 100, 5000, 100_000)))
        self._later(1.0, proxy.heal)
        return there
