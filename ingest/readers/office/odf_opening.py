"""Open what an OpenDocument file wraps its text in, before it is marked.

docling drops headers of lists, in which office programs keep the titles of slides. It shows a value as it is stored,
not as its cell shows it: 0.125 for "12.5 %".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_VALUES = ("value", "date-value", "time-value", "boolean-value", "string-value", "currency")
_BLOCKS = {f"{_TEXT}p", f"{_TEXT}h"}


def open_up(root: etree._Element) -> None:
    """Open content.xml in place."""
    for page in root.iter(f"{_DRAW}page"):
        _title_first(page)
    for listed in reversed(list(root.iter(f"{_TEXT}list"))):  # inner lists before outer ones
        _open_list(listed)
    for index in list(root.iter(f"{_TEXT}bibliography")):
        _open_bibliography(index)
    for ruby in list(root.iter(f"{_TEXT}ruby")):
        for reading in list(ruby.iter(f"{_TEXT}ruby-text")):
            remove(reading)
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
            remove(listed)
    title = next((one for one in titles if one.get(f"{_PRESENTATION}class") == "title"), None)
    if title is not None and page.index(title):
        page.insert(0, title)


def _open_list(listed: etree._Element) -> None:
    """Make the headers of a list paragraphs before it, or items if items are before them."""
    parent = listed.getparent()
    for header in listed.findall(f"{_TEXT}list-header"):
        if not any(str(text).strip() for text in header.itertext()):
            listed.remove(header)
        elif parent is None or listed.find(f"{_TEXT}list-item") is not listed[0]:
            for part in list(header):
                listed.addprevious(part)
            listed.remove(header)
        else:
            header.tag = f"{_TEXT}list-item"
    if parent is not None and len(listed) == 0:
        remove(listed)


def _open_bibliography(index: etree._Element) -> None:
    """Make the entries of a bibliography, which a program has made, paragraphs in its place."""
    body = index.find(f"{_TEXT}index-body")
    for paragraph in list(body.iter(*_BLOCKS)) if body is not None else []:
        paragraph.tail = None
        index.addprevious(paragraph)
    remove(index)


def _show(cell: etree._Element) -> None:
    """Give a cell the text that it shows as its value."""
    kind = cell.get(f"{_OFFICE}value-type")
    if kind in (None, "string"):
        return
    shown = any(str(text).strip() for block in cell.iterfind(f"{_TEXT}p") for text in block.itertext())
    if not shown:
        value = cell.get(f"{_OFFICE}boolean-value")
        if kind != "boolean" or value is None:
            return
        paragraph = cell.makeelement(f"{_TEXT}p")
        paragraph.text = value.upper()
        cell.append(paragraph)
    cell.set(f"{_OFFICE}value-type", "string")
    cell.attrib.pop(f"{_CALC}value-type", "")
    for name in _VALUES:
        cell.attrib.pop(f"{_OFFICE}{name}", "")


def remove(element: etree._Element) -> None:
    """Remove an element; text behind it stays."""
    parent, previous = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail and previous is not None:
        previous.tail = (previous.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    element.tail = None
    parent.remove(element)


def picture_texts(root: etree._Element) -> list[str]:
    """Return the alternative text of each picture, in order; an empty string if it has none."""
    found = []
    for image in root.iter(f"{_DRAW}image"):
        frame = next(image.iterancestors(f"{_DRAW}frame"), None)
        stated = [frame.findtext(f"{_SVG}{name}") for name in ("desc", "title")] if frame is not None else []
        found.append(" ".join(next((words for words in stated if words and words.strip()), "").split()))
    return found
