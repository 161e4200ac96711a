"""The file of a backup: read and write its members."""

from __future__ import annotations

import csv
import glob
import hashlib
import io
import json
import os
import uuid
import zlib
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from lzma import LZMAError
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from ragraph.base.system import try_lock
from ragraph.errors import BackupError, first_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FORMAT = "ragraph-backup/1"
MANIFEST, DUMP, DIGESTS, ASSETS = "manifest.json", "database.dump", "digests.tsv", "assets/"

_BLOCK = 1 << 20
_DAMAGED = (BadZipFile, EOFError, KeyError, LZMAError, RuntimeError, TypeError, ValueError, csv.Error, zlib.error)
"""Exceptions that a damaged archive raises. RuntimeError comes from a flipped bit that asks for a password or an
unknown method."""

Digests = dict[tuple[str, str], tuple[int, str]]
"""From (table, document id or "") to (number of rows, digest), as ``ragraph.store_digests`` returns them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The manifest of a backup.

    Args:
        format: format of the file.
        ragraph: version of the package that wrote it.
        revision: revision of the schema.
        server: version number of PostgreSQL, as in ``server_version_num``.
        roles: other roles that grants or policies name.
        created_at: ISO 8601, UTC.
        vector_schema: schema of pgvector, quoted if necessary.
    """

    format: str
    ragraph: str
    revision: str
    server: int
    roles: list[str]
    created_at: str
    vector_schema: str = "public"


@contextmanager
def writing(path: Path, *, overwrite: bool) -> Iterator[ZipFile]:
    """Open an archive for writing that gets its name only when it is complete on disk.

    Until then an older file of this name stays. The file is readable by its owner only, because it has all data of the
    store. What a killed process left unfinished beside it is removed; a process that still writes holds a lock on its
    own.

    Yields:
        The open archive.

    Raises:
        BackupError: the file exists and ``overwrite`` is false, or it cannot be written.
    """
    if path.exists() and not overwrite:
        raise BackupError(f"{path} exists", hint="use another file, or pass overwrite=True")
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
            _remove_if_left(left)
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "w+b") as file:
                try_lock(descriptor)
                with ZipFile(file, "w", allowZip64=True) as archive:
                    yield archive
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise BackupError(f"{path} cannot be written ({error.strerror or error})") from error


def _remove_if_left(part: Path) -> None:
    with suppress(FileNotFoundError, PermissionError), part.open("rb") as file:
        if try_lock(file.fileno()):
            part.unlink()


@contextmanager
def reading(path: Path, *, whole: bool = False) -> Iterator[tuple[ZipFile, Manifest]]:
    """Open the archive of a backup.

    Args:
        path: path of the file.
        whole: first read all of it, which compares each member with its checksum.

    Yields:
        The open archive and its manifest.

    Raises:
        BackupError: the file cannot be read, is damaged, or is not a backup that this version of ragraph supports.
    """
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(ZipFile(path))
            held = json.loads(archive.read(MANIFEST))
            if not isinstance(held, dict):
                raise TypeError(f"{MANIFEST} is not an object")
            if held.get("format") != FORMAT:
                raise BackupError(f"{path} has format {held.get('format')!r}, not {FORMAT}", hint="upgrade ragraph")
            manifest = Manifest(**held)
            for name in (DUMP, DIGESTS):
                archive.getinfo(name)
            if whole:
                _read_members(archive)
        except _DAMAGED as error:
            raise BackupError(f"{path} is not a complete backup of ragraph: {first_line(error)}") from error
        except OSError as error:
            raise BackupError(f"{path} cannot be read ({error.strerror or error})") from error
        try:
            yield archive, manifest
        except (BadZipFile, EOFError, zlib.error) as error:
            raise BackupError(f"{path} is not a complete backup of ragraph: {first_line(error)}") from error


def _read_members(archive: ZipFile) -> None:
    for member in archive.infolist():
        with archive.open(member) as content:
            while content.read(_BLOCK):
                pass


def original(archive: ZipFile, name: str) -> str:
    """Return the digest of an original, by the name of its member.

    Raises:
        BackupError: its bytes do not match the digest in its name.
    """
    with archive.open(name) as member:
        digest = hashlib.file_digest(member, "sha256").hexdigest()  # type: ignore[arg-type]  # it needs no buffer
    if digest != name.removeprefix(ASSETS):
        raise BackupError(f"the backup is damaged: the bytes of {name} do not match the digest in its name")
    return digest


def originals(archive: ZipFile) -> list[str]:
    """Return the names of the members that are originals."""
    return [name for name in archive.namelist() if name.startswith(ASSETS) and name != ASSETS]


def put_text(archive: ZipFile, name: str, text: str) -> None:
    """Add a compressed text member."""
    archive.writestr(name, text, compress_type=ZIP_DEFLATED)


def put_manifest(archive: ZipFile, manifest: Manifest) -> None:
    """Add the manifest."""
    put_text(archive, MANIFEST, json.dumps(asdict(manifest), indent=2) + "\n")


def digest_lines(rows: Iterable[tuple[Any, ...]]) -> Digests:
    """Return rows of ``ragraph.store_digests`` as a dict."""
    return {(table, document or ""): (count, digest) for table, document, count, digest in rows}


def put_digests(archive: ZipFile, digests: Digests) -> None:
    """Add the digests, one line for each table and document."""
    text = io.StringIO()
    lines = csv.writer(text, dialect="excel-tab", lineterminator="\n")
    lines.writerows([*key, *value] for key, value in sorted(digests.items()))
    put_text(archive, DIGESTS, text.getvalue())


def digests_of(archive: ZipFile) -> Digests:
    """Return the digests of an archive.

    Raises:
        BackupError: they are not in the format that ``put_digests`` writes.
    """
    try:
        lines = csv.reader(io.TextIOWrapper(archive.open(DIGESTS), "utf-8", newline=""), dialect="excel-tab")
        return {(table, document): (int(count), digest) for table, document, count, digest in lines}
    except _DAMAGED as error:
        raise BackupError(f"the backup is damaged: {DIGESTS}: {first_line(error)}") from error


def differences(expected: Digests, found: Digests) -> list[str]:
    """Return the differences between two sets of digests, one line for each table and document.

    Args:
        expected: digests that the store should have.
        found: digests that it has.
    """
    said = []
    for key in sorted(expected.keys() | found.keys()):
        one, other = expected.get(key), found.get(key)
        if one != other:
            table, document = key
            of = f" of {document}" if document else ""
            wanted, there = (one or (0, ""))[0], (other or (0, ""))[0]
            counts = f"{there:,} rows, not {wanted:,}" if there != wanted else f"{there:,} rows, of which some differ"
            said.append(f"{table}{of}: {counts}")
    return said


def totals(digests: Digests) -> dict[str, int]:
    """Return the number of rows of each table."""
    rows: dict[str, int] = {}
    for (table, _), (count, _) in sorted(digests.items()):
        rows[table] = rows.get(table, 0) + count
    return rows
