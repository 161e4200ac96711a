"""Candidates for tables: the cells found in a stretch of a page, before anything is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.pdf.model import Block, Grid, Line
    from ragraph.pdf.tables.aligned import Place


@dataclass(eq=False)
class Candidate:
    """A stretch of a page with the cells found in it.

    Attributes:
        place: box, lines, level rules.
        grid: the cells.
        says: the rules take it for a table. They ask for less if a layout model sees one.
        build: gives the table, with a head that it takes from the free lines; None if that has one row or column.
        panels: the rules take the cells for panels of running text.
        crossed: ruling lines that cross make the cells.
    """

    place: Place
    grid: Grid
    says: bool
    build: Callable[[Sequence[Line]], Block | None]
    panels: bool = False
    crossed: bool = False
