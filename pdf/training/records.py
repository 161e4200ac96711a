"""Rows of features with what is known of them: from tags and outlines, from lines seen by eye, from labelled pages."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench.structure.labels.__main__ import path_of
from bench.structure.labels.model import labels, pages
from bench.structure.strict.halves import develops
from bench.structure.strict.items import letters
from bench.structure.strict.match import types, wanted
from ragraph.pdf.blocks.looks import look_of, printed
from ragraph.pdf.headings.claims import is_open
from ragraph.pdf.headings.evidence import by_contents
from ragraph.pdf.headings.features import NAMES, measure
from ragraph.pdf.headings.series import numbered_titles
from ragraph.pdf.headings.title import choose_title, opening_pages
from ragraph.pdf.model import Kind
from ragraph.pdf.training.reading import listed, places
from ragraph.pdf.training.truth import Known, known

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from bench.structure.labels import Block as LabelBlock
    from bench.structure.labels import Page as LabelPage
    from ragraph.pdf.blocks.looks import Look
    from ragraph.pdf.model import Block

_SETS = ("cuad", "financebench", "mmlongbench")
"""Sets of files whose half to develop on was seen by eye."""
_MOST_SEEN = 100
"""Pages that are read of a file of which pages were seen by eye; the rest of it is like them."""
_LEAST = 30
"""Minimum number of rows at which a file counts less for each: its weight grows with their square root."""
_BY_EYE = 0.25
"""Weight of a row that was seen by eye."""
_SHARE = 0.15
"""Share of the short blocks of a look that have to be stated headings for the silence on the others to count."""
STATED, SEEN, LABELLED = range(3)
"""How a row is known."""


class Rows(NamedTuple):
    """Rows of features of a file.

    Attributes:
        source: the set or repository of the file.
        name: of the file.
        values: the features.
        truth: 1 for a heading, 0 for none, -1 where it is not known.
        weight: of each row.
        how: ``STATED``, ``SEEN`` or ``LABELLED``.
    """

    source: str
    name: str
    values: NDArray[Any]
    truth: NDArray[Any]
    weight: NDArray[Any]
    how: NDArray[Any]


class Measured(NamedTuple):
    """Blocks that may be headings, with their features and looks."""

    blocks: list[Block]
    values: NDArray[Any]
    looks: dict[int, Look]


def rows_of(pdfs: Path, data: Path, wild: Path, cache: Path) -> Iterator[Rows]:
    """Yield the rows of all files: those of ``files.jsonl``, of ``seen.jsonl`` and of the labelled pages.

    Args:
        pdfs: folder with the files of ``files.jsonl`` by the first 16 digits of their SHA-256.
        data: folder of the data sets.
        wild: folder of the files of the lists in ``data/wild``.
        cache: folder for what was read.
    """
    seen = _seen()
    there = places(pdfs)
    for file in listed("files.jsonl"):
        path = there.get(file["sha256"][:16])
        found = known(path, cache / "gathered") if path else None
        if found and found.pages and (found.stated or file["sha256"] in seen):
            yield rows_of_file(found, file["source"], file["sha256"][:16], seen.get(file["sha256"], []))
    for source, name in sorted({(item["source"], item["file"]) for items in seen.values() for item in items}):
        if source not in _SETS:
            continue
        path = (wild if source != "cuad" else data) / source / name
        found = known(path, cache / "seen" / source, _MOST_SEEN)
        if found and found.pages:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yield rows_of_file(found, source, name, seen.get(digest, []))
    yield from _labelled(data, wild, cache)


def _seen() -> dict[str, list[dict[str, Any]]]:
    seen: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in listed("seen.jsonl"):
        seen[item["sha256"]].append(item)
    return seen


def measured(found: Known) -> Measured:
    """Return the blocks of a file that may be headings, with their features and their looks by ``id``."""
    pages = found.pages
    listed: dict[int, int | None] = {id(item.block): item.depth for item in by_contents(pages, found.entries)}
    looks = {id(block): look_of(block) for page in pages for block in page.blocks if is_open(block)}
    choose_title(pages, looks, found.style, listed.keys(), opening_pages(pages, found.style))
    looks = {id(block): looks[id(block)] for page in pages for block in page.blocks if is_open(block)}
    blocks, values = measure(pages, found.style, looks, listed.keys(), len(found.entries), numbered_titles(pages))
    return Measured(blocks, values, looks)


def rows_of_file(found: Known, source: str, name: str, seen: Sequence[dict[str, Any]]) -> Rows:
    """Return the rows of a file.

    Args:
        found: the file, and what it states.
        source: the set or repository of the file.
        name: of the file.
        seen: its pages of ``seen.jsonl``.
    """
    blocks, values, looks = measured(found)
    places = {id(block): (page.number, index) for page in found.pages for index, block in enumerate(page.blocks)}
    truth = np.full(len(blocks), -1)
    how = np.full(len(blocks), STATED)
    for row, block in enumerate(blocks):
        stated = found.stated.get(places[id(block)])
        if stated is not None and stated[0] is not Kind.TITLE:
            truth[row] = stated[0] is Kind.HEADING
    _doubt(truth, blocks, values, looks)
    for item in seen:
        headings = {tuple(heading[:4]) for heading in item["headings"]}
        unsure = {tuple(box) for box in item["unsure"]}
        for row, block in enumerate(blocks):
            if block.page == item["page"]:
                box = tuple(round(side) for side in block.box)
                how[row] = SEEN
                truth[row] = -1 if box in unsure else box in headings
    stated_rows = max(int((how == STATED).sum()), _LEAST)
    weight = np.where(how == SEEN, _BY_EYE, stated_rows**-0.5)
    return Rows(source, name, values, truth, weight, how)


def _doubt(truth: NDArray[Any], blocks: Sequence[Block], values: NDArray[Any], looks: dict[int, Look]) -> None:
    """Take back that a block is no heading where it stands out, and the file is silent on nearly all set like it.

    Most files state only some of their headings; what they leave out is not known to be none.
    """
    column = {name: values[:, index] for index, name in enumerate(NAMES)}
    total: Counter[Look] = Counter()
    headings: Counter[Look] = Counter()
    for block, value in zip(blocks, truth, strict=True):
        if value >= 0:
            total[looks[id(block)]] += 1
            headings[looks[id(block)]] += int(value)
    out = (column["size"] > 1.05) | ((column["bold"] > 0.6) & (column["body bold"] < 0.5)) | (column["capitals"] > 0)
    out |= (column["italic"] > 0.7) | (column["scheme"] > 0)
    out &= (column["length"] < 150) & (column["lines"] <= 3)
    for row, block in enumerate(blocks):
        look = looks[id(block)]
        if truth[row] == 0 and out[row] and headings[look] < _SHARE * total[look]:
            truth[row] = -1


def _labelled(data: Path, wild: Path, cache: Path) -> Iterator[Rows]:
    """Yield the rows of the labelled pages of the half to develop on."""
    label_of = labels()
    by_file: dict[tuple[str, str], list[LabelPage]] = defaultdict(list)
    for page in pages():
        if develops(page.source, page.file):
            by_file[page.source, page.file].append(page)
    for (source, name), of_file in by_file.items():
        found = known(path_of(of_file[0], data, wild), cache / "labelled" / source, None)
        if found is None:
            continue
        blocks, values, _ = measured(found)
        truth = np.full(len(blocks), -1)
        for page in of_file:
            _label(truth, blocks, page.page, label_of[page.number].blocks)
        yield Rows(of_file[0].kind, name, values, truth, np.full(len(blocks), _BY_EYE), np.full(len(blocks), LABELLED))


def _label(truth: NDArray[Any], blocks: Sequence[Block], page: int, label: Sequence[LabelBlock]) -> None:
    free = [row for row, block in enumerate(blocks) if block.page == page]
    truth[free] = 0
    for item in label:
        heading = item.type == "HEADING"
        if not heading and "HEADING" not in types(item) and item.type not in {"TITLE", "SUBTITLE"}:
            continue
        heads = {key.head for key in wanted(item) if key.whole}
        row = next((row for row in free if letters(printed(blocks[row])) in heads), None)
        if row is not None:
            free.remove(row)
            truth[row] = 1 if heading and len(types(item)) == 1 else -1
