"""Charts of the PDF reader: lines and numbers of a drawing are no table, tables of falling numbers are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import of_type
from test_reader_pdf_tables import HEIGHT, Sheet

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path


def _chart(sheet: Sheet, top: float, scale: list[str], step: float = 24) -> None:
    """Draw level lines with a scale at their left, bars on the lowest one, and the value over each bar."""
    bottom = top + step * (len(scale) - 1)
    for at, number in enumerate(scale):
        sheet.rule(120, top + step * at, 450, top + step * at)
        sheet.canvas.setFont("Times-Roman", 9)
        sheet.canvas.drawRightString(112, HEIGHT - top - step * at - 3, number)
    for at in range(6):
        left, high = 130 + 52 * at, 10 + 20 * at
        for place in (left, left + 30):
            sheet.rule(place, bottom - high, place, bottom)
        sheet.rule(left, bottom - high, left + 30, bottom - high)
        sheet.text(f"{1900 + 10 * at}s", bottom - high - 4, left + 4, size=8)
        sheet.text(f"{12 + at}", bottom - 4, left + 9, size=8)
    sheet.text("Rivers in the order of their length", bottom + 22, 200, size=9)


@pytest.mark.parametrize("scale", [["60", "50", "40", "30", "20", "10", "0"], ["0.8", "0.6", "0.4", "0.2", "0"]])
def test_the_scale_of_a_chart_makes_no_table(tmp_path: Path, scale: list[str]) -> None:
    sheet = Sheet(tmp_path / "chart.pdf")
    sheet.prose(80, 5)
    _chart(sheet, 180, scale)
    sheet.prose(420, 5)
    assert not of_type(sheet.read(), ContentNodeType.TABLE)


def test_a_mostly_empty_grid_that_its_caption_calls_a_figure_makes_no_table(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "figure.pdf")
    sheet.prose(80, 5)
    sheet.text("Figure 3. Bridges over the rivers of the valley", 170)
    _chart(sheet, 190, ["90", "80", "70", "65", "60", "55"])
    sheet.prose(420, 5)
    assert not of_type(sheet.read(), ContentNodeType.TABLE)


def test_amounts_that_fall_to_nothing_row_by_row_are_a_table(tmp_path: Path) -> None:
    rows = [["Year", "Paid", "Left"], *([str(2001 + at), "100", str(500 - 100 * at)] for at in range(6))]
    sheet = Sheet(tmp_path / "debt.pdf")
    sheet.prose(80, 5)
    sheet.grid(rows, 180, [120, 220, 320, 420])
    sheet.prose(420, 5)
    (table,) = of_type(sheet.read(), ContentNodeType.TABLE)
    assert table.text is not None
    assert all(str(500 - 100 * at) in table.text for at in range(6))


def test_a_column_with_a_head_of_its_own_is_no_scale(tmp_path: Path) -> None:
    lefts = [72, 180, 280]
    sheet = Sheet(tmp_path / "countdown.pdf")
    sheet.prose(80, 5)
    for head, left in zip(["Minutes left", "Pressure", "Temperature"], lefts, strict=True):
        sheet.text(head, 170, left, "Times-Bold")
    sheet.rule(72, 174, 400, 174)
    for at, number in enumerate(["50", "40", "30", "20", "10", "0"]):
        told = ["131", "20.0"] if at == 0 else ["166", "37.5"] if at == 5 else []
        for text, right in zip([number, *told], [110, 220, 330], strict=False):
            sheet.canvas.setFont("Times-Roman", 10)
            sheet.canvas.drawRightString(right, HEIGHT - 186 - 14 * at, text)
    sheet.rule(72, 260, 400, 260)
    sheet.prose(290, 5)
    (table,) = of_type(sheet.read(), ContentNodeType.TABLE)
    assert table.data["cells"][0] == ["Minutes left", "Pressure", "Temperature"]
    assert [row[0] for row in table.data["cells"][1:]] == ["50", "40", "30", "20", "10", "0"]


def test_numbers_in_cells_of_their_own_are_no_scale(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "rubric.pdf")
    sheet.prose(80, 5)
    for at in range(6):
        sheet.rule(72, 170 + 30 * at, 400, 170 + 30 * at)
    for edge in (72, 120, 400):
        sheet.rule(edge, 170, edge, 320)
    for at in range(5):
        top = 170 + 30 * at
        sheet.text(f"{4 - at}", top + 18, 92)
        sheet.text("The bridge stands on its own, and a cart", top + 12, 126)
        sheet.text("that is loaded goes over it", top + 24, 126)
    sheet.prose(350, 5)
    (table,) = of_type(sheet.read(), ContentNodeType.TABLE)
    assert [row[0] for row in table.data["cells"]] == ["4", "3", "2", "1", "0"]


def _bars(sheet: Sheet, top: float) -> None:
    """Draw level lines and bars in one drawing, the scale at its left, names under it and a legend below them."""
    for at in range(5):
        sheet.rule(120, top + 30 * at, 450, top + 30 * at)
        sheet.canvas.setFont("Times-Roman", 9)
        sheet.canvas.drawRightString(110, HEIGHT - top - 30 * at - 3, f"{2000 - 500 * at:,}")
    for at, name in enumerate(("Alder", "Birch", "Cedar", "Dogwood")):
        left, high = 140 + 80 * at, 30 + 20 * at
        sheet.canvas.rect(left, HEIGHT - top - 120, 30, high, stroke=0, fill=1)
        sheet.text(name, top + 134, left, size=8)
    sheet.text("river", top + 143, 380, size=8)
    sheet.canvas.rect(240, HEIGHT - top - 162, 6, 6, stroke=0, fill=1)
    sheet.text("Length in miles", top + 162, 249, size=8)


def test_scale_names_and_legend_of_a_chart_are_in_its_figure(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "bars.pdf")
    sheet.prose(80, 5)
    sheet.text("Figure 1. Rivers in the order of their length", 170)
    _bars(sheet, 190)
    sheet.canvas.saveState()
    sheet.canvas.translate(86, HEIGHT - 280)
    sheet.canvas.rotate(90)
    sheet.canvas.drawString(0, 0, "miles")
    sheet.canvas.restoreState()
    sheet.prose(420, 5)
    draft = sheet.read()
    (figure,) = of_type(draft, ContentNodeType.FIGURE)
    assert figure.text == "2,000 1,500 1,000 500 0 Alder Birch Cedar Dogwood river Length in miles miles"
    others = " ".join(node.text or "" for node in draft.nodes if node is not figure)
    assert not any(word in others for word in ("1,500", "Birch", "Length in", "miles"))


def test_numbers_beside_a_picture_that_count_by_no_step_are_text(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "list.pdf")
    sheet.prose(80, 5)
    sheet.canvas.rect(120, HEIGHT - 310, 200, 120, stroke=0, fill=1)
    for at, number in enumerate(("17", "12", "11", "3", "2")):
        sheet.text(number, 193 + 30 * at, 100, size=9)
    sheet.prose(420, 5)
    (figure,) = of_type(sheet.read(), ContentNodeType.FIGURE)
    assert not figure.text


_COLUMNS = {
    "names": ["Ada", "Ben", "Carla", "Dora", "Emil", "Fay", "Gus", "Hal"],
    "sentences": ["The new town has", "five bridges. It lies", "on a river", "that has no name."],
    "cut": ["All bridges are of stone.", "Nobody knows why."],
}


@pytest.mark.parametrize("texts", _COLUMNS.values(), ids=_COLUMNS)
def test_text_in_columns_under_a_chart_is_not_torn(tmp_path: Path, texts: list[str]) -> None:
    sheet = Sheet(tmp_path / "columns.pdf")
    sheet.prose(80, 5)
    for at in range(5):
        sheet.rule(120, 190 + 30 * at, 450, 190 + 30 * at)
        sheet.canvas.setFont("Times-Roman", 9)
        sheet.canvas.drawRightString(110, HEIGHT - 190 - 30 * at - 3, f"{40 - 10 * at}")
    for at in range(4):
        sheet.canvas.rect(140 + 80 * at, HEIGHT - 310, 30, 30 + 20 * at, stroke=0, fill=1)
    for at, text in enumerate(texts):
        sheet.text(text, 326 + 10 * at, 130, size=9)
        sheet.text(text, 326 + 10 * at, 300, size=9)
    sheet.prose(440, 5)
    (figure,) = of_type(sheet.read(), ContentNodeType.FIGURE)
    assert figure.text == "40 30 20 10 0"


@pytest.mark.parametrize("ground", ["plain", "panel", "bars"])
@pytest.mark.parametrize("behind", [60, 20])
def test_numbers_with_words_behind_them_are_no_scale(tmp_path: Path, ground: str, behind: float) -> None:
    sheet = Sheet(tmp_path / "years.pdf")
    sheet.prose(80, 5)
    if ground != "bars":
        sheet.canvas.setFillColorRGB(0.8, 0.7, 0.5)
        sheet.canvas.rect(72, HEIGHT - 340, 100, 170, stroke=0, fill=1)
    if ground == "panel":
        sheet.canvas.setFillColorRGB(0.2, 0.5, 0.3)
        sheet.canvas.circle(122, HEIGHT - 250, 25, stroke=0, fill=1)
    if ground == "bars":
        for at in range(5):
            sheet.rule(72, 187 + 30 * at, 172, 187 + 30 * at)
        sheet.rule(72, 187, 72, 330)
        sheet.rule(172, 187, 172, 330)
    sheet.canvas.setFillColorRGB(0, 0, 0)
    for at in range(5):
        sheet.text(f"{2020 - at}", 190 + 30 * at, 190, size=9)
        sheet.text(f"Clerk of the {'ABCDE'[at]} office", 190 + 30 * at, 210 + behind, size=9)
    sheet.prose(420, 5)
    assert not any("2020" in (figure.text or "") for figure in of_type(sheet.read(), ContentNodeType.FIGURE))


def test_numbers_alone_beside_a_plain_box_are_no_scale(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "box.pdf")
    sheet.prose(80, 5)
    sheet.canvas.setFillColorRGB(0.8, 0.7, 0.5)
    sheet.canvas.rect(72, HEIGHT - 340, 200, 160, stroke=0, fill=1)
    sheet.canvas.setFillColorRGB(0, 0, 0)
    for at in range(5):
        sheet.text(f"{2020 - at}", 200 + 30 * at, 290, size=9)
    for at, word in enumerate(("Open", "Daily", "Free")):
        sheet.text(word, 354, 72 + 60 * at, size=9)
    sheet.prose(420, 5)
    (figure,) = of_type(sheet.read(), ContentNodeType.FIGURE)
    assert not figure.text


def test_a_chart_on_a_coloured_ground_has_its_scale(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "ground.pdf")
    sheet.prose(80, 5)
    sheet.canvas.setFillColorRGB(0.9, 0.9, 0.9)
    sheet.canvas.rect(120, HEIGHT - 310, 330, 120, stroke=0, fill=1)
    sheet.canvas.setFillColorRGB(0, 0, 0)
    _bars(sheet, 190)
    sheet.prose(420, 5)
    (figure,) = of_type(sheet.read(), ContentNodeType.FIGURE)
    assert figure.text == "2,000 1,500 1,000 500 0 Alder Birch Cedar Dogwood river Length in miles"


@pytest.mark.parametrize("ground", [None, "frame", "fill"])
def test_lines_of_measures_in_a_drawing_are_no_table_and_a_table_in_a_frame_is_one(
    tmp_path: Path, ground: str | None
) -> None:
    sheet = Sheet(tmp_path / "measures.pdf")
    sheet.prose(80, 5)
    if ground is None:
        for at in range(12):
            sheet.canvas.line(200, HEIGHT - 300, 240 + 10 * at, HEIGHT - 180 - 4 * at)
    else:
        sheet.canvas.setFillColorRGB(0.9, 0.9, 0.9)
        sheet.canvas.rect(72, HEIGHT - 320, 300, 150, stroke=ground == "frame", fill=ground == "fill")
        sheet.canvas.setFillColorRGB(0, 0, 0)
    sheet.grid([["34", "25"], ["46", "37"], ["48", "4"]], 200, [100, 150, 200])
    sheet.prose(420, 5)
    assert bool(of_type(sheet.read(), ContentNodeType.TABLE)) is (ground is not None)
