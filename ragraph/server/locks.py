"""Locks between processes: flock on open files, which the kernel releases however a process ends.

A lock is released by closing the file and never by LOCK_UN: a forked child holds the same open file, and LOCK_UN in the
parent would take the lock from the child as well.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from ragraph.base.system import EXCLUSIVE as EXCLUSIVE
from ragraph.base.system import SHARED as SHARED
from ragraph.base.system import try_lock
from ragraph.errors import ServerUnavailableError

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE = 0.02

_own: set[int] = set()  # exclusive locks of this process, which a forked child must not keep alive


def take(path: Path, kind: int, *, deadline: float | None = None, waiting_for: str = "") -> int | None:
    """Lock a file and return its descriptor (close-on-exec), or None if it is locked and no deadline is set.

    Args:
        path: the lock file, created if missing.
        kind: SHARED or EXCLUSIVE.
        deadline: value of ``time.monotonic()`` until which to wait; None for a single attempt.
        waiting_for: named in the error message when the deadline passes.

    Raises:
        ServerUnavailableError: the deadline passed.
    """
    while True:
        descriptor = open_file(path, os.O_RDWR)
        try:
            locked = _lock(descriptor, kind, deadline)
        except BaseException:
            os.close(descriptor)
            raise
        if locked and is_file_of(descriptor, path):
            if kind == EXCLUSIVE:
                _own.add(descriptor)
            return descriptor
        os.close(descriptor)
        if locked:
            continue  # the folder was deleted and created again meanwhile
        if deadline is None:
            return None
        raise ServerUnavailableError(f"waited too long for {waiting_for} ({path}): try again, or run `ragraph db stop`")


def release(descriptor: int) -> None:
    """Release a lock; it stays locked as long as another process holds the same open file."""
    _own.discard(descriptor)
    os.close(descriptor)


def is_file_of(descriptor: int, path: Path) -> bool:
    """Return True if an open file is still the file at this path."""
    try:
        there = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    here = os.fstat(descriptor)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


def open_file(path: Path, flags: int) -> int:
    """Open a file of a store, created if missing, readable by its owner only; a symbolic link is not followed."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    if os.geteuid() == 0:
        # root may open another user's store; that user must be able to open the file afterwards
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def _lock(descriptor: int, kind: int, deadline: float | None) -> bool:
    while True:
        if try_lock(descriptor, kind):
            return True
        if deadline is None or time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)


def _after_fork() -> None:
    for descriptor in _own:
        os.close(descriptor)
    _own.clear()


os.register_at_fork(after_in_child=_after_fork)
