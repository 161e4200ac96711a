"""Which files there are to take in: those named, and those found in folders, in an order that never changes."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.errors import FileTooLargeError
from ragraph.ingest.preflight import Limits, check_size
from ragraph.ingest.readers import supported_suffixes
from ragraph.ingest.records import is_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PACKAGE = ".opf"
_PACKAGE_MEMBERS = 20_000


@dataclass(frozen=True)
class Found:
    """A file to take in.

    Attributes:
        path: absolute, links resolved.
        shown: as the caller named it, for reports; always printable.
        record: whether it holds publication records.
        missing: whether there is nothing at a path that was named.
    """

    path: Path
    shown: str
    record: bool = False
    missing: bool = False

    @property
    def uri(self) -> str:
        """The file as URI, from which the id of its document derives."""
        return self.path.as_uri()


def find_files(paths: Iterable[Path]) -> list[Found]:
    """Return the files to take in, publication records before the files they describe, each file once.

    A file that is named is always taken. In folders, at any depth, those are taken whose names end like a format
    that can be read; hidden ones are passed over, and so are links that lead out of the folder. A folder with an
    OPF package in it is one document, an EPUB that was unpacked.

    Args:
        paths: files and folders.
    """
    found: dict[Path, Found] = {}
    for given in paths:
        for path in _files(given):
            resolved, mode = _look(path)
            if resolved not in found:
                record = stat.S_ISREG(mode) and is_record(resolved)
                found[resolved] = Found(resolved, printable(path), record=record, missing=not mode)
    return sorted(found.values(), key=lambda file: not file.record)  # stable: else in the order found


def fingerprint(path: Path, limits: Limits) -> tuple[str, int]:
    """Return SHA-256 (64 hexadecimal digits) and size in bytes of a file; of a package, of all that belongs to it.

    Raises:
        EmptyFileError, FileTooLargeError, IngestError: as of ``check_size``.
    """
    size = check_size(path, limits)
    if path.suffix.lower() != _PACKAGE:
        return _digest(path), size
    total = hashlib.sha256()
    size = 0
    for count, member in enumerate(_members(path.parent)):
        size += member.stat().st_size
        if count >= _PACKAGE_MEMBERS or size > limits.file_bytes:
            raise FileTooLargeError("the unpacked EPUB has too many files or bytes; pack it or raise --max-size")
        total.update(os.fsencode(member.relative_to(path.parent)) + b"\0" + bytes.fromhex(_digest(member)))
    return total.hexdigest(), size


def printable(path: Path | str) -> str:
    """Return a path as text that can be printed and stored, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", errors="replace")


def _files(given: Path) -> Iterator[Path]:
    root, mode = _look(given)
    if not stat.S_ISDIR(mode):
        yield given
        return
    for folder, folders, names in os.walk(given):
        here = Path(folder)
        packages = sorted(name for name in names if name.lower().endswith(_PACKAGE))
        if packages:
            folders.clear()
            yield here / packages[0]
            continue
        # os.walk goes on in the order of this list, and does not follow links to folders
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in {"META-INF", "__MACOSX"}
        )
        for name in sorted(names):
            path = here / name
            if _wanted(path):
                resolved, mode = _look(path)
                if stat.S_ISREG(mode) and resolved.is_relative_to(root):
                    yield path


def _look(path: Path) -> tuple[Path, int]:
    """Return where a path leads and the mode of what is there; 0 if nothing is, or if links lead in a circle."""
    try:
        path = path.expanduser()
        return path.resolve(strict=True), path.stat().st_mode
    except (OSError, RuntimeError):
        return path.absolute(), 0


def _wanted(path: Path) -> bool:
    if path.name.startswith((".", "~$")):
        return False
    return path.suffix.lower() in supported_suffixes()


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
