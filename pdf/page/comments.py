"""Comments that readers wrote on a page: sticky notes, and what is written to highlights and other marks."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Block, Box, Comment, Kind, Line, Word, font_of
from ragraph.pdf.strings import utf16

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Page

_FONT = font_of("Helvetica")
_SIZE = 9.0
"""Points: size of the type of a comment, which the page does not print."""


def read_comments(pages: Sequence[Page], document: Any) -> None:
    """Set the comments of pages, with their places.

    What somebody typed onto a page is text of it, if it has a look; its box is that of a field.

    Args:
        pages: from ``parse_pages``; ``comments`` and ``fields`` change.
        document: the file, opened by ``facts.open_pdf``.
    """
    for page in pages:
        if page.failed:
            continue
        handle = document[page.number - 1]
        lies = page.lies_on(handle)
        for comment in _comments(handle):
            left, low, right, high = comment.box
            # On a page that is cropped or turned, places are others: the comment is at its end.
            box = Box(0.0, page.height, page.width, page.height)
            if lies:
                box = Box(left, page.height - high, right, page.height - low)
            typed = comment.kind == "free text"
            if typed and any(box.grown(2).holds(word.box) for word in page.words):
                page.fields = [*page.fields, box]
            else:
                page.comments.append(comment._replace(box=box))
        handle.close()


def _comments(handle: Any) -> Iterator[Comment]:
    """Yield the comments of a page; their boxes are upside down, as the file has them."""
    import pypdfium2.raw as pdfium

    kinds = {
        pdfium.FPDF_ANNOT_TEXT: "note", pdfium.FPDF_ANNOT_FREETEXT: "free text",
        pdfium.FPDF_ANNOT_HIGHLIGHT: "highlight", pdfium.FPDF_ANNOT_UNDERLINE: "underline",
        pdfium.FPDF_ANNOT_SQUIGGLY: "underline", pdfium.FPDF_ANNOT_STRIKEOUT: "strikeout",
        pdfium.FPDF_ANNOT_CARET: "insertion", pdfium.FPDF_ANNOT_INK: "drawing", pdfium.FPDF_ANNOT_LINE: "drawing",
        pdfium.FPDF_ANNOT_SQUARE: "drawing", pdfium.FPDF_ANNOT_CIRCLE: "drawing",
        pdfium.FPDF_ANNOT_POLYGON: "drawing", pdfium.FPDF_ANNOT_POLYLINE: "drawing", pdfium.FPDF_ANNOT_STAMP: "stamp",
    }  # fmt: skip
    unseen = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
    for index in range(pdfium.FPDFPage_GetAnnotCount(handle.raw)):
        note = pdfium.FPDFPage_GetAnnot(handle.raw, index)
        kind = kinds.get(pdfium.FPDFAnnot_GetSubtype(note))
        text = _entry(note, b"Contents") if kind and not pdfium.FPDFAnnot_GetFlags(note) & unseen else ""
        rect = pdfium.FS_RECTF()
        if kind and text and pdfium.FPDFAnnot_GetRect(note, ctypes.byref(rect)):
            low, high = sorted((rect.bottom, rect.top))
            yield Comment(kind, " ".join(text.split()), _entry(note, b"T"), Box(rect.left, low, rect.right, high))
        pdfium.FPDFPage_CloseAnnot(note)


def _entry(note: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    return utf16(lambda *room: pdfium.FPDFAnnot_GetStringValue(note, key, *room))


def add_comments(page: Page) -> None:
    """Put the comments of a page behind the blocks that they are written on, as notes to these.

    Args:
        page: with its blocks in reading order, which change.
    """
    for comment in page.comments:
        box = page.turn.placed(comment.box) if page.turn else comment.box
        word = Word(box.left, box.top, box.right, max(box.bottom, box.top + _SIZE), comment.text, _FONT)
        block = Block(page.number, [Line([word])], Kind.NOTE, [(page.number, box)], comment=comment)
        place = _place(page, box)
        if place is not None:
            block.about = page.blocks[place]
            while place + 1 < len(page.blocks) and page.blocks[place + 1].comment is not None:
                place += 1
        page.blocks.insert(len(page.blocks) if place is None else place + 1, block)


def _place(page: Page, box: Box) -> int | None:
    """Return the number of the block that a box is on, or, beside the text, the last one that begins above its foot."""
    middle = box.middle_y
    best: tuple[float, int] | None = None
    for number, block in enumerate(page.blocks):
        for on, part in block.parts:
            if on != page.number or block.comment is not None:
                continue
            down = max(part.top - middle, middle - part.bottom, 0.0)
            across = max(part.left - box.right, box.left - part.right, 0.0)
            far = (2 * down + across, number)
            best = far if best is None or far < best else best
    return None if best is None else best[1]
