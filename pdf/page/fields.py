"""Fields of a form: what is filled into them is printed on the page, but heads nothing."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Box

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Page

_NO_VALUE = 2
"""Bytes of a value that is empty: the two that end it."""


def set_fields(pages: Sequence[Page], document: Any) -> None:
    """Set the boxes of the fields of forms that are filled in and shown.

    Not of pages that are cropped or turned, also by their ``/Rotate``: places of fields are others there.

    Args:
        pages: from ``parse_pages``; ``fields`` change.
        document: the file, opened by ``facts.open_pdf``.
    """
    import pypdfium2.raw as pdfium

    if pdfium.FPDF_GetFormType(document.raw) == pdfium.FORMTYPE_NONE:
        return
    for page in pages:
        if page.failed or not page.words:
            continue
        handle = document[page.number - 1]
        if page.lies_on(handle):
            page.fields = list(_fields(page, handle, document.formenv))
        handle.close()


def _fields(page: Page, handle: Any, form: Any) -> Iterator[Box]:
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFPage_GetAnnotCount(handle.raw)):
        note = pdfium.FPDFPage_GetAnnot(handle.raw, index)
        rect = pdfium.FS_RECTF()
        if _is_filled(note, form) and pdfium.FPDFAnnot_GetRect(note, ctypes.byref(rect)):
            low, high = sorted((rect.bottom, rect.top))
            yield Box(rect.left, page.height - high, rect.right, page.height - low)
        pdfium.FPDFPage_CloseAnnot(note)


def _is_filled(note: Any, form: Any) -> bool:
    """Say whether an annotation is a field for text or a choice that is shown and has a value; buttons have none."""
    import pypdfium2.raw as pdfium

    unseen = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
    if pdfium.FPDFAnnot_GetSubtype(note) != pdfium.FPDF_ANNOT_WIDGET or pdfium.FPDFAnnot_GetFlags(note) & unseen:
        return False
    kinds = (pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
    if pdfium.FPDFAnnot_GetFormFieldType(form, note) not in kinds:
        return False
    return bool(pdfium.FPDFAnnot_GetFormFieldValue(form, note, None, 0) > _NO_VALUE)
