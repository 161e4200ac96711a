"""The structure tree of a tagged PDF, page by page, and where on the page its marked content stands."""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.pdf.model import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragraph.pdf.model import Word

_DEEPEST = 100
"""Elements nested more deeply are left out: a broken tree may go in a circle."""
_FINE = 16
"""PDFium gives places on the page in whole units: so many to a point."""


@dataclass
class Element:
    """A structure element as far as it stands on one page.

    Attributes:
        role: its type after the role map of the file, for example "P".
        kids: elements and numbers of marked content, in their order.
        alt: description in words, if stated.
        rows: rows that a cell covers.
        columns: columns that a cell covers.
        box: place on the page, if the file states it.
    """

    role: str
    kids: list[Element | int] = field(default_factory=list)
    alt: str = ""
    rows: int = 1
    columns: int = 1
    box: Box | None = None

    def walk(self) -> Iterator[Element]:
        """Yield the element and all below it, parents first."""
        yield self
        for kid in self.kids:
            if isinstance(kid, Element):
                yield from kid.walk()


class Piece(NamedTuple):
    """A piece of content: its number, or -1, its box, whether it is an artifact, and whether it is text."""

    mark: int
    box: Box
    artifact: bool
    text: bool


@dataclass
class TaggedPage:
    """What the tags say of a page.

    Attributes:
        number: from 1.
        elements: at the top of the tree.
        pieces: the content in the order it is drawn.
        words: as printed, once they are known.
    """

    number: int
    elements: list[Element]
    pieces: list[Piece]
    words: Sequence[Word] = ()

    def __post_init__(self) -> None:
        self._marked: dict[int, list[Piece]] = defaultdict(list)
        for piece in self.pieces:
            if piece.mark >= 0:
                self._marked[piece.mark].append(piece)

    def marked(self, mark: int) -> list[Piece]:
        """Return the content of a number, in the order it is drawn."""
        return self._marked.get(mark, [])


def is_tagged(document: Any) -> bool:
    """Return True if a file states that it is tagged."""
    import pypdfium2.raw as pdfium

    return bool(pdfium.FPDFCatalog_IsTagged(document.raw))


def read_tagged_page(document: Any, number: int) -> TaggedPage | None:
    """Return what the tags say of a page; None where it has no tree.

    Args:
        document: opened by ``facts.open_pdf``.
        number: of the page, from 1.
    """
    import pypdfium2.raw as pdfium

    page = document[number - 1]
    tree = pdfium.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        page.close()
        return None
    try:
        place = _Place(page)
        tops = (
            pdfium.FPDF_StructTree_GetChildAtIndex(tree, index)
            for index in range(pdfium.FPDF_StructTree_CountChildren(tree))
        )
        elements = [_element(top, place, 0) for top in tops if top]
        return TaggedPage(number, elements, list(_pieces(page, place)))
    finally:
        pdfium.FPDF_StructTree_Close(tree)
        page.close()


class _Place:
    """Turns places of the file into places on the page as it is shown: origin top left, rotation and crop applied."""

    def __init__(self, page: Any) -> None:
        self.page = page.raw
        self.size = (int(page.get_width() * _FINE), int(page.get_height() * _FINE))
        self.scale = (page.get_width() / max(self.size[0], 1), page.get_height() / max(self.size[1], 1))

    def __call__(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the box between two corners."""
        one, other = self._point(left, bottom), self._point(right, top)
        return Box(min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1]))

    def _point(self, x: float, y: float) -> tuple[float, float]:
        import pypdfium2.raw as pdfium

        across, down = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDF_PageToDevice(self.page, 0, 0, *self.size, 0, x, y, across, down)
        return across.value * self.scale[0], down.value * self.scale[1]


def _element(raw: Any, place: _Place, depth: int) -> Element:
    import pypdfium2.raw as pdfium

    element = Element(
        _string(lambda *out: pdfium.FPDF_StructElement_GetType(raw, *out)),
        alt=re.sub(r"\s+", " ", _string(lambda *out: pdfium.FPDF_StructElement_GetAltText(raw, *out))).strip(),
    )
    _set_attributes(element, raw, place)
    for index in range(pdfium.FPDF_StructElement_CountChildren(raw) if depth < _DEEPEST else 0):
        child = pdfium.FPDF_StructElement_GetChildAtIndex(raw, index)
        if child:
            element.kids.append(_element(child, place, depth + 1))
            continue
        mark = pdfium.FPDF_StructElement_GetChildMarkedContentID(raw, index)
        if mark >= 0:
            element.kids.append(mark)
    return element


def _set_attributes(element: Element, raw: Any, place: _Place) -> None:
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDF_StructElement_GetAttributeCount(raw)):
        attributes = pdfium.FPDF_StructElement_GetAttributeAtIndex(raw, index)
        if not attributes:
            continue
        for name in ("RowSpan", "ColSpan"):
            number = _number(pdfium.FPDF_StructElement_Attr_GetValue(attributes, name.encode()))
            if number is not None and 1 < number < 1000:
                setattr(element, "rows" if name == "RowSpan" else "columns", int(number))
        sides = pdfium.FPDF_StructElement_Attr_GetValue(attributes, b"BBox")
        if sides and pdfium.FPDF_StructElement_Attr_CountChildren(sides) == 4:
            found = [_number(pdfium.FPDF_StructElement_Attr_GetChildAtIndex(sides, side)) for side in range(4)]
            numbers = [number for number in found if number is not None]
            if len(numbers) == 4:
                element.box = place(*numbers)


def _number(value: Any) -> float | None:
    import pypdfium2.raw as pdfium

    number = ctypes.c_float()
    return number.value if value and pdfium.FPDF_StructElement_Attr_GetNumberValue(value, number) else None


def _string(read: Callable[..., int]) -> str:
    """Return a string that PDFium writes as UTF-16 into a buffer of the size it asks for."""
    size = read(None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", errors="replace")


def _pieces(page: Any, place: _Place) -> Iterator[Piece]:
    """Yield the content of a page in the order it is drawn; what a form holds counts as one piece."""
    import pypdfium2.raw as pdfium

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for index in range(pdfium.FPDFPage_CountObjects(page.raw)):
        item = pdfium.FPDFPage_GetObject(page.raw, index)
        if not pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            continue
        mark = pdfium.FPDFPageObj_GetMarkedContentID(item)
        text = pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_TEXT
        artifact = mark < 0 and _is_artifact(item)
        yield Piece(mark, place(left.value, bottom.value, right.value, top.value), artifact, text)


def _is_artifact(item: Any) -> bool:
    """Return True if content is marked as no part of the text: running heads, page numbers, rules, backgrounds."""
    import pypdfium2.raw as pdfium

    name = (ctypes.c_ushort * 16)()
    size = ctypes.c_ulong()
    for index in range(pdfium.FPDFPageObj_CountMarks(item)):
        mark = pdfium.FPDFPageObj_GetMark(item, index)
        if pdfium.FPDFPageObjMark_GetName(mark, name, 32, size) and size.value == 2 * len("Artifact") + 2:
            return bytes(name)[: size.value - 2].decode("utf-16-le", errors="replace") == "Artifact"
    return False
