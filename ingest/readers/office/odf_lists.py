"""Headings, tables and pictures within lists of OpenDocument, which docling takes for text of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.common.elements import remove_element

if TYPE_CHECKING:
    from lxml import etree

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_BLOCKS = (f"{_TEXT}h", f"{_TABLE}table")
_ITEMS = (f"{_TEXT}list-item", f"{_TEXT}list-header")


def lift_blocks(root: etree._Element) -> None:
    """Move headings and tables out of lists, which end before them and go on behind what follows them in their item.

    Office programs number headings by lists.
    """
    for listed in reversed(list(root.iter(f"{_TEXT}list"))):  # those within others first
        _part(listed)


def _part(listed: etree._Element) -> None:
    """Move the blocks of a list behind it, with what follows each in its item; the items behind one are a new list."""
    behind: list[etree._Element] = []
    goes_on = False  # whether items stay in the list that is the last so far
    for item in list(listed):
        children = list(item) if item.tag in _ITEMS else []
        first = next((place for place, one in enumerate(children) if one.tag in _BLOCKS), len(children))
        if behind and (first or not children):
            if not goes_on:
                behind.append(
                    listed.makeelement(listed.tag, {str(name): str(value) for name, value in listed.attrib.items()})
                )
            behind[-1].append(item)
            goes_on = True
        if first == len(children):
            continue
        for one in children[first:]:
            one.tail = None
        behind += children[first:]
        goes_on = False
        if not first:
            listed.remove(item)
    for one in reversed(behind):
        listed.addnext(one)
    if behind and len(listed) == 0:
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
