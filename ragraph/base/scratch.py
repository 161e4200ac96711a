"""Temporary folders that are removed even if their process was killed.

The process holds a lock (flock) on a file in its folder, and the kernel releases the lock however the process ends.
Whoever makes a new folder first removes the folders whose lock nobody holds.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from ragraph.base.system import try_lock

if TYPE_CHECKING:
    from typing import Self

Kind = Literal["read", "pictures", "fetched", "upload", "download", "restore"]
"""Content of a folder: output of a reader, pictures of figures, copies of files that the ingester fetched, that were
uploaded, or that the service fetched, or originals of a backup."""

_LOCK = ".lock"
_UNLOCKED_S = 24 * 3600.0
"""Seconds after which a folder without a lock file is removed. It is younger while another process is creating it;
older ones were left by a process killed at that moment or by an earlier version."""


class ScratchFolder:
    """A temporary folder of this process.

    Args:
        kind: its content, which is part of the folder's name. Abandoned folders of every kind are removed first.
    """

    def __init__(self, kind: Kind) -> None:
        _sweep()
        self.path = Path(tempfile.mkdtemp(prefix=prefix(kind)))
        self._lock: int | None = None
        try:
            new = self.path / f"{_LOCK}.new"
            self._lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try_lock(self._lock)
            new.rename(self.path / _LOCK)  # appears under this name only once it is locked
        except BaseException:  # for example a full disk
            self.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with everything in it. Calling it again is harmless."""
        shutil.rmtree(self.path, ignore_errors=True)
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


def prefix(kind: Kind) -> str:
    """Return the beginning of the names of temporary folders of a kind."""
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
        if try_lock(lock):
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
