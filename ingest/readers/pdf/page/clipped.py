"""Text cut off by a clip path: what lies beyond it is not shown, and would join the text printed there.

Forms and accounts print each cell into a clip of its own; what is too long for it goes on, unseen, under the next cell.
docling-parse knows no clips, so that the words at such places are set anew from the letters that PDFium shows.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.ingest.readers.pdf.model import Word
from ragraph.ingest.readers.pdf.page.parse import plain_letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.model import Page

_BEYOND = 1.0
"""Points that a text reaches over its clip at least: boxes of letters are a little larger than their ink."""
_GAP = 0.15
"""Gap between words per point of size at least."""
_BACK = 0.5
"""Sizes of type that a letter stands before the end of the one before it, at least, where another text begins."""

_CELLS = 64
"""Parts of the width and the height of a page by which its words are looked up: some words stand in each."""


class _Letter(NamedTuple):
    """A letter as PDFium has it: place in the file, text, middle and ends, whether its clip shows it."""

    place: int
    text: str
    x: float
    y: float
    left: float
    right: float
    seen: bool

    def stands_in(self, word: Word) -> bool:
        """Say whether the middle of the letter lies in the box of a word."""
        return word.left <= self.x <= word.right and word.top <= self.y <= word.bottom


def cut_clipped(page: Page, sheet: Any) -> bool:
    """Take letters that lie beyond the clip of their text out of the words of a page, and return whether there are any.

    Args:
        page: with words and their sizes, not turned yet; its words change.
        sheet: the page, opened by pypdfium2.
    """
    if not page.lies_on(sheet):
        return False  # places of letters are not those of words
    clips = _clips(sheet)
    letters = _letters(sheet, page.height, clips) if clips else []
    beyond = [letter for letter in letters if not letter.seen and letter.text.strip()]
    if not beyond:
        return False
    words = _Places(page, [word for word in page.words if not word.unpainted])
    cut = {id(word): word for letter in beyond for word in words.at(letter)}
    if not cut:
        return False
    shown = []
    for letter in letters:
        around = words.at(letter) if letter.seen else []
        # a letter of a word that is whole, which a cut one runs into, stays with it
        whole = any(id(word) not in cut and plain_letters(letter.text) in word.text for word in around)
        if not whole and any(id(word) in cut for word in around):
            shown.append(letter)
    anew: dict[int, list[Word]] = {key: [] for key in cut}
    for run in _runs(shown, [*cut.values()]):
        owners = [word for word in words.at(run[0]) if id(word) in cut]
        owner = next((word for word in owners if run[0].text in word.text), owners[0])
        text = plain_letters("".join(letter.text for letter in run)).strip()
        if text:
            word = Word(run[0].left, owner.top, run[-1].right, owner.bottom, text, owner.font)
            word.size, word.unpainted = owner.size, owner.unpainted
            anew[id(owner)].append(word)
    page.words = [new for word in page.words for new in anew.get(id(word), [word])]
    return True


class _Places:
    """Words by where on a page they stand, so that a letter is looked for in those near it alone."""

    def __init__(self, page: Page, words: Sequence[Word]) -> None:
        self._wide, self._high = max(page.width, 1.0) / _CELLS, max(page.height, 1.0) / _CELLS
        self._cells: dict[tuple[int, int], list[Word]] = defaultdict(list)
        for word in words:
            left, top = self._cell(word.left, word.top)
            right, bottom = self._cell(word.right, word.bottom)
            for column in range(left, right + 1):
                for row in range(top, bottom + 1):
                    self._cells[column, row].append(word)

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        column, row = (int(min(max(at, 0.0), _CELLS - 1)) for at in (x / self._wide, y / self._high))
        return column, row

    def at(self, letter: _Letter) -> list[Word]:
        """Return the words in whose boxes the middle of a letter lies, in the order of the page."""
        return [word for word in self._cells.get(self._cell(letter.x, letter.y), ()) if letter.stands_in(word)]


def _clips(sheet: Any) -> dict[int, tuple[float, float, float, float]]:
    """Return the bounds of the clips of texts that reach over them, by the address of the text."""
    import pypdfium2.raw as pdfium

    found: dict[int, tuple[float, float, float, float]] = {}
    sides = [ctypes.c_float() for _ in range(4)]
    for index in range(pdfium.FPDFPage_CountObjects(sheet.raw)):
        item = pdfium.FPDFPage_GetObject(sheet.raw, index)
        if pdfium.FPDFPageObj_GetType(item) != pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        path = pdfium.FPDFPageObj_GetClipPath(item)
        count = pdfium.FPDFClipPath_CountPaths(path) if path else 0
        if count < 1 or not pdfium.FPDFPageObj_GetBounds(item, *sides):
            continue
        left, low, right, high = (side.value for side in sides)
        clip = _bounds(path, count)
        if left < clip[0] - _BEYOND or low < clip[1] - _BEYOND or right > clip[2] + _BEYOND or high > clip[3] + _BEYOND:
            found[_address(item)] = clip
    return found


def _bounds(path: Any, count: int) -> tuple[float, float, float, float]:
    """Return left, lower, right and upper end of what all paths of a clip enclose."""
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_float(), ctypes.c_float()
    left = low = float("-inf")
    right = high = float("inf")
    for number in range(count):
        xs, ys = [], []
        for index in range(max(pdfium.FPDFClipPath_CountPathSegments(path, number), 0)):
            segment = pdfium.FPDFClipPath_GetPathSegment(path, number, index)
            if pdfium.FPDFPathSegment_GetPoint(segment, x, y):
                xs.append(x.value)
                ys.append(y.value)
        if xs:
            left, low = max(left, min(xs)), max(low, min(ys))
            right, high = min(right, max(xs)), min(high, max(ys))
    return left, low, right, high


def _address(item: Any) -> int:
    return ctypes.cast(item, ctypes.c_void_p).value or 0


def _letters(sheet: Any, height: float, clips: dict[int, tuple[float, float, float, float]]) -> list[_Letter]:
    """Return the letters of a page in the order of the file."""
    import pypdfium2.raw as pdfium

    text = sheet.get_textpage()
    found: list[_Letter] = []
    left, right, low, high = (ctypes.c_double() for _ in range(4))
    room = pdfium.FS_RECTF()
    for index in range(pdfium.FPDFText_CountChars(text.raw)):
        if pdfium.FPDFText_IsGenerated(text.raw, index) == 1:
            continue
        if not pdfium.FPDFText_GetCharBox(text.raw, index, left, right, low, high):
            continue
        item = pdfium.FPDFText_GetTextObject(text.raw, index)
        clip = clips.get(_address(item)) if item else None
        x, y = (left.value + right.value) / 2, (low.value + high.value) / 2
        seen = clip is None or (clip[0] <= x <= clip[2] and clip[1] <= y <= clip[3])
        sign = chr(pdfium.FPDFText_GetUnicode(text.raw, index) or 32)
        # letters stand apart by the white around their ink, which is part of their room
        pdfium.FPDFText_GetLooseCharBox(text.raw, index, room)
        found.append(_Letter(index, sign, x, height - y, room.left, room.right, seen))
    text.close()
    return found


def _runs(letters: list[_Letter], words: list[Word]) -> list[list[_Letter]]:
    """Return letters in words: those that follow each other in the file and on the page."""
    size = max(word.size for word in words)
    runs: list[list[_Letter]] = []
    for letter in letters:
        if not letter.text.strip():
            continue
        last = runs[-1][-1] if runs else None
        near = (
            last is not None
            and letter.place == last.place + 1
            and -_BACK * size < letter.left - last.right < _GAP * size
            and abs(letter.y - last.y) < _BACK * size
        )
        if near:
            runs[-1].append(letter)
        else:
            runs.append([letter])
    return runs
