"""The plain data that the PDF reader works on: words, lines, blocks and pages; points, origin top left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ragraph.pdf.boxes import Box as Box
from ragraph.pdf.boxes import Sided as Sided
from ragraph.pdf.boxes import Turn as Turn
from ragraph.pdf.boxes import around as around
from ragraph.pdf.boxes import distinct as distinct
from ragraph.pdf.boxes import gaps_in as gaps_in
from ragraph.pdf.boxes import in_runs as in_runs
from ragraph.pdf.boxes import joined as joined
from ragraph.pdf.boxes import outermost as outermost
from ragraph.pdf.boxes import shared_height as shared_height
from ragraph.pdf.boxes import shared_width as shared_width
from ragraph.pdf.patterns import BOLD_FONT, ITALIC_FONT, MATH_FONT, MONO_FONT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OTHER_SIZE, _OTHER_FOOT = 0.14, 0.3
"""Differences in size and in the height of the foot, in sizes of type, that the figures of one number do not have."""

_Item = TypeVar("_Item", "Line", "Word", "Block")


class Font(NamedTuple):
    """What the name of a font tells: family and style."""

    name: str
    bold: bool
    italic: bool
    mono: bool
    math: bool


class Letter(NamedTuple):
    """A letter as printed: its text, of ligatures several characters, and its box."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


class Word(Sided):
    """A word as printed: its box, text, font, size in points, whether it stands raised and small, or underlined.

    ``unpainted`` is a word whose letters the file says are not to be drawn, as those of a scan's text are; ``led`` one
    with a blank of the file in front of it.
    """

    __slots__ = ("bottom", "font", "led", "left", "raised", "right", "size", "text", "top", "underlined", "unpainted")

    def __init__(self, left: float, top: float, right: float, bottom: float, text: str, font: Font) -> None:
        self.left, self.top, self.right, self.bottom = left, top, right, bottom
        self.text, self.font = text, font
        self.size = bottom - top
        self.raised = self.underlined = self.unpainted = self.led = False

    @property
    def box(self) -> Box:
        """The box around the word."""
        return Box(self.left, self.top, self.right, self.bottom)


class Line(Sided):
    """Words side by side on one baseline, left to right; sizes and styles are those of most characters.

    ``bulleted`` says whether a bullet is drawn in front of it. ``rescued`` says that the rules took it for a running
    head or foot, and that learnt weights alone made it text.
    """

    __slots__ = (
        *("bold", "bottom", "italic", "left", "length", "math", "mono", "right", "size", "text", "top", "underlined"),
        *("bulleted", "rescued", "words"),
    )

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.bulleted = self.rescued = False
        self.left = min(word.left for word in words)
        self.right = max(word.right for word in words)
        plain = [word for word in words if not word.raised] or words
        self.top = min(word.top for word in plain)
        self.bottom = max(word.bottom for word in plain)
        length = bold = italic = mono = math = underlined = 0
        sizes: dict[float, int] = {}
        for word in plain:
            count, font = len(word.text), word.font
            length += count
            sizes[word.size] = sizes.get(word.size, 0) + count
            bold += count * font.bold
            italic += count * font.italic
            mono += count * font.mono
            math += count * font.math
            underlined += count * word.underlined
        self.length = length or 1
        self.size = max(sizes.items(), key=lambda item: (item[1], item[0]))[0]
        self.bold, self.italic = bold / self.length, italic / self.length
        self.mono, self.math = mono / self.length, math / self.length
        self.underlined = underlined / self.length
        self.text = line_text(words)

    @property
    def box(self) -> Box:
        """The box around the line."""
        return Box(self.left, self.top, self.right, self.bottom)


class Kind(StrEnum):
    """What a block is."""

    TEXT = "text"
    HEADING = "heading"
    TITLE = "title"
    LIST_ITEM = "list item"
    CAPTION = "caption"
    NOTE = "note"
    TABLE = "table"
    FIGURE = "figure"
    FORMULA = "formula"
    CODE = "code"
    ENTRY = "bibliographic entry"
    CONTENTS = "contents"
    SIDE = "side note"
    HEADER = "header"
    FOOTER = "footer"
    PAGE_NUMBER = "page number"


@dataclass(frozen=True)
class Region:
    """A stated part of a page.

    Attributes:
        page: number of the page, from 1.
        box: in points, origin top left.
        kind: what it is.
        level: of a heading, from 1, if stated.
        order: place in the stated reading order of the document, if there is one. Regions of one order on several
            columns or pages are parts of one element.
        description: of a figure or table in words, if stated.
        grid: of a table, its cells, if they are stated.
    """

    page: int
    box: Box
    kind: Kind
    level: int | None = None
    order: int | None = None
    description: str | None = None
    grid: Grid | None = field(default=None, compare=False, repr=False)


class Comment(NamedTuple):
    """What a reader wrote on a page.

    ``kind`` is that of the mark that it is written to ("note", "highlight"); ``author`` is empty if it is not stated.
    """

    kind: str
    text: str
    author: str
    box: Box


class Sighting(NamedTuple):
    """What a layout model whose boxes are loose sees on a page: a vote, where a ``Region`` is a decision.

    Attributes:
        kind: what it takes it for.
        score: how sure it is, from 0 to 1.
        box: in points, origin top left.
    """

    kind: Kind
    score: float
    box: Box


@dataclass
class Grid:
    """The cells of a table.

    Attributes:
        rows: number of rows.
        bounds: edges of the columns from left to right, one more than columns.
        words: the words of a cell by row and column, line by line.
        spans: rows and columns that a cell covers, by its place, where that is more than one.
        header_rows: number of rows at the top that name the columns.
        tails: the words of a cell that stand on the next page.
        doubts: cells whose values are under another column.
    """

    rows: int
    bounds: list[float]
    words: dict[tuple[int, int], list[Word]] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    header_rows: int = 0
    tails: dict[tuple[int, int], list[Word]] = field(default_factory=dict)
    doubts: list[tuple[int, int]] = field(default_factory=list)

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.bounds) - 1

    @property
    def filled(self) -> float:
        """Share of the places that hold text or lie under a spanning cell."""
        covered = sum(high * wide - 1 for high, wide in self.spans.values())
        return (len(self.words) + covered) / max(self.rows * self.columns, 1)

    def texts(self) -> list[list[str]]:
        """Return the full grid of texts; the text of a spanning cell stands at its first place."""
        return [[" ".join(line.text for line in self.lines(row, column)) for column in range(self.columns)]
                for row in range(self.rows)]  # fmt: skip

    def lines(self, row: int, column: int) -> list[Line]:
        """Return the lines of a cell in reading order."""
        place = (row, column)
        return [*cell_lines(self.words.get(place, [])), *cell_lines(self.tails.get(place, []))]

    def trimmed(self) -> Grid:
        """Return the grid without rows and columns in which no cell begins."""
        rows = sorted({row for row, _ in self.words})
        columns = sorted({column for _, column in self.words})
        if len(rows) == self.rows and len(columns) == self.columns:
            return self
        down = {row: index for index, row in enumerate(rows)}
        right = {column: index for index, column in enumerate(columns)}
        spans = {}
        for (row, column), (high, wide) in self.spans.items():
            if (row, column) in self.words:
                size = (sum(row <= at < row + high for at in rows), sum(column <= at < column + wide for at in columns))
                if size != (1, 1):
                    spans[down[row], right[column]] = size
        bounds = [self.bounds[column] for column in columns] + [self.bounds[columns[-1] + 1] if columns else 0.0]
        words = {(down[row], right[column]): found for (row, column), found in self.words.items()}
        heads = sum(row < self.header_rows for row in rows)
        return Grid(len(rows), bounds, words, spans, heads)


@dataclass
class Block(Sided):
    """Lines that belong together, on one or, after joining, on several pages.

    Attributes:
        page: number of the page of the first line, from 1.
        lines: in reading order; of a joined block all of them.
        parts: pages and boxes, one per page and column.
        level: of a heading, from 1.
        grid: of a table, its cells.
        marker: of a note, list item or entry, as printed; of a title the sign in front of it.
        region: what the file's tags or a layout model say of it.
        frame: of a side box, around its blocks.
        claims: of a heading, what speaks for it, with the level it says, if any: "outline", "tags", "contents",
            "numbering", "type", "layout" (a model that votes); of a table the last alone.
        odds: log-odds that it is a heading; None where that was not weighed.
        rest: of what may be a heading and begins a paragraph, the remainder of that; they are one if it is none.
        comment: of a note that a reader wrote on the page, what the file has of it.
        about: of such a note, the block that it is written on.
        goes_on: the paragraph whose sentence it goes on with, if what stands between is told to be an aside.
        signs: of a table, that it may be read wrong (``doubts.signs``).
        doubt: of a table, how likely a reader would find a fault in it, from 0 to 1.
    """

    page: int
    lines: list[Line]
    kind: Kind = Kind.TEXT
    parts: list[tuple[int, Box]] = field(default_factory=list)
    level: int | None = None
    grid: Grid | None = None
    marker: str | None = None
    caption: Block | None = None
    group: str | None = None
    region: Region | None = None
    frame: Box | None = None
    claims: dict[str, int | None] = field(default_factory=dict)
    odds: float | None = None
    rest: Block | None = None
    comment: Comment | None = None
    about: Block | None = None
    goes_on: Block | None = None
    signs: list[float] = field(default_factory=list)
    doubt: float | None = None

    def __post_init__(self) -> None:
        if not self.parts and self.lines:
            self.parts = [(self.page, around(self.lines))]

    @property
    def box(self) -> Box:
        """The box of the first part."""
        return self.parts[0][1]

    @property
    def left(self) -> float:
        """Left edge of the first part."""
        return self.parts[0][1].left

    @property
    def top(self) -> float:
        """Upper edge of the first part."""
        return self.parts[0][1].top

    @property
    def right(self) -> float:
        """Right edge of the first part."""
        return self.parts[0][1].right

    @property
    def bottom(self) -> float:
        """Lower edge of the first part."""
        return self.parts[0][1].bottom

    @property
    def text(self) -> str:
        """The lines with blanks between them, as they are printed."""
        return " ".join(line.text for line in self.lines)

    @property
    def length(self) -> int:
        """Number of characters."""
        return sum(line.length for line in self.lines)

    def cut(self, starts: Sequence[int]) -> list[Block]:
        """Return the block as several that begin with these of its lines, of which 0 is the first; itself if one."""
        if len(starts) < 2:
            return [self]
        places = pairwise([*starts, len(self.lines)])
        return [Block(self.page, self.lines[start:end], region=self.region) for start, end in places]

    def mean(self, name: str) -> float:
        """Return the mean of a property of the lines, weighted by their length."""
        return float(sum(getattr(line, name) * line.length for line in self.lines)) / max(self.length, 1)

    @property
    def size(self) -> float:
        """Mean size of the type in points."""
        return self.mean("size")


@dataclass
class Page:
    """A page: what is printed on it, and what the passes have found so far.

    Attributes:
        number: from 1.
        width: in points.
        height: in points.
        words: as printed, level ones.
        sideways: words that run up or down the page.
        slanted: texts that run at a slant, until they are told apart; each is one word, with blanks.
        horizontals: level rules: left and right end, distance from the top.
        verticals: upright rules: upper and lower end, distance from the left.
        images: boxes of bitmaps.
        drawings: boxes of drawn shapes; those that touch are one.
        spots: boxes of little shapes, each by itself.
        striped: boxes of tables with stripes behind their rows, each around its stripes.
        frames: boxes of frames and shaded grounds.
        fields: boxes of the fields of a form that are filled in, and of text that somebody typed onto the page.
        comments: what readers wrote on it.
        lines: the words in lines, without furniture once it is taken out.
        free: lines that no block has taken yet.
        furniture: running heads and feet, page numbers.
        blocks: in reading order, once that is set.
        regions: what is stated of the page.
        seen: what a layout model sees on it that votes, the surest first.
        letters: of pages with words from right to left, until these are set in order.
        turn: the way back to the page of the file, if the page was set upright, or turned, for reading.
        upside_down: whether the page stands on its head, as most letters say.
        gutter: distance from the left of the white strip between two columns of text; None if there is none.
        folds: distances from the left at which a leaflet is folded, so that each panel is a page of its own.
        directed: whether words stand from left to right in the order in which they are read, whatever their script.
        failed: whether the page could not be read.
        restored: number of words that PDFium reads otherwise than the parser, and that were given its letters.
        edges: what learnt weights say of the lines that rules take for running heads and feet, in log-odds.
        signs: that what was read of the page may be wrong (``doubts.signs``).
        doubt: how likely a reader would find a fault in what was read of the page, from 0 to 1.
    """

    number: int
    width: float
    height: float
    words: list[Word] = field(default_factory=list)
    sideways: list[Word] = field(default_factory=list)
    slanted: list[Word] = field(default_factory=list)
    horizontals: list[tuple[float, float, float]] = field(default_factory=list)
    verticals: list[tuple[float, float, float]] = field(default_factory=list)
    images: list[Box] = field(default_factory=list)
    drawings: list[Box] = field(default_factory=list)
    spots: list[Box] = field(default_factory=list)
    striped: list[Box] = field(default_factory=list)
    frames: list[Box] = field(default_factory=list)
    fields: list[Box] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    free: list[Line] = field(default_factory=list)
    furniture: list[Block] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    seen: list[Sighting] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    turn: Turn | None = None
    upside_down: bool = False
    gutter: float | None = None
    folds: list[float] = field(default_factory=list)
    directed: bool = False
    failed: bool = False
    restored: int = 0
    edges: list[float] = field(default_factory=list)
    signs: list[float] = field(default_factory=list)
    doubt: float | None = None

    def lies_on(self, sheet: Any) -> bool:
        """Return True if places on the page are those of the file, but for the origin: no cropping, no turn.

        Args:
            sheet: the page, opened by pypdfium2.
        """
        left, bottom, right, top = sheet.get_bbox()
        turned = self.turn is not None or bool(sheet.get_rotation())
        return not turned and all(abs(end) <= 1 for end in (left, bottom, right - self.width, top - self.height))

    def drop(self, *blocks: Block) -> None:
        """Take blocks, which another has taken in, out of the page; equal ones that are others stay."""
        dropped = {id(block) for block in blocks}
        self.blocks = [block for block in self.blocks if id(block) not in dropped]

    def place_of(self, block: Block) -> int:
        """Return the place of a block among those of the page."""
        return next(place for place, other in enumerate(self.blocks) if other is block)

    def replace(self, block: Block, parts: Iterable[Block]) -> None:
        """Put blocks in the place of one."""
        place = self.place_of(block)
        self.blocks[place : place + 1] = parts

    def append(self, block: Block, rest: Block) -> None:
        """Let a block, of this page or of another, go on in one of this page, which it takes in."""
        block.lines += rest.lines
        block.parts += rest.parts
        self.drop(rest)

    def unite(self, block: Block, other: Block, lines: Sequence[Line]) -> None:
        """Make one block, with one box and such lines, of two of the page; it takes the other in."""
        block.lines = [*lines]
        block.parts = [(self.number, block.box.union(other.box))]
        self.drop(other)

    def take(self, blocks: Iterable[Block]) -> None:
        """Take the lines of blocks out of the free ones."""
        taken = {id(line) for block in blocks for line in block.lines}
        self.free = [line for line in self.free if id(line) not in taken]


@dataclass(frozen=True)
class Style:
    """The usual type of a document's running text: size in points, weight, distance of baselines, typewriter or not."""

    size: float
    bold: bool
    pitch: float
    mono: bool = False


def font_of(name: str) -> Font:
    """Read family and style out of the name of a font, for example ``/ABCDEF+Times-BoldItalic``."""
    base = name.lstrip("/").split("+")[-1]
    return Font(
        base,
        bool(BOLD_FONT.search(base)),
        bool(ITALIC_FONT.search(base)),
        bool(MONO_FONT.search(base)),
        bool(MATH_FONT.search(base)),
    )


def by_panel(items: Iterable[_Item], folds: Sequence[float]) -> list[list[_Item]]:
    """Return what stands in each panel of a sheet with such folds, by its middle; panels from left to right."""
    panels: list[list[_Item]] = [[] for _ in range(len(folds) + 1)]
    for item in items:
        panels[sum((item.left + item.right) / 2 > fold for fold in folds)].append(item)
    return panels


def line_text(words: Sequence[Word]) -> str:
    """Return words as text: a blank where the page has a gap."""
    parts = [words[0].text]
    before = words[0]
    for word in words[1:]:
        if spaced(before, word):
            parts.append(" ")
        parts.append(word.text)
        before = word
    return "".join(parts)


def cell_lines(words: Sequence[Word]) -> list[Line]:
    """Return the lines of a cell, top to bottom."""
    if not words:
        return []
    # that of most letters: by one large sign, lines that stand close would become one
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    size = max(sizes.items(), key=lambda item: (item[1], item[0]))[0]
    return [Line(sorted(row, key=lambda word: word.left)) for row in text_rows(words, size)]


def text_rows(words: Iterable[Word], size: float) -> list[list[Word]]:
    """Return words in rows of text, top to bottom; raised and lowered ones with the words they stand beside."""
    ordered = sorted(words, key=lambda word: word.top + word.bottom)
    return in_runs(ordered, lambda row, word: word.middle_y - row[0].middle_y < 0.5 * size)


def level_rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Return lines in rows, top to bottom, of those that share half the height of one; each from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        row = next((row for row in reversed(rows[-5:]) if _is_level(row[0], line)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _is_level(one: Line, other: Line) -> bool:
    return shared_height(one, other) > 0.5 * min(one.height, other.height)


def spaced(before: Word, word: Word) -> bool:
    """Return True if there is a blank between two words of a line.

    Figures of two heights are two numbers however close they stand: powers, fractions, marks of notes behind a year.
    """
    if before.text[-1:].isdigit() and word.text[:1].isdigit() and _of_two_heights(before, word):
        return True
    gap, back = word.left - before.right, before.left - word.right
    if back > gap:
        gap = back
    apart = before.raised != word.raised or (before.font is not word.font and not word.led)
    size = before.size if before.size > word.size else word.size
    return not -0.5 * word.size < gap < (0.12 if apart else 0.04) * size


def _of_two_heights(one: Word, other: Word) -> bool:
    size = max(one.size, other.size)
    return (
        one.raised != other.raised
        or abs(one.size - other.size) > _OTHER_SIZE * size
        or abs(one.bottom - other.bottom) > _OTHER_FOOT * size
    )
