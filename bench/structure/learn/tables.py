"""Candidates for tables with what is known of them: from tags, from pages labelled by others, from labelled pages."""

from __future__ import annotations

import json
import pickle
import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ragraph.errors import IngestError
from ragraph.ingest.readers.pdf import passes
from ragraph.ingest.readers.pdf.model import Box, Kind, by_panel
from ragraph.ingest.readers.pdf.page.parse import parse_pages
from ragraph.ingest.readers.pdf.stated import tags
from ragraph.ingest.readers.pdf.stated.facts import Facts, open_pdf, read_facts
from ragraph.ingest.readers.pdf.tables import finding
from ragraph.ingest.readers.pdf.tables.deciding import Candidate, Weighing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ragraph.ingest.readers.pdf.model import Page

_IN, _OUT = 0.85, 0.3
"""Shares of the letters of a candidate in one table from which on it is that, and up to which it is none."""
_PART = 0.5
"""Share of the letters of a table that a candidate holds at least to be it."""
_SENTENCES, _TEXT = 200, 0.5
"""Characters of a cell of text, and the share of the letters in such cells from which on a table lays out a page."""


class Stated(NamedTuple):
    """What is stated of a page: boxes of tables and of other things, and the cells of the tables where they are known.

    ``whole`` says whether what lies in no box of a table is known to be none.
    """

    tables: list[tuple[Box, list[list[str]] | None]]
    others: list[Box]
    whole: bool


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


@dataclass
class File:
    """The candidates of a file, and its tables: letters of each by page and number on it."""

    source: str
    name: str
    found: list[Found] = field(default_factory=list)
    tables: dict[tuple[int, int], int] = field(default_factory=dict)
    cells: dict[tuple[int, int], list[list[str]]] = field(default_factory=dict)
    pages: int = 0


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
    kept = cache / f"{source.replace('/', '+')}+{path.stem}.tables"
    if kept.exists():
        read: File | None = pickle.loads(zlib.decompress(kept.read_bytes()))
        return read
    try:
        result = _gather(path, source, window, stated)
    except IngestError:
        result = None
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(zlib.compress(pickle.dumps(result), 1))
    return result


def _gather(
    path: Path, source: str, window: tuple[int, int] | None, stated: Callable[[Page], Stated | None] | None
) -> File:
    file = open_pdf(path, None)
    try:
        facts = read_facts(file)
        pages = list(parse_pages(path, None, window))
        work = passes.Work(path.name, pages, Facts(facts.page_count), file, False)
        passes.run(work, passes.PREPARING)
        passes.check_text(work)
        passes.set_frames(work)
        passes.set_fields(work)
        drawn = [(page.images, page.drawings) for page in pages]
        believed = stated is not None or tags.state_tags(pages, file).used
        regions = {page.number: page.regions for page in pages}
        for page, (images, drawings) in zip(pages, drawn, strict=True):
            page.regions, page.images, page.drawings = [], images, drawings
        passes.set_direction(work)
    finally:
        file.close()
    work.file = None
    for step in passes.ANALYSING:
        if step.run is passes.make_tables:
            break
        step.run(work)
    result = File(source, path.stem, pages=len(pages))
    tabled = any(region.kind is Kind.TABLE for found in regions.values() for region in found)
    if not believed:
        return result
    for page in pages:
        known = stated(page) if stated else _of_tags(page, regions[page.number], whole=tabled)
        if known is not None and page.turn is None:
            _page(result, page, known, mono=work.style.mono)
    return result


def _of_tags(page: Page, regions: Sequence[passes.Region], *, whole: bool) -> Stated:
    tables = [(region.box, region.grid.texts() if region.grid else None)
              for region in regions if region.kind is Kind.TABLE]  # fmt: skip
    return Stated(tables, [region.box for region in regions if region.kind is not Kind.TABLE], whole)


def _page(result: File, page: Page, known: Stated, *, mono: bool) -> None:
    weighing = Weighing(page)
    letters = [0] * len(known.tables)
    for word in page.words:
        for at, (box, _) in enumerate(known.tables):
            letters[at] += len(word.text) * box.holds(word.box, 0.5)
    for at, (_, cells) in enumerate(known.tables):
        if not _lays_out(cells):
            result.tables[page.number, at] = letters[at]
            if cells:
                result.cells[page.number, at] = cells

    def note(candidate: Candidate) -> None:
        words = [word for line in candidate.place.lines for word in line.words]
        total = sum(len(word.text) for word in words)
        mine: Counter[int] = Counter()
        other = 0
        for word in words:
            at = next((at for at, (box, _) in enumerate(known.tables) if box.holds(word.box, 0.5)), None)
            if at is not None:
                mine[at] += len(word.text)
            else:
                other += len(word.text) * any(box.holds(word.box, 0.5) for box in known.others)
        best, most = mine.most_common(1)[0] if mine else (-1, 0)
        inside, held = most / total, most / letters[best] if best >= 0 and letters[best] else 0.0
        truth = -1
        if best >= 0 and _lays_out(known.tables[best][1]):
            truth = -1
        elif inside >= _IN and held >= _PART:
            truth = 1
        elif known.whole and sum(mine.values()) < _PART * total and sum(mine.values()) + other > _IN * total:
            truth = 0 if inside < _OUT or held < _PART else -1
        result.found.append(
            Found(page.number, truth, inside, held, best, candidate.grid.texts(), candidate.place.box,
                  weighing.features(candidate), candidate.says)
        )  # fmt: skip

    for panel in by_panel(page.lines, page.folds):
        taken = {id(line) for block in page.blocks for line in block.lines}
        for candidate in finding.candidates(page, [line for line in panel if id(line) not in taken], mono)[1]:
            note(candidate)


def _lays_out(cells: list[list[str]] | None) -> bool:
    """Say whether a stated table only lays out a page: one row or column, or running text in its cells."""
    if cells is None:
        return False
    filled = [text for row in cells for text in row if text]
    if len(cells) < 2 or len(cells[0]) < 2 or len(filled) < 4:
        return True
    return sum(len(text) for text in filled if len(text) > _SENTENCES) > _TEXT * sum(map(len, filled))


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
            return Stated(tables, others, True)

        return stated

    return of_file
