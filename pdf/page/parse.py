"""Pages out of a PDF with docling-parse: words with fonts, ruling lines, images; one page after the other.

docling-parse hands out pages as pydantic objects, which takes longer than the parsing itself, and loads 130 MB for
them. The words are read here from its compiled module: an interface of the pinned version that
``tests/test_reader_pdf.py`` holds in place.
"""

from __future__ import annotations

import math
import os
import re
import sys
import unicodedata
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError
from ragraph.pdf.model import Box, Font, Letter, Page, Word, font_of
from ragraph.pdf.page.bars import without_bars
from ragraph.pdf.page.glyphs import Glyphs, Piece
from ragraph.pdf.page.stripes import Shape, is_upright, without_stripes
from ragraph.pdf.patterns import RIGHT_TO_LEFT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_THIN = 2.5
"""Points: shapes at most this thick are ruling lines."""
_SHORT = (2.0, 6.0)
"""Points: upright pieces from the first to below the second are rules only between others that they join."""
_JOINS = 0.5
"""Points between ends of pieces of a rule at most."""
_SPOT = (1.0, 16.0)
"""Points: width and height of shapes that may be bullets."""
_UNPAINTED = frozenset({3, 7})
"""Modes of rendering in which letters are not drawn: the text of a scan has the first."""
_LETTERS = {
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
    **dict.fromkeys((0xA0, 0x202F, *range(0x2000, 0x200B)), " "),
    **dict.fromkeys((0x200B, 0xFEFF), None),
    # Signs that programs leave for themselves: where an indent begins, where a line must not end.
    **dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {*b"\t\n\r"}, None),
}
_NO_ROOM = re.compile(r"(?<=\d) (?=[.,]\d)")
"""A blank in a number that the file holds, and on the page takes no room."""
_NO_HYPHEN = re.compile(r"^\u00ad+(?=[^\W\d_])")
"""A soft hyphen in front of a word, where none can divide it: some programs leave it at each place they asked for."""
_NO_GLYPH = ".notdef"
"""What the parser hands out for a code that a file gives no sign: some set their blanks so."""
_COMBINING = {
    "´": "\u0301", "`": "\u0300", "ˋ": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304",
    "˘": "\u0306", "ˇ": "\u030c", "¸": "\u0327", "˚": "\u030a", "˝": "\u030b", "˙": "\u0307",
}  # fmt: skip
_ACCENTED = re.compile(rf"([{''.join(_COMBINING)}])([^\W\d_])")
_SLANTED = 0.2
"""Minimum rise of a line by its length at which it is neither level nor upright: 11 degrees; scans stand less askew."""
_MOST_BACK = 0.9
"""Minimum share of the level letters of a page that run backwards, at which it stands on its head."""
_AHEAD = 8
"""Pages that the parser may have ready before they are taken."""
_RELEASE = 20
"""Pages after which the parser gives its memory back."""
_LOWEST = 0.01
"""Points: height of words in fonts that say they have none."""
_MAX_SHAPES = 4000
"""Pages with more shapes are drawings; their ruling lines are not looked at one by one."""


def parse_pages(
    path: Path | BytesIO, password: str | None = None, pages: tuple[int, int] | None = None
) -> Iterator[Page]:
    """Yield the pages in order; a page that cannot be parsed comes empty and marked ``failed``.

    The parser keeps at most eight decoded pages, so memory does not grow with their number.

    Args:
        path: the file, or its bytes.
        password: opens an encrypted file.
        pages: first and last page, from 1, inclusive; None = all.

    Raises:
        DamagedFileError: the file cannot be parsed at all.
    """
    from docling_parse.pdf_parsers import _threaded_pdf_parser

    parser = _threaded_pdf_parser(
        loglevel="fatal", num_threads=1, max_concurrent_results=_AHEAD, config=_decode_config()
    )
    key = "file"
    try:
        if isinstance(path, BytesIO):
            loaded = parser.load_document_from_bytesio(key=key, bytes_io=path, password=password, page_range=pages)
        else:
            loaded = parser.load_document(key=key, filename=os.fsencode(path), password=password, page_range=pages)
    except (RuntimeError, ValueError):
        loaded = False
    if not loaded:
        name = getattr(path, "name", "the file")
        raise DamagedFileError(f"{name} cannot be parsed as PDF; repair it, or print it to PDF anew")
    fonts: dict[str, Font] = {}
    waiting: dict[int, Page] = {}
    following = pages[0] if pages else 1
    # With one thread pages come in order; the buffer keeps that true whatever the parser does.
    while parser.has_tasks():
        page = _page(parser.get_task(), fonts)
        waiting[page.number] = page
        while following in waiting:
            yield waiting.pop(following)
            following += 1
    yield from (waiting[number] for number in sorted(waiting))
    parser.unload_document(key)


def plain_letters(text: str) -> str:
    """Return text with ligatures as their letters, accents on theirs, blanks as plain ones, and no control signs."""
    if text.isascii() and text.isprintable() and "`" not in text:
        return text
    return _ACCENTED.sub(_compose, text.translate(_LETTERS))


def _compose(match: re.Match[str]) -> str:
    """Return a letter with the accent that TeX set as a character of its own in front of it."""
    letter = {"ı": "i", "ȷ": "j"}.get(match[2], match[2])
    composed = unicodedata.normalize("NFC", letter + _COMBINING[match[1]])
    return composed if len(composed) == 1 else match[0]


def _decode_config() -> Any:
    """Return what is to be read of a page: letters, words, shapes, and where images stand."""
    from docling_parse.pdf_parsers import DecodePageConfig

    config = DecodePageConfig()
    config.page_boundary = "crop_box"
    config.do_sanitization = False
    config.keep_char_cells = config.create_word_cells = config.keep_shapes = config.keep_bitmaps = True
    config.create_line_cells = config.extract_bitmap_pixels = False
    config.release_native_memory_every_n_pages = _RELEASE
    return config


def _page(result: Any, fonts: dict[str, Font]) -> Page:
    number = result.page_number + 1
    if not result.success:
        return Page(number, 0.0, 0.0, failed=True)
    decoder, _ = result.get()
    left, low, right, high = decoder.get_page_dimension().get_crop_bbox()
    page = Page(number, abs(right - left), abs(high - low))
    _read_words(page, decoder, fonts)
    _read_shapes(page, decoder)
    for image in decoder.get_page_images():
        if getattr(image, "is_visible", True):
            seen = getattr(image, "has_visible_bbox", False)
            sides = (
                (image.visible_x0, image.visible_y0, image.visible_x1, image.visible_y1)
                if seen
                else (image.x0, image.y0, image.x1, image.y1)
            )
            page.images.append(_box(page, *sides))
    return page


def _read_words(page: Page, decoder: Any, fonts: dict[str, Font]) -> None:
    glyphs = Glyphs(decoder)
    ahead = back = 0
    level: list[Piece] = []
    for cell in decoder.get_word_cells():
        unpainted = cell.rendering_mode in _UNPAINTED
        along, up = cell.r_x1 - cell.r_x0, cell.r_y1 - cell.r_y0
        if min(abs(along), abs(up)) > _SLANTED * max(abs(along), abs(up)):
            _add_slanted(page, fonts, cell, unpainted)
        elif abs(up) <= abs(along):
            ahead, back = ahead + len(cell.text) * (along > 0), back + len(cell.text) * (along < 0)
            level += glyphs.split(cell, unpainted=unpainted)
        else:
            whole = Piece(cell.text, cell.font_name, cell.r_x0, cell.r_y0, cell.r_x2, cell.r_y2, unpainted=unpainted)
            _add_word(page.sideways, page, fonts, whole)
    for piece in glyphs.joined(level):
        _add_word(page.words, page, fonts, piece)
    page.upside_down = back > _MOST_BACK * (ahead + back)
    if any(RIGHT_TO_LEFT.search(word.text) for word in page.words):
        # the parser turns such words round, each by itself; how they are read is told by the whole line
        page.letters = [
            Letter(plain_letters(cell.text), *_box(page, cell.r_x0, cell.r_y0, cell.r_x2, cell.r_y2))
            for cell in decoder.get_char_cells()
            if abs(cell.r_y1 - cell.r_y0) <= abs(cell.r_x1 - cell.r_x0)
        ]


def _add_slanted(page: Page, fonts: dict[str, Font], cell: Any, unpainted: bool) -> None:
    """Add a word that runs up or down at a slant; one word with that before it, where it goes on from there."""
    across = (cell.r_x0, cell.r_x1, cell.r_x2, cell.r_x3)
    upwards = (cell.r_y0, cell.r_y1, cell.r_y2, cell.r_y3)
    added: list[Word] = []
    whole = Piece(cell.text, cell.font_name, min(across), min(upwards), max(across), max(upwards), unpainted=unpainted)
    _add_word(added, page, fonts, whole)
    for word in added:
        word.size = math.hypot(cell.r_x3 - cell.r_x0, cell.r_y3 - cell.r_y0)
        last = page.slanted[-1] if page.slanted else None
        if (
            last
            and last.font is word.font
            and abs(last.size - word.size) < 0.5
            and last.box.grown(word.size).meets(word.box)
        ):
            one = Word(*last.box.union(word.box), f"{last.text} {word.text}", word.font)
            one.size, one.unpainted = word.size, unpainted
            page.slanted[-1] = one
        else:
            page.slanted.append(word)


def _add_word(words: list[Word], page: Page, fonts: dict[str, Font], piece: Piece) -> None:
    """Add a word with its box, cut at the edges of the page; nothing for blanks and words off the page."""
    text = plain_letters(piece.text.replace(_NO_GLYPH, " ")).strip()
    if not text:
        return
    if " " in text:
        text = _NO_ROOM.sub("", text)
    if text[0] == "\u00ad":
        text = _NO_HYPHEN.sub("", text)
    text = sys.intern(text)  # most words come again
    font = fonts.get(piece.font)
    if font is None:
        font = fonts[piece.font] = font_of(piece.font)
    left, right = sorted((piece.left, piece.right))
    low, high = sorted((piece.low, piece.high))
    high = max(high, low + _LOWEST)
    top, bottom = page.height - high, page.height - low
    if right <= 0 or left >= page.width or bottom <= 0 or top >= page.height or right <= left or bottom <= top:
        return
    word = Word(max(left, 0.0), max(top, 0.0), min(right, page.width), min(bottom, page.height), text, font)
    if words and words[-1].top == word.top and words[-1].bottom == word.bottom:
        # words of a line have these numbers in common: a quarter of the memory of a long document
        word.top, word.bottom, word.size = words[-1].top, words[-1].bottom, words[-1].size
    word.unpainted, word.led = piece.unpainted, piece.led
    words.append(word)


def _read_shapes(page: Page, decoder: Any) -> None:
    shapes = decoder.get_page_shapes()
    boxes: list[Shape] = []
    if len(shapes) <= _MAX_SHAPES:
        short: list[Box] = []
        for x0, y0, x1, y1 in decoder.get_shape_lines(horizontal=True, vertical=True, tolerance=1e-3):
            _add_rule(page, _box(page, x0, y0, x1, y1))
        for shape in shapes:
            xs, ys = list(shape.get_x()), list(shape.get_y())
            if not xs:
                continue
            box = _box(page, min(xs), min(ys), max(xs), max(ys))
            boxes.append(Shape(box, tuple(shape.get_rgb_filling_ops()), is_upright(xs, ys)))
            narrow, long = sorted((max(xs) - min(xs), max(ys) - min(ys)))
            if narrow <= _THIN:
                _add_rule(page, box)
                short += [box] if _SHORT[0] <= box.bottom - box.top < _SHORT[1] else []
            if _SPOT[0] <= narrow and long <= _SPOT[1]:
                page.spots.append(box)
        _add_short(page, short)
    if len(shapes):
        drawings = [_box(page, *sides) for sides in decoder.get_connected_shape_bounding_boxes(tolerance=0.0)]
        if len(shapes) <= _MAX_SHAPES:
            drawings = without_stripes(page, without_bars(page, drawings, shapes), boxes)
        page.drawings = drawings
    page.horizontals = sorted(set(page.horizontals))
    page.verticals = sorted(set(page.verticals))


def _add_rule(page: Page, box: Box) -> None:
    wide, high = box.right - box.left, box.bottom - box.top
    if high <= _THIN and wide >= 12:
        page.horizontals.append((box.left, box.right, round((box.top + box.bottom) / 2, 2)))
    elif wide <= _THIN and high >= _SHORT[1]:
        page.verticals.append((box.top, box.bottom, round((box.left + box.right) / 2, 2)))


def _add_short(page: Page, pieces: Sequence[Box]) -> None:
    """Add short pieces of upright rules that go on with a rule: borders are drawn in pieces from row to row."""
    at: dict[int, list[tuple[float, float, float]]] = {}
    for rule in page.verticals:
        at.setdefault(round(rule[2]), []).append(rule)
    for box in pieces:
        x = round((box.left + box.right) / 2, 2)
        near = [rule for step in (-1, 0, 1) for rule in at.get(round(x) + step, ()) if abs(rule[2] - x) < _JOINS]
        above = any(abs(rule[1] - box.top) < _JOINS for rule in near)
        if above and any(abs(rule[0] - box.bottom) < _JOINS for rule in near):
            page.verticals.append((box.top, box.bottom, x))


def _box(page: Page, x0: float, y0: float, x1: float, y1: float) -> Box:
    left, right = sorted((x0, x1))
    low, high = sorted((y0, y1))

    def inside(value: float, limit: float) -> float:
        return min(max(value, 0.0), limit)

    return Box(
        inside(left, page.width),
        inside(page.height - high, page.height),
        inside(right, page.width),
        inside(page.height - low, page.height),
    )
