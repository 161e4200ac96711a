"""What no person sees on a sheet: hidden sheets, rows and columns, and cells that show nothing of their value.

A cell shows nothing if its number format is empty (``;;;``), or its text is tiny or in the colour of its background.
Where the background is not known (a table's style, a format by condition, a pattern), text stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragraph.ingest.common.unseen import SMALLEST_POINTS, WHITE, Colour, hex_colour, is_same, leave_out
from ragraph.ingest.readers.office.theme import Theme, tinted

if TYPE_CHECKING:
    from docling_core.types.doc import DoclingDocument

_MOST_COLUMNS = 16_384
"""Columns of a sheet of Excel."""

_FLAT = 0.8
"""Height of a row in points up to which nothing in it is seen."""

_NARROW = 0.1
"""Width of a column in characters up to which nothing in it is seen."""

_THEME = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6")
"""Colours of a theme in the order in which sheets number them."""

_SECTION = re.compile(r"(?:\"[^\"]*\"|\\.|[^;\"\\])*")
_CONDITION = re.compile(r"\[[^\]]*\]")
_ROW = re.compile(rb"<(?:\w+:)?row\s([^>]*)>")
_COLUMN = re.compile(rb"<(?:\w+:)?col\s([^>]*)>")
_STATED = re.compile(rb'(\w+)="([^"]*)"')
_STYLED = re.compile(rb"<(?:\w+:)?(?:tablePart|conditionalFormatting)\b")


@dataclass
class HiddenParts:
    """What is hidden on a sheet: rows, columns and cells, from 0."""

    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    cells: set[tuple[int, int]] = field(default_factory=set)

    def hides(self, row: int, column: int) -> bool:
        """Return True if nobody sees a cell."""
        return row in self.rows or column in self.columns or (row, column) in self.cells


class CellStyles:
    """Tells which cells of a workbook show nothing of their value."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._known: dict[Any, tuple[bool, bool]] = {}

    def shows_nothing(self, cell: Any, key: Any, *, styled: bool) -> bool:
        """Return True if a cell shows nothing of its value.

        Args:
            cell: a cell of openpyxl with a value.
            key: what cells of the same font and fill share.
            styled: a table or a condition may give it another background.
        """
        if _is_blank(cell.number_format, cell.value):
            return True
        if key not in self._known:
            self._known[key] = self._look(cell)
        tiny, same = self._known[key]
        return tiny or (same and not styled)

    def _look(self, cell: Any) -> tuple[bool, bool]:
        """Return whether the font of a cell is tiny, and whether it has the colour of the cell."""
        font, fill = cell.font, cell.fill
        if font is None:
            return False, False
        background: Colour | None = WHITE
        if fill is not None and getattr(fill, "patternType", None) is not None:
            background = self._colour(fill.fgColor) if fill.patternType == "solid" else None
        elif fill is not None and getattr(fill, "stop", None):
            background = None  # a gradient
        tiny = font.sz is not None and font.sz <= SMALLEST_POINTS
        return tiny, is_same(self._colour(font.color) if font.color is not None else None, background)

    def _colour(self, colour: Any) -> Colour | None:
        from openpyxl.styles.colors import COLOR_INDEX

        found: Colour | None = None
        if colour is None:
            return None
        if colour.type == "rgb" and isinstance(colour.rgb, str):
            found = hex_colour(colour.rgb)
        elif colour.type == "theme" and isinstance(colour.theme, int) and colour.theme < len(_THEME):
            found = self._theme.named(_THEME[colour.theme])
        elif colour.type == "indexed" and isinstance(colour.indexed, int):
            if colour.indexed < len(COLOR_INDEX):
                found = hex_colour(COLOR_INDEX[colour.indexed])
            found = WHITE if colour.indexed == 65 else found
        tint = colour.tint if isinstance(colour.tint, int | float) else 0
        return tinted(found, tint) if found is not None and tint else found


def hidden_parts(sheet: Any, styles: CellStyles) -> HiddenParts:
    """Return what is hidden on a worksheet of openpyxl."""
    found = HiddenParts(*hidden_lines(sheet))
    styled = [str(one.ref) for one in getattr(sheet, "tables", {}).values()]
    styled += [str(one.sqref) for one in getattr(sheet, "conditional_formatting", ())]
    ranges = _ranges(styled)
    for (row, column), cell in sheet._cells.items():
        if cell.value is None or not cell.has_style:
            continue
        inside = any(left <= column <= right and top <= row <= bottom for left, top, right, bottom in ranges)
        if styles.shows_nothing(cell, (cell._style.fontId, cell._style.fillId), styled=inside):
            found.cells.add((row - 1, column - 1))
    return found


def hidden_lines(sheet: Any) -> tuple[set[int], set[int]]:
    """Return the hidden rows and columns of a worksheet of openpyxl, from 0."""
    columns: set[int] = set()
    for stated in sheet.column_dimensions.values():
        if stated.hidden or (stated.customWidth and stated.width is not None and stated.width <= _NARROW):
            columns.update(range((stated.min or 1) - 1, min(stated.max or stated.min or 1, _MOST_COLUMNS)))
    rows = {
        number - 1
        for number, stated in sheet.row_dimensions.items()
        if stated.hidden or (stated.height is not None and stated.height <= _FLAT)
    }
    return rows, columns


def stated_parts(content: bytes) -> tuple[HiddenParts, bool]:
    """Return the hidden rows and columns that the XML of a sheet states, and whether styles may change its cells."""
    found = HiddenParts()
    for match in _COLUMN.finditer(content):
        stated = dict(_STATED.findall(match[1]))
        first, last = (int(stated.get(name, b"0")) for name in (b"min", b"max"))
        if _is_on(stated.get(b"hidden")) or float(stated.get(b"width", b"9")) <= _NARROW:
            found.columns.update(range(first - 1, min(last, _MOST_COLUMNS)))
    number = 0
    for match in _ROW.finditer(content):
        stated = dict(_STATED.findall(match[1]))
        number = int(stated.get(b"r", number + 1))
        if _is_on(stated.get(b"hidden")) or float(stated.get(b"ht", b"9")) <= _FLAT:
            found.rows.add(number - 1)
    return found, _STYLED.search(content) is not None


def leave_out_hidden(document: DoclingDocument, hidden: list[HiddenParts]) -> None:
    """Remove hidden rows, columns and cells from the tables of a workbook; what is hidden as a whole is marked so."""
    from docling_core.types.doc import ContentLayer

    for item in (*document.tables, *document.texts):
        for place in item.prov[:1]:
            if not 1 <= place.page_no <= len(hidden):
                continue
            parts, top, left = hidden[place.page_no - 1], int(place.bbox.t), int(place.bbox.l)
            data = getattr(item, "data", None)
            if data is None:
                if parts.hides(top, left):
                    item.content_layer = ContentLayer.INVISIBLE
                continue
            rows = {row for row in range(data.num_rows) if top + row in parts.rows}
            columns = {column for column in range(data.num_cols) if left + column in parts.columns}
            seen = [
                cell for cell in data.table_cells if cell.text and not _is_hidden(cell, rows, columns, parts, top, left)
            ]
            if not seen:
                item.content_layer = ContentLayer.INVISIBLE
            else:
                _reduce(data, rows, columns, parts, top, left)


def _is_hidden(cell: Any, rows: set[int], columns: set[int], parts: HiddenParts, top: int, left: int) -> bool:
    across = range(cell.start_col_offset_idx, cell.end_col_offset_idx)
    down = range(cell.start_row_offset_idx, cell.end_row_offset_idx)
    place = top + cell.start_row_offset_idx, left + cell.start_col_offset_idx
    return rows.issuperset(down) or columns.issuperset(across) or place in parts.cells


def _reduce(data: Any, rows: set[int], columns: set[int], parts: HiddenParts, top: int, left: int) -> None:
    """Remove the hidden rows, columns and texts of a table of docling."""
    kept = []
    for cell in data.table_cells:
        across = range(cell.start_col_offset_idx, cell.end_col_offset_idx)
        down = range(cell.start_row_offset_idx, cell.end_row_offset_idx)
        if rows.issuperset(down) or columns.issuperset(across):
            leave_out(cell.text)
            continue
        if (top + down.start, left + across.start) in parts.cells:
            leave_out(cell.text)
            cell.text = ""
        cell.start_row_offset_idx, cell.end_row_offset_idx = _moved(down, rows)
        cell.start_col_offset_idx, cell.end_col_offset_idx = _moved(across, columns)
        cell.row_span = cell.end_row_offset_idx - cell.start_row_offset_idx
        cell.col_span = cell.end_col_offset_idx - cell.start_col_offset_idx
        kept.append(cell)
    data.table_cells = kept
    data.num_rows -= len(rows)
    data.num_cols -= len(columns)


def _moved(places: range, gone: set[int]) -> tuple[int, int]:
    """Return the first place and the place behind the last one, without those that are gone."""
    if not gone:
        return places.start, places.stop
    start = places.start - sum(one < places.start for one in gone)
    return start, start + sum(one not in gone for one in places)


def _ranges(references: list[str]) -> list[tuple[int, int, int, int]]:
    from openpyxl.utils import range_boundaries

    found = []
    for reference in references:
        for one in reference.split():
            try:
                left, top, right, bottom = range_boundaries(one)
            except ValueError:
                continue
            found.append((left or 1, top or 1, right or _MOST_COLUMNS, bottom or 1 << 20))
    return found


def _is_blank(number_format: str, value: Any) -> bool:
    """Return True if a number format shows nothing of a value; a zero that is not shown does not count."""
    if ";" not in number_format:
        return False
    sections = [_CONDITION.sub("", one).strip() for one in _sections(number_format)]
    if isinstance(value, str):
        return len(sections) > 3 and not sections[3]
    if not isinstance(value, int | float) or value == 0:
        return not any(sections)
    return not sections[1 if value < 0 and len(sections) > 1 else 0]


def _sections(number_format: str) -> list[str]:
    """Return the parts of a number format, for positive and negative numbers, zero and text."""
    parts, at = [], 0
    while at <= len(number_format):
        found = _SECTION.match(number_format, at)
        end = found.end() if found else len(number_format)
        parts.append(number_format[at:end])
        at = end + 1
    return parts


def _is_on(value: bytes | None) -> bool:
    return value in (b"1", b"true")
