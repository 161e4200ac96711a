"""Convert a DoclingDocument to a draft, with every label, group, layer, position and reference of docling.

Shared by all readers that parse with docling. Items are taken in the order of docling's tree. Items outside of the
tree come at the end, so nothing of the document is lost.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ragraph.ingest.draft import DraftPage, Position
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.captions import bind_captions
from ragraph.ingest.readers.docling.kinds import GROUPS, PAGE_NUMBER, TEXT_TYPES, description_of, layer_of
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.parts import (
    Geometry,
    chart_rows,
    form_rows,
    inline_text,
    item_text,
    note_marker,
    positions_of,
    sheet_table,
    table_parts,
)
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable

    from docling_core.types.doc import DoclingDocument

    from ragraph.ingest.draft import Draft


def draft_of(
    document: DoclingDocument,
    reader: str,
    *,
    marks: Marks | None = None,
    table_rows: int = 200,
    sheet_headings: bool = False,
) -> Draft:
    """Return the draft of a DoclingDocument.

    Args:
        document: the document as docling converted or loaded it.
        reader: name and version of the calling reader.
        marks: the marks that the reader wrote into the source before docling read it.
        table_rows: a table with more rows becomes several TABLE nodes.
        sheet_headings: give each sheet a heading with its name.
    """
    if marks is None:
        cells = (cell.text for table in document.tables for cell in table.data.table_cells)
        marks = Marks("".join([*(item.text for item in document.texts), *cells]))
    builder = DraftBuilder(reader, marks)
    return convert(document, builder, table_rows=table_rows, sheet_headings=sheet_headings).draft()


def convert(
    document: DoclingDocument,
    builder: DraftBuilder,
    *,
    table_rows: int = 200,
    sheet_headings: bool = False,
    own_styles: bool = True,
    skip: Callable[[Any], bool] | None = None,
) -> DraftBuilder:
    """Do the same as ``draft_of``, but into a builder to which the reader can add more.

    Args:
        document: the document as docling converted or loaded it.
        builder: the builder that gets the nodes.
        table_rows: a table with more rows becomes several TABLE nodes.
        sheet_headings: give each sheet a heading with its name.
        own_styles: use emphasis and links as docling states them; False if marks state them.
        skip: returns True for items of docling to leave out, because the reader takes them from the file itself.
    """
    walk = _Walk(document, builder, table_rows, sheet_headings)
    walk.own_styles = own_styles
    walk.skip = skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # older files use parts that newer docling has moved
        walk.run()
    bind_captions(builder)
    return builder


class _Walk:
    def __init__(self, document: DoclingDocument, builder: DraftBuilder, table_rows: int, sheet_headings: bool) -> None:
        self.document = document
        self.builder = builder
        self.geometry = Geometry.of(document)
        self.table_rows = table_rows
        self.sheet_headings = sheet_headings
        self.own_styles = True
        self.skip: Callable[[Any], bool] | None = None
        self.seen: set[str] = set()
        self.cells: set[str] = set()
        self.comments: list[Any] = []
        self.finishing = False
        self.authors = False
        self.sheets = 0
        self.tables: dict[str, tuple[list[list[str]], int, list[list[int]]]] = {}
        self.keys: dict[str, str] = {}  # reference of docling -> key of the node it became
        self.links: list[tuple[str, str, str]] = []  # key, kind, reference of docling
        titles = [text for text in document.texts if text.label.value == "title" and text.content_layer.value == "body"]
        self.title = titles[0].self_ref if titles else None
        self.shift = 1 if len(titles) > 1 else 0  # several titles are chapters of one document

    def run(self) -> None:
        document = self.document
        for number, page in sorted(document.pages.items()):
            width, height = self.geometry.size(page.size)
            self.builder.pages.append(DraftPage(page_pdf=number, width=width, height=height))
        for table in document.tables:  # all at once: cells of a table in a cell must not become paragraphs first
            parts = table_parts(table, document, self.builder.marks, self.seen, self.own_styles)
            self.tables[table.self_ref] = sheet_table(*parts) if self.sheet_headings else parts
        self.cells = set(self.seen)
        for root in (document.body, document.furniture):
            for child in root.children:
                self.take(child.resolve(document), None, 0)
        for group in (
            document.texts,
            document.tables,
            document.pictures,
            document.key_value_items,
            document.form_items,
        ):
            for item in group:
                self.take(item, None, 0)
        places = {node.key: place for place, node in enumerate(self.builder.nodes)}
        for key, kind, reference in self.links:
            self.link(key, kind, places.get(self.keys.get(reference, "")))

    # -- the tree ---------------------------------------------------------------------------------------------

    def take(self, item: Any, container: str | None, depth: int) -> None:
        """Take an item and its children; each item is taken once."""
        reference = item.self_ref
        if reference in self.cells:
            self.cells.discard(reference)  # its text is in the table, but not tables and pictures within it
            self.children(item, container, depth)
        if reference in self.seen or (self.skip is not None and self.skip(item)):
            return
        self.seen.add(reference)
        kind = item.self_ref.split("/")[1]
        if container is None and item.content_layer.value in {"furniture", "background"} and kind != "groups":
            container = self.furniture(item)
        if item.content_layer.value == "notes" and kind != "groups" and container != "comments":
            container = self.builder.container(
                f"{container or ''}/notes", ComponentType.NOTES_SECTION, "Notes", container
            )
        if kind == "groups":
            self.group(item, container, depth)
        elif kind == "tables":
            self.table(item, container, depth)
        elif kind == "pictures":
            self.picture(item, container, depth)
        elif kind in {"key_value_items", "form_items"}:
            rows = form_rows(item.graph)
            self.rows(item, rows, 0, container, data={"form": True})
            self.children(item, container, depth)
        elif kind in {"field_regions"}:
            key = self.builder.container(reference, ComponentType.CONTAINER, None, container)
            self.children(item, key, depth)
        elif kind == "field_items":
            self.field(item, container, depth)
        else:
            self.text(item, container, depth)

    def children(self, item: Any, container: str | None, depth: int) -> None:
        for child in item.children:
            self.take(child.resolve(self.document), container, depth)

    def group(self, group: Any, container: str | None, depth: int) -> None:
        label, name, reference = group.label.value, group.name or "", group.self_ref
        if label == "inline":
            self.inline(group, container)
            return
        layer = group.content_layer.value
        if layer == "furniture" and name in {"page header", "page footer"}:
            kind = ComponentType.HEADER if name == "page header" else ComponentType.FOOTER
            container = self.builder.container(reference, kind, None, container)
        elif label == "comment_section":
            if not self.finishing:  # comments are collected at the end, not between slides
                self.comments.append(group)
                return
            container = self.builder.container("comments", ComponentType.NOTES_SECTION, "Comments")
            before = len(self.builder.nodes)
            self.children(group, container, depth)
            if len(self.builder.nodes) > before:
                self.keys[reference] = self.builder.nodes[before].key
            return
        elif name == "authors":
            self.authors = True
            self.children(group, container, depth)
            self.authors = False
            return
        elif name == "bibliography":
            container = self.builder.container(reference, ComponentType.BIBLIOGRAPHY, None, container)
        elif name == "textbox":
            container = self.builder.container(reference, ComponentType.TEXT_BOX, None, container)
        elif label in GROUPS:
            title = name if label == "sheet" else self.title_of(group)
            container = self.builder.container(reference, GROUPS[label], title, container)
            depth += label in {"list", "ordered_list"}
            if label == "sheet" and self.sheet_headings and name:
                self.sheets += 1
                places = [Position(page_pdf=self.sheets)]
                self.builder.node(
                    *(f"{reference}/name", ContentNodeType.HEADING, name),
                    level=1, container=container, positions=places, data=layer_of(group),
                )  # fmt: skip
        self.children(group, container, depth)

    def title_of(self, group: Any) -> str | None:
        """Return the title of a slide."""
        children = (child.resolve(self.document) for child in group.children)
        return next((child.text for child in children if child.label.value == "title"), None)

    # -- kinds of items ---------------------------------------------------------------------------------------

    def text(self, item: Any, container: str | None, depth: int) -> None:
        label = item.label.value
        text = item_text(item, self.builder.marks, self.own_styles)
        if not text.strip() and item.children:
            first = item.children[0].resolve(self.document)
            if getattr(first, "label", None) is not None and first.label.value == "inline":
                self.seen.add(first.self_ref)
                text = self.gather(first)
        node_type, level, marker, data = TEXT_TYPES.get(label, ContentNodeType.PARAGRAPH), None, None, layer_of(item)
        if label == "title":
            node_type, level = (ContentNodeType.TITLE, None) if self.is_title(item) else (ContentNodeType.HEADING, 1)
        elif self.authors:
            node_type = ContentNodeType.AUTHOR
        elif label == "section_header":
            node_type, level = ContentNodeType.HEADING, item.level + self.shift
        elif label == "field_heading":
            level = item.level
        elif label == "list_item":
            marker = item.marker if item.enumerated or item.marker not in {"", "-", "*", "•", "·", "●"} else None
            data |= {"ordered": bool(item.enumerated), "depth": max(depth, 1)}
        elif label == "code":
            language = item.code_language.value
            data |= {} if language == "unknown" else {"language": language}
        elif label == "footnote":
            marker, text = note_marker(text)
        elif label in {"checkbox_selected", "checkbox_unselected"}:
            data |= {"checked": label == "checkbox_selected"}
        elif label == "handwritten_text":
            data |= {"handwritten": True}
        if item.content_layer.value == "notes" and node_type is ContentNodeType.PARAGRAPH:
            node_type = ContentNodeType.NOTE
        if item.content_layer.value == "furniture" and PAGE_NUMBER.fullmatch(text):
            node_type = ContentNodeType.PAGE_NUMBER
        self.add(item, node_type, text, container, level=level, marker=marker, data=data)
        if label == "code":
            self.captions(item, container)
        self.children(item, container, depth)

    def inline(self, group: Any, container: str | None) -> None:
        text = self.gather(group)
        first = next((child.resolve(self.document) for child in group.children), None)
        if first is None:
            return
        kind = ContentNodeType.PARAGRAPH
        labels = {child.resolve(self.document).label.value for child in group.children}
        if len(labels) == 1:
            kind = TEXT_TYPES.get(labels.pop(), kind)
        if kind in {ContentNodeType.CODE, ContentNodeType.FORMULA}:
            kind = ContentNodeType.PARAGRAPH
        if group.content_layer.value == "notes":
            kind = ContentNodeType.NOTE
        if container is None and group.content_layer.value == "furniture":
            container = self.furniture(first)
        self.add(group, kind, text, container, data=layer_of(group), places=first)

    def gather(self, group: Any) -> str:
        """Return the text of an inline group; other content in it follows as nodes of its own."""
        text, used = inline_text(group, self.builder.marks, self.document, self.own_styles)
        self.seen |= used
        return text

    def table(self, table: Any, container: str | None, depth: int) -> None:
        cells, header_rows, spans = self.tables[table.self_ref]
        if table.label.value == "document_index":
            container = self.builder.container(
                f"{table.self_ref}/contents", ComponentType.TABLE_OF_CONTENTS, None, container
            )
        self.captions(table, container)
        data = layer_of(table) | ({"spans": spans} if spans else {})
        self.rows(table, cells, header_rows, container, data=data)
        self.children(table, container, depth)

    def rows(
        self, item: Any, cells: list[list[str]], header_rows: int, container: str | None, data: dict[str, Any]
    ) -> None:
        """Add the rows of a table as one TABLE node, or as several if there are many."""
        keys = self.builder.table(
            item.self_ref,
            cells,
            header_rows=header_rows,
            limit=self.table_rows,
            container=container,
            data=data,
            description=description_of(item),
            positions=positions_of(item, self.document, self.geometry),
        )
        if keys:
            self.note_links(item, keys[0])

    def picture(self, picture: Any, container: str | None, depth: int) -> None:
        data = layer_of(picture)
        meta = getattr(picture, "meta", None)
        if meta is not None and getattr(meta, "classification", None):
            data["class"] = meta.classification.predictions[0].class_name
        rows, title = chart_rows(meta)
        text = "\n".join([*([title] if title else []), *(" | ".join(row) for row in rows)])
        if rows:
            data["cells"] = rows
        labels = [child.resolve(self.document) for child in picture.children]
        captions = {reference.cref for reference in picture.captions}
        inner = [
            item
            for item in labels
            if item.self_ref.startswith("#/texts/") and item.self_ref not in captions and not item.children
        ]
        if inner and len(inner) == len([item for item in labels if item.self_ref not in captions]):
            # words inside a picture belong to it: as paragraphs they would interrupt the running text
            text = "\n".join([text, *(item_text(item, self.builder.marks, self.own_styles) for item in inner)]).strip()
            self.seen |= {item.self_ref for item in inner}
        image = getattr(picture.image, "pil_image", None)
        self.add(
            *(picture, ContentNodeType.FIGURE, text, container),
            data=data,
            description=description_of(picture),
            picture=image,
        )
        self.captions(picture, container)
        self.children(picture, container, depth)

    def field(self, item: Any, container: str | None, depth: int) -> None:
        """Add a field of a form: key, value and hint in one paragraph."""
        parts: list[str] = []
        for child in (reference.resolve(self.document) for reference in item.children):
            if child.self_ref.startswith("#/texts/") and not child.children:
                self.seen.add(child.self_ref)
                parts.append(item_text(child, self.builder.marks, self.own_styles).strip())
        self.add(
            item,
            ContentNodeType.PARAGRAPH,
            ": ".join(part.rstrip(":") for part in parts if part),
            container,
            data={"form": True},
        )
        self.children(item, container, depth)

    def captions(self, item: Any, container: str | None) -> None:
        """Take captions below the item or elsewhere in the tree; those beside it come at their own place."""
        for reference in item.captions:
            caption = reference.resolve(self.document)
            if caption.parent is None or item.parent is None or caption.parent.cref != item.parent.cref:
                self.take(caption, container, 0)

    # -- helpers ----------------------------------------------------------------------------------------------

    def add(
        self, item: Any, type: ContentNodeType, text: str, container: str | None, *, places: Any = None, **more: Any
    ) -> None:
        positions = positions_of(places or item, self.document, self.geometry)
        key = self.builder.node(item.self_ref, type, text, container=container, positions=positions, **more)
        if key is not None:
            self.note_links(item, key)

    def note_links(self, item: Any, key: str) -> None:
        """Remember the references of an item of docling until all nodes exist."""
        self.keys.setdefault(item.self_ref, key)
        for kind in ("captions", "footnotes", "references", "comments"):
            self.links += [(key, kind, reference.cref) for reference in getattr(item, kind, None) or []]

    def link(self, key: str, kind: str, place: int | None) -> None:
        """Relate a node to the one at this index of the draft, as docling's field of that kind states."""
        node = self.builder.nodes[place] if place is not None else None
        if place is None or node is None or node.key == key:
            return
        if kind == "captions":
            self.builder.relate(key, RelationType.IS_CAPTIONED_BY, target=node.key)
            if node.type is ContentNodeType.PARAGRAPH:
                self.builder.retype(place, ContentNodeType.CAPTION)
            return
        kinds = {
            ContentNodeType.NOTE: RelationType.REFERENCES_NOTE,
            ContentNodeType.BIBLIOGRAPHIC_ENTRY: RelationType.REFERENCES_CITATION,
        }
        default = RelationType.CROSS_REFERENCES if kind == "references" else RelationType.REFERENCES_NOTE
        self.builder.relate(key, kinds.get(node.type, default), target=node.key, marker=node.marker)

    def is_title(self, item: Any) -> bool:
        return item.self_ref == self.title and not any(
            node.type is ContentNodeType.HEADING for node in self.builder.nodes
        )

    def furniture(self, item: Any) -> str:
        """Return the container of a page header or footer that is alone: one per page and side."""
        page = item.prov[0].page_no if getattr(item, "prov", None) else 0
        body = any(
            node.container is None or not node.container.startswith(("header/", "footer/"))
            for node in self.builder.nodes
        )
        is_foot = item.label.value == "page_footer" or (item.label.value != "page_header" and body)
        side, kind = ("footer", ComponentType.FOOTER) if is_foot else ("header", ComponentType.HEADER)
        return self.builder.container(f"{side}/{page}", kind)
