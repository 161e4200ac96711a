"""Tables that rules part in other ways than a closed grid does, and rows and names that belong to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import of_type
from test_reader_pdf_tables import HEIGHT, RIVERS, Sheet

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import DraftNode


def _table(sheet: Sheet) -> DraftNode:
    (table,) = of_type(sheet.read(), ContentNodeType.TABLE)
    return table


def test_rules_that_cross_without_a_frame_part_a_table(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "crossing.pdf")
    sheet.prose(80, 5)
    for edge in (110, 330):
        sheet.rule(edge, 170, edge, 290)
    for top in (190, 270):
        sheet.rule(72, top, 450, top)
    sheet.rows([["No.", "Name of the society", "Members"]], 184, [80, 116, 350])
    names = [("Friends of the river and of the", "old bridge"), ("Society of the", "young"), ("Cedar club", "")]
    for at, (upper, lower) in enumerate(names):
        sheet.rows([[str(at + 1), upper, f"{900 - 100 * at}"], ["", lower, ""]], 203 + 24 * at, [86, 116, 360], 11)
    sheet.rows([["", "Total", "2,400"]], 284, [86, 116, 360])
    sheet.prose(330, 5)
    assert _table(sheet).data["cells"] == [
        ["No.", "Name of the society", "Members"],
        ["1", "Friends of the river and of the old bridge", "900"],
        ["2", "Society of the young", "800"],
        ["3", "Cedar club", "700"],
        ["", "Total", "2,400"],
    ]


def test_borders_in_short_pieces_are_whole_rules(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "pieces.pdf")
    sheet.prose(80, 5)
    for row in range(5):
        top = 170 + 24 * row
        sheet.rule(72 if row in (0, 1, 4) else 220, top, 450, top)
        for edge in (72, 220, 450) if row < 4 else ():
            for start, end in ((0, 5), (5, 24)):
                sheet.canvas.rect(edge - 0.25, HEIGHT - top - end, 0.5, end - start, stroke=0, fill=1)
    sheet.rows([["Area", "Skill"]], 186, [78, 226])
    sheet.rows([["Bridges of the valley", "Stone"], ["and of the hills", "Wood"], ["", "Rope"]], 210, [78, 226], 24)
    sheet.prose(330, 5)
    table = _table(sheet)
    assert table.data["cells"][1:] == [
        ["Bridges of the valley and of the hills", "Stone"],
        ["", "Wood"],
        ["", "Rope"],
    ]
    assert table.data["spans"] == [[1, 0, 3, 1]]


def test_words_underlined_in_a_cell_are_of_one_row(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "link.pdf")
    sheet.prose(80, 5)
    xs = [72, 160, 320, 480]
    for top in (170, 190, 220, 250):
        sheet.rule(72, top, 480, top)
    for x in xs:
        sheet.rule(x, 170, x, 250)
    lefts = [x + 8 for x in xs[:-1]]
    sheet.rows([["Version", "Change", "Sections"], ["1.0", "Original", ""]], 184, lefts, 24)
    sheet.rows(
        [["1.1", "Small edits", "The old bridge with its road over"], ["", "of the text", "the river"]], 233, lefts, 11
    )
    for text, top in (("The old bridge with its road over", 233), ("the river", 244)):
        sheet.rule(328, top + 1.5, 328 + sheet.canvas.stringWidth(text, "Times-Roman", 10), top + 1.5)
    sheet.prose(290, 5)
    assert _table(sheet).data["cells"] == [
        ["Version", "Change", "Sections"],
        ["1.0", "Original", ""],
        ["1.1", "Small edits of the text", "The old bridge with its road over the river"],
    ]


def test_a_page_number_under_a_lattice_is_none_of_its_rows(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "number.pdf")
    sheet.grid(RIVERS, 640, [72, 180, 280, 380, 480])
    sheet.text("* In the year of the flood", 732)
    sheet.text("85", 762, 290)
    assert _table(sheet).data["cells"] == RIVERS


def test_names_over_the_first_rule_of_a_table_of_words_are_its_head(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "names.pdf")
    sheet.prose(80, 5)
    for text, left in (("Stone", 200), ("Wood", 330), ("Rope bridges", 435)):
        sheet.text(text, 176, left)
    for top in (182, 222, 262, 302):
        sheet.rule(72, top, 530, top)
    for edge in (140, 270, 400):
        sheet.rule(edge, 182, edge, 302)
    told = ["Carts with loads", "go over it slowly"]
    for row, name in enumerate(("Use", "Upkeep", "Place")):
        top = 196 + 40 * row
        sheet.rows([["", *[told[0]] * 3], [name, *[told[1]] * 3]], top, [80, 150, 280, 410], 11)
    sheet.prose(340, 5)
    cells = _table(sheet).data["cells"]
    assert cells[0] == ["", "Stone", "Wood", "Rope bridges"]
    assert [row[0] for row in cells[1:]] == ["Use", "Upkeep", "Place"]


@pytest.mark.parametrize(
    "above", [["Town of North", "Bridge office", "Copy 3a"], ["Prepared by", "Checked by", "Use by"]]
)
def test_words_over_a_frame_with_a_head_of_its_own_are_none_of_the_table(tmp_path: Path, above: list[str]) -> None:
    sheet = Sheet(tmp_path / "frame.pdf")
    sheet.prose(80, 5)
    sheet.rows([above], 168, [76, 226, 346])
    rows = [["Name", "Place", "Use"], ["Alder", "North", "carts"], ["Birch", "South", "people"]]
    sheet.grid(rows, 175, [72, 220, 340, 480])
    sheet.prose(330, 5)
    assert _table(sheet).data["cells"] == rows


def test_a_head_and_one_row_between_rules_are_a_table(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "two.pdf")
    sheet.prose(80, 5)
    for top in (170, 186, 202):
        sheet.rule(72, top, 420, top)
    sheet.text("Alder      Birch      Cedar      Dogwood      Elm      Fir", 181, 76, size=9)
    at = 76.0
    names = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir")
    for name, told in zip(names, ("0.06", "N/A", "0.15", "0.28", "N/A", "0.70"), strict=True):
        sheet.text(told, 197, at, size=9)
        at += sheet.canvas.stringWidth(f"{name}      ", "Times-Roman", 9)
    sheet.text("Table 9: Shares of carts that went over each river in the year of the flood", 216)
    sheet.prose(250, 5)
    cells = _table(sheet).data["cells"]
    assert [len(cells), cells[0][0], cells[1][-1]] == [2, "Alder", "0.70"]


def test_short_cells_between_rules_under_a_caption_are_no_letters_of_a_drawing(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "captioned.pdf")
    rows = [["Vs", "R1", "R2"], ["low", "1k2", "1k8"], ["high", "2k2", "2k7"]]
    sheet.prose(60, 6)
    sheet.text("Table 1. Values of the resistors", 160)
    for top in (168, 184, 214):
        sheet.rule(72, top, 300, top)
    sheet.rows(rows, 180, (76, 160, 240))
    sheet.prose(260, 6)
    assert _table(sheet).data["cells"] == rows
