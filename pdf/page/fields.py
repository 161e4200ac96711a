"""Fields of a form: what is filled into them is text of the page, but heads nothing.

Some programs store the value of a field and leave its look to the viewer. Such values become words at the place of the
field. Boxes to check become the signs that viewers show.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.pdf.model import Box, Word, font_of
from ragraph.pdf.patterns import CHECKED, UNCHECKED
from ragraph.pdf.strings import utf16

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Page

_FONT = font_of("Helvetica")
"""The font that viewers take for values of which the file gives no look."""
_LEAST, _MOST = 6.0, 12.0
"""Points: sizes of type of such values."""
_FILL = 0.7
"""Size of the type of a value, by the height of its line in the field."""


class Field(NamedTuple):
    """A field of a form that a page shows: its box, and its value; boxes to check have a sign for one."""

    box: Box
    value: str
    is_box: bool


def set_fields(pages: Sequence[Page], document: Any) -> list[int]:
    """Add the values of fields to the words of pages, and set the boxes of the fields that are filled in.

    Values that a page prints already stay as they are. Pages that are cropped or turned, also by their ``/Rotate``, are
    left alone: places of fields are others there.

    Args:
        pages: from ``parse_pages``; ``fields`` and ``words`` change.
        document: the file, opened by ``facts.open_pdf``.

    Returns:
        Numbers of the pages whose values could not be placed.
    """
    import pypdfium2.raw as pdfium

    lost: list[int] = []
    if pdfium.FPDF_GetFormType(document.raw) == pdfium.FORMTYPE_NONE:
        return lost
    for page in pages:
        if page.failed:
            continue
        handle = document[page.number - 1]
        found = list(_fields(page, handle, document.formenv))
        if page.lies_on(handle):
            page.fields = [field.box for field in found if not field.is_box]
            for field in found:
                _add(page, field)
        elif any(not any(field.value in word.text for word in page.words) for field in found):
            lost.append(page.number)
        handle.close()
    return lost


def _add(page: Page, field: Field) -> None:
    """Add the value of a field to the words of its page, unless the page prints it; signs of boxes replace theirs."""
    inside = [word for word in page.words if field.box.grown(1).holds(word.box)]
    if field.is_box:
        gone = {id(word) for word in inside if len(word.text) == 1}
        page.words = [word for word in page.words if id(word) not in gone]
    elif inside:
        return
    lines = [line.split() for line in field.value.splitlines() if line.strip()]
    pitch = field.box.height / max(len(lines), 1)
    size = min(max(_FILL * pitch, _LEAST), _MOST)
    for number, line in enumerate(lines):
        middle = field.box.top + (number + 0.5) * pitch
        step = min(field.box.width / max(sum(map(len, line)) + len(line), 1), 0.55 * size)
        left = field.box.left
        for text in line:
            word = Word(left, middle - size / 2, left + step * len(text), middle + size / 2, text, _FONT)
            page.words.append(word)
            left = word.right + step


def _fields(page: Page, handle: Any, form: Any) -> Iterator[Field]:
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFPage_GetAnnotCount(handle.raw)):
        note = pdfium.FPDFPage_GetAnnot(handle.raw, index)
        rect = pdfium.FS_RECTF()
        value = _value(note, form)
        if value and pdfium.FPDFAnnot_GetRect(note, ctypes.byref(rect)):
            low, high = sorted((rect.bottom, rect.top))
            box = Box(rect.left, page.height - high, rect.right, page.height - low)
            yield Field(box, value, value in {CHECKED, UNCHECKED})
        pdfium.FPDFPage_CloseAnnot(note)


def _value(note: Any, form: Any) -> str:
    """Return the value of an annotation that is a field for text, a choice or a box, and is shown; else nothing."""
    import pypdfium2.raw as pdfium

    unseen = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
    if pdfium.FPDFAnnot_GetSubtype(note) != pdfium.FPDF_ANNOT_WIDGET or pdfium.FPDFAnnot_GetFlags(note) & unseen:
        return ""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, note)
    if kind in {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}:
        return CHECKED if pdfium.FPDFAnnot_IsChecked(form, note) else UNCHECKED
    if kind in {pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}:
        count = pdfium.FPDFAnnot_GetOptionCount(form, note)
        chosen = [utf16(lambda *room, at=at: pdfium.FPDFAnnot_GetOptionLabel(form, note, at, *room))
                  for at in range(count) if pdfium.FPDFAnnot_IsOptionSelected(form, note, at)]  # fmt: skip
        if chosen:
            return "\n".join(chosen)
    elif kind != pdfium.FPDF_FORMFIELD_TEXTFIELD:
        return ""
    return utf16(lambda *room: pdfium.FPDFAnnot_GetFormFieldValue(form, note, *room))
