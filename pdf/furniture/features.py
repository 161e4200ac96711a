"""What is measured of a line at the edge of a page to weigh whether it is furniture.

Place, shape, type, words, neighbours, what the page is like without it, and what comes back on other pages: words,
numbers that count, height and type. Lengths are counted in the type and the pitch of the page. No words are known, but
for the patterns of the reader.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ragraph.pdf.furniture.pagenumbers import EdgeRow, Reading, candidates_of, count_within, is_label
from ragraph.pdf.model import shared_width
from ragraph.pdf.patterns import BULLET, CAPTION, GOES_ON, PARAGRAPH_END

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from ragraph.pdf.model import Line, Page, Style

NAMES = (
    *("upper", "rank", "row width", "pieces", "tightest", "gap inwards", "gap outwards", "rarest font", "row length"),
    *("row label", "number first", "number last", "value", "address", "date", "rules", "rule width"),
    *("next size", "next bold", "next length", "next gap", "next capital", "next ends", "long lines"),
    *("page lines", "share beyond", "other label", "other rows", "page bold", "points", "aspect"),
    *("height",),
    *("edge", "left", "right", "centre", "width", "piece", "size", "bold", "font share"),
    *("capitals", "length", "share of row", "words", "digits", "letters", "longest word", "goes on"),
    *("end", "sentence end", "caption", "bullet", "raised", "left of text"),
    *("right of text", "off centre", "column digits", "set alike", "column", "smallest"),
    *("type at height", "font at edge"),
    *("same key", "same key near", "same words", "counts"),
    *("apart at height", "key numbers", "near pages", "pages close by", "since first"),
)
"""What the columns of the features are."""
_NEAR = 12
"""Pages on either side whose numbers count with that of a page."""
_CLOSE = 3
"""Pages on either side that are close by."""
_OFF = 6.0
"""Points by which what comes back on another page stands higher or lower at most."""
_STEP = 3
"""Points of a step of height."""
_MOST_PAGES = 24
"""Minimum number of pages of a document at which more of them tell no more."""
_FAR = 20.0
"""Distance, in lines, of what is not there."""
_LONG = 40
"""Characters of a line of running text at least."""
_COLUMN = 4.0
"""Points by which what stands in one column begins, or ends, apart at most."""
_APART = 1.25
"""Distance to the text at least, in usual distances of lines, of what stands apart from it."""
_HIGHEST = 3000
"""Values of numbers above tell no more."""
_ADDRESS = re.compile(r"https?:|www\.|@\w+\.|\.\w+/", re.I)
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_NUMBER_FIRST, _NUMBER_LAST = re.compile(r"\W*\d"), re.compile(r"\d\W*$")
_ENDS = {".": 1, ":": 2, ",": 3, ";": 3, "?": 4, "!": 4, "-": 5, "–": 5}


class Row(EdgeRow, Protocol):
    """A row with its words: numbers replaced (``key``), signs too (``alike``), no number at the ends (``words``)."""

    key: str
    alike: str
    words: str


class _Sheet:
    """What a page is like as a whole."""

    def __init__(self, page: Page, style: Style) -> None:
        sizes: Counter[float] = Counter()
        self.fonts: Counter[str] = Counter()
        bold = 0
        for line in page.lines:
            for word in line.words:
                letters = len(word.text)
                sizes[round(2 * word.size) / 2] += letters
                self.fonts[word.font.name] += letters
                bold += letters * word.font.bold
        self.letters = max(sizes.total(), 1)
        self.bold = bold / self.letters
        self.size = max(sizes.items(), key=lambda item: (item[1], item[0]))[0] if sizes else style.size
        self.smallest = min((line.size for line in page.lines), default=self.size)
        self.long = sorted((line for line in page.lines if line.length >= _LONG), key=lambda line: line.top)
        text = self.long or page.lines
        self.left = min((line.left for line in text), default=0.0)
        self.right = max((line.right for line in text), default=page.width)
        steps = sorted(
            lower.bottom - upper.bottom
            for upper, lower in pairwise(self.long)
            if 0.7 * self.size < lower.bottom - upper.bottom < 3 * self.size and shared_width(upper, lower) > 0
        )
        self.pitch = steps[len(steps) // 2] if steps else style.pitch
        self.looks = Counter(_look(line) for line in page.lines)


class _Places:
    """Numbers of pages by what stands at a height of them, in steps; the pages around one are put together once."""

    def __init__(self) -> None:
        self._pages: dict[tuple[bool, int, int], set[int]] = defaultdict(set)
        self._around: dict[tuple[bool, int, int], int] = {}

    def add(self, upper: bool, place: int, page: int, size: int = 0) -> None:
        """Add a page that has a row, of a type, at a height."""
        self._pages[upper, place, size].add(page)

    def around(self, upper: bool, place: int, size: int = 0) -> int:
        """Return how many pages have one there, or one step off."""
        key = upper, place, size
        if key not in self._around:
            steps = (self._pages.get((upper, place + step, size), set()) for step in (-1, 0, 1))
            self._around[key] = len(set().union(*steps))
        return self._around[key]


class _Alike:
    """The rows of an edge that say the same; those at one height are put together once."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.pages = len({row.page.number for row in rows})
        self._rows = sorted(rows, key=lambda row: row.box.top)
        self._tops = [row.box.top for row in self._rows]
        self._near: dict[tuple[int, int], list[int]] = {}

    def near(self, row: Row) -> list[int]:
        """Return the numbers of the pages, from first to last, that have it less than ``_OFF`` off."""
        top = row.box.top
        # Differences are compared, as sums with a border are rounded.
        first = bisect_right(self._tops, -_OFF, key=lambda other: other - top)
        last = bisect_left(self._tops, _OFF, key=lambda other: other - top)
        if (first, last) not in self._near:
            self._near[first, last] = sorted({other.page.number for other in self._rows[first:last]})
        return self._near[first, last]


class _Document:
    """What comes back on the pages of a document: rows, numbers, heights, type."""

    def __init__(self, rows: Sequence[Row], pages: Sequence[Page], style: Style) -> None:
        self.pages = len({page.number for page in pages}) or 1
        self.words: Counter[tuple[bool, str]] = Counter()
        self.readings: dict[int, list[Reading]] = {}
        self.apart, self.types = _Places(), _Places()
        alike: dict[tuple[bool, str], list[Row]] = defaultdict(list)
        series: dict[tuple[bool, str, int], set[int]] = defaultdict(set)
        self.fonts: dict[tuple[bool, str, int], set[int]] = defaultdict(set)
        for row in rows:
            number, upper, height = row.page.number, row.upper, height_of(row)
            alike[upper, row.alike].append(row)
            self.words[upper, row.words] += 1
            if row.gap > _APART * style.pitch:
                self.apart.add(upper, height, number)
            for line in row.lines:
                self.types.add(upper, height, number, round(2 * line.size))
                self.fonts[upper, line.words[0].font.name, round(2 * line.size)].add(number)
            self.readings[id(row)] = [reading for candidate in candidates_of(row) for reading in candidate.readings]
            for reading in self.readings[id(row)]:
                series[upper, reading.kind, reading.value - number].add(number)
        self.alike = {key: _Alike(members) for key, members in alike.items()}
        self.series = {key: sorted(numbers) for key, numbers in series.items()}

    def measure(self, row: Row) -> list[float]:
        """Return what comes back of a row, but for what its lines tell one by one."""
        number, upper, height = row.page.number, row.upper, height_of(row)
        alike = self.alike[upper, row.alike]
        near = alike.near(row)
        counting = [
            count_within(self.series[upper, reading.kind, reading.value - number], number, _NEAR)
            for reading in self.readings[id(row)]
        ]
        return [
            alike.pages / self.pages,
            len(near) / self.pages,
            min(self.words[upper, row.words] / self.pages, 1),
            max(counting, default=0) / min(self.pages, 2 * _NEAR + 1),
            self.apart.around(upper, height) / self.pages,
            row.key.count("#"),
            min(len(near), _MOST_PAGES),
            count_within(near, number, _CLOSE),
            number - near[0],
        ]

    def of_line(self, row: Row, line: Line) -> list[float]:
        """Return what comes back of a line: its type at this height, its font at this edge."""
        size = round(2 * line.size)
        typed = self.types.around(row.upper, height_of(row), size)
        font = self.fonts[row.upper, line.words[0].font.name, size]
        return [typed / self.pages, len(font) / self.pages]


def measure(
    rows: Sequence[Row], pages: Sequence[Page], style: Style, asked: AbstractSet[int] | None = None
) -> tuple[list[tuple[Row, Line]], NDArray[np.float32]]:
    """Return the lines of rows with their row, and a row of ``NAMES`` for each.

    Args:
        rows: at the edges of pages, those of a side from the edge inwards.
        pages: all pages, with lines.
        style: the running style of the document.
        asked: ids of the rows whose lines are measured; None for all.
    """
    document = _Document(rows, pages, style)
    sides: dict[tuple[int, bool], list[Row]] = defaultdict(list)
    sheets: dict[int, _Sheet] = {}
    for row in rows:
        sides[id(row.page), row.upper].append(row)
        if id(row.page) not in sheets:
            sheets[id(row.page)] = _Sheet(row.page, style)
    lines: list[tuple[Row, Line]] = []
    found: list[list[float]] = []
    for row in rows if asked is None else (row for row in rows if id(row) in asked):
        sheet, other = sheets[id(row.page)], sides[id(row.page), not row.upper]
        outwards = sides[id(row.page), row.upper][row.rank - 1] if row.rank else None
        of_row = _of_row(row, outwards, other, document.readings[id(row)], sheet)
        back = document.measure(row)
        for piece, line in enumerate(row.lines):
            lines.append((row, line))
            found.append([*of_row, *_of_line(row, line, piece, sheet), *document.of_line(row, line), *back])
    return lines, np.array(found, dtype=np.float32).reshape(-1, len(NAMES))


def _of_following(row: Row, beyond: Sequence[Line], sheet: _Sheet) -> list[float]:
    """Return what is to be known of the next line inwards from a row."""
    if not beyond:
        return [0, 0, 0, _FAR, False, False]
    line = min(beyond, key=lambda line: line.top if row.upper else -line.bottom)
    gap = (line.top - row.box.bottom if row.upper else row.box.top - line.bottom) / sheet.size
    return [
        line.size / sheet.size,
        line.bold,
        line.length,
        min(gap, _FAR),
        line.text[:1].isupper(),
        bool(PARAGRAPH_END.search(line.text)),
    ]


def _of_row(
    row: Row, outwards: Row | None, other: Sequence[Row], readings: Sequence[Reading], sheet: _Sheet
) -> list[float]:
    """Return what all lines of a row have in common."""
    page, box = row.page, row.box
    text = " ".join(line.text for line in row.lines)
    own = {id(line) for line in row.lines}
    beyond = [line for line in page.lines if id(line) not in own and _is_inwards(row, line)]
    rules = _rules_inwards(row, sheet)
    values = [reading.value for reading in readings if reading.kind in {"arabic", "roman", "ROMAN"}]
    return [
        row.upper,
        row.rank,
        box.width / page.width,
        len(row.lines),
        min((right.left - left.right for left, right in pairwise(row.lines)), default=0) / sheet.size,
        min(row.gap / sheet.pitch, _FAR),
        min(abs(outwards.box.bottom - box.bottom) / sheet.pitch, _FAR) if outwards is not None else _FAR,
        min(sheet.fonts[word.font.name] for line in row.lines for word in line.words) / sheet.letters,
        sum(line.length for line in row.lines),
        any(is_label(line.text) for line in row.lines),
        bool(_NUMBER_FIRST.match(text)),
        bool(_NUMBER_LAST.search(text)),
        min(min(values, default=-1), _HIGHEST),
        bool(_ADDRESS.search(text)),
        bool(_DATE.search(text)),
        len(rules),
        max(rules, default=0) / page.width,
        *_of_following(row, beyond, sheet),
        len(sheet.long),
        len(page.lines),
        sum(len(word.text) for line in beyond for word in line.words) / sheet.letters,
        any(is_label(line.text) for line in other[0].lines) if other else 0,
        len(other),
        sheet.bold,
        sheet.size,
        page.width / max(page.height, 1),
        page.height,
    ]


def _rules_inwards(row: Row, sheet: _Sheet) -> list[float]:
    """Return the lengths of the level rules right behind a row, as seen from the edge of the page."""
    box = row.box
    return [
        right - left
        for left, right, y in row.page.horizontals
        if -sheet.size < (y - box.bottom if row.upper else box.top - y) < 2 * sheet.pitch
    ]


def _of_line(row: Row, line: Line, piece: int, sheet: _Sheet) -> list[float]:
    page, text = row.page, line.text
    letters = [character for character in text if character.isalpha()]
    signs = sum(not character.isspace() for character in text) or 1
    edge = line.top if row.upper else page.height - line.bottom
    others = [other for other in page.lines if other is not line]
    return [
        edge / page.height,
        line.left / page.width,
        line.right / page.width,
        line.middle_x / page.width,
        line.width / page.width,
        piece,
        line.size / sheet.size,
        line.bold,
        sheet.fonts[line.words[0].font.name] / sheet.letters,
        sum(map(str.isupper, letters)) / len(letters) if letters else -1,
        line.length,
        line.length / max(sum(other.length for other in row.lines), 1),
        len(line.words),
        sum(map(str.isdigit, text)) / signs,
        len(letters) / signs,
        max(map(len, text.split()), default=0),
        bool(GOES_ON.match(text)),
        _ENDS.get(text[-1:], 6 if text[-1:].isdigit() else 0),
        bool(PARAGRAPH_END.search(text)),
        bool(CAPTION.match(text)),
        bool(BULLET.match(text)),
        line.words[0].raised,
        (line.left - sheet.left) / page.width,
        (line.right - sheet.right) / page.width,
        abs(line.left + line.right - sheet.left - sheet.right) / 2 / page.width,
        sum(abs(other.right - line.right) < _COLUMN and other.text[-1:].isdigit() for other in others),
        sheet.looks[_look(line)] / max(len(page.lines), 1),
        sum(abs(other.left - line.left) < _COLUMN and other.length < _LONG for other in others),
        sheet.smallest / line.size,
    ]


def _is_inwards(row: Row, line: Line) -> bool:
    return line.top > row.box.bottom - 1 if row.upper else line.bottom < row.box.top + 1


def height_of(row: Row) -> int:
    """Return the height of a row on its page in steps of ``_STEP``."""
    return round((row.box.bottom if row.upper else row.box.top) / _STEP)


def _look(line: Line) -> tuple[int, bool]:
    return round(2 * line.size), line.bold > 0.5  # fmt: skip
