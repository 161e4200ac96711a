"""Which files there are to take in: those named, and those found in folders, in an order that never changes."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.ingest.places import PACKAGE, printable
from ragraph.ingest.readers import supported_suffixes
from ragraph.ingest.records import is_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
        """The place of the file, as ``document.source_uri`` has it."""
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


def folders_in(paths: Iterable[Path]) -> list[Path]:
    """Return those of the paths that are folders, absolute, links resolved."""
    return [path for path, mode in map(_look, paths) if stat.S_ISDIR(mode)]


def _files(given: Path) -> Iterator[Path]:
    root, mode = _look(given)
    if not stat.S_ISDIR(mode):
        yield given
        return
    for folder, folders, names in os.walk(given):
        here = Path(folder)
        packages = sorted(name for name in names if name.lower().endswith(PACKAGE))
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
