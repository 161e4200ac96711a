"""Levels of headings in PDF files that tell them by what they are counted within, not by their type."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from test_reader_pdf import Sheet, words

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WAYS = ("Giving", "Lists", "Ends")
BOLD, SLANTED = "Times-Bold", "Times-Italic"


class Title(NamedTuple):
    """A title, its type, and whether text stands right below it."""

    text: str
    size: float = 11.0
    font: str = BOLD
    over_text: bool = True


def levels(folder: Path, titles: Sequence[Title]) -> list[int | None]:
    """Set titles over paragraphs, read them, and return the level of each."""
    sheet = Sheet()
    sheet.line("A handbook of leave", 60, left=180, font=BOLD, size=32)
    top = 120.0
    for index, title in enumerate(titles):
        if top > 620:
            sheet.page()
            top = 80.0
        sheet.line(title.text, top, font=title.font, size=title.size)
        top += title.size + 12
        if title.over_text:
            top = sheet.paragraph(words(60, start=20 + 7 * index), top, per_line=12) + 24
    draft = PdfReader().read(sheet.save(folder / "sample.pdf"), ReadOptions())
    found = {node.text: node.level for node in draft.nodes if node.type is ContentNodeType.HEADING}
    return [found.get(title.text) for title in titles]


def test_numbers_that_begin_again_under_letters_and_roman_numbers_stand_below_both(tmp_path: Path) -> None:
    titles = [
        Title("I. GENERAL WORDS"),
        Title("A. Of the clerks", font=SLANTED),
        Title("1) Asking for leave", font=SLANTED),
        Title("2) Taking the leave", font=SLANTED),
        Title("B. Of the masters", font=SLANTED),
        Title("1) Giving of leave", font=SLANTED),
        Title("2) Lists of leaves", font=SLANTED),
        Title("II. SPECIAL WORDS"),
        Title("A. Of the keys", font=SLANTED),
        Title("1) Keeping of keys", font=SLANTED),
        Title("2) Losing of keys", font=SLANTED),
        Title("III. LAST WORDS"),
    ]
    assert levels(tmp_path, titles) == [1, 2, 3, 3, 2, 3, 3, 1, 2, 3, 3, 1]


def test_numbers_between_two_sections_of_an_article_stand_below_them(tmp_path: Path) -> None:
    titles = [
        Title("ARTICLE I. NAME AND AIMS"),
        Title("Section 1 The name"),
        Title("Section 2 The aims"),
        Title("ARTICLE II. MEMBERS"),
        Title("Section 1 Who may be one"),
        Title("Section 2 How to be one"),
        Title("1. Asking for it in writing", font=SLANTED),
        Title("2. Waiting for an answer", font=SLANTED),
        Title("Section 3 How to leave"),
        Title("ARTICLE III. MONEY"),
        Title("Section 1 The dues"),
    ]
    assert levels(tmp_path, titles) == [1, 2, 2, 1, 2, 2, 3, 3, 2, 1, 2]


def test_sections_that_begin_with_the_number_of_their_article_stand_below_it(tmp_path: Path) -> None:
    titles = [
        Title(f"{kind} {number}{part} {title}", font=BOLD)
        for number in (1, 2, 3)
        for kind, part, title in (
            ("Article", "", "Of the clerks"),
            ("Section", ".01", "Asking for leave"),
            ("Section", ".02", "Taking the leave"),
        )
    ]
    assert levels(tmp_path, titles) == [1, 2, 2] * 3


def test_a_title_right_over_numbers_that_count_on_is_that_of_a_part(tmp_path: Path) -> None:
    titles = [
        Title("DUTIES OF THE CLERKS", 13, over_text=False),
        Title("1. ASKING FOR LEAVE"),
        Title("2. TAKING THE LEAVE"),
        Title("DUTIES OF THE MASTERS", 13, over_text=False),
        Title("3. GIVING OF LEAVE"),
        Title("4. LISTS OF LEAVES"),
        Title("LAST DUTIES", 13, over_text=False),
        Title("5. KEEPING OF KEYS"),
    ]
    assert levels(tmp_path, titles) == [1, 2, 2, 1, 2, 2, 1, 2]


def test_a_list_in_one_section_stands_below_that(tmp_path: Path) -> None:
    titles = [
        Title("1 Words of the house", 15),
        Title("1.1 Words of the clerks", 13),
        Title("1. Asking for leave"),
        Title("2. Taking the leave"),
        Title("3. Giving of leave"),
        Title("1.2 Words of the masters", 13),
        Title("2 Keys of the house", 15),
        Title("2.1 Keys of the clerks", 13),
        Title("2.2 Keys of the masters", 13),
        Title("3 Money of the house", 15),
    ]
    assert levels(tmp_path, titles) == [1, 2, 3, 3, 3, 2, 1, 2, 2, 1]


def test_what_roman_numbers_count_on_over_stands_below_them_though_it_is_bold(tmp_path: Path) -> None:
    titles = [
        Title("I. GENERAL WORDS", font="Times-Roman"),
        Title("II. OF THE CLERKS", font="Times-Roman"),
        Title("Asking for leave"),
        Title("Taking the leave"),
        Title("III. OF THE MASTERS", font="Times-Roman"),
        Title("Giving of leave"),
        Title("Lists of leaves"),
        Title("IV. LAST WORDS", font="Times-Roman"),
    ]
    assert levels(tmp_path, titles) == [1, 1, 2, 2, 1, 2, 2, 1]


def test_large_type_whose_size_is_fitted_to_the_place_is_of_one_level(tmp_path: Path) -> None:
    sizes = [(23, "Asking for leave"), (24, "Taking the leave"), (22, "Giving of leave"), (23, "Lists of leaves")]
    titles = [title for size, text in sizes for title in (Title(text, size), Title(f"Costs of {text.lower()}", 14))]
    assert levels(tmp_path, titles) == [1, 2] * 4


@pytest.mark.parametrize("sizes", [(20, 18), (24, 22), (18, 16.5)])
def test_two_sizes_of_large_type_that_come_back_are_two_levels(sizes: tuple[float, float], tmp_path: Path) -> None:
    words_of = ("Asking for leave", "Taking the leave", "Giving of leave", "Lists of leaves")
    titles = [title for text in words_of for title in (Title(text, sizes[0]), Title(f"Costs of {text}", sizes[1]))]
    assert levels(tmp_path, titles) == [1, 2] * 4


def test_sizes_that_go_down_level_by_level_are_levels(tmp_path: Path) -> None:
    sizes = [(24, "Asking for leave"), (22, "Taking the leave"), *((20, f"{name} of leave") for name in WAYS)]
    assert levels(tmp_path, [Title(text, size) for size, text in sizes]) == [1, 2, 3, 3, 3]


def test_numbered_titles_in_large_type_stand_as_their_numbers_say(tmp_path: Path) -> None:
    titles = [
        Title("1 Words of the house", 20),
        Title("1.1 Words of the clerks", 18),
        Title("Words of the masters", 18),
        Title("2 Keys of the house", 20),
        Title("2.1 Keys of the clerks", 18),
    ]
    found = levels(tmp_path, titles)
    assert found[:2] + found[3:] == [1, 2, 1, 2]
    assert found[2] in {2, 3}


def test_one_numbered_title_does_not_lift_those_set_like_it(tmp_path: Path) -> None:
    titles = [
        Title("Asking for leave", 18),
        Title("Letters to the clerks", 12),
        Title("2. Letters to the masters", 12),
        Title("Taking the leave", 18),
        Title("Lists of the leaves", 12),
    ]
    assert levels(tmp_path, titles) == [1, 2, 2, 1, 2]
