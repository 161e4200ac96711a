"""Brochures, slides and manuals, on small files drawn here: one test per weakness met in files of the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.pdf.page.parse import plain_letters
from ragraph.pdf.patterns import BULLET, MONO_FONT, NUMBERED
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

BOLD = "Helvetica-Bold"


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


@pytest.mark.parametrize("text", ["•Item", "➢To build", "\ue3d0 Si vous", "¥ Requests", "⊳ Shared", "☐ A backlog"])
def test_signs_of_items(text: str) -> None:
    assert BULLET.match(text)


@pytest.mark.parametrize("text", ["¥ 1,200", "-5 degrees", "*Note", "●●● of five"])
def test_signs_that_begin_no_item(text: str) -> None:
    assert not BULLET.match(text)


def test_labels_of_steps_number_items_and_words_in_brackets_do_not() -> None:
    assert NUMBERED.match("Step 2. Screw the base to the wall.")
    assert NUMBERED.match("[Kn86] Knuth")
    assert not NUMBERED.match("[Zoom speed] sets how fast")


@pytest.mark.parametrize(("name", "mono"), [("Courier-Bold", True), ("CMTT10", True), ("MonotypeCorsiva", False)])
def test_typewriters_are_told_by_name(name: str, mono: bool) -> None:
    assert bool(MONO_FONT.search(name)) is mono


def test_titles_over_lists_are_headings_below_the_title_of_the_page(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("Kinds of Labels", 90, font=BOLD, size=30)
    top = 150.0
    for title in ("Digital Print", "Stock Products", "Signs and Boards"):
        sheet.line(title, top, font=BOLD, size=16)
        for number in range(4):
            top += 16
            sheet.line(f"• {' '.join(words(3, number))}", top, size=10)
        top += 40
    found = [node.text for node in of_type(read(sheet.save(tmp_path / "flyer.pdf")), ContentNodeType.HEADING)]
    assert found == ["Digital Print", "Stock Products", "Signs and Boards"]


def test_drawn_bullets_begin_items(sheet: Sheet, tmp_path: Path) -> None:
    top = sheet.paragraph(words(60), 90) + 20
    for number in range(4):
        sheet.canvas.rect(72, HEIGHT - top + 1, 5, 5, stroke=0, fill=1)
        sheet.line(" ".join(words(9, 3 * number)), top, left=84)
        sheet.line(" ".join(words(6, 5 * number)), top + 13.2, left=84)
        top += 26.4
    items = of_type(read(sheet.save(tmp_path / "slides.pdf")), ContentNodeType.LIST_ITEM)
    assert len(items) == 4
    assert all(len(item.text.split()) == 15 for item in items)


def test_a_sign_of_several_shapes_begins_an_item_at_the_first_of_its_lines(sheet: Sheet, tmp_path: Path) -> None:
    top = sheet.paragraph(words(60), 90) + 30
    items = [[" ".join(words(6, 3 * number + at)) for at in range(2)] for number in range(3)]
    for lines in items:
        for line in lines:
            sheet.line(line, top, left=96)
            for left in (64, 75):
                sheet.canvas.rect(left, HEIGHT - top - 2, 11, 12, stroke=0, fill=1)
            top += 12
        top += 8
    found = [node.text for node in of_type(read(sheet.save(tmp_path / "guide.pdf")), ContentNodeType.LIST_ITEM)]
    assert found == [" ".join(lines) for lines in items]


def test_bullets_on_a_coloured_ground_begin_items(sheet: Sheet, tmp_path: Path) -> None:
    canvas = sheet.canvas
    canvas.setFillColorRGB(0.9, 0.9, 1)
    canvas.rect(0, 0, 612, 792, stroke=0, fill=1)
    canvas.setFillColorRGB(0, 0, 0)
    for number in range(4):
        top = 200 + 40 * number
        canvas.circle(74, HEIGHT - top + 4, 2.5, stroke=0, fill=1)
        sheet.line(" ".join(words(9, 3 * number)), top, left=84)
    assert len(of_type(read(sheet.save(tmp_path / "card.pdf")), ContentNodeType.LIST_ITEM)) == 4


def test_numbers_that_only_their_font_sets_off_begin_items(sheet: Sheet, tmp_path: Path) -> None:
    top = sheet.paragraph(words(60), 90) + 20
    for number in range(1, 6):
        sheet.line(str(number), top, font=BOLD)
        sheet.line(" ".join(words(8, 3 * number)) + ".", top, left=84)
        top += 15.5
    draft = read(sheet.save(tmp_path / "guide.pdf"))
    assert [item.marker for item in of_type(draft, ContentNodeType.LIST_ITEM)] == ["1", "2", "3", "4", "5"]
    assert not of_type(draft, ContentNodeType.NOTE)


def test_cards_side_by_side_are_not_one_paragraph(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(80), 90)
    cards = (("Farmers who live on", "small plots of land"), ("Methods that have been", "in use for long"))
    for column, card in enumerate(cards):
        for row, line in enumerate(card):
            sheet.line(line, 300 + 13.2 * row, left=72 + 240 * column)
    texts = [node.text for node in read(sheet.save(tmp_path / "columns.pdf")).nodes]
    assert {" ".join(card) for card in cards} <= set(texts)


def test_words_evenly_far_apart_are_one_line(sheet: Sheet, tmp_path: Path) -> None:
    rows = [words(4, 4 * row) for row in range(6)]
    for row, texts in enumerate(rows):
        wide = sum(sheet.canvas.stringWidth(text, "Times-Roman", 11) for text in texts)
        left = 72.0
        for text in texts:
            sheet.line(text, 200 + 13.2 * row, left=left)
            left += sheet.canvas.stringWidth(text, "Times-Roman", 11) + (150 - wide) / (len(texts) - 1)
    [node] = read(sheet.save(tmp_path / "narrow.pdf")).nodes
    assert node.text.split() == [text for texts in rows for text in texts]


def test_steps_with_bold_labels_are_items(sheet: Sheet, tmp_path: Path) -> None:
    top = 90.0
    for part in range(2):
        top = sheet.paragraph(words(40, part), top) + 20
        for number in range(1, 4):
            label = f"Step {number}. "
            sheet.line(label, top, font="Times-Bold")
            left = 72 + sheet.canvas.stringWidth(label, "Times-Bold", 11)
            sheet.line("Turn the " + " ".join(words(9, number)), top, left=left)
            sheet.line(" ".join(words(4, number)) + ".", top + 13.2)
            top += 26.4
        top += 20
    draft = read(sheet.save(tmp_path / "manual.pdf"))
    items = of_type(draft, ContentNodeType.LIST_ITEM)
    assert [item.text[:16] for item in items] == [f"Step {number}. Turn the" for number in (1, 2, 3, 1, 2, 3)]
    assert not of_type(draft, ContentNodeType.HEADING)


def test_a_title_in_a_typewriters_type_is_no_code(sheet: Sheet, tmp_path: Path) -> None:
    for number in range(1, 5):
        sheet.line(f"The structure of part {'ABCD'[number - 1]}", 90, font="Courier", size=20)
        sheet.paragraph(words(60, number), 140)
        sheet.page()
    draft = read(sheet.save(tmp_path / "deck.pdf"))
    assert not of_type(draft, ContentNodeType.CODE)
    assert len(of_type(draft, ContentNodeType.HEADING)) + len(of_type(draft, ContentNodeType.TITLE)) == 4


def test_titles_that_come_back_within_pages_are_no_running_heads(sheet: Sheet, tmp_path: Path) -> None:
    for number in range(1, 9):
        sheet.line("Handbook of Projects", 770, size=8)
        at = 80 if number % 2 else 400
        if at == 400:
            sheet.paragraph(words(120, number), 80)
        sheet.line("Checklist", at, font=BOLD, size=12.5)
        sheet.paragraph(words(80, number), at + 30)
        sheet.page()
    found = [node.text for node in of_type(read(sheet.save(tmp_path / "guide.pdf")), ContentNodeType.HEADING)]
    assert found.count("Checklist") == 8


@pytest.mark.parametrize("angle", [90, -90])
def test_a_page_whose_text_runs_up_or_down_is_read_from_its_side(sheet: Sheet, tmp_path: Path, angle: int) -> None:
    sheet.canvas.translate(*((612, 0) if angle == 90 else (0, 792)))
    sheet.canvas.rotate(angle)
    sheet.line("Program overview", 300, font=BOLD, size=18)
    sheet.paragraph(words(80), 330)
    draft = read(sheet.save(tmp_path / "leaflet.pdf"))
    assert next(node.text for node in draft.nodes) == "Program overview"
    paragraph = of_type(draft, ContentNodeType.PARAGRAPH)[0]
    assert paragraph.text.split() == (" ".join(words(80)) + ".").split()
    box = paragraph.positions[0].bbox
    assert box is not None
    assert box.y2 - box.y1 > 3 * (box.x2 - box.x1)


@pytest.mark.parametrize("angle", [90, -90])
def test_the_number_of_a_page_read_from_its_side_stands_level_on_the_sheet(
    sheet: Sheet, tmp_path: Path, angle: int
) -> None:
    for number in range(1, 7):
        sheet.line("Works of the river towns", 40, size=9)
        sheet.line(str(number + 10), 760, left=300, size=9)
        if number == 4:
            sheet.line("The third part, laid aside", 500, size=9)
            sheet.canvas.saveState()
            sheet.canvas.translate(*((612, 0) if angle == 90 else (0, 792)))
            sheet.canvas.rotate(angle)
            sheet.paragraph(words(120), 330)
            sheet.canvas.restoreState()
        else:
            sheet.paragraph(words(120, number), 90)
        sheet.page()
    draft = read(sheet.save(tmp_path / "aside.pdf"))
    found = {node.positions[0].page_pdf: node for node in of_type(draft, ContentNodeType.PAGE_NUMBER)}
    assert {page: node.text for page, node in found.items()} == {page: str(page + 10) for page in range(1, 7)}
    edges = {item.key for item in draft.containers if item.type is ComponentType.HEADER}
    assert [node.text for node in draft.nodes if node.container in edges] == ["Works of the river towns"] * 6
    assert any("laid aside" in node.text for node in draft.nodes)
    box = found[4].positions[0].bbox
    assert box is not None
    assert abs(box.x1 - 300) < 2
    assert 750 < box.y1 < box.y2 < 765


def test_signs_that_programs_leave_for_themselves_are_no_text() -> None:
    assert plain_letters("\x07Overview\x03") == "Overview"
    assert plain_letters("\x07Öl") == "Öl"


def test_titles_with_a_sign_in_front_are_headings_over_text_that_begins_at_it(sheet: Sheet, tmp_path: Path) -> None:
    sheet.line("The Keyer and its Parts", 60, font=BOLD, size=22)
    top = 110.0
    for number, title in enumerate(("Test the board", "Solder the sockets", "Mount the display")):
        sheet.line(f"» {title}", top, font=BOLD, size=14)
        top = sheet.paragraph(words(40, number), top + 24)
        sheet.line("» Pins one to four", top + 10, left=90)
        top += 50
    draft = read(sheet.save(tmp_path / "manual.pdf"))
    found = of_type(draft, ContentNodeType.HEADING)
    assert [node.text for node in found] == ["Test the board", "Solder the sockets", "Mount the display"]
    assert [node.marker for node in found] == ["»"] * 3
    assert len(of_type(draft, ContentNodeType.LIST_ITEM)) == 3


def test_items_explained_by_text_set_in_with_their_words_are_items(sheet: Sheet, tmp_path: Path) -> None:
    top = sheet.paragraph(words(60), 90) + 30
    for number, name in enumerate(("Quick to learn", "Open to all", "Safe at home")):
        sheet.line(f"• {name}", top, font=BOLD)
        top = sheet.paragraph(words(40, number), top + 16, left=84) + 14
    draft = read(sheet.save(tmp_path / "list.pdf"))
    assert not of_type(draft, ContentNodeType.HEADING)
    assert len(of_type(draft, ContentNodeType.LIST_ITEM)) == 3
