"""Small parts of a DoclingDocument as plain values: text with marks, rows of tables and forms, positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ragraph.ingest.common.scripts import lowered, raised
from ragraph.ingest.draft import Box, Position

if TYPE_CHECKING:
    from docling_core.types.doc import DoclingDocument

    from ragraph.ingest.readers.docling.marks import Marks

_NOTE_MARKER = re.compile(r"\s*(\d{1,3}(?=[\s.):\]])|[*†‡§¶#]{1,3}|\[\d{1,3}\]|\(\d{1,3}\)|[⁰¹²³⁴-⁹]+)[.):]?\s+(?=\S)")
_NO_BLANK_BEFORE = tuple(".,;:!?)]}%’”»…")
_NO_BLANK_AFTER = tuple("([{‘“«")


def item_text(item: Any, marks: Marks, styles: bool = True, before: str = "") -> str:
    """Return the text of an item, which follows the text ``before``, with its style and link as marks."""
    text: str = getattr(item, "text", "") or ""
    if not text and item.label.value == "formula":
        text = item.orig or ""
    style = getattr(item, "formatting", None) if styles else None
    script = _script(item) if styles else "baseline"
    if script != "baseline":
        text = (raised if script == "super" else lowered)(text, marks.strip(before))
    if style is not None and item.label.value not in {"code", "formula"}:
        for kind, on in (("italic", style.italic), ("bold", style.bold)):
            text = marks.around(text, kind) if on else text
    link = str(item.hyperlink) if styles and getattr(item, "hyperlink", None) else ""
    if link.startswith("#"):
        text = marks.around(text, "ref", link[1:])
    elif link and link != ".":
        text = marks.around(text, "link", link)
    if item.label.value in {"checkbox_selected", "checkbox_unselected"}:
        text = f"[{'x' if item.label.value == 'checkbox_selected' else ' '}] {text}"
    return text


def inline_text(group: Any, marks: Marks, document: DoclingDocument, styles: bool = True) -> tuple[str, set[str]]:
    """Return the text of an inline group with marks, and the references of its items.

    docling strips the pieces, so spaces between them are restored by the rules of punctuation.
    """
    pieces: list[tuple[str, str]] = []  # plain, with marks
    used: set[str] = set()
    glue = False
    script, before = "baseline", ""  # of the last piece, and what is before the pieces of one script
    for child in (reference.resolve(document) for reference in group.children):
        kind = child.self_ref.split("/")[1]
        label = child.label.value
        if kind == "groups":
            if label != "inline":
                continue
            text, inner = inline_text(child, marks, document, styles)
            used |= inner | {child.self_ref}
        elif kind == "texts":
            used.add(child.self_ref)
            own = _script(child)
            if own == "baseline" or own != script:
                before = pieces[-1][0] if pieces else ""
            script = own
            text = item_text(child, marks, styles, before)
            if label == "formula":
                text = marks.around(text.strip(), "math")
            elif label == "code":
                text = marks.around(text, "code")
            if child.children:
                inner_text, inner = inline_text(child, marks, document, styles)
                text, used = text + inner_text, used | inner
        else:
            continue
        plain = marks.strip(text)
        if not plain and not text:
            continue
        if pieces and plain and not glue and _script(child) == "baseline" and _needs_blank(pieces[-1][0], plain):
            pieces.append((" ", " "))
        glue = False
        pieces.append((plain or (pieces[-1][0] if pieces else ""), text))
    return "".join(text for _, text in pieces), used


def _script(item: Any) -> str:
    """Return whether an item is raised ("super"), lowered ("sub") or neither ("baseline")."""
    script = getattr(getattr(item, "formatting", None), "script", None)
    return str(script.value) if script is not None else "baseline"


def _needs_blank(before: str, after: str) -> bool:
    if not before or before[-1].isspace() or after[0].isspace():
        return False
    return not after.startswith(_NO_BLANK_BEFORE) and not before.endswith(_NO_BLANK_AFTER)


def note_marker(text: str) -> tuple[str | None, str]:
    """Split the number or sign at the start of a note from its text."""
    match = _NOTE_MARKER.match(text)
    return (match[1], text[match.end() :]) if match else (None, text)


def table_parts(
    table: Any, document: DoclingDocument, marks: Marks, seen: set[str], styles: bool = True
) -> tuple[list[list[str]], int, list[list[int]]]:
    """Return a table as cells, number of header rows and spans ``[row, column, rows, columns]``.

    A cell that spans several places has its text at the first and empty text at the others. Items within a cell
    (lists, styled text) become its text, and their references are added to ``seen``.
    """
    data = table.data
    cells = [["" for _ in range(data.num_cols)] for _ in range(data.num_rows)]
    heads = [False] * data.num_rows
    body = [False] * data.num_rows
    spans: list[list[int]] = []
    for cell in data.table_cells:
        row, column = cell.start_row_offset_idx, cell.start_col_offset_idx
        if not (0 <= row < data.num_rows and 0 <= column < data.num_cols):
            continue
        text = cell.text
        if getattr(cell, "ref", None) is not None:
            text = _cell_items(cell.ref.resolve(document), document, marks, seen, styles) or text
        cells[row][column] = f"{cells[row][column]} {text}".strip() if cells[row][column] else text
        if cell.column_header:
            heads[row] = True
        elif marks.strip(text).strip() and not cell.row_header:
            body[row] = True
        height, width = cell.end_row_offset_idx - row, cell.end_col_offset_idx - column
        if height > 1 or width > 1:
            spans.append([row, column, height, width])
    header_rows = 0
    while header_rows < data.num_rows and heads[header_rows] and not body[header_rows]:
        header_rows += 1
    return cells, header_rows, spans


def _cell_items(item: Any, document: DoclingDocument, marks: Marks, seen: set[str], styles: bool) -> str:
    """Return the text of all items in a cell, one line each; tables and pictures in it stay items."""
    kind = item.self_ref.split("/")[1]
    if kind in {"tables", "pictures"}:
        return ""
    seen.add(item.self_ref)
    if kind == "groups" and item.label.value == "inline":
        text, used = inline_text(item, marks, document, styles)
        seen |= used
        rest = [child for child in item.children if child.cref not in used]
    else:
        text = item_text(item, marks, styles) if kind == "texts" else ""
        if kind == "texts" and item.label.value == "formula":
            text = marks.around(text.strip(), "math")
        if kind == "texts" and item.label.value == "list_item" and item.enumerated:
            text = f"{item.marker} {text}"
        rest = item.children
    lines = [text, *(_cell_items(child.resolve(document), document, marks, seen, styles) for child in rest)]
    return "\n".join(line for line in lines if line.strip())


def chart_rows(meta: Any) -> tuple[list[list[str]], str | None]:
    """Return the numbers of a chart as rows, and its title."""
    chart = getattr(meta, "tabular_chart", None)
    if chart is None:
        return [], None
    rows = [[cell.text for cell in row] for row in chart.chart_data.grid]
    return [row for row in rows if any(cell.strip() for cell in row)], chart.title


def form_rows(graph: Any) -> list[list[str]]:
    """Return the keys and values of a form, without those that are also items of the text."""
    cells = {cell.cell_id: cell for cell in graph.cells if cell.item_ref is None and cell.text.strip()}
    rows: list[list[str]] = []
    used: set[int] = set()
    for link in graph.links:
        if link.label.value == "to_value" and link.source_cell_id in cells and link.target_cell_id in cells:
            rows.append([cells[link.source_cell_id].text, cells[link.target_cell_id].text])
            used |= {link.source_cell_id, link.target_cell_id}
    rows += [[cell.text, ""] for number, cell in cells.items() if number not in used]
    return rows


@dataclass(frozen=True)
class Geometry:
    """Meaning of the numbers in docling's boxes: points per unit; None = they are not positions on a page."""

    scale: float | None
    mirrored: bool = False

    @classmethod
    def of(cls, document: DoclingDocument) -> Geometry:
        """Return the geometry of a document, by its original format."""
        kind = document.origin.mimetype if document.origin else ""
        if "presentation" in kind:
            return cls(1 / 12700, mirrored=True)
        return cls(None) if "spreadsheet" in kind or "ms-excel" in kind else cls(1.0)

    def size(self, size: Any) -> tuple[float | None, float | None]:
        """Return width and height of a page in points."""
        if self.scale is None or size is None:
            return None, None
        return round(size.width * self.scale, 2), round(size.height * self.scale, 2)

    def box(self, bbox: Any, page: Any) -> Box | None:
        """Return a box in points from the top left; None if it has no area."""
        if self.scale is None or page is None:
            return None
        # older releases of docling call the boxes of slides bottom-left although they count from the top
        mirrored = self.mirrored and bbox.coord_origin.value == "BOTTOMLEFT"
        edges = bbox if mirrored else bbox.to_top_left_origin(page_height=page.size.height)
        x1, x2 = sorted((edges.l * self.scale, edges.r * self.scale))
        y1, y2 = sorted((edges.t * self.scale, edges.b * self.scale))
        if x1 == x2 or y1 == y2:
            return None
        return Box(x1=round(x1, 2), y1=round(y1, 2), x2=round(x2, 2), y2=round(y2, 2))


def positions_of(item: Any, document: DoclingDocument, geometry: Geometry) -> list[Position]:
    """Return the positions of an item: pages from 1, boxes in points from the top left."""
    positions: list[Position] = []
    for place in getattr(item, "prov", None) or []:
        if place.page_no < 1:
            continue
        position = Position(page_pdf=place.page_no, bbox=geometry.box(place.bbox, document.pages.get(place.page_no)))
        if position not in positions:
            positions.append(position)
    return positions


TOTAL = re.compile(
    r"(?:grand |sub-?)?totals?|sum|summe|gesamt(?:summe)?|insgesamt|zwischensumme|somme|suma|totale|totaal|summa|toplam"
    r"|итого|всего|合计|合計|总计|總計|합계",
    re.IGNORECASE,
)
"""First words of a row of sums, which is no head."""

_YEAR = re.compile(r"(?:19|20)\d\d")

_AMOUNT = re.compile(r"[-+(]?\W{0,2}\d[\d.,]*(?:E[+-]\d+)?\W{0,2}")
"""A number; years, which may name columns, are tested before."""

_DATE = re.compile(
    r"(?=\D*\d)(?=.*(?:[-/.:年月]|[A-Za-z]{3}))"
    r"(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}|[AP]M"
    r"|[-/.,:\s年月日時时分秒T\d])+"
)
"""A date or time as sheets show it: it may name a column, or be one of a column of dates."""

_COMPARED = 100
"""Rows below a header with which it is compared."""

_TELLING = 2
"""Minimum dates above text that distinguish a header of columns from a row of data."""

_HEAD = 4
"""Maximum rows of a header: titles over all columns, headers of several columns, then the names of the columns."""


def sheet_table(
    cells: list[list[str]], header_rows: int, spans: list[list[int]]
) -> tuple[list[list[str]], int, list[list[int]]]:
    """Return a table of a sheet without empty rows above it, and with its complete header.

    A row with only a title, or with a header over several columns, is continued by the row below.

    Args:
        cells: rows of the same length.
        header_rows: known rows of the header, 0 if none are known.
        spans: ``[row, column, rows, columns]`` of cells that span several places.
    """
    empty = 0
    while empty < len(cells) and not any(cell.strip() for cell in cells[empty]):
        empty += 1
    rows = cells[empty:]
    kept = [[row - empty, *rest] for row, *rest in spans if row >= empty]
    rows, kept = _without_blanks(rows, kept)
    if not header_rows or len(rows) < 2:
        return rows, min(header_rows, len(rows)), kept
    first = next((cell.strip() for cell in rows[0] if cell.strip()), "")
    if TOTAL.fullmatch(first):
        return rows, 0, kept
    head = 0
    while head < min(_HEAD, len(rows) - 2) and _goes_on(rows, head, kept):
        head += 1
    head += 1
    head = max(head, header_rows) if header_rows < len(rows) else head
    for row, _, height, _ in kept:  # a cell of the head over several rows
        if row < head < row + height <= min(_HEAD, len(rows) - 1):
            head = row + height
    return rows, head, kept


def _without_blanks(rows: list[list[str]], spans: list[list[int]]) -> tuple[list[list[str]], list[list[int]]]:
    """Return a table without its blank rows and columns, which were only space between its parts."""
    width = max((len(row) for row in rows), default=0)
    held_rows = {number for row, _, height, _ in spans for number in range(row, row + height)}
    held_columns = {number for _, column, _, wide in spans for number in range(column, column + wide)}
    down = [number for number, row in enumerate(rows) if number in held_rows or any(cell.strip() for cell in row)]
    across = [column for column in range(width) if column in held_columns or any(row[column].strip() for row in rows)]
    if len(down) == len(rows) and len(across) == width:
        return rows, spans
    at_row, at_column = ({old: new for new, old in enumerate(one)} for one in (down, across))
    kept = [[at_row[row], at_column[column], *size] for row, column, *size in spans]
    return [[rows[number][column] for column in across] for number in down], kept


def _goes_on(rows: list[list[str]], number: int, spans: list[list[int]]) -> bool:
    """Return True if a row is a title above fuller rows, or has a header over columns that the next row divides.

    The next row belongs to the header only if it differs from the rows below: it names a column of amounts, years or
    dates, or has several dates above text. No cell of it may be repeated below, or, under a title, beside it.
    """
    filled, below = (sum(bool(cell.strip()) for cell in row) for row in rows[number : number + 2])
    over = any(row == number and rows_ == 1 and columns > 1 for row, _, rows_, columns in spans)
    if below < 2 or not ((filled == 1 and len(rows[number]) > 2) or (over and below > filled)):
        return False
    names = [cell.strip() for cell in rows[number + 1]]
    # a header may be repeated
    data = [row for row in rows[number + 2 : number + 2 + _COMPARED] if row != rows[number + 1]]
    if filled == 1 and any(one and one == other for one, other in pairwise(names)):
        return False
    tells = 0
    for column, name in enumerate(names):
        if not name:
            continue
        under = [row[column].strip() for row in data if row[column].strip()]
        kinds = [_kind(cell) for cell in under]
        if name in under or (kind := _kind(name)) == "amount" or (kind and 2 * kinds.count(kind) >= len(under) > 0):
            return False
        others = [one for one in kinds if one != kind]
        if 2 * len(others) >= len(under) > 0:
            tells += _TELLING if 2 * sum(map(bool, others)) >= len(under) else bool(kind)
    return tells >= _TELLING


def _kind(cell: str) -> str:
    """Return "amount", "year" (alone) or "date" by the content of a cell, or an empty string for text."""
    if _YEAR.fullmatch(cell):
        return "year"
    if _AMOUNT.fullmatch(cell):
        return "amount"
    return "date" if _DATE.fullmatch(cell) else ""
