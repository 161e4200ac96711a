"""The body of JATS: sections, paragraphs, lists, figures, tables, boxes and notes, in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from ragraph.base.inline import unmarked
from ragraph.ingest.readers.jats.inline import BLOCKS
from ragraph.ingest.readers.jats.objects import FLOATS, Objects, ids
from ragraph.ingest.readers.jats.references import reference
from ragraph.ingest.readers.markup.inline import Inline, InlineText, collapse, join
from ragraph.ingest.readers.markup.lists import ordered_marker
from ragraph.ingest.readers.markup.xml import local, words
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragraph.ingest.readers.markup.builder import DraftBuilder, Node

_SECTION_TYPES = {
    "intro": ComponentType.INTRODUCTION,
    "introduction": ComponentType.INTRODUCTION,
    "conclusion": ComponentType.CONCLUSION,
    "conclusions": ComponentType.CONCLUSION,
}
_CONTAINERS = {
    "ack": ComponentType.ACKNOWLEDGEMENTS,
    "app": ComponentType.APPENDIX,
    "fn-group": ComponentType.NOTES_SECTION,
    "ref-list": ComponentType.BIBLIOGRAPHY,
    "boxed-text": ComponentType.TEXT_BOX,
    "glossary": ComponentType.SECTION,
    "notes": ComponentType.SECTION,
    "bio": ComponentType.SECTION,
    "dedication": ComponentType.DEDICATION,
    "foreword": ComponentType.FOREWORD,
    "preface": ComponentType.PREFACE,
}
_PASSED = frozenset(
    {"app-group", "fig-group", "table-wrap-group", "disp-formula-group", "statement", "speech", "alternatives"}
)
_HEADS = frozenset({"title", "label", "subtitle", "sec-meta", "object-id", "caption", "alt-title"})


class Walker(Objects):
    """Walks over block elements and adds them to a builder."""

    def __init__(self, builder: DraftBuilder) -> None:
        super().__init__(builder)
        self._list_depth = 0

    def blocks(
        self, elements: Iterable[etree._Element], level: int, kind: ContentNodeType = ContentNodeType.PARAGRAPH
    ) -> None:
        """Add elements in order; ``level`` is that of headings of sections among them, ``kind`` the type of a ``p``."""
        for element in elements:
            self.block(element, level, kind)

    def block(self, element: etree._Element, level: int, kind: ContentNodeType = ContentNodeType.PARAGRAPH) -> None:
        """Add one element."""
        name = local(element)
        if name == "sec" or name in _CONTAINERS:
            self.section(element, level)
        elif name == "p":
            self.paragraph(element, kind, level)
        elif name in ("fig", "chem-struct-wrap", "graphic"):
            self._figure(element, level)
        elif name == "table-wrap":
            self._table_wrap(element)
        elif name in ("table", "array"):
            self._table(element, element, [])
        elif name == "list":
            self._list(element, level)
        elif name == "def-list":
            self._definitions(element)
        elif name == "disp-formula":
            self._formula(element)
        elif name == "disp-quote":
            self._builder.pend(element.get("id"))
            self.blocks(element, level, ContentNodeType.BLOCK_QUOTATION)
        elif name == "verse-group":
            self._verse(element)
        elif name in ("code", "preformat"):
            self._code(element)
        elif name in ("supplementary-material", "media"):
            self._supplement(element, level)
        elif name == "fn":
            self.note(element)
        elif name == "ref":
            self._reference(element)
        elif name in _PASSED:
            self._builder.pend(element.get("id"))
            self._heading(element, level, ContentNodeType.SUBHEADING)
            self.blocks((child for child in element if local(child) not in ("title", "label")), level, kind)
        elif name in ("title", "label"):
            self._add_text(ContentNodeType.SUBHEADING, self._inline.read(element, markdown=False), element)
        elif name:
            self.paragraph(element, kind, level)
        self._flush_notes()

    def section(self, element: etree._Element, level: int, type: ComponentType | None = None) -> None:
        """Add a section or another titled container with its heading and its content."""
        name = local(element)
        stated = _SECTION_TYPES.get((element.get("sec-type") or "").lower()) if level == 1 else None
        kind = type or _CONTAINERS.get(name) or stated or ComponentType.SECTION
        caption = next((child for child in element if local(child) == "caption"), None)
        titled = element if element.find("title") is not None or caption is None else caption
        title = self.title_of(titled)
        if title is None and caption is None and kind is ComponentType.SECTION:
            self._builder.pend(element.get("id"))  # a section without a title is no section for people who read it
            self.blocks((child for child in element if local(child) not in _HEADS), level)
            return
        with self._builder.inside(kind, title):
            self._builder.pend(element.get("id"))
            self._heading(titled, level, ContentNodeType.HEADING)
            if caption is not None:
                self.blocks((child for child in caption if local(child) != "title"), level + 1)
            self.blocks((child for child in element if local(child) not in _HEADS), level + 1)

    def title_of(self, element: etree._Element) -> str | None:
        """Return label and title of an element as one line, or None if it has neither."""
        parts = [element.find("label"), element.find("title")]
        text = " ".join(
            self._inline.read(part, markdown=False, breaks=False).text for part in parts if part is not None
        )
        return collapse(text) or None

    def _heading(self, element: etree._Element, level: int, type: ContentNodeType) -> None:
        parts = [part for part in (element.find("label"), element.find("title")) if part is not None]
        inline = join([self._inline.read(part, markdown=False, breaks=False) for part in parts], " ")
        if inline.text:
            self._builder.add(type, inline, level=level, anchors=[part.get("id") for part in parts])
        subtitle = element.find("subtitle")
        if subtitle is not None:
            self._add_text(ContentNodeType.SUBHEADING, self._inline.read(subtitle, markdown=False), subtitle)

    def paragraph(self, element: etree._Element, kind: ContentNodeType, level: int) -> list[Node]:
        """Add a paragraph: text runs become nodes, blocks in between nodes of their own, floats follow it.

        Returns:
            The nodes of the text runs.
        """
        runs: list[Node] = []
        floats: list[etree._Element] = []
        self._builder.pend(element.get("id"))
        out = InlineText()
        out.text(element.text)
        waiting, self._waiting = self._waiting, []

        def flush() -> None:
            nonlocal out
            inline, out = out.finish(), InlineText()
            if inline.text or inline.marks:
                runs.append(self._builder.add(kind, inline))
            self._flush_notes()

        for child in element:
            name = local(child)
            if name in FLOATS or (name == "graphic" and not out.empty):
                floats.append(child)
                out.space()
                out.text(child.tail)
            elif name in BLOCKS:
                flush()
                self.block(child, level, kind)
                out.text(child.tail)
            else:
                self._inline.child(child, out)
        flush()
        self._waiting = waiting
        self.blocks(floats, level)
        return runs

    def _list(self, element: etree._Element, level: int) -> None:
        style = (element.get("list-type") or "").lower()
        ordered = style not in ("", "bullet", "simple", "none")
        with self._builder.inside(ComponentType.LIST, self.title_of(element)):
            self._builder.pend(element.get("id"))
            title = element.find("title")
            if title is not None:
                self._add_text(ContentNodeType.SUBHEADING, self._inline.read(title, markdown=False), title)
            self._list_depth += 1
            for number, item in enumerate(element.iterchildren("list-item"), start=1):
                label = item.find("label")
                marker = words(label) if label is not None else ordered_marker(style, number) if ordered else None
                if marker is None and style != "simple":
                    marker = "•"
                self._list_item(item, marker, ordered, level)
            self._list_depth -= 1

    def _list_item(self, item: etree._Element, marker: str | None, ordered: bool, level: int) -> None:
        self._builder.pend(item.get("id"))
        first = len(self._builder.nodes)
        container = self._builder.container
        depth = self._list_depth
        self.blocks((child for child in item if local(child) not in ("label",)), level, ContentNodeType.LIST_ITEM)
        added = [node for node in self._builder.nodes[first:] if node.container == container]
        for number, node in enumerate(node for node in added if node.type is ContentNodeType.LIST_ITEM):
            node.data = {"ordered": ordered, "depth": depth, **node.data}
            if number:
                node.data["continued"] = True  # a further paragraph of the same item, without a marker
            else:
                node.marker = marker

    def _definitions(self, element: etree._Element) -> None:
        with self._builder.inside(ComponentType.LIST, self.title_of(element)):
            self._builder.pend(element.get("id"))
            title = element.find("title")
            if title is not None:
                self._add_text(ContentNodeType.SUBHEADING, self._inline.read(title, markdown=False), title)
            self._list_depth += 1
            for item in element:
                if local(item) == "def-list":
                    self._definitions(item)
                if local(item) != "def-item":
                    continue
                terms = [self._inline.read(term) for term in item.iterchildren("term")]
                names = ", ".join(unmarked(term.text) for term in terms)
                meaning = join([self._joined(part) for part in item.iterchildren("def")], "\n\n")
                lead = InlineText()
                lead.open("bold")
                lead.text(f"{names}:" if meaning.text else names)
                lead.close("bold")
                inline = join([Inline(lead.finish().text, join(terms, ", ").marks), meaning], " ")
                data = {"ordered": False, "depth": self._list_depth, "term": names}
                self._builder.add(ContentNodeType.LIST_ITEM, inline, anchors=ids(item), data=data)
            self._list_depth -= 1

    def _verse(self, element: etree._Element) -> None:
        self._builder.pend(element.get("id"))
        self._heading(element, 1, ContentNodeType.SUBHEADING)
        lines: list[Inline] = []
        for child in [*element, None]:
            if child is not None and local(child) in ("verse-line", "attrib"):
                lines.append(self._inline.read(child))
                continue
            if lines:
                self._builder.add(ContentNodeType.STANZA, join(lines, "\n"))
                lines = []
            if child is not None and local(child) == "verse-group":
                self._verse(child)

    def _reference(self, element: etree._Element) -> None:
        inline, data = reference(element)
        self._builder.add(
            ContentNodeType.BIBLIOGRAPHIC_ENTRY, inline, anchors=ids(element), marker=self._label(element), data=data
        )

    def _add_text(self, type: ContentNodeType, inline: Inline, element: etree._Element) -> None:
        if inline.text:
            self._builder.add(type, inline, anchors=[element.get("id")])
