"""Words to lines: gaps of loosely set text are no columns, labels stay with their text, gutters part columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_reader_pdf import HEIGHT, Sheet, of_type, read, words

from ragraph.schema.enums import ContentNodeType

pytest.importorskip("reportlab")

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def typewriter(sheet: Sheet, rows: list[str], top: float, left: float = 72) -> float:
    """Set rows letter by letter, as typewriters do; return the height below the last."""
    for row in rows:
        sheet.line(row, top, left, font="Courier", size=10)
        top += 12
    return top


def test_wide_blanks_of_typewriter_lines_are_no_columns(tmp_path: Path) -> None:
    sheet = Sheet()
    rows = [
        "WHEREAS, the Company is in the  business of surveying, drawing and",
        "building  bridges  over the river, by commission of the towns that",
        "stand beside it, and has for  that purpose  hired the surveyor who",
        "has  identified,  drawn and tested,  for and on behalf of the town",
        "the plans,  notes, tables,  and other papers of the bridges,  with",
        "their costs;  and the surveyor,  in consideration of the sum to be",
        "paid,  agrees to deliver  the same  to the Company without delay.",
    ]
    typewriter(sheet, rows, 100)
    text = words(200)
    typewriter(sheet, [" ".join(text[at : at + 10]) for at in range(0, 200, 10)], 300)
    paragraphs = [node.text for node in of_type(read(sheet.save(tmp_path / "typed.pdf")), ContentNodeType.PARAGRAPH)]
    assert " ".join(paragraphs).startswith(" ".join(" ".join(rows).split()))


def test_labels_stay_with_a_text_far_from_them(tmp_path: Path) -> None:
    sheet = Sheet()
    text = words(80)
    typewriter(sheet, ["7.            COSTS OF THE BRIDGE"], 60)
    top = typewriter(sheet, [" ".join(text[at : at + 10]) for at in range(0, 80, 10)], 90) + 14
    items = (
        ["fees and expenses of the surveyor who", "draws the bridge;"],
        ["the price of the stones and of", "the iron;"],
    )
    for label, rows in zip("ab", items, strict=True):
        sheet.line(f"({label})", top, 150, font="Courier", size=10)
        top = typewriter(sheet, rows, top, 210) + 14
    draft = read(sheet.save(tmp_path / "labels.pdf"))
    texts = [(node.marker, node.text) for node in draft.nodes]
    assert [text for _, text in texts if text.endswith("COSTS OF THE BRIDGE")] != ["COSTS OF THE BRIDGE"]
    assert texts[-2:] == [
        ("(a)", "fees and expenses of the surveyor who draws the bridge;"),
        ("(b)", "the price of the stones and of the iron;"),
    ]


def test_an_address_that_stands_out_into_the_gutter_ends_its_column(tmp_path: Path) -> None:
    sheet = Sheet()
    text = words(400)
    sheet.canvas.setFont("Times-Roman", 11)
    for row in range(40):
        sheet.canvas.drawRightString(300, HEIGHT - 80 - 13 * row, " ".join(text[5 * row : 5 * row + 5]))
        sheet.line(" ".join(text[200 + 5 * row : 205 + 5 * row]), 80 + 13 * row, 320)
    address = "https://bridges.example.org/of-wood-and-of-iron/plans"
    wide = sheet.canvas.stringWidth(address, "Courier", 9)
    sheet.line(address, 640, 313 - wide, font="Courier", size=9)
    sheet.line("beside", 640, 320, font="Courier", size=9)
    texts = [node.text for node in read(sheet.save(tmp_path / "gutter.pdf")).nodes]
    assert any(address in text for text in texts)
    assert [text for text in texts if address in text and "beside" in text] == []


def test_a_page_narrower_than_two_columns_is_read(tmp_path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "narrow.pdf"), pagesize=(60, 60))
    canvas.drawString(4, 30, "hello")
    canvas.save()
    assert [node.text for node in read(tmp_path / "narrow.pdf").nodes] == ["hello"]


@pytest.mark.parametrize(
    ("printed", "gap", "stored"),
    [
        ("CONTENTS", 6, ["CONTENTS"]),
        ("ANNUAL REPORT 2024", 5, ["ANNUAL", "REPORT", "2024"]),
        ("2024", 6, ["2", "0", "2", "4"]),
        ("ABCDEFG", 6, [*"ABCDEFG"]),
        ("YNYYNYN", 6, [*"YNYYNYN"]),
        ("CONTENTS", 8, ["CONTENTS"]),
        ("BADCAEB", 9.8, [*"BADCAEB"]),
        ("CONTENTS", 20, [*"CONTENTS"]),
    ],
)
def test_words_set_letter_by_letter_are_words(tmp_path: Path, printed: str, gap: float, stored: list[str]) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "spaced.pdf"), pagesize=(595, 842))
    text = canvas.beginText(72, 780)
    text.setFont("Helvetica", 14)
    text.setCharSpace(gap)
    text.textOut(printed)
    canvas.drawText(text)
    canvas.save()
    assert " ".join(node.text for node in read(tmp_path / "spaced.pdf").nodes).split() == stored


@pytest.mark.parametrize(
    "rows",
    [
        ["MTWTFSS", [*range(1, 8)], [*range(8, 15)], [*range(15, 22)]],
        ["BADCAEB", "CABBDEA", "EDABCAD"],
    ],
)
def test_letters_above_and_below_each_other_are_cells(tmp_path: Path, rows: list[Sequence[object]]) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "grid.pdf"), pagesize=(595, 842))
    canvas.setFont("Helvetica", 14)
    for row, cells in enumerate(rows):
        left = 72.0
        for cell, head in zip(cells, rows[0], strict=True):
            wide = canvas.stringWidth(str(head))
            canvas.drawCentredString(left + wide / 2, 780 - 18 * row, str(cell))
            left += wide + 7
    canvas.save()
    stored = " ".join(node.text for node in read(tmp_path / "grid.pdf").nodes)
    assert "".join(map(str, rows[0])) not in stored


@pytest.mark.parametrize("end", ["(7)", "84.2 87.9"])
def test_what_ends_a_row_of_a_column_is_no_label_of_the_next_column(tmp_path: Path, end: str) -> None:
    sheet = Sheet()
    text = words(400)
    sheet.canvas.setFont("Times-Roman", 11)
    for row in range(40):
        if row != 12:
            sheet.canvas.drawRightString(300, HEIGHT - 80 - 13 * row, " ".join(text[5 * row : 5 * row + 5]))
        sheet.line(" ".join(text[200 + 5 * row : 205 + 5 * row]), 80 + 13 * row, 320)
    sheet.line("a + b = c", 80 + 13 * 12, 150)
    *cells, last = end.split()
    for cell in cells:
        sheet.line(cell, 80 + 13 * 12, 240)
    sheet.canvas.drawRightString(300, HEIGHT - 80 - 13 * 12, last)
    right = " ".join(text[200:400])
    texts = [node.text for node in read(sheet.save(tmp_path / "ends.pdf")).nodes]
    assert right in " ".join(texts)
