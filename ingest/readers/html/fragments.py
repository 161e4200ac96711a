"""Pieces of HTML within other formats, without what no person sees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree, html

from ragraph.ingest.common.elements import remove_element
from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.unseen import remove_unseen
from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_SUSPECT = re.compile(
    r"\b(?:style|hidden)\b|<\s*(?:template|noscript|dialog|datalist|style|script|title|head|iframe|object|canvas)\b",
    re.IGNORECASE,
)
_SHEET = re.compile(r"<style\b[^>]*>(.*?)(?:</style\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def sheets_of(content: str) -> list[str]:
    """Return the style sheets in a piece of HTML."""
    return _SHEET.findall(content)


def without_comments(content: str) -> str:
    """Return a piece of HTML without comments, those that do not end too."""

    def recorded(found: re.Match[str]) -> str:
        leave_out(found[1])
        return ""

    return _COMMENT.sub(recorded, content) if "<!--" in content else content


def seen_part(content: str, sheets: Sequence[str] = ()) -> str:
    """Return a piece of HTML without what no person sees; unchanged if it hides nothing.

    Args:
        content: the piece; elements may begin or end in other pieces.
        sheets: the text of style sheets of the other pieces.
    """
    content = without_comments(content)
    if not sheets and not _SUSPECT.search(content):
        return content
    try:
        root = html.fragment_fromstring(content, create_parent="div")
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return content
    if not remove_hidden(root, sheets):
        return content
    return "".join([root.text or "", *(etree.tostring(one, encoding="unicode", method="html") for one in root)])


def remove_hidden(root: etree._Element, sheets: Sequence[str] = ()) -> bool:
    """Remove from a page, in place, all that no person sees; return True if that was anything."""
    found = remove_unseen(root, sheets) > 0
    for element in [one for one in root.iter(etree.Element) if local(one) and one is not root and hidden(one)]:
        parent = element.getparent()
        if parent is None or not any(one is root for one in element.iterancestors()):
            continue
        if local(element) not in ("script", "style"):
            leave_out(" ".join(str(text) for text in element.itertext()))
            found = True
        remove_element(element)
    return found


def seen_text(content: str) -> str:
    """Return the text that a person sees of a piece of HTML, on one line."""
    try:
        root = html.fragment_fromstring(seen_part(content), create_parent="div")
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return ""
    etree.strip_elements(root, "script", "style", with_tail=False)
    return " ".join(" ".join(map(str, root.itertext())).split())
