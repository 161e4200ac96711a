"""PPTX: slides are sections, their titles headings; speaker notes are notes of their slide."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import not_empty, run_docling
from ragraph.ingest.readers.office.package import Package

if TYPE_CHECKING:
    from pathlib import Path

    from lxml import etree

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions


class PptxReader:
    """PowerPoint presentations; pages are slides, boxes in points."""

    name = "pptx"
    version = 1

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the presentation; raises the errors of ``Reader.read``."""
        package = Package(path)
        slides = {name: package.xml(name) for name in package.names if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)}
        marked = {name: root for name, root in sorted(slides.items()) if root is not None}
        marks = Marks("".join(str(root.xpath("string()")) for root in marked.values()))
        for name, root in marked.items():
            links = {key: to for key, (kind, to) in package.relationships(name).items() if kind == "hyperlink"}
            _mark(root, marks, links)
        builder = DraftBuilder(f"{self.name}/{self.version}", marks)
        builder.metadata = package.metadata()
        document = run_docling(path, "pptx", package.replaced(marked))
        convert(document, builder, table_rows=options.table_rows)
        return not_empty(builder.draft())


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
