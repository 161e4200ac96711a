"""All text elements of an Office or OpenDocument file, whatever holds them."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

from lxml import etree

from ragraph.ingest.account.sheets import cell_pieces, value_pieces
from ragraph.ingest.account.words import Piece, equation_letters
from ragraph.ingest.readers.office.pictures import FILE_NAME
from ragraph.ingest.readers.office.symbols import is_of_signs, shown_in, symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_PARTS = {
    "docx": r"word/(document\d*|header\d*|footer\d*|footnotes|endnotes|comments|diagrams/data\d*)\.xml",
    "pptx": r"ppt/(slides/slide\d+|notesSlides/notesSlide\d+|comments/[^/]+|diagrams/data\d*)\.xml",
    "xlsx": r"xl/(comments\d*|(?:comments|threadedComments)/[^/]+|drawings/drawing\d*|diagrams/data\d*)\.xml",
    "odt": r"(content|styles)\.xml",
    "ods": r"content\.xml",
    "odp": r"content\.xml",
}
_DOCUMENT = "word/document.xml"
_RUNNING = re.compile(r"word/(?:header|footer)")
_TEXTS = tuple(
    f"{{*}}{name}"
    for name in ("t", "docPr", "sym", "fldChar", "instrText", "delText", "tab", "br", "cr", "noBreakHyphen", "text")
)
_BREAKS = frozenset({"tab", "br", "cr", "s", "line-break"})
_BLOCKS = frozenset({"p", "h", "comment", "threadedComment", "cm", "title", "desc"})
_DELETED, _COPY, _FIELD = "deleted by a tracked change", "copy for older programs", "number or date of a slide"
_REASONS = {
    "del": _DELETED, "moveFrom": _DELETED, "delText": _DELETED, "tracked-changes": _DELETED, "rt": "reading of ruby",
    "ruby-text": "reading of ruby", "rPh": "reading of ruby", "Fallback": _COPY, "fld": _FIELD, "page-number": _FIELD,
    "page-count": _FIELD, "shape-text": _COPY, "object": _COPY,
    **dict.fromkeys(
        ("table-of-content", "illustration-index", "table-index", "object-index", "user-index", "alphabetical-index"),
        "index that the program makes",
    ),
    **dict.fromkeys(
        ("index-title-template", "bibliography-entry-template", "index-entry-span"), "template of an index"
    ),
}  # fmt: skip
"""Elements whose text is not stored, and why."""

_ODF_REASONS = {
    "creator": "author and date of a comment",
    "date": "author and date of a comment",
    "note-citation": "number of a note",
}


def office_pieces(path: Path, kind: str) -> Iterator[Piece]:
    """Yield the paragraphs of all parts with text of a file, and the texts of the cells of a workbook."""
    wanted = re.compile(_PARTS[kind])
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if wanted.fullmatch(name)]
        document = _root(archive, _DOCUMENT) if kind == "docx" and _DOCUMENT in names else None
        running = any(_RUNNING.match(name) for name in names)
        left = _not_shown(archive, document) if document is not None and running else set()
        if document is not None:
            _hide_by_style(archive, document)
        for name in names:
            root = document if document is not None and name == _DOCUMENT else _root(archive, name)
            if root is not None:
                _write_signs(root)
                if kind == "xlsx":
                    _mark_copies(root)
                texts = _odf_texts(root, name) if kind.startswith("od") else _texts(root)
                reason = "header or footer that no page shows" if name in left else None
                yield from (Piece(one.text, one.reason or reason) for one in _grouped(texts))
        if kind == "xlsx":
            yield from cell_pieces(archive)
        if kind == "ods":
            yield from value_pieces(_root(archive, "content.xml"))


def _root(archive: zipfile.ZipFile, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=True)
    return etree.fromstring(archive.read(name), parser)


def _texts(root: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Yield each text of a part of OOXML with its element; letters of a formula alone, because it is stored as TeX."""
    fields: list[tuple[list[str], bool]] = []  # instruction of each open one, and whether its result has begun
    for element in root.iter(*_TEXTS):
        tag = str(element.tag)
        name = tag.rpartition("}")[2]
        if name == "fldChar":
            kind = next(iter(element.attrib.values()), "")
            if kind == "begin":
                fields.append(([], False))
            elif fields and kind == "separate":
                fields[-1] = fields[-1][0], True
            elif fields and kind == "end":
                yield element, equation_letters("".join(fields.pop()[0]))
        elif name == "instrText":
            if fields:
                fields[-1][0].append(element.text or "")
        elif len(fields) > 1 and fields[-1][1] and not all(separate for _, separate in fields[:-1]):
            continue  # a part of an instruction
        elif name == "docPr":
            words = (element.get("descr") or "").strip()
            yield element, "" if FILE_NAME.fullmatch(words) else f" {words} "
        elif name == "sym":
            own = {str(key).rpartition("}")[2]: str(value) for key, value in element.attrib.items()}
            yield element, symbol(own.get("font", ""), own.get("char", ""))
        elif name in _BREAKS:
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
                yield parent, f" {element.tail}" if "drawing:1.0}" in str(element.tag) else element.tail


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
        reason = (
            reason
            or _REASONS.get(name)
            or (_ODF_REASONS.get(name) if _ODF.search(tag) and "text:1.0}date" not in tag else None)
        )
        if reason is None:
            reason = _reason_of(one, name)
        known[one] = block, reason
    return block, reason


def _reason_of(element: etree._Element, name: str) -> str | None:
    """Return why the text of an element is not stored, if a property of it says so."""
    if name == "r":
        hidden = element.find("{*}rPr/{*}vanish")
        return "hidden" if hidden is not None and _is_on(hidden) else None
    if name == "tc":
        merged = element.find("{*}tcPr/{*}vMerge")
        stated = [str(value) for value in merged.attrib.values()] if merged is not None else ["restart"]
        return None if "restart" in stated else "cell that another one covers"
    if name == "docPr" and (drawn := element.getparent()) is not None:
        boxed = next(drawn.iter("{*}txbxContent"), None) is not None and next(drawn.iter("{*}blip"), None) is None
        return "alternative text of a box" if boxed else None
    if name == "sdt":
        shown = element.find("{*}sdtPr/{*}showingPlcHdr")
        return "placeholder of a form" if shown is not None and _is_on(shown) else None
    if name in ("title", "desc") and (frame := element.getparent()) is not None:
        return "alternative text of a box" if next(frame.iter("{*}p", "{*}h"), None) is not None else None
    if name == "script":
        return "script"
    if name == "sp":
        kind = element.find("{*}nvSpPr/{*}nvPr/{*}ph")
        root = element.getroottree().getroot()
        if kind is not None and kind.get("type") in ("hdr", "ftr", "dt", "sldNum") and str(root.tag).endswith("}notes"):
            return "header or footer of notes"
    return None


def _is_on(element: etree._Element) -> bool:
    """Return True if a property of OOXML is on; one without a value is."""
    value = next((str(value) for name, value in element.attrib.items() if str(name).endswith("val")), "true")
    return value.lower() not in ("0", "false", "off")


def _not_shown(archive: zipfile.ZipFile, document: etree._Element) -> set[str]:
    """Return the headers and footers that no page of a Word file shows: of first or even pages like all others."""
    names = archive.namelist()
    if (part := "word/_rels/document.xml.rels") not in names:
        return set()
    relations = _root(archive, part)
    places = {str(one.get("Id")): f"word/{one.get('Target')}" for one in relations if one.get("Target")}
    settings = _root(archive, "word/settings.xml") if "word/settings.xml" in names else None
    even = settings.find("{*}evenAndOddHeaders") if settings is not None else None
    shown: set[str] = set()
    found: set[str] = set()
    for section in document.iter("{*}sectPr"):
        first = section.find("{*}titlePg")
        kinds = {"first": first is not None and _is_on(first), "even": even is not None and _is_on(even)}
        for one in section.iterfind("{*}*"):
            if str(one.tag).endswith(("}headerReference", "}footerReference")):
                own = {str(name).rpartition("}")[2]: str(value) for name, value in one.attrib.items()}
                place = places.get(own.get("id", ""), "")
                found.add(place)
                if kinds.get(own.get("type", ""), True):
                    shown.add(place)
    return found - shown


def _write_signs(root: etree._Element) -> None:
    """Write the letters of runs in fonts of signs as these signs."""
    for stated in root.iter("{*}rFonts", "{*}latin", "{*}sym", "{*}rFont"):
        own = {str(name).rpartition("}")[2]: str(value) for name, value in stated.attrib.items()}
        font = own.get("ascii") or own.get("typeface") or own.get("val") or ""
        run = next(stated.iterancestors("{*}r"), None) if is_of_signs(font) else None
        for text in run.iterfind("{*}t") if run is not None else ():
            if not str(stated.tag).endswith("}sym") or not re.search(r"[A-Za-z\d]", text.text or ""):
                text.text = shown_in(font, text.text or "")


def _mark_copies(root: etree._Element) -> None:
    """Name the comments of a workbook that are copies of threads, which newer programs show instead."""
    authors = [(one.text or "").startswith("tc={") for one in root.iterfind("{*}authors/{*}author")]
    for comment in root.iterfind("{*}commentList/{*}comment"):
        author, text = comment.get("authorId", ""), comment.find("{*}text")
        if text is not None and author.isdecimal() and int(author) < len(authors) and authors[int(author)]:
            text.tag = "Fallback"


def _hide_by_style(archive: zipfile.ZipFile, document: etree._Element) -> None:
    """Mark the runs as hidden that the style of their paragraph hides, or the style of paragraphs without one."""
    part = "word/styles.xml"
    if part not in archive.namelist() or b"vanish" not in archive.read(part):
        return
    hides: dict[str | None, bool] = {None: False}
    usual: str | None = None
    for style in _root(archive, part).iter("{*}style"):  # a style is behind the one that it is based on
        own = {str(name).rpartition("}")[2]: str(value) for name, value in style.attrib.items()}
        if own.get("type") == "paragraph":
            vanish, based = style.find("{*}rPr/{*}vanish"), style.find("{*}basedOn")
            inherited = hides.get(_value(based), False)
            hides[own.get("styleId")] = _is_on(vanish) if vanish is not None else inherited
            usual = own.get("styleId") if own.get("default") in ("1", "true") else usual
    if not any(hides.values()):
        return
    for paragraph in document.iter("{*}p"):
        if hides.get(_value(paragraph.find("{*}pPr/{*}pStyle"), usual), False):
            for run in paragraph.iter("{*}r"):
                if run.find("{*}rPr/{*}vanish") is None:
                    tag = str(run.tag)[:-1]
                    etree.SubElement(etree.SubElement(run, f"{tag}rPr"), f"{tag}vanish")


def _value(element: etree._Element | None, default: str | None = None) -> str | None:
    return next((str(one) for one in element.attrib.values()), default) if element is not None else default


_ODF = re.compile(r"opendocument|purl\.org/dc")
