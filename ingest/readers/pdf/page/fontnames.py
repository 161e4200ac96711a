"""Names of fonts that are not in the file.

Of the fonts that every viewer has ("Times-Bold"), docling-parse hands out the key in the page's resources ("F2")
for a name, which says nothing of weight and slant and means another font on another page. PDFium knows the name.
"""

from __future__ import annotations

import ctypes
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.pdf.model import Font, font_of
from ragraph.ingest.readers.pdf.patterns import FONT_KEY

if TYPE_CHECKING:
    from ragraph.ingest.readers.pdf.model import Page, Word

_ASKED = 3
"""Words per font and page that PDFium is asked about."""
_NEAR = 2.0
"""Points around the middle of a letter in which PDFium looks for it."""


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
                font = made.setdefault(name, font_of(name))
                for word in words:
                    word.font = font
        text.close()


def _name(text: Any, page: Page, words: list[Word]) -> str:
    """Return the name of the font of most of the words asked about; empty if PDFium does not find them."""
    names: Counter[str] = Counter()
    for word in sorted(words, key=lambda word: -len(word.text))[:_ASKED]:
        index = text.get_index((word.left + word.right) / 2, page.height - (word.top + word.bottom) / 2, _NEAR, _NEAR)
        name = _font_at(text, index) if index is not None else ""
        if name:
            names[name] += 1
    return names.most_common(1)[0][0] if names else ""


def _font_at(text: Any, index: int) -> str:
    import pypdfium2.raw as pdfium

    buffer, flags = ctypes.create_string_buffer(256), ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(text.raw, index, buffer, 256, flags)
    return buffer.value.decode("utf-8", "replace").split("+")[-1] if length else ""
