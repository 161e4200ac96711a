"""Headings of contracts, rules and reports, on small files drawn here: one test per weakness met in the wild."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import Sheet, words

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.ingest.readers.pdf.headings.levels import schemes_of
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


def test_letters_of_an_abbreviation_number_nothing() -> None:
    assert schemes_of(["U.S. Government End Users", "A. Training", "e.g. rivers", "a) Time"]) == [
        "none", "LETTER", "none", "letter",
    ]  # fmt: skip
