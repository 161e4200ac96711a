"""Names of fonts that are not in the file, or tell nothing.

Of the fonts that every viewer has ("Times-Bold"), docling-parse hands out the key in the page's resources ("F2")
for a name, which says nothing of weight and slant and means another font on another page. PDFium knows the name.
Files that were printed to PDF by a driver call their fonts "CIDFont+F1": the embedded font itself has its name.
"""

from __future__ import annotations

import ctypes
import struct
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Font, font_of
from ragraph.pdf.patterns import FONT_KEY

if TYPE_CHECKING:
    from ragraph.pdf.model import Page, Word

_ASKED = 3
"""Words per font and page that PDFium is asked about."""
_NEAR = 2.0
"""Points around the middle of a letter in which PDFium looks for it."""
_DRIVER = "CIDFont+"
"""What drivers put in front of the keys that they call fonts by."""
_POSTSCRIPT = 6
"""Number of a font's name without blanks ("Calibri-Bold") in its table of names."""


def name_fonts(pages: list[Page], document: Any) -> None:
    """Give words whose font is named by a key the font that PDFium names; others are left alone.

    Args:
        pages: straight from the parser; their words change.
        document: the file, opened by ``facts.open_pdf``.
    """
    made: dict[str, Font] = {}
    for page in pages:
        keyed: dict[Font, list[Word]] = defaultdict(list)
        for word in (*page.words, *page.sideways):
            if FONT_KEY.match(word.font.name):
                keyed[word.font].append(word)
        if not keyed:
            continue
        text = document[page.number - 1].get_textpage()
        for words in keyed.values():
            name = _name(text, page, words)
            if name:
                if name not in made:
                    made[name] = _font(text, page, words, name)
                for word in words:
                    word.font = made[name]
        text.close()


def _name(text: Any, page: Page, words: list[Word]) -> str:
    """Return the name of the font of most of the words asked about; empty if PDFium does not find them."""
    names: Counter[str] = Counter()
    for word in sorted(words, key=lambda word: -len(word.text))[:_ASKED]:
        index = text.get_index(word.middle_x, page.height - word.middle_y, _NEAR, _NEAR)
        name = _font_at(text, index) if index is not None else ""
        if name:
            names[name] += 1
    return names.most_common(1)[0][0] if names else ""


def _font(text: Any, page: Page, words: list[Word], name: str) -> Font:
    """Return the font of a name; weight and slant of one that is a mere key are read from the embedded font."""
    inner = ""
    if name.startswith(_DRIVER):
        word = max(words, key=lambda word: len(word.text))
        index = text.get_index(word.middle_x, page.height - word.middle_y, _NEAR, _NEAR)
        inner = name_of_font(_embedded(text, index)) if index is not None else ""
    # Sizes are looked up by the name that the file has.
    key = name.removeprefix(_DRIVER)
    return font_of(inner)._replace(name=key) if inner else font_of(name)


def _embedded(text: Any, index: int) -> bytes:
    """Return the file of the font of a letter; PDFium's stand-in for it where none is embedded."""
    import pypdfium2.raw as pdfium

    item = pdfium.FPDFText_GetTextObject(text.raw, index)
    font = pdfium.FPDFTextObj_GetFont(item) if item else None
    if not font:
        return b""
    size = ctypes.c_size_t()
    pdfium.FPDFFont_GetFontData(font, None, 0, size)
    data = (ctypes.c_uint8 * size.value)()
    return bytes(data) if size.value and pdfium.FPDFFont_GetFontData(font, data, size.value, size) else b""


def name_of_font(data: bytes) -> str:
    """Return the name that a TrueType or OpenType font has for itself; empty if it has none.

    Args:
        data: the font; damaged ones have no name.
    """
    try:
        count = struct.unpack_from(">H", data, 4)[0]
        tables = {data[at : at + 4]: struct.unpack_from(">I", data, at + 8)[0] for at in range(12, 12 + 16 * count, 16)}
        start = tables.get(b"name")
        if start is None:
            return ""
        number, strings = struct.unpack_from(">HH", data, start + 2)
        for at in range(start + 6, start + 6 + 12 * number, 12):
            platform, _, _, kind, length, offset = struct.unpack_from(">6H", data, at)
            if kind == _POSTSCRIPT:
                raw = data[start + strings + offset : start + strings + offset + length]
                return raw.decode("latin-1" if platform == 1 else "utf-16-be", "replace").strip()
    except struct.error:
        pass
    return ""


def _font_at(text: Any, index: int) -> str:
    import pypdfium2.raw as pdfium

    buffer, flags = ctypes.create_string_buffer(256), ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(text.raw, index, buffer, 256, flags)
    name = buffer.value.decode("utf-8", "replace") if length else ""
    return name if name.startswith(_DRIVER) else name.split("+")[-1]
