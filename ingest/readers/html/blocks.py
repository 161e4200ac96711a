"""Blocks of HTML in reading order: sections, headings, paragraphs, lists, quotations, code and furniture."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from ragraph.base.inline import unmarked
from ragraph.ingest.readers.html.inline import InlineReader, hidden, math_text, stated_tex
from ragraph.ingest.readers.html.links import INLINE, Links, classes, types
from ragraph.ingest.readers.html.objects import Objects
from ragraph.ingest.readers.html.tree import (
    HEADINGS,
    LISTS,
    SECTIONS,
    first_heading,
    furniture,
    list_of,
    next_term,
    numbers,
    with_blocks,
)
from ragraph.ingest.readers.html.types import component_type
from ragraph.ingest.readers.markup.inline import Inline, InlineText, join
from ragraph.ingest.readers.markup.xml import local
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragraph.ingest.readers.html.page import Page
    from ragraph.ingest.readers.markup.builder import DraftBuilder, Node

_ORDINAL = re.compile(
    r"((book|part|chapter|section|article|volume|appendix|act|scene)\s+)?([ivxlcdm]+|\d+|[a-z])[.:]?", re.IGNORECASE
)
_VERSE = frozenset(
    {"z3998:verse", "z3998:poem", "z3998:song", "z3998:hymn", "z3998:lyrics", "verse", "poem", "stanza", "poetry"}
)
_BOXED = frozenset(
    {"sidebar", "admonition", "admonitionblock", "note", "tip", "warning", "caution", "important", "danger", "callout"}
    | {
        "infobox",
        "hint",
        "attention",
        "alert",
        "sidebarblock",
        "pullquote",
        "notebox",
        "info-box",
        "text-box",
        "textbox",
    }
)
"""Classes by which generators of pages name blocks set apart from the text."""

_IN_LINE_TOO = frozenset({"img", "math", "br", "svg", "input", "button", "select", "textarea", "output", "meter"})
_MAX_LEVELS = 100  # deeper elements are read as one text, because the walk recurses


class HtmlWalker(Objects):
    """Walks over one file and adds its content to a builder.

    Args:
        builder: gets nodes and containers.
        links: the links of the document.
        file: name of the file among them.
        title: the heading that is the title of the document, if this file has it.
        level: number of sections around the walked element.
        page: furniture and heading levels of a web page; None = a file of a book, whose sections give the levels.
        levels: levels of headings that are known from elsewhere.
    """

    def __init__(
        self,
        builder: DraftBuilder,
        links: Links,
        file: str,
        title: etree._Element | None = None,
        level: int = 0,
        page: Page | None = None,
        levels: Mapping[etree._Element, int] | None = None,
    ) -> None:
        super().__init__(builder, links, file, InlineReader(links, file))
        self._title = title if page is None else page.title
        if page is not None:
            self._furniture = page.furniture
        self._kickers = page.kickers if page is not None else set()
        self._first = page.first if page is not None and not page.nested else None
        self._aside = False
        self._levels = levels or {}
        self._level = level
        self._own: int | None = None  # the number in the tag of the heading of the enclosing section
        self._blocks: set[etree._Element] = set()
        self._list_depth = 0
        self._depth = 0

    def walk(self, root: etree._Element) -> None:
        """Add everything below ``root``."""
        self._blocks = with_blocks(root)
        self._pend(root)
        self.flow(root, ContentNodeType.PARAGRAPH)

    def walk_as(self, root: etree._Element, type: ComponentType) -> None:
        """Add everything below ``root`` as one component."""
        self._blocks = with_blocks(root)
        self._section(root, ContentNodeType.PARAGRAPH, type)

    def walk_plain(self, root: etree._Element) -> None:
        """Add everything below ``root``, a file without sections: its first heading represents it in the contents."""
        heading = first_heading(root)
        if heading is not None and heading is not self._title:
            self._level, self._own = self._level + 1, int(local(heading)[1])
        self.walk(root)

    def flow(self, element: etree._Element, kind: ContentNodeType) -> None:
        """Add the content of an element: runs of text become nodes of ``kind``, blocks nodes of their own."""
        self._depth += 1
        if self._depth > _MAX_LEVELS:
            self.flatten(element, kind)
            self._depth -= 1
            return
        out = InlineText()
        out.text(element.text)
        for child in element:
            if hidden(child):
                out.text(child.tail)
            elif (
                local(child) not in INLINE
                or child in self._blocks
                or child in self._furniture
                or self._links.note(child)
            ):
                if local(child) in _IN_LINE_TOO and not self._stands_alone(child, out):
                    self._inline.child(child, out)
                    continue
                self._flush(out, kind)
                out = InlineText()
                self.block(child, kind)
                out.text(child.tail)
            else:
                self._inline.child(child, out)
        self._flush(out, kind)
        self._depth -= 1

    def _stands_alone(self, element: etree._Element, out: InlineText) -> bool:
        return local(element) == "math" and out.empty and element.get("display") == "block"

    def _flush(self, out: InlineText, kind: ContentNodeType) -> None:
        inline = out.finish()
        anchors = self._inline.taken_ids()
        if inline.text or inline.marks:
            self._builder.add(kind, inline, anchors=anchors)
        else:
            self._builder.pend(*anchors)
        self.images(self._inline.taken_images())

    def block(self, element: etree._Element, kind: ContentNodeType) -> None:  # a table of elements and their treatment
        """Add one block."""
        name = local(element)
        note = self._links.note(element)
        component = component_type(element)
        if element in self._furniture and not self._aside:
            self._beside(element)
        elif note is not None:
            self.note(element, note)
        elif formula := stated_tex(element):
            self._pend(element)
            self._builder.add(ContentNodeType.FORMULA, formula, data={"format": "tex"})
        elif name in HEADINGS:
            self._pend(element)
            self._heading(element, self._inline.read(element, markdown=False, breaks=False))
        elif name == "hgroup":
            self._pend(element)
            self._group(element)
        elif name == "nav" or (types(element) & {"navigation", "doc-toc"}):
            self._navigation(element)
        elif self._first is None and name in ("header", "footer") and furniture(element):
            with self._builder.inside(ComponentType.HEADER if name == "header" else ComponentType.FOOTER):
                self._pend(element)
                self.flow(element, ContentNodeType.PARAGRAPH)
        elif component is None and self._is_box(element):
            with self._builder.inside(ComponentType.TEXT_BOX, self._section_title(element)):
                self._pend(element)
                self.flow(element, ContentNodeType.PARAGRAPH)
        elif name in SECTIONS or component is not None:
            self._section(element, kind, component)
        elif name == "aside":
            with self._builder.inside(ComponentType.TEXT_BOX, self._section_title(element)):
                self._pend(element)
                self.flow(element, ContentNodeType.PARAGRAPH)
        elif name in LISTS:
            self._list(element)
        elif name == "dl":
            self._definitions(element)
        elif name == "table":
            self.table(element)
        elif name == "figure":
            self.figure(element)
        elif name in ("img", "picture", "svg"):
            self.images([element])
        elif name == "pre":
            self.code(element)
        elif name == "math":
            formula, is_tex = math_text(element)
            self._builder.add(ContentNodeType.FORMULA, formula, data={"format": "tex" if is_tex else "text"})
        elif name != "hr":
            self._pend(element)
            verse = bool((types(element) | classes(element)) & _VERSE)
            quoted = ContentNodeType.BLOCK_QUOTATION if name == "blockquote" else kind
            self.flow(element, ContentNodeType.STANZA if verse else quoted)

    def _is_box(self, element: etree._Element) -> bool:
        """Return True if a block says that it is set apart from the text: a sidebar, a note, a warning."""
        if local(element) not in ("div", "table", "section") or not classes(element) & _BOXED or self._aside:
            return False
        return element in self._blocks or local(element) == "div"

    def _beside(self, element: etree._Element) -> None:
        """Add furniture around the text of a page; its headings do not belong to the document."""
        self._aside = True
        with self._builder.inside(self._furniture[element]):
            self.block(element, ContentNodeType.PARAGRAPH)
        self._aside = False

    def _heading(self, element: etree._Element, inline: Inline) -> None:
        anchors = self._inline.taken_ids()
        self._inline.taken_images()
        if (self._aside or element in self._kickers) and inline.text:
            self._builder.add(ContentNodeType.PARAGRAPH, inline, anchors=anchors)
            return
        if not inline.text:
            self._builder.pend(*anchors)
            return
        own = self._links.name(self._file, element.get("id"))
        if element is self._title:
            self._builder.add(ContentNodeType.TITLE, inline, anchors=[own, *anchors])
            return
        number = int(local(element)[1])
        if element in self._levels:
            level = self._levels[element]
        elif self._first is not None:
            level = max(1, number - self._first + 1)
        elif self._own is not None:
            level = max(1, self._level + max(0, number - self._own))
        else:
            level = self._level + max(1, number - (1 if self._title is not None else 0))
        self._builder.add(ContentNodeType.HEADING, inline, level=level, anchors=[own, *anchors])

    def _group(self, element: etree._Element) -> None:
        """Add a heading in parts: "I" and "Of the Division of Labour" are one heading, with the rest below it."""
        parts = [child for child in element if local(child) in (*HEADINGS, "p") and not hidden(child)]
        texts = [self._inline.read(part, markdown=False, breaks=False) for part in parts]
        main = next((part for part in parts if local(part) in HEADINGS), None)
        if main is None:
            self.flow(element, ContentNodeType.PARAGRAPH)
            return
        rest = [(part, text) for part, text in zip(parts, texts, strict=True) if part is not main]
        inline = texts[parts.index(main)]
        if rest and _ORDINAL.fullmatch(inline.text) and parts[0] is main:
            inline = join([inline, rest.pop(0)[1]], ": ")
        self._heading(main, inline)
        kind = ContentNodeType.SUBTITLE if main is self._title else ContentNodeType.SUBHEADING
        for _, text in rest:
            if text.text:
                self._builder.add(kind, text)

    def _section(self, element: etree._Element, kind: ContentNodeType, type: ComponentType | None) -> None:
        heading = first_heading(element)
        if type is None and (heading is None or heading is self._title or self._first is not None):
            self._pend(element)
            self.flow(element, kind)
            return
        outer = (self._level, self._own)
        if heading is not None and heading is not self._title:
            self._level, self._own = self._level + 1, int(local(heading)[1])
        with self._builder.inside(type or ComponentType.SECTION, self._section_title(element)):
            self._pend(element)
            self.flow(element, ContentNodeType.PARAGRAPH)
        self._level, self._own = outer

    def _section_title(self, element: etree._Element) -> str | None:
        heading = first_heading(element)
        if heading is None:
            return element.get("aria-label") or None
        group = heading.getparent()
        reader = InlineReader(self._links, self._file)
        title = reader.read(heading, markdown=False, breaks=False).text
        following = heading.getnext()
        if group is not None and local(group) == "hgroup" and following is not None and _ORDINAL.fullmatch(title):
            title = f"{title}: {reader.read(following, markdown=False, breaks=False).text}"
        return title or None

    def _navigation(self, element: etree._Element) -> None:
        contents = (
            component_type(element) is ComponentType.TABLE_OF_CONTENTS
            or "contents" in (element.get("aria-label") or "").lower()
        )
        kind = ComponentType.TABLE_OF_CONTENTS if contents else ComponentType.HEADER
        with self._builder.inside(kind, self._section_title(element)):
            self._pend(element)
            self.flow(element, ContentNodeType.PARAGRAPH)

    def _list(self, element: etree._Element) -> None:
        items = [child for child in element if local(child) == "li" and not hidden(child)]
        kinds = {self._links.note(item) for item in items}
        if items and None not in kinds:
            entries = kinds == {ContentNodeType.BIBLIOGRAPHIC_ENTRY}
            within = {ComponentType.BIBLIOGRAPHY, ComponentType.NOTES_SECTION} & self._builder.types_around()
            if entries and not within:
                with self._builder.inside(ComponentType.BIBLIOGRAPHY):
                    self._pend(element)
                    self._items(element)
            else:
                self._pend(element)
                self._items(element)
            return
        self._list_depth += 1
        with self._builder.inside(ComponentType.LIST):
            self._pend(element)
            self._items(element)
        self._list_depth -= 1

    def _items(self, element: etree._Element) -> None:
        ordered = local(element) == "ol"
        markers = numbers(element) if ordered else {}
        self._loose(element.text)
        for child in element:
            self._item_or_block(child, markers.get(child, "•"), ordered=ordered)
            self._loose(child.tail)

    def _loose(self, text: str | None) -> None:
        """Add words that are directly in a list; signs between its items are layout."""
        if text and any(map(str.isalnum, text)):
            out = InlineText()
            out.text(text)
            self._flush(out, ContentNodeType.LIST_ITEM)

    def _item_or_block(self, child: etree._Element, marker: str, *, ordered: bool) -> None:
        if hidden(child):
            return
        note = self._links.note(child)
        if note is not None:
            self.note(child, note, marker.rstrip(".") if ordered else None)
        elif local(child) == "li":
            self._item(child, marker, ordered=ordered)
        else:
            self.block(child, ContentNodeType.LIST_ITEM)  # a nested list without an item around it

    def _item(self, element: etree._Element, marker: str, *, ordered: bool) -> None:
        self._pend(element)
        first = len(self._builder.nodes)
        container = self._builder.container
        self.flow(element, ContentNodeType.LIST_ITEM)
        data = {"ordered": ordered, "depth": self._list_depth}
        self._mark_item([node for node in self._builder.nodes[first:] if node.container == container], marker, data)

    def _mark_item(self, nodes: list[Node], marker: str | None, data: dict[str, Any]) -> None:
        """Give the first text of an item its marker; its further paragraphs have none."""
        for number, node in enumerate(node for node in nodes if node.type is ContentNodeType.LIST_ITEM):
            node.data = {**data, "continued": True} if number else {**data, **node.data}
            node.marker = None if number else marker

    def _definitions(self, element: etree._Element) -> None:
        self._list_depth += 1
        with self._builder.inside(ComponentType.LIST):
            self._pend(element)
            terms: list[Inline] = []
            for child in element.iter():
                if local(child) not in ("dt", "dd") or list_of(child) is not element or hidden(child):
                    continue
                if local(child) == "dt":
                    self._pend(child)
                    terms.append(self._inline.read(child))
                    self._builder.pend(*self._inline.taken_ids())
                    following = next_term(child)
                    if following is not None and local(following) == "dd":
                        continue
                    self._definition(terms, None)
                else:
                    self._definition(terms, child)
                terms = []
        self._list_depth -= 1

    def _definition(self, terms: list[Inline], meaning: etree._Element | None) -> None:
        """Add a term with its first meaning; blocks within the meaning stay nodes of their own."""
        data = {"ordered": False, "depth": self._list_depth}
        names = ", ".join(unmarked(term.text) for term in terms)
        container = self._builder.container
        first = len(self._builder.nodes)
        bold = InlineText()
        bold.open("bold")
        bold.text(names if meaning is None else f"{names}:")
        bold.close("bold")
        lead = [Inline(bold.finish().text, join(terms, ", ").marks)] if names else []
        note = self._links.note(meaning) if meaning is not None else None
        if meaning is not None and note is not None:
            self.note(meaning, note, names or None)
            return
        simple = meaning is not None and not any(
            child in self._blocks or local(child) not in INLINE for child in meaning
        )
        if meaning is None or simple:
            text = [self._inline.read(meaning)] if meaning is not None else []
            inline = join([*lead, *text], " ")
            if meaning is not None:
                self._pend(meaning)
            if inline.text:
                self._builder.add(ContentNodeType.LIST_ITEM, inline, anchors=self._inline.taken_ids())
        else:
            if lead:
                self._builder.add(ContentNodeType.LIST_ITEM, lead[0])
            self._pend(meaning)
            self.flow(meaning, ContentNodeType.LIST_ITEM)
        added = [node for node in self._builder.nodes[first:] if node.container == container]
        self._mark_item(added, None, {**data, "term": names} if names else {**data, "continued": True})
