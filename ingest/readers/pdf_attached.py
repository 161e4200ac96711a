"""Files that are attached to a PDF file or are its portfolio, read in a process of its own.

    python -m ragraph.ingest.readers.pdf_attached FILE FOLDER MOST

writes the bytes of each to a file of FOLDER and prints their names as JSON. PDFium can crash on a broken file, and then
no more than this process ends.
"""

from __future__ import annotations

import json
import mmap
import re
import subprocess
import sys
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.system import lower_limit
from ragraph.pdf.strings import utf16

if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMEOUT_S = 120
_MEMORY_BYTES = 4 << 30
_OBJECTS = re.compile(rb"/ObjStm\b[^>]*?>>\s*stream\r?\n|/ObjStm\b.{0,400}?stream\r?\n", re.DOTALL)
_EMBEDDED = re.compile(rb"/EF\b")
"""Key of the dictionary that has the bytes of an attached file."""
_LARGEST_OBJECTS = 32 << 20


def may_have_attached(path: Path) -> bool:
    """Return True if a PDF file may have attached files; False if it certainly has none."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _has_key(content)
    except (OSError, ValueError):  # it is empty, or its reader says what is wrong with it
        return False


def _has_key(content: mmap.mmap) -> bool:
    if _EMBEDDED.search(content):
        return True
    if content.find(b"/Encrypt") >= 0:
        return content.find(b"/ObjStm") >= 0  # they cannot be looked into here
    for found in _OBJECTS.finditer(content):
        with suppress(zlib.error):
            packed = content[found.end() : found.end() + _LARGEST_OBJECTS]
            if _EMBEDDED.search(zlib.decompressobj().decompress(packed, _LARGEST_OBJECTS)):
                return True
    return False


def attached_files(path: Path, most: int) -> list[tuple[str, bytes]]:
    """Return names and bytes of the files attached to a PDF file.

    Args:
        path: the PDF file.
        most: bytes of all of them; those behind are left out.

    Raises:
        ValueError: it cannot be opened, or takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "ragraph.ingest.readers.pdf_attached", str(path), folder, str(most)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=True)
        except (subprocess.SubprocessError, OSError) as error:
            raise ValueError("the files attached to it cannot be read") from error
        names = json.loads(done.stdout)
        return [(name, (Path(folder) / str(place)).read_bytes()) for place, name in enumerate(names)]


def main() -> None:
    """Write the attached files of a PDF file, and print their names."""
    file, folder, most = sys.argv[1:]
    lower_limit("memory", _MEMORY_BYTES)
    names: list[str] = []
    size = 0
    for name, content in _read(file):
        size += len(content)
        if size > int(most):
            break
        (Path(folder) / str(len(names))).write_bytes(content)
        names.append(name)
    print(json.dumps(names))


def _read(file: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files in the list of the document, then those that an icon on a page stands for."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    document = pypdfium2.PdfDocument(file)
    seen: set[tuple[str, bytes]] = set()
    for attachment in _all(document, pdfium):
        name = utf16(lambda *room, one=attachment: pdfium.FPDFAttachment_GetName(one, *room))
        content = _bytes(attachment, pdfium)
        if content and (name, content) not in seen:
            seen.add((name, content))
            yield name or f"file {len(seen)}", content


def _all(document: Any, pdfium: Any) -> Iterator[Any]:
    for index in range(pdfium.FPDFDoc_GetAttachmentCount(document.raw)):
        yield pdfium.FPDFDoc_GetAttachment(document.raw, index)
    if not hasattr(pdfium, "FPDFAnnot_GetFileAttachment"):
        return
    for number in range(len(document)):
        page = pdfium.FPDF_LoadPage(document.raw, number)
        for index in range(pdfium.FPDFPage_GetAnnotCount(page) if page else 0):
            annotation = pdfium.FPDFPage_GetAnnot(page, index)
            if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_FILEATTACHMENT:
                found = pdfium.FPDFAnnot_GetFileAttachment(annotation)
                if found:
                    yield found
            pdfium.FPDFPage_CloseAnnot(annotation)
        if page:
            pdfium.FPDF_ClosePage(page)


def _bytes(attachment: Any, pdfium: Any) -> bytes:
    from ctypes import byref, c_ulong, create_string_buffer

    size = c_ulong()
    if not pdfium.FPDFAttachment_GetFile(attachment, None, 0, byref(size)) or not size.value:
        return b""
    room = create_string_buffer(size.value)
    read = pdfium.FPDFAttachment_GetFile(attachment, room, size.value, byref(size))
    return room.raw[: size.value] if read else b""


if __name__ == "__main__":
    main()
