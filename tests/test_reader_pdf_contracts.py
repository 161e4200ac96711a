"""Headings of contracts, rules and reports, on small files drawn here: one test per weakness met in the wild."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import Sheet, words

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.blocks.looks import look_of
from ragraph.pdf.headings.candidates import may_be_heading
from ragraph.pdf.headings.evidence import is_label_of
from ragraph.pdf.headings.levels import schemes_of
from ragraph.pdf.model import Block, Line, Style, Word, font_of
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

PLAIN, BOLD, ITALIC = "Times-Roman", "Times-Bold", "Times-Italic"
LETTERED = ["(a) Organization.", "(b) Authority and Consent.", "(c) No Conflict.", "(d) Brokers."]


def titles_of(sheet: Sheet, folder: Path) -> list[str]:
    draft = PdfReader().read(sheet.save(folder / "sample.pdf"), ReadOptions())
    return [node.text for node in draft.nodes if node.type is ContentNodeType.HEADING]


def lettered(sheet: Sheet, top: float, title: str, start: int, font: str, *, ruled: bool = False) -> float:
    """Set a paragraph that begins with a letter in plain type and a title in a type of its own, or underlined."""
    label, _, name = title.partition(" ")
    width = sheet.canvas.stringWidth
    left = 108 + width(f"{label} ", PLAIN, 11)
    after = left + width(f"{name} ", font, 11)
    sheet.line(label, top, left=108)
    sheet.line(name, top, left=left, font=font)
    if ruled:  # the rule leaves the full stop out
        foot = sheet.canvas._pagesize[1] - top - 1.5
        sheet.canvas.line(left, foot, left + width(name.rstrip("."), font, 11), foot)
    rest = ["Nobody", *words(50, start=start)]
    sheet.line(" ".join(rest[:7]), top, left=after)
    return sheet.paragraph(rest[7:], top + 13.2)


@pytest.mark.parametrize(("font", "ruled"), [(ITALIC, False), (PLAIN, True)])
def test_lettered_titles_in_a_type_of_their_own_are_headings(font: str, ruled: bool, tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(60), 80) + 13.2
    for place, title in enumerate(LETTERED):
        top = lettered(sheet, top, title, 3 * place, font, ruled=ruled) + 13.2
    assert titles_of(sheet, tmp_path) == LETTERED


def test_a_bold_title_that_fills_its_line_is_not_joined_with_the_item_below(tmp_path: Path) -> None:
    sheet = Sheet()
    top, titles = 80.0, ["Section 1 Members in Good Standing", "Section 2 Members not in Good Standing"]
    for title in titles:
        sheet.line(title, top, font=BOLD)
        sheet.line("A. Completion of all the forms", top + 13.2)
        sheet.line("B. Payment of all the fees", top + 26.4)
        top = sheet.paragraph(words(60), top + 60) + 30
    assert titles_of(sheet, tmp_path) == titles


def test_text_behind_the_contents_on_their_page_is_none_of_them(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Minutes of the General Meeting of the Members", 60, left=140, size=16)
    sheet.line("of the Bridge Society", 79, left=220, size=16)
    titles = ["Members Present", "Report of the Year", "Accounts", "Audit", "Vote", "Board", "Plans", "Outlook"]
    sheet.line("Agenda", 120, font=BOLD, size=14)
    for row, title in enumerate(titles):
        sheet.line(f"{title} {'.' * (100 - len(title))} {1 + row // 2}", 140 + 18 * row)
    top = 320.0
    for number, title in enumerate(titles[:2]):
        sheet.line(title, top, font=BOLD, size=14)
        top = sheet.paragraph(["The", *words(30, start=3 * number)], top + 18) + 30
    sheet.page()
    for number, title in enumerate(titles[2:]):
        sheet.line(title, 80 + 110 * number, font=BOLD, size=14)
        sheet.paragraph(["The", *words(50, start=5 * number)], 98 + 110 * number)
    assert titles_of(sheet, tmp_path) == ["Agenda", *titles]


def test_a_label_set_apart_from_its_title_stays_with_it_whatever_stands_below(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(60), 80) + 24
    for number, title in enumerate(("Membership", "Good Standing", "Penalties"), 1):
        sheet.line(f"Section {number}", top, font=BOLD, size=12)
        sheet.line(title, top, left=150, font=BOLD, size=12)
        sheet.line("The following are members of the society:", top + 14)
        sheet.line("Subsection 1 Players", top + 36, left=150, font=BOLD)
        top = sheet.paragraph(words(40, start=number), top + 49.2) + 24
    found = [title for title in titles_of(sheet, tmp_path) if title.startswith("Section")]
    assert found == ["Section 1 Membership", "Section 2 Good Standing", "Section 3 Penalties"]


@pytest.mark.parametrize("ruled", [False, True])
def test_a_label_in_the_type_of_the_text_takes_the_title_on_its_row(ruled: bool, tmp_path: Path) -> None:
    sheet = Sheet()
    titles = ["Quorum", "Electronic Meetings", "Resignations and Absences", "Special Elections"]
    top = sheet.paragraph(words(60), 80) + 24
    for number, title in enumerate(titles, 5):
        sheet.line(f"Section {number}", top)
        sheet.line(title, top, left=144)
        if ruled:
            foot = sheet.canvas._pagesize[1] - top - 1.5
            sheet.canvas.line(144, foot, 144 + sheet.canvas.stringWidth(title, PLAIN, 11), foot)
        top = sheet.paragraph(["The", *words(50, start=3 * number)], top + 26) + 22
    assert titles_of(sheet, tmp_path) == [f"Section {number} {title}" for number, title in enumerate(titles, 5)]


def test_paragraphs_that_begin_in_capitals_with_a_colon_have_titles(tmp_path: Path) -> None:
    sheet = Sheet()
    top, titles = 80.0, ["LICENSED TERRITORY:", "FEES AND PAYMENT:", "TERM OF LICENCE:", "GOVERNING LAW:"]
    for place, title in enumerate(titles):
        rest = ["Überall", *words(50, start=3 * place)]
        sheet.line(f"{title} {' '.join(rest[:6])}", top)
        top = sheet.paragraph(rest[6:], top + 13.2) + 13.2
    assert titles_of(sheet, tmp_path) == titles


def test_a_long_slanted_line_over_its_paragraph_is_a_title(tmp_path: Path) -> None:
    sheet = Sheet()
    top, titles = 80.0, []
    for place, kind in enumerate(("Rivers", "Bridges", "Roads", "Winters")):
        titles.append(f"Presentation of {kind} and Agreements, Including Incentives and Discounts for All the Towns")
        sheet.line(titles[-1], top, font=ITALIC)
        top = sheet.paragraph(["Nobody", *words(60, start=3 * place)], top + 22) + 20
    assert titles_of(sheet, tmp_path) == titles


def test_a_number_that_ends_in_nought_is_one_of_a_section_unless_another_heading_is() -> None:
    assert schemes_of(["4.0. Fees", "4.1 Increase", "5.0 Term"]) == ["decimal1", "decimal2", "decimal1"]
    assert schemes_of(["Chapter 4", "4.0. General", "4.1 Meetings"]) == ["named chapter", "decimal2", "decimal2"]


def test_the_number_of_a_chapter_is_no_label_of_its_sections() -> None:
    assert is_label_of("2", "2 Bridges")
    assert is_label_of("Appendix B", "Appendix B: Glossary")
    assert not is_label_of("2", "2.4 Bridges")


def test_letters_of_an_abbreviation_number_nothing() -> None:
    assert schemes_of(["U.S. Government End Users", "A. Training", "e.g. rivers", "a) Time"]) == [
        "none", "LETTER", "none", "letter",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("65 Pine Street, Meadow MA 02038", False),
        ("EIN 99-4225992", False),
        ("Call 555-123-4567", False),
        ("5 Scope of EN 15804", True),
        ("Fiscal Years 2019-2020", True),
        ("桥梁就是一种方案。它可以在河上运行", False),
        ("八、容器文件", True),
        ("目录", True),
        ("목차", True),
        ("Jo. Ra.", False),
    ],
)
def test_addresses_numbers_to_call_two_sentences_and_initials_are_no_titles(text: str, may: bool) -> None:
    font = font_of("Helvetica-Bold")
    line = Line([Word(72 + 60 * at, 80, 120 + 60 * at, 94, part, font) for at, part in enumerate(text.split())])
    block = Block(1, [line])
    assert may_be_heading(block, look_of(block), Style(10.0, False, 12.0)) is may
