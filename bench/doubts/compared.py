"""A draft of a printed article compared with its truth: pages and tables with faults."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode

_FURNITURE = {ComponentType.HEADER, ComponentType.FOOTER}
_ALSO = {
    "BIBLIOGRAPHIC_ENTRY": {"LIST_ITEM", "PARAGRAPH"},
    "NOTE": {"PARAGRAPH", "LIST_ITEM", "CAPTION"},
    "LIST_ITEM": {"PARAGRAPH", "BIBLIOGRAPHIC_ENTRY"},
    "CAPTION": {"PARAGRAPH"},
    "PARAGRAPH": {"CAPTION", "NOTE", "SUBTITLE"},
    "TITLE": {"HEADING"},
}
"""Types that are as right, since what is printed does not tell them apart."""
_HEAD = 25
"""Letters by which a block is looked for on a page."""
_SAME = 0.5
"""Share of the words of a table that a table read has, if it is that table."""


def squash(text: str) -> str:
    """Return letters and digits of a text, lower case."""
    return "".join(sign for sign in text.lower() if sign.isalnum())


def faults_of(
    draft: Draft, truth: Sequence[dict[str, Any]], path: Path
) -> tuple[set[int], list[tuple[int, str, bool]]]:
    """Return the pages with a fault, and page, text and fault of each table that was read.

    Args:
        draft: of the printed article.
        truth: its blocks in order, of ``articles.article``.
        path: the file, of which the letters of pages are looked up.
    """
    furniture = {item.key for item in draft.containers if item.type in _FURNITURE}
    nodes = [node for node in draft.nodes if node.container not in furniture and node.type.value != "PAGE_NUMBER"]
    tables = [node for node in nodes if node.type.value == "TABLE"]
    texts = [node for node in nodes if node.type.value not in {"TABLE", "FIGURE"}]
    letters = _letters(path)
    pages, used = _texts(texts, truth, letters)
    free = "".join(squash(block["text"]) for block in truth if block.get("free"))
    for place, node in enumerate(texts):
        key = squash(node.text)
        if place not in used and key and key not in free:
            pages.add(node.positions[0].page_pdf)
    order = [(place, texts[place].positions[0].page_pdf) for place in used]
    pages |= {page for (one, _), (other, page) in pairwise(order) if other < one}
    pages |= _levels(texts, used)
    judged, lost = _tables(tables, [block["rows"] for block in truth if block["type"] == "TABLE"], letters)
    return pages | lost | {page for page, _, fault in judged if fault}, judged


def _texts(
    texts: Sequence[DraftNode], truth: Sequence[dict[str, Any]], letters: Sequence[str]
) -> tuple[set[int], dict[int, dict[str, Any]]]:
    """Return the pages of blocks that are not as they should be, and the right nodes with their blocks.

    A block may be in several nodes if they are on pages that follow each other: no page shows that it goes on.
    """
    keys = [{squash(node.text), squash((node.marker or "") + node.text)} for node in texts]
    of_key: dict[str, list[int]] = defaultdict(list)
    for place, known in enumerate(keys):
        for key in known:
            of_key[key].append(place)
    pages: set[int] = set()
    used: dict[int, dict[str, Any]] = {}
    at = 1
    for block in truth:
        key = squash(block["text"])
        if block["type"] == "TABLE" or block.get("free") or not key:
            continue
        right = {block["type"], *_ALSO.get(block["type"], ())}
        found = [one for one in of_key[key] if one not in used and texts[one].type.value in right][:1]
        found = found or _in_parts(key, [place not in used and texts[place].type.value in right
                                         for place in range(len(texts))], texts, keys)  # fmt: skip
        if not found:
            head = key[:_HEAD]
            at = next((number for number in range(at, len(letters) + 1) if head in letters[number - 1]), at)
            pages.add(at)
            continue
        used |= dict.fromkeys(found, block)
        at = texts[found[-1]].positions[-1].page_pdf
    return pages, used


def _in_parts(key: str, free: Sequence[bool], texts: Sequence[DraftNode], keys: Sequence[set[str]]) -> list[int]:
    """Return the nodes that make up a text, each on a page of its own; none if there are none."""
    for place, known in enumerate(keys):
        if not free[place] or not (head := next((one for one in known if one and key.startswith(one)), "")):
            continue
        found, rest = [place], key.removeprefix(head)
        for other in range(place + 1, min(place + 6, len(texts))):
            own = squash(texts[other].text)
            apart = texts[other].positions[0].page_pdf > texts[found[-1]].positions[-1].page_pdf
            if free[other] and own and apart and rest.startswith(own):
                found.append(other)
                rest = rest.removeprefix(own)
        if not rest and len(found) > 1:
            return found
    return []


def _letters(path: Path) -> list[str]:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        return [squash(page.get_textpage().get_text_range()) for page in pdf]


def _levels(texts: Sequence[DraftNode], used: dict[int, dict[str, Any]]) -> set[int]:
    """Return the pages with headings of which one stands above another that it should not."""
    of_page: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, block in used.items():
        if block["type"] == "HEADING" and texts[place].type.value == "HEADING":
            of_page[texts[place].positions[0].page_pdf].append((block["level"], texts[place].level or 1))
    return {
        page
        for page, found in of_page.items()
        if any(_sign(one[0] - other[0]) != _sign(one[1] - other[1]) for one, other in combinations(found, 2))
    }


def _tables(
    tables: Sequence[DraftNode], truths: Sequence[list[list[str]]], letters: Sequence[str]
) -> tuple[list[tuple[int, str, bool]], set[int]]:
    """Return page, text and fault of each table, and the pages of those that were not found."""
    left = list(range(len(truths)))
    judged = []
    for node in tables:
        cells = [[squash(cell or "") for cell in row] for row in node.data.get("cells") or ()]
        ours = {cell for row in cells for cell in row if cell}
        best = max(left, key=lambda one: _shared(truths[one], ours), default=None)
        fault = True
        if best is not None and _shared(truths[best], ours) >= _SAME:
            left.remove(best)
            wanted = [[squash(cell or "") for cell in row] for row in truths[best]]
            fault = _rows(wanted) != _rows(cells)
        judged.append((node.positions[0].page_pdf, node.text, fault))
    lost = set()
    for one in left:
        head = next((squash("".join(row))[:_HEAD] for row in truths[one] if squash("".join(row))), "")
        first = next((squash(cell) for row in truths[one] for cell in row if len(squash(cell)) > 3), head)
        lost |= set([number for number, page in enumerate(letters, 1) if first and first in page][:1])
    return judged, lost


def _rows(cells: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the rows with something in them, without columns that are empty in all of them."""
    width = max(map(len, cells), default=0)
    full = [column for column in range(width) if any(column < len(row) and row[column] for row in cells)]
    rows = [tuple(row[column] if column < len(row) else "" for column in full) for row in cells]
    return [row for row in rows if any(row)]


def _shared(rows: Sequence[Sequence[str]], ours: set[str]) -> float:
    wanted = {squash(cell or "") for row in rows for cell in row} - {""}
    return len(wanted & ours) / max(len(wanted), 1)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
