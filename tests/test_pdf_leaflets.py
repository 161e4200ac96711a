"""Leaflets, slides and reports from public repositories: one test per cause of missed or invented headings."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from reportlab.pdfgen.canvas import Canvas
from test_reader_pdf import Sheet, of_type, read, words

from ragraph.pdf.page.fontnames import name_of_font
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

BOLD = "Helvetica-Bold"


def _headings(draft: Draft) -> list[tuple[int | None, str]]:
    return [(node.level, node.text) for node in of_type(draft, ContentNodeType.HEADING)]


def test_a_title_in_large_type_does_not_reach_for_the_text_beside_it(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.paragraph(words(60), 90)
    sheet.line("Season 2017", 330, font=BOLD, size=40)
    sheet.line("Subscription form", 330, left=330, font=BOLD, size=12)
    sheet.paragraph(words(60, 1), 380)
    texts = [node.text for node in read(sheet.save(tmp_path / "leaflet.pdf")).nodes]
    assert "Season 2017" in texts
    assert "Subscription form" in texts


def test_a_bold_title_over_short_lines_stays_apart(tmp_path: Path) -> None:
    sheet = Sheet()
    top = 90.0
    for number, title in enumerate(("Domain Science", "Applied Algebra", "Computing")):
        sheet.line(title, top, font=BOLD)
        for row in range(3):
            sheet.line(" ".join(words(2, number + row)).capitalize(), top + 12 * (row + 1))
        top += 64
    sheet.paragraph(words(120), top)
    texts = [node.text for node in read(sheet.save(tmp_path / "panel.pdf")).nodes]
    assert {"Domain Science", "Applied Algebra", "Computing"} <= set(texts)


def test_what_stands_beside_the_title_is_a_heading_of_its_panel(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "cover.pdf"), pagesize=(792, 612))
    canvas.setFont(BOLD, 30)
    canvas.drawString(60, 540, "Summer School")
    canvas.setFont(BOLD, 20)
    canvas.drawString(450, 540, "From the Chair")
    canvas.setFont("Helvetica", 10)
    for row in range(14):
        canvas.drawString(450, 505 - 12 * row, " ".join(words(9, row)))
    canvas.save()
    assert "From the Chair" in [text for _, text in _headings(read(tmp_path / "cover.pdf"))]


def test_fields_of_a_record_are_no_headings(tmp_path: Path) -> None:
    sheet = Sheet()
    top = 60.0
    for number in range(3):
        sheet.line(f"Survey {words(2, number)[0]}", top, font=BOLD, size=14)
        for row, label in enumerate(("Kind of record:", "Long name of the owner:", "Coordinator:")):
            at = top + 20 * (row + 1)
            sheet.line(label, at, font=BOLD)
            sheet.line("Jo Roe", at, left=72 + 6.0 * len(label))
        top = sheet.paragraph(words(60, number), top + 85) + 30
    found = [text for _, text in _headings(read(sheet.save(tmp_path / "records.pdf")))]
    assert found
    assert all(text.startswith("Survey") for text in found)


def test_a_number_with_what_it_counts_is_no_heading(tmp_path: Path) -> None:
    sheet = Sheet()
    for page, (number, what) in enumerate((("181", "Portfolio companies"), ("24", "Offices"), ("9", "Countries"))):
        sheet.line(f"Chapter on {what.lower()}", 60, font=BOLD, size=18)
        at = sheet.paragraph(words(90, page), 90) + 60
        sheet.line(number, at, font=BOLD, size=40)
        sheet.line(what, at + 18, font=BOLD, size=16)
        sheet.paragraph(words(90, page + 5), at + 50)
        sheet.page()
    found = [text for _, text in _headings(read(sheet.save(tmp_path / "glance.pdf")))]
    assert not [text for text in found if text[:1].isdigit()]


def test_what_is_set_like_a_title_on_a_slide_stands_under_its_title(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "slides.pdf"), pagesize=(960, 540))
    for page in range(8):
        canvas.setFont(BOLD, 28)
        canvas.drawString(60, 480, f"Topic {' '.join(words(2, page))}")
        if page == 5:
            canvas.drawString(60, 400, "First way")
            canvas.drawString(500, 400, "Other way")
        canvas.setFont("Helvetica", 16)
        for row in range(5):
            for left in (60, 500) if page == 5 else (60,):
                canvas.drawString(left, 360 - 24 * row, " ".join(words(5, page + row)))
        canvas.showPage()
    canvas.save()
    found = {text: level for level, text in _headings(read(tmp_path / "slides.pdf"))}
    title = next(level for text, level in found.items() if text.endswith(" ".join(words(2, 5))))
    assert title is not None
    assert (found["First way"], found["Other way"]) == (title + 1, title + 1)


def test_a_font_knows_its_own_name() -> None:
    name = "Calibri-Bold".encode("utf-16-be")
    table = struct.pack(">HHH", 0, 1, 18) + struct.pack(">6H", 3, 1, 0x409, 6, len(name), 0) + name
    font = struct.pack(">IHHHH", 0x00010000, 1, 16, 0, 0) + b"name" + struct.pack(">III", 0, 28, len(table)) + table
    assert name_of_font(font) == "Calibri-Bold"
    assert name_of_font(font[:40]) == ""
    assert name_of_font(b"") == ""


def test_weight_is_read_from_the_font_where_its_name_in_the_file_tells_nothing(tmp_path: Path) -> None:
    import pikepdf
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Heavy", "VeraBd.ttf"))
    pdfmetrics.registerFont(TTFont("Plain", "Vera.ttf"))
    canvas = Canvas(str(tmp_path / "named.pdf"))
    top = 780
    for number in range(3):
        canvas.setFont("Heavy", 10)
        canvas.drawString(72, top, " ".join(words(3, number)).capitalize())
        canvas.setFont("Plain", 10)
        for row in range(8):
            canvas.drawString(72, top - 18 - 12 * row, " ".join(words(9, number + row)))
        top -= 140
    canvas.save()
    with pikepdf.open(tmp_path / "named.pdf") as pdf:
        for number, font in enumerate(pdf.pages[0].Resources.Font.values(), 1):
            font.BaseFont = pikepdf.Name(f"/CIDFont+F{number}")
            if "/FontDescriptor" in font:
                font.FontDescriptor.FontName = font.BaseFont
        pdf.save(tmp_path / "printed.pdf")
    assert len(_headings(read(tmp_path / "printed.pdf"))) == 3
