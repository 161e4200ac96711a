"""The result of a reader for a page, in the terms in which labels and all readers are compared."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.teds import Table

FURNITURE = frozenset({"HEADER", "FOOTER", "FURNITURE", "PAGE_NUMBER"})
"""Types of content outside of the text; which of them a piece has makes no difference, except for page numbers."""


@dataclass(eq=False)
class Link:
    """A mark that a reader leads to a note: the mark without brackets, and the item it leads to."""

    mark: str
    target: Item | None


@dataclass(eq=False)
class Item:
    """A block as a reader has it.

    Attributes:
        type: as in labels.
        text: as the reader stores it, with the mark that it begins with; a table's is empty.
        pages: the pages it stands on, from 1, in order.
        level: of a heading, from 1.
        parent: of a heading, the heading right above it in the tree.
        links: marks in it that lead to notes.
        marks: marks that the reader took out of ``text``.
        table: of a table, as TEDS compares it.
        grid: of a table, the text at each row and column, a spanning cell at each that it covers.
    """

    type: str
    text: str
    pages: tuple[int, ...]
    level: int | None = None
    parent: Item | None = None
    links: list[Link] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    table: Table | None = None
    grid: list[list[str]] = field(default_factory=list)

    @property
    def furniture(self) -> bool:
        """Return True if the reader keeps it out of the text."""
        return self.type in FURNITURE


@dataclass(frozen=True)
class Notions:
    """Abilities of a reader, or labels of a set; others are not measured."""

    blocks: bool = True
    tables: bool = True
    titles: bool = True
    notes: bool = True
    links: bool = True
    numbers: bool = True


@dataclass
class Read:
    """A file as a reader has it.

    Attributes:
        items: in reading order.
        notions: of the reader.
        title: of the document as the reader gives it; None where it was not shown its first page.
        failed: why the reader could not read the file.
        seconds: processor time taken.
    """

    items: list[Item] = field(default_factory=list)
    notions: Notions = field(default_factory=Notions)
    title: str | None = None
    failed: str = ""
    seconds: float = 0.0

    def on(self, page: int) -> list[Item]:
        """Return the items of a page in reading order."""
        return [item for item in self.items if page in item.pages]


def set_parents(items: Sequence[Item]) -> None:
    """Set the parent of each heading: the nearest heading before it with a lower level."""
    above: list[Item] = []
    for item in items:
        if item.type == "HEADING":
            level = item.level or 1
            while above and (above[-1].level or 1) >= level:
                above.pop()
            item.parent = above[-1] if above else None
            above.append(item)


def letters(text: str) -> str:
    """Return letters and digits of a text, with capitals and ligatures resolved."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


def begins(rows: Sequence[Sequence[tuple[str, int, int]]]) -> dict[tuple[int, int], tuple[str, int, int]]:
    """Return the cells by the row and column at which they begin."""
    found: dict[tuple[int, int], tuple[str, int, int]] = {}
    covered: set[tuple[int, int]] = set()
    for y, row in enumerate(rows):
        x = 0
        for text, high, wide in row:
            while (y, x) in covered:
                x += 1
            found[y, x] = (text, high, wide)
            covered |= {(y + down, x + right) for down in range(high) for right in range(wide)}
            x += wide
    return found


def spanned(rows: Sequence[Sequence[tuple[str, int, int]]]) -> list[list[str]]:
    """Return the complete grid of cells given as text, rows and columns; ragged rows are filled."""
    cells = {
        (y + down, x + right): text
        for (y, x), (text, high, wide) in begins(rows).items()
        for down in range(high)
        for right in range(wide)
    }
    width = 1 + max((x for _, x in cells), default=-1)
    return [[cells.get((y, x), "") for x in range(width)] for y in range(len(rows))]
