"""A PDF of three pages, each with a heading and a paragraph in red, so that boxes can be found in pictures."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from reportlab.pdfgen.canvas import Canvas

if TYPE_CHECKING:
    from pathlib import Path

SHEETS = "dl_sheets"
KINDS = ("stone", "tolls", "wood")
PARAGRAPHS = [
    "The stone bridge of the upper valley was built by masons who came over the pass every spring.",
    "A toll was taken at the bridge from every cart, and the keeper wrote the carts down in a book.",
    "The wooden bridge below the mill was carried away by floods, and nobody took the trouble to build it again.",
]


def write_sheets(path: Path) -> None:
    """Write three pages, each with a heading and a paragraph in red."""
    drawn = io.BytesIO()
    canvas = Canvas(drawn, pagesize=(420, 595))
    for number, words in enumerate(PARAGRAPHS, 1):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(50, 540, f"{number} Bridges of {KINDS[number - 1]}")
        canvas.bookmarkPage(f"page-{number}")
        canvas.addOutlineEntry(f"{number} Bridges of {KINDS[number - 1]}", f"page-{number}")
        canvas.setFont("Helvetica", 11)
        for line in range(6):
            canvas.drawString(
                50, 500 - 14 * line, f"Other words on {KINDS[number - 1]} stand above and fill line {line}"
            )
        canvas.setFillColorRGB(1, 0, 0)
        split = words.split()
        for line, start in enumerate(range(0, len(split), 8)):
            canvas.drawString(80, 330 - 14 * line, " ".join(split[start : start + 8]))
        canvas.setFillColorRGB(0, 0, 0)
        canvas.showPage()
    canvas.save()
    path.write_bytes(drawn.getvalue())
