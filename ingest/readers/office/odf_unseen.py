"""Remove from OpenDocument what no person sees: hidden, tiny, transparent, off the page, in the colour behind it.

Where the background is not known (a picture, a gradient), text stays. Source: OpenDocument 1.3 part 3.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragraph.ingest.common.elements import remove_element
from ragraph.ingest.common.unseen import FAINTEST, SMALLEST_POINTS, WHITE, Colour, hex_colour, is_same, leave_out
from ragraph.ingest.readers.office.odf_opening import MOST_REPEATED, value_shown

if TYPE_CHECKING:
    from lxml import etree

_NAMES = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TEXT, _STYLE, _TABLE, _DRAW = (_NAMES % name for name in ("text", "style", "table", "drawing"))
_FO, _SVG, _PRESENTATION = (_NAMES % name for name in ("xsl-fo-compatible", "svg-compatible", "presentation"))
_MORE = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"

_AUTOMATIC = f"{_STYLE}use-window-font-color"

_LENGTH = re.compile(r"(-?[\d.]+)\s*(cm|mm|in|pt|pc|px)?")
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}
_FLAT = 0.8
"""Height or width of rows and columns in points up to which nothing in them is seen."""

_TEXTS = {f"{_TEXT}{name}" for name in ("p", "h", "span", "a")}
_FRAMES = tuple(f"{_DRAW}{name}" for name in ("frame", "custom-shape", "rect", "ellipse", "g", "text-box", "caption"))
_CONDITIONAL = tuple(f"{_TEXT}{name}" for name in ("hidden-text", "hidden-paragraph"))

_FIELDS = tuple(
    f"{_TEXT}{name}" for name in ("variable-set", "variable-get", "user-field-get", "sequence", "expression")
)


class Unseen:
    """Removes unseen text from content.xml.

    Args:
        root: root of content.xml.
        styles: root of styles.xml.
    """

    def __init__(self, root: etree._Element, styles: etree._Element | None) -> None:
        self._root = root
        self._known: dict[Any, bool] = {}
        self._styles: dict[tuple[str, str], etree._Element] = {}
        for part in (styles, root):
            for style in part.iter(f"{_STYLE}style", f"{_STYLE}default-style") if part is not None else ():
                family = style.get(f"{_STYLE}family", "")
                self._styles[family, style.get(f"{_STYLE}name", "")] = style
        sizes = list(styles.iter(f"{_STYLE}page-layout-properties")) if styles is not None else []
        widths = [found for one in sizes if (found := _points(one.get(f"{_FO}page-width")))]
        heights = [found for one in sizes if (found := _points(one.get(f"{_FO}page-height")))]
        self._width, self._height = max(widths, default=842.0), max(heights, default=842.0)
        grounds = {one.get(f"{_FO}background-color") for one in sizes} - {None, "transparent"}
        self._ground = WHITE if not grounds else hex_colour(grounds.pop()) if len(grounds) == 1 else None
        self._is_slides = next(root.iter(f"{_DRAW}page"), None) is not None

    def remove(self) -> None:
        """Remove from the content, in place."""
        root = self._root
        for page in list(root.iter(f"{_DRAW}page")):
            if self._says(page, "drawing-page", f"{_DRAW}style-name", f"{_PRESENTATION}visibility") == "hidden":
                for child in list(page):
                    _drop(child)
        for section in list(root.iter(f"{_TEXT}section")):
            stated = section.get(f"{_TEXT}display")
            if stated == "none" or (stated == "condition" and section.get(f"{_TEXT}is-hidden") == "true"):
                _drop(section)
        for mark in list(root.iter(*_CONDITIONAL)):
            hidden = mark.get(f"{_TEXT}is-hidden") == "true"
            whole = next(mark.iterancestors(f"{_TEXT}p", f"{_TEXT}h"), mark) if mark.tag == _CONDITIONAL[1] else mark
            if hidden and whole.getparent() is not None:
                _drop(whole)
            mark.attrib.pop(f"{_TEXT}string-value", "")
        for field in [one for one in root.iter(*_FIELDS) if one.get(f"{_TEXT}display") == "none"]:
            _drop(field)
        for frame in list(root.iter(*_FRAMES)):
            if frame.get(f"{_DRAW}display") in ("none", "printer") or self._is_off(frame):
                _drop(frame)
        for table in list(root.iter(f"{_TABLE}table")):
            self._table(table)
        for element in list(root.iter(*_TEXTS)):
            self._empty_unseen(element)

    def _table(self, table: etree._Element) -> None:
        """Remove a hidden table, or its hidden rows and columns."""
        if self._says(table, "table", f"{_TABLE}style-name", f"{_TABLE}display") == "false":
            _drop(table)
            return
        for row in list(table.iter(f"{_TABLE}table-row")):
            if self._is_flat(row, "table-row", f"{_STYLE}row-height") and self._table_of(row) is table:
                _drop(row)
        hidden: list[tuple[int, int]] = []
        at = 0
        for column in table.iter(f"{_TABLE}table-column"):
            if self._table_of(column) is not table:
                continue
            count = _count(column, "columns")
            if self._is_flat(column, "table-column", f"{_STYLE}column-width"):
                hidden.append((at, at + count))
                remove_element(column)
            at += count
        for row in table.iter(f"{_TABLE}table-row") if hidden else ():
            if self._table_of(row) is table:
                _drop_cells(row, hidden)

    def _table_of(self, element: etree._Element) -> etree._Element | None:
        return next(element.iterancestors(f"{_TABLE}table"), None)

    def _is_flat(self, line: etree._Element, family: str, name: str) -> bool:
        """Return True if a row or column is hidden, or has no size."""
        if line.get(f"{_TABLE}visibility", "visible") != "visible":
            return True
        size = _points(self._says(line, family, f"{_TABLE}style-name", name))
        return size is not None and size <= _FLAT

    def _is_off(self, frame: etree._Element) -> bool:
        """Return True if a shape is off its page."""
        parent = frame.getparent()
        if parent is not None and parent.tag in _FRAMES:
            return False
        x, y = _points(frame.get(f"{_SVG}x")), _points(frame.get(f"{_SVG}y"))
        width, height = (_points(frame.get(f"{_SVG}{name}")) or 0.0 for name in ("width", "height"))
        # a shape of a text is placed from its paragraph, which may be anywhere on the page
        margin = 0.0 if self._is_slides else max(self._width, self._height)
        away = x is not None and (x + width <= -margin / 4 or x >= self._width)
        return away or (y is not None and (y + height <= -margin or (self._is_slides and y >= self._height)))

    def _empty_unseen(self, element: etree._Element) -> None:
        """Remove the text that is directly in a paragraph, span or link, if nobody can read it."""
        texts = [element.text, *(child.tail for child in element)]
        if not any(text and text.strip() for text in texts) or not self._is_unseen(element):
            return
        leave_out("".join(text or "" for text in texts))
        element.text = None
        for child in element:
            child.tail = None

    def _is_unseen(self, element: etree._Element) -> bool:
        way = [element, *element.iterancestors()]
        key = tuple(
            (one.tag, *(value for name, value in one.items() if str(name).endswith("style-name"))) for one in way
        )
        if self._is_slides or key not in self._known:
            self._known[key] = self._looks_unseen(way)
        return self._known[key]

    def _looks_unseen(self, way: list[etree._Element]) -> bool:
        """Return True if nobody can read text in an element, the first of these, with those around it."""
        layers: list[etree._Element] = []
        for one in way:
            layers += self._chain(one, "text-properties")
        if _first(layers, f"{_TEXT}display") in ("none", "true"):
            return True
        size = _first(layers, f"{_FO}font-size")
        if size is not None and not size.endswith("%") and (_points(size) or 99.0) <= SMALLEST_POINTS:
            return True
        scale = _first(layers, f"{_STYLE}text-scale")
        if scale is not None and _share(scale) <= 0.05:
            return True
        coloured = next((one for one in layers if one.get(f"{_FO}color") or one.get(_AUTOMATIC)), None)
        if coloured is None or coloured.get(_AUTOMATIC) == "true":
            return False  # LibreOffice writes an opacity of 0 % beside the automatic colour, which it does not mean
        if _share(coloured.get(f"{_MORE}opacity", "100%")) <= FAINTEST:
            return True
        return is_same(hex_colour(coloured.get(f"{_FO}color")), self._background(way))

    def _background(self, way: list[etree._Element]) -> Colour | None:
        """Return the colour behind an element, from the innermost around it that states one; None if unknown."""
        for one in way:
            for name in ("text-properties", "paragraph-properties", "table-cell-properties", "table-row-properties"):
                stated = _first(self._chain(one, name), f"{_FO}background-color")
                if stated not in (None, "transparent"):
                    return hex_colour(stated)
            graphic = self._chain(one, "graphic-properties") + self._chain(one, "drawing-page-properties")
            fill = _first(graphic, f"{_DRAW}fill")
            if fill == "solid":
                return hex_colour(_first(graphic, f"{_DRAW}fill-color"))
            if fill not in (None, "none") or _first(graphic, f"{_FO}background-color") not in (None, "transparent"):
                return None
            if one.tag == f"{_DRAW}page" and self._is_crowded(one):
                return None
        return self._ground

    def _is_crowded(self, page: etree._Element) -> bool:
        """Return True if a slide has other shapes, or a master with shapes, that may be behind its text."""
        master = page.get(f"{_DRAW}master-page-name", "")
        return sum(one.tag in _FRAMES or str(one.tag).startswith(_DRAW) for one in page) > 1 or any(
            len(found) for (family, name), found in self._styles.items() if family == "drawing-page" and name == master
        )

    def _chain(self, element: etree._Element, part: str) -> list[etree._Element]:
        """Return the properties of an element's style, then those of the style it is based on, and so on."""
        found: list[etree._Element] = []
        for attribute, value in element.attrib.items():
            if not str(attribute).endswith("}style-name"):
                continue
            families = _FAMILIES.get(str(element.tag).rpartition("}")[2], ("paragraph", "graphic", "presentation"))
            for family in families:
                name, seen = str(value), set()
                while (family, name) in self._styles and name not in seen:
                    seen.add(name)
                    style = self._styles[family, name]
                    properties = style.find(f"{_STYLE}{part}")
                    if properties is not None:
                        found.append(properties)
                    name = style.get(f"{_STYLE}parent-style-name", "")
        return found

    def _says(self, element: etree._Element, family: str, attribute: str, name: str) -> str | None:
        """Return a property of any kind that the style of an element states."""
        style = self._styles.get((family, element.get(attribute, "")))
        stated = (
            (str(found) for one in style if (found := one.get(name)) is not None) if style is not None else iter(())
        )
        return next(stated, None)


_FAMILIES = {
    **{"span": ("text",), "a": ("text",), "p": ("paragraph",), "h": ("paragraph",), "page": ("drawing-page",)},
    **{"table-cell": ("table-cell",), "table-row": ("table-row",), "table": ("table",), "section": ("section",)},
    **{"covered-table-cell": ("table-cell",)},
}


def _drop(element: etree._Element) -> None:
    cells = list(element.iter(f"{_TABLE}table-cell"))
    for cell in cells:
        row = cell.getparent()
        _leave_out_cell(cell, _count(cell, "columns") * (_count(row, "rows") if row is not None else 1))
    if not cells:
        leave_out(" ".join(str(text) for text in element.itertext()))
    remove_element(element)


def _leave_out_cell(cell: etree._Element, times: int) -> None:
    """Record what a cell shows, as often as it is repeated."""
    if text := " ".join(str(text) for text in cell.itertext()).strip() or value_shown(cell):
        leave_out("\n".join([text] * min(times, MOST_REPEATED)))


def _drop_cells(row: etree._Element, hidden: list[tuple[int, int]]) -> None:
    """Remove the cells of a row in hidden columns; cells that are repeated into others keep what is seen of them."""
    at = 0
    for cell in list(row):
        if str(cell.tag).rpartition("}")[2] not in ("table-cell", "covered-table-cell"):
            continue
        count = _count(cell, "columns")
        gone = sum(max(0, min(at + count, end) - max(at, start)) for start, end in hidden)
        at += count
        if gone >= count:
            _drop(cell)
        elif gone:
            _leave_out_cell(cell, gone * _count(row, "rows"))
            cell.set(f"{_TABLE}number-columns-repeated", str(count - gone))


def _count(element: etree._Element, name: str) -> int:
    stated = element.get(f"{_TABLE}number-{name}-repeated", "1")
    return int(stated) if stated.isdecimal() and len(stated) < 9 else 1


def _first(layers: list[etree._Element], name: str) -> str | None:
    return next((str(found) for one in layers if (found := one.get(name)) is not None), None)


def _points(value: str | None) -> float | None:
    found = _LENGTH.fullmatch((value or "").strip())
    try:
        return float(found[1]) * _POINTS[found[2] or "pt"] if found else None
    except ValueError:
        return None


def _share(value: str) -> float:
    try:
        return float(value.rstrip("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        return 1.0
