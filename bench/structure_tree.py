"""The structure tree of a tagged PDF, read with pikepdf and PDFium: a truth independent of the reader."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class StructureTree:
    """A structure tree and the text that its elements mark.

    Attributes:
        pages: object of a page to its number, from 1.
        roles: the role map.
        texts: page and number of a marked piece to its text.
    """

    def __init__(self, pdf: Any, root: Any, path: Path) -> None:
        self.pages = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
        self.roles = {str(key): str(value) for key, value in dict(root.get("/RoleMap", {})).items()}
        self.texts = _marked_texts(path)

    def contents(self, element: Any, page: Any) -> Iterator[tuple[int, int]]:
        """Yield page and number of every marked piece below an element."""
        page = element.get("/Pg", page)
        for child in self.children(element):
            if isinstance(child, int):
                if page is not None:
                    yield self.pages.get(page.objgen, 0), child
            elif is_element(child):
                yield from self.contents(child, page)
            elif hasattr(child, "get") and "/MCID" in child:
                on = child.get("/Pg", page)
                if on is not None:
                    yield self.pages.get(on.objgen, 0), int(child.MCID)

    def children(self, element: Any) -> list[Any]:
        """Return the direct children of an element: elements, numbers and references of marked pieces."""
        import pikepdf

        kids = element.get("/K")
        if kids is None:
            return []
        return list(kids) if isinstance(kids, pikepdf.Array) else [kids]

    def role(self, element: Any) -> str:
        """Return the role of an element after the role map, without the slash."""
        role = str(element.get("/S", ""))
        for _ in range(8):
            if role not in self.roles:
                break
            role = self.roles[role]
        return role.lstrip("/")


def is_element(child: Any) -> bool:
    """Return True if a child of an element is an element itself."""
    return not isinstance(child, int) and hasattr(child, "get") and "/S" in child


def _marked_texts(path: Path) -> dict[tuple[int, int], str]:
    """Return the text of every marked piece by page, from 1, and number, as PDFium reads it."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    texts: dict[tuple[int, int], str] = {}
    with pypdfium2.PdfDocument(path) as pdf:
        for number in range(len(pdf)):
            page = pdf[number]
            text_page = page.get_textpage()
            for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT]):
                mark = pdfium.FPDFPageObj_GetMarkedContentID(item.raw)
                if mark >= 0:
                    size = pdfium.FPDFTextObj_GetText(item.raw, text_page.raw, None, 0)
                    buffer = ctypes.create_string_buffer(size)
                    pointer = ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR))
                    pdfium.FPDFTextObj_GetText(item.raw, text_page.raw, pointer, size)
                    text = buffer.raw[: size - 2].decode("utf-16-le", errors="replace")
                    texts[number + 1, mark] = texts.get((number + 1, mark), "") + text
    return texts
