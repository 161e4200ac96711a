"""Readings of a page by several readers, in one form: headings with levels in order, and the main text."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.html.reader import HtmlReader
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

_LINK = re.compile(r"\]\((?:[^()\s]|\\.)*\)")


class Reading(NamedTuple):
    """The result of a reader: (level, title) of each heading in order, and the text without furniture."""

    headings: list[tuple[int, str]]
    text: str


def ragraph(path: Path) -> Reading:
    """Read with our reader; headers and footers are not text."""
    draft = HtmlReader().read(path, ReadOptions())
    containers = {one.key: one for one in draft.containers}
    beside: dict[str | None, bool] = {None: False}
    for key, one in containers.items():
        beside[key] = one.type in (ComponentType.HEADER, ComponentType.FOOTER) or beside[one.parent]
    nodes = [node for node in draft.nodes if not beside[node.container]]
    headings = [
        (0 if node.type is ContentNodeType.TITLE else node.level or 1, _plain(node.text))
        for node in nodes
        if node.type in (ContentNodeType.TITLE, ContentNodeType.HEADING)
    ]
    return Reading(
        headings,
        "\n".join(node.text if node.type is ContentNodeType.CODE else _plain(node.text) for node in nodes),
    )


def _plain(text: str) -> str:
    return re.sub(r"[*`]|\\(?=\W)", "", _LINK.sub("]", text))


def docling(path: Path) -> Reading:
    """Read with docling's HTML backend; its furniture layer is not text."""
    from docling.datamodel.base_models import InputFormat
    from docling.document_converter import DocumentConverter
    from docling_core.types.doc import SectionHeaderItem, TableItem, TextItem, TitleItem

    document = DocumentConverter(allowed_formats=[InputFormat.HTML]).convert(path).document
    headings: list[tuple[int, str]] = []
    texts: list[str] = []
    for item, _ in document.iterate_items():
        if isinstance(item, TitleItem | SectionHeaderItem):
            headings.append((item.level if isinstance(item, SectionHeaderItem) else 0, item.text))
        if isinstance(item, TableItem):
            texts += [cell.text for cell in item.data.table_cells]
        elif isinstance(item, TextItem):
            texts.append(item.text)
    return Reading(headings, "\n".join(texts))


def trafilatura(path: Path) -> Reading:
    """Read with trafilatura by default; its title counts as a heading if its text has no similar one."""
    extract = importlib.import_module("trafilatura").extract
    raw = path.read_bytes()
    found = extract(raw, output_format="xml", include_comments=False, include_tables=True)
    if not found:
        return Reading([], "")
    root = etree.fromstring(found.encode())
    headings = [
        (int((head.get("rend") or "h1")[1:]), " ".join("".join(map(str, head.itertext())).split()))
        for head in root.iter("head")
    ]
    title = root.get("title")
    if title and not any(text == title for _, text in headings):
        headings.insert(0, (1, title))
    return Reading(headings, "\n".join([title or "", *map(str, root.itertext())]))


READERS = {"ragraph": ragraph, "docling": docling, "trafilatura": trafilatura}
