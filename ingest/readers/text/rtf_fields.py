"""Fields of rich text: links and references as marks, and what form fields and equations show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.office.docx_marks import field_mark
from ragraph.ingest.readers.office.fields import field_text
from ragraph.ingest.readers.text.rtf_opening import groups, replace_groups, text_of, written

if TYPE_CHECKING:
    from ragraph.ingest.readers.docling.marks import Marks

_FIELD = re.compile(r"\{\\field(?![a-z])")
_INSTRUCTION = re.compile(r"\{(?:\\\*\s*)?\\fldinst(?![a-z]) ?")
_RESULT = re.compile(r"\{\\fldrslt(?![a-z]) ?")
_PLACE = re.compile(r"\{\\\*\\bkmkstart(?![a-z]) ?")
_FORM = re.compile(r"\\ff(type|res|defres)(\d+)")
_ENTRY = re.compile(r"\{\\\*\\ffl(?![a-z]) ?")
_BOX = "\u2610", "\u2612"
_UNSET = 25
"""Result of a form field that nobody has filled; its default counts."""

_PARTS = re.compile(r"\\(?:par|cell|row|sect|page)(?![a-z])")
_DEEPEST = 20


def show_fields(source: str, charset: str, marks: Marks, depth: int = 0) -> str:
    """Return a source with the results of its fields in their places, links and references between marks.

    Args:
        source: rich text, decoded as Latin-1.
        charset: the character set of the file.
        marks: the marks of the document.
        depth: how many fields are around it.
    """

    def shown(field: str) -> str:
        _, end, asked = next(groups(field, _INSTRUCTION), (0, 0, ""))
        # fields within the instruction have results of their own
        _, _, result = next(groups(field[end:], _RESULT), (0, 0, ""))
        if depth < _DEEPEST:
            result = show_fields(result, charset, marks, depth + 1)
        instruction = text_of(asked, charset)
        if text := field_text(instruction) or _filled(asked, charset):
            return f"{{{result if text_of(result, charset).strip() else written(text)}}}"
        kind, value = field_mark(instruction)
        if not kind or _PARTS.search(result) or not (value or kind == "cite"):
            return f"{{{result}}}"
        return f"{{{marks.around(result, kind, value)}}}"

    if depth == 0:
        source = replace_groups(
            source, _PLACE, lambda name: f"{{{marks.put('anchor', text_of(name, charset).strip())}}}"
        )
    return replace_groups(source, _FIELD, shown)


def _filled(asked: str, charset: str) -> str:
    """Return the box of a form's checkbox, or the choice of a list; an empty string for others."""
    stated = {name: int(number) for name, number in _FORM.findall(asked)}
    kind, chosen = stated.get("type"), stated.get("res", _UNSET)
    chosen = stated.get("defres", 0) if chosen == _UNSET else chosen
    if kind == 1:
        return _BOX[min(chosen, 1)]
    entries = [text_of(entry, charset) for _, _, entry in groups(asked, _ENTRY)]
    return entries[chosen] if kind == 2 and chosen < len(entries) else ""
