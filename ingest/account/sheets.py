"""The cells of a workbook: texts, and numbers, dates and other values as the sheet shows them."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from lxml import etree

from ragraph.ingest.account.words import Piece
from ragraph.ingest.readers.office.displayed import EAST_ASIAN_DATES, displayed
from ragraph.ingest.readers.office.odf_opening import MOST_REPEATED, value_shown
from ragraph.ingest.readers.office.symbols import is_of_signs, shown_in

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Iterator

_CELL = re.compile(rb"<(?:\w+:)?c\s([^>]*[^/>])>(.*?)</(?:\w+:)?c>", re.DOTALL)
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']([A-Z]+)(\d+):([A-Z]+)(\d+)")
_VALUE = re.compile(rb"<(?:\w+:)?(?:t|v)(?:\s[^>]*)?>([^<]*)</")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")
_RUN = re.compile(rb'(?:rFont\s+val="([^"]*)"(?:(?!<(?:\w+:)?t[\s>]).)*)?<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</', re.DOTALL)
"""Font and text of a run of a cell."""

_FORMULA = re.compile(rb"<(?:\w+:)?f(?:\s[^>]*)?>([^<]+)</")
_RUNNING_TEXT = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)(?:\s[^<>]*)?>([^<]+)<")
_RUNNING_CODE = re.compile(r"&\"[^\"]*\"|&K[0-9A-Fa-f+-]{6}|&\d{1,3}|&[A-Z](?:[+-]\d+)?|&&")
_COUNTING = 2
"""Maximum words of a header that has only the number of the page: "Page of"."""

_MOST_COVERED = 100_000
"""Cells that merged cells of a sheet cover, above which they are not looked for."""

_COVERED = "cell that another one covers"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def cell_pieces(archive: zipfile.ZipFile) -> Iterator[Piece]:
    """Yield what the cells of all sheets of an XLSX file show, each as often as cells show it."""
    names = archive.namelist()
    shared: list[str] = []
    if "xl/sharedStrings.xml" in names:
        shared = [_shown(entry) for entry in _root(archive, "xl/sharedStrings.xml").iterfind("{*}si")]
    formats = _Formats(archive)
    for name in names:
        if not re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
            continue
        content = archive.read(name)
        for code in dict.fromkeys(_RUNNING_TEXT.findall(content)):
            for part in re.split("&[LCR]", html.unescape(code.decode("utf-8", "replace"))):
                text = _RUNNING_CODE.sub(" ", part)
                counts = "&P" in part and len(text.split()) <= _COUNTING
                yield Piece(text, "number of a page" if counts else None)
        covered = _covered(content)
        for stated, held in _CELL.findall(content):
            values = _VALUE.findall(held)
            kind = _stated(stated, b"t")
            if not any(values):
                formula = _FORMULA.search(held)  # a program has written it that computes nothing
                text = f"={html.unescape(formula[1].decode('utf-8', 'replace'))}" if formula else ""
            elif kind == b"s":
                number = int(values[-1]) if values[-1].isdigit() else len(shared)
                text = shared[number] if number < len(shared) else ""
            elif kind == b"inlineStr":
                runs = (
                    tuple(html.unescape(one.decode("utf-8", "replace")) for one in run) for run in _RUN.findall(held)
                )
                text = _unescaped(" ".join(shown_in(font, said) for font, said in runs))
            elif kind == b"str":
                text = _unescaped(html.unescape(b" ".join(values).decode("utf-8", "replace")))
            else:
                text = formats.shown(kind, values[-1], _stated(stated, b"s"))
            text = formats.signs(_stated(stated, b"s"), text)
            yield Piece(text, _COVERED if covered and _stated(stated, b"r") in covered else None)


def _stated(attributes: bytes, name: bytes) -> bytes:
    """Return the value of an attribute of one letter; empty if it is not there."""
    at = attributes.find(name + b'="')
    while at > 0 and attributes[at - 1] > 32:
        at = attributes.find(name + b'="', at + 1)
    return attributes[at + 3 : attributes.find(b'"', at + 3)] if at >= 0 else b""


class _Formats:
    """The number formats of a workbook, and what values show in them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format
        from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

        names = archive.namelist()
        book = _root(archive, "xl/workbook.xml") if "xl/workbook.xml" in names else None
        stated = book.find("{*}workbookPr") if book is not None else None
        is_mac = stated is not None and stated.get("date1904") in ("1", "true")
        self._epoch = MAC_EPOCH if is_mac else WINDOWS_EPOCH
        self._styles: list[tuple[str, bool]] = []  # format, and whether it shows dates or times
        self._signs: dict[int, str] = {}  # names of fonts of signs, by the number of the style
        self._known: dict[tuple[bytes, bytes, bytes], str] = {}
        if "xl/styles.xml" in names:
            styles = _root(archive, "xl/styles.xml")
            own = {one.get("numFmtId"): one.get("formatCode") for one in styles.iterfind("{*}numFmts/{*}numFmt")}
            fonts = [one.get("val", "") for one in styles.iterfind("{*}fonts/{*}font/{*}name")]
            for place, style in enumerate(styles.iterfind("{*}cellXfs/{*}xf")):
                font = int(style.get("fontId", "0"))
                if font < len(fonts) and is_of_signs(fonts[font]):
                    self._signs[place] = fonts[font]
            for style in styles.iterfind("{*}cellXfs/{*}xf"):
                number = style.get("numFmtId", "0")
                is_local = int(number) in EAST_ASIAN_DATES
                code = "" if is_local else own.get(number) or BUILTIN_FORMATS.get(int(number)) or "General"
                self._styles.append((code, is_local or bool(is_date_format(code))))

    def signs(self, style: bytes, text: str) -> str:
        """Return a text in the font of its cell, in which letters may stand for signs."""
        return shown_in(self._signs[int(style or 0)], text) if int(style or 0) in self._signs else text

    def shown(self, kind: bytes, value: bytes, style: bytes) -> str:
        """Return what a cell shows of its value: a number, "1" or "0" (kind "b"), an error ("e") or a date ("d")."""
        key = kind, value, style
        if key not in self._known:
            self._known[key] = self._show(kind, value.decode("utf-8", "replace").strip(), int(style or 0))
        return self._known[key]

    def _show(self, kind: bytes, value: str, style: int) -> str:
        code, is_dated = self._styles[style] if style < len(self._styles) else ("General", False)
        if kind == b"b":
            return displayed(value == "1", code)
        if is_dated or kind == b"d":
            return self._dated(kind, value, code)
        if kind == b"e" or not _NUMBER.fullmatch(value):
            return value
        return displayed(int(value) if value.lstrip("-").isdecimal() else float(value), code)

    def _dated(self, kind: bytes, value: str, code: str) -> str:
        from openpyxl.styles.numbers import is_timedelta_format
        from openpyxl.utils.datetime import from_excel, from_ISO8601

        if kind == b"d":
            return displayed(from_ISO8601(value), code)  # type: ignore[no-untyped-call]
        try:
            moment = from_excel(float(value), self._epoch, timedelta=is_timedelta_format(code))
        except (ValueError, OverflowError):  # no date of the calendar, or an error
            return value if kind == b"e" else "#VALUE!"
        return displayed(moment, code)


def _covered(content: bytes) -> set[bytes]:
    """Return the cells of a sheet that merged ones cover."""
    found: set[bytes] = set()
    for left, top, right, bottom in _MERGED.findall(content):
        columns, rows = range(_column(left), _column(right) + 1), range(int(top), int(bottom) + 1)
        if len(found) + len(columns) * len(rows) <= _MOST_COVERED:
            found |= {b"%b%d" % (_letters(column), row) for column in columns for row in rows}
            found.discard(left + top)
    return found


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _letters(column: int) -> bytes:
    letters = b""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = bytes([65 + rest]) + letters
    return letters


def value_pieces(root: etree._Element) -> Iterator[Piece]:
    """Yield the values of an ODS file whose cells have no text, and texts as often as their cells are repeated."""
    for row in root.iter(f"{_TABLE}table-row"):
        for cell in row.iterfind(f"{_TABLE}table-cell"):
            texts = ["".join(map(str, one.itertext())) for one in cell.iterfind(f"{_TEXT}p")]
            text = "\n".join(texts)
            count = _times(row, "rows") * _times(cell, "columns")
            if text.strip():
                yield from [Piece(text)] * (count - 1)
            elif cell.get(f"{_OFFICE}value-type"):
                yield from [Piece(value_shown(cell))] * count


def _times(element: etree._Element, name: str) -> int:
    stated = element.get(f"{_TABLE}number-{name}-repeated", "1")
    return min(int(stated), MOST_REPEATED) if stated.isdecimal() else 1


def _root(archive: zipfile.ZipFile, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=True)
    return etree.fromstring(archive.read(name), parser)


def _shown(entry: etree._Element) -> str:
    """Return a shared text without the readings of its East Asian words."""
    shown = []
    for text in entry.iter("{*}t"):
        run = text.getparent()
        font = run.find("{*}rPr/{*}rFont") if run is not None else None
        if run is None or not str(run.tag).endswith("}rPh"):
            shown.append(shown_in(font.get("val", "") if font is not None else "", text.text or ""))
    return _unescaped("".join(shown))


def _unescaped(text: str) -> str:
    """Return a text of a sheet with the characters that ``_x000D_`` and the like stand for."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), text)
