"""DOCX: docling reads the blocks; notes, links, fields, captions and styles come from the file itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.document import convert
from ragraph.ingest.readers.docling.kinds import is_footnote
from ragraph.ingest.readers.docling.marks import Marks
from ragraph.ingest.readers.docling.run import damaged, not_empty, run_docling
from ragraph.ingest.readers.office.docx_headings import state_headings
from ragraph.ingest.readers.office.docx_marks import DocxMarker, Numbering, is_on
from ragraph.ingest.readers.office.docx_numbers import PrintedNumbers
from ragraph.ingest.readers.office.docx_opening import Opening
from ragraph.ingest.readers.office.docx_unseen import Unseen
from ragraph.ingest.readers.office.package import Package
from ragraph.ingest.readers.office.pictures import describe_pictures, list_embedded
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lxml import etree

    from ragraph.ingest.draft import Draft, DraftNode
    from ragraph.ingest.readers import ReadOptions

_NOTE_PARTS = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
_RUNNING = ("header", "footer")


class DocxReader:
    """Word documents, strict and transitional."""

    name = "docx"
    version = 10

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the document; raises the errors of ``Reader.read``."""
        package = Package(path)
        main = _main_part(package)
        root = package.xml(main)
        if root is None:
            raise damaged("it has no main document")
        folder = main.rpartition("/")[0]
        relations = package.relationships(main)
        texts = {main: root}
        running: dict[str, etree._Element] = {}
        for name, (kind, _) in _targets(relations, folder).items():
            if kind in (*_NOTE_PARTS, *_RUNNING) and (part := package.xml(name)) is not None:
                (texts if kind in _NOTE_PARTS else running)[name] = part
        marks = Marks("".join(str(part.xpath("string()")) for part in texts.values()))
        opening = Opening(package, marks, options)
        parts = texts | running
        for name, part in parts.items():
            opening.open(part, name)
        style_root = package.xml(f"{folder}/styles.xml")
        _drop_nameless(style_root)
        if not options.hidden:
            unseen = Unseen(package, root, style_root)
            for part in parts.values():
                unseen.remove(part)
            _drop_notes(texts.values(), unseen.noted)
        if style_root is not None:
            state_headings(root, style_root)
            parts[f"{folder}/styles.xml"] = style_root
        styles = _styles(style_root)
        _number(root, PrintedNumbers(package.xml(f"{folder}/numbering.xml"), style_root), marks)
        numbering = Numbering(package.xml(f"{folder}/settings.xml"))
        for name, part in texts.items():
            links = {key: target for key, (kind, target) in package.relationships(name).items() if kind == "hyperlink"}
            DocxMarker(marks, styles, links, numbering).mark(part)
        builder = DraftBuilder(f"{self.name}/{self.version}", marks)
        builder.metadata = package.metadata()
        said = {name: part for name, part in texts.items() if _local(part) == "comments"}
        words = _commented(root)
        described: dict[str, str] = {}
        emptied = {name: part.makeelement(part.tag) for name, part in said.items()}

        def prepare(backend: Any) -> None:
            _no_external_programs(backend)
            describe_pictures(backend, described)

        document = run_docling(path, "docx", package.replaced(parts | emptied), prepare=prepare)
        convert(document, builder, table_rows=options.table_rows, own_styles=False, skip=is_footnote)
        builder.describe(described)
        notes = [
            note for name, part in texts.items() if name != main for note in _notes(part, builder, numbering, words)
        ]
        builder.place_notes(notes)
        list_embedded(builder, opening.embedded)
        builder.warnings += opening.warnings
        return not_empty(builder.draft())


def _no_external_programs(backend: Any) -> None:
    """Keep docling from starting an office program to draw shapes, so that drafts are the same on every machine.

    It must not number headings either: it knows only 1, 1.1 and so on.
    """
    backend.docx_to_pdf_converter_init = True
    backend.display_drawingml_warning = False
    backend._is_numbered_heading = lambda paragraph: False


def _targets(relations: dict[str, tuple[str, str]], folder: str) -> dict[str, tuple[str, str]]:
    """Return the relationships of the main part by the names of the parts they lead to."""
    return {to.lstrip("/") if to.startswith("/") else f"{folder}/{to}": (kind, to) for kind, to in relations.values()}


def _drop_notes(parts: Iterable[etree._Element], gone: set[str]) -> None:
    """Remove the notes whose marks nobody sees, unless another mark leads to them."""
    for part in parts:
        w = part.tag[: part.tag.index("}") + 1]
        gone -= {
            f"{name}-{mark.get(f'{w}id', '')}"
            for name in _NOTE_PARTS.values()
            for mark in part.iter(f"{w}{name}Reference")
        }
    for part in parts:
        w = part.tag[: part.tag.index("}") + 1]
        for note in list(part.iterfind("{*}*")):
            if f"{note.tag.removeprefix(w)}-{note.get(f'{w}id', '')}" in gone:
                leave_out(" ".join(one.text or "" for one in note.iter(f"{w}t")))
                part.remove(note)


def _local(root: etree._Element) -> str:
    return str(root.tag).rpartition("}")[2]


def _number(root: etree._Element, numbers: PrintedNumbers, marks: Marks) -> None:
    """Give each numbered paragraph its printed number as a mark; as text in a cell, whose words docling joins."""
    w = root.tag[: root.tag.index("}") + 1]
    for paragraph in root.iter(f"{w}p"):
        found = numbers.of(paragraph)
        settings = paragraph.find(f"{w}pPr")
        if found is None or settings is None:
            continue
        run = paragraph.makeelement(f"{w}r")
        text = run.makeelement(f"{w}t", {"{http://www.w3.org/XML/1998/namespace}space": "preserve"})
        run.append(text)
        if next(paragraph.iterancestors(f"{w}tc"), None) is None:
            text.text = marks.put("number", found[0], found[1])
        elif any((one.text or "").strip() for one in paragraph.iter(f"{w}t")) or len(paragraph) == 1:
            text.text = "".join(found)
            for stated in settings.findall(f"{w}numPr"):
                settings.remove(stated)
            numbered = settings.makeelement(f"{w}numPr")
            numbered.append(numbered.makeelement(f"{w}numId", {f"{w}val": "0"}))
            settings.insert(1 if settings.find(f"{w}pStyle") is not None else 0, numbered)
        settings.addnext(run)


def _commented(root: etree._Element) -> dict[str, str]:
    """Return the words that each comment is about, by the number of the comment."""
    w = root.tag[: root.tag.index("}") + 1]
    words: dict[str, str] = {}
    open_now: list[str] = []
    for element in root.iter(f"{w}commentRangeStart", f"{w}commentRangeEnd", f"{w}t", f"{w}p"):
        key = element.get(f"{w}id", "")
        if element.tag == f"{w}commentRangeStart":
            open_now.append(key)
            words.setdefault(key, "")
        elif element.tag == f"{w}commentRangeEnd":
            open_now = [one for one in open_now if one != key]
        else:
            for one in open_now:
                words[one] += (element.text or "") if element.tag == f"{w}t" else "\n"
    return words


def _main_part(package: Package) -> str:
    for kind, target in package.relationships("").values():
        if kind == "officeDocument":
            return target.lstrip("/")
    return "word/document.xml"


def _drop_nameless(styles: etree._Element | None) -> None:
    """Remove styles without an id, which nothing can have; text without a style would be taken to have them."""
    if styles is None:
        return
    for style in list(styles.iterfind("{*}style")):
        if not style.get(style.tag.replace("}style", "}styleId")):
            styles.remove(style)


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


def _notes(part: etree._Element, builder: DraftBuilder, numbering: Numbering, words: dict[str, str]) -> list[DraftNode]:
    """Return the notes of a part as nodes, in the order of their numbers; they are removed from the builder."""
    w = part.tag[: part.tag.index("}") + 1]
    kind = _NOTE_PARTS[part.tag.removeprefix(w)]
    titles = {"endnote": "Endnotes", "comment": "Comments"}
    container = builder.container(f"{kind}s", ComponentType.NOTES_SECTION, titles[kind]) if kind in titles else None
    found: list[DraftNode] = []
    for note in part.findall(f"{w}{kind}"):
        if note.get(f"{w}type") in {"separator", "continuationSeparator", "continuationNotice"}:
            continue
        anchor = f"{kind}-{note.get(f'{w}id', '')}"
        lines = [_text(paragraph, w) for paragraph in note.iter(f"{w}p")]
        text = "\n".join(line for line in lines if builder.marks.strip(line).strip())
        marker = numbering.given.get(anchor)
        data = _comment_data(note, w, builder.marks.strip(words.get(note.get(f"{w}id", ""), "")))
        found += builder.aside(
            *(anchor, ContentNodeType.NOTE, text),
            container=container,
            marker=marker,
            anchors=[anchor],
            data=data if kind == "comment" else None,
        )
    order = {anchor: place for place, anchor in enumerate(numbering.given)}
    return sorted(found, key=lambda node: order.get(node.key, len(order)))


def _comment_data(comment: etree._Element, w: str, words: str) -> dict[str, Any]:
    """Return author and time of a comment, and the words it is about."""
    stated = {"author": comment.get(f"{w}author"), "date": comment.get(f"{w}date"), "words": " ".join(words.split())}
    return {name: value for name, value in stated.items() if value}


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
