"""Queries on the HTML tree during the walk: headings, blocks and terms."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.links import INLINE, types
from ragraph.ingest.readers.html.raised import list_style
from ragraph.ingest.readers.html.types import component_type
from ragraph.ingest.readers.markup.lists import ordered_marker
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml import etree

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
SECTIONS = frozenset({"section", "article"})
LISTS = frozenset({"ul", "ol", "menu", "dir"})
BLOCKS = frozenset(
    {"div", "ul", "ol", "section", "table", "p", "form", "dl", "aside", "header", "footer", "menu", "center"}
    | {"address"}
)
"""Elements of the layout around the text of a page."""

TYPED = "data-typed"
"""Attribute of what stands in the place of a field that was filled in."""

NO_LEVEL = 9
"""Level of an element without a heading: below all others."""

_CLOSING = "\"'»”’)"
_ENDS = (".", "!", "?", "…", "。")
"""Characters that may follow the end of a sentence, and ends of sentences."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_MAX_HEADING_LEVELS = 20  # maximum depth of its heading within a section


def with_blocks(root: etree._Element) -> set[etree._Element]:
    """Return the elements that have a block somewhere below them."""
    found: set[etree._Element] = set()
    for element in root.iter():
        name = local(element)
        if name and name not in INLINE and name not in ("br", "img", "wbr", "svg", "math") and not _within_svg(element):
            for ancestor in element.iterancestors():
                if ancestor in found:
                    break
                found.add(ancestor)
    return found


def _within_svg(element: etree._Element) -> bool:
    parent = element.getparent()
    return (
        parent is not None
        and isinstance(parent.tag, str)
        and ("svg" in parent.tag.lower() or "math" in parent.tag.lower())
    )


def first_heading(element: etree._Element, level: int = 0) -> etree._Element | None:
    """Return the heading of a section: the first that is not in an inner section, box or navigation."""
    for child in element:
        name = local(child)
        if name in HEADINGS:
            return child
        if name in (*SECTIONS, "aside", "nav", "blockquote", "table", "figure", *LISTS) or component_type(child):
            continue
        deeper = name in ("header", "hgroup", "div", "main", "a", "span", "center") and level < _MAX_HEADING_LEVELS
        found = first_heading(child, level + 1) if deeper else None
        if found is not None:
            return found
    return None


def furniture(element: etree._Element) -> bool:
    """Return True if a header or footer belongs to the page, not to a section, article or quotation."""
    if types(element) & {"banner", "contentinfo"}:
        return True
    if local(element) == "header" and any(local(found) == "h1" for found in element.iter()):
        return False
    return not in_section(element)


def in_section(element: etree._Element) -> bool:
    """Return True if an element is in a section, article, quotation or other element with its own header and footer."""
    return any(local(up) in (*SECTIONS, "main", "blockquote", "figure", "aside") for up in element.iterancestors())


def list_of(element: etree._Element) -> etree._Element | None:
    """Return the list or table to which an element belongs."""
    return next((ancestor for ancestor in element.iterancestors() if local(ancestor) in ("dl", *LISTS, "table")), None)


def next_term(element: etree._Element) -> etree._Element | None:
    """Return the term or meaning that follows an element in its definition list."""
    following = element.getnext()
    while following is not None and local(following) not in ("dt", "dd"):
        following = following.getnext()
    return following


def numbers(element: etree._Element) -> dict[etree._Element, str]:
    """Return the markers of an ordered list from its start, values and type."""
    items = [child for child in element if local(child) == "li"]
    backwards = element.get("reversed") is not None
    number = _number(element.get("start"), len(items) if backwards else 1)
    markers = {}
    style = list_style(element)
    for item in items:
        number = _number(item.get("value"), number)
        markers[item] = ordered_marker(item.get("type") or style, number)
        number += -1 if backwards else 1
    return markers


def _number(value: str | None, default: int) -> int:
    text = (value or "").strip()
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else default


def named_by(element: etree._Element, *, whole: bool = False) -> set[str]:
    """Return the words in class and id of an element, or only the complete names.

    An id made of the heading of its section, with or without its number, does not describe the element.
    """
    called = element.get("id") or ""
    heading = next((one for one in element.iter() if local(one) in HEADINGS), None) if called else None
    made_of = letters(words(heading)) if heading is not None else ""
    if called and letters(called) in (made_of, made_of.lstrip("0123456789")):
        called = ""
    stated = f"{element.get('class') or ''} {called}"
    names = set(stated.lower().split())
    return names if whole else names | {word.lower() for word in _WORD.findall(stated)}


def letters(text: str) -> str:
    """Return the letters by which names and titles are compared."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def is_article(element: etree._Element) -> bool:
    """Return True if an element states that it is an article, or the body of one."""
    return local(element) == "article" or "article" in types(element) or element.get("itemprop") == "articleBody"


def before(body: etree._Element, main: etree._Element) -> set[etree._Element]:
    """Return the elements that start before the text."""
    return set(takewhile(lambda element: element is not main, body.iter()))


def off(root: etree._Element, kept: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements beside an element within an enclosing block."""
    at = kept
    while at is not root:
        parent = at.getparent()
        if parent is None:
            return
        yield from (one for one in parent if one is not at and local(one))
        at = parent


def off_before(root: etree._Element, kept: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements before an element within an enclosing block: beside it, or beside one around it."""
    at = kept
    while at is not root:
        parent = at.getparent()
        if parent is None:
            return
        for one in parent:
            if one is at:
                break
            if local(one):
                yield one
        at = parent


def section_of(element: etree._Element) -> etree._Element | None:
    """Return the section or article around an element."""
    return next((one for one in element.iterancestors() if local(one) in ("section", "article")), None)


def wraps_heading(link: etree._Element) -> bool:
    """Return True if a link wraps a heading: one line that leads to another text."""
    return any(local(one) in HEADINGS for one in link.iterdescendants())


def among_text(element: etree._Element) -> bool:
    """Return True if an element is in an article, or beside a paragraph."""
    parent = element.getparent()
    beside = parent is not None and any(local(one) == "p" and words(one) for one in parent)
    return beside or any(local(one) == "article" for one in element.iterancestors())


def outermost(root: etree._Element, is_one: Callable[[etree._Element], bool]) -> Iterator[etree._Element]:
    """Yield the outermost elements of a kind below ``root``, in document order."""
    stack = [child for child in reversed(root) if local(child)]
    while stack:
        element = stack.pop()
        if is_one(element):
            yield element
        else:
            stack.extend(child for child in reversed(element) if local(child) and not hidden(child))


def level_of(heading: etree._Element) -> int:
    """Return the level in the tag of a heading: 2 for ``h2``."""
    return int(local(heading)[1])


def highest_level(element: etree._Element) -> int:
    """Return the highest level of a heading in an element (1 before 2), or ``NO_LEVEL`` if there is none."""
    return min((level_of(one) for one in element.iter() if local(one) in HEADINGS), default=NO_LEVEL)


def ends_sentence(element: etree._Element) -> bool:
    """Return True if an element ends like a sentence."""
    return words(element).rstrip(_CLOSING).endswith(_ENDS)
