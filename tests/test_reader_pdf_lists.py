"""Lists that go on over pages, entries of contents with dots, divided addresses, notes within a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import Sheet, of_type, read, words

from ragraph.base.hyphens import Vocabulary
from ragraph.pdf.blocks.asides import set_asides
from ragraph.pdf.model import Block, Kind, Line, Page, Style, Word, font_of
from ragraph.pdf.text import lines_text
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = ("Of brooks", "Of rivers", "Of lakes and ponds.", "Of canals", "Of harbours", "Of the sea Inc.")


def test_a_list_that_goes_on_over_the_page_is_one(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(300, 1), 90)
    for number in range(3):
        top = sheet.line(f"\u2022 {' '.join(words(8, number))}", top + 16, left=84)
    sheet.page()
    for number in range(3, 6):
        sheet.line(f"\u2022 {' '.join(words(8, number))}", 90 + 16 * number, left=84)
    sheet.paragraph(words(300, 2), 260)
    draft = read(sheet.save(tmp_path / "list.pdf"))
    lists = [container.key for container in draft.containers if container.type is ComponentType.LIST]
    items = of_type(draft, ContentNodeType.LIST_ITEM)
    assert len(items) == 6
    assert {item.container for item in items} == {*lists}
    assert len(lists) == 1


def test_dots_that_lead_to_the_page_are_no_text_of_an_entry(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Contents", 80, font="Times-Bold", size=14)
    dots = ("........", " . . . . .", "", ". .", "............", " .....")
    for number, (entry, dot) in enumerate(zip(ENTRIES, dots, strict=True)):
        sheet.line(f"{entry}{dot}", 110 + 16 * number)
        sheet.line(f"{'.' * (number % 2)}{10 + number}", 110 + 16 * number, left=300)
    sheet.page()
    sheet.paragraph(words(300, 1), 90)
    draft = read(sheet.save(tmp_path / "contents.pdf"))
    found = [node.text for node in of_type(draft, ContentNodeType.LIST_ITEM)]
    assert found == [f"{entry} {10 + number}" for number, entry in enumerate(ENTRIES)]


@pytest.mark.parametrize(
    ("upper", "lower", "text"),
    [
        ("See https://water.example/lakes/", "old-mill/1.html", "See https://water.example/lakes/old-mill/1.html"),
        ("See www.water.example/a%", "20b.pdf", "See www.water.example/a%20b.pdf"),
        ("See https://water.example/", "and read it", "See https://water.example/ and read it"),
        ("rivers and/", "or lakes-2", "rivers and/ or lakes-2"),
    ],
)
def test_an_address_that_a_line_divides(upper: str, lower: str, text: str) -> None:
    font = font_of("Times-Roman")
    lines = []
    for row, of_line in enumerate((upper, lower)):
        left, found = 72.0, []
        for word in of_line.split():
            found.append(Word(left, 100 + 14 * row, left + 5 * len(word), 110 + 14 * row, word, font))
            left += 5 * len(word) + 3
        lines.append(Line(found))
    assert lines_text(lines, Vocabulary([upper, lower]))[0] == text


@pytest.mark.parametrize(("mark", "order"), [("1", [0, 1, 2]), ("", [0, 2, 1])])
def test_a_note_between_the_columns_of_a_sentence_is_no_pull_quote(mark: str, order: list[int]) -> None:
    font = font_of("Times-Roman")

    def block(left: float, top: float, size: float, *rows: str) -> Block:
        lines = []
        for at, row in enumerate(rows):
            word = Word(left, top + 14 * at, left + 5 * len(row), top + size + 14 * at, row, font)
            word.size = size
            lines.append(Line([word]))
        return Block(1, lines, Kind.TEXT)

    note = block(76, 600, 8, "Levels are kept in the archive of", "the harbour and may be read.")
    if mark:
        raised = Word(72, 599, 75, 604, mark, font)
        raised.size, raised.raised = 5, True
        note.lines[0] = Line([raised, *note.lines[0].words])
    page = Page(1, 600, 800)
    blocks = [block(72, 500, 10, *["all the rivers of the hills run to the"] * 3), note, block(324, 90, 10, "sea.")]
    page.blocks = [*blocks]
    set_asides(page, Style(10, False, 14))
    assert [blocks.index(one) for one in page.blocks] == order
