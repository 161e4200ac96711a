"""EPUB as a container: an archive or a folder, its package file, spine and table of contents."""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

from ragraph.errors import DamagedFileError, EmptyFileError, EncryptedFileError, FileTooLargeError
from ragraph.ingest.readers.html.links import types
from ragraph.ingest.readers.markup.xml import attribute, local, parse_xml, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

_MAX_MEMBERS = 10_000
_MAX_MEMBER_BYTES = 64 * 1024 * 1024
_MAX_TOTAL_BYTES = 512 * 1024 * 1024
_MAX_RATIO = 200
_RATIO_FROM_BYTES = 1024 * 1024
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


class Files(Protocol):
    """Access to the files of an EPUB by their path from its root."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a file; raise ``KeyError`` if it does not exist."""


class Archive:
    """The files of an ``.epub``; nothing is unpacked to disk.

    Raises:
        DamagedFileError: not a zip archive, or a member has a path outside of it.
        EncryptedFileError: members need a password.
        FileTooLargeError: more members or bytes than any book has, or a higher compression ratio than text can have.
    """

    def __init__(self, path: Path) -> None:
        if not path.stat().st_size:
            raise EmptyFileError(f"{path.name} is empty; nothing to read")
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise DamagedFileError(f"{path.name} is not a readable EPUB archive ({error}); download it again") from None
        self._path = path
        members = self._zip.infolist()
        if len(members) > _MAX_MEMBERS:
            raise FileTooLargeError(f"{path.name} holds more than {_MAX_MEMBERS:,} files; it is not a book")
        if sum(member.file_size for member in members) > _MAX_TOTAL_BYTES:
            raise FileTooLargeError(f"{path.name} unpacks to more than {_MAX_TOTAL_BYTES >> 20} MiB; split it")
        for member in members:
            self._check(member)

    def _check(self, member: zipfile.ZipInfo) -> None:
        parts = member.filename.replace("\\", "/").split("/")
        if member.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
            raise DamagedFileError(
                f"{self._path.name} has a member that leads outside ({member.filename!r}); do not trust it"
            )
        if member.flag_bits & 1:
            raise EncryptedFileError(f"{self._path.name} needs a password to unpack; decrypt it first")
        big = member.file_size > _RATIO_FROM_BYTES
        if big and member.file_size > _MAX_RATIO * max(1, member.compress_size):
            raise FileTooLargeError(
                f"{self._path.name} has a member packed {_MAX_RATIO} times ({member.filename!r}): a zip bomb"
            )

    def read(self, name: str) -> bytes:
        """Return the bytes of a member."""
        member = self._zip.getinfo(name)
        if member.file_size > _MAX_MEMBER_BYTES:
            raise FileTooLargeError(f"{self._path.name}: {name} has more than {_MAX_MEMBER_BYTES >> 20} MiB; split it")
        try:
            with self._zip.open(member) as handle:
                return handle.read(_MAX_MEMBER_BYTES)
        except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
            raise DamagedFileError(
                f"{self._path.name}: {name} cannot be unpacked ({error}); download it again"
            ) from None
        except Exception as error:  # zlib.error and lzma.LZMAError have no common base
            raise DamagedFileError(f"{self._path.name}: {name} is damaged ({error}); download it again") from None


class Folder:
    """The files of an unpacked EPUB below a root; paths and links to the outside count as missing."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        path = (self._root / name).resolve()
        if not path.is_relative_to(self._root) or not path.is_file():
            raise KeyError(name)
        if path.stat().st_size > _MAX_MEMBER_BYTES:
            raise FileTooLargeError(f"{name} has more than {_MAX_MEMBER_BYTES >> 20} MiB; split it")
        return path.read_bytes()


@dataclass(frozen=True)
class Entry:
    """An entry of the table of contents: file, id within it or None, depth from 1, title."""

    file: str
    fragment: str | None
    depth: int
    title: str


@dataclass
class Package:
    """The content of a package file: spine and contents, with paths from its folder."""

    root: etree._Element
    folder: str
    spine: list[str] = field(default_factory=list)
    contents: list[Entry] = field(default_factory=list)
    guide: dict[str, str] = field(default_factory=dict)
    media: dict[str, str] = field(default_factory=dict)

    @property
    def fixed(self) -> bool:
        """Return True if the book says that each page is laid out word by word."""
        for stated in self.root.iter("{*}meta"):
            if stated.get("property") == "rendition:layout" and words(stated) == "pre-paginated":
                return True
            if stated.get("name") == "fixed-layout" and stated.get("content") == "true":
                return True
        return False


def open_package(path: Path) -> tuple[Files, Package]:
    """Return the files and the package of an ``.epub``, or of the ``.opf`` file of an unpacked one.

    Raises:
        DamagedFileError: the package file is missing, or has no spine.
        EncryptedFileError: the text is encrypted.
    """
    files: Files
    if path.suffix.lower() == ".opf":
        base = _root_of(path)
        files, name = Folder(base), path.resolve().relative_to(base).as_posix()
    else:
        files = Archive(path)
        name = _package_name(files, path)
    try:
        root = parse_xml(files.read(name), posixpath.basename(name))
    except KeyError:
        raise DamagedFileError(
            f"{path.name} names {name} as its package file, which it lacks; export it again"
        ) from None
    package = Package(root, posixpath.dirname(name))
    _read_manifest(package, files)
    if not package.spine:
        raise DamagedFileError(f"{path.name} lists nothing to read in its spine; export it again")
    _refuse_encrypted(files, package, path)
    return files, package


def _root_of(path: Path) -> Path:
    """Return the folder above a package file that has META-INF or mimetype, else the package's own folder."""
    folder = path.resolve().parent
    for candidate in (folder, *list(folder.parents)[:2]):
        if (candidate / "META-INF").is_dir() or (candidate / "mimetype").is_file():
            return candidate
    return folder


def _package_name(files: Files, path: Path) -> str:
    try:
        container = parse_xml(files.read("META-INF/container.xml"), "container.xml")
    except KeyError:
        raise DamagedFileError(f"{path.name} lacks META-INF/container.xml; it is not an EPUB") from None
    for found in container.iter("{*}rootfile"):
        if found.get("full-path"):
            return str(found.get("full-path"))
    raise DamagedFileError(f"{path.name} names no package file in META-INF/container.xml; export it again")


def _read_manifest(package: Package, files: Files) -> None:
    items: dict[str, etree._Element] = {}
    for item in package.root.iter("{*}item"):
        if item.get("id"):
            items[str(item.get("id"))] = item
        name = inside("", item.get("href"))
        if name:
            package.media[name] = item.get("media-type") or ""
    for reference in package.root.iter("{*}itemref"):
        found = items.get(reference.get("idref") or "")
        name = inside("", found.get("href")) if found is not None else None
        if name and name not in package.spine:
            package.spine.append(name)
    for reference in package.root.iterfind("{*}guide/{*}reference"):
        name = inside("", reference.get("href"))
        if name:
            package.guide[name] = (reference.get("type") or "").lower()
    spine = package.root.find("{*}spine")
    ncx = items.get(spine.get("toc") or "") if spine is not None else None
    navigation = next((item for item in items.values() if "nav" in (item.get("properties") or "").split()), None)
    for source, reader in ((navigation, _nav_entries), (ncx, _ncx_entries)):
        name = inside("", source.get("href")) if source is not None else None
        if name and not package.contents:
            try:
                root = parse_xml(files.read(posixpath.join(package.folder, name)), name)
            except (KeyError, DamagedFileError, EmptyFileError):
                continue  # the book can be read without its table of contents
            package.contents = list(reader(root, name))


def inside(file: str, href: str | None) -> str | None:
    """Return the path of the target of a link in ``file``, or None if it is outside of the book."""
    if not href:
        return None
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return None
    name = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(parts.path))) if parts.path else file
    return None if name.startswith("/") or not name or name == "." else name


def _nav_entries(root: etree._Element, file: str) -> Iterator[Entry]:
    for nav in root.iter("{*}nav"):
        if "toc" not in types(nav) and types(nav):
            continue
        for link in nav.iter("{*}a", "{*}span"):
            parent = link.getparent()
            if parent is None or local(parent) != "li":
                continue
            depth = sum(1 for ancestor in link.iterancestors() if local(ancestor) == "li")
            first = link if link.get("href") else next(parent.iter("{*}a"), link)  # a part has no place of its own
            name = inside(file, first.get("href"))
            if name:
                yield Entry(name, urlsplit(first.get("href") or "").fragment or None, depth, words(link))
        return


def _ncx_entries(root: etree._Element, file: str) -> Iterator[Entry]:
    for point in root.iter("{*}navPoint"):
        content, label = point.find("{*}content"), point.find("{*}navLabel")
        href = content.get("src") if content is not None else None
        name = inside(file, href)
        depth = 1 + sum(1 for ancestor in point.iterancestors() if local(ancestor) == "navPoint")
        if name:
            yield Entry(name, urlsplit(href or "").fragment or None, depth, words(label) if label is not None else "")


def _refuse_encrypted(files: Files, package: Package, path: Path) -> None:
    try:
        root = parse_xml(files.read("META-INF/encryption.xml"), "encryption.xml")
    except (KeyError, EmptyFileError):
        return
    texts = {posixpath.join(package.folder, name) for name in package.spine}
    for data in root.iter("{*}EncryptedData"):
        method = next(data.iter("{*}EncryptionMethod"), None)
        if method is not None and attribute(method, "Algorithm") in _FONT_ALGORITHMS:
            continue
        for reference in data.iter("{*}CipherReference"):
            if unquote(reference.get("URI") or "").lstrip("/") in texts:
                raise EncryptedFileError(
                    f"{path.name} is protected by DRM: its text is encrypted; ask for a copy without"
                )
