"""Figures, tables, formulas, code, supplements and notes of JATS as nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.inline import unmarked
from ragraph.ingest.readers.jats.inline import InlineReader, formula_tex
from ragraph.ingest.readers.markup.inline import Inline, join
from ragraph.ingest.readers.markup.table import Cell, Row, span, table
from ragraph.ingest.readers.markup.xml import attribute, local, mathml, words
from ragraph.schema.enums import ContentNodeType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree

    from ragraph.ingest.readers.markup.builder import DraftBuilder, Node

FLOATS = frozenset(
    {"fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "supplementary-material", "media"}
)
"""Elements beside the text rather than in it."""


class Objects:
    """Handlers of the walker for elements that become a single node.

    Args:
        builder: gets the nodes.
    """

    def __init__(self, builder: DraftBuilder) -> None:
        self._builder = builder
        self._inline = InlineReader(self._inline_note)
        self._waiting: list[etree._Element] = []
        self._notes_seen = 0

    def blocks(
        self, elements: Iterable[etree._Element], level: int, kind: ContentNodeType = ContentNodeType.PARAGRAPH
    ) -> None:
        """Add elements in order; implemented by the walker."""
        raise NotImplementedError

    def note(self, element: etree._Element) -> Node:
        """Add a footnote from any place: its label is the marker, its paragraphs are its text."""
        label, inline = self._label(element), self._joined(element)
        return self._builder.add(ContentNodeType.NOTE, inline, anchors=ids(element), marker=label)

    def _inline_note(self, element: etree._Element) -> tuple[str, str | None]:
        # the note follows the text around it, so the reference uses an anchor
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
        """Return the text of all children except the label, one paragraph each."""
        parts = [self._inline.read(child) for child in element if local(child) not in ("label", "object-id")]
        loose = (element.text or "") + "".join(child.tail or "" for child in element)
        return self._inline.read(element) if loose.strip() else join(parts, "\n\n")

    def caption(self, element: etree._Element) -> Inline:
        """Return label, title and paragraphs of a caption as one text; floats within it are left to the caller."""
        parts = []
        label = element.find("label")
        if label is not None:
            parts.append(self._inline.read(label))
        caption = element.find("caption")
        skipped = frozenset({"label", "object-id", *FLOATS})
        shown = [child for child in (caption if caption is not None else ()) if local(child) not in FLOATS]
        parts += [self._inline.read(child, skip=skipped) for child in shown]
        if len(parts) > 1 and label is not None and parts[0].text:
            ended = parts[0].text if unmarked(parts[0].text)[-1:] in ".:—–" else f"{parts[0].text}."
            parts = [join([Inline(ended, parts[0].marks), parts[1]], " "), *parts[2:]]
        return join(parts, "\n\n")

    def _add_caption(self, element: etree._Element) -> Node | None:
        inline = self.caption(element)
        return self._builder.add(ContentNodeType.CAPTION, inline) if inline.text else None

    def _floats_of_caption(self, element: etree._Element, level: int) -> None:
        caption = element.find("caption")
        if caption is not None:
            self.blocks((found for found in caption.iter(*FLOATS) if _outermost(found, caption)), level)

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
            node.embedding_source = EmbeddingSource.DESCRIPTION
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


def ids(element: etree._Element, without: frozenset[str] = frozenset()) -> list[str]:
    """Return the ids of an element and of everything below it, except below elements named in ``without``."""
    found = [element.get("id")]
    for child in element:
        if local(child) and local(child) not in without:
            found += ids(child, without)
    return [name for name in found if name]


def _outermost(element: etree._Element, root: etree._Element) -> bool:
    for ancestor in element.iterancestors():
        if ancestor is root:
            return True
        if local(ancestor) in FLOATS:
            return False
    return True
