"""Notes, comments, headers and footers of rich text, which the library leaves out."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.ingest.readers.office.docx_marks import printed
from ragraph.ingest.readers.text.rtf_opening import groups, replace_groups, text_of
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from ragraph.ingest.readers.docling.marks import Marks

_COMMENT = re.compile(r"\{\\\*\\annotation(?![a-z]) ?")
_AUTHORED = re.compile(r"\{\\\*\\(?=(?:atnauthor|annotation)(?![a-z]))")
_NUMBER, _DAY = (re.compile(rf"\{{\\\*\\{word}\s+(-?\d+)\s*\}}") for word in ("atnref", "atndate"))
_BEGIN, _END = (re.compile(rf"\{{\\\*\\atrf{word}\s+(\d+)\s*\}}") for word in ("start", "end"))
_NOTE = re.compile(r"\{(?:\\\*)?\\footnote(?![a-z])")
_IS_END = re.compile(r"\\ftnalt(?![a-z])")
_COUNTED = re.compile(r"\\chftn(?![a-z])")
_RUNNING = {
    ComponentType.HEADER: re.compile(r"\{\\header[lrf]?(?![a-z]) ?"),
    ComponentType.FOOTER: re.compile(r"\{\\footer[lrf]?(?![a-z]) ?"),
}
_LONGEST = 2000
"""Letters of the source of what a comment is about; the library is slow, and many comments may be about one text."""


class RtfNote(NamedTuple):
    """A note or comment: its name, its printed number, its source; author, date and words of a comment."""

    anchor: str
    marker: str | None
    source: str
    data: dict[str, Any]


def take_running(source: str) -> tuple[str, list[tuple[ComponentType, str]]]:
    """Return a source without its headers and footers, and these in their order, equal ones once."""
    found: dict[tuple[ComponentType, str], None] = {}
    for kind, begin in _RUNNING.items():
        found |= dict.fromkeys((kind, content) for _, _, content in groups(source, begin))
        source = replace_groups(source, begin, lambda _: "")
    return source, list(found)


def take_notes(source: str, charset: str, marks: Marks) -> tuple[str, list[RtfNote]]:
    """Return a source with marks in place of its notes and comments, and these in their order."""
    notes: list[RtfNote] = []
    counts = {"footnote": 0, "endnote": 0}
    authors = iter(_authors(source, charset))
    begins = {found[1]: found.end() for found in _BEGIN.finditer(source)}
    ends = {found[1]: found.start() for found in _END.finditer(source)}
    whole = source

    def comment(content: str) -> str:
        number, day = _NUMBER.search(content), _DAY.search(content)
        key = number[1] if number else ""
        about = whole[begins[key] : ends[key]] if key in begins and key in ends else ""
        if len(about) > _LONGEST:
            about = about[:_LONGEST].rpartition(" ")[0]  # no part of a control word
        # braces are not balanced in it; each may close one that it does not open
        words = text_of("{" * about.count("}") + about, charset)
        stated = {"author": next(authors, ""), "words": " ".join(words.split())}
        data = {name: text for name, text in (*stated.items(), ("date", _date(day))) if text}
        notes.append(RtfNote(f"comment-{len(notes)}", None, content, data))
        return f"{{{marks.put('note', notes[-1].anchor)}}}"

    def note(content: str) -> str:
        kind = "endnote" if _IS_END.search(content) else "footnote"
        marker = None
        if _COUNTED.search(content):
            counts[kind] += 1
            marker = printed(counts[kind], "decimal" if kind == "footnote" else "lowerRoman")
        notes.append(RtfNote(f"{kind}-{len(notes)}", marker, _IS_END.sub("", content), {}))
        return f"{{{marks.put('note', notes[-1].anchor, marker)}}}"

    source = replace_groups(source, _COMMENT, comment)
    return replace_groups(source, _NOTE, note), notes


def _authors(source: str, charset: str) -> list[str]:
    """Return the author of each comment, which is stated behind the comment before; an empty string if none is."""
    authors: list[str] = []
    author = ""
    for _, _, content in groups(source, _AUTHORED):
        if content.startswith("annotation"):
            authors.append(author)
            author = ""
        else:
            author = text_of(content.removeprefix("atnauthor"), charset).strip()
    return authors


def _date(stated: re.Match[str] | None) -> str:
    """Return the time of a comment, whose bits are minute, hour, day, month and year since 1900; empty if invalid."""
    bits = int(stated[1]) & 0xFFFFFFFF if stated else 0
    try:
        day = datetime(1900 + (bits >> 20 & 511), bits >> 16 & 15, bits >> 11 & 31, bits >> 6 & 31, bits & 63)
    except ValueError:
        return ""
    return day.isoformat()
