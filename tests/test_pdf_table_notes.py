"""Notes under tables and the marks in the cells that lead to them; heads of tables that repeat on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reportlab.pdfgen.canvas import Canvas

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf.reader import PdfReader
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

PROSE = "The figures of the year are told here in a sentence that is as long as those of a report."


def _canvas(path: Path) -> Canvas:
    canvas = Canvas(str(path), pagesize=(595, 842))
    canvas.setFont("Times-Roman", 10)
    for line in range(6):
        canvas.drawString(72, 770 - 13 * line, PROSE)
    return canvas


def _table(canvas: Canvas, rows: list[tuple[str, str, str]], top: float) -> float:
    for index, row in enumerate(rows):
        y = top - 14 * index
        canvas.drawString(72, y, row[0])
        canvas.drawRightString(400, y, row[1])
        canvas.drawRightString(500, y, row[2])
    return top - 14 * len(rows)


ROWS = [
    ("(in millions)", "2025", "2024"),
    ("Net sales (1)", "12,345", "11,234"),
    ("Cost of sales", "(8,345)", "(7,234)"),
    ("Other income (2)", "45", "34"),
    ("Loss on disposal (1)(2)", "(5)", "(2)"),
    ("Net income", "4,040", "4,032"),
]


def _read(canvas: Canvas, path: Path) -> Draft:
    canvas.save()
    return PdfReader().read(path, ReadOptions(layout="rules", ocr=False))


def _links(draft: Draft) -> list[tuple[str, str]]:
    texts = {node.key: node.text for node in draft.nodes}
    found = [relation for relation in draft.relations if relation.type is RelationType.REFERENCES_NOTE]
    return sorted((relation.marker or "", texts[relation.target or ""]) for relation in found)


def test_marks_in_brackets_lead_to_the_notes_under_their_table(tmp_path: Path) -> None:
    canvas = _canvas(tmp_path / "page.pdf")
    y = _table(canvas, ROWS, 640)
    canvas.drawString(72, y - 8, "(1) Sales are counted without taxes.")
    canvas.drawString(72, y - 22, "(2) Rents of land that is not used.")
    draft = _read(canvas, tmp_path / "page.pdf")
    first, second = "Sales are counted without taxes.", "Rents of land that is not used."
    assert _links(draft) == [("1", first), ("1", first), ("2", second), ("2", second)]
    notes = [node for node in draft.nodes if node.type is ContentNodeType.NOTE]
    assert [(note.marker, note.text) for note in notes] == [("1", first), ("2", second)]
    table = next(node for node in draft.nodes if node.type is ContentNodeType.TABLE)
    assert ["Loss on disposal", "(5)", "(2)"] in table.data["cells"]


@pytest.mark.parametrize(
    "lines",
    [
        ["(1) Find the sum.", "(2) Divide it by two.", "(3) Write it down.", "(4) Rest.", "(5) Begin anew."],
        ["(3) Find the sum.", "(4) Divide it by two."],
    ],
)
def test_a_list_under_a_table_is_no_note_of_it(lines: list[str], tmp_path: Path) -> None:
    canvas = _canvas(tmp_path / "page.pdf")
    y = _table(canvas, ROWS, 640)
    for index, line in enumerate(lines):
        canvas.drawString(72, y - 8 - 14 * index, line)
    draft = _read(canvas, tmp_path / "page.pdf")
    assert _links(draft) == []


def test_losses_in_brackets_are_no_marks(tmp_path: Path) -> None:
    canvas = _canvas(tmp_path / "page.pdf")
    y = _table(canvas, [(label.partition(" (")[0], one, other) for label, one, other in ROWS], 640)
    canvas.drawString(72, y - 8, "(1) Sales are counted without taxes.")
    canvas.drawString(72, y - 22, "(2) Rents of land that is not used.")
    draft = _read(canvas, tmp_path / "page.pdf")
    assert _links(draft) == []


def test_heads_on_a_ground_that_come_on_every_page_stay_with_their_tables(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "pages.pdf"), pagesize=(595, 842))
    heads = ["Measure", "Plan 2024", "Plan 2025", "Result", "Trend"]
    for page in range(5):
        canvas.setFont("Helvetica", 10)
        canvas.setFillColorRGB(0.2, 0.2, 0.2)
        canvas.rect(60, 760, 480, 30, fill=1, stroke=0)
        canvas.setFillColorRGB(1, 1, 1)
        for index, head in enumerate(heads):
            canvas.drawString(70 + 95 * index, 771, head)
        canvas.setFillColorRGB(0, 0, 0)
        for row in range(4):
            for index in range(5):
                canvas.drawString(70 + 95 * index, 740 - 16 * row, f"{'abcde'[index]} {page} {row}")
        for line in range(20):
            canvas.drawString(60, 640 - 14 * line, f"{PROSE} {page} {line}")
        canvas.drawString(290, 40, str(page + 1))
        canvas.showPage()
    draft = _read(canvas, tmp_path / "pages.pdf")
    body = "\n".join(node.text for node in draft.nodes if not (node.container or "").startswith("header"))
    assert [body.count(head) for head in heads] == [5] * 5
