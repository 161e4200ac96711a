"""Office files of before 2007, really converted by LibreOffice; without it these tests are skipped."""

from __future__ import annotations

import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import psutil
import pytest
from docx import Document as WordDocument
from office_files import check_draft
from openpyxl import Workbook
from pptx import Presentation

from ragraph.errors import DamagedFileError, IngestError, ReaderTimeoutError
from ragraph.ingest.reader_process.isolate import ReaderPool
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.office import legacy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragraph.ingest.draft import Draft

pytestmark = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")


def _word(path: Path) -> None:
    document = WordDocument()
    document.add_heading("Otters of the weir", 1)
    document.add_paragraph("They swim at 5 °C.")
    table = document.add_table(2, 2)
    for row, (name, value) in enumerate([("what", "number"), ("cubs", "412")]):
        table.cell(row, 0).text, table.cell(row, 1).text = name, value
    document.add_paragraph("Behind the table.")
    document.save(str(path))


def _sheet(path: Path) -> None:
    book = Workbook()
    sheet = book.create_sheet("Rivers", 0)
    sheet.append(["River", "Cubs"])
    sheet.append(["Otter brook", 412])
    book.save(path)


def _slides(path: Path) -> None:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Otters", "412 cubs"
    slide.notes_slide.notes_text_frame.text = "Counted in May."
    show.save(str(path))


MADE: dict[str, tuple[str, Callable[[Path], None], list[str]]] = {
    "doc": ("docx", _word, ["Otters of the weir", "They swim at 5 °C.", "what | number\ncubs | 412"]),
    "xls": ("xlsx", _sheet, ["River | Cubs\nOtter brook | 412"]),
    "ppt": ("pptx", _slides, ["Otters", "412 cubs", "Counted in May."]),
}


def _convert(path: Path, kind: str) -> None:
    profile = f"-env:UserInstallation={(path.parent / 'own').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(path.parent), str(path)]
    subprocess.run(command, check=True, capture_output=True)


def _old(folder: Path, kind: str) -> Path:
    """Make a file in an old format with LibreOffice itself."""
    ending, make, _ = MADE[kind]
    make(folder / f"new.{ending}")
    _convert(folder / f"new.{ending}", kind)
    return folder / f"new.{kind}"


def _read(path: Path) -> Draft:
    draft = read_draft(path, ReadOptions(), Limits())
    check_draft(draft)
    return draft


@pytest.mark.parametrize("kind", MADE)
def test_old_files_have_their_text(tmp_path: Path, kind: str) -> None:
    path = _old(tmp_path, kind)
    assert path.read_bytes().startswith(b"\xd0\xcf\x11\xe0")
    draft = _read(path)
    assert draft.reader.startswith(f"{kind}/")
    for text in MADE[kind][2]:
        assert text in [node.text for node in draft.nodes]


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = _old(tmp_path, "doc")
    whole = path.read_bytes()
    path.write_bytes(whole[:1536] + bytes(len(whole) - 1536))
    with pytest.raises(IngestError):
        _read(path)


def test_a_conversion_that_takes_too_long_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _old(tmp_path, "doc")
    monkeypatch.setattr(legacy, "_SECONDS", 0.5)
    with pytest.raises(DamagedFileError, match="took longer"):
        _read(path)
    assert not [one for one in psutil.Process().children(recursive=True) if "soffice" in one.name()]


def test_libreoffice_ends_with_the_reader_that_started_it(tmp_path: Path) -> None:
    path = _old(tmp_path, "doc")
    with ReaderPool(timeout_s=3.0) as pool, pytest.raises(ReaderTimeoutError):
        pool.read(_slow(path), ReadOptions())
    deadline = time.monotonic() + 30
    while _running() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _running()


def _slow(path: Path) -> Path:
    """Return a document that takes LibreOffice far longer than three seconds."""
    document = WordDocument()
    for number in range(12_000):
        document.add_paragraph(f"Paragraph {number} on otters, weirs and the long river.")
    document.save(str(path.parent / "long.docx"))
    _convert(path.parent / "long.docx", "doc")
    return path.parent / "long.doc"


def _running() -> list[str]:
    """Return the commands of LibreOffice that use a profile of a reader."""
    found = []
    for one in psutil.process_iter(["cmdline"]):
        command = " ".join(one.info["cmdline"] or ())
        if "soffice" in command and "ragraph-read" in command:
            found.append(command)
    return found
