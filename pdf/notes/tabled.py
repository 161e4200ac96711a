"""Bibliographies set as a table: labels in the first column, entries in the second; each row is an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import printed
from ragraph.pdf.model import Block, Kind, cell_lines
from ragraph.pdf.patterns import ENTRIES_TITLE, ENTRY_LABEL, ENTRY_SIGNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Grid, Page

_FEWEST = 2
"""Labels that make a table a bibliography; what a page break leaves of one may have a single row beside its rest."""


def part_tables(pages: Sequence[Page]) -> None:
    """Replace tables below a title such as "References" by their rows, if these are labelled entries.

    Must run before tables are joined over pages: a row that a page breaks is joined as other entries are.

    Args:
        pages: with headings set and blocks in reading order; their blocks change.
    """
    listing, depth = False, 0
    for page in pages:
        for block in list(page.blocks):
            if block.kind is Kind.HEADING:
                if not listing or (block.level or 1) <= depth:
                    listing, depth = bool(ENTRIES_TITLE.match(printed(block))), block.level or 1
            elif listing and block.kind is Kind.TABLE and block.grid is not None and _lists_entries(block.grid):
                page.replace(block, _rows(block))


def _lists_entries(grid: Grid) -> bool:
    """Return True if a table has two columns, labels in the first and entries in the second.

    The first row may be the rest of one that the page before began.
    """
    if grid.columns != 2:
        return False
    rows = grid.texts()
    labels = [ENTRY_LABEL.fullmatch(row[0]) for row in rows]
    texts = [row[1] for row, label in zip(rows, labels, strict=True) if label]
    begun = [bool(label) for row, label in zip(rows[1:], labels[1:], strict=True) if row[0]]
    if len(texts) < _FEWEST or not all(begun):
        return False
    return 2 * sum(bool(ENTRY_SIGNS.search(text)) for text in texts) > len(texts)


def _rows(table: Block) -> list[Block]:
    """Return the rows of a table as blocks, from the words of its lines: cells may lack some that tags left out."""
    rows: list[Block] = []
    words = [word for line in table.lines for word in line.words]
    for line in cell_lines(words):
        if not rows or ENTRY_LABEL.match(line.text):
            rows.append(Block(table.page, []))
        rows[-1].lines.append(line)
    return [Block(row.page, row.lines) for row in rows]
