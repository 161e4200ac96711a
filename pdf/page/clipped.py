"""Text cut off by a clip path: what lies beyond it is not shown, and would join the text printed there.

Forms and accounts print each cell into a clip of its own; what is too long for it goes on, unseen, under the next cell.
docling-parse knows no clips, so that the words at such places are set anew from the letters that PDFium shows.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.pdf.model import Word, in_runs
from ragraph.pdf.page.parse import plain_letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page

_BEYOND = 1.0
"""Points that a text reaches over its clip at least: boxes of letters are a little larger than their ink."""
_GAP = 0.15
"""Gap between words per point of size at least."""
_BACK = 0.5
"""Sizes of type that a letter stands before the end of the one before it, at least, where another text begins."""

_DEPTH = 8
"""Forms within each other that are looked into."""
_FAR = 1e6
"""Points: what reaches further has no end."""
_CELLS = 64
"""Parts of the width and the height of a page by which its words are looked up: some words stand in each."""

_Sides = tuple[float, float, float, float]
"""Left, lower, right and upper end."""
_Matrix = tuple[float, float, float, float, float, float]
_LEVEL: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_ALL: _Sides = (float("-inf"), float("-inf"), float("inf"), float("inf"))


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
        """Return True if the middle of the letter lies in the box of a word."""
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


def _clips(sheet: Any) -> dict[int, _Sides]:
    """Return the bounds, on the page, of the clips of texts that reach over them, by the address of the text."""
    import pypdfium2.raw as pdfium

    found: dict[int, _Sides] = {}
    for index in range(pdfium.FPDFPage_CountObjects(sheet.raw)):
        _add_clips(found, pdfium.FPDFPage_GetObject(sheet.raw, index), _LEVEL, _ALL, 0)
    return found


def _add_clips(found: dict[int, _Sides], item: Any, matrix: _Matrix, around: _Sides, depth: int) -> None:
    """Add the clip of a text, or of each in a form, that lies within so many others, if the text reaches over it."""
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFPageObj_GetType(item)
    if kind not in {pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_FORM}:
        return
    path = pdfium.FPDFPageObj_GetClipPath(item)
    count = pdfium.FPDFClipPath_CountPaths(path) if path else 0
    clip = _both(around, _placed(_bounds(path, count), matrix)) if count > 0 else around
    if kind == pdfium.FPDF_PAGEOBJ_FORM:
        own = pdfium.FS_MATRIX()
        if depth < _DEPTH and pdfium.FPDFPageObj_GetMatrix(item, own):
            inner = _times((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
            for index in range(pdfium.FPDFFormObj_CountObjects(item)):
                _add_clips(found, pdfium.FPDFFormObj_GetObject(item, index), inner, clip, depth + 1)
        return
    sides = [ctypes.c_float() for _ in range(4)]
    if clip == _ALL or not pdfium.FPDFPageObj_GetBounds(item, *sides):
        return
    left, low, right, high = _placed((sides[0].value, sides[1].value, sides[2].value, sides[3].value), matrix)
    if left < clip[0] - _BEYOND or low < clip[1] - _BEYOND or right > clip[2] + _BEYOND or high > clip[3] + _BEYOND:
        found[_address(item)] = clip


def _placed(sides: _Sides, matrix: _Matrix) -> _Sides:
    """Return left, lower, right and upper end of a box in a form, as it stands on the page."""
    a, b, c, d, e, f = matrix
    if matrix == _LEVEL:
        return sides
    left, low, right, high = (min(max(side, -_FAR), _FAR) for side in sides)
    corners = [(x, y) for x in (left, right) for y in (low, high)]
    xs, ys = [a * x + c * y + e for x, y in corners], [b * x + d * y + f for x, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _both(one: _Sides, other: _Sides) -> _Sides:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _times(one: _Matrix, other: _Matrix) -> _Matrix:
    """Return the matrix that does one, then the other."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _bounds(path: Any, count: int) -> _Sides:
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


def _letters(sheet: Any, height: float, clips: dict[int, _Sides]) -> list[_Letter]:
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

    def follows(run: list[_Letter], letter: _Letter) -> bool:
        near = -_BACK * size < letter.left - run[-1].right < _GAP * size
        return letter.place == run[-1].place + 1 and near and abs(letter.y - run[-1].y) < _BACK * size

    return in_runs((letter for letter in letters if letter.text.strip()), follows)
