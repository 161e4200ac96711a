"""Office files of before 2007 (DOC, XLS, PPT), converted by LibreOffice if it is installed, then read as new ones."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragraph.base.system import kill_below
from ragraph.errors import DamagedFileError, EncryptedFileError, UnsupportedFormatError
from ragraph.ingest.readers.office.docx import DocxReader
from ragraph.ingest.readers.office.pptx import PptxReader
from ragraph.ingest.readers.office.sheets import XlsxReader

if TYPE_CHECKING:
    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import Reader, ReadOptions

_PROGRAMS = ("soffice", "libreoffice")
_SECONDS = 180
"""Longest time that a conversion may take; a reader's process has five minutes in all."""


class _LegacyReader:
    """Base of the readers of this module."""

    name = ""
    version = 3
    target = ""
    reader: type[Reader]

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the file.

        Raises:
            UnsupportedFormatError: LibreOffice is not installed.
            EncryptedFileError: the file needs a password.
            DamagedFileError: LibreOffice cannot convert the file.
            IngestError: as the reader of the converted file.
        """
        with tempfile.TemporaryDirectory() as folder:
            converted = _converted(path, self.target, Path(folder))
            draft = self.reader().read(converted, options)
        return draft.model_copy(
            update={"reader": f"{self.name}/{self.version}", "made_by": {"converted": "LibreOffice"}}
        )


class DocReader(_LegacyReader):
    """Word 97 to 2003."""

    name = "doc"
    target = "docx"
    reader = DocxReader


class XlsReader(_LegacyReader):
    """Excel 97 to 2003."""

    name = "xls"
    target = "xlsx"
    reader = XlsxReader


class PptReader(_LegacyReader):
    """PowerPoint 97 to 2003."""

    name = "ppt"
    target = "pptx"
    reader = PptxReader


def _converted(path: Path, target: str, folder: Path) -> Path:
    """Return the file in the new format, in a folder; macros do not run and nothing is fetched."""
    program = next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
    kind = target[:-1].upper()
    if program is None:
        raise UnsupportedFormatError(
            f"{kind} is read through LibreOffice, which is not installed: install it (its command is soffice), or"
            f" convert the file to {target.upper()}"
        )
    source = folder / f"source.{target[:-1]}"
    shutil.copyfile(path, source)
    command = [
        program, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore", "--nolockcheck",
        "--convert-to", target, "--outdir", str(folder / "out"), str(source),
    ]  # fmt: skip
    # in the process group of the reader, so that it ends with it; macros and links of the file stay unused
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        kill_below(process.pid)  # soffice starts a process of its own
        process.wait()
        raise DamagedFileError(f"LibreOffice took longer than {_SECONDS} s to convert the file to {target}") from None
    made = folder / "out" / f"source.{target}"
    if not made.is_file():
        if _is_locked(path, kind):
            raise EncryptedFileError("the file needs a password: save it without one in Office and ingest that.")
        raise DamagedFileError(f"LibreOffice cannot convert the file to {target.upper()}; open and save it in Office")
    return made


_LOCKED_WORD = 0x0100
"""Flag of the head of a Word file ([MS-DOC] FibBase)."""

_LOCKED_SLIDES = 0xF3D1C4DF
"""Token of the stream "Current User" ([MS-PPT])."""

_FILE_PASS = 0x002F
"""Record of a workbook that says how it is encrypted ([MS-XLS]); among the first."""

_FIRST_RECORDS = 20


def _is_locked(path: Path, kind: str) -> bool:
    """Return True if a file that cannot be converted says that it is encrypted."""
    with suppress(Exception):  # it may be damaged
        import olefile  # type: ignore[import-untyped]

        with olefile.OleFileIO(path) as file:
            if kind == "DOC":
                (flags,) = struct.unpack_from("<H", file.openstream("WordDocument").read(12), 10)
                return bool(flags & _LOCKED_WORD)
            if kind == "PPT":
                (token,) = struct.unpack_from("<I", file.openstream("Current User").read(16), 12)
                return bool(token == _LOCKED_SLIDES)
            stream = file.openstream("Workbook" if file.exists("Workbook") else "Book")
            for _ in range(_FIRST_RECORDS):
                record, length = struct.unpack("<HH", stream.read(4))
                if record == _FILE_PASS:
                    return True
                stream.seek(length, 1)
    return False
