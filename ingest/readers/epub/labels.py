"""Headings that only the table of contents of a book states.

Many books name their chapters in the NCX or the nav document alone: in the text the title is a plain paragraph, a
picture, or missing. Each label becomes a heading at the place it points to, unless a heading is there already.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.links import INLINE
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree

    from ragraph.ingest.readers.epub.package import Entry

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MOST = 6
_SPAN = ("{*}p", "{*}div", "{*}td", "{*}li", "{*}blockquote")
_NOT_LETTERS = re.compile(r"[\W_]+")
_ABSOLUTE = re.compile(r"position\s*:\s*absolute", re.IGNORECASE)


def name_chapters(bodies: list[tuple[str, etree._Element]], contents: Iterable[Entry]) -> dict[etree._Element, int]:
    """Make headings of the labels that no heading shows; return the levels of all headings of the contents.

    Args:
        bodies: the files of the book, by name; changed in place.
        contents: the table of contents, in its order.

    Returns:
        heading to level, from 1; empty if every label has a heading, whose own levels then count.
    """
    files = dict(bodies)
    places: dict[etree._Element, list[Entry]] = {}
    for entry in contents:
        body = files.get(entry.file)
        place = None if body is None else _place(body, entry.fragment)
        if place is not None and entry.title:
            places.setdefault(place, []).append(entry)
    levels: dict[etree._Element, int] = {}
    made = 0
    for place, entries in places.items():
        last = entries[-1]
        first = _first_block(place)
        if first is not None and local(first) in _HEADINGS:
            levels[first] = last.depth
            entries = entries[:-1]
        elif first is not None and _same(words(first), last.title):
            first.tag = _tag(first, last.depth)
            for part in first.iter():
                if part is not first and local(part) in ("p", "div"):
                    part.tag = part.tag.replace(local(part), "span")
            levels[first] = last.depth
            made += 1
            entries = entries[:-1]
        at = first if first is not None and first in levels else place
        for entry in entries:
            heading = place.makeelement(_tag(place, entry.depth))
            heading.text = entry.title
            levels[heading] = entry.depth
            made += 1
            if local(at) in ("body", "section", "article") or at.getparent() is None:
                at.insert(len([one for one in at if one in levels]), heading)
                heading.tail, at.text = at.text, None
            else:
                at.addprevious(heading)
    return levels if made else {}


def _place(body: etree._Element, fragment: str | None) -> etree._Element | None:
    """Return the block to which an entry of the contents points; the body if it names no place in it."""
    if not fragment:
        return body
    found = next((one for one in body.iter() if fragment in (one.get("id"), one.get("name"))), None)
    while found is not None and local(found) in INLINE and found is not body:
        found = found.getparent()
    return body if found is None else found


def _first_block(place: etree._Element) -> etree._Element | None:
    """Return the first block with text at a place or behind it, without blocks in it; None if there is none."""
    body = place
    while (parent := body.getparent()) is not None and local(body) != "body":
        body = parent
    begun = False
    for element in body.iter():
        begun = begun or element is place
        if not begun or not local(element) or hidden(element):
            continue
        name = local(element)
        if name in _HEADINGS and words(element):
            return element
        if name in ("p", "div", "td", "li", "blockquote", "span") and words(element):
            inner = any(
                words(one) for one in element.iter(*_SPAN, *(f"{{*}}{tag}" for tag in _HEADINGS)) if one is not element
            )
            if not inner:
                return element
    return None


def _same(one: str, other: str) -> bool:
    """Return True if two titles have the same letters."""
    return bool(other) and _NOT_LETTERS.sub("", one).casefold() == _NOT_LETTERS.sub("", other).casefold()


def _tag(element: etree._Element, depth: int) -> str:
    tag = str(element.tag)
    space = tag[: tag.index("}") + 1] if tag.startswith("{") else ""
    return f"{space}h{min(max(depth, 1), _MOST)}"


def part_words(body: etree._Element, *, fixed: bool) -> None:
    """Put spaces between words that a page of fixed layout places one by one, in place.

    Args:
        body: the page.
        fixed: whether the book says that its layout is fixed.
    """
    for element in body.iter("{*}span", "{*}div", "{*}a"):
        beside = element.getnext()
        if beside is None or (element.tail or "").strip() or len(words(element)) < 2:
            continue
        placed = fixed or all(_ABSOLUTE.search(one.get("style") or "") for one in (element, beside))
        if placed and local(beside) == local(element) and not (element.tail or ""):
            element.tail = " "


def drawn_text(body: etree._Element) -> None:
    """Put the texts of drawings (SVG) behind them as paragraphs, in place; if the page is a drawing, within it."""
    for drawing in [one for one in body.iter("{*}svg") if next(one.iter("{*}text"), None) is not None]:
        lines = [" ".join(" ".join(str(part) for part in text.itertext()).split()) for text in drawing.iter("{*}text")]
        paragraphs = []
        for line in filter(None, lines):
            paragraph = drawing.makeelement("p")
            paragraph.text = line
            paragraphs.append(paragraph)
        if drawing.getparent() is None:
            drawing.clear()
            drawing.tag = "body"
            drawing.extend(paragraphs)
            return
        for paragraph in reversed(paragraphs):
            paragraph.tail, drawing.tail = drawing.tail, None
            drawing.addnext(paragraph)
