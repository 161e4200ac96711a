"""Numbers of lists on slides as PowerPoint prints them: a), IV., ③; the converter counts 1., 2., 3. for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.office.docx_marks import printed

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.readers.docling.marks import Marks

_KINDS = {
    "arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}  # fmt: skip
_ENDS = {"ParenBoth": ("(", ")"), "ParenR": ("", ")"), "Period": ("", "."), "Minus": ("", "-"), "Plain": ("", "")}


def write_numbers(root: etree._Element, marks: Marks) -> None:
    """Write the number of each numbered paragraph of a slide as a mark into its first text."""
    for body in root.iter("{*}txBody"):
        counts: dict[int, tuple[str, str, int]] = {}  # kind, first number and number, by level
        for paragraph in body.iterfind("{*}p"):
            first = next((one for one in paragraph.iter("{*}t") if one.text), None)
            if first is None:
                continue  # a paragraph without text has no number
            settings = paragraph.find("{*}pPr")
            level = int(settings.get("lvl") or 0) if settings is not None else 0
            stated = settings.find("{*}buAutoNum") if settings is not None else None
            counts = {deep: one for deep, one in counts.items() if deep <= level}
            if stated is None:
                counts.pop(level, None)
                continue
            kind, begin = stated.get("type", ""), stated.get("startAt") or "1"
            known = counts.get(level)
            number = known[2] + 1 if known is not None and known[:2] == (kind, begin) else int(begin)
            counts[level] = (kind, begin, number)
            if shown := _shown(kind, number):
                first.text = marks.put("number", shown, " ") + (first.text or "")


def _shown(kind: str, number: int) -> str | None:
    """Return a number as printed; None for kinds that are not known."""
    if kind.startswith("circleNum"):
        return chr(0x245F + number) if number <= 20 else f"({number})"
    for name, style in _KINDS.items():
        if kind.startswith(name) and kind[len(name) :] in _ENDS:
            before, behind = _ENDS[kind[len(name) :]]
            return f"{before}{printed(number, style)}{behind}"
    return None
