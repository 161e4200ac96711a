"""US patents in the text format of 1976 to 2001: sections and fields of four letters, text indented below them.

docling stops at the first table of such a file, so the text is read here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ragraph.ingest.draft import DraftNode, clean_text
from ragraph.schema.enums import ContentNodeType

N = ContentNodeType

_FIELD = re.compile(r"^([A-Z][A-Z0-9]{1,3})(?:\s+(.*))?$")
_SECTIONS = {"ABST": "ABSTRACT", "PARN": None, "GOVT": None, "BSUM": None, "DRWD": None, "DETD": None, "CLMS": "CLAIMS"}
_SECTIONS |= {"DCLM": "CLAIMS"}
_LINES_KEPT = {"TBL": N.CODE, "EQU": N.FORMULA}


class _Field(NamedTuple):
    section: str
    code: str
    lines: list[str]


def patent_nodes(text: str, title: str | None) -> list[DraftNode]:
    """Return the nodes of a patent in the order of the file: title, abstract, description and claims.

    Tables and equations, which the format has as printed lines, become CODE and FORMULA nodes with their lines.
    """
    nodes: list[DraftNode] = []

    def add(kind: ContentNodeType, content: str, level: int | None = None, marker: str | None = None) -> None:
        if content.strip():
            nodes.append(DraftNode(key=str(len(nodes)), type=kind, text=content, level=level, marker=marker))

    add(N.TITLE, title or "")
    section = number = ""
    for field in _fields(clean_text(text)):
        if field.section != section:
            section = field.section
            add(N.HEADING, _SECTIONS[section] or "", 1)
        words = " ".join(" ".join(field.lines).split())
        if field.code == "NUM":
            number = words
        elif kept := _LINES_KEPT.get(field.code[:3]):  # TBL, TBL3 ...
            add(kept, "\n".join(field.lines).strip("\n"))
        elif field.code == "PAC":
            add(N.HEADING, words, 1)
        else:
            add(N.LIST_ITEM if number else N.PARAGRAPH, words.removeprefix(number).strip(), marker=number or None)
            number = ""
    return nodes


def _fields(text: str) -> list[_Field]:
    """Split the sections with text into their fields; data of the patent office is left out."""
    fields: list[_Field] = []
    section = ""
    for line in text.split("\n"):
        match = _FIELD.match(line)
        if match is None:
            if section and fields:
                fields[-1].lines.append(line)
        elif len(match[1]) == 4 and not match[2]:
            section = match[1] if match[1] in _SECTIONS else ""
        elif section:
            fields.append(_Field(section, match[1], [match[2] or ""]))
    return fields
