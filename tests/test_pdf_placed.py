"""Values are in the column that they are printed under and in the row of their baseline; letters are as printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf
from test_reader_pdf import Sheet, of_type, read, words

from ragraph.pdf.model import Grid, Word, font_of
from ragraph.pdf.tables.placed import put_right
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

FONT = font_of("Helvetica")
EDGES = (90, 170, 240, 310, 380)


def word(text: str, column: int, top: float) -> Word:
    left = float(EDGES[column])
    return Word(left, top, left + 5 * len(text), top + 9, text, FONT)


def grid(*rows: dict[int, tuple[str, int]]) -> Grid:
    """Return a grid of rows: words by the column that they are in, with the column that they are printed under."""
    made = Grid(len(rows), [80, 160, 230, 300, 370, 440], header_rows=1)
    for number, row in enumerate(rows):
        for column, (text, under) in row.items():
            made.words[number, column] = [word(text, under, 100 + 20 * number)]
    return made


HEAD = {column: (text, column) for column, text in enumerate(("Part", "Shelf", "Plan", "Found", "Gap"))}
FULL = {column: (text, column) for column, text in enumerate(("K-11", "A-2", "450", "440", "-10"))}


def test_a_value_in_the_column_of_labels_goes_under_its_head() -> None:
    sparse = {0: ("B-7", 1), 3: ("289", 3)}
    table = grid(HEAD, FULL, FULL, sparse)
    assert put_right(table) == []
    assert table.texts()[3] == ["", "B-7", "", "289", ""]


def test_a_value_whose_place_is_taken_is_in_doubt() -> None:
    sparse = {0: ("B-7", 1), 1: ("C-9", 1)}
    table = grid(HEAD, FULL, FULL, sparse)
    assert put_right(table) == [(3, 0)]
    assert table.texts()[3] == ["B-7", "C-9", "", "", ""]


def test_a_label_and_the_first_value_in_one_cell_are_parted() -> None:
    table = grid(HEAD, FULL, FULL, {0: ("K-12", 0), 3: ("289", 3)})
    table.words[3, 0].append(word("A-9", 1, 160))
    assert put_right(table) == []
    assert table.texts()[3] == ["K-12", "A-9", "", "289", ""]


def test_rows_whose_amounts_are_in_one_cell_are_parted() -> None:
    table = grid(HEAD, FULL, FULL)
    table.words[2, 0] = [word("K-12", 0, 140), word("K-13", 0, 152)]
    for column, texts in ((2, ("7", "8")), (3, ("9", "10"))):
        table.words[2, column] = [word(text, column, 140 + 12 * at) for at, text in enumerate(texts)]
    put_right(table)
    assert table.texts()[2:] == [["K-12", "A-2", "7", "9", "-10"], ["K-13", "", "8", "10", ""]]


def test_first_cells_that_are_empty_leave_values_under_their_heads(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.paragraph(words(60), 60)
    rows = [
        ("Part Number", "Shelf", "Planned", "Found", "Gap"),
        ("KAR-1101", "A-2", "450", "", ""),
        ("", "B-7", "", "289", "-23"),
        ("KAR-1200", "", "780", "778", ""),
        ("", "", "180", "", "-24"),
        ("KAR-1414", "A-8", "920", "", ""),
        ("", "", "", "935", "+15"),
    ]
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            sheet.line(text, 160 + 24 * number, EDGES[column], size=9)
        sheet.canvas.line(80, 792 - 168 - 24 * number, 440, 792 - 168 - 24 * number)
    (table,) = of_type(read(sheet.save(tmp_path / "a.pdf")), ContentNodeType.TABLE)
    assert table.data["cells"] == [list(row) for row in rows]
    assert "doubt" not in table.data


def test_letters_that_a_font_does_not_name_are_those_that_pdfium_reads(tmp_path: Path) -> None:
    """The map of the font names two codes only; the others go by its encoding."""
    sheet = Sheet()
    text = "The misfits and the rebels see things in another way."
    sheet.line(text, 100, font="Courier")
    path = sheet.save(tmp_path / "a.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        (font,) = (font for font in pdf.pages[0].Resources.Font.values() if font.BaseFont == "/Courier")
        cmap = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n"
            "1 begincodespacerange <00> <FF> endcodespacerange\n"
            "2 beginbfchar\n<20> <0020>\n<66> <0066>\nendbfchar\nendcmap end end"
        )
        font.ToUnicode = pdf.make_stream(cmap.encode())
        pdf.save(path)
    draft = read(path)
    assert [node.text for node in draft.nodes] == [text]
    assert draft.warnings == []


def test_letters_that_are_placed_singly_make_whole_words(tmp_path: Path) -> None:
    sheet = Sheet()
    text = "The ice lay under its roof of planks until the thaw of April let it out into the stream"
    left = 72.0
    for letter in text:
        if letter != " ":
            sheet.line(letter, 100, left, font="Helvetica", size=10)
            left += sheet.canvas.stringWidth(letter, "Helvetica", 10) + 0.8
        else:
            left += 3.2
    (node,) = read(sheet.save(tmp_path / "a.pdf")).nodes
    assert node.text == text
