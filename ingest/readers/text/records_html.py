"""Pages within records: values that are HTML, as editors of web pages and systems for tickets export them."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from lxml import etree

from ragraph.errors import IngestError
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.html.blocks import HtmlWalker
from ragraph.ingest.readers.html.fragments import seen_part
from ragraph.ingest.readers.html.links import Links
from ragraph.ingest.readers.html.reader import parse_html
from ragraph.ingest.readers.markup.builder import DraftBuilder as PageBuilder
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from ragraph.ingest.readers.docling.builder import DraftBuilder

_BLOCKS = "p|div|ul|ol|dl|h[1-6]|table|pre|blockquote|section|article"
_AMONG_BLOCKS = re.compile(f"{_BLOCKS}|br|hr|img")
_OPENED = re.compile(rf"<(?:{_BLOCKS})(?:\s[^<>]*)?>", re.IGNORECASE)
_MARKDOWN = re.compile(r"^[ \t]*(?:```|~~~)|\n[ \t]*\n\s*\S", re.MULTILINE)
"""Signs of Markdown in text of HTML: a fence of code, a paragraph behind a blank line."""

_NUMBER = re.compile(r"&#(?:\d{2,6}|x[0-9a-fA-F]{2,5});")
_CODES = frozenset({"code", "source", "source_code", "snippet", "script", "template", "xml", "svg"})
"""Fields whose value is code, whatever it has."""

_LEVELS = 9


def is_page(name: str, value: str) -> bool:
    """Return True if the value of a field is HTML: all its text is in blocks, and none of it is Markdown."""
    value = value.strip()
    if "</" not in value or name.lower() in _CODES or not _OPENED.match(value):
        return False
    try:
        root = parse_html(value, name)
    except IngestError:
        return False
    parts = next(root.iter("body"), root)
    if any(text and text.strip() for text in (parts.text, *(one.tail for one in parts))):
        return False
    if not all(_AMONG_BLOCKS.fullmatch(one.tag) for one in parts.iterchildren(etree.Element)):
        return False
    for one in root.iter(etree.Element):
        within_code = one.tag == "pre" or any(around.tag == "pre" for around in one.iterancestors())
        seen = (None if within_code else one.text, None if within_code and one.tag != "pre" else one.tail)
        if any(text and _MARKDOWN.search(text.rstrip()) for text in seen):
            return False
    return True


def unescaped(name: str, value: str) -> str:
    """Return the value of a field with signs in place of their numbers in HTML (``&#8217;``), which only pages have."""
    return _NUMBER.sub(lambda found: unescape(found[0]), value) if name.lower() not in _CODES else value


def add_page(value: str, builder: DraftBuilder, key: str, container: str | None, level: int) -> bool:
    """Add the content of a page as nodes; return False if it cannot be parsed.

    Args:
        value: the page, or a part of one.
        builder: the builder that gets the nodes.
        key: the begin of their keys.
        container: the container of those that are in none of their own.
        level: level of the heading above them.
    """
    try:
        root = parse_html(seen_part(value), key)
    except IngestError:
        return False
    page = PageBuilder("page")
    HtmlWalker(page, Links([("", root)]), "").walk(next(root.iter("body"), root))
    draft = page.build(DraftMetadata())

    def own(name: str | None) -> str | None:
        return f"{key}/{name}" if name is not None else None

    for row in draft.containers:
        builder.container(f"{key}/{row.key}", row.type, row.title, own(row.parent) or container)
    for node in draft.nodes:
        is_title = node.type is ContentNodeType.TITLE
        changed = {
            "key": own(node.key),
            "container": own(node.container) or container,
            "anchors": [f"{key}/{name}" for name in node.anchors],
            "type": ContentNodeType.HEADING if is_title else node.type,
            "level": min((node.level or 1) + level, _LEVELS) if is_title or node.level is not None else None,
        }
        builder.nodes.append(node.model_copy(update=changed))
    for relation in draft.relations:
        changed = {"source": own(relation.source), "target": own(relation.target), "anchor": own(relation.anchor)}
        builder.relations.append(relation.model_copy(update=changed))
    return bool(draft.nodes)
