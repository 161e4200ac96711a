"""What is torn apart by lines, columns and pages is put together: paragraphs, words, entries of bibliographies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_pdf_notes import Page as NotesPage
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.pdf.blocks.joining import join_paragraphs
from ragraph.pdf.model import Block, Font, Kind, Line, Style, Word
from ragraph.pdf.model import Page as PdfPage
from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


def test_entries_on_two_pages_stay_two(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Bridges and their Builders", 60, font="Times-Bold", size=18)
    sheet.paragraph(words(400), 100)
    sheet.page()
    sheet.line("References", 72, font="Times-Bold", size=14)
    press = "Press of the Town, River Road, near the old hall in which the committee met in the"
    for index in range(12):
        top = 110 + 46 * index
        sheet.line(
            f"Olsen, B. 19{70 + index}. Bridges of wood and of iron in the years that were to come, {index}. The", top
        )
        sheet.line(press, top + 13.2, 96)
        # the last one ends with an address, without a full stop
        sheet.line("at https://town.example/bridges" if index == 11 else "years of the war.", top + 26.4, 96)
    sheet.page()
    sheet.line("Park, C. 1999. Bridges of stone and the money that the town would have to find for them. The", 80)
    sheet.line(press, 93.2, 96)
    sheet.line("years of the war.", 106.4, 96)
    entries = of_type(read(sheet.save(tmp_path / "a.pdf")), ContentNodeType.BIBLIOGRAPHIC_ENTRY)
    assert [node.text[:14] for node in entries[-2:]] == ["Olsen, B. 1981", "Park, C. 1999."]
    assert len(entries) == 13


def test_numbered_entries_in_one_block_are_taken_apart_and_torn_ones_put_together(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Bridges and their Builders", 80, font="Times-Bold", size=18)
    top = sheet.paragraph(words(80), 120)
    sheet.line("References", top + 30, font="Times-Bold", size=14)
    top = sheet.line("[1] Datagrams. Town Press, 1999.", top + 60)
    top = sheet.line("[2] Telegrams. Town Press, 2001.", top + 13.2)
    top = sheet.line("[3] Olsen, B. Bridges of wood. 2004. At https://town.example/wood/", top + 13.2)
    top = sheet.line("bridges.html", top + 13.2, 90, font="Courier")
    sheet.line("[4] Park, C. Bridges of stone, 1999.", top + 13.2)
    entries = of_type(read(sheet.save(tmp_path / "a.pdf")), ContentNodeType.BIBLIOGRAPHIC_ENTRY)
    assert [node.marker for node in entries] == ["[1]", "[2]", "[3]", "[4]"]
    assert entries[2].text.endswith("bridges.html")


def test_a_bibliography_in_the_second_column_is_no_margin(tmp_path: Path) -> None:
    sheet = Sheet()
    for _ in range(2):
        for left in (60, 320):
            sheet.paragraph(words(300), 80, left, per_line=6)
        sheet.page()
    top = sheet.paragraph(words(200), 80, 60, per_line=6)
    sheet.line("References", top + 30, 60, font="Times-Bold", size=12)
    for index in range(20):
        place = (top + 55 + 24 * index, 60) if index < 4 else (80 + 24 * (index - 4), 320)
        sheet.line(f"[{index + 1}] Olsen, B. Bridges of wood, part {index}. 1999.", place[0], place[1], size=9)
    draft = read(sheet.save(tmp_path / "a.pdf"))
    assert len(of_type(draft, ContentNodeType.BIBLIOGRAPHIC_ENTRY)) == 20


def glossary(path: Path, terms: list[str]) -> Draft:
    sheet = Sheet()
    sheet.paragraph(words(60), 80)
    top = 200.0
    for index, term in enumerate(terms):
        sheet.line(term, top, left=72)
        if index == 1:
            sheet.line("the bridge", top + 13.2, left=72)
        if index == 3:
            sheet.line("(lent)", top, left=150)  # the end of a loosely set line
        top = sheet.paragraph([f"Explained{index}", *words(20 + 3 * index)], top, left=220, per_line=9) + 13.2
    return read(sheet.save(path))


TERMS = ["Bridge", "Committee of", "Hall, old", "Money", "River", "Town"]
WHOLE = ["Bridge", "Committee of the bridge", "Hall, old", "Money (lent)", "River", "Town"]


def test_terms_stand_in_front_of_their_explanations(tmp_path: Path) -> None:
    order = [node.text for node in glossary(tmp_path / "a.pdf", TERMS[:5]).nodes][1:]
    assert order[::2] == WHOLE[:5]
    assert [text.split()[0] for text in order[1::2]] == [f"Explained{index}" for index in range(5)]


def test_many_terms_with_explanations_are_a_table(tmp_path: Path) -> None:
    (table,) = of_type(glossary(tmp_path / "a.pdf", TERMS), ContentNodeType.TABLE)
    assert [row[0] for row in table.data["cells"]] == WHOLE
    assert [row[1].split()[0] for row in table.data["cells"]] == [f"Explained{index}" for index in range(6)]


def test_acronyms_stand_in_front_of_their_names(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.paragraph(words(60), 80)
    for index, (term, name) in enumerate(
        (("BC", "Bridge Committee of the old town"), ("RT", "River Trust"), ("TH", "Town Hall"), ("WM", "Winter Money"))
    ):
        sheet.line(term, 200 + 13.2 * index)
        sheet.line(name, 200 + 13.2 * index, left=160)
    text = " ".join(node.text for node in read(sheet.save(tmp_path / "a.pdf")).nodes)
    assert "TH Town Hall WM Winter Money" in text.replace(" |", "")


def test_two_columns_of_running_text_are_read_one_after_the_other(tmp_path: Path) -> None:
    sheet = Sheet()
    for column in range(2):
        top = 80.0
        for count in (22, 46, 30, 54, 22, 38)[:: 1 - 2 * column]:
            top = sheet.paragraph([f"Column{column}", *words(count)], top, left=72 + 250 * column, per_line=8) + 6
    starts = [node.text.split()[0] for node in read(sheet.save(tmp_path / "a.pdf")).nodes]
    assert starts == ["Column0"] * 6 + ["Column1"] * 6


def test_numbered_lines_that_count_on_are_items(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(60), 80) + 13.2
    for place, name in enumerate(("one owner with 6.5 of a hundred", "another one with 7.2", "and one with 8.1")):
        sheet.line(f"{place + 1}. {name}", top + 13.2 * place)
    sheet.paragraph(words(60), top + 60)
    items = of_type(read(sheet.save(tmp_path / "a.pdf")), ContentNodeType.LIST_ITEM)
    assert [node.marker for node in items] == ["1.", "2.", "3."]


def test_entries_whose_numbers_are_raised_in_the_text_are_no_notes(tmp_path: Path) -> None:
    page = NotesPage()
    page.paragraph(words(90), 80)
    for place in range(1, 8):
        page.marked(
            f"and the archive of the town^{place}^ keeps it until the end of the year, as it has done.",
            200 + 14 * place,
        )
    page.line("References", 400, font="Times-Bold", size=13)
    for place in range(1, 8):
        page.line(
            f"{place}. Olsen B, Park C. Bridges of wood and iron. Town Press; 200{place}.", 420 + 24 * place, size=8
        )
    draft = read(page.save(tmp_path / "a.pdf"))
    assert len(of_type(draft, ContentNodeType.BIBLIOGRAPHIC_ENTRY)) == 7
    assert of_type(draft, ContentNodeType.NOTE) == []


@pytest.mark.parametrize("kind", [Kind.NOTE, Kind.TEXT])
def test_the_rest_of_a_sentence_joins_its_own_first_half_alone(kind: Kind) -> None:
    font = Font("Times", False, False, False, False)
    blocks = []
    for number, text in enumerate(("An earlier paragraph that ends.", "A note whose sentence goes", "on here.", "on.")):
        top = 100.0 + 100 * number
        blocks.append(Block(1, [Line([Word(60, top, 60 + 5 * len(text), top + 10, text, font)])]))
    _, first, rest, end = blocks
    first.kind, rest.goes_on, end.goes_on = kind, first, rest
    page = PdfPage(1, 612, 792, blocks=blocks)
    join_paragraphs([page], Style(10, bold=False, pitch=12))
    texts = [block.text for block in page.blocks]
    assert texts[0] == "An earlier paragraph that ends."
    assert texts[1:] == (
        ["A note whose sentence goes on here. on."]
        if kind is Kind.TEXT
        else ["A note whose sentence goes", "on here. on."]
    )


def test_an_item_in_a_box_ends_with_it(tmp_path: Path) -> None:
    sheet = Sheet()
    top = sheet.paragraph(words(200), 80)
    sheet.canvas.setFillGray(0.85)
    sheet.canvas.rect(300, HEIGHT - top - 110, 240, 110, fill=1, stroke=0)
    sheet.canvas.setFillGray(0)
    sheet.line("For nine months", top + 20, 310, font="Times-Bold")
    for number in range(2):
        low = top + 42 + 34 * number
        sheet.line("\u2022", low, 312)
        sheet.line(f"Money spent at {number} million; adjusted money", low, 326)
        sheet.line("spent at 117.8% of adjusted net profit", low + 13, 326)
    sheet.page()
    sheet.paragraph(["Performance", *words(150)], 80)
    draft = read(sheet.save(tmp_path / "box.pdf"))
    assert [node.text[-10:] for node in of_type(draft, ContentNodeType.LIST_ITEM)] == ["net profit"] * 2
    assert any(node.text.startswith("Performance") for node in of_type(draft, ContentNodeType.PARAGRAPH))


def test_a_word_that_is_cut_at_the_end_of_its_line_goes_on_in_any_type(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line("Bridges and their Builders", 60, font="Times-Bold", size=18)
    top = sheet.paragraph(words(120), 100)
    sheet.line("Make a copy of the table of all bridges in the town; the table of the copies has to be ex-", top + 20)
    sheet.line("panded_by_hand(bridges, town)", top + 33.2, font="Courier")
    sheet.paragraph(words(60), top + 60)
    texts = [node.text for node in of_type(read(sheet.save(tmp_path / "a.pdf")), ContentNodeType.PARAGRAPH)]
    assert any("has to be expanded_by_hand" in text.replace("`", "") for text in texts)
