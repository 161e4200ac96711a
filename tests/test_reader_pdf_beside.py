"""What stands beside text: terms and explanations, labels set sideways, pictures in a line, figures over each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drawn_letters import row, write_letters
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

TERMS = ["Abutment", "Arch", "Balustrade", "Cantilever", "Deck", "Girder", "Keystone", "Parapet", "Pier", "Truss"]
SENTENCES = [
    "A wall that carries the end of a bridge and holds the earth of its bank.",
    "What bears by its form.",
    "A row of small columns with a rail.",
]


@pytest.fixture
def sheet() -> Sheet:
    return Sheet()


def glossary(sheet: Sheet, font: str, rows: int, lines: int = 2) -> None:
    sheet.paragraph(words(60), 80)
    top = 180.0
    for number, term in enumerate(TERMS[:rows]):
        sheet.line(term, top, font=font)
        text = SENTENCES[number % 3].split() if lines == 2 else [*words(9 * lines, number), "bridge."]
        for start in range(0, len(text), 9):
            sheet.line(" ".join(text[start : start + 9]), top, left=220)
            top += 13.2
        top += 3


@pytest.mark.parametrize("font", ["Times-Roman", "Times-Bold"])
def test_terms_with_short_explanations_beside_them_are_a_table(sheet: Sheet, tmp_path: Path, font: str) -> None:
    glossary(sheet, font, 10)
    draft = read(sheet.save(tmp_path / "glossary.pdf"))
    (table,) = of_type(draft, ContentNodeType.TABLE)
    lines = table.text.split("\n")
    assert lines == [f"{term} | {SENTENCES[number % 3]}" for number, term in enumerate(TERMS)]
    assert not any(term in node.text for node in of_type(draft, ContentNodeType.PARAGRAPH) for term in TERMS)


def test_a_term_whose_word_is_cut_goes_on_beside_a_new_sentence(sheet: Sheet, tmp_path: Path) -> None:
    glossary(sheet, "Times-Roman", 8)
    sheet.line("The group of bridge coun-", 430)
    sheet.line("cils", 456.4)
    for line, top in (("It builds bridges, and opens them.", 430), ("It meets.", 443.2), ("Anyone may come.", 456.4)):
        sheet.line(line, top, left=220)
    sheet.line("Weir", 472.6)
    sheet.line("A low dam.", 472.6, left=220)
    (table,) = of_type(read(sheet.save(tmp_path / "cut.pdf")), ContentNodeType.TABLE)
    assert table.text.split("\n")[-2:] == [
        "The group of bridge councils | It builds bridges, and opens them. It meets. Anyone may come.",
        "Weir | A low dam.",
    ]


def test_titles_at_the_side_of_their_text_are_no_table(sheet: Sheet, tmp_path: Path) -> None:
    glossary(sheet, "Times-Bold", 5, lines=5)
    draft = read(sheet.save(tmp_path / "side.pdf"))
    assert not of_type(draft, ContentNodeType.TABLE)


def groups(sheet: Sheet) -> None:
    """Draw a table: two groups of three rows, their labels set sideways, between rules; a title within the second."""
    for y in (180, 200, 245, 305):
        sheet.canvas.line(80, HEIGHT - y, 440, HEIGHT - y)
    for left, text in ((100, "Bridge"), (220, "Span"), (320, "Height"), (420, "Cost")):
        sheet.line(text, 194, left, size=10)
    tops = [214, 227, 240, 271, 284, 297]
    for number, top in enumerate(tops):
        sheet.line(f"{TERMS[number]} bridge", top, 100, size=10)
        for left in (220, 320, 420):
            sheet.line(f"{10 * (number + 1) + left // 100}.5", top, left, size=10)
    sheet.line("Second survey", 258, 240, size=10)
    for text, foot in (("Stone", 236), ("Iron", 285)):
        sheet.canvas.saveState()
        sheet.canvas.translate(93, HEIGHT - foot)
        sheet.canvas.rotate(90)
        sheet.canvas.setFont("Times-Roman", 10)
        sheet.canvas.drawString(0, 0, text)
        sheet.canvas.restoreState()


def test_labels_set_sideways_are_a_column_over_the_rows_of_their_group(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 80)
    groups(sheet)
    sheet.paragraph(words(60), 380)
    draft = read(sheet.save(tmp_path / "groups.pdf"))
    (table,) = of_type(draft, ContentNodeType.TABLE)
    cells, spans = table.data["cells"], table.data["spans"]
    assert [row[0] for row in cells] == ["", "Stone", "", "", "Iron", "", "", ""]
    assert cells[4][1] == "Second survey"
    assert sorted(spans) == [[1, 0, 3, 1], [4, 0, 4, 1], [4, 1, 1, 4]]
    assert cells[1][1:] == ["Abutment bridge", "12.5", "13.5", "14.5"]
    assert not any("Stone" in node.text for node in draft.nodes if node is not table)


def test_a_picture_in_a_line_parts_no_item(sheet: Sheet, tmp_path: Path) -> None:
    steps = (
        ("Press", "to begin."),
        ("Then hold the button", "until the lamp is lit and the horn is heard."),
        ("Turn the wheel by a half, and press", "twice."),
        ("Let go of", "."),
    )
    top = sheet.paragraph(words(40), 80) + 20
    for number, (before, after) in enumerate(steps, 1):
        sheet.line(f"{number}. {before}", top)
        end = 72 + sheet.canvas.stringWidth(f"{number}. {before}", "Times-Roman", 11)
        sheet.canvas.rect(end + 5, HEIGHT - top - 2, 22, 13, fill=1)
        sheet.line(after, top, left=end + 32)
        top += 30
    draft = read(sheet.save(tmp_path / "manual.pdf"))
    found = [node.text for node in of_type(draft, ContentNodeType.LIST_ITEM)]
    assert found == [f"{before} {after}" for before, after in steps]


def test_bullets_of_the_next_column_part_what_is_beside_them(sheet: Sheet, tmp_path: Path) -> None:
    for number, top in enumerate((100, 120, 140, 160)):
        for left in (72, 300):
            sheet.canvas.rect(left, HEIGHT - top, 5, 6, fill=1)
            sheet.line(f"{TERMS[number]} of {'stone' if left == 72 else 'iron'}", top, left=left + 12)
    draft = read(sheet.save(tmp_path / "columns.pdf"))
    assert not any("stone" in node.text and "iron" in node.text for node in draft.nodes if "\n" not in node.text)


def small(sheet: Sheet, text: str, left: float, top: float) -> None:
    sheet.line(text, top, left, size=7)


def text_of(draft: Draft) -> str:
    return " ".join(node.text for node in draft.nodes)


def test_figures_over_each_other_or_raised_are_no_part_of_the_number_before(sheet: Sheet, tmp_path: Path) -> None:
    sheet.paragraph(words(60), 80)
    sheet.line("Their lengths are in the ratio 6336/2017", 200)
    end = 72 + sheet.canvas.stringWidth("Their lengths are in the ratio 6336/2017", "Times-Roman", 11)
    small(sheet, "1", end + 1, 196)
    small(sheet, "4", end + 1, 203)
    sheet.line("and the work of 10", 200, left=end + 8)
    end += 8 + sheet.canvas.stringWidth("and the work of 10", "Times-Roman", 11)
    small(sheet, "6", end, 196)
    sheet.line("men was that of many years before the river came to them.", 213.2)
    found = text_of(read(sheet.save(tmp_path / "fractions.pdf")))
    assert "6336/2017 1 4" in found
    assert "of 10 6" in found


def test_letters_without_text_are_warned_of(tmp_path: Path) -> None:
    letters = [*row("The arches of", 300, 400), *row("the \ufffdive bridges", 300, 380)]
    draft = read(write_letters(tmp_path / "unknown.pdf", letters))
    assert draft.warnings[:1] == ["pages with letters whose text the file does not give, look at them: 1"]


def test_words_in_letters_of_many_scripts_are_warned_of(tmp_path: Path) -> None:
    words_of_one = [*row("мост на реке Ղевонд", 300, 400), *row("عبر 5km العربية", 300, 380)]
    assert not read(write_letters(tmp_path / "one.pdf", words_of_one)).warnings
    letters = [*row("The arches of", 300, 400), *row("ྷྷ恝ጱඳ ᑝᘨ౯ࢩ 㫎\u0cc9ᗓጱ", 300, 380)]
    draft = read(write_letters(tmp_path / "many.pdf", letters))
    assert draft.warnings[:1] == ["pages with letters whose text the file does not give, look at them: 1"]
