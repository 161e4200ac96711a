"""OpenDocument: docling reads the blocks; notes, links, bookmarks and captions come from the file itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.draft import DraftMetadata, DraftNode, Position
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.kinds import is_footnote
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import damaged, not_empty, run_docling
from ragraph.ingest.readers.office.odf_marks import OdfMarker
from ragraph.ingest.readers.office.odf_opening import open_up, picture_texts, show_linked, take_comments, take_shapes
from ragraph.ingest.readers.office.odf_unseen import Unseen
from ragraph.ingest.readers.office.package import Package, iso_date
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_DC = "{http://purl.org/dc/elements/1.1/}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"


class _OpenDocumentReader:
    """Base of the three readers of OpenDocument."""

    name = ""
    version = 8

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the file; raises the errors of ``Reader.read``."""
        package = Package(path)
        root = package.xml("content.xml")
        if root is None:
            raise damaged("it has no content.xml")
        styles = package.xml("styles.xml")
        if not options.hidden:
            Unseen(root, styles).remove()
        comments = take_comments(root)
        boxes = take_shapes(root) if self.name == "ods" else []
        show_linked(root, package.names)
        open_up(root)
        described = picture_texts(root, package.names)
        marks = Marks(str(root.xpath("string()")))
        marker = OdfMarker(marks, root, styles, package)
        marker.mark()
        for number, (paragraph, _, _) in enumerate(comments):
            if paragraph is not None:
                paragraph.text = (paragraph.text or "") + marks.put("note", f"comment-{number}", None)
        builder = DraftBuilder(f"{self.name}/{self.version}", marks)
        builder.metadata = _metadata(package)
        document = run_docling(path, self.name, package.replaced({"content.xml": root}))
        convert(
            document,
            builder,
            table_rows=options.table_rows,
            own_styles=False,
            skip=is_footnote,
        )
        figures = [node.key for node in builder.nodes if node.type is ContentNodeType.FIGURE]
        if len(figures) == len(described):
            builder.describe(dict(zip(figures, described, strict=True)))
        if self.name == "ods":
            _name_sheets(builder, [table.get(f"{_TABLE}name", "") for table in root.iter(f"{_TABLE}table")])
        for number, shapes in enumerate(boxes, 1):
            _add_boxes(builder, shapes, number)
        notes: list[DraftNode] = []
        for number, (_, stated, text) in enumerate(comments):
            key = f"comment-{number}"
            notes += builder.aside(key, ContentNodeType.NOTE, text, anchors=[key], data=stated)
        for note in marker.notes:
            is_end = note.kind == "endnote"
            container = builder.container("endnotes", ComponentType.NOTES_SECTION, "Endnotes") if is_end else None
            notes += builder.aside(
                note.anchor,
                ContentNodeType.NOTE,
                note.text,
                container=container,
                marker=note.label,
                anchors=[note.anchor],
            )
        builder.place_notes(notes)
        return not_empty(builder.draft())


class OdtReader(_OpenDocumentReader):
    """Texts of LibreOffice and others."""

    name = "odt"


class OdsReader(_OpenDocumentReader):
    """Sheets of LibreOffice and others; pages are sheets."""

    name = "ods"


class OdpReader(_OpenDocumentReader):
    """Slides of LibreOffice and others; pages are slides."""

    name = "odp"


def _name_sheets(builder: DraftBuilder, names: list[str]) -> None:
    """Put the content of each sheet into a section with the sheet's name, because docling drops the names."""
    nodes, builder.nodes = builder.nodes, []
    for node in nodes:
        page = node.positions[0].page_pdf if node.positions else 0
        if node.container is None and 1 <= page <= len(names):
            key = f"sheet/{page}"
            if key not in builder.containers:
                name = names[page - 1]
                builder.container(key, ComponentType.SECTION, name)
                builder.node(
                    f"{key}/name",
                    ContentNodeType.HEADING,
                    names[page - 1],
                    level=1,
                    container=key,
                    positions=node.positions,
                )
            node = node.model_copy(update={"container": key})
        builder.nodes.append(node)


def _add_boxes(builder: DraftBuilder, shapes: list[list[str]], number: int) -> None:
    """Add the texts of the shapes of a sheet behind its content."""
    places = [Position(page_pdf=number)]
    sheet = next((one.container for one in builder.nodes if _page(one) == number and one.container), None)
    made: list[DraftNode] = []
    for place, lines in enumerate(shapes):
        box = builder.container(f"sheet/{number}/box/{place}", ComponentType.TEXT_BOX, None, sheet)
        for line in lines:
            key = f"sheet/{number}/{place}"
            made += builder.aside(key, ContentNodeType.PARAGRAPH, line, container=box, positions=places)
    last = max((place for place, node in enumerate(builder.nodes) if 0 < _page(node) <= number), default=-1)
    builder.nodes[last + 1 : last + 1] = made


def _page(node: DraftNode) -> int:
    return (node.positions[0].page_pdf or 0) if node.positions else 0


def _metadata(package: Package) -> DraftMetadata:
    root = package.xml("meta.xml")
    if root is None:
        return DraftMetadata()

    def text(tag: str) -> str | None:
        found = root.findtext(f".//{tag}")
        return found.strip() or None if found else None

    author = text(f"{_META}initial-creator") or text(f"{_DC}creator")
    keywords = [entry.text for entry in root.iter(f"{_META}keyword") if entry.text]
    extra = {
        "subject": text(f"{_DC}subject"),
        "description": text(f"{_DC}description"),
        "keywords": ", ".join(keywords),
    }
    return DraftMetadata(
        title=text(f"{_DC}title"),
        authors=[name.strip() for name in (author or "").split(";") if name.strip()],
        publication_date=iso_date(text(f"{_META}creation-date") or text(f"{_DC}date")),
        language=text(f"{_DC}language"),
        extra={name: value for name, value in extra.items() if value},
    )
