"""Gather candidates for tables with what is known of them: from tags, from pages labelled by others, from our labels.

    python -m ragraph.pdf.training.tables --pdfs PDFS --printed PRINTED --dp DP --wild WILD --out DIR

``tables.jsonl`` names the tagged files with the pages that are read of them, and the web pages, printed by Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.labels.__main__ import path_of
from bench.structure.labels.model import labels, pages
from bench.structure.strict.halves import develops
from bench.teds import plain
from ragraph.pdf import passes
from ragraph.pdf.model import Box, Kind, by_panel
from ragraph.pdf.stated.tags import state_tags
from ragraph.pdf.tables import finding
from ragraph.pdf.tables.candidates import Way
from ragraph.pdf.training.candidates import Measuring
from ragraph.pdf.training.headrows import measure
from ragraph.pdf.training.reading import kept, listed, places, read_pages
from ragraph.pdf.training.words import word_places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.structure.labels import Block as LabelBlock
    from ragraph.pdf.model import Block, Page, Region
    from ragraph.pdf.tables.candidates import Candidate
    from ragraph.pdf.training.reading import Open

_BESIDE = 2
"""Pages that are read on either side of a labelled one."""
WEB = "web "
"""Begins the name of a source of printed web pages, whose silence tells that there is no table."""
_IN, _OUT = 0.85, 0.3
"""Minimum share of the letters of a candidate in one table that is that table, and maximum of one that is none."""
_WORDS = 1 + max(Way)
"""The way of candidates that white between words makes, which the reader does not look for."""
_PART = 0.5
"""Share of the letters of a table that a candidate holds at least to be it."""
_SENTENCES, _TEXT, _COLUMNS = 200, 0.5, 2
"""Minimum number of characters of a cell of text, and the share of the letters in such cells at which a table lays out
a page."""


class Stated(NamedTuple):
    """What is stated of a page: boxes of tables and of other things, and the cells of the tables where they are known.

    ``whole`` says whether what lies in no box of a table is known to be none. Labels state cells and no boxes.
    ``heads`` are the places of the words of head rows, by the number of the table.
    """

    tables: Sequence[tuple[Box | None, list[list[str]] | None]]
    others: list[Box]
    whole: bool
    heads: dict[int, list[Box]]


@dataclass
class Found:
    """A candidate with its features, and what it is.

    Attributes:
        page: from 1.
        truth: 1 for a table, 0 for none, -1 where it is not known.
        inside: share of its letters in the table that holds most of them.
        held: share of the letters of that table that it holds.
        table: number of that table on the page, -1 for none.
        texts: the cells.
        box: its place.
        values: the features by name.
        says: what the rules say.
    """

    page: int
    truth: int
    inside: float
    held: float
    table: int
    texts: list[list[str]]
    box: Box
    values: dict[str, float]
    says: bool


class Head(NamedTuple):
    """A table with the features of its first rows, and which of all its rows are of its head."""

    page: int
    rows: list[dict[str, float]]
    heads: list[bool]
    by_rules: int
    texts: list[list[str]]


@dataclass
class File:
    """The candidates of a file, and its tables: letters of each by page and number on it."""

    source: str
    name: str
    found: list[Found] = field(default_factory=list)
    tables: dict[tuple[int, int], int] = field(default_factory=dict)
    cells: dict[tuple[int, int], list[list[str]]] = field(default_factory=dict)
    pages: int = 0
    heads: list[Head] = field(default_factory=list)


def gather(
    path: Path, source: str, window: tuple[int, int] | None, stated: Callable[[Page], Stated | None] | None,
    cache: Path,
) -> File | None:  # fmt: skip
    """Return the candidates of a file, judged by ``stated``, or by its tags if that is None; None if it is unreadable.

    Args:
        path: of the file.
        source: set or repository that it is of.
        window: first and last page that are read.
        stated: what is known of a page.
        cache: folder for what was read.
    """
    name = f"{source.replace('/', '+')}+{path.stem}.tables"
    return kept(cache, path, name, lambda: _gather(path, source, window, stated))


def _gather(
    path: Path, source: str, window: tuple[int, int] | None, stated: Callable[[Page], Stated | None] | None
) -> File:
    def ask(opened: Open) -> tuple[bool, dict[int, list[Region]]]:
        believed = stated is not None or state_tags(opened.pages, opened.file).used
        return believed, {page.number: page.regions for page in opened.pages}

    work, (believed, regions) = read_pages(path, window, passes.make_tables, ask)
    read = work.pages
    result = File(source, path.stem, pages=len(read))
    tabled = source.startswith(WEB) or any(region.kind is Kind.TABLE for found in regions.values() for region in found)
    if not believed:
        return result
    for page in read:
        known = stated(page) if stated else _of_tags(page, regions[page.number], whole=tabled)
        if known is not None and page.turn is None:
            _page(result, page, known, mono=work.style.mono)
    return result


def _of_tags(page: Page, regions: Sequence[Region], *, whole: bool) -> Stated:
    stated = [region for region in regions if region.kind is Kind.TABLE]
    heads = {at: [word.box for (row, _), words in region.grid.words.items() if row < region.grid.header_rows
                  for word in words]
             for at, region in enumerate(stated) if region.grid and region.grid.header_rows}  # fmt: skip
    tables: list[tuple[Box | None, list[list[str]] | None]] = [
        (region.box, region.grid.texts() if region.grid else None) for region in stated
    ]
    return Stated(tables, [region.box for region in regions if region.kind is not Kind.TABLE], whole, heads)


def _page(result: File, page: Page, known: Stated, *, mono: bool) -> None:
    measuring = Measuring(page)
    boxed = [box for box, _ in known.tables if box]
    whole = [_letters(page, box) if box else _bag(cells or []).total() for box, cells in known.tables]
    for at, (_, cells) in enumerate(known.tables):
        if not _lays_out(cells):
            result.tables[page.number, at] = whole[at]
            if cells:
                result.cells[page.number, at] = cells
    for panel in by_panel(page.lines, page.folds):
        taken = {id(line) for block in page.blocks for line in block.lines}
        lines = [line for line in panel if id(line) not in taken]
        blocks, candidates = finding.candidates(page, lines, mono)
        result.heads += [head for block in blocks if (head := _head(page, block, known)) is not None]
        measured = [(candidate, measuring.features(candidate)) for candidate in candidates]
        left = {id(line) for block in blocks for line in block.lines}
        for place in word_places([line for line in lines if id(line) not in left]):
            candidate = finding.white(page, place)
            if candidate is not None:
                candidate.says = False
                measured.append((candidate, measuring.features(candidate) | {"way": float(_WORDS)}))
        for candidate, values in measured:
            texts = candidate.grid.texts()
            total = sum(line.length for line in candidate.place.lines)
            if boxed:
                mine, other = _in_boxes(candidate, known)
            else:
                bag = _bag(texts)
                total, other = bag.total(), bag.total()
                mine = {at: (bag & _bag(cells or [])).total() for at, (_, cells) in enumerate(known.tables)}
                other -= max(mine.values(), default=0)
            best = max(mine, key=lambda at: mine[at], default=-1)
            most = mine[best] if best >= 0 else 0
            inside, held = most / max(total, 1), most / whole[best] if best >= 0 and whole[best] else 0.0
            truth = -1
            if best >= 0 and inside >= _PART and _lays_out(known.tables[best][1]):
                truth = -1
            elif inside >= _IN and held >= _PART:
                truth = 1
            elif known.whole and inside < _PART and most + other > _IN * total:
                truth = 0 if inside < _OUT or held < _PART else -1
            result.found.append(
                Found(page.number, truth, inside, held, best if most else -1, texts, candidate.place.box,
                      values, candidate.says)
            )  # fmt: skip


def _head(page: Page, block: Block, known: Stated) -> Head | None:
    """Return the head of a table that was found, where one is stated of it."""
    for at, (box, _) in enumerate(known.tables):
        if at in known.heads and box and box.holds(block.box, _IN) and block.box.holds(box, _PART) and block.grid:
            grid, places = block.grid, known.heads[at]
            flags = []
            for row in range(grid.rows):
                words = [word for (one, _), found in grid.words.items() if one == row for word in found]
                inside = sum(any(abs(word.left - place.left) < 2 and abs(word.top - place.top) < 3 for place in places)
                             for word in words)  # fmt: skip
                flags.append(bool(words) and inside > _PART * len(words))
            return Head(page.number, measure(page, grid), flags, grid.header_rows, grid.texts()[:4])
    return None


def _in_boxes(candidate: Candidate, known: Stated) -> tuple[dict[int, int], int]:
    """Return how many letters of a candidate stand in each table, and in what is none."""
    mine: Counter[int] = Counter()
    other = 0
    for word in (word for line in candidate.place.lines for word in line.words):
        at = next((at for at, (box, _) in enumerate(known.tables) if box and box.holds(word.box, 0.5)), None)
        if at is not None:
            mine[at] += len(word.text)
        else:
            other += len(word.text) * any(box.holds(word.box, 0.5) for box in known.others)
    return mine, other


def _letters(page: Page, box: Box) -> int:
    return sum(len(word.text) for word in page.words if box.holds(word.box, 0.5))


def _bag(cells: Sequence[Sequence[str]]) -> Counter[str]:
    """Return the words of cells, each as often as it has letters."""
    found: Counter[str] = Counter()
    for text in (text for row in cells for text in row):
        for word in text.split():
            found[plain(word)] += len(plain(word))
    return found


def _lays_out(cells: list[list[str]] | None) -> bool:
    """Return True if a stated table only lays out a page: one row or column, or running text in its cells."""
    if cells is None:
        return False
    filled = [text for row in cells for text in row if text]
    if len(cells) < 2 or len(cells[0]) < 2 or len(filled) < 4:
        return True
    running = sum(len(text) for text in filled if len(text) > _SENTENCES) > _TEXT * sum(map(len, filled))
    return running and len(cells[0]) <= _COLUMNS


def dp_bench(folder: Path) -> Callable[[str], Callable[[Page], Stated | None]]:
    """Return what others labelled of pages: boxes by category."""
    reference = json.loads((folder / "reference.json").read_text(encoding="utf-8"))

    def of_file(name: str) -> Callable[[Page], Stated | None]:
        def stated(page: Page) -> Stated:
            tables, others = [], []
            for element in reference[f"{name}.pdf"]["elements"]:
                xs = [point["x"] * page.width for point in element["coordinates"]]
                ys = [point["y"] * page.height for point in element["coordinates"]]
                box = Box(min(xs), min(ys), max(xs), max(ys)).grown(2)
                if element["category"] == "Table":
                    tables.append((box, None))
                else:
                    others.append(box)
            return Stated(tables, others, True, {})

        return stated

    return of_file


def labelled(blocks: Sequence[LabelBlock], number: int) -> Callable[[Page], Stated | None]:
    """Return what a label says of a page of this number: the cells of its tables."""

    def stated(page: Page) -> Stated | None:
        if page.number != number:
            return None
        return Stated([(None, block.table.grid()) for block in blocks if block.table], [], True, {})

    return stated


def main() -> None:
    """Gather the files of ``tables.jsonl``, of DP-Bench and of the labelled pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of the files of files.jsonl, by SHA-256")
    parser.add_argument("--printed", type=Path, required=True, help="folder of the printed pages, by their SHA-256")
    parser.add_argument("--dp", type=Path, required=True, help="half of DP-Bench: pdfs/ and reference.json")
    parser.add_argument("--wild", type=Path, required=True, help="folder of the files of the lists in data/wild")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    chosen = parser.parse_args()
    data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
    there = {False: places(chosen.pdfs), True: places(chosen.printed)}
    for item in listed("tables.jsonl"):
        path = there[item["source"].startswith(WEB)].get(item["sha256"][:16])
        if path is not None:
            gather(path, item["source"], tuple(item["pages"]), None, chosen.out)
    others = dp_bench(chosen.dp)
    for path in sorted((chosen.dp / "pdfs").glob("*.pdf")):
        gather(path, "dp-bench", None, others(path.stem), chosen.out)
    known = labels()
    for page in pages():
        if develops(page.source, page.file):
            window = max(1, page.page - _BESIDE), page.page + _BESIDE
            stated = labelled(known[page.number].blocks, page.page)
            gather(path_of(page, data, chosen.wild), f"label {page.number}", window, stated, chosen.out)


if __name__ == "__main__":
    from ragraph.pdf.training.tables import main as run  # what is kept is of that module, not of "__main__"

    run()
