"""Comparison of tables: tree edit distance similarity (TEDS; Zhong, ShafieiBavani, Jimeno Yepes, ECCV 2020).

    RAGRAPH_DATA=../shared/data python -m bench.teds [--stripped] [--each]

A table is a tree of rows and cells. Inserting or deleting a node costs 1. Renaming a cell costs 1 if its spans differ,
else the normalised edit distance of its text. TEDS is 1 - distance / nodes of the larger tree. Row groups (thead,
tbody) are left out, because some outputs cannot state them. Spaces in cells do not count, because the truth is made of
text objects whose spaces PDF does not keep.

Truth: the structure tree of tagged files (TR, TH, TD), read here with pikepdf and PDFium and not with the reader.
Files with recorded docling output are listed separately: they show what docling's models saw, a hint and not a truth.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.structure_tree import StructureTree, is_element
from ragraph.ingest.draft import Draft
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BLANKS = re.compile(r"\s+")
_PAIRED = 0.1
"""Minimum similarity of tables that are paired."""
_MAX_NODES = 1500
"""Maximum nodes: the distance needs more than quadratic time, so larger trees are cut to this many rows."""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and the rows and columns that it covers."""

    text: str
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True)
class Table:
    """A table: its rows of cells, each cell in the row and order in which it begins, and the table's pages."""

    rows: tuple[tuple[Cell, ...], ...]
    pages: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """Number of nodes of the tree."""
        return 1 + len(self.rows) + sum(len(row) for row in self.rows)


@dataclass(frozen=True)
class TableRow:
    """A table of the truth and its counterpart: similarity with and without texts; 0.0 if none was found."""

    document: str
    pages: tuple[int, ...]
    teds: float
    structure: float


@dataclass
class TableScores:
    """A row per table of the truth, and the number of found tables without a counterpart."""

    rows: list[TableRow] = field(default_factory=list)
    found: int = 0
    extra: int = 0

    @property
    def teds(self) -> float | None:
        """Mean similarity over all tables of the truth, those not found at 0; None without any."""
        return sum(row.teds for row in self.rows) / len(self.rows) if self.rows else None

    @property
    def structure(self) -> float | None:
        """The same without the texts."""
        return sum(row.structure for row in self.rows) / len(self.rows) if self.rows else None

    @property
    def recall(self) -> float | None:
        """Share of the tables of the truth that have a counterpart."""
        return sum(row.teds > 0 for row in self.rows) / len(self.rows) if self.rows else None

    @property
    def precision(self) -> float | None:
        """Share of the tables found that are tables of the truth."""
        return 1 - self.extra / self.found if self.found else None

    def add(self, other: TableScores) -> None:
        """Add the scores of another document."""
        self.rows += other.rows
        self.found += other.found
        self.extra += other.extra


def score_tables(found: Draft | Sequence[Table], truth: Sequence[Table], document: str = "") -> TableScores:
    """Pair found tables with those of the truth on common pages, each at most once, so that the sum is greatest.

    Args:
        found: a draft, or tables made by ``table_of_grid`` or ``tables_of_html`` from the output of others.
        truth: from ``tagged_tables``.
        document: name for the rows.
    """
    import numpy
    from scipy.optimize import linear_sum_assignment

    tables = draft_tables(found) if isinstance(found, Draft) else list(found)
    scores = TableScores(found=len(tables))
    table = numpy.zeros((len(truth), len(tables)))
    for row, wanted in enumerate(truth):
        for column, other in enumerate(tables):
            if not wanted.pages or not other.pages or wanted.pages & other.pages:
                table[row, column] = teds(wanted, other)
    pairs = dict(zip(*linear_sum_assignment(table, maximize=True), strict=True)) if table.size else {}
    used = 0
    for row, wanted in enumerate(truth):
        best = pairs.get(row)
        similarity = float(table[row, best]) if best is not None else 0.0
        alike = similarity >= _PAIRED
        used += alike
        structure = teds(wanted, tables[best], texts=False) if alike and best is not None else 0.0
        scores.rows.append(TableRow(document, tuple(sorted(wanted.pages)), similarity * alike, structure))
    scores.extra = len(tables) - used
    return scores


def teds(one: Table, other: Table, texts: bool = True) -> float:
    """Return the similarity of two tables, from 0 to 1, with their texts or of their structure alone."""
    from apted import APTED

    one, other = _cut(one), _cut(other)
    distance = APTED(_tree(one), _tree(other), _costs(texts)).compute_edit_distance()
    return max(0.0, 1.0 - float(distance) / max(one.size, other.size))


def table_of_grid(
    cells: Sequence[Sequence[str | None]], pages: Iterable[int] = (), spans: Iterable[Sequence[int]] = ()
) -> Table:
    """Return a table from a full grid of texts.

    Args:
        cells: rows of texts.
        pages: pages it stands on, from 1.
        spans: (row, column, rows, columns) of every cell that covers more than one place; the others it covers are
            left out.
    """
    covered: set[tuple[int, int]] = set()
    size: dict[tuple[int, int], tuple[int, int]] = {}
    for row, column, high, wide in spans:
        size[row, column] = (high, wide)
        covered |= {(row + down, column + right) for down in range(high) for right in range(wide)} - {(row, column)}
    rows = tuple(
        tuple(
            Cell(plain(text or ""), *size.get((at, place), (1, 1)))
            for place, text in enumerate(row)
            if (at, place) not in covered
        )
        for at, row in enumerate(cells)
    )
    return Table(rows, frozenset(pages))


def tables_of_html(html: str, pages: Iterable[int] = ()) -> list[Table]:
    """Return the tables of a piece of HTML, inner ones left out."""
    from bs4 import BeautifulSoup

    numbers = frozenset(pages)
    tables = []
    for element in BeautifulSoup(html, "lxml").find_all("table"):
        if element.find_parent("table") is None:
            rows = tuple(
                tuple(
                    Cell(plain(cell.get_text(" ")), _count(cell.get("rowspan")), _count(cell.get("colspan")))
                    for cell in row.find_all(["td", "th"])
                )
                for row in element.find_all("tr")
            )
            tables.append(Table(rows, numbers))
    return tables


def tables_of_markdown(text: str, pages: Iterable[int] = ()) -> list[Table]:
    """Return the pipe tables of a piece of Markdown."""
    numbers = frozenset(pages)
    tables: list[Table] = []
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.strip().startswith("|"):
            rows.append(re.split(r"(?<!\\)\|", line.strip().strip("|")))
            continue
        if len(rows) > 1:
            kept = [row for row in rows if not all(re.fullmatch(r"\s*:?-+:?\s*", cell) for cell in row)]
            clean = [[re.sub(r"<br\s*/?>|\*\*|\\", " ", cell).strip() for cell in row] for row in kept]
            tables.append(table_of_grid(clean, numbers))
        rows = []
    return tables


def draft_tables(draft: Draft) -> list[Table]:
    """Return the tables of a draft."""
    return [
        table_of_grid(
            node.data.get("cells", ()), {place.page_pdf for place in node.positions}, node.data.get("spans", ())
        )
        for node in draft.nodes
        if node.type is ContentNodeType.TABLE
    ]


def recorded_tables(path: Path) -> list[Table]:
    """Return the tables of a recorded DoclingDocument (JSON)."""
    tables = []
    for item in json.loads(path.read_text(encoding="utf-8")).get("tables", ()):
        if item["label"] != "table":
            continue
        rows: dict[int, list[tuple[int, Cell]]] = {index: [] for index in range(item["data"]["num_rows"])}
        for cell in item["data"]["table_cells"]:
            rows.setdefault(cell["start_row_offset_idx"], []).append(
                (cell["start_col_offset_idx"], Cell(plain(cell["text"]), cell["row_span"], cell["col_span"]))
            )
        ordered = tuple(tuple(cell for _, cell in sorted(rows[at], key=lambda pair: pair[0])) for at in sorted(rows))
        tables.append(Table(ordered, frozenset(place["page_no"] for place in item["prov"])))
    return tables


def icdar_tables(path: Path) -> list[Table]:
    """Return the tables of a truth file of the ICDAR 2013 table competition (``*-str.xml``)."""
    from lxml import etree

    tables = []
    for element in etree.parse(str(path)).getroot().findall("table"):
        rows: dict[int, list[tuple[int, Cell]]] = {}
        pages, start = set[int](), 0
        for region in element.findall("region"):
            pages.add(int(region.get("page", "1")))
            last = start
            for cell in region.findall("cell"):
                row, column = int(cell.get("start-row", "0")), int(cell.get("start-col", "0"))
                end_row, end_column = int(cell.get("end-row") or row), int(cell.get("end-col") or column)
                text = plain(cell.findtext("content") or "")
                place = (column, Cell(text, end_row - row + 1, end_column - column + 1))
                rows.setdefault(start + row, []).append(place)
                last = max(last, start + end_row + 1)
            start = last
        ordered = tuple(tuple(cell for _, cell in sorted(rows[at], key=lambda pair: pair[0])) for at in sorted(rows))
        tables.append(Table(ordered, frozenset(pages)))
    return tables


def tagged_tables(path: Path) -> list[Table]:
    """Return the tables of the structure tree of a tagged PDF, in its order; none without one.

    Artificial ones are left out: of fewer than two rows or two columns, and without text.
    """
    import pikepdf

    with pikepdf.open(path) as pdf:
        root = pdf.Root.get("/StructTreeRoot")
        if root is None:
            return []
        reader = _Tags(pdf, root, path)
        return [table for table in reader.tables(root) if _is_table(table)]


class _Tags(StructureTree):
    """Walks a structure tree for its tables."""

    def tables(self, element: Any, depth: int = 0) -> Iterator[Table]:
        for child in self.children(element):
            if depth > 200 or not is_element(child):
                continue
            if self.role(child) == "Table":
                rows, pages = [], set[int]()
                for row in self._inside(child, {"TR"}):
                    cells = []
                    for cell in self._inside(row, {"TH", "TD"}):
                        found = list(self.contents(cell, row.get("/Pg", child.get("/Pg"))))
                        pages |= {page for page, _ in found}
                        text = "".join(self.texts.get(place, "") for place in found)
                        cells.append(Cell(plain(text), self._span(cell, "/RowSpan"), self._span(cell, "/ColSpan")))
                    rows.append(tuple(cells))
                yield Table(tuple(rows), frozenset(pages))
            else:
                yield from self.tables(child, depth + 1)

    def _inside(self, element: Any, roles: set[str]) -> Iterator[Any]:
        for child in self.children(element):
            if is_element(child):
                if self.role(child) in roles:
                    yield child
                elif self.role(child) != "Table":
                    yield from self._inside(child, roles)

    def _span(self, cell: Any, key: str) -> int:
        import pikepdf

        stated = cell.get("/A", ())
        for attributes in stated if isinstance(stated, pikepdf.Array) else [stated]:
            if isinstance(attributes, pikepdf.Dictionary) and key in attributes:
                return int(attributes[key])
        return 1


def _is_table(table: Table) -> bool:
    wide = max((sum(cell.columns for cell in row) for row in table.rows), default=0)
    return len(table.rows) >= 2 and wide >= 2 and any(cell.text for row in table.rows for cell in row)


def plain(text: str) -> str:
    """Return a text for comparison: ligatures and the kinds of quotes and dashes as one, no blanks."""
    from unicodedata import normalize

    folded = normalize("NFKC", text).translate(_ALIKE)
    return _BLANKS.sub("", "".join(character for character in folded if character.isprintable()))


_ALIKE = str.maketrans(
    {**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‚‛′`", "'"), **dict.fromkeys("“”„‟″", '"'), "\u00ad": ""}
)


def _count(value: Any) -> int:
    return int(value) if str(value or "").isdigit() and int(value) > 0 else 1


def _cut(table: Table) -> Table:
    if table.size <= _MAX_NODES:
        return table
    rows: list[tuple[Cell, ...]] = []
    nodes = 1
    for row in table.rows:
        nodes += 1 + len(row)
        if nodes > _MAX_NODES:
            break
        rows.append(row)
    return Table(tuple(rows), table.pages)


@dataclass(eq=False)
class _Node:
    """A node of the tree: "table", "tr" or "td", with its cell."""

    name: str
    cell: Cell | None = None
    children: list[_Node] = field(default_factory=list)


def _tree(table: Table) -> _Node:
    return _Node("table", None, [_Node("tr", None, [_Node("td", cell) for cell in row]) for row in table.rows])


@lru_cache(maxsize=2)
def _costs(texts: bool) -> Any:
    from apted import Config
    from rapidfuzz.distance import Levenshtein

    class Costs(Config):  # type: ignore[misc]
        """Costs of renaming; inserting and deleting cost 1."""

        def rename(self, one: _Node, other: _Node) -> float:
            if one.name != other.name:
                return 1.0
            if one.cell is None or other.cell is None:
                return 0.0
            if (one.cell.rows, one.cell.columns) != (other.cell.rows, other.cell.columns):
                return 1.0
            return float(Levenshtein.normalized_distance(one.cell.text, other.cell.text)) if texts else 0.0

        def children(self, node: _Node) -> list[_Node]:
            return node.children

    return Costs()


def main() -> int:
    """Print the scores of the tagged files, then of those with recorded docling output; return 0."""
    from bench.structure.documents import strip
    from ragraph.ingest.readers import ReadOptions
    from ragraph.ingest.readers.pdf import PdfReader

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stripped", action="store_true", help="remove outline, tags and labels first")
    parser.add_argument(
        "--icdar", type=Path, help="use this folder with files of the ICDAR 2013 table competition instead"
    )
    parser.add_argument("--each", action="store_true", help="print a line per table")
    chosen = parser.parse_args()
    data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
    print(f"{'truth':>28} {'tables':>7} {'found':>6} {'recall':>7} {'prec.':>7} {'TEDS':>7} {'struct':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, files in _icdar(chosen.icdar) if chosen.icdar else _sources(data):
            total = TableScores()
            for path, truth in files:
                file = path
                if chosen.stripped:
                    file = Path(folder) / "bare.pdf"
                    strip(path, file)
                scores = score_tables(PdfReader().read(file, ReadOptions()), truth, path.name)
                if chosen.each:
                    _print_each(scores)
                total.add(scores)
            _print(name, total)
    return 0


def _sources(data: Path) -> Iterator[tuple[str, Iterator[tuple[Path, list[Table]]]]]:
    tagged = [data / "books/nist/NIST.SP.800-207.pdf"]
    yield "tags, NIST SP 800-207", ((path, tagged_tables(path)) for path in tagged)
    small = sorted((data / "verapdf").rglob("*.pdf"))
    yield "tags, veraPDF", ((path, truth) for path in small if (truth := tagged_tables(path)))
    recorded = sorted((data / "docling/pdf/sources").glob("*.pdf"))
    truth_of = data / "docling/pdf/groundtruth"
    yield (
        "docling's output (a hint)",
        ((path, recorded_tables(known)) for path in recorded if (known := truth_of / f"{path.stem}.json").exists()),
    )


def _icdar(folder: Path) -> Iterator[tuple[str, Iterator[tuple[Path, list[Table]]]]]:
    truth = sorted(folder.rglob("*-str.xml"))
    files = ((path.with_name(path.name.replace("-str.xml", ".pdf")), path) for path in truth)
    yield "ICDAR 2013", ((file, icdar_tables(path)) for file, path in files if file.exists())


def _print_each(scores: TableScores) -> None:
    for row in scores.rows:
        print(f"    {row.document[:40]:<40} p.{','.join(map(str, row.pages)):<8} {row.teds:.3f} {row.structure:.3f}")
    if scores.extra:
        print(f"    {scores.extra} found tables without a counterpart")


def _print(name: str, scores: TableScores) -> None:
    def show(value: float | None) -> str:
        return f"{value:7.3f}" if value is not None else f"{'-':>7}"

    values = (scores.recall, scores.precision, scores.teds, scores.structure)
    print(f"{name:>28} {len(scores.rows):7d} {scores.found:6d} {' '.join(map(show, values))}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
