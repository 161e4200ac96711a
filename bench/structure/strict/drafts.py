"""Items of a draft, the output of ragraph's reader."""

from __future__ import annotations

import hashlib
import json
import re
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import ragraph.ingest
import ragraph.pdf
from bench.structure.strict.items import Item, Link, Read, set_parents, spanned
from ragraph.errors import IngestError
from ragraph.ingest.draft import Draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.schema.enums import ComponentType, ContentNodeType, RelationType

if TYPE_CHECKING:
    from ragraph.ingest.draft import DraftNode

_FURNITURE = {ComponentType.HEADER, ComponentType.FOOTER}
_MARKS = {RelationType.REFERENCES_NOTE, RelationType.REFERENCES_CITATION}


def read(path: Path, cache: Path | None = None, layout: str = "rules", window: tuple[int, int] | None = None) -> Read:
    """Read a file with ragraph's PDF reader.

    Args:
        path: the file.
        cache: as of ``draft_of``.
        layout: see ``ReadOptions``; results of a model are cached separately from those of the rules.
        window: first and last page to read; None = all.
    """
    start = time.process_time()
    try:
        return read_of(*draft_of(path, cache, layout, window))
    except IngestError as error:
        return Read(title="", failed=str(error), seconds=time.process_time() - start)


def draft_of(
    path: Path, cache: Path | None = None, layout: str = "rules", window: tuple[int, int] | None = None
) -> tuple[Draft, float]:
    """Return the draft of a file and the processor time of reading it, in seconds.

    Args:
        path: the file.
        cache: folder for drafts, by the bytes of the file and of the reader's modules, so that nothing is read twice.
        layout: see ``ReadOptions``.
        window: first and last page to read; None = all.

    Raises:
        IngestError: the file cannot be read.
    """
    kept = None
    if cache:
        name = hashlib.sha256(path.read_bytes()).hexdigest()[:24]
        name += "".join(f"-{part}" for part in (*([layout] if layout != "rules" else ()), *(window or ())))
        kept = cache / "drafts" / code_digest() / f"{name}.json"
        if kept.exists():
            known = json.loads(kept.read_text(encoding="utf-8"))
            return Draft.model_validate(known["draft"]), known["seconds"]
    start = time.process_time()
    draft = PdfReader().read(path, ReadOptions(layout=layout, pages=window))
    seconds = time.process_time() - start
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"seconds": seconds, "draft": draft.model_dump(mode="json")}), encoding="utf-8")
    return draft, seconds


def read_of(draft: Draft, seconds: float) -> Read:
    """Return a draft as what is compared, with the processor time of reading it."""
    items = items_of(draft)
    title = draft.metadata.title or next((item.text for item in items if item.type == "TITLE"), "")
    return Read(items, title=title, seconds=seconds)


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the modules of ingestion and of the PDF reader, which changes with any of them."""
    folders = (Path(ragraph.ingest.__file__).parent, Path(ragraph.pdf.__file__).parent)
    modules = sorted(path for folder in folders for kind in ("*.py", "*.npz") for path in folder.rglob(kind))
    return hashlib.sha256(b"".join(module.read_bytes() for module in modules)).hexdigest()[:16]


def items_of(draft: Draft) -> list[Item]:
    """Return the items of a draft in its order."""
    kinds = {container.key: container.type for container in draft.containers}
    items = {node.key: _item(node, kinds.get(node.container or "")) for node in draft.nodes}
    nodes = {node.key: node for node in draft.nodes}
    for relation in draft.relations:
        if relation.type not in _MARKS or relation.source not in items:
            continue
        source, mark = items[relation.source], relation.marker or ""
        if relation.type is RelationType.REFERENCES_NOTE and (relation.target or relation.anchor):
            source.links.append(Link(bare(mark), items.get(relation.target or "")))
        if mark and not _holds(nodes[relation.source], mark, relation.marker_start):
            source.marks.append(mark)
    found = list(items.values())
    set_parents(found)
    return found


def bare(mark: str) -> str:
    """Return a mark without brackets and signs of raising."""
    return re.sub(r"[\s^{}()\[\].]", "", mark)


def _holds(node: DraftNode, mark: str, place: int | None) -> bool:
    """Return True if the text of a node has the mark, which was then not removed."""
    return mark in node.text if place is None else node.text[place : place + len(mark)] == mark


def _item(node: DraftNode, around: ComponentType | None) -> Item:
    kind = node.type.value
    if around in _FURNITURE and node.type is not ContentNodeType.PAGE_NUMBER:
        kind = around.value if around else kind
    item = Item(kind, _text(node), tuple(dict.fromkeys(place.page_pdf for place in node.positions)), node.level)
    if node.type is ContentNodeType.TABLE:
        from bench.teds import table_of_grid

        item.table = table_of_grid(node.data.get("cells", ()), item.pages, node.data.get("spans", ()))
        item.grid = spanned([[(cell.text, cell.rows, cell.columns) for cell in row] for row in item.table.rows])
    return item


def _text(node: DraftNode) -> str:
    """Return the text with the mark in front, if it is stored separately."""
    if node.type is ContentNodeType.TABLE:
        return "\n".join("\t".join(cell or "" for cell in row) for row in _once(node))
    if not node.marker or node.text.startswith(node.marker):
        return node.text
    return f"{node.marker} {node.text}"


def _once(node: DraftNode) -> list[list[str]]:
    """Return the cells of a table, with the text of a spanning cell once."""
    rows = [[cell or "" for cell in row] for row in node.data.get("cells", ())]
    for row, column, high, wide in node.data.get("spans", ()):
        for y in range(row, min(row + high, len(rows))):
            for x in range(column, min(column + wide, len(rows[y]))):
                if (y, x) != (row, column):
                    rows[y][x] = ""
    return rows
