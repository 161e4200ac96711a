"""The body of JATS: sections, paragraphs, lists, figures, tables, boxes and notes, in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from ragraph.ingest.readers.jats_inline import BLOCKS, InlineReader, formula_tex
from ragraph.ingest.readers.jats_references import reference
from ragraph.ingest.readers.markup_inline import Inline, InlineText, collapse, join, plain
from ragraph.ingest.readers.markup_lists import ordered_marker
from ragraph.ingest.readers.markup_table import Cell, Row, span, table
from ragraph.ingest.readers.markup_xml import attribute, local, mathml, words
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragraph.ingest.readers.markup_builder import DraftBuilder, Node

_FLOATS = frozenset(
    {"fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "supplementary-material", "media"}
)
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


class Walker:
    """Walks over block elements and adds what they are to a builder."""

    def __init__(self, builder: DraftBuilder) -> None:
        self._builder = builder
        self._inline = InlineReader(self._inline_note)
        self._waiting: list[etree._Element] = []
        self._notes_seen = 0
        self._list_depth = 0

    def blocks(
        self, elements: Iterable[etree._Element], level: int, kind: ContentNodeType = ContentNodeType.PARAGRAPH
    ) -> None:
        """Add elements in order; ``level`` is that of the headings of sections among them, ``kind`` what a ``p`` becomes."""
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
        """Add a section or another titled container with its heading and all that it holds."""
        name = local(element)
        if type is None:
            stated = _SECTION_TYPES.get((element.get("sec-type") or "").lower()) if level == 1 else None
            type = _CONTAINERS.get(name) or stated or ComponentType.SECTION
        caption = next((child for child in element if local(child) == "caption"), None)
        titled = element if element.find("title") is not None or caption is None else caption
        with self._builder.inside(type, self.title_of(titled)):
            self._builder.pend(element.get("id"))
            self._heading(titled, level, ContentNodeType.HEADING)
            if caption is not None:
                self.blocks((child for child in caption if local(child) != "title"), level + 1)
            self.blocks((child for child in element if local(child) not in _HEADS), level + 1)

    def title_of(self, element: etree._Element) -> str | None:
        """Return label and title of an element as one line, null if it has neither."""
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
        """Add a paragraph: text runs become nodes, blocks in between their own, floats come after it.

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
            if name in _FLOATS or (name == "graphic" and not out.empty):
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

    def note(self, element: etree._Element) -> Node:
        """Add a footnote of whatever place: its label is the marker, its paragraphs are its text."""
        label, inline = self._label(element), self._joined(element)
        return self._builder.add(ContentNodeType.NOTE, inline, anchors=ids(element), marker=label)

    def _inline_note(self, element: etree._Element) -> tuple[str, str | None]:
        # The note follows the text it stands in, so the reference goes by anchor.
        self._notes_seen += 1
        anchor = element.get("id") or f"inline-note-{self._notes_seen}"
        element.set("id", anchor)
        self._waiting.append(element)
        return anchor, self._label(element)

    def _flush_notes(self) -> None:
        waiting, self._waiting = self._waiting, []
        for element in waiting:
            self.note(element)

    def _label(self, element: etree._Element) -> str | None:
        label = element.find("label")
        return (words(label) if label is not None else element.get("symbol")) or None

    def _joined(self, element: etree._Element) -> Inline:
        """Return the text of all children but the label, one paragraph each."""
        parts = [self._inline.read(child) for child in element if local(child) not in ("label", "object-id")]
        loose = (element.text or "") + "".join(child.tail or "" for child in element)
        return self._inline.read(element) if loose.strip() else join(parts, "\n\n")

    def caption(self, element: etree._Element) -> Inline:
        """Return label, title and paragraphs of a caption as one text; floats within are left to the caller."""
        parts = []
        label = element.find("label")
        if label is not None:
            parts.append(self._inline.read(label))
        caption = element.find("caption")
        for child in caption if caption is not None else ():
            if local(child) not in _FLOATS:
                parts.append(self._inline.read(child, skip=frozenset({"label", "object-id", *_FLOATS})))
        if len(parts) > 1 and label is not None and parts[0].text:
            ended = parts[0].text if plain(parts[0].text)[-1:] in ".:—–" else f"{parts[0].text}."
            parts = [join([Inline(ended, parts[0].marks), parts[1]], " "), *parts[2:]]
        return join(parts, "\n\n")

    def _add_caption(self, element: etree._Element) -> Node | None:
        inline = self.caption(element)
        return self._builder.add(ContentNodeType.CAPTION, inline) if inline.text else None

    def _floats_of_caption(self, element: etree._Element, level: int) -> None:
        caption = element.find("caption")
        if caption is not None:
            self.blocks((found for found in caption.iter(*_FLOATS) if _outermost(found, caption)), level)

    def _figure(self, element: etree._Element, level: int) -> None:
        graphics = [
            *element.iterchildren("graphic", "media"),
            *element.iterfind("alternatives/graphic"),
            *element.iter("graphic"),
        ]
        graphic = graphics[0] if graphics else element if local(element) == "graphic" else None
        node = self._builder.add(
            ContentNodeType.FIGURE,
            "",
            anchors=ids(element, frozenset({"caption", "p", "fig", "supplementary-material", "fn"})),
            description=self._description(element),
            storage_url=attribute(graphic, "href") if graphic is not None else None,
        )
        caption = self._add_caption(element)
        if caption is not None:
            self._builder.caption(node, caption)
        elif node.description:
            node.text = node.description
        self._floats_of_caption(element, level)
        known = {
            "label",
            "caption",
            "graphic",
            "media",
            "alternatives",
            "object-id",
            "alt-text",
            "long-desc",
            "abstract",
            "kwd-group",
        }
        self.blocks((child for child in element if local(child) not in known), level)

    def _description(self, element: etree._Element) -> str | None:
        return " ".join(filter(None, (words(found) for found in element.iter("alt-text", "long-desc")))) or None

    def _table_wrap(self, element: etree._Element) -> None:
        own = ids(element, frozenset({"caption", "p", "fn", "table-wrap-foot"}))
        caption = self._add_caption(element)
        tables: list[Node] = []
        sources = [found for found in element.iter("table") if next(found.iterancestors("table"), None) is None]
        for number, source in enumerate(sources):
            tables.append(self._table(source, element, own if number == 0 else []))
        if not sources:
            graphic = next(element.iter("graphic", "media"), None)
            href = attribute(graphic, "href") if graphic is not None else None
            description = self._description(element)
            tables.append(
                self._builder.add(ContentNodeType.TABLE, "", anchors=own, storage_url=href, description=description)
            )
        if caption is not None:
            for node in tables:
                self._builder.caption(node, caption)
        self._floats_of_caption(element, 1)
        known = {
            "label",
            "caption",
            "table",
            "graphic",
            "media",
            "alternatives",
            "object-id",
            "alt-text",
            "long-desc",
            "table-wrap-foot",
        }
        self.blocks((child for child in element if local(child) not in known), 1)
        notes: list[Node] = []
        for foot in element.iterchildren("table-wrap-foot"):
            for part in foot:
                notes += self._table_notes(part)
        sources_of_notes = {node.key for node in tables} | ({caption.key} if caption is not None else set())
        for note in notes:
            if not self._builder.referenced(note.anchors, sources_of_notes):
                self._builder.link(tables[0], RelationType.REFERENCES_NOTE, note, note.marker)

    def _table_notes(self, element: etree._Element) -> list[Node]:
        name = local(element)
        if name == "fn":
            return [self.note(element)]
        if name == "fn-group":
            return [note for child in element for note in self._table_notes(child)]
        inline = self._inline.read(element)
        return [self._builder.add(ContentNodeType.NOTE, inline, anchors=ids(element))] if inline.text else []

    def _table(self, element: etree._Element, wrap: etree._Element, anchors: list[str]) -> Node:
        rows = []
        for line in element.iter("tr"):
            if next(line.iterancestors("table", "array"), element) is not element:
                continue  # a table within a cell is text of that cell
            parent = line.getparent()
            cells = [
                Cell(
                    self._inline.read(cell, markdown=False, breaks=False),
                    span(cell.get("rowspan")),
                    span(cell.get("colspan")),
                )
                for cell in line
                if local(cell) in ("td", "th")
            ]
            in_head = parent is not None and local(parent) == "thead"
            rows.append(Row(cells, header=in_head))
        inline, data = table(rows)
        own = anchors or ([] if wrap is not element else ids(element))
        return self._builder.add(
            ContentNodeType.TABLE, inline, anchors=own, data=data, description=self._description(wrap)
        )

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
                node.data["continued"] = True  # a further paragraph of the same item: no marker of its own
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
                out = join(terms, ", ")
                bold = Inline(
                    f"**{plain(out.text)}**" if out.text and "*" not in out.text else out.text, out.shifted(0)
                )
                meaning = join([self._joined(part) for part in item.iterchildren("def")], "\n\n")
                data = {"ordered": False, "depth": self._list_depth, "term": plain(out.text)}
                inline = join([Inline(f"{bold.text}:" if meaning.text else bold.text, bold.marks), meaning], " ")
                self._builder.add(ContentNodeType.LIST_ITEM, inline, anchors=ids(item), data=data)
            self._list_depth -= 1

    def _formula(self, element: etree._Element) -> None:
        found = formula_tex(element)
        math = next((e for e in element.iter() if local(e) == "math"), None)
        text = found or (mathml(math) if math is not None else self._inline.read(element, markdown=False).text)
        label = self._label(element)
        graphic = next(element.iter("graphic", "inline-graphic"), None)
        self._builder.add(
            ContentNodeType.FORMULA,
            f"{text} {label}" if label and text else text or label or "",
            anchors=ids(element),
            marker=label,
            description=self._description(element),
            storage_url=attribute(graphic, "href") if graphic is not None and not text else None,
            data={"format": "tex" if found else "text"},
        )

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

    def _code(self, element: etree._Element) -> None:
        text = "".join(str(part) for part in element.itertext()).strip("\n")
        language = element.get("language") or element.get("code-type")
        self._builder.add(
            ContentNodeType.CODE, text, anchors=ids(element), data={"language": language} if language else {}
        )

    def _supplement(self, element: etree._Element, level: int) -> None:
        media = [element, *element.iter("media", "graphic", "inline-supplementary-material")]
        href = next((attribute(found, "href") for found in media if attribute(found, "href")), None)
        captions = [self.caption(found) for found in element.iter("supplementary-material", "media")]
        known = frozenset(
            {"label", "caption", "media", "graphic", "object-id", "alternatives", "alt-text", "long-desc"}
        )
        rest = [self._inline.read(child) for child in element if local(child) not in known]
        text = join([*captions, *rest], "\n\n")
        self._builder.add(
            ContentNodeType.PARAGRAPH,
            text if text.text else Inline(href or "", text.marks),
            anchors=ids(element),
            storage_url=href,
            description=self._description(element),
            data={"supplement": True},
        )
        self._floats_of_caption(element, level)

    def _reference(self, element: etree._Element) -> None:
        inline, data = reference(element)
        self._builder.add(
            ContentNodeType.BIBLIOGRAPHIC_ENTRY, inline, anchors=ids(element), marker=self._label(element), data=data
        )

    def _add_text(self, type: ContentNodeType, inline: Inline, element: etree._Element) -> None:
        if inline.text:
            self._builder.add(type, inline, anchors=[element.get("id")])


def ids(element: etree._Element, without: frozenset[str] = frozenset()) -> list[str]:
    """Return the ids of an element and of all below it, but for those below elements named in ``without``."""
    found = [element.get("id")]
    for child in element:
        if local(child) and local(child) not in without:
            found += ids(child, without)
    return [name for name in found if name]


def _outermost(element: etree._Element, root: etree._Element) -> bool:
    for ancestor in element.iterancestors():
        if ancestor is root:
            return True
        if local(ancestor) in _FLOATS:
            return False
    return True
