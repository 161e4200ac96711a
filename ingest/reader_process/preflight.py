"""Checks that refuse a file before a reader opens it.

``check_size`` is cheap and safe in any process. ``preflight`` opens archives and PDFs, so it runs in the reader's
process, where a crash affects only that file.
"""

from __future__ import annotations

import mmap
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ragraph.base.arguments import check_fields
from ragraph.errors import (
    DamagedFileError,
    EmptyFileError,
    EncryptedFileError,
    FileTooLargeError,
    IngestError,
)
from ragraph.ingest.readers.detect import IMAGES

if TYPE_CHECKING:
    from pathlib import Path

_MIB = 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_XML_MEMBER_BYTES = 4 * _MIB
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Algorithms that EPUBs use on fonts only; the text is readable."""
_PASSWORD = 4
"""FPDF_ERR_PASSWORD of PDFium."""


TIMEOUT_S = 300.0
"""Seconds a file may take; 1,000 pages of PDF take about 40. A reader may ask for more while it reads, up to
``isolate.MAX_GRANT_S`` at a time, because a page whose text is recognised takes seconds alone."""

MEMORY_BYTES = 4096 * 1024 * 1024
"""Memory that reading a file may take; 1,000 pages of PDF take about 1 GiB, all libraries loaded 0.4 GiB."""


@dataclass(frozen=True)
class Limits:
    """Maximum sizes of a file.

    Attributes:
        file_bytes: size of the file.
        pages: pages of a PDF or of an image.
        pixels: pixels of an image; A0 at 300 dots per inch has 140 million.
        members: files in an archive.
        unpacked_bytes: sum of their sizes.
        ratio: unpacked size by packed size, checked above 64 MiB unpacked; documents stay far below 200.
    """

    file_bytes: int = 1024 * _MIB
    pages: int = 20_000
    pixels: int = 150_000_000
    members: int = 20_000
    unpacked_bytes: int = 1024 * _MIB
    ratio: float = 200.0

    def __post_init__(self) -> None:
        check_fields(self)


def check_size(path: Path, limits: Limits) -> int:
    """Return the size of a file in bytes.

    Raises:
        EmptyFileError: it has no bytes.
        FileTooLargeError: it has more than the limit.
        IngestError: it is not a regular file, or cannot be read.
    """
    try:
        state = path.stat()
    except OSError as error:
        raise IngestError(f"cannot be opened: {error.strerror or error}") from error
    if not stat.S_ISREG(state.st_mode):
        raise IngestError("is not a regular file; give files or folders")
    if state.st_size == 0:
        raise EmptyFileError("the file is empty: it has no bytes")
    if state.st_size > limits.file_bytes:
        raise FileTooLargeError(
            f"the file has {_size(state.st_size)}, the limit is {_size(limits.file_bytes)}; split it or raise limits="
        )
    return state.st_size


def preflight(path: Path, limits: Limits, password: str | None = None) -> None:
    """Refuse files that are encrypted, that unpack to too much, or archives with members outside themselves.

    Raises:
        IngestError: one of EmptyFileError, FileTooLargeError, EncryptedFileError, DamagedFileError.
    """
    check_size(path, limits)
    with path.open("rb") as file:
        head = file.read(1024)
    if head.startswith(b"PK\x03\x04"):
        _check_zip(path, limits)
    elif head.startswith(_OLE):
        _check_ole(path)
    elif b"%PDF-" in head:
        _check_pdf(path, limits, password)
    elif head.startswith(IMAGES):
        _check_image(path, limits)


def _check_zip(path: Path, limits: Limits) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_members(members, limits)
            names = {member.filename for member in members}
            for name, check in (
                ("META-INF/encryption.xml", _check_epub_encryption),
                ("META-INF/manifest.xml", _check_odf_encryption),
            ):
                if name in names:
                    with archive.open(name) as member:
                        check(member.read(_XML_MEMBER_BYTES).decode("utf-8", errors="replace"))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError) as error:
        raise DamagedFileError(f"the archive cannot be opened ({_line(error)}); get the file again") from error


def _check_members(members: list[zipfile.ZipInfo], limits: Limits) -> None:
    if len(members) > limits.members:
        raise FileTooLargeError(f"the archive holds {len(members):,} files, the limit is {limits.members:,}")
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if unpacked > limits.unpacked_bytes:
        raise FileTooLargeError(
            f"the archive unpacks to {_size(unpacked)}, the limit is {_size(limits.unpacked_bytes)}; it may be a bomb"
        )
    if unpacked > 64 * _MIB and unpacked > limits.ratio * max(packed, 1):
        raise FileTooLargeError(
            f"the archive unpacks from {_size(packed)} to {_size(unpacked)}, which no document does; it may be a bomb"
        )
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in PurePosixPath(name).parts or re.match(r"[A-Za-z]:/", name):
            raise DamagedFileError(f"the archive holds a name that leads outside it ({member.filename[:80]!r})")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise DamagedFileError(f"the archive holds a symbolic link ({member.filename[:80]!r})")
        if member.flag_bits & 0x1:
            raise EncryptedFileError("the archive needs a password; save the file without one")


def _check_epub_encryption(stated: str) -> None:
    algorithms = re.findall(r"EncryptionMethod[^>]*Algorithm\s*=\s*[\"']([^\"']*)", stated)
    if any(algorithm not in _FONT_OBFUSCATION for algorithm in algorithms):
        raise EncryptedFileError("the book is protected (DRM); get a copy without protection")


def _check_odf_encryption(stated: str) -> None:
    if "encryption-data" in stated:
        raise EncryptedFileError("the document needs a password; save the file without one")


def _check_ole(path: Path) -> None:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(_ENCRYPTED_PACKAGE) >= 0:
            raise EncryptedFileError("the document needs a password; save the file without one")


def _check_pdf(path: Path, limits: Limits, password: str | None) -> None:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD:
            raise EncryptedFileError(
                "the PDF needs a password; give it with the option password"
                if password is None
                else "the password does not open the PDF; give the right one with the option password"
            ) from error
        return  # damaged for PDFium; the reader may still repair it, and reports it if it cannot
    try:
        pages = len(document)
    finally:
        document.close()
    if pages > limits.pages:
        raise FileTooLargeError(f"the PDF has {pages:,} pages, the limit is {limits.pages:,}; split it")


def _check_image(path: Path, limits: Limits) -> None:
    from ragraph.ingest.readers.image.reader import opened

    with opened(path) as image:
        pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
        if pages > limits.pages:
            raise FileTooLargeError(f"the image has {pages:,} pages, the limit is {limits.pages:,}; split it")
        for page in range(pages):
            if page:
                image.seek(page)
            if image.width * image.height > limits.pixels:
                raise FileTooLargeError(
                    f"the image has {image.width:,} x {image.height:,} dots, the limit is {limits.pixels:,} in all; "
                    "scale it down or split it; it may be a bomb"
                )


def _size(count: int) -> str:
    return f"{count / _MIB:,.1f} MiB" if count >= _MIB else f"{count:,} bytes"


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:150] or type(error).__name__
