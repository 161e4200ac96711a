"""Archives (zip, tar) as folders: each readable file in one has an address and is a document of its own."""

from __future__ import annotations

import os
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from ragraph.ingest.files.places import printable
from ragraph.ingest.readers import image_suffixes, supported_suffixes
from ragraph.ingest.readers.unread import why_unread
from ragraph.schema.reports import LeftOut

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVES = frozenset({".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".tbz2", ".txz"})
"""Endings of the names of archives; one that ends in ".gz" is one only if a tar file is in it."""

_MOST_MEMBERS = 20_000
_MOST_BYTES = 4 << 30
"""Maximum bytes of all files of an archive, unpacked."""

_DOCUMENTS = ("mimetype", "META-INF/container.xml", "[Content_Types].xml")
"""Members of archives that are one document: EPUB, OpenDocument, Office."""


@dataclass(frozen=True)
class Packed:
    """A file in an archive: its address, its name for reports, its size unpacked."""

    address: str
    shown: str
    size: int


@dataclass
class Unpacked:
    """The files of an archive.

    Attributes:
        uri: address of the archive.
        files: files to ingest.
        left_out: other files, with the reason.
        why: why the archive cannot be looked into; None if it can.
    """

    uri: str
    files: list[Packed] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    why: str | None = None


def is_archive(path: Path) -> bool:
    """Return True if a file is a zip or tar archive of files, not a document that is packed as one."""
    try:
        with path.open("rb") as file:
            head = file.read(512)
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
            if any(name in names for name in _DOCUMENTS):
                return False
            return not any(name.startswith(("word/", "xl/", "ppt/")) for name in names)
        packed = head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ"))
        return (head[257:262] == b"ustar" or packed) and tarfile.is_tarfile(path)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
        return False


def unpacked(path: Path, given: Path) -> Unpacked:
    """Return the files of an archive.

    Args:
        path: the archive, absolute.
        given: its path as the caller named it, for reports.
    """
    uri = path.as_uri()
    found = Unpacked(uri)
    total = 0
    try:
        kind, members = _members(path)
    except (OSError, zipfile.BadZipFile, tarfile.TarError, ValueError, NotImplementedError, EOFError) as error:
        found.why = f"the archive cannot be opened: {' '.join(str(error).split())[:150]}"
        return found
    if len(members) > _MOST_MEMBERS:
        found.why = f"the archive has more than {_MOST_MEMBERS:,} files; unpack it and name its folders"
        return found
    endings = supported_suffixes() - image_suffixes()
    for name, size in sorted(members):
        place = PurePosixPath(name.replace("\\", "/"))
        shown = f"{printable(given)}/{printable(name)}"
        suffix = place.suffix.lower()
        total += size
        if total > _MOST_BYTES:
            found.files, found.left_out = [], []
            found.why = f"the archive unpacks to more than {_MOST_BYTES >> 30} GiB; unpack it and name its folders"
            return found
        if any(part.startswith((".", "~$")) or part in ("__MACOSX", "..") for part in place.parts):
            found.left_out.append(LeftOut(path=shown, kind="hidden", reason="hidden, or of the operating system"))
        elif suffix in endings:
            found.files.append(Packed(f"{kind}://{quote(name)}::{uri}", shown, size))
        else:
            found.left_out.append(_left(shown, place))
    if not found.files:
        found.why = "no file in the archive can be read"
    return found


def _left(shown: str, place: PurePosixPath) -> LeftOut:
    if place.suffix.lower() in image_suffixes():
        return LeftOut(path=shown, kind="image", reason="beside documents; unpack it to take it in")
    kind, reason = why_unread(place) or ("other format", "its name ends like no format that can be read")
    return LeftOut(path=shown, kind=kind, reason=reason)


def _members(path: Path) -> tuple[str, list[tuple[str, int]]]:
    """Return the kind of an archive, and name and size of its regular files."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if any(member.flag_bits & 0x1 for member in archive.infolist()):
                raise ValueError("it is locked with a password")
            return "zip", [(one.filename, one.file_size) for one in archive.infolist() if not one.is_dir()]
    with tarfile.open(path) as packed:
        members: list[tuple[str, int]] = []
        for member in packed:
            if member.isreg():
                members.append((os.fsdecode(member.name), member.size))
            if len(members) > _MOST_MEMBERS:
                break
        return "tar", members
