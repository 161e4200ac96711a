"""Changes of markup in place that readers of several formats need."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree


def append_text(element: etree._Element, text: str) -> None:
    """Append text to the content of an element."""
    if not text:
        return
    last = next(element.iterchildren(reversed=True), None)  # len() counts all children
    if last is not None:
        last.tail = (last.tail or "") + text
    else:
        element.text = (element.text or "") + text


def remove_element(element: etree._Element) -> None:
    """Remove an element from its parent, if it has one; text behind it stays."""
    parent, previous = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail and previous is not None:
        previous.tail = (previous.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    element.tail = None
    parent.remove(element)
