"""Places of files: the bytes at a path, and its printable name."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ragraph.base.content_names import UPLOAD
from ragraph.base.labels import name_as_text
from ragraph.documents.assets import path_of as path_of
from ragraph.errors import FileTooLargeError, IngestError
from ragraph.ingest.files.inside import is_still_there, parted
from ragraph.ingest.reader_process.preflight import Limits, check_size

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = ".opf"
"""Ending of the file that represents an unpacked EPUB."""

_PACKAGE_MEMBERS = 20_000


class Places:
    """The file system during a run. A file that does not change is read once.

    Args:
        limits: limits of a file's size.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._known: dict[Path, tuple[tuple[int, ...], tuple[str, int]]] = {}

    def fingerprint(self, path: Path) -> tuple[str, int]:
        """Return the result of the function of this name.

        Raises:
            IngestError: see there.
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
        """Return True if a place still has a file with these bytes that is not ``beside``.

        A place that cannot be looked at (no file: URI, no permission) counts as unchanged.
        """
        if uri is None:
            return False
        path = path_of(uri)
        if path is None:
            return is_still_there(uri)
        try:
            if path.resolve(strict=True) == beside:  # the place is now a link to the file
                return False
            return self.fingerprint(path)[0] == sha256
        except PermissionError:
            return True
        except (OSError, RuntimeError):
            return False
        except IngestError as error:
            return isinstance(error.__cause__, PermissionError)


def fingerprint(path: Path, limits: Limits) -> tuple[str, int]:
    """Return SHA-256 (64 hexadecimal digits) and size in bytes of a file, or of all files of a package.

    Raises:
        EmptyFileError, FileTooLargeError, IngestError: see ``check_size``.
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
    """Return the file name of a place, for people; the folder name of an unpacked EPUB. None if there is no name."""
    if not uri:
        return None
    path = path_of(uri)
    if (inside := parted(uri)) is not None:
        return printable(inside[0].rstrip("/").rsplit("/", 1)[-1]) or None
    if uri.startswith(UPLOAD):
        return printable(unquote(uri).rsplit("/", 1)[-1]) or None
    if path is None:
        return uri.rstrip("/").rsplit("/", 1)[-1] or uri
    folder = path.suffix.lower() == PACKAGE and path.parent.name
    return printable(folder or path.name) or None


def shown_place(uri: str) -> str:
    """Return a place for people: the path of a file, and that of one inside another as a path below it."""
    if (inside := parted(uri)) is not None:
        return f"{shown_place(inside[1])}/{printable(inside[0])}"
    return printable(path_of(uri) or uri)


def printable(path: Path | str) -> str:
    """Return a path as text that can be printed and stored, whatever bytes its name has."""
    return name_as_text(os.fsencode(path))


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
