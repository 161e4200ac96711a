"""PPTX: slides are sections, their titles headings; speaker notes are notes of their slide."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ragraph.ingest.common.scripts import shown_runs
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import not_empty, run_docling
from ragraph.ingest.readers.office.diagrams import diagram_points
from ragraph.ingest.readers.office.package import Package
from ragraph.ingest.readers.office.pictures import describe_shapes, list_embedded
from ragraph.ingest.readers.office.pptx_numbers import write_numbers
from ragraph.ingest.readers.office.pptx_unseen import Unseen
from ragraph.ingest.readers.office.symbols import is_of_signs, shown_in

if TYPE_CHECKING:
    from pathlib import Path

    from lxml import etree

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_NOTES = "{*}nvSpPr/{*}nvPr/{*}ph[@type='body']"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


class PptxReader:
    """PowerPoint presentations; pages are slides, boxes in points."""

    name = "pptx"
    version = 8

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the presentation; raises the errors of ``Reader.read``."""
        package = Package(path)
        slides = {name: package.xml(name) for name in package.names if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)}
        marked = {name: root for name, root in sorted(slides.items()) if root is not None}
        marks = Marks("".join(str(root.xpath("string()")) for root in marked.values()))
        embedded: list[str] = []
        unseen = None if options.hidden else Unseen(package)
        changed = dict(marked) if unseen is None else marked | unseen.of_hidden_slides(marked)
        for name, root in marked.items():
            relations = package.relationships(name)
            embedded += _open(root, package, name, relations)
            if unseen is not None:
                unseen.remove(root, name)
            links = {key: to for key, (kind, to) in relations.items() if kind == "hyperlink"}
            _write_signs(root)
            _write_scripts(root)
            write_numbers(root, marks)
            _mark(root, marks, links)
        changed = _notes_pages(package) | changed
        builder = DraftBuilder(f"{self.name}/{self.version}", marks)
        builder.metadata = package.metadata()
        described: dict[str, str] = {}
        document = run_docling(
            *(path, "pptx", package.replaced(changed)), prepare=lambda backend: describe_shapes(backend, described)
        )
        convert(document, builder, table_rows=options.table_rows)
        builder.describe(described)
        list_embedded(builder, embedded)
        return not_empty(builder.draft())


def _open(root: etree._Element, package: Package, name: str, relations: dict[str, tuple[str, str]]) -> list[str]:
    """Put diagrams as text, and shapes for newer programs, where docling finds them; return embedded documents."""
    folder = posixpath.dirname(name)

    def target(relation: str) -> str:
        to = relations.get(relation, ("", ""))[1]
        return to.lstrip("/") if to.startswith("/") else posixpath.normpath(f"{folder}/{to}")

    for choices in list(root.iter(f"{_MC}AlternateContent")):
        parent = choices.getparent()
        if parent is not None and str(parent.tag).endswith(("}spTree", "}grpSp")):
            for part in list(choices[0]) if len(choices) else ():
                choices.addprevious(part)
            parent.remove(choices)
    for frame in list(root.iter("{*}graphicFrame")):
        held, parent = frame.find(".//{*}graphicData/{*}relIds"), frame.getparent()
        if held is None or parent is None:
            continue
        relation = next((str(value) for key, value in held.attrib.items() if str(key).endswith("}dm")), "")
        data = package.xml(target(relation)) if relation in relations else None
        if data is not None and (points := diagram_points(data)):
            parent.replace(frame, _shape_of(frame, points))
    for ink in list(root.iter("{*}contentPart")):  # no text; the converter gives up on one in a group
        if (parent := ink.getparent()) is not None:
            parent.remove(ink)
    embedded = []
    for held in root.iter("{*}oleObj"):
        relation = next((str(value) for key, value in held.attrib.items() if str(key).endswith("}id")), "")
        kind = held.get("progId", "").split(".")[0] or "unknown program"
        embedded.append(f"{posixpath.basename(target(relation)) or held.get('name') or 'object'} ({kind})")
    return embedded


def _shape_of(frame: etree._Element, points: list[str]) -> etree._Element:
    """Return a text box at the place of a diagram, with its points as a list."""
    from lxml import etree

    p = frame.tag[: frame.tag.index("}") + 1]
    drawn = next((one for one in frame.iter() if str(one.tag).endswith("}graphic")), frame)
    a = drawn.tag[: drawn.tag.index("}") + 1]
    named, place = frame.find(".//{*}cNvPr"), frame.find("{*}xfrm")
    shape = etree.Element(f"{p}sp")
    properties = etree.SubElement(shape, f"{p}nvSpPr")
    identity = etree.SubElement(properties, f"{p}cNvPr")
    for key in ("id", "name"):
        identity.set(key, named.get(key, "0") if named is not None else "0")
    etree.SubElement(properties, f"{p}cNvSpPr")
    etree.SubElement(properties, f"{p}nvPr")
    outline = etree.SubElement(shape, f"{p}spPr")
    if place is not None:
        place.tag = f"{a}xfrm"
        outline.append(place)
    body = etree.SubElement(shape, f"{p}txBody")
    etree.SubElement(body, f"{a}bodyPr")
    for point in points:
        line = etree.SubElement(body, f"{a}p")
        etree.SubElement(etree.SubElement(line, f"{a}pPr"), f"{a}buChar").set("char", "•")
        etree.SubElement(etree.SubElement(line, f"{a}r"), f"{a}t").text = " ".join(point.split())
    return shape


def _notes_pages(package: Package) -> dict[str, etree._Element]:
    """Return the pages of notes that have boxes and tables; their text is put behind the notes, which docling reads."""
    pages = {}
    for name in package.names:
        root = package.xml(name) if re.fullmatch(r"ppt/notesSlides/notesSlide\d+\.xml", name) else None
        if root is None:
            continue
        lines: list[etree._Element] = []
        for box in root.iter("{*}sp", "{*}tc"):
            if box.find("{*}nvSpPr/{*}nvPr/{*}ph") is None and next(box.iterancestors("{*}Fallback"), None) is None:
                lines += box.iterfind("{*}txBody/{*}p")
        notes = next((one.find("{*}txBody") for one in root.iter("{*}sp") if one.find(_NOTES) is not None), None)
        if notes is not None and any(str(line.xpath("string()")).strip() for line in lines):
            notes.extend(lines)
            pages[name] = root
    return pages


def _write_signs(root: etree._Element) -> None:
    """Write letters in fonts of signs as these signs.

    A run keeps the font of a sign for what is typed behind it, so only runs of signs alone have that.
    """
    for properties in root.iter("{*}rPr"):
        run = properties.getparent()
        text = run.find("{*}t") if run is not None else None
        if text is None or not text.text:
            continue
        for name in ("latin", "sym"):
            stated = properties.find(f"{{*}}{name}")
            font = stated.get("typeface", "") if stated is not None else ""
            if is_of_signs(font) and (name == "latin" or not any(one.isascii() and one.isalnum() for one in text.text)):
                text.text = shown_in(font, text.text)
                break


def _write_scripts(root: etree._Element) -> None:
    """Write raised and lowered text of runs as plain text."""
    for paragraph in root.iter("{*}p"):
        found = [(run.find("{*}t"), run.find("{*}rPr")) for run in paragraph]
        runs = []
        for text, properties in found:
            stated = (properties.get("baseline") or "0").rstrip("%") if properties is not None else "0"
            shift = int(stated) if stated.lstrip("-").isdecimal() else 0
            runs.append((text.text, shift) if text is not None and text.text else ("\n", 0))
        for (text, _), (own, _), shown in zip(found, runs, shown_runs(runs), strict=True):
            if text is not None and shown != own:
                text.text = shown


def _mark(root: etree._Element, marks: Marks, links: dict[str, str]) -> None:
    """Write emphasis and links of runs as marks into their text, because docling reads only the text of shapes."""
    for text in root.iter("{*}t"):
        run = text.getparent()
        if run is None or not str(run.tag).endswith("}r") or not (text.text or "").strip():
            continue
        properties = run.find("{*}rPr")
        if properties is None:
            continue
        for kind, name in (("italic", "i"), ("bold", "b")):
            if properties.get(name) in {"1", "true"}:
                text.text = marks.around(text.text or "", kind)
        link = properties.find("{*}hlinkClick")
        relation = (
            next((str(value) for key, value in link.attrib.items() if str(key).endswith("}id")), "")
            if link is not None
            else ""
        )
        if links.get(relation):
            text.text = marks.around(text.text or "", "link", links[relation])
