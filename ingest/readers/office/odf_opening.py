"""Open what an OpenDocument file wraps its text in, before it is marked.

docling drops headers of lists, in which office programs keep the titles of slides, numbered paragraphs, groups of
shapes on slides, and boxes on sheets. It shows a value as it is stored, not as its cell shows it: 0.125 for "12.5 %".
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from ragraph.ingest.common.elements import remove_element
from ragraph.ingest.readers.office.displayed import displayed
from ragraph.ingest.readers.office.odf_lists import lift_blocks, place_pictures

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml import etree

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_LINES = (f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}span", f"{_TEXT}a")
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_SHAPES = tuple(
    f"{_DRAW}{name}" for name in ("frame", "custom-shape", "rect", "ellipse", "circle", "polygon", "path", "caption")
)
_DRAWN = tuple(f"{_DRAW}{name}" for name in ("custom-shape", "line", "connector", "polyline", "g", "rect", "ellipse"))
_VALUES = ("value", "date-value", "time-value", "boolean-value", "string-value", "currency")
MOST_REPEATED = 10_000
"""Times that a cell with text is believed to be repeated."""

_AROUND_BLOCKS = {f"{_OFFICE}text", f"{_TEXT}section"}
_BLOCKS = {f"{_TEXT}p", f"{_TEXT}h"}


def open_up(root: etree._Element) -> None:
    """Open content.xml in place."""
    for numbered in list(root.iter(f"{_TEXT}numbered-paragraph")):
        _unwrap(numbered)
    for page in root.iter(f"{_DRAW}page"):
        for group in list(page.iter(f"{_DRAW}g")):
            _unwrap(group)
        _title_first(page)
    for shape in root.iter(*_SHAPES, *_DRAWN):
        for stated in shape.findall(f"{_SVG}title") + shape.findall(f"{_SVG}desc"):
            if next(shape.iter(*_BLOCKS), None) is not None:
                remove_element(stated)  # docling reads them as text
    for shape in list(root.iter(*_DRAWN)):
        parent = shape.getparent()
        if parent is not None and parent.tag in _LINES and next(shape.iter(*_BLOCKS), None) is None:
            _replace_by_text(shape, _alternative(shape))
    for script in list(root.iter(f"{_TEXT}script")):
        remove_element(script)
    for table in list(root.iter(f"{_TABLE}table")):
        if any(one.tag == f"{_TABLE}table-cell" for one in table.iterancestors()):
            _as_lines(table)
    for box in list(root.iter(f"{_DRAW}text-box")):
        _open_box(box)
    lift_blocks(root)
    place_pictures(root)
    for item in root.iter(f"{_TEXT}list-item"):
        for paragraph in [one for one in item if one.tag in _BLOCKS][1:]:
            paragraph.insert(0, paragraph.makeelement(f"{_TEXT}line-break"))  # docling joins them without a space
            paragraph[0].tail, paragraph.text = paragraph.text, None
    for listed in reversed(list(root.iter(f"{_TEXT}list"))):  # inner lists before outer ones
        _open_list(listed)
    for index in list(root.iter(f"{_TEXT}bibliography")):
        _open_bibliography(index)
    for ruby in list(root.iter(f"{_TEXT}ruby")):
        for reading in list(ruby.iter(f"{_TEXT}ruby-text")):
            remove_element(reading)
    for cell in root.iter(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        _show(cell)


def _title_first(page: etree._Element) -> None:
    """Move the title of a slide before its other content, and open the lists in it."""
    titles = [frame for frame in page if frame.get(f"{_PRESENTATION}class") in ("title", "subtitle")]
    for frame in titles:
        for listed in list(frame.iter(f"{_TEXT}list")):
            paragraphs = [one for one in listed.iter(*_BLOCKS) if one is not None]
            for paragraph in paragraphs:
                paragraph.tail = None
                listed.addprevious(paragraph)
            remove_element(listed)
    title = next((one for one in titles if one.get(f"{_PRESENTATION}class") == "title"), None)
    if title is not None and page.index(title):
        page.insert(0, title)


def _open_list(listed: etree._Element) -> None:
    """Make the headers of a list paragraphs before it, or items if items are before them."""
    parent = listed.getparent()
    for header in listed.findall(f"{_TEXT}list-header"):
        if not any(str(text).strip() for text in header.itertext()):
            listed.remove(header)
        elif parent is not None and parent.tag in (f"{_TEXT}list-item", f"{_TEXT}list-header"):
            header.tag = f"{_TEXT}list-item"
        elif parent is None or listed.find(f"{_TEXT}list-item") is not listed[0]:
            for part in list(header):
                listed.addprevious(part)
            listed.remove(header)
        else:
            header.tag = f"{_TEXT}list-item"
    if parent is not None and len(listed) == 0:
        remove_element(listed)


def _unwrap(element: etree._Element) -> None:
    """Put the paragraphs and shapes of an element in its place."""
    for part in list(element):
        if part.tag not in (f"{_SVG}title", f"{_SVG}desc"):
            part.tail = None
            element.addprevious(part)
    remove_element(element)


def _open_box(box: etree._Element) -> None:
    """Put the content of a box of a text in its place if it is on the page itself; before its paragraph if it is long.

    docling drops the one, and joins the paragraphs of the other.
    """
    frame = box.getparent()
    around = frame.getparent() if frame is not None else None
    if frame is None or around is None:
        return
    outside = around.getparent()
    if around.tag in _AROUND_BLOCKS:
        _unwrap(box)
        _unwrap(frame)
    elif len(box) > 1 and around.tag in _BLOCKS and outside is not None and outside.tag in _AROUND_BLOCKS:
        for part in list(box):
            part.tail = None
            around.addprevious(part)
        remove_element(frame)


def _as_lines(table: etree._Element) -> None:
    """Make the rows of a table within a cell lines of the cell: docling reads it there, and once more as a table."""
    for row in table.iter(f"{_TABLE}table-row"):
        cells = (" ".join(" ".join(map(str, cell.itertext())).split()) for cell in row.iterfind(f"{_TABLE}table-cell"))
        line = table.makeelement(f"{_TEXT}p")
        line.text = " | ".join(cells)
        table.addprevious(line)
    remove_element(table)


def _line(element: etree._Element) -> str:
    """Return the text of a paragraph on one line."""
    return " ".join("".join(map(str, element.itertext())).split())


def take_shapes(root: etree._Element) -> list[list[list[str]]]:
    """Remove the shapes with text from the sheets of a workbook, and return for each sheet their lines."""
    found: list[list[list[str]]] = []
    for table in root.iter(f"{_TABLE}table"):
        shapes = [one for one in table.iter(*_SHAPES) if one.find(f".//{_TEXT}p") is not None]
        outer = [one for one in shapes if not any(around in shapes for around in one.iterancestors())]
        found.append([])
        for shape in outer:
            lines = [_line(line) for line in shape.iter(*_BLOCKS)]
            found[-1].append([line for line in lines if line])
            remove_element(shape)
    return found


def take_comments(root: etree._Element) -> list[tuple[etree._Element | None, dict[str, str], str]]:
    """Remove the comments of slides and cells; return the paragraph of each, its author and date, and its text."""
    found: list[tuple[etree._Element | None, dict[str, str], str]] = []
    for comment in list(root.iter(f"{_OFFICE}annotation")):
        around = comment.getparent()
        data = {name: comment.findtext(f"{_DC}{name}", "").strip() for name in ("creator", "date")}
        lines = [_line(line) for line in comment.iter(*_BLOCKS)]
        remove_element(comment)
        if around is not None and next(around.iterancestors(f"{_TEXT}tracked-changes"), None) is not None:
            continue  # it is deleted with its text
        paragraph = next((one for one in around.iter(*_BLOCKS)), None) if around is not None else None
        stated = {to: data[name] for name, to in (("creator", "author"), ("date", "date")) if data[name]}
        if text := "\n".join(filter(None, lines)):
            found.append((paragraph, stated, text))
    return found


def _open_bibliography(index: etree._Element) -> None:
    """Make the entries of a bibliography, which a program has made, paragraphs in its place."""
    body = index.find(f"{_TEXT}index-body")
    for paragraph in list(body.iter(*_BLOCKS)) if body is not None else []:
        paragraph.tail = None
        index.addprevious(paragraph)
    remove_element(index)


def _show(cell: etree._Element) -> None:
    """Give a cell the text that it shows as its value."""
    if cell.get(f"{_OFFICE}value-type") in (None, "string"):
        return
    if not any(str(text).strip() for block in cell.iterfind(f"{_TEXT}p") for text in block.itertext()):
        paragraph = cell.makeelement(f"{_TEXT}p")
        paragraph.text = value_shown(cell)
        cell.append(paragraph)
    cell.set(f"{_OFFICE}value-type", "string")
    cell.attrib.pop(f"{_CALC}value-type", "")
    for name in _VALUES:
        cell.attrib.pop(f"{_OFFICE}{name}", "")


def value_shown(cell: etree._Element) -> str:
    """Return what a cell without text shows of its value, as its style is not known: 12.5%, 00:01:05.25, 3.5 EUR."""
    stated = {name: value for name in _VALUES if (value := cell.get(f"{_OFFICE}{name}")) is not None}
    kind = cell.get(f"{_OFFICE}value-type")
    if kind == "percentage":
        with suppress(ValueError):
            return displayed(float(stated.get("value", "")), "0.##########%")
    if kind == "time":
        return ":".join(re.findall(r"[\d.]+", stated.get("time-value", "")))
    if kind == "currency":
        return f"{stated.get('value', '')} {stated.get('currency', '')}".strip()
    shown = next(iter(stated.values()), "")
    return shown.upper() if kind == "boolean" else shown


def show_linked(root: etree._Element, parts: Collection[str]) -> None:
    """Put the alternative text of each picture in a line in its place if it is not among the parts of the file.

    It is no picture for docling.
    """
    for frame in list(root.iter(f"{_DRAW}frame")):
        images = frame.findall(f"{_DRAW}image")
        parent = frame.getparent()
        if parent is None or parent.tag not in _LINES or any(_is_held(image, parts) for image in images):
            continue
        if images and not any(
            frame.find(f"{_DRAW}{name}") is not None for name in ("object", "object-ole", "text-box")
        ):
            _replace_by_text(frame, _alternative(frame))


def picture_texts(root: etree._Element, parts: Collection[str]) -> list[str]:
    """Return the alternative text of each picture of the file, in order; an empty string if it has none.

    It is removed from the pictures, as docling reads it as text around them.
    """
    found = []
    for image in root.iter(f"{_DRAW}image"):
        frame = next(image.iterancestors(f"{_DRAW}frame"), None)
        if frame is None:
            found.append("")
        elif _is_held(image, parts):
            found.append(_alternative(frame))
            for name in ("title", "desc"):
                for one in frame.findall(f"{_SVG}{name}"):
                    remove_element(one)
    return found


def _is_held(image: etree._Element, parts: Collection[str]) -> bool:
    """Return True if the file holds a picture."""
    address = image.get(f"{_XLINK}href", "").removeprefix("./")
    return address in parts or image.find(f"{_OFFICE}binary-data") is not None


def _alternative(frame: etree._Element) -> str:
    """Return title and description of a picture."""
    stated = [" ".join(frame.findtext(f"{_SVG}{name}", "").split()) for name in ("title", "desc")]
    return ": ".join(dict.fromkeys(filter(None, stated)))


def _replace_by_text(frame: etree._Element, text: str) -> None:
    """Replace a picture in a line by a text, with blanks between it and words beside it."""
    parent, previous = frame.getparent(), frame.getprevious()
    if parent is None:
        return
    before = (parent.text if previous is None else previous.tail) or ""
    behind = frame.tail or ""
    if text and (before[-1:].isalnum() or (not before and previous is not None)):
        text = f" {text}"
    if text and (behind[:1].isalnum() or (not behind and frame.getnext() is not None)):
        text = f"{text} "
    frame.tail = None
    parent.remove(frame)
    if previous is None:
        parent.text = f"{before}{text}{behind}"
    else:
        previous.tail = f"{before}{text}{behind}"
