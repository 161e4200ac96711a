"""PDF files whose pages are images, drawn for the tests."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pypdfium2
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

if TYPE_CHECKING:
    from pathlib import Path

A4 = (595.0, 842.0)
HEADINGS = ("Water levels", "Rain and snow")
BODY = [
    "The river was measured at four places between the bridge and the",
    "mill, every morning for six weeks. In dry weather the level fell by",
    "two centimetres a day, and after rain it rose within an hour.",
]
MORE = [
    "The second series began in autumn. It was ended early because the",
    "gauge at the mill had been carried away by the flood of October.",
]


def write_page(
    canvas: Canvas, number: int, *, heading: str = "Water levels", body: list[str] = BODY, note: str = ""
) -> None:
    """Draw a page with a heading, two paragraphs, a page number, and a footnote to the first paragraph if given."""
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(72, 740, heading)
    canvas.setFont("Times-Roman", 12)
    height = 660
    for line in [*body, "", *MORE]:
        canvas.drawString(72, height, line)
        height -= 16
    canvas.drawCentredString(297, 40, str(number))
    if note:
        end = 72 + canvas.stringWidth(body[-1], "Times-Roman", 12)
        canvas.setFont("Times-Roman", 8)
        canvas.drawString(end, 660 - 16 * (len(body) - 1) + 5, "1")
        canvas.setFont("Times-Roman", 6.5)
        canvas.drawString(72, 104, "1")
        canvas.setFont("Times-Roman", 9.5)
        canvas.drawString(77, 100, note)
    canvas.showPage()


def scanned(
    path: Path, *, pages: int = 1, angle: float = 0.0, text_page: bool = False, stamp: str = "", note: str = ""
) -> Path:
    """Write a PDF whose pages are images of text.

    Args:
        path: where to.
        pages: how many.
        angle: degrees by which the image is turned, counter-clockwise; a quarter turn changes the page's size.
        text_page: put a page with text of its own in front.
        stamp: text of its own at the foot of each scanned page.
        note: footnote to the first paragraph of each scanned page.
    """
    buffer = io.BytesIO()
    drawn = Canvas(buffer, pagesize=A4)
    for number in range(1, pages + 1):
        write_page(drawn, number + text_page, heading=HEADINGS[(number + 1) % 2], note=note)
    drawn.save()
    source = pypdfium2.PdfDocument(buffer.getvalue())
    canvas = Canvas(str(path), pagesize=A4)
    if text_page:
        write_page(canvas, 1, heading="Printed words", body=["This page has text of its own and is left as it is."])
    for page in source:
        image = page.render(scale=150 / 72).to_pil().convert("L")
        image = image.rotate(angle, expand=angle % 90 == 0, fillcolor=255, resample=Image.Resampling.BICUBIC)
        size = A4 if image.height > image.width else (A4[1], A4[0])
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(image), 0, 0, *size)
        if stamp:
            canvas.setFont("Helvetica", 7)
            canvas.drawString(30, 12, stamp)
        canvas.showPage()
    canvas.save()
    source.close()
    return path
