"""What PDFium knows of the fonts of a file: the sizes they are used in, height and depth."""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_REACH = 1.0
"""Points around a place within which a letter is looked for."""


@dataclass
class FontFacts:
    """What PDFium knows of a font: how often each size in points is used, height and depth per point."""

    sizes: Counter[float] = field(default_factory=Counter)
    ascent: float = 0.0
    descent: float = 0.0


def font_facts(document: Any, pages: Iterable[int]) -> dict[str, FontFacts]:
    """Return, per font name without subset prefix, what the text objects of these pages tell of it."""
    import pypdfium2.raw as pdfium

    found: dict[str, FontFacts] = {}
    for number in pages:
        page = document[number - 1]
        for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT]):
            size = ctypes.c_float()
            pdfium.FPDFTextObj_GetFontSize(item.raw, size)
            points = round(size.value * _scale(item), 1)
            if points <= 0:
                continue
            font = pdfium.FPDFTextObj_GetFont(item.raw)
            name = _font_name(font)
            if name not in found:
                found[name] = FontFacts(Counter(), *_extent(font))
            found[name].sizes[points] += 1
        page.close()
    return found


def sizes_at(document: Any, number: int, points: Iterable[tuple[float, float]]) -> list[float | None]:
    """Return the size of the letter at each point of a page, in points; None where PDFium has none.

    Args:
        document: the file, opened by ``facts.open_pdf``.
        number: of the page, from 1.
        points: distances from the left and lower edge of the page, in points.
    """
    import pypdfium2.raw as pdfium

    page = document[number - 1]
    text = page.get_textpage()
    matrix = pdfium.FS_MATRIX()
    found: list[float | None] = []
    for x, y in points:
        index = pdfium.FPDFText_GetCharIndexAtPos(text.raw, x, y, _REACH, _REACH)
        if index < 0 or not pdfium.FPDFText_GetMatrix(text.raw, index, matrix):
            found.append(None)
            continue
        size = pdfium.FPDFText_GetFontSize(text.raw, index) * math.hypot(matrix.c, matrix.d)
        found.append(round(size, 1) if size > 0 else None)
    text.close()
    page.close()
    return found


def _scale(item: Any) -> float:
    """Return how much higher an object of a page is drawn than it says; what is drawn within a form, by that, too."""
    matrix, form = item.get_matrix(), item.container
    while form is not None:
        matrix, form = matrix.multiply(form.get_matrix()), form.container
    return math.hypot(matrix.c, matrix.d)


def _extent(font: Any) -> tuple[float, float]:
    import pypdfium2.raw as pdfium

    ascent, descent = ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFFont_GetAscent(font, ctypes.c_float(1), ascent)
    pdfium.FPDFFont_GetDescent(font, ctypes.c_float(1), descent)
    return ascent.value, descent.value


def _font_name(font: Any) -> str:
    import pypdfium2.raw as pdfium

    buffer = ctypes.create_string_buffer(256)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, 256)
    return buffer.value.decode("latin-1").split("+")[-1]
