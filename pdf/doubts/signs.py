"""Signs that a page, or a table, may have been read wrong: numbers that passes know, or that are counted cheaply.

None of them is a fault. Where engines give other letters, weights nearly said something else, a rule that holds of
sound pages is broken, or there is simply much that may go wrong, faults are likelier (``weighing``).
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import exp, log1p
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Kind, shared_height, shared_width
from ragraph.pdf.patterns import NUMERIC, SENTENCE_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Grid, Line, Page

PAGE = (
    *("letters", "blocks", "paragraphs", "items", "headings", "tables", "cells", "figures", "notes", "captions"),
    *("code", "contents", "sizes", "columns", "drawings", "images", "sideways", "math"),
    *("unknown", "restored", "scanned", "unsure", "in figures"),
    *("near headings", "rescued", "near furniture", "no number", "stated"),
    *("jumps", "overlaps", "scraps", "lower", "open", "short lines", "figures outside", "empty headings"),
    *("loose captions", "bare figures", "loose marks"),
    *("doubted", "headless", "holes", "crowded", "odd tables"),
)
"""What the columns of a page's signs are: first what there is, then what is in doubt. Counts are log(1 + n)."""
TABLE = (
    *("rows", "columns", "holes", "headless", "doubted", "crowded", "words in figures", "single", "spans", "pages"),
    *("wide cells", "cut", "numeric", "stated"),
)
"""What the columns of a table's signs are."""

_SHORT = 0.6
"""Share of the width of its block below which a line that is not the last is short."""
_SCRAP = 12
"""Letters of a paragraph that is hardly one."""
_RAN_ON = 20
"""Letters of a paragraph from which its beginning and end are looked at."""
_FIGURES = 3
"""Numbers of a line of text that may be the row of a table."""
_LARGE_CELL = 120
"""Letters of a cell that holds more than a cell does."""
_BODY = {Kind.TEXT, Kind.SIDE}


class Decided(NamedTuple):
    """What weights decided in the document: log-odds from which a block is a heading, and a line is furniture."""

    heading: float
    furniture: float


class Document(NamedTuple):
    """What is known of the whole document that the pages are of.

    Attributes:
        decided: where decisions turn.
        scanned: numbers of the pages that are images.
        unknown: numbers of those with letters for which the file gives no text.
        sure: how sure the recognition of text was, by number of the page.
        numbered: whether most pages have a number.
        marks: ``id`` of the words that are marks of notes or entries.
    """

    decided: Decided
    scanned: frozenset[int]
    unknown: frozenset[int]
    sure: dict[int, float]
    numbered: bool
    marks: frozenset[int]


def signs_of(page: Page, blocks: Sequence[Block], document: Document) -> list[float]:
    """Return the signs of a page in the order of ``PAGE``.

    Args:
        page: after all other passes.
        blocks: those with a part on it, in reading order; those that begin on a page before too.
        document: that it is of.
    """
    own = [block for block in blocks if block.page == page.number]
    counted = _of_kinds(blocks) | _of_tables(blocks) | _of_page(page, document) | _of_order(own) | _of_text(own)
    known = {name: log1p(count) for name, count in counted.items()} | _shares(page, blocks, own, document)
    return [float(known[name]) for name in PAGE]


def _of_kinds(blocks: Sequence[Block]) -> dict[str, float]:
    """Return how many blocks there are of each kind, and how many captions and figures without the other."""
    kinds = Counter(block.kind for block in blocks)
    captioned = sum(block.caption is not None for block in blocks)
    return {
        "blocks": len(blocks),
        "items": kinds[Kind.LIST_ITEM],
        "headings": kinds[Kind.HEADING] + kinds[Kind.TITLE],
        "figures": kinds[Kind.FIGURE],
        "notes": kinds[Kind.NOTE] + kinds[Kind.ENTRY],
        "captions": kinds[Kind.CAPTION],
        "code": kinds[Kind.CODE] + kinds[Kind.FORMULA],
        "contents": kinds[Kind.CONTENTS],
        "loose captions": max(kinds[Kind.CAPTION] - captioned, 0),
        "bare figures": sum(block.kind is Kind.FIGURE and block.caption is None for block in blocks),
    }


def _of_tables(blocks: Sequence[Block]) -> dict[str, float]:
    tables = _grids(blocks)
    odd = [dict(zip(TABLE, table_signs_of(block), strict=True)) for block in blocks if block.kind is Kind.TABLE]
    return {
        "tables": len(tables),
        "cells": sum(len(grid.words) for grid in tables),
        "doubted": sum(len(grid.doubts) for grid in tables),
        "headless": sum(not grid.header_rows for grid in tables),
        "crowded": sum(signs["crowded"] for signs in odd),
        "odd tables": sum(signs["single"] + signs["wide cells"] + signs["words in figures"] for signs in odd),
    }


def _grids(blocks: Sequence[Block]) -> list[Grid]:
    return [block.grid for block in blocks if block.kind is Kind.TABLE and block.grid is not None]


def _of_page(page: Page, document: Document) -> dict[str, float]:
    """Return what is counted of the lines and shapes of a page."""
    letters = sum(line.length for line in page.lines)
    sizes = Counter[float]()
    for line in page.lines:
        sizes[line.size] += line.length
    raised = [word for line in page.lines for word in line.words if word.raised and word.text.isdigit()]
    return {
        "letters": letters,
        "sizes": sum(count > 0.01 * letters for count in sizes.values()),
        "drawings": len(page.drawings),
        "images": len(page.images),
        "sideways": len(page.sideways),
        "restored": page.restored,
        "rescued": sum(line.rescued for line in page.lines),
        "loose marks": sum(id(word) not in document.marks for word in raised),
    }


def _of_order(own: Sequence[Block]) -> dict[str, float]:
    """Return what is counted of blocks that follow each other."""
    return {
        "jumps": _jumps(own),
        "overlaps": _overlaps(own),
        "empty headings": sum(
            above.kind is Kind.HEADING and below.kind is Kind.HEADING and (above.level or 1) >= (below.level or 1)
            for above, below in pairwise(own)
        ),
    }


def _of_text(own: Sequence[Block]) -> dict[str, float]:
    """Return what is counted of paragraphs."""
    paragraphs = [block for block in own if block.kind in _BODY]
    long = [block for block in paragraphs if block.length >= _RAN_ON]
    return {
        "paragraphs": len(paragraphs),
        "scraps": sum(block.length < _SCRAP for block in paragraphs),
        "lower": sum(block.lines[0].text[:1].islower() for block in long),
        "open": sum(not SENTENCE_END.search(block.lines[-1].text) for block in long),
        "short lines": sum(_short_lines(block) for block in paragraphs),
        "figures outside": sum(_is_row(line) for block in paragraphs for line in block.lines),
    }


def _shares(page: Page, blocks: Sequence[Block], own: Sequence[Block], document: Document) -> dict[str, float]:
    """Return the signs that are no counts."""
    letters = max(sum(line.length for line in page.lines), 1)
    odds = [block.odds for block in own if block.odds is not None]
    return {
        "columns": page.gutter is not None or bool(page.folds),
        "math": sum(line.math * line.length for line in page.lines) / letters,
        "unknown": page.number in document.unknown,
        "scanned": page.number in document.scanned,
        "unsure": 1 - document.sure.get(page.number, 1.0),
        "in figures": sum(block.length for block in own if block.kind is Kind.FIGURE) / letters,
        "near headings": sum(_near(value - document.decided.heading) for value in odds),
        "near furniture": sum(_near(value - document.decided.furniture) for value in page.edges),
        "no number": document.numbered and not any(block.kind is Kind.PAGE_NUMBER for block in page.furniture),
        "stated": bool(page.regions),
        "holes": max((1 - grid.filled for grid in _grids(blocks)), default=0.0),
    }


def table_signs_of(table: Block) -> list[float]:
    """Return the signs of a table in the order of ``TABLE``.

    Args:
        table: with its grid, joined over pages.
    """
    grid = table.grid
    if grid is None:
        return [0.0] * len(TABLE)
    texts = {place: " ".join(word.text for word in words) for place, words in grid.words.items()}
    numeric = {place for place, text in texts.items() if NUMERIC.match(text)}
    rows = Counter(row for row, _ in texts)
    known = {
        "rows": log1p(grid.rows),
        "columns": log1p(grid.columns),
        "holes": 1 - grid.filled,
        "headless": not grid.header_rows,
        "doubted": log1p(len(grid.doubts)),
        "crowded": log1p(sum(_is_crowded(text) for text in texts.values())),
        "words in figures": log1p(_strangers(grid, texts, numeric)),
        "single": sum(count == 1 for count in rows.values()) / max(grid.rows, 1),
        "spans": log1p(len(grid.spans)),
        "pages": log1p(max(len({page for page, _ in table.parts}) - 1, 0)),
        "wide cells": log1p(sum(len(text) > _LARGE_CELL for text in texts.values())),
        "cut": log1p(sum(text[-1:] in "-(," or text[:1].islower() for text in texts.values())),
        "numeric": len(numeric) / max(len(texts), 1),
        "stated": table.region is not None,
    }
    return [float(known[name]) for name in TABLE]


def _near(odds: float) -> float:
    """Return how likely a decision is wrong that log-odds made, by these alone."""
    return 1 / (1 + exp(min(abs(odds), 30.0)))


def _is_row(line: Line) -> bool:
    return sum(NUMERIC.match(word.text) is not None for word in line.words) >= _FIGURES


def _is_crowded(text: str) -> bool:
    """Return True if a cell holds several amounts, and nothing else."""
    parts = [part for part in text.split() if any(map(str.isdigit, part))]
    return len(parts) > 1 and all(NUMERIC.match(part) for part in text.split())


def _strangers(grid: Grid, texts: dict[tuple[int, int], str], numeric: set[tuple[int, int]]) -> int:
    """Return how many cells below the head are text in a column of amounts, or an amount in one of text."""
    count = 0
    for column in range(1, grid.columns):
        cells = [place for place in texts if place[1] == column and place[0] >= grid.header_rows]
        amounts = sum(place in numeric for place in cells)
        count += min(amounts, len(cells) - amounts)
    return count


def _jumps(blocks: Sequence[Block]) -> int:
    """Return how often a block stands higher than the one before it, not in a column at its right."""
    return sum(
        below.box.bottom <= above.box.top and below.box.left < above.box.right for above, below in pairwise(blocks)
    )


def _overlaps(blocks: Sequence[Block]) -> int:
    """Return how many blocks lie over the one before them."""
    return sum(
        shared_width(above.box, below.box) > 0.2 * min(above.box.width, below.box.width)
        and shared_height(above.box, below.box) > 0.5 * min(above.box.height, below.box.height)
        for above, below in pairwise(blocks)
    )


def _short_lines(block: Block) -> int:
    if len(block.lines) < 2:
        return 0
    width = max(line.width for line in block.lines)
    return sum(line.width < _SHORT * width for line in block.lines[:-1])
