"""Places of files: what lies there, by its bytes, and what to call it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.documents.assets import path_of as path_of
from ragraph.errors import FileTooLargeError, IngestError
from ragraph.ingest.reader_process.preflight import Limits, check_size

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = ".opf"
"""Ending of the file that stands for an unpacked EPUB."""

_PACKAGE_MEMBERS = 20_000


class Places:
    """The file system as the ingester sees it during a run; a file that stays as it is is read once.

    Args:
        limits: what a file may be at most.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._known: dict[Path, tuple[tuple[int, ...], tuple[str, int]]] = {}

    def fingerprint(self, path: Path) -> tuple[str, int]:
        """Return what the function of this name does.

        Raises:
            IngestError: as there.
        """
        if path.suffix.lower() == PACKAGE:
            return fingerprint(path, self._limits)
        check_size(path, self._limits)
        state = path.stat()
        stamp = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = (stamp, fingerprint(path, self._limits))
        return known[1]

    def holds(self, uri: str | None, sha256: str, beside: Path) -> bool:
        """Say whether a place still has a file of these bytes that is another file than ``beside``.

        A place that cannot be looked at (no file: URI, no permission) is taken to be as it was.
        """
        if uri is None:
            return False
        path = path_of(uri)
        if path is None:
            return True
        try:
            if path.resolve(strict=True) == beside:  # the place is a link to the file by now
                return False
            return self.fingerprint(path)[0] == sha256
        except PermissionError:
            return True
        except (OSError, RuntimeError):
            return False
        except IngestError as error:
            return isinstance(error.__cause__, PermissionError)


def fingerprint(path: Path, limits: Limits) -> tuple[str, int]:
    """Return SHA-256 (64 hexadecimal digits) and size in bytes of a file; of a package, of all that belongs to it.

    Raises:
        EmptyFileError, FileTooLargeError, IngestError: as of ``check_size``.
    """
    size = check_size(path, limits)
    if path.suffix.lower() != PACKAGE:
        return _digest(path), size
    total = hashlib.sha256()
    size = 0
    for count, member in enumerate(_members(path.parent)):
        size += member.stat().st_size
        if count >= _PACKAGE_MEMBERS or size > limits.file_bytes:
            raise FileTooLargeError("the unpacked EPUB has too many files or bytes; pack it or raise limits=")
        total.update(os.fsencode(member.relative_to(path.parent)) + b"\0" + bytes.fromhex(_digest(member)))
    return total.hexdigest(), size


def name_of(uri: str | None) -> str | None:
    """Return the name of the file at a place, for people; of an unpacked EPUB, of its folder. None if it has none."""
    if not uri:
        return None
    path = path_of(uri)
    if path is None:
        return uri.rstrip("/").rsplit("/", 1)[-1] or uri
    folder = path.suffix.lower() == PACKAGE and path.parent.name
    return printable(folder or path.name) or None


def printable(path: Path | str) -> str:
    """Return a path as text that can be printed and stored, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", errors="replace")


def _members(folder: Path) -> Iterator[Path]:
    for inside, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            member = Path(inside) / name
            if member.is_file() and not member.is_symlink():
                yield member


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
