"""Headings of brochures, programmes, menus and CVs, on small files drawn here: one test per weakness met there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.pdf.blocks.kinds import set_kinds
from ragraph.pdf.blocks.looks import look_of
from ragraph.pdf.headings.candidates import may_be_heading
from ragraph.pdf.headings.claims import _heads_items
from ragraph.pdf.model import Block, Font, Kind, Line, Page, Style, Word, font_of
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

BOLD = "Times-Bold"


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


def headings(path: Path) -> list[str]:
    return [node.text for node in of_type(read(path), ContentNodeType.HEADING)]


def prices(sheet: Sheet, top: float, names: str) -> float:
    """Set a list of names with two amounts at the right of each; return where it ends."""
    for at, name in enumerate(names.split()):
        sheet.line(f"{name} of the house", top)
        sheet.line(f"{10 + at}.50", top, left=380)
        sheet.line(f"{16 + at}.00", top, left=460)
        top += 13
    return top


def test_titles_in_larger_type_part_the_tables_under_them(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("The Corner House", 60, font=BOLD, size=20)
    top = sheet.paragraph(words(40), 90) + 30
    for title, names in (
        ("Wraps", "Garden Tuna Salmon Turkey Chicken Lamb"),
        ("Cookies", "Oat Almond Nut Rye Fig Date"),
    ):
        sheet.line(title, top, font=BOLD, size=13)
        top = prices(sheet, top + 16, names) + 3
    draft = read(sheet.save(tmp_path / "menu.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == ["Wraps", "Cookies"]
    assert len(of_type(draft, ContentNodeType.TABLE)) == 2


def test_a_list_of_names_in_bold_is_none_of_headings(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("The Spring Concert", 60, font=BOLD, size=24)
    top = sheet.paragraph(words(60), 100) + 40
    names = ("Members of the Choir", "Friends of the House", "Ladies of the Town", "Players of the Band", "Guests")
    for at, name in enumerate(names):
        sheet.line(name, top + 26 * at, font=BOLD, size=14)
    assert not set(names[:-1]) & set(headings(sheet.save(tmp_path / "concert.pdf")))


def test_titles_behind_drawn_signs_are_headings_over_their_text(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("The Open Days", 60, font=BOLD, size=24)
    top, titles = 110.0, ("Visit the workshop", "Meet the makers", "Take a tool home")
    for number, title in enumerate(titles):
        sheet.canvas.rect(72, HEIGHT - top, 9, 9, fill=1)
        sheet.line(title, top, left=90, font=BOLD, size=14)
        top = sheet.paragraph(words(40, number), top + 24, left=90, per_line=12) + 30
    assert headings(sheet.save(tmp_path / "days.pdf")) == list(titles)


def test_a_title_in_capitals_ends_over_a_bold_line_of_its_size(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Jane Roe", 60, font=BOLD, size=20)
    top = 110.0
    for number, title in enumerate(("EXPERIENCE", "EDUCATION", "VOLUNTEERING")):
        sheet.line(title, top, font=BOLD)
        sheet.line(f"The House of the Town, number {number}, in the north", top + 12.5, font=BOLD)
        top = sheet.paragraph(words(50, number), top + 25) + 24
    assert {"EXPERIENCE", "EDUCATION", "VOLUNTEERING"} <= set(headings(sheet.save(tmp_path / "cv.pdf")))


def test_a_title_of_two_lines_in_one_type_is_one_if_its_first_is_in_capitals(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("THE TOWN HOUSE", 60, size=20)
    sheet.line("A Guide for Visitors from Abroad", 83, size=20)
    top = 130.0
    for number in range(3):
        top = sheet.paragraph(words(50, number), top) + 14
    assert not {"THE TOWN HOUSE", "A Guide for Visitors from Abroad"} & set(
        headings(sheet.save(tmp_path / "guide.pdf"))
    )


def test_a_line_in_strong_type_is_a_heading_over_its_list(sheet: Sheet, tmp_path: Path) -> None:
    top, titles = 60.0, ("EXTERIOR", "INTERIOR", "WHEELS", "SAFETY")
    for number, title in enumerate(titles):
        sheet.line(title, top, size=9)
        for at in range(5):
            top += 12
            sheet.line(f"• {' '.join(words(4, 5 * number + at))}", top, size=10)
        top += 16
    assert headings(sheet.save(tmp_path / "car.pdf")) == [*titles]


@pytest.mark.parametrize(
    ("text", "kind"), [("About the Festival", Kind.TEXT), ("f(x) = 2x + 1", Kind.FORMULA), ("max x", Kind.FORMULA)]
)
def test_words_in_a_font_of_mathematics_are_text(text: str, kind: Kind) -> None:
    font, left, found = Font("CambriaMath", bold=False, italic=False, mono=False, math=True), 72.0, []
    for part in text.split():
        found.append(Word(left, 100, left + 6 * len(part), 112, part, font))
        left += 6 * len(part) + 4
    page = Page(1, 595, 842)
    page.blocks = [Block(1, [Line(found)])]
    set_kinds(page, Style(11.0, bold=False, pitch=13.0))
    assert page.blocks[0].kind is kind


def test_numbered_titles_in_japanese_are_headings_in_the_type_of_the_text(sheet: Sheet, tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    top, titles = 80.0, ("1. はじめに", "2. 実現方法", "3. システム構成", "4. おわりに")
    for title in titles:
        sheet.line(title, top, font="HeiseiMin-W3", size=10)
        top += 8
        for _ in range(5):
            top += 18
            sheet.line(
                "本システムは市民が町の記録を読むためのもので誰でも使うことができる", top, font="HeiseiMin-W3", size=10
            )
        top += 30
    assert headings(sheet.save(tmp_path / "paper.pdf")) == list(titles)


def test_what_a_page_lists_under_its_title_is_headed_by_what_is_set_alike(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("How we advise to vote", 80, size=28)
    titles = [f"Amendment {number}" for number in range(3, 12)]
    for at, title in enumerate(titles):
        sheet.line(title, 140 + 48 * at, size=16)
        sheet.line("Vote yes", 158 + 48 * at)
    assert set(headings(sheet.save(tmp_path / "votes.pdf"))) >= set(titles)


@pytest.mark.parametrize(
    ("text", "size", "may"),
    [
        ("LAUNCHER-TEE.COM", 10, False),
        ("town.example.org/help", 10, False),
        ("www.example.de", 14, False),
        ("Booking.com", 10, False),
        ("Booking.com", 14, True),
        ("Node.js", 10, True),
        ("ASP.NET", 10, True),
    ],
)
def test_addresses_of_the_web_are_no_titles_but_names_are(text: str, size: float, may: bool) -> None:
    assert is_candidate(text, size) is may


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("captioned", [True, False])
def test_rows_that_name_groups_in_larger_type_part_no_table(
    sheet: Sheet, tmp_path: Path, ruled: bool, captioned: bool
) -> None:
    top = sheet.paragraph(words(60), 60) + 30
    if captioned:
        sheet.line("Table 1: What the town spent on its works", top, size=9)
    rows = ["Item 2019 2020", "Bridges and ferries", "Stone 410 420", "Timber 95 90", "Ferry 31 33", "Boats of a town",
            "Barge 12 14", "Skiff 7 8", "Tug 22 21"]  # fmt: skip
    start = top = top + 16
    for row in rows:
        if row.startswith(("Bridges", "Boats")):
            sheet.line(row, top, font=BOLD, size=10)
        else:
            for cell, left in zip(row.split(), (72, 260, 330), strict=True):
                sheet.line(cell, top, left=left, size=9)
        top += 13
    for at in (start - 4, start + 11, top) if ruled else ():
        sheet.canvas.line(70, HEIGHT - at, 360, HEIGHT - at)
    sheet.paragraph(words(60), top + 30)
    draft = read(sheet.save(tmp_path / "spent.pdf"))
    (table,) = of_type(draft, ContentNodeType.TABLE)
    assert [" ".join(filter(None, cells)) for cells in table.data["cells"]] == rows
    assert not of_type(draft, ContentNodeType.HEADING)


@pytest.mark.parametrize("ruled", [True, False])
def test_titles_part_tables_that_have_heads_of_their_own(sheet: Sheet, tmp_path: Path, ruled: bool) -> None:
    top = sheet.paragraph(words(60), 60) + 30
    for title, rows in (
        ("Bridges and ferries", ["Item 2019 2020", "Stone 410 420", "Timber 95 90", "Ferry 31 33"]),
        ("Boats of the town", ["Boat 2019 2020", "Barge 12 14", "Skiff 7 8", "Tug 22 21"]),
    ):
        sheet.line(title, top, font=BOLD, size=12)
        for at in (top + 3, top + 58) if ruled else ():
            sheet.canvas.line(70, HEIGHT - at, 360, HEIGHT - at)
        for row in rows:
            top += 13
            for cell, left in zip(row.split(), (72, 260, 330), strict=True):
                sheet.line(cell, top, left=left, size=9)
        top += 14
    sheet.paragraph(words(60), top + 16)
    draft = read(sheet.save(tmp_path / "spent.pdf"))
    assert len(of_type(draft, ContentNodeType.TABLE)) == 2
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == [
        "Bridges and ferries",
        "Boats of the town",
    ]


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("Call us: 555-1234", False),
        ("Tel. 555-1234", False),
        ("(555) 123-4567 by day", False),
        ("UEN 20191234567", False),
        ("Charity No. 1234567", False),
        ("IEEE 802-2001 Networks", True),
        ("ISO 216-1975 Paper", True),
        ("ISO 216-1975", True),
        ("Section 300.1220 Licences of boats", True),
        ("Case 12345678 of the town", True),
    ],
)
def test_numbers_to_call_are_no_titles_but_those_of_standards_and_files_are(text: str, may: bool) -> None:
    assert is_candidate(text, 14) is may


@pytest.mark.parametrize(
    ("left", "above", "heads"),
    [(72, False, True), (260, False, True), (380, False, False), (72, True, False)],
    ids=["at its edge", "over its middle", "over a column", "between two parts"],
)
def test_a_title_over_a_table_is_no_name_of_a_column_or_group_of_rows(left: int, *, above: bool, heads: bool) -> None:
    def block(left: float, top: float, right: float, kind: Kind, face: str = "Helvetica") -> Block:
        return Block(1, [Line([Word(left, top, right, top + 10, "Growth", font_of(face))])], kind)

    title = block(left, 120, left + 60, Kind.TEXT, "Helvetica-Bold")
    page = Page(1, 612, 792, blocks=[title, block(72, 140, 500, Kind.TABLE)])
    page.blocks += [block(72, 100, 500, Kind.TABLE)] if above else []
    assert _heads_items(title, look_of(title), page, Style(10.0, bold=False, pitch=12.0)) is heads


def test_a_formula_in_bold_is_no_title() -> None:
    assert is_candidate("Rate of Flow", 14, "CMBX10")
    assert not is_candidate("Rate of Flow", 14, "CMMIB10")


def is_candidate(text: str, size: float, face: str = "Helvetica-Bold") -> bool:
    font = font_of(face)
    found = [Word(72 + 60 * at, 80, 120 + 60 * at, 80 + size, part, font) for at, part in enumerate(text.split())]
    block = Block(1, [Line(found)])
    return may_be_heading(block, look_of(block), Style(10.0, bold=False, pitch=12.0))


def test_numbered_lines_and_items_far_apart_are_no_list_of_names(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("The Council of the Town", 60, font=BOLD, size=24)
    top = sheet.paragraph(words(60), 100) + 40
    sections = [f"4.{at} {name}" for at, name in enumerate(("Repealed", "Boats", "Bridges", "Ferries", "Roads"), 1)]
    for title in sections:
        sheet.line(title, top, font=BOLD, size=13)
        top += 24
    top = sheet.paragraph(words(60), top) + 40
    agenda = ["Opening of the meeting", "Minutes of the council", "Budget of the town", "Roads and bridges", "Close"]
    for title in agenda:
        sheet.line(title, top, font=BOLD, size=13)
        top += 34
    sheet.paragraph(words(60), top)
    assert headings(sheet.save(tmp_path / "council.pdf")) == sections + agenda
