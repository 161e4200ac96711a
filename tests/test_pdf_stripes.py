"""Stripes behind rows are the ground of one table: no picture, nor boxes of a diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import of_type, read, words

from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LEFT, WIDE, HIGH = 150, 300, 18
NAMES = [["Name", "Role", "Town"], ["Ada", "Chair", "York"], ["Bell", "Clerk", "Bath"], ["Cora", "Guard", "Hull"],
         ["Dora", "Cook", "Leeds"], ["Edda", "Nurse", "Truro"]]  # fmt: skip
STOCK = [["Item", "Supplier", "Amount"], *([f"Bolt M{row}", f"Firm {row}", f"{13.5 * row:.2f}"] for row in range(1, 9))]


def _sheet(path: Path) -> Canvas:
    canvas = Canvas(str(path), pagesize=(612, 792))
    canvas.setFont("Helvetica", 10)
    for top in (740, 300):
        for row in range(5):
            canvas.drawString(72, top - 13 * row, " ".join(words(13, row + top)))
    return canvas


def _write(canvas: Canvas, rows: Sequence[Sequence[str]], grounds: str) -> None:
    for at, row in enumerate(rows):
        bottom = 640 - HIGH * at
        cells = len(row) if grounds == "cells" else 1
        if grounds == "grey" and at % 2 == 0:
            cells = 0
        if grounds != "without head" or at:
            canvas.setFillGray(0.8 if at % 2 else 1)
            for cell in range(cells):
                canvas.rect(LEFT + WIDE / cells * cell, bottom, WIDE / cells, HIGH, fill=1, stroke=0)
        canvas.setFillGray(0)
        canvas.setFont("Helvetica" if at else "Helvetica-Bold", 10)
        for cell, text in enumerate(row):
            canvas.drawString(LEFT + 6 + WIDE / len(row) * cell, bottom + 6, text)


@pytest.mark.parametrize("grounds", ["without head", "rows", "cells", "grey"])
@pytest.mark.parametrize("rows", [NAMES, STOCK], ids=["names", "amounts"])
def test_rows_on_stripes_are_one_table(tmp_path: Path, rows: list[list[str]], grounds: str) -> None:
    canvas = _sheet(tmp_path / "a.pdf")
    _write(canvas, rows, grounds)
    canvas.save()
    draft = read(tmp_path / "a.pdf")
    tables = of_type(draft, ContentNodeType.TABLE)
    assert [table.data["cells"] for table in tables] == [rows]
    assert not of_type(draft, ContentNodeType.FIGURE)


def test_long_cells_on_stripes_stay_in_their_rows(tmp_path: Path) -> None:
    canvas = _sheet(tmp_path / "a.pdf")
    rows = [(f"Part{row}", " ".join(words(7, row)), " ".join(words(7, row + 20))) for row in range(4)]
    for at, (name, upper, lower) in enumerate(rows):
        bottom = 610 - 32 * at
        canvas.setFillGray(0.8 if at % 2 else 1)
        canvas.rect(LEFT, bottom, WIDE + 40, 32, fill=1, stroke=0)
        canvas.setFillGray(0)
        canvas.drawString(LEFT + 6, bottom + 20, name)
        canvas.drawString(LEFT + 80, bottom + 20, upper)
        canvas.drawString(LEFT + 80, bottom + 7, lower)
    canvas.save()
    tables = of_type(read(tmp_path / "a.pdf"), ContentNodeType.TABLE)
    assert [table.data["cells"] for table in tables] == [[[name, f"{upper} {lower}"] for name, upper, lower in rows]]


def test_cells_of_a_heat_map_are_a_figure(tmp_path: Path) -> None:
    canvas = _sheet(tmp_path / "a.pdf")
    for at in range(5):
        for cell in range(5):
            canvas.setFillGray(0.5 + 0.05 * (at * cell % 9))
            canvas.rect(LEFT + 60 * cell, 600 - 30 * at, 60, 30, fill=1, stroke=0)
            canvas.setFillGray(0)
            canvas.drawString(LEFT + 24 + 60 * cell, 610 - 30 * at, str((at * 7 + cell * 3) % 10 / 10))
    canvas.save()
    draft = read(tmp_path / "a.pdf")
    assert len(of_type(draft, ContentNodeType.FIGURE)) == 1
    assert not of_type(draft, ContentNodeType.TABLE)


def test_boxes_of_a_diagram_that_touch_are_a_figure(tmp_path: Path) -> None:
    canvas = _sheet(tmp_path / "a.pdf")
    for at, name in enumerate(("Browser", "Transport", "Network", "Link")):
        canvas.setFillGray(0.6 + 0.05 * at)
        canvas.rect(LEFT, 600 - 40 * at, WIDE, 40, fill=1, stroke=0)
        for cell in range(2):
            canvas.setFillGray(0.95)
            canvas.rect(LEFT + 15 + 140 * cell, 605 - 40 * at, 120, 30, fill=1, stroke=1)
            canvas.setFillGray(0)
            canvas.drawString(LEFT + 30 + 140 * cell, 615 - 40 * at, f"{name} {'AB'[cell]}")
    canvas.save()
    draft = read(tmp_path / "a.pdf")
    assert len(of_type(draft, ContentNodeType.FIGURE)) == 1
    assert not of_type(draft, ContentNodeType.TABLE)
