"""The content of structure elements: where their text stands, and the cells of tables with their words."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from ragraph.pdf.model import Box, Grid, around
from ragraph.pdf.patterns import HEADING_TAG, NUMERIC
from ragraph.pdf.stated.tag_tree import Element

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ragraph.pdf.model import Page, Word
    from ragraph.pdf.stated.tag_tree import Piece, TaggedPage

_COLUMN = 3
"""Cells from which a column has a usual place."""
_WITHIN, _MOVED = 0.5, 0.08
"""Minimum share of a cell that stands under another column than its own, and share of such cells at which a table's
tags are not believed."""
_BESIDE = 0.4
"""Minimum share of the rows of a table, of those with text and more than a title, that have cells beside each other:
paragraphs may stand alone, but where most do the table is there for the look of the page. Also the share that has a
number at which numbers say that a table is one."""
_LARGE = 20
"""Minimum number of cells at which no table is there for the look, and blank ones are there to be filled in: of 714
tagged tables of the files learnt from, those for the look that have blank cells have 16 at most."""
_WIDE = 0.2
"""Minimum share of the cells alone in their rows that run into the column of another head, at which none of them stands
beside blanks: paragraphs below the head of a card do."""
_SECTIONS = 0.5
"""Share of the width of its text in cells that hold a heading with text below, over which a table is sections."""
APART = {"Figure", "Table", "Note", "FENote", "L", "Caption", "TOC"}
"""Elements within a block that are blocks of their own."""


def boxes_of(element: Element, page: TaggedPage, whole: bool = False) -> list[Box]:
    """Return the boxes of the text of a block, in its order, without blocks of their own in it; else of its drawings.

    Frames and underlines belong to a block too, but do not show where its text stands.
    """
    return texts_or_all(content_of(element, page, whole))


def texts_or_all(pieces: Iterable[Piece]) -> list[Box]:
    """Return the boxes of pieces that are text; of all where none is."""
    every = list(pieces)
    return [piece.box for piece in every if piece.text] or [piece.box for piece in every]


def content_of(element: Element, page: TaggedPage, whole: bool) -> Iterator[Piece]:
    """Yield the content of a block in its order, without blocks of their own in it; of a ``whole`` all but captions."""
    for kid in element.kids:
        if isinstance(kid, int):
            yield from page.marked(kid)
        elif kid.role not in ({"Caption"} if whole else APART):
            yield from content_of(kid, page, whole)


def is_table(element: Element, page: TaggedPage) -> bool:
    """Return True if a table has several rows and columns, and cells beside each other; others are there for the look.

    Blank cells, to be filled in, count as cells beside others in large tables, and below a row that names every column.

    Args:
        element: the table.
        page: on which it stands; its words tell numbers.
    """
    every = [row for row, _ in rows_of(element)]
    columns = max((sum(cell.columns for cell in row) for row in every), default=0)
    if len(every) < 2 or columns < 2:
        return False
    # Titles of groups of rows, each a head alone, say nothing, but where all cells are heads.
    heads = [all(cell.role == "TH" for cell in row) for row in every]
    rows = [row for row, head in zip(every, heads, strict=True) if len(row) > 1 or not head or all(heads)]
    places = [_places(row, page) for row in rows]
    large = sum(map(len, rows)) >= _LARGE
    alone = [texts[0] for texts in places if len(texts) == 1]
    wide = sum(any(box.left + 1 < head.left < box.right for head in places[0]) for box in alone)
    headed = len(places[0]) == columns and wide <= _WIDE * len(alone)
    beside = sum(
        len(texts) > 1 or (len(texts) == 1 and (headed or (large and len(row) > 1)))
        for row, texts in zip(rows, places, strict=True)
    )
    filled = sum(map(bool, places))
    if beside < _BESIDE * filled:
        return False
    return large or not _is_sections(rows, page) or _is_data(rows, filled, page)


def _places(row: Sequence[Element], page: TaggedPage) -> list[Box]:
    """Return where the cells of a row stand in which anything is printed; blanks have no width or no height."""
    found = []
    for cell in row:
        pieces = content_of(cell, page, whole=True)
        printed = [piece for piece in pieces if piece.box.right > piece.box.left and piece.box.bottom > piece.box.top]
        if printed:
            found.append(around(texts_or_all(printed)))
    return found


def _is_sections(rows: Sequence[Sequence[Element]], page: TaggedPage) -> bool:
    """Return True if most of the text of a table is in cells that hold a heading with text below."""
    widths = {True: 0.0, False: 0.0}
    for row in rows:
        for cell in row:
            boxes = (piece.box for piece in content_of(cell, page, whole=True) if piece.text)
            widths[_holds_section(cell)] += sum(box.right - box.left for box in boxes)
    return widths[True] > _SECTIONS * (widths[True] + widths[False])


def _is_data(rows: Sequence[Sequence[Element]], filled: int, page: TaggedPage) -> bool:
    """Return True if heads beside other cells, or numbers in many of the rows with text, say that a table is one."""
    if len({cell.role for row in rows for cell in row}) > 1:
        return True
    numbers = sum(any(NUMERIC.match(_text(cell, page)) for cell in row) for row in rows)
    return numbers >= _BESIDE * filled


def _text(cell: Element, page: TaggedPage) -> str:
    return " ".join(word.text for word in words_in(page, boxes_of(cell, page, whole=True)))


def _holds_section(cell: Element) -> bool:
    """Return True if a heading stands in a cell and over a paragraph or a list there."""
    roles = [element.role for element in cell.walk()]
    first = next((at for at, role in enumerate(roles) if HEADING_TAG.match(role)), len(roles))
    return any(role in {"P", "L"} for role in roles[first:])


def rows_of(element: Element, head: bool = False) -> Iterator[tuple[list[Element], bool]]:
    """Yield the cells of the rows of a table, and whether the row belongs to its head."""
    for kid in element.kids:
        if not isinstance(kid, Element) or kid.role in {"Table", "Caption"}:
            continue
        if kid.role == "TR":
            cells = [cell for cell in kid.kids if isinstance(cell, Element) and cell.role in {"TH", "TD"}]
            if cells:
                yield cells, head or all(cell.role == "TH" for cell in cells)
        else:
            yield from rows_of(kid, kid.role == "THead")


def table_grid(page: Page, table: Element, tagged: TaggedPage) -> Grid | None:
    """Return the cells of a tagged table with their words; None if it holds none, or if they are not those printed.

    Args:
        page: with words.
        table: the element of the table.
        tagged: what the tags say of the page.
    """
    words: dict[tuple[int, int], list[Word]] = {}
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    taken: set[tuple[int, int]] = set()
    lefts: dict[int, float] = {}
    right = 0.0
    rows = list(rows_of(table))
    for row, (cells, _) in enumerate(rows):
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            high = min(cell.rows, len(rows) - row)
            taken |= {(row + down, column + across) for down in range(high) for across in range(cell.columns)}
            if (high, cell.columns) != (1, 1):
                spans[row, column] = (high, cell.columns)
            boxes = boxes_of(cell, tagged, whole=True)
            inside = words_in(page, boxes)
            if inside:
                words[row, column] = inside
                lefts[column] = min(lefts.get(column, 1e9), min(word.left for word in inside))
                right = max(right, max(word.right for word in inside))
            column += cell.columns
    columns = max((column for _, column in taken), default=-1) + 1
    if not words or columns < 2:
        return None
    if not _as_printed(words, spans):
        return None
    bounds: list[float] = []
    for column in range(columns):
        bounds.append(max(lefts.get(column, 0.0), bounds[-1] if bounds else 0.0))
    heads = 0
    while heads < len(rows) - 1 and rows[heads][1]:
        heads += 1
    return Grid(len(rows), [*bounds, max(right, bounds[-1])], words, spans, heads)


def _as_printed(words: Mapping[tuple[int, int], Sequence[Word]], spans: Mapping[tuple[int, int], object]) -> bool:
    """Return True if each word of a stated table is in one cell, and the cells of a column stand under each other.

    Programs leave empty cells out, which moves the rest of their row into other columns.
    """
    every = [id(word) for cell in words.values() for word in cell]
    if len(every) > len(set(every)):
        return False
    columns: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for (row, column), cell in words.items():
        if (row, column) not in spans:
            columns[column].append((min(word.left for word in cell), max(word.right for word in cell)))
    usual = {
        column: (median(left for left, _ in sides), median(right for _, right in sides))
        for column, sides in columns.items()
        if len(sides) >= _COLUMN
    }
    placed = [(column, side) for column in usual for side in columns[column]]
    moved = sum(
        _common(side, usual[column]) <= 0
        and any(_common(side, usual[other]) > _WITHIN * (side[1] - side[0]) for other in usual)
        for column, side in placed
    )
    return moved <= _MOVED * len(placed)


def _common(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return how much of a stretch another covers; negative where they are apart."""
    return min(one[1], other[1]) - max(one[0], other[0])


def words_in(page: Page | TaggedPage, boxes: Sequence[Box]) -> list[Word]:
    """Return the words of a page whose middle is in one of the boxes."""
    if not boxes:
        return []
    whole = around(boxes)
    return [word for word in page.words if _in(word, whole) and any(_in(word, box) for box in boxes)]


def _in(word: Word, box: Box) -> bool:
    x, y = word.middle_x, word.middle_y
    return box.left - 1 <= x <= box.right + 1 and box.top - 2 <= y <= box.bottom + 2
