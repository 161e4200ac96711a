"""Items of the other readers: their output in the terms of the strict measure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bench.structure.peers import VERSIONS, odl_table, plain_markdown, walk
from bench.structure.strict.items import Item, Notions, Read, set_parents
from bench.structure.strict.tables import grid_of
from bench.teds import tables_of_html, tables_of_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.teds import Table

NOTIONS = {
    "pymupdf4llm": Notions(links=False, numbers=False),
    "opendataloader": Notions(notes=False, links=False, numbers=False),
    "pageindex": Notions(blocks=False, tables=False, notes=False, links=False, numbers=False),
}
NAMES = tuple(VERSIONS)
_PYMUPDF = {
    "title": "TITLE",
    "section-header": "HEADING",
    "list-item": "LIST_ITEM",
    "caption": "CAPTION",
    "footnote": "NOTE",
    "table": "TABLE",
    "picture": "FIGURE",
    "formula": "FORMULA",
    "page-header": "HEADER",
    "page-footer": "FOOTER",
    "code": "CODE",
}
_ODL = {
    "heading": "HEADING",
    "list item": "LIST_ITEM",
    "caption": "CAPTION",
    "table": "TABLE",
    "image": "FIGURE",
    "formula": "FORMULA",
}
_ITEMS = re.compile(r"\n(?=\s*(?:[-*+•]|\d+[.)])\s)")
_NOTES = re.compile(r"\n\s*\n|(?<=\n)(?=>?\s*(?:<sup>|\[?\d+[\].)\s]))")


def read_of(peer: str, result: dict[str, Any], first: int = 1) -> Read:
    """Return a peer's output as items.

    Args:
        peer: one of ``NAMES``.
        result: output of its script.
        first: page number in the file of the first page that the peer read.
    """
    if "error" in result:
        return Read(notions=NOTIONS[peer], failed=result["error"])
    make = {"pymupdf4llm": _pymupdf4llm, "opendataloader": _opendataloader, "pageindex": _pageindex}[peer]
    items = list(make(result))
    for item in items:
        item.pages = tuple(page + first - 1 for page in item.pages)
    if peer != "pageindex":
        set_parents(items)
    title = next((item.text for item in items if item.type == "TITLE" and item.pages == (1,)), "")
    seen = first == 1 and peer != "pymupdf4llm"
    return Read(items, NOTIONS[peer], title if seen else None, seconds=result["seconds"])


def _table_item(text: str, page: int, table: Table) -> Item:
    return Item("TABLE", text, (page,), table=table, grid=grid_of(table))


def _pymupdf4llm(result: dict[str, Any]) -> Iterator[Item]:
    for page, boxes in enumerate(result["pages"], 1):
        for box in boxes:
            raw, kind = box["text"], _PYMUPDF.get(box["class"], "PARAGRAPH")
            if kind == "HEADING":
                hashes = re.match(r"\s*(#{1,6})\s", raw)
                yield Item(kind, plain_markdown(raw), (page,), len(hashes[1]) if hashes else 1)
            elif kind == "TABLE":
                tables = tables_of_html(raw, {page}) if "<table" in raw else tables_of_markdown(raw, {page})
                for table in tables:
                    yield _table_item("\n".join(" ".join(c.text for c in row) for row in table.rows), page, table)
            else:
                pattern = {"LIST_ITEM": _ITEMS, "NOTE": _NOTES}.get(kind)
                for part in pattern.split(raw) if pattern else [raw]:
                    if kind == "FIGURE" or part.strip():
                        yield Item(kind, plain_markdown(part), (page,))


def _opendataloader(result: dict[str, Any]) -> Iterator[Item]:
    yield from _odl_items(result["document"].get("kids", ()), "")


def _odl_items(kids: Sequence[dict[str, Any]], furniture: str) -> Iterator[Item]:
    for element in kids:
        kind, page = element["type"], int(element.get("page number", 1))
        text = str(element.get("content", ""))
        if kind == "table":
            whole = " ".join(str(inner.get("content", "")) for inner, _ in walk([element], "body"))
            yield _table_item(whole, page, odl_table(element, page))
            continue
        inner = kind.upper() if kind in {"header", "footer"} else furniture
        name = inner or _ODL.get(kind, "PARAGRAPH")
        if name == "HEADING" and element.get("level") == "Doctitle":
            name = "TITLE"
        if text or name == "FIGURE":
            level = int(element.get("heading level", 1)) if name == "HEADING" else None
            yield Item(name, text, (page,), level)
        for below in ("kids", "list items"):
            yield from _odl_items(element.get(below, ()), inner)


def _pageindex(result: dict[str, Any]) -> Iterator[Item]:
    if result.get("title"):
        yield Item("TITLE", str(result["title"]), (1,))
    yield from _branch(result["tree"], 1, None)


def _branch(nodes: Sequence[dict[str, Any]], level: int, parent: Item | None) -> Iterator[Item]:
    for node in nodes:
        item = Item("HEADING", str(node["title"]), (int(node.get("start_index") or 1),), level, parent)
        yield item
        yield from _branch(node.get("nodes", ()), level + 1, item)
