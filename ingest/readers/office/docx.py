"""DOCX: docling reads the blocks; notes, links, fields, captions and styles come from the file itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.kinds import is_footnote
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import damaged, not_empty, run_docling
from ragraph.ingest.readers.office.docx_headings import state_headings
from ragraph.ingest.readers.office.docx_marks import DocxMarker, Numbering, is_on
from ragraph.ingest.readers.office.package import Package
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from lxml import etree

    from ragraph.ingest.draft import Draft, DraftNode
    from ragraph.ingest.readers import ReadOptions

_NOTE_PARTS = {"footnotes": "footnote", "endnotes": "endnote"}


class DocxReader:
    """Word documents, strict and transitional."""

    name = "docx"
    version = 2

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the document; raises the errors of ``Reader.read``."""
        package = Package(path)
        main = _main_part(package)
        root = package.xml(main)
        if root is None:
            raise damaged("it has no main document")
        folder = main.rpartition("/")[0]
        relations = package.relationships(main)
        parts = {main: root}
        for kind, target in relations.values():
            name = target.lstrip("/") if target.startswith("/") else f"{folder}/{target}"
            if kind in _NOTE_PARTS and (note_root := package.xml(name)) is not None:
                parts[name] = note_root
        marks = Marks("".join(str(part.xpath("string()")) for part in parts.values()))
        texts = dict(parts)
        if (style_root := package.xml(f"{folder}/styles.xml")) is not None:
            state_headings(root, style_root)
            parts[f"{folder}/styles.xml"] = style_root
        styles = _styles(style_root)
        numbering = Numbering(package.xml(f"{folder}/settings.xml"))
        for name, part in texts.items():
            links = {key: target for key, (kind, target) in package.relationships(name).items() if kind == "hyperlink"}
            DocxMarker(marks, styles, links, numbering).mark(part)
        builder = DraftBuilder(f"{self.name}/{self.version}", marks)
        builder.metadata = package.metadata()
        document = run_docling(path, "docx", package.replaced(parts), prepare=_no_external_programs)
        convert(document, builder, table_rows=options.table_rows, own_styles=False, skip=is_footnote)
        notes = [note for name, part in texts.items() if name != main for note in _notes(part, builder, numbering)]
        builder.place_notes(notes)
        return not_empty(builder.draft())


def _no_external_programs(backend: Any) -> None:
    """Keep docling from starting an office program to draw shapes, so that drafts are the same on every machine."""
    backend.docx_to_pdf_converter_init = True
    backend.display_drawingml_warning = False


def _main_part(package: Package) -> str:
    for kind, target in package.relationships("").values():
        if kind == "officeDocument":
            return target.lstrip("/")
    return "word/document.xml"


def _styles(root: etree._Element | None) -> dict[str, tuple[str, bool, bool]]:
    """Return style id to (name in lower case, bold, italic); bold and italic of character styles only."""
    if root is None:
        return {}
    w = root.tag[: root.tag.index("}") + 1]
    based: dict[str, str] = {}
    stated: dict[str, tuple[str, bool | None, bool | None]] = {}
    for style in root.findall(f"{w}style"):
        key = style.get(f"{w}styleId", "")
        name = style.find(f"{w}name")
        parent = style.find(f"{w}basedOn")
        based[key] = parent.get(f"{w}val", "") if parent is not None else ""
        bold, italic = style.find(f"{w}rPr/{w}b"), style.find(f"{w}rPr/{w}i")
        is_character = style.get(f"{w}type") == "character"
        stated[key] = (
            name.get(f"{w}val", "").lower() if name is not None else "",
            is_on(bold, w) if bold is not None and is_character else None,
            is_on(italic, w) if italic is not None and is_character else None,
        )
    resolved: dict[str, tuple[str, bool, bool]] = {}
    for key, (own_name, is_bold, is_italic) in stated.items():
        parent_key, seen = based.get(key, ""), {key}
        while parent_key in stated and parent_key not in seen and (is_bold is None or is_italic is None):
            seen.add(parent_key)
            is_bold = stated[parent_key][1] if is_bold is None else is_bold
            is_italic = stated[parent_key][2] if is_italic is None else is_italic
            parent_key = based.get(parent_key, "")
        resolved[key] = (own_name, bool(is_bold), bool(is_italic))
    return resolved


def _notes(part: etree._Element, builder: DraftBuilder, numbering: Numbering) -> list[DraftNode]:
    """Return the notes of a part as nodes, in the order of their numbers; they are removed from the builder."""
    w = part.tag[: part.tag.index("}") + 1]
    kind = _NOTE_PARTS[part.tag.removeprefix(w)]
    container = builder.container("endnotes", ComponentType.NOTES_SECTION, "Endnotes") if kind == "endnote" else None
    found: list[DraftNode] = []
    for note in part.findall(f"{w}{kind}"):
        if note.get(f"{w}type") in {"separator", "continuationSeparator", "continuationNotice"}:
            continue
        anchor = f"{kind}-{note.get(f'{w}id', '')}"
        lines = [_text(paragraph, w) for paragraph in note.iter(f"{w}p")]
        text = "\n".join(line for line in lines if builder.marks.strip(line).strip())
        marker = numbering.given.get(anchor)
        found += builder.aside(anchor, ContentNodeType.NOTE, text, container=container, marker=marker, anchors=[anchor])
    order = {anchor: place for place, anchor in enumerate(numbering.given)}
    return sorted(found, key=lambda node: order.get(node.key, len(order)))


def _text(paragraph: etree._Element, w: str) -> str:
    """Return the text of a paragraph of a note."""
    parts: list[str] = []
    for element in paragraph.iter():
        if element.tag == f"{w}t" or (isinstance(element.tag, str) and element.tag.endswith("/math}t")):
            parts.append(element.text or "")
        elif element.tag in {f"{w}tab", f"{w}br", f"{w}cr"} and element.getparent().tag == f"{w}r":  # type: ignore[union-attr]
            parts.append(" ")
        elif element.tag == f"{w}noBreakHyphen":
            parts.append("-")
    return re.sub(r"[ \t]+", " ", "".join(parts))
