"""Headings, tables and pictures within lists of OpenDocument, which docling takes for text of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.common.elements import remove_element

if TYPE_CHECKING:
    from lxml import etree

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_ITEMS = (f"{_TEXT}list-item", f"{_TEXT}list-header")


def lift_blocks(root: etree._Element) -> None:
    """Move headings and tables out of lists, which end before them and go on behind what follows them in their item.

    Office programs number headings by lists.
    """
    for block in list(root.iter(f"{_TEXT}h", f"{_TABLE}table")):
        while (item := block.getparent()) is not None and item.tag in _ITEMS:
            _lift(block, item)


def _lift(block: etree._Element, item: etree._Element) -> None:
    """Move a block, and what follows it in its item, behind the list of the item; later items are a list behind it."""
    listed = item.getparent()
    if listed is None:
        return
    moved = [block, *block.itersiblings()]
    later = list(item.itersiblings())
    if later:
        rest = listed.makeelement(listed.tag, {str(name): str(value) for name, value in listed.attrib.items()})
        rest.extend(later)
        listed.addnext(rest)
    for one in reversed(moved):
        one.tail = None
        listed.addnext(one)
    if len(item) == 0:
        listed.remove(item)
    if len(listed) == 0:
        remove_element(listed)


def place_pictures(root: etree._Element) -> None:
    """Put each picture within a list into a paragraph behind the list; docling drops it there."""
    last: dict[etree._Element, etree._Element] = {}
    for frame in [one for one in root.iter(f"{_DRAW}frame") if one.find(f"{_DRAW}image") is not None]:
        around = list(frame.iterancestors())
        lists = [one for one in around if one.tag == f"{_TEXT}list"]
        if not lists or any(one.tag in (f"{_DRAW}page", f"{_TABLE}table-cell") for one in around):
            continue
        remove_element(frame)
        paragraph = root.makeelement(f"{_TEXT}p")
        paragraph.append(frame)
        last.get(lists[-1], lists[-1]).addnext(paragraph)
        last[lists[-1]] = paragraph
