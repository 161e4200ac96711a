"""Parts of a workbook beside its cells: text boxes and shapes on its sheets, and formulas without a stored value."""

from __future__ import annotations

import html
import posixpath
import re
from typing import TYPE_CHECKING

from ragraph.ingest.common.scripts import shown_runs
from ragraph.ingest.common.unseen import SMALLEST_POINTS, WHITE, is_same, leave_out
from ragraph.ingest.draft import Position
from ragraph.ingest.readers.office.diagrams import diagram_points
from ragraph.ingest.readers.office.symbols import shown_in
from ragraph.ingest.readers.office.theme import Theme, is_faint
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.draft import DraftNode
    from ragraph.ingest.readers.docling.builder import DraftBuilder
    from ragraph.ingest.readers.office.package import Package

_UNSAVED = re.compile(
    rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3}\d{1,7})"[^>]*>\s*<(?:\w+:)?f(?:\s[^>]*)?>([^<]{1,2000})</(?:\w+:)?f>'
    rb"\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
"""A cell with a formula and no value, as programs write it that compute nothing."""


_RUNNING = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(Header|Footer)(?:\s[^<>]*)?>([^<]+)<")
_SECTIONS = re.compile(r"(?<!&)(?:&&)*&[LCR]")
_CODES = re.compile(r"&\"[^\"]*\"|&K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|&\d{1,3}|&[PN](?:[+-]\d+)?|&[DTFAZGBIUESXYOH]")
"""Codes of headers and footers: fonts, colours, sizes, and what the program fills in."""

_COUNTING = 2
"""Maximum words beside the number of a page that are only about it: "Page", "of"."""

_SHARED = "xl/sharedStrings.xml"
_SHIFTS = {"superscript": 1, "subscript": -1}


def sheet_names(package: Package) -> list[str]:
    """Return the parts of the sheets, in the order of the workbook."""
    return list(_sheets(package))


def worksheets(package: Package) -> list[str]:
    """Return the parts of the sheets with cells, in the order of the workbook."""
    return [name for name in sheet_names(package) if "worksheets/" in name and name in package.names]


def _sheets(package: Package) -> dict[str, bool]:
    """Return the parts of the sheets, in the order of the workbook, and whether each is shown."""
    book = package.xml("xl/workbook.xml")
    links = package.relationships("xl/workbook.xml")
    names = {}
    for sheet in book.iter("{*}sheet") if book is not None else ():
        relation = next((str(value) for key, value in sheet.attrib.items() if str(key).endswith("}id")), "")
        names[_name("xl", links.get(relation, ("", ""))[1])] = sheet.get("state", "visible") == "visible"
    return names


def unsaved_formulas(package: Package) -> dict[tuple[int, str], str]:
    """Return formulas that have no stored value, by the number of their worksheet from 0 and their cell ("B7")."""
    found: dict[tuple[int, str], str] = {}
    for number, name in enumerate(worksheets(package)):
        content = package.read(name)
        if b"<f" in content or b":f" in content:
            for match in _UNSAVED.finditer(content):
                found[number, match[1].decode()] = f"={html.unescape(match[2].decode('utf-8', 'replace'))}"
    return found


def add_shapes(package: Package, builder: DraftBuilder, *, hidden: bool) -> None:
    """Add the texts of boxes and shapes behind the content of their sheet; ``hidden`` as in ``ReadOptions``."""
    for number, (name, shown) in enumerate(_sheets(package).items(), 1):
        drawings = [to for kind, to in package.relationships(name).values() if kind == "drawing"]
        for target in drawings:
            drawing = _name(posixpath.dirname(name), target)
            root = package.xml(drawing)
            if root is not None:
                if not hidden:
                    _remove_hidden(root, Theme.of(package), everything=not shown)
                made = _nodes(root, drawing, package, builder, number)
                _place(builder, made, number)


def add_running(package: Package, builder: DraftBuilder, *, hidden: bool) -> None:
    """Add the headers and footers that a sheet prints, behind its content; ``hidden`` as in ``ReadOptions``."""
    for number, (name, shown) in enumerate(_sheets(package).items(), 1):
        if name not in package.names or not (shown or hidden):
            continue
        made: list[DraftNode] = []
        for kind, code in dict.fromkeys(_RUNNING.findall(package.read(name))):
            area = ComponentType.HEADER if kind == b"Header" else ComponentType.FOOTER
            key = f"sheet/{number}/{area.value.lower()}"
            for part in _SECTIONS.split(html.unescape(code.decode("utf-8", "replace"))):
                line = " ".join(_CODES.sub("", part).replace("&&", "&").split())
                if any(map(str.isalnum, line)) and ("&P" not in part or len(line.split()) > _COUNTING):
                    box = builder.container(key, area)
                    places = [Position(page_pdf=number)]
                    made += builder.aside(key, ContentNodeType.PARAGRAPH, line, container=box, positions=places)
        _place(builder, made, number)


def _remove_hidden(root: etree._Element, theme: Theme, *, everything: bool) -> None:
    """Remove the hidden shapes of a drawing, and the text of others that nobody can read."""
    for shape in list(root.iter("{*}sp", "{*}graphicFrame")):
        identity = next(shape.iter("{*}cNvPr"), None)
        if everything or (identity is not None and identity.get("hidden") in ("1", "true")):
            leave_out(" ".join(one.text or "" for one in shape.iter("{*}t")))
            shape.getparent().remove(shape)  # type: ignore[union-attr]
            continue
        filled = shape.find("{*}spPr/{*}solidFill")
        plain = filled is not None or shape.find("{*}style") is None
        behind = theme.drawn(filled)[0] if filled is not None else WHITE
        for run in shape.iter("{*}r"):
            properties, text = run.find("{*}rPr"), run.find("{*}t")
            if properties is None or text is None:
                continue
            colour, opacity = theme.drawn(properties.find("{*}solidFill"))
            size = properties.get("sz", "")
            tiny = size.isdigit() and int(size) <= 100 * SMALLEST_POINTS
            gone = properties.find("{*}noFill") is not None or is_faint(opacity)
            if tiny or gone or (plain and is_same(colour, behind)):
                leave_out(text.text)
                text.text = ""


def _nodes(root: etree._Element, name: str, package: Package, builder: DraftBuilder, number: int) -> list[DraftNode]:
    """Return the nodes of the shapes of a drawing."""
    places = [Position(page_pdf=number)]
    sheet = next((one.container for one in builder.nodes if one.positions == places and one.container), None)
    nodes: list[DraftNode] = []
    for place, shape in enumerate(root.iter("{*}sp")):
        lines = ("".join(one.text or "" for one in line.iter("{*}t")) for line in shape.iterfind("{*}txBody/{*}p"))
        texts = [line for line in lines if line.strip()]
        if not texts:
            continue
        box = builder.container(f"{name}/box/{place}", ComponentType.TEXT_BOX, None, sheet)
        for text in texts:
            nodes += builder.aside(
                *(f"{name}/{place}", ContentNodeType.PARAGRAPH, text), container=box, positions=places
            )
    links = package.relationships(name)
    for held in root.iter("{*}relIds"):
        relation = next((str(value) for key, value in held.attrib.items() if str(key).endswith("}dm")), "")
        data = package.xml(_name(posixpath.dirname(name), links.get(relation, ("", ""))[1]))
        listed = builder.container(f"{name}/{relation}", ComponentType.LIST, None, sheet)
        for point in diagram_points(data) if data is not None else ():
            nodes += builder.aside(
                *(f"{name}/{relation}/point", ContentNodeType.LIST_ITEM, point), container=listed, positions=places
            )
    return nodes


def _place(builder: DraftBuilder, made: list[DraftNode], number: int) -> None:
    """Put nodes behind the last node of their sheet, or of an earlier one."""
    last = max(
        (place for place, node in enumerate(builder.nodes) if node.positions and node.positions[0].page_pdf <= number),
        default=-1,
    )
    builder.nodes[last + 1 : last + 1] = made


def _name(folder: str, target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")


def with_scripts(package: Package) -> dict[str, etree._Element]:
    """Return the parts of a workbook with raised or lowered text, or signs, with these as plain text."""
    changed: dict[str, etree._Element] = {}
    for name in (_SHARED, *worksheets(package)):
        content = package.read(name) if name in package.names else b""
        if not any(word in content for word in (b"vertAlign", b"rFont")):
            continue
        if (root := package.xml(name)) is not None:
            changed[name] = root
            for item in root.iter("{*}si", "{*}is"):
                _write_scripts(item)
    return changed


def _write_scripts(item: etree._Element) -> None:
    """Write the raised and lowered text of a rich text as plain text, and that in fonts of signs as signs, in place."""
    texts, runs = [], []
    for run in item.iterfind("{*}r"):
        text, stated, font = (run.find(f"{{*}}{name}") for name in ("t", "rPr/{*}vertAlign", "rPr/{*}rFont"))
        if text is not None and text.text:
            text.text = shown_in(font.get("val", "") if font is not None else "", text.text)
            texts.append(text)
            runs.append((text.text, _SHIFTS.get(stated.get("val", ""), 0) if stated is not None else 0))
    for text, shown in zip(texts, shown_runs(runs), strict=True):
        text.text = shown
