"""Reader processes that outlive the runs of a test: each costs a second to start, and every ingest starts one.

A run would keep them for all its files, so a test cannot tell one that read for another test from a new one. Tests of
the processes themselves take the fixture ``own_readers``.
"""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import pytest

from ragraph.ingest.reader_process import isolate

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 4
"""Maximum number of readers kept for the next run; a run uses no more at once on two cores."""


class KeptReaders:
    """Supplies readers to pools, and takes them back when a pool is closed.

    Attributes:
        on: False while a test uses readers of its own.
    """

    def __init__(self) -> None:
        self.on = True
        self._new = isolate._Worker
        self._command = isolate.WORKER
        self._close = isolate.ReaderPool.close
        self._kept: dict[object, list[isolate._Worker]] = defaultdict(list)
        self._known: WeakKeyDictionary[isolate._Worker, object] = WeakKeyDictionary()

    def start(self, threads: int) -> isolate._Worker:
        """Return a kept reader in the state of a new one, or a new one."""
        if not self.on or self._command != isolate.WORKER:
            return self._new(threads)
        # those of another, forked process are not ours
        kind = (os.getpid(), threads, *sorted(isolate._environment("", threads).items()))
        kept = self._kept[kind]
        while kept:
            reader = kept.pop()
            if reader._process.poll() is None and reader.reusable():
                return reader
            reader.discard()
        reader = self._new(threads)
        self._known[reader] = kind
        return reader

    def close(self, pool: isolate.ReaderPool) -> None:
        """Close a pool, except the readers to be kept."""
        with pool._lock:
            idle, pool._idle = pool._idle, []
        self._close(pool)
        for reader in idle:
            kind = self._known.get(reader)
            if self.on and kind is not None and len(self._kept[kind]) < MOST and reader.reusable():
                self._kept[kind].append(reader)
            else:
                reader.discard()

    def end(self) -> None:
        """End the kept readers."""
        for kept in self._kept.values():
            while kept:
                kept.pop().discard()


@contextmanager
def kept_readers() -> Iterator[KeptReaders]:
    """Let the pools of this process share readers."""
    readers = KeptReaders()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolate, "_Worker", readers.start)
        patch.setattr(isolate.ReaderPool, "close", lambda pool: readers.close(pool))
        try:
            yield readers
        finally:
            readers.end()
