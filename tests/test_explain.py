"""What the reader makes of a page, told and drawn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine
from PIL import Image
from test_reader_pdf import Sheet, words

from ragraph.errors import ArgumentError
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf.explaining import explain

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Three pages: a running head, a numbered title, and a paragraph that goes on over the second page."""
    sheet = Sheet()
    for number, title in enumerate(("Of wood", "Bridges of stone and iron", "What they cost"), 1):
        sheet.line("Works of the Town", 40, size=9)
        sheet.line(str(number), 760, left=300, size=9)
        sheet.line(f"{number} {title}", 90, font="Times-Bold", size=16)
        sheet.paragraph(words(60 + 50 * number, number), 120)
        sheet.page()
    return sheet.save(tmp_path / "report.pdf")


@pytest.fixture
def ragraph(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(database_url, monkeypatch, capsys)


def test_blocks_come_in_reading_order_with_what_spoke_for_headings(report: Path) -> None:
    blocks = explain(report, 2, ReadOptions()).blocks
    assert [(block.type, block.text) for block in blocks if block.order is None] == [
        ("HEADER", "Works of the Town"), ("PAGE_NUMBER", "2"),
    ]  # fmt: skip
    heading = next(block for block in blocks if block.type == "HEADING")
    assert (heading.text, heading.level, heading.order) == ("2 Bridges of stone and iron", 1, 1)
    assert heading.claims == {"type": None}
    plain = [block for block in blocks if block.type == "PARAGRAPH"]
    assert plain
    assert all(heading.odds is not None and block.odds is not None and block.odds < heading.odds for block in plain)
    left, top, right, bottom = heading.box
    assert 70 < left < 74 < right < 300
    assert 70 < top < 90 < bottom < 100


def test_a_page_is_drawn_with_its_frames(ragraph: CommandLine, report: Path, tmp_path: Path) -> None:
    ended = ragraph("explain", str(report), "--page", "2", "--out", str(tmp_path / "page.png"), "--json")
    assert ended.code == 0, ended.err
    heading = next(block for block in json.loads(ended.out) if block["type"] == "HEADING")
    left, top, _, bottom = heading["box"]
    with Image.open(tmp_path / "page.png") as image:
        assert image.size == (2 * 612, 2 * 792)
        frame = image.getpixel((round(2 * left) - 2, round(top + bottom)))
    assert frame == (0xD0, 0x40, 0)


def test_what_is_printed_names_type_level_and_claims(ragraph: CommandLine, report: Path) -> None:
    ended = ragraph("explain", str(report), "--page", "3")
    assert ended.code == 0, ended.err
    assert "1 HEADING 1: type, +" in ended.out
    assert "3 What they cost" in ended.out


def test_a_page_that_is_not_there_is_told_in_one_line(ragraph: CommandLine, report: Path) -> None:
    with pytest.raises(ArgumentError, match=r"report\.pdf has pages 1 to 3, no page 7"):
        explain(report, 7, ReadOptions())
    ended = ragraph("explain", str(report), "--page", "7")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: report.pdf has pages 1 to 3, no page 7\n"


def test_a_picture_that_cannot_be_written_is_told(ragraph: CommandLine, report: Path, tmp_path: Path) -> None:
    ended = ragraph("explain", str(report), "--out", str(tmp_path / "nowhere" / "page.png"))
    assert ended.code == 1
    assert "give --out another file" in ended.err


def test_what_is_no_pdf_is_told(ragraph: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "notes.pdf").write_text("notes")
    ended = ragraph("explain", str(tmp_path / "notes.pdf"))
    assert ended.code == 1
    assert "cannot be opened as PDF" in ended.err


def test_a_file_that_is_not_there_is_told(ragraph: CommandLine, tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.pdf", tmp_path):
        ended = ragraph("explain", str(path))
        assert (ended.code, ended.out) == (1, "")
        assert "is no file; give the path of a PDF file" in " ".join(ended.err.split())
