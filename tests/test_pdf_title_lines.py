"""The title of a document where it is not simply the largest line: set like the text, in several lines, on a cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import WIDTH, Sheet, of_type, read, words

from ragraph.pdf.headings.candidates import is_persons
from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path

BOLD = "Times-Bold"


def titles(path: Path) -> list[str]:
    return [node.text for node in of_type(read(path), ContentNodeType.TITLE)]


def centred(sheet: Sheet, text: str, top: float, font: str = BOLD, size: float = 11) -> None:
    left = (WIDTH - sheet.canvas.stringWidth(text, font, size)) / 2
    sheet.line(text, top, left, font, size)


def fill(sheet: Sheet, pages: int = 3) -> None:
    for number in range(pages):
        sheet.page()
        top = sheet.line(f"{number + 1}. Of the works", 80, font=BOLD)
        sheet.paragraph(words(300, number), top + 20)


def test_a_title_over_two_columns_may_be_set_like_titles_in_them(tmp_path: Path) -> None:
    sheet = Sheet()
    centred(sheet, "Bridges that Carry both Rail and Road", 90, size=14)
    for column, name in enumerate(("Abstract", "Introduction")):
        sheet.line(name, 150, left=72 + 240 * column, font=BOLD, size=14)
        sheet.paragraph(words(150, column), 175, left=72 + 240 * column, per_line=6)
    fill(sheet)
    assert titles(sheet.save(tmp_path / "paper.pdf")) == ["Bridges that Carry both Rail and Road"]


def test_lines_of_a_title_that_stand_apart_are_joined(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Bridges of the North and", 200, size=28, font="Helvetica")
    sheet.line("Their Builders", 249, size=28, font="Helvetica")
    sheet.line("By a committee of the town", 300)
    fill(sheet)
    assert titles(sheet.save(tmp_path / "cover.pdf")) == ["Bridges of the North and Their Builders"]


def test_an_acronym_before_a_colon_and_what_it_stands_for_are_one_title(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, text in enumerate(("BRIDGE:", "The Northern Network of Rural Schools and Libraries")):
        centred(sheet, text, 200 + 21 * number, size=17)
    centred(sheet, "Ada Brown and Carl Dean", 300)
    fill(sheet)
    path = sheet.save(tmp_path / "acronym.pdf")
    assert titles(path) == ["BRIDGE: The Northern Network of Rural Schools and Libraries"]


def test_a_letter_that_others_count_on_from_begins_no_title(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("A  PROOFS", 90, font=BOLD, size=14)
    sheet.line("A.1  Proof of the first lemma", 108, font=BOLD, size=14)
    sheet.paragraph(words(150), 124)
    fill(sheet)
    path = sheet.save(tmp_path / "appendix.pdf")
    assert not titles(path)
    assert "A PROOFS" in [node.text for node in of_type(read(path), ContentNodeType.HEADING)]


@pytest.mark.parametrize("date", ["05.08.2019", "March 6th, 2017", "12 June 2020", "12 juin 2020", "3 Oktober 2021"])
def test_a_date_in_the_type_of_the_title_is_none_of_it(date: str, tmp_path: Path) -> None:
    sheet = Sheet()
    centred(sheet, "The Bridges of the North", 200, size=24)
    centred(sheet, date, 228, size=24)
    fill(sheet)
    path = sheet.save(tmp_path / "dated.pdf")
    assert titles(path) == ["The Bridges of the North"]
    assert [node.type for node in read(path).nodes if node.text == date] == [ContentNodeType.PARAGRAPH]


def test_date_and_version_under_the_title_are_no_headings_though_headings_are_set_like_them(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("The Bridges of the North", 120, font=BOLD, size=22)
    sheet.line("March 2025", 160, font=BOLD, size=11)
    sheet.line("Version 4A", 190, font=BOLD, size=11)
    sheet.paragraph(["This", *words(60)], 204)
    for part in range(2):
        sheet.page()
        for place, title in enumerate(("Design Philosophy", "Great Rivers", "Small Rivers")):
            sheet.line(title, 80 + 200 * place, font=BOLD, size=11)
            sheet.paragraph(["The", *words(90, start=9 * part + 3 * place)], 98 + 200 * place)
    draft = read(sheet.save(tmp_path / "dated.pdf"))
    found = [node.text for node in draft.nodes if node.type is ContentNodeType.HEADING]
    assert found == ["Design Philosophy", "Great Rivers", "Small Rivers"] * 2


def test_a_title_that_ends_like_a_publisher_stands_where_nothing_else_is_displayed(tmp_path: Path) -> None:
    sheet = Sheet()
    centred(sheet, "Survey of Bridges for the Northern Railway Company", 200, font="Times-Roman", size=20)
    centred(sheet, "June 2018", 400, font="Times-Roman")
    sheet.page()
    sheet.line("Executive summary", 80, size=18)
    sheet.paragraph(words(300), 120)
    fill(sheet)
    assert titles(sheet.save(tmp_path / "survey.pdf")) == ["Survey of Bridges for the Northern Railway Company"]


@pytest.mark.parametrize("left", [None, 72.0])
def test_a_title_below_a_note_is_what_the_first_paragraph_under_it_says(left: float | None, tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(60), 80) + 20 if left is None else 90
    if left is None:
        centred(sheet, "BRIDGE SUPPLY AGREEMENT", top)
    else:
        sheet.line("BRIDGE SUPPLY AGREEMENT", top, left, BOLD)
    sheet.paragraph(["This", "Bridge", "Supply", "Agreement", *words(100)], top + 30)
    fill(sheet)
    assert titles(sheet.save(tmp_path / "supply.pdf")) == ["BRIDGE SUPPLY AGREEMENT"]


def test_the_title_of_a_cover_comes_again_behind_the_contents(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, text in enumerate(
        ("BRIDGE MAINTENANCE AGREEMENT", "BETWEEN", "NORTHERN TOWN", "AND", "BUILDERS S.p.A.")
    ):
        centred(sheet, text, 100 + 40 * number)
    for _ in range(4):
        sheet.page()
        for number in range(20):
            sheet.line(f"Section {number} of the works {'. ' * 40} {number}", 90 + 24 * number)
    sheet.page()
    sheet.line("This Bridge Maintenance Agreement is made by the Northern Town and the builders in the year", 90)
    sheet.line("that follows the opening of the works.", 103)
    fill(sheet)
    assert titles(sheet.save(tmp_path / "cover.pdf")) == ["BRIDGE MAINTENANCE AGREEMENT"]


def test_the_first_heading_is_the_title_where_nothing_is_set_like_it(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Numbers that Bridges Bear", 80, font="Helvetica", size=12.5)
    sheet.paragraph(words(120), 110)
    fill(sheet)
    assert titles(sheet.save(tmp_path / "first.pdf")) == ["Numbers that Bridges Bear"]


def test_the_first_of_several_headings_set_alike_is_no_title(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in range(3):
        top = sheet.line(f"On the {('first', 'second', 'third')[number]} bridge", 80, font=BOLD, size=12)
        sheet.paragraph(words(300, number), top + 25)
        sheet.page()
    assert titles(sheet.save(tmp_path / "alike.pdf")) == []


def cover(path: Path, *lines: str, step: float = 28, size: float = 24) -> list[str]:
    """Return the titles of a document whose cover has these centred lines."""
    sheet = Sheet()
    for number, text in enumerate(lines):
        centred(sheet, text, 200 + step * number, size=size)
    fill(sheet)
    return titles(sheet.save(path / "cover.pdf"))


@pytest.mark.parametrize(
    ("first", "second", "step"),
    [
        ("Plans of the Town for", "Marketing 2024", 28),
        ("Bridges of the", "Decade 2030", 28),
        ("Introduction to Railway", "Bridges and their Builders", 42),
        ("Principles of Railway", "Bridges and their Builders", 42),
    ],
)
def test_lines_that_go_on_are_one_title(first: str, second: str, step: float, tmp_path: Path) -> None:
    assert cover(tmp_path, first, second, step=step) == [f"{first} {second}"]


def test_names_of_persons_are_none_of_the_title(tmp_path: Path) -> None:
    lines = "Principles of Railway Bridges", "Ada North and Ben South"
    assert cover(tmp_path, *lines, step=42) == ["Principles of Railway Bridges"]


def test_a_word_joins_no_lines_that_stand_far_apart(tmp_path: Path) -> None:
    sheet = Sheet()
    for text, top in (("Survey of Bridges", 150), ("for", 300), ("Northern Railway Works", 620)):
        centred(sheet, text, top, size=24)
    fill(sheet)
    assert titles(sheet.save(tmp_path / "far.pdf")) == ["Survey of Bridges"]


def test_two_pairs_of_brackets_are_not_one(tmp_path: Path) -> None:
    assert cover(tmp_path, "(Re)thinking Bridges (Second Edition)") == ["(Re)thinking Bridges (Second Edition)"]


def test_a_question_in_small_letters_is_a_title(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("how do we build bridges?", 80, font=BOLD, size=24)
    sheet.paragraph(words(120), 130)
    assert titles(sheet.save(tmp_path / "question.pdf")) == ["how do we build bridges?"]


def test_a_heading_that_begins_with_the_word_source_is_one(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("The bridge", 60, font=BOLD, size=20)
    for number, text in enumerate(("Source: how rivers begin", "Mouth: how rivers end")):
        sheet.line(text, 110 + 150 * number, font=BOLD, size=14)
        sheet.paragraph(words(90), 130 + 150 * number)
    draft = read(sheet.save(tmp_path / "source.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == [
        "Source: how rivers begin",
        "Mouth: how rivers end",
    ]


def test_parts_before_an_abstract_keep_their_headings(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Of Bridges and Roads", 60, font=BOLD, size=20)
    for number, text in enumerate(("Background", "Abstract", "Method")):
        sheet.line(text, 100 + 150 * number, font=BOLD, size=14)
        sheet.paragraph(words(40, number), 120 + 150 * number)
    draft = read(sheet.save(tmp_path / "abstract.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == ["Background", "Abstract", "Method"]


def test_a_first_line_in_the_type_of_the_text_that_names_a_kind_of_document_is_its_title(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Northern Town Employee Policy", 80)
    sheet.paragraph(words(120), 120)
    sheet.paragraph(words(120, 7), 300)
    assert titles(sheet.save(tmp_path / "policy.pdf")) == ["Northern Town Employee Policy"]


def test_a_long_line_of_capitalized_words_is_soon_known_to_be_no_names_of_persons() -> None:
    line = ", ".join(f"Northern{letter} Bridge Works" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ") + " of 1900"
    assert not is_persons(line)
    assert is_persons("Ada North and Ben South")
