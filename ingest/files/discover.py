"""Find the files to ingest: those named, and those in folders, in an order that never changes."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.content_names import stable
from ragraph.base.extras import extra_there, install
from ragraph.errors import IngestError
from ragraph.ingest.files.addresses import files_at, is_address, name_at
from ragraph.ingest.files.archives import ARCHIVES, is_archive, unpacked
from ragraph.ingest.files.attachments import ATTACHED, attachments_in, has_attachments
from ragraph.ingest.files.places import PACKAGE, path_of, printable
from ragraph.ingest.files.records import is_record
from ragraph.ingest.readers import FORMATS, image_suffixes, supported_suffixes
from ragraph.ingest.readers.text.latex import included_files
from ragraph.ingest.readers.unread import why_unread
from ragraph.schema.reports import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ragraph.ingest.files.archives import Packed
    from ragraph.ingest.files.leases import Lease
    from ragraph.schema.reports import LeftOutKind

_SYSTEM = {"__MACOSX", "Thumbs.db", "desktop.ini"}
"""Files and folders that operating systems, not people, put into folders and archives."""

_MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Found:
    """A file to ingest.

    Attributes:
        path: absolute path, links resolved.
        shown: name that the caller gave, for reports; always printable.
        record: whether it holds publication records.
        missing: whether nothing exists at the given path.
        size: its bytes when it was found; 0 if it is not a file.
        lease: right to write for it, of a batch job.
        address: address of a remote file, which is first copied to ``path``.
        why: why an address could not be looked at.
        collection: collection of its document, if that is not the run's.
        entry: its manifest line: ``id``, ``tags``, ``metadata``, ``record``. Of a mail or PDF
            file that was looked into, its attachments as ``attached``.
    """

    path: Path
    shown: str
    record: bool = False
    missing: bool = False
    size: int = 0
    lease: Lease | None = None
    address: str | None = None
    why: str | None = None
    collection: str | None = None
    entry: Mapping[str, Any] = field(default_factory=dict)

    @property
    def uri(self) -> str:
        """Return the place of the file for ``document.source_uri``."""
        return stable(self.address or self.path.as_uri())

    @property
    def why_missing(self) -> str:
        """Return the message for a path at which nothing exists."""
        return self.why or "there is no such file or folder"


@dataclass
class Findings:
    """Files found in the given paths.

    Attributes:
        files: files to ingest, publication records first.
        left_out: files in folders that are not ingested, with the reason.
    """

    files: list[Found] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def find_files(
    paths: Iterable[str | Path], *, images: bool = False, ocr: bool = True, attachments: bool = False
) -> Findings:
    """Return the files to ingest, publication records before the files they describe, each file once.

    A file that is named is always included, except originals in a store. In folders, at any depth, files are included
    if their names end like a readable format. Hidden files and links out of the folder are left out. A folder with an
    OPF package in it is one document, an unpacked EPUB. An archive (zip, tar) is a folder.

    An image in a folder may be a page, or only a picture for a page beside it. Images are included if the named folder
    holds nothing else, or if they are asked for, and only if their text can be recognised.

    A text with ``://`` in it is an address, of a file or of several (``addresses``). A path that does not exist and
    has ``*``, ``?`` or ``[`` in it is a pattern, with ``**`` for folders at any depth.

    Args:
        paths: files, folders, patterns, addresses.
        images: whether to include images of all folders.
        ocr: whether text may be recognised.
        attachments: whether attachments of mails are files of their own, behind all others.
    """
    found: dict[Path, Found] = {}
    left: dict[str, LeftOut] = {}
    there: dict[str, Found] = {}
    for given in _matching(paths):
        if isinstance(given, str):
            there |= _there(given)
            continue
        resolved, mode = _look(given)
        chosen = [given]
        if _is_kept(resolved):
            chosen = []
            left[printable(given)] = LeftOut(
                path=printable(given), kind="store", reason="what a store of ragraph keeps, not a document"
            )
        elif stat.S_ISDIR(mode):
            folder = _Folder(given)
            chosen = folder.chosen(images, ocr)
            left |= {file.path: file for file in folder.left_out}
        for path in chosen:
            resolved, mode = _look(path)
            if stat.S_ISREG(mode) and is_archive(resolved):
                packed = unpacked(resolved, path)
                there |= _packed(packed.files)
                left |= {file.path: file for file in packed.left_out}
                if packed.why is not None:
                    there[packed.uri] = Found(resolved, printable(path), missing=True, why=packed.why)
                continue
            # of a file and links to it, keep the file's own name
            if resolved not in found or (path.name == resolved.name and Path(found[resolved].shown).name != path.name):
                record = stat.S_ISREG(mode) and is_record(resolved)
                entry: dict[str, Any] = {}
                if attachments and stat.S_ISREG(mode) and has_attachments(resolved):
                    inside = attachments_in(resolved, path, images=images)
                    left |= {file.path: file for file in inside.left_out}
                    there |= _packed(inside.files)
                    if inside.contents is not None:
                        entry = {ATTACHED: {stable(address): digest for address, digest in inside.contents.items()}}
                found[resolved] = Found(
                    resolved, printable(path), record=record, missing=not mode, size=_size(resolved, mode), entry=entry
                )
    taken = {file.shown for file in found.values()}
    return Findings(
        sorted([*found.values(), *there.values()], key=lambda file: not file.record),  # stable: else in the order found
        [file for name, file in left.items() if name not in taken],
    )


def _packed(files: Iterable[Packed]) -> dict[str, Found]:
    """Return files in an archive or mail by their addresses."""
    return {
        file.address: Found(Path(name_at(file.address)), file.shown, size=file.size, address=file.address)
        for file in files
    }


def found_of(row: Mapping[str, Any]) -> Found:
    """Return a file of a job from the columns of ``ingest_file``, with its ``lease`` if it has one.

    A file may be missing because the job was requested on another machine.
    """
    uri = row["source_uri"]
    path = path_of(uri)
    return Found(
        path=path or Path(name_at(uri)),
        shown=row["name"],
        record=row["record"],
        missing=path is not None and not path.exists(),
        size=row["bytes"] or 0,
        lease=row.get("lease"),
        address=None if path else uri,
        collection=row.get("collection"),
        entry=row["entry"],
    )


def folders_in(paths: Iterable[str | Path]) -> list[Path]:
    """Return the paths that are folders, absolute, links resolved."""
    return [path for path, mode in map(_look, (path for path in paths if isinstance(path, Path))) if stat.S_ISDIR(mode)]


def nothing_there(paths: Iterable[str | Path]) -> bool:
    """Return True if all of the paths are on this machine and none leads to a file or folder; False without paths."""
    given = list(_matching(paths))
    return bool(given) and not any(isinstance(path, str) or _look(path)[1] for path in given)


def _matching(paths: Iterable[str | Path]) -> Iterator[str | Path]:
    """Yield addresses, and paths in place of patterns."""
    for given in paths:
        if is_address(given):
            local = path_of(str(given))  # file://
            yield local or str(given)
            continue
        path = Path(given)
        if _MAGIC.search(str(path)) and not os.path.lexists(path):
            matches = sorted(glob(str(path.expanduser()), recursive=True))  # noqa: PTH207 - of the whole path
            yield from map(Path, matches or [str(path)])
        else:
            yield path


def _there(address: str) -> dict[str, Found]:
    """Return the files that an address stands for; one that cannot be looked at is reported as missing."""
    try:
        return {
            found: Found(Path(name_at(found)), printable(found), size=size or 0, address=found)
            for found, size in files_at(address)
        }
    except IngestError as error:
        why = str(error)
        return {address: Found(Path(name_at(address)), printable(address), missing=True, address=address, why=why)}


class _Folder:
    """Content of a folder, at any depth: documents, readable images, and everything that is left out."""

    def __init__(self, given: Path) -> None:
        self.left_out: list[LeftOut] = []
        self._files: list[Path] = []
        self._images = 0
        self._root, _ = _look(given)
        for folder, folders, names in os.walk(given, onerror=self._unreadable):
            here = Path(folder)
            if _is_store(here):
                folders.clear()
                self._leave(here, "store", "a store of ragraph, not documents", folder=True)
                continue
            packages = sorted(name for name in names if name.lower().endswith(PACKAGE))
            if packages:
                folders.clear()
                self._files.append(here / packages[0])
                continue
            # os.walk goes on in the order of this list, and does not follow links to folders
            folders[:] = sorted(name for name in folders if self._goes_into(here / name))
            for name in sorted(names):
                self._sort(here / name)
        self._leave_parts()

    def chosen(self, images: bool, ocr: bool) -> list[Path]:
        """Return the files to ingest; record the other images as left out."""
        if not self._images:
            return self._files
        others = any(file.kind not in ("hidden", "image", "broken link") for file in self.left_out)
        alone = self._images == len(self._files) and not others
        if not ocr:
            reason = "leave out ocr=False to recognise its text"
        elif not extra_there("ocr"):
            reason = f"to recognise its text: {install('ocr')}"
        elif not images and not alone:
            reason = "beside documents; to take it in: images=True"
        else:
            return self._files
        for path in filter(_is_image, self._files):
            self._leave(path, "image", reason)
        return [path for path in self._files if not _is_image(path)]

    def _goes_into(self, path: Path) -> bool:
        """Return True if a folder is to be searched; record it as left out if not."""
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
        elif suffix in ARCHIVES and is_archive(path):
            self._files.append(path)
        elif suffix in supported_suffixes():
            self._files.append(path)
            self._images += _is_image(path)
        else:
            kind, reason = why_unread(path) or (
                "other format",
                "its name ends like no format that can be read; name it to have it looked into",
            )
            self._leave(path, kind, reason)

    def _leave_parts(self) -> None:
        """Leave out sources of LaTeX whose text is in the document that includes them."""
        sources = [path for path in self._files if path.suffix.lower() in FORMATS["latex"].suffixes]
        if len(sources) < 2:
            return
        parts = included_files([path for path in sources if os.access(path, os.R_OK)])
        for path in sources:
            if (root := parts.get(path.resolve())) is not None:
                self._leave(path, "included", f"its text is in {printable(root.name)}, which includes it")
        self._files = [path for path in self._files if path.resolve() not in parts]

    def _unreadable(self, error: OSError) -> None:
        path = Path(os.fsdecode(error.filename))
        self._leave(path, "unreadable", f"cannot be opened: {error.strerror}", folder=True)

    def _leave(self, path: Path, kind: LeftOutKind, reason: str, *, folder: bool = False) -> None:
        self.left_out.append(LeftOut(path=printable(path) + "/" * folder, kind=kind, reason=reason))


def _look(path: Path) -> tuple[Path, int]:
    """Return where a path leads and the mode of what is there; 0 if it does not exist or is not a valid path."""
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


def _is_store(folder: Path) -> bool:
    """Return True if an embedded server keeps its store in a folder; its originals are known already."""
    return (folder / "store.json").is_file() and any(folder.glob("postgres-*/PG_VERSION"))


def _is_kept(path: Path) -> bool:
    """Return True if a file belongs to a store: an original under its SHA-256, or the data of a server.

    Users who may name files to a shared service must not read the files of others through it.
    """
    named = re.fullmatch(r"[0-9a-f]{64}", path.name) is not None and path.parent.name == path.name[:2]
    # os.path returns False if it has no permission to look
    return named or any(os.path.isfile(folder / "PG_VERSION") for folder in (path, *path.parents))  # noqa: PTH113


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in image_suffixes()
