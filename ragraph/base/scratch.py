"""Temporary folders that go even if who made them was killed: whoever makes one removes those that nobody holds.

The maker holds a lock (flock) on a file in the folder, which the kernel drops however the process ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from typing import Self

Kind = Literal["read", "pictures", "fetched", "upload"]
"""What is in a folder: what a reader writes, pictures of figures, copies of files from elsewhere, of those sent."""

_LOCK = ".lock"
_UNLOCKED_S = 24 * 3600.0
"""A folder without a lock is being made at this moment, or was killed at that, or is of an earlier version."""


class ScratchFolder:
    """A temporary folder of this process.

    Args:
        kind: what is in it, said by its name; folders of any kind that nobody holds are removed first.
    """

    def __init__(self, kind: Kind) -> None:
        _sweep()
        self.path = Path(tempfile.mkdtemp(prefix=prefix(kind)))
        self._lock: int | None = None
        try:
            new = self.path / f"{_LOCK}.new"
            self._lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            new.rename(self.path / _LOCK)  # under this name it is locked from the beginning
        except BaseException:  # a full disk, say
            self.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove it with all that is in it; twice is harmless."""
        shutil.rmtree(self.path, ignore_errors=True)
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


def prefix(kind: Kind) -> str:
    """Return how the name of a temporary folder of a kind begins."""
    return f"ragraph-{kind}-"


def _sweep() -> None:
    for kind in get_args(Kind):
        with contextlib.suppress(OSError):
            for entry in Path(tempfile.gettempdir()).glob(f"{prefix(kind)}*"):
                with contextlib.suppress(OSError):
                    _remove_if_left(entry)


def _remove_if_left(folder: Path) -> None:
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid():
        return
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        if time.time() - state.st_mtime > _UNLOCKED_S:
            shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
