"""Openings of chapters in three lines, numbers of releases as titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.pdf.stated.fronts import authors_of
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

CHAPTERS = {1: ("ONE", "SETTING UP"), 2: ("TWO", "THEMES"), 21: ("TWENTYONE", "PLUGINS"), 32: ("THIRTYTWO", "RELEASES")}


def manual(path: Path) -> Path:
    """Write a manual with a chapter a page: its word, its number in letters and its title at the right edge."""
    sheet = Sheet()

    def right(text: str, top: float, size: float) -> None:
        sheet.canvas.setFont("Helvetica-Bold", size)
        sheet.canvas.drawRightString(540, HEIGHT - top, text)

    for page, (number, (spelt, title)) in enumerate(CHAPTERS.items(), 1):
        for text, top, size in (("CHAPTER", 130, 14), (spelt, 160, 14), (title, 220, 25)):
            right(text, top, size)
        below = sheet.paragraph(words(50, number), 260, per_line=13) + 20
        for section in range(1, 4):
            named = f"v2.{9 - section}.0 ({section}/10/2021)" if title == "RELEASES" else f"Parts of {title.lower()}"
            sheet.line(f"{number}.{section}  {named}", below, font="Helvetica-Bold", size=14.4)
            below = sheet.paragraph(words(60, section), below + 26, per_line=13) + 24
        right(str(page), 750, 10)
        sheet.page()
    return sheet.save(path)


def test_the_word_the_number_and_the_title_of_a_chapter_are_one_heading(tmp_path: Path) -> None:
    draft = read(manual(tmp_path / "a.pdf"))
    titles = [node.text for node in draft.nodes if node.type in {ContentNodeType.TITLE, ContentNodeType.HEADING}]
    assert [text for text in titles if text[0] == "C"] == [
        f"CHAPTER {spelt} {title}" for spelt, title in CHAPTERS.values()
    ]


def test_numbers_of_releases_are_titles(tmp_path: Path) -> None:
    headings = [node.text for node in of_type(read(manual(tmp_path / "a.pdf")), ContentNodeType.HEADING)]
    assert headings[-3:] == [f"32.{section} v2.{9 - section}.0 ({section}/10/2021)" for section in range(1, 4)]


@pytest.mark.parametrize(
    ("stated", "authors"),
    [
        ("kscope.io", []),
        ("developers", []),
        ("Merrill Corp, a division of Donnelley", []),
        ("RR Donnelley Financial", []),
        ("LaTeX with hyperref", []),
        ("Ada Krog; Otto Berg", ["Ada Krog", "Otto Berg"]),
        ("SymPy Development Team", ["SymPy Development Team"]),
    ],
)
def test_who_made_the_file_is_no_author(stated: str, authors: list[str]) -> None:
    assert authors_of(stated, [], ("LaTeX with hyperref package", "pdfTeX-1.40")) == authors
