"""Fields of a form: what is filled into them is printed on the page, but heads nothing."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.pdf.model import Box

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.ingest.readers.pdf.model import Page


def set_fields(pages: Sequence[Page], document: Any) -> None:
    """Set the boxes of the fields of forms; not of pages that are cropped or turned, whose places are others.

    Args:
        pages: from ``parse_pages``; ``fields`` change.
        document: the file, opened by ``facts.open_pdf``.
    """
    import pypdfium2.raw as pdfium

    if pdfium.FPDF_GetFormType(document.raw) == pdfium.FORMTYPE_NONE:
        return
    for page in pages:
        if page.failed or page.turn is not None or not page.words:
            continue
        handle = document[page.number - 1]
        left, bottom, right, top = handle.get_bbox()
        if not (abs(left) > 1 or abs(bottom) > 1 or abs(right - page.width) > 1 or abs(top - page.height) > 1):
            page.fields = list(_fields(page, handle))
        handle.close()


def _fields(page: Page, handle: Any) -> Iterator[Box]:
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFPage_GetAnnotCount(handle.raw)):
        note = pdfium.FPDFPage_GetAnnot(handle.raw, index)
        rect = pdfium.FS_RECTF()
        widget = pdfium.FPDFAnnot_GetSubtype(note) == pdfium.FPDF_ANNOT_WIDGET
        if widget and pdfium.FPDFAnnot_GetRect(note, ctypes.byref(rect)):
            low, high = sorted((rect.bottom, rect.top))
            yield Box(rect.left, page.height - high, rect.right, page.height - low)
        pdfium.FPDFPage_CloseAnnot(note)
