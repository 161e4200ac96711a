"""The title of a PDF is one that its first pages bear: no number or name of a file, no stamp at the side."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.pdf.model import Page, Word, font_of
from ragraph.pdf.stated.fronts import authors_of
from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path


def _sheet(stated: str = "") -> Sheet:
    sheet = Sheet()
    sheet.canvas.setTitle(stated)
    sheet.line("Bridges and their Builders", 80, left=200, font="Times-Bold", size=15)
    sheet.paragraph(words(300), 130)
    return sheet


@pytest.mark.parametrize(
    "stated",
    [
        "0001234567-20-001234",
        "Microsoft Word - bridges.doc",
        "untitled",
        "Q3 Bridges final.pdf",
        "Q1 23_Release",
        "_Bridges Builders (As-Filed)",
    ],
)
def test_what_programs_put_in_is_no_title(stated: str, tmp_path: Path) -> None:
    draft = read(_sheet(stated).save(tmp_path / "stated.pdf"))
    assert draft.metadata.title is None
    assert [node.text for node in of_type(draft, ContentNodeType.TITLE)] == ["Bridges and their Builders"]


def test_a_stated_title_that_the_first_page_bears_is_kept(tmp_path: Path) -> None:
    draft = read(_sheet("Bridges and  their builders").save(tmp_path / "stated.pdf"))
    assert draft.metadata.title == "Bridges and  their builders"


def test_a_stamp_at_the_side_is_no_title(tmp_path: Path) -> None:
    sheet = _sheet()
    sheet.canvas.saveState()
    sheet.canvas.translate(30, HEIGHT - 600)
    sheet.canvas.rotate(90)
    sheet.canvas.setFont("Times-Roman", 20)
    sheet.canvas.drawString(0, 0, "Preprint 2303.0001v2 of 21 Oct 2023")
    sheet.canvas.restoreState()
    draft = read(sheet.save(tmp_path / "stamp.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.TITLE)] == ["Bridges and their Builders"]
    assert not [node for node in of_type(draft, ContentNodeType.HEADING) if "Preprint" in node.text]


@pytest.mark.parametrize(
    ("stated", "authors"),
    [
        ("jsmith", []),
        ("anonymous", []),
        ("jane.smith@example.org", []),
        ("Jane Smith <jane@example.org>", ["Jane Smith"]),
        ("Jane Smith, John Doe and Eve Roe", ["Jane Smith", "John Doe", "Eve Roe"]),
        ("Smith, Jane; Doe, John", ["Smith, Jane", "Doe, John"]),
        ("Committee", ["Committee"]),
    ],
)
def test_what_programs_put_in_is_no_author(stated: str, authors: list[str], tmp_path: Path) -> None:
    sheet = _sheet()
    sheet.line("We thank Jane Smith, John Doe and Eve Roe of the Committee.", 700)
    sheet.canvas.setAuthor(stated)
    assert read(sheet.save(tmp_path / "stated.pdf")).metadata.authors == authors


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Re-issue date: 30 May 1998", date(1998, 5, 30)),
        ("May 30th, 1998", date(1998, 5, 30)),
        ("October 1998", date(1998, 10, 1)),
        ("1998-10-02", date(1998, 10, 2)),
        ("5/6/1998", date(2000, 1, 1)),
        ("30 May 2098", date(2000, 1, 1)),
        ("On 30 May 1998 the work began", date(2000, 1, 1)),
    ],
)
def test_a_date_printed_on_the_first_page_is_that_of_the_document(line: str, expected: date, tmp_path: Path) -> None:
    sheet = _sheet()
    sheet.line(line, 105, left=250)
    assert read(sheet.save(tmp_path / "dated.pdf")).metadata.publication_date == expected


def test_of_two_printed_dates_neither_is_taken(tmp_path: Path) -> None:
    sheet = _sheet()
    sheet.line("30 May 1998", 105, left=250)
    sheet.line("Last updated: 2 June 1999", 700, left=72)
    assert read(sheet.save(tmp_path / "dated.pdf")).metadata.publication_date == date(2000, 1, 1)


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ("U.S. Department of Health and Human Services", ["U.S. Department of Health and Human Services"]),
        ("García Márquez, Gabriel José", ["García Márquez, Gabriel José"]),
        ("Jane Smith, John Doe and Ann Lee", ["Jane Smith", "John Doe", "Ann Lee"]),
        ("Rolls-Royce", ["Rolls-Royce"]),
        ("O'Reilly; jdoe7", ["O'Reilly"]),
        ("王小明", ["王小明"]),
        ("Ann Printer", []),
    ],
)
def test_authors_that_a_file_states(stated: str, names: list[str]) -> None:
    printed = "Bridges by Rolls-Royce and O’Reilly 作者：王小明著 "
    printed += "U.S. Department of Health and Human Services Jane Smith John Doe Ann Lee Gabriel José García Márquez "
    printed += " ".join(f"word{n}" for n in range(60))
    page = Page(1, 600, 800)
    page.words = [Word(0, 0, 10, 10, text, font_of("Times")) for text in printed.split()]
    assert authors_of(stated, [page]) == names
