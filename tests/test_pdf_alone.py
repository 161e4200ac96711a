"""Furniture of short documents, in which nothing comes back: what a page alone tells to be a head, a foot, a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

GOING_ON = "members should state this in their schedule and"
LEFT, RIGHT = 72, 400
"""Left edge of the text, and where a number at its right edge begins."""


def page(
    path: Path,
    *rows: tuple[str, float, float],
    first: str = "",
    size: float = 9,
    font: str = "Times-Roman",
    rule: float | None = None,
    before: bool = False,
) -> Draft:
    """Read a page of text with rows (text, distance from the top, left) at its edges; ``first`` opens the text.

    A page that ends in the middle of a sentence may stand ``before`` it.
    """
    sheet = Sheet()
    if before:
        sheet.paragraph(words(390, 3), 80, end="")
        sheet.page()
    for text, top, left in rows:
        sheet.line(text, top, left, font, size)
    if rule is not None:
        sheet.canvas.line(LEFT, HEIGHT - rule, 540, HEIGHT - rule)
    sheet.paragraph([*first.split(), *words(200)], 110)
    sheet.paragraph(words(120, 5), 400)
    return read(sheet.save(path / "page.pdf"))


def furniture(draft: Draft) -> list[str]:
    within = {container.key for container in draft.containers if container.type in {"HEADER", "FOOTER"}}
    return [node.text for node in draft.nodes if node.container in within]


@pytest.mark.parametrize(
    "rows",
    [
        [("317", 760, 300)],
        [("xii", 760, LEFT)],
        [("24", 40, LEFT), ("Yarrow", 40, 360)],
        [("Chapter 3. The bridge", 40, LEFT), ("35", 40, 500)],
        [("The Library of the Town", 760, LEFT), ("6", 760, 500)],
        [("80 A MANUAL OF THE BRIDGE", 760, LEFT)],
        [("132 | The bridge and the river", 760, LEFT)],
        [("Chapter 3 The bridge over the river and its", 750, 300), ("piers | 99", 760, 300)],
    ],
)
def test_a_number_apart_from_the_text_is_one_of_the_page_with_the_words_beside_it(
    tmp_path: Path, rows: list[tuple[str, float, float]]
) -> None:
    draft = page(tmp_path, *rows)
    assert " ".join(furniture(draft)).split() == " ".join(text for text, *_ in rows).split()
    assert len(of_type(draft, ContentNodeType.PAGE_NUMBER)) == 1
    assert not of_type(draft, ContentNodeType.HEADING)


@pytest.mark.parametrize(
    "rows",
    [
        [("23", 760, LEFT), ("The rawdata of the second year.", 760, 90)],
        [("2", 40, 300)],
        [("The bridge", 40, LEFT), ("1974", 40, 500)],
        [("Built in 175", 760, LEFT)],
    ],
)
def test_other_numbers_at_the_edge_are_text(tmp_path: Path, rows: list[tuple[str, float, float]]) -> None:
    assert not furniture(page(tmp_path, *rows))


def test_the_sum_under_a_column_is_no_page_number(tmp_path: Path) -> None:
    column = [(f"Part {number} of it", 660.0 + 14 * number, LEFT) for number in range(4)]
    amounts = [(str(12 + number), 660.0 + 14 * number, RIGHT) for number in range(4)]
    assert not furniture(page(tmp_path, *column, *amounts, ("Total", 760, LEFT), ("54", 760, RIGHT)))


def test_a_numbered_title_at_the_top_is_one(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("2", 60, font="Times-Bold", size=11)
    sheet.line("The bridge", 60, 110, font="Times-Bold", size=11)
    sheet.paragraph(words(200), 90)
    draft = read(sheet.save(tmp_path / "page.pdf"))
    assert not furniture(draft)
    assert [node.text for node in of_type(draft, ContentNodeType.HEADING)] == ["2 The bridge"]


@pytest.mark.parametrize("head", ["Figure 3. Land and water", "It was said:", "6.1 Land and water", "Dear Frau Nord,"])
def test_captions_sentences_and_numbered_titles_over_the_middle_of_a_sentence_are_none(
    tmp_path: Path, head: str
) -> None:
    assert not furniture(page(tmp_path, (head, 40, 200), first=GOING_ON, before=True))


@pytest.mark.parametrize(
    ("size", "rows"),
    [
        (11, [("Sum to pay", 745, LEFT), ("480", 745, 300)]),
        (11, [("Number of persons in the household", 745, LEFT), ("4", 745, RIGHT)]),
        (11, [("Open on weekdays", 760, LEFT), ("9-17", 760, RIGHT)]),
        (9, [("Open on weekdays", 760, LEFT), ("9-17", 760, RIGHT)]),
        (11, [("Result of the test as a whole", 740, LEFT), ("8/10", 740, 500)]),
        (11, [("Built in the reign of King George", 745, LEFT), ("VI", 745, 500)]),
        (11, [("PO BOX 250", 760, LEFT)]),
        (11, [("THE TOWN HALL ROOM 12", 760, LEFT)]),
        (13, [("INVOICE", 50, LEFT), ("117", 50, 500)]),
        (11, [("Question on the bridge of the town", 50, LEFT), ("15", 50, 520)]),
        (9, [("12/24", 760, LEFT)]),
        (11, [("X", 760, LEFT)]),
        (9, [("Total:", 760, LEFT), ("38", 760, RIGHT)]),
        (11, [("The sum that you owe us is (EUR):", 740, LEFT), ("450", 762, 300)]),
        (9, [("Project engineer at the railway", 50, LEFT), ("05/2023", 50, 500)]),
    ],
)
def test_values_of_forms_invoices_and_addresses_are_no_page_numbers(
    tmp_path: Path, size: float, rows: list[tuple[str, float, float]]
) -> None:
    draft = page(tmp_path, *rows, size=size)
    assert not furniture(draft)
    assert all(any(text in node.text for node in draft.nodes) for text, *_ in rows)


def test_the_number_of_an_invoice_in_bold_is_none_of_a_page(tmp_path: Path) -> None:
    assert not furniture(page(tmp_path, ("INVOICE", 50, LEFT), ("117", 50, 500), font="Helvetica-Bold", size=12))


LETTER = (
    "thank you for your letter of last month, in which you asked for the bridge over the river",
    "of the old town. We spoke of it with the council and it was taken up by all of them, and",
    "the works begin in autumn and go on for two years if nothing comes in between them all",
)


@pytest.mark.parametrize("greeting", ["Sehr geehrte Frau Nord,", "Dear Frau Nord", "Bridge"])
def test_what_a_letter_or_glossary_has_over_small_letters_is_text(tmp_path: Path, greeting: str) -> None:
    sheet = Sheet()
    sheet.line("Northern Town, in May", 40, 400)
    sheet.line(greeting, 66)
    for number, text in enumerate(LETTER):
        sheet.line(text, 92 + 13 * number)
    draft = read(sheet.save(tmp_path / "letter.pdf"))
    assert not furniture(draft)
    assert greeting in " ".join(node.text for node in draft.nodes)


def test_the_name_on_a_record_with_an_address_over_a_rule_is_its_title(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Ada North", 50, font="Helvetica-Bold", size=16)
    sheet.line("ada@north.example", 50, 440)
    sheet.canvas.line(LEFT, HEIGHT - 56, 540, HEIGHT - 56)
    sheet.line("Experience", 90, font="Helvetica-Bold")
    sheet.paragraph(words(80), 110)
    draft = read(sheet.save(tmp_path / "record.pdf"))
    assert not furniture(draft)
    assert [node.text for node in of_type(draft, ContentNodeType.TITLE)] == ["Ada North"]


def test_the_head_of_a_table_over_a_rule_stays(tmp_path: Path) -> None:
    sheet = Sheet()
    rows = [
        ("Name of the part", "Use of it"),
        *[(f"Part {at} of the bridge over the old river", "stone") for at in "abcdef"],
    ]
    for number, (name, use) in enumerate(rows):
        sheet.line(name, 50 + 17 * number)
        sheet.line(use, 50 + 17 * number, RIGHT)
    sheet.canvas.line(LEFT, HEIGHT - 55, 540, HEIGHT - 55)
    sheet.paragraph(words(100), 260)
    assert not furniture(read(sheet.save(tmp_path / "table.pdf")))


def test_a_page_of_three_lines_is_read(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in range(3):
        sheet.line("The committee met in the old hall and spoke of the bridge", 60 + 13.2 * number)
    assert len(read(sheet.save(tmp_path / "lines.pdf")).nodes) == 1


@pytest.mark.parametrize(("pages", "found"), [(2, 1), (4, 1), (5, 0)])
def test_documents_of_more_than_four_pages_are_told_by_what_comes_back(tmp_path: Path, pages: int, found: int) -> None:
    sheet = Sheet()
    for number in range(pages):
        if number:
            sheet.page()
        sheet.paragraph(words(200, number), 80)
    sheet.line("317", 760, 300)
    assert len(of_type(read(sheet.save(tmp_path / "pages.pdf")), ContentNodeType.PAGE_NUMBER)) == found


def test_a_number_with_words_in_the_type_of_the_text_is_one_of_the_page_if_it_counts_on(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in range(2):
        if number:
            sheet.page()
        sheet.line(("On stones", "On ropes")[number], 760)
        sheet.line(str(number + 6), 760, 500)
        sheet.paragraph(words(200, number), 80)
    draft = read(sheet.save(tmp_path / "pages.pdf"))
    assert [node.text for node in of_type(draft, ContentNodeType.PAGE_NUMBER)] == ["6", "7"]
