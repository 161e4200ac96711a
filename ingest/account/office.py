"""All text elements of an Office or OpenDocument file, whatever holds them."""

from __future__ import annotations

import html
import re
import zipfile
from typing import TYPE_CHECKING

from lxml import etree

from ragraph.ingest.account.words import Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_PARTS = {
    "docx": r"word/(document\d*|header\d*|footer\d*|footnotes|endnotes|comments|diagrams/data\d*)\.xml",
    "pptx": r"ppt/(slides/slide\d+|notesSlides/notesSlide\d+|comments/[^/]+|diagrams/data\d*)\.xml",
    "xlsx": r"xl/(comments\d*|drawings/drawing\d*|diagrams/data\d*)\.xml",
    "odt": r"(content|styles)\.xml",
    "ods": r"content\.xml",
    "odp": r"content\.xml",
}
_TEXTS = ("{*}t", "{*}delText", "{*}tab", "{*}br", "{*}cr", "{*}noBreakHyphen", "{*}text")
_BREAKS = frozenset({"tab", "br", "cr", "s", "line-break"})
_BLOCKS = frozenset({"p", "h", "comment", "cm"})
_DELETED, _COPY, _FIELD = "deleted by a tracked change", "copy for older programs", "number or date of a slide"
_REASONS = {
    "del": _DELETED, "moveFrom": _DELETED, "delText": _DELETED, "tracked-changes": _DELETED, "rt": "reading of ruby",
    "ruby-text": "reading of ruby", "rPh": "reading of ruby", "Fallback": _COPY, "fld": _FIELD, "page-number": _FIELD,
    "page-count": _FIELD, "shape-text": _COPY, "object": _COPY,
}  # fmt: skip
"""Elements whose text is not stored, and why."""

_ODF_REASONS = {
    "creator": "author and date of a comment",
    "date": "author and date of a comment",
    "note-citation": "number of a note",
}

_CELL = re.compile(rb"<(?:\w+:)?c\s([^>]*)>(.*?)</(?:\w+:)?c>", re.DOTALL)
_VALUE = re.compile(rb"<(?:\w+:)?(?:t|v)(?:\s[^>]*)?>([^<]*)</")


def office_pieces(path: Path, kind: str) -> Iterator[Piece]:
    """Yield the paragraphs of all parts with text of a file, and the texts of the cells of a workbook."""
    wanted = re.compile(_PARTS[kind])
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if wanted.fullmatch(name):
                texts = (
                    _odf_texts(_root(archive, name), name) if kind.startswith("od") else _texts(_root(archive, name))
                )
                yield from _grouped(texts)
        if kind == "xlsx":
            yield from _cells(archive)


def _root(archive: zipfile.ZipFile, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=True)
    return etree.fromstring(archive.read(name), parser)


def _texts(root: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Yield each text of a part of OOXML with its element; letters of a formula alone, because it is stored as TeX."""
    for element in root.iter(*_TEXTS):
        tag = str(element.tag)
        name = tag.rpartition("}")[2]
        if name in _BREAKS:
            yield element, " "
        elif name == "noBreakHyphen":
            yield element, "-"
        elif element.text and (name != "text" or len(element) == 0):
            yield element, f" {' '.join(element.text)} " if "math}" in tag else element.text


def _odf_texts(root: etree._Element, name: str) -> Iterator[tuple[etree._Element, str]]:
    """Yield each text node of a part of OpenDocument with its element; of the styles, those of headers and footers."""
    headers = ("{*}header", "{*}footer", "{*}header-left", "{*}footer-left")
    for start in [root] if name == "content.xml" else root.iter(*headers):
        for element in start.iter(etree.Element):
            if str(element.tag).rpartition("}")[2] in _BREAKS:
                yield element, " "
            if element.text:
                yield element, element.text
            parent = element.getparent()
            if element.tail and parent is not None:
                yield parent, element.tail


def _grouped(texts: Iterable[tuple[etree._Element, str]]) -> Iterator[Piece]:
    """Yield the texts of each paragraph together, those that are not stored alone."""
    groups: dict[tuple[etree._Element, str | None], list[str]] = {}
    known: dict[etree._Element, tuple[etree._Element | None, str | None]] = {}
    for element, text in texts:
        block, reason = _place(element, known)
        if block is not None:
            groups.setdefault((block, reason), []).append(text)
    for (_, reason), parts in groups.items():
        if (whole := "".join(parts)).strip():
            yield Piece(whole, reason)


def _place(
    element: etree._Element, known: dict[etree._Element, tuple[etree._Element | None, str | None]]
) -> tuple[etree._Element | None, str | None]:
    """Return the paragraph around an element, and why its text is not stored."""
    way: list[etree._Element] = []
    at: etree._Element | None = element
    while at is not None and at not in known:
        way.append(at)
        at = at.getparent()
    block, reason = known[at] if at is not None else (None, None)
    for one in reversed(way):
        tag = str(one.tag)
        name = tag.rpartition("}")[2]
        block = one if name in _BLOCKS else block
        reason = reason or _REASONS.get(name) or (_ODF_REASONS.get(name) if _ODF.search(tag) else None)
        if name == "r" and reason is None and one.find("{*}rPr/{*}vanish") is not None:
            reason = "hidden"
        known[one] = block, reason
    return block, reason


_ODF = re.compile(r"opendocument|purl\.org/dc")


def _cells(archive: zipfile.ZipFile) -> Iterator[Piece]:
    """Yield the texts of cells, each as often as cells show it; numbers are shown in their formats and not compared."""
    names = archive.namelist()
    shared: list[str] = []
    if "xl/sharedStrings.xml" in names:
        shared = [_shown(entry) for entry in _root(archive, "xl/sharedStrings.xml").iterfind("{*}si")]
    for name in names:
        if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
            for found in _CELL.finditer(archive.read(name)):
                values = _VALUE.findall(found[2])
                if b't="s"' in found[1] and values and values[-1].isdigit() and int(values[-1]) < len(shared):
                    yield Piece(shared[int(values[-1])])
                elif b't="inlineStr"' in found[1] or b't="str"' in found[1]:
                    yield Piece(html.unescape(b" ".join(values).decode("utf-8", "replace")))


def _shown(entry: etree._Element) -> str:
    """Return a shared text without the readings of its East Asian words."""
    readings = {text for reading in entry.iter("{*}rPh") for text in reading.iter("{*}t")}
    return "".join(text.text or "" for text in entry.iter("{*}t") if text not in readings)
