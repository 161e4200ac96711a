"""The golden library: documents with their whole truth, made by eye, and a document of ours in the same form.

    python -m tests.golden FILE                print the document as ragraph reads it
    python -m tests.golden --check [TRUTH ...] compare documents with their truth; all of tests/golden by default
    python -m tests.golden --mark TRUTH        write what differs into the truth file, for a person to look at
    python -m tests.golden --faults            list the known faults

tests/golden/README.md describes the form. Needs no server that runs: it starts one of its own.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row, tuple_row

from bench.gate.truths import difference, document_of, entries, faults, marked, truths
from ragraph.base.inline import unmarked as plain_of
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.common.ids import publication_id
from ragraph.ingest.reader_process.worker import without_hidden
from ragraph.ingest.readers import ReadOptions, reader_for
from ragraph.ingest.storing.linking import ingest_draft
from ragraph.schema.enums import FURNITURE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

    from ragraph.ingest.draft import Draft

ENDS = 5
"""Words shown of the beginning and of the end of a longer text."""
WHOLE = 2 * ENDS + 2
"""Words up to which a text is shown whole."""
BEFORE = 3
"""Words shown in front of a mark."""
BOXES = "☐☑☒"
"""Signs of items that are shown as they are: whether a box is ticked is what its item says."""
_OPEN = re.compile(r"\s*\[[^\[\]]*$")
_TYPES_WHOLE = ("TITLE", "SUBTITLE", "AUTHOR", "HEADING", "SUBHEADING", "CAPTION")


def read(path: Path) -> Draft:
    """Return the draft of a file; PDF files are read by the rules alone, without OCR of what has text."""
    return without_hidden(reader_for(path).read(path, ReadOptions(layout="rules")))


def printed(connection: psycopg.Connection[Any], draft: Draft, number: int = 0) -> list[str]:
    """Ingest a draft and return the lines of the document.

    Args:
        connection: of an empty store; the caller rolls back.
        draft: the document.
        number: makes its id.
    """
    document = f"dl_{number:024x}"
    with connection.transaction():
        ingest_draft(connection, draft, DocumentRow(document, publication_id(document)))
        return _Printer(connection, document).lines()


class _Printer:
    """Prints a stored document."""

    def __init__(self, connection: psycopg.Connection[Any], document: str) -> None:
        self.document = document
        rows = connection.cursor(row_factory=dict_row)

        def every(query: str) -> list[dict[str, Any]]:
            return rows.execute(query, {"document": document}).fetchall()

        self.publication = every(
            "select p.title, p.authors from ragraph.publication p "
            "join ragraph.document d on d.publication_id = p.id where d.id = %(document)s"
        )[0]
        self.pages = every(
            "select page_pdf, page_logical from ragraph.document_page where document_id = %(document)s "
            "order by page_pdf"
        )
        self.components = every(
            "select id, component_type::text as type, title, parent_component_id as parent, sequence_in_parent_major, "
            "sequence_in_parent_minor, first_page as first, last_page as last "
            "from ragraph.document_component where document_id = %(document)s"
        )
        self.nodes = every(
            "select id, content_node_type::text as type, content, data, parent_component_id as parent, "
            "positional_data, sequence_in_document, sequence_in_parent_major, sequence_in_parent_minor "
            "from ragraph.content_node where document_id = %(document)s order by sequence_in_document"
        )
        self.relations = every(
            "select r.source_node_id as source, r.target_node_id as target, r.relation_type::text as type, "
            "r.marker_start from ragraph.relation r join ragraph.content_node n on n.id = r.source_node_id "
            "where n.document_id = %(document)s and r.target_node_id is not null "
            "order by n.sequence_in_document, r.marker_start nulls last, r.id"
        )

    def lines(self) -> list[str]:
        """Return the lines: title, authors, printed numbers of pages, and the tree."""
        self.of_node = {node["id"]: node for node in self.nodes}
        self.marks: dict[str, list[str]] = defaultdict(list)
        self.captions: dict[str, str] = {}
        for relation in self.relations:
            source, target = self.of_node[relation["source"]], self.of_node.get(relation["target"])
            if target is None:
                continue
            if relation["type"] in {"REFERENCES_NOTE", "REFERENCES_CITATION"}:
                self.marks[target["id"]].append(_mark(source, relation["marker_start"]))
            elif relation["type"] == "IS_CAPTIONED_BY":
                self.captions[source["id"]] = plain(target["content"])
        title = self.publication["title"]
        # a publication without a title is named after its document, whose id differs from run to run
        shown = "-" if title in {None, "", self.document} else plain(title)
        head = [f"title: {shown}", f"authors: {self.publication['authors'] or '-'}"]
        head += [f"printed: {', '.join(runs)}" for runs in [_runs(self.pages)] if runs]
        return [*head, "", *self._below(None, 0)]

    def _below(self, parent: str | None, depth: int) -> Iterator[str]:
        children = [row for row in (*self.components, *self.nodes) if row["parent"] == parent]
        first = {row["id"]: self._first(row) for row in children}
        for row in sorted(children, key=lambda row: first[row["id"]]):
            if "content" in row:
                yield from ("  " * depth + line for line in self._node(row))
            elif row["type"] not in FURNITURE:
                pages = _span(row["first"], row["last"])
                yield "  " * depth + _joined(row["type"], pages, plain(row["title"] or ""))
                yield from self._below(row["id"], depth + 1)

    def _first(self, row: dict[str, Any]) -> tuple[int, int, int]:
        return (row["sequence_in_parent_major"], row["sequence_in_parent_minor"] or 0, "content" not in row)

    def _node(self, node: dict[str, Any]) -> Iterator[str]:
        parent = next(row for row in self.components if row["id"] == node["parent"])
        text = plain(node["content"])
        if node["type"] == "HEADING" and text == plain(parent["title"] or ""):
            return
        pages = _span(*_pages(node))
        if node["type"] in {"FIGURE", "TABLE"}:
            yield _joined(node["type"], pages, cut(self.captions.get(node["id"], ""), whole=True))
            yield from _rows(node)
            return
        yield _joined(node["type"], pages, cut(_with_marker(node, text), whole=node["type"] in _TYPES_WHOLE))
        yield from ("  " + mark for mark in self.marks[node["id"]])


def plain(text: str) -> str:
    """Return a text without markdown, white space collapsed."""
    return " ".join(plain_of(text).split())


def cut(text: str, *, whole: bool = False) -> str:
    """Return the first and last words of a text that is longer than ``WHOLE`` words, else the text."""
    words = text.split()
    if whole or len(words) <= WHOLE:
        return " ".join(words)
    return " ".join([*words[:ENDS], "…", *words[-ENDS:]])


def _joined(kind: str, pages: str, text: str) -> str:
    return f"{' '.join(filter(None, (kind, pages)))}{': ' if text else ''}{text}"


def _span(first: int | None, last: int | None) -> str:
    return "" if first is None else f"{first}" if first == last else f"{first}-{last}"


def _pages(node: dict[str, Any]) -> tuple[int | None, int | None]:
    pages = [place["page_pdf"] for place in node["positional_data"]]
    return min(pages, default=None), max(pages, default=None)


def _with_marker(node: dict[str, Any], text: str) -> str:
    """Return a text with its marker in front; bullets of all kinds are one, except boxes to tick."""
    marker = node["data"].get("marker") or ""
    if node["type"] == "LIST_ITEM" and marker and not any(sign.isalnum() or sign in BOXES for sign in marker):
        return f"• {text.removeprefix(marker).lstrip()}"
    if node["type"] == "LIST_ITEM" and not marker and node["data"].get("ordered") is False:
        return f"• {text}"
    return text if not marker or text.startswith(marker) else f"{marker} {text}"


def _mark(source: dict[str, Any], start: int | None) -> str:
    """Return the place of a mark: pages of the node that holds it, and the words in front of it."""
    pages = _span(*_pages(source))
    if source["type"] == "TABLE":
        return f"<- {pages}: TABLE" if pages else "<- TABLE"
    # "[2, 3]" is two marks: both are where the bracket opens; the "(" of "(Birch 2010)" is no word
    words = [] if start is None else _OPEN.sub("", plain(source["content"][:start])).removesuffix("(").split()
    return " ".join(filter(None, ("<-", pages and f"{pages}:", *words[-BEFORE:])))


def _rows(node: dict[str, Any]) -> Iterator[str]:
    """Yield the rows of a table: those of the head with "=", a cell that covers several places once."""
    cells = [[plain(cell or "") for cell in row] for row in node["data"].get("cells") or ()]
    for top, left, high, wide in node["data"].get("spans") or ():
        for row in range(top, min(top + high, len(cells))):
            for column in range(left, min(left + wide, len(cells[row]))):
                if (row, column) != (top, left):
                    cells[row][column] = ""
    heads = node["data"].get("header_rows") or 0
    for number, shown in enumerate(cells):
        yield f"  {'=' if number < heads else '|'} {' | '.join(cut(cell) for cell in shown)}".rstrip()


def _runs(pages: Sequence[dict[str, Any]]) -> list[str]:
    """Return the printed numbers as runs that count with the pages: "10-59 = 1-50"."""

    def key(row: dict[str, Any]) -> tuple[str, int]:
        label = row["page_logical"]
        if label.isdecimal():
            return "arabic", int(label) - row["page_pdf"]
        value = _roman(label.lower())
        return ("roman", value - row["page_pdf"]) if value else (label, row["page_pdf"])

    runs = []
    for _, found in groupby((row for row in pages if row["page_logical"]), key):
        rows = list(found)
        first, last = rows[0], rows[-1]
        label = f"{first['page_logical']}{'' if first is last else '-' + last['page_logical']}"
        runs.append(f"{_span(first['page_pdf'], last['page_pdf'])} = {label}")
    return runs


def _roman(label: str) -> int:
    if not re.fullmatch(r"[ivxlc]+", label):
        return 0
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[sign] for sign in label]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def main() -> int:
    """Return 0, or 1 if a document differs from its truth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="*", type=Path, help="documents to print, or truth files")
    parser.add_argument("--check", action="store_true", help="compare with the truth")
    parser.add_argument("--mark", action="store_true", help="write differences into the truth files")
    parser.add_argument("--faults", action="store_true", help="list known faults")
    chosen = parser.parse_args()
    if chosen.faults:
        for truth in chosen.file or truths():
            for fault in faults(entries(truth.read_text(encoding="utf-8"))):
                print(f"{truth.stem}: {fault.reason} (-{len(fault.right)} +{len(fault.ours)})")
        return 0
    from bench.throwaway import throwaway_store

    wrong = 0
    with throwaway_store() as store, store.database.write() as connection:
        connection.row_factory = tuple_row
        compare = chosen.check or chosen.mark
        for number, path in enumerate(chosen.file or (truths() if compare else [])):
            ours = printed(connection, read(document_of(path) if compare else path), number)
            if not compare:
                print("\n".join(ours))
                continue
            text = path.read_text(encoding="utf-8")
            found = difference(entries(text), ours)
            wrong += bool(found)
            print("\n".join(found or [f"{path.stem}: as it should be"]))
            if chosen.mark:
                path.write_text(marked(text, ours), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
