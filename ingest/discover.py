"""Which files there are to take in: those named, and those found in folders, in an order that never changes."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.ingest.places import PACKAGE, path_of, printable
from ragraph.ingest.readers import extra_there, image_suffixes, supported_suffixes
from ragraph.ingest.readers.unread import why_unread
from ragraph.ingest.records import is_record
from ragraph.schema.reports import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragraph.ingest.leases import Lease
    from ragraph.schema.reports import LeftOutKind

_SYSTEM = {"__MACOSX", "Thumbs.db", "desktop.ini"}
"""What operating systems put into folders and archives, not people."""

_ADDRESS = re.compile("(https?|ftp|s3):/+", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """A file to take in.

    Attributes:
        path: absolute, links resolved.
        shown: as the caller named it, for reports; always printable.
        record: whether it holds publication records.
        missing: whether there is nothing at a path that was named.
        size: its bytes when it was found; 0 for what is no file.
        lease: of a batch job: the right to write for it.
    """

    path: Path
    shown: str
    record: bool = False
    missing: bool = False
    size: int = 0
    lease: Lease | None = None

    @property
    def uri(self) -> str:
        """The place of the file, as ``document.source_uri`` has it."""
        return self.path.as_uri()

    @property
    def why_missing(self) -> str:
        """What to say of a path with nothing at it."""
        if _ADDRESS.match(self.shown):
            return "addresses are not fetched; download the file and give its path"
        return "there is no such file or folder"


@dataclass
class Findings:
    """What there is in the paths that were named.

    Attributes:
        files: to take in, publication records first.
        left_out: files of folders that are not, and why.
    """

    files: list[Found] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def find_files(paths: Iterable[Path], *, images: bool = False, ocr: bool = True) -> Findings:
    """Return the files to take in, publication records before the files they describe, each file once.

    A file that is named is always taken. In folders, at any depth, those are taken whose names end like a format
    that can be read; hidden ones are left out, and so are links that lead out of the folder. A folder with an
    OPF package in it is one document, an EPUB that was unpacked.

    An image in a folder may be a page or a picture of a page beside it: images are taken where the folder that was
    named holds nothing else, or where they are asked for; and only where their text can be recognised.

    Args:
        paths: files and folders.
        images: whether to take images of all folders.
        ocr: whether text may be recognised.
    """
    found: dict[Path, Found] = {}
    left: dict[str, LeftOut] = {}
    for given in paths:
        _, mode = _look(given)
        chosen = [given]
        if stat.S_ISDIR(mode):
            folder = _Folder(given)
            chosen = folder.chosen(images, ocr)
            left |= {file.path: file for file in folder.left_out}
        for path in chosen:
            resolved, mode = _look(path)
            # of a file and links to it, the file is named
            if resolved not in found or (path.name == resolved.name and Path(found[resolved].shown).name != path.name):
                record = stat.S_ISREG(mode) and is_record(resolved)
                # a path has one slash where an address has two
                shown = printable(path) if mode else _ADDRESS.sub(r"\1://", printable(path), count=1)
                found[resolved] = Found(resolved, shown, record=record, missing=not mode, size=_size(resolved, mode))
    taken = {file.shown for file in found.values()}
    return Findings(
        sorted(found.values(), key=lambda file: not file.record),  # stable: else in the order found
        [file for name, file in left.items() if name not in taken],
    )


def found_of(row: Mapping[str, Any]) -> Found:
    """Return a file that a job lists, as of the columns of ``ingest_file``, and its ``lease`` if it has one.

    What is missing may be so because the job was asked for on another machine.
    """
    path = path_of(row["source_uri"])
    if path is None:
        raise AssertionError(f"no file: {row['source_uri']}")
    return Found(
        path=path,
        shown=row["name"],
        record=row["record"],
        missing=not path.exists(),
        size=row["bytes"] or 0,
        lease=row.get("lease"),
    )


def folders_in(paths: Iterable[Path]) -> list[Path]:
    """Return those of the paths that are folders, absolute, links resolved."""
    return [path for path, mode in map(_look, paths) if stat.S_ISDIR(mode)]


class _Folder:
    """What is in a folder, at any depth: documents, images that can be read, and all that is left out."""

    def __init__(self, given: Path) -> None:
        self.left_out: list[LeftOut] = []
        self._files: list[Path] = []
        self._images = 0
        self._root, _ = _look(given)
        for folder, folders, names in os.walk(given, onerror=self._unreadable):
            here = Path(folder)
            packages = sorted(name for name in names if name.lower().endswith(PACKAGE))
            if packages:
                folders.clear()
                self._files.append(here / packages[0])
                continue
            # os.walk goes on in the order of this list, and does not follow links to folders
            folders[:] = sorted(name for name in folders if self._goes_into(here / name))
            for name in sorted(names):
                self._sort(here / name)

    def chosen(self, images: bool, ocr: bool) -> list[Path]:
        """Return the files to take; images that are not taken are left out from now on."""
        if not self._images:
            return self._files
        others = any(file.kind not in ("hidden", "image", "broken link") for file in self.left_out)
        alone = self._images == len(self._files) and not others
        if not ocr:
            reason = "leave out ocr=False to recognise its text"
        elif not extra_there("ocr"):
            reason = "to recognise its text: pip install 'ragraph[ocr]'"
        elif not images and not alone:
            reason = "beside documents; to take it in: images=True"
        else:
            return self._files
        for path in filter(_is_image, self._files):
            self._leave(path, "image", reason)
        return [path for path in self._files if not _is_image(path)]

    def _goes_into(self, path: Path) -> bool:
        """Return whether to look into a folder; say so if not."""
        if path.name == "META-INF":
            return False
        if _is_hidden(path):
            self._leave(path, "hidden", "hidden, or of the operating system", folder=True)
        elif not path.is_symlink():
            return True
        elif not _look(path)[0].is_relative_to(self._root):
            self._leave(path, "link out of the folder", "name the folder it leads to")
        return False

    def _sort(self, path: Path) -> None:
        suffix = path.suffix.lower()
        if _is_hidden(path):
            self._leave(path, "hidden", "hidden, or of the operating system; name it to take it in")
            return
        resolved, mode = _look(path)
        if not mode:
            self._leave(path, "broken link", "there is nothing where the link leads")
        elif not stat.S_ISREG(mode):
            self._leave(path, "unreadable", "no regular file")
        elif not resolved.is_relative_to(self._root):
            self._leave(path, "link out of the folder", "name the file to take it in")
        elif suffix in supported_suffixes():
            self._files.append(path)
            self._images += _is_image(path)
        else:
            kind, reason = why_unread(path) or (
                "other format",
                "its name ends like no format that can be read; name it to have it looked into",
            )
            self._leave(path, kind, reason)

    def _unreadable(self, error: OSError) -> None:
        path = Path(os.fsdecode(error.filename))
        self._leave(path, "unreadable", f"cannot be opened: {error.strerror}", folder=True)

    def _leave(self, path: Path, kind: LeftOutKind, reason: str, *, folder: bool = False) -> None:
        self.left_out.append(LeftOut(path=printable(path) + "/" * folder, kind=kind, reason=reason))


def _look(path: Path) -> tuple[Path, int]:
    """Return where a path leads and the mode of what is there; 0 if nothing is, or no path is so."""
    try:
        path = path.expanduser()
        return path.resolve(strict=True), path.stat().st_mode
    except (OSError, RuntimeError, ValueError):
        return path.absolute(), 0


def _size(path: Path, mode: int) -> int:
    with suppress(OSError):  # it may be gone again
        return path.stat().st_size if stat.S_ISREG(mode) else 0
    return 0


def _is_hidden(path: Path) -> bool:
    return path.name.startswith((".", "~$")) or path.name in _SYSTEM


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in image_suffixes()
