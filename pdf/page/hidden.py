"""Words that a page holds but does not show: white on white, clipped away, covered, switched off, too small to read.

Nobody who looks at such a page sees them, so they are no text of it; instructions to machines are hidden so, and what
was cut off a picture. The page is drawn, and a word is there if the drawing shows anything at its place: whatever hides
a word is found by this, and the text of a scan, which lies unseen over the picture of it, stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.pdf.page.clipped import cut_clipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.pdf.model import Page, Word

_COARSE, _FINE = 1.0, 3.0
"""Pixels per point of the drawing that all words are looked for in, and of that for those that it does not show."""
_FAINT, _BLANK = 24, 6
"""Difference between the lightest and darkest pixel, of 255, below which the coarse drawing may not show a word, and
the fine one does not: watermarks have 12 and more."""
_EDGE = 0.15
"""Share of the height of a word at its top and foot that is not looked at: letters of other lines may reach in."""
_READABLE = 1.5
"""Points: type that is smaller is not read, on a sheet of 300 points or more."""
_LEAST_SIDE = 300.0
_OVER = 0.5
"""Share of an unpainted word that lies over a picture whose text it is, or over a painted word, which says the same."""
_DRAWN = dict.fromkeys({*range(0x80, 0x250), *range(0x2010, 0x2040)}, "a")
"""Latin letters and dashes: fonts for these are at hand where a file has none."""
_MOST_PIXELS = 16_000_000
"""Of a drawing: a sheet of the size of a wall would take gigabytes, and what hides on it stays."""
_MARGIN = 1.0
"""Points around signs that may fill their box, such as dashes."""


def drop_hidden(page: Page, document: Any) -> bool:
    """Drop what a page does not show, and return whether there is any.

    Args:
        page: with words and their sizes, not turned yet.
        document: the file, opened by ``facts.open_pdf``.
    """
    if page.failed or not (page.words or page.sideways or page.slanted):
        return False
    sheet = document[page.number - 1]
    try:
        cut = cut_clipped(page, sheet)
        hidden = {id(word) for word in _unseen(page, sheet)}
    finally:
        sheet.close()
    if hidden:
        page.words = [word for word in page.words if id(word) not in hidden]
        page.sideways = [word for word in page.sideways if id(word) not in hidden]
        page.slanted = [word for word in page.slanted if id(word) not in hidden]
    return cut or bool(hidden)


def _unseen(page: Page, sheet: Any) -> Iterator[Word]:
    readable = _READABLE * min(1.0, min(page.width, page.height) / _LEAST_SIDE)
    every = (*page.words, *page.sideways, *page.slanted)
    painted = [word.box for word in every if not word.unpainted]
    words = []
    for word in every:
        if _is_tiny(word, readable) or (word.unpainted and any(box.holds(word.box, _OVER) for box in painted)):
            yield word
        elif not (word.unpainted and any(box.holds(word.box, _OVER) for box in page.images)):
            words.append(word)
    if not words:
        return
    wide, high = sheet.get_size()
    if abs(wide - page.width) > 1 or abs(high - page.height) > 1:
        return  # places of words are not those of the drawing
    most = (_MOST_PIXELS / (wide * high)) ** 0.5
    if most < _COARSE:
        return
    faint = _blank(sheet, words, _COARSE, _FAINT)
    if faint:
        # some colours that differ are one grey
        blank = _blank(sheet, faint, min(_FINE, most), _BLANK, grey=False)
        yield from _drawable(sheet, page, blank)


def _is_tiny(word: Word, readable: float) -> bool:
    """Return True if a word cannot be read; dots and dashes may be as small."""
    low = min(word.width, word.height)
    return max(word.size, low) < readable and _has_letters(word)


def _has_letters(word: Word) -> bool:
    return any(map(str.isalnum, word.text))


def _drawable(sheet: Any, page: Page, words: list[Word]) -> list[Word]:
    """Return words without those in letters that can be drawn only with a font that the file leaves to the reader."""
    import pypdfium2.raw as pdfium

    text = sheet.get_textpage()
    found = []
    for word in words:
        if word.text.translate(_DRAWN).isascii():
            found.append(word)
            continue
        x, y = word.middle_x, page.height - word.middle_y
        index = pdfium.FPDFText_GetCharIndexAtPos(text.raw, x, y, word.size, word.size)
        item = pdfium.FPDFText_GetTextObject(text.raw, index) if index >= 0 else None
        font = pdfium.FPDFTextObj_GetFont(item) if item else None
        if font and pdfium.FPDFFont_GetIsEmbedded(font) == 1:
            found.append(word)
    text.close()
    return found


def _blank(sheet: Any, words: list[Word], scale: float, least: int, grey: bool = True) -> list[Word]:
    """Return the words at whose place a drawing of the page shows one shade."""
    bitmap = sheet.render(scale=scale, grayscale=grey)
    shades = bitmap.to_numpy()
    pixels = shades.tobytes() if grey else b""
    found = []
    rows, columns = shades.shape[:2]
    for word in words:
        left, top, right, bottom = word.left, word.top, word.right, word.bottom
        if _has_letters(word):
            inset = _EDGE * (bottom - top)
            top, bottom = top + inset, bottom - inset
        else:
            left, top, right, bottom = left - _MARGIN, top - _MARGIN, right + _MARGIN, bottom + _MARGIN
        x, y = max(int(left * scale), 0), max(int(top * scale), 0)
        end, foot = min(int(right * scale) + 1, columns), min(int(bottom * scale) + 1, rows)
        if x >= end or y >= foot:
            continue
        if grey:
            # of most words one row of pixels is enough to see them, and quicker to look at than all
            middle = pixels[(y + foot) // 2 * columns + x : (y + foot) // 2 * columns + end]
            if max(middle) - min(middle) >= least:
                continue
        if _contrast(shades[y:foot, x:end]) < least:
            found.append(word)
    bitmap.close()
    return found


def _contrast(part: Any) -> int:
    """Return the difference between the lightest and the darkest pixel, in the colour where it is largest."""
    if part.ndim == 2:
        return int(part.max()) - int(part.min())
    return int((part.max(axis=(0, 1)) - part.min(axis=(0, 1))).max())
