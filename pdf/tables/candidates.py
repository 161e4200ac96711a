"""Candidates for tables: the cells found in a stretch of a page, before anything is refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.pdf.model import Block, Grid, Line
    from ragraph.pdf.tables.aligned import Place


class Way(IntEnum):
    """How the cells of a candidate were found."""

    AMOUNTS = 0
    """Amounts under each other."""
    CELLS = 1
    """Ruling lines that cross."""
    FRAME = 2
    """A frame, and white space within."""
    WHITE = 3
    """Level rules, or rows that align, and white space."""
    SEEN = 4
    """Where a layout model sees a table."""
    NAMED = 5
    """Labels with values beside them, or names with values below."""


@dataclass(eq=False)
class Candidate:
    """A stretch of a page with the cells found in it.

    Attributes:
        way: how they were found.
        place: box, lines, level rules.
        grid: the cells.
        says: whether the rules take it for a table, which ask for less where a layout model sees one.
        build: gives the table, with a head that it takes from the free lines; None if that has one row or column.
        head: lines of a head found above it.
        panels: the rules take the cells for panels of running text.
    """

    way: Way
    place: Place
    grid: Grid
    says: bool
    build: Callable[[Sequence[Line]], Block | None]
    head: Sequence[Line] = ()
    panels: bool = False

    @property
    def lines(self) -> list[Line]:
        """All of its lines."""
        return [*self.place.lines, *self.head]
