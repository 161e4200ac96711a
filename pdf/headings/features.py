"""What is measured of a block to weigh whether it is a heading: its type, shape, place, number and neighbours.

Everything is taken from the pages alone. Sizes are counted in those of the running text, so that they mean the same
in every document, and what a style is used for in the whole document counts as much as what a block looks like.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from ragraph.pdf.blocks.looks import Look, letter_count, printed, scheme_of
from ragraph.pdf.model import Kind
from ragraph.pdf.patterns import (
    CONTENTS_TITLE,
    NO_TITLE,
    NO_TITLE_START,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from ragraph.pdf.model import Block, Page, Style

_LONGEST = 240
"""Characters of a heading at most."""
_MOST_LINES = 5
_AT_ONCE = 64
"""Blocks compared with all others of their page at once: a page of 20,000 would fill gigabytes."""
_FAR = 20.0
"""Distance, in lines of the running text, of what is not there."""
_NUMBER = re.compile(r"^\W{0,2}(?:[^\W\d_]+\s+)?([0-9]{1,3}(?:\.[0-9]{1,3})*)(?=[\s.:)–—-]|$)")
"""The number at the beginning of a text, a word in front of it or not."""
_PAIRED = re.compile(r"\d+")
_STOP = re.compile(r"[.;:!?]\s")
"""The end of a sentence, or of a part of one, within a text."""
_SHORT = 200
"""Characters up to which texts are compared with those of other pages."""
_ENDS = {".": 1, ":": 2, ",": 3, ";": 3, "?": 4, "!": 4, "-": 5, "–": 5, "—": 5}
_SCHEMES = ("none", "decimal1", "decimal2", "decimal3", "ROMAN", "LETTER", "letter", "roman", "named")
_KINDS = {Kind.TEXT: 1, Kind.TITLE: 2, Kind.LIST_ITEM: 3, Kind.TABLE: 4, Kind.FIGURE: 5, Kind.CAPTION: 6}
_NEIGHBOUR = ("kind", "size", "bold", "lines", "length", "gap", "shift", "like", "heads")
NAMES = (
    *("size", "bold", "italic", "capitals", "mono", "lines", "length", "words", "width", "height"),
    *(
        "scheme",
        "contents title",
        "no title",
        "end",
        "first",
        "titled",
        "letters",
        "digits",
        "longest word",
        "commas",
        "stops",
    ),
    *("left", "centre", "right", "top", "from bottom", "in page", "page share", "from first", "page number"),
    *("gap above", "gap below", "gap ratio", "left below", "left above", "beside left", "beside right", "near right"),
    *("look letters", "look blocks", "look short", "look lines", "look pages", "look rank", "larger letters"),
    *("font", "page letters", "page blocks", "page running", "page look", "page largest", "page second", "aspect"),
    *("pages", "document running", "graphics", "repeated", "listed", "entries", "series"),
    *("number before", "number after", "number above", "number again", "number value", "scheme look", "scheme short"),
    *("body bold", "document looks", "rule above", "rule below"),
    *(f"before {name}" for name in _NEIGHBOUR),
    *(f"after {name}" for name in _NEIGHBOUR),
    *(f"second after {name}" for name in _NEIGHBOUR),
)
"""What the columns of the features are."""


class _Text:
    """What is measured of the words of a block alone."""

    __slots__ = ("number", "scheme", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        scheme = scheme_of(text)
        self.scheme = scheme if scheme in _SCHEMES else "named" if scheme.startswith("named") else "decimal3"
        match = _NUMBER.match(text)
        self.number = tuple(int(part) for part in match[1].split(".")) if match else ()

    def measure(self) -> list[float]:
        """Return what is measured of the words."""
        text = self.text
        words = text.split()
        long = [word for word in words if len(word) > 3 and word[0].isalpha()]
        first = next((character for character in text if character.isalnum()), "")
        end = text[-1:]
        return [
            _SCHEMES.index(self.scheme),
            bool(CONTENTS_TITLE.match(text)),
            bool(NO_TITLE.search(text)) + 2 * bool(NO_TITLE_START.match(text)),
            _ENDS.get(end, 6 if end.isdigit() else 0),
            0 if not first else 1 if first.islower() else 2 if first.isdigit() else 3,
            sum(word[0].isupper() for word in long) / len(long) if long else 0.5,
            letter_count(text) / max(len(text), 1),
            sum(character.isdigit() for character in text) / max(len(text), 1),
            max((letter_count(word) for word in words), default=0),
            min(text.count(","), 9),
            min(len(_STOP.findall(text)), 9),
        ]


def may_be(block: Block) -> bool:
    """Return True if a block is short enough for a heading."""
    return 0 < block.length <= _LONGEST and len(block.lines) <= _MOST_LINES


def measure(
    pages: Sequence[Page],
    style: Style,
    looks: Mapping[int, Look],
    listed: AbstractSet[int],
    entries: int,
    series: Mapping[int, int],
) -> tuple[list[Block], NDArray[np.float32]]:
    """Return the blocks that may be headings, and a row of ``NAMES`` for each.

    Args:
        pages: with blocks in reading order.
        style: the running style of the document.
        looks: of the blocks that are open, by ``id``; these are measured.
        listed: ids of the blocks that the contents pages name.
        entries: how many entries the contents pages have.
        series: words of the titles of numbered series, by ``id`` (``headings.series``).
    """
    known: dict[int, _Text] = {}
    whole = _Document(pages, style, looks)
    rows: list[list[float]] = []
    found: list[Block] = []
    for page in pages:
        for block in page.blocks:
            if id(block) in looks:
                known[id(block)] = _Text(printed(block)[:300])
    whole.count_numbers(pages, known)
    for page in pages:
        around = _Page(page, style, looks)
        for index, block in enumerate(page.blocks):
            if id(block) not in looks or not may_be(block):
                continue
            found.append(block)
            rows.append(
                [
                    *_own(block, looks[id(block)], style),
                    *known[id(block)].measure(),
                    *around.place(index),
                    page.number / len(pages),
                    min(page.number - pages[0].number, 5),
                    page.number % 2,
                    *around.room(index),
                    *whole.style_of(block),
                    *around.of_page(index),
                    min(len(pages), 200),
                    whole.running,
                    around.graphics,
                    whole.repeated(block),
                    id(block) in listed,
                    min(entries, 60),
                    series.get(id(block), 0) / max(sum(len(line.words) for line in block.lines), 1),
                    *whole.numbers_of(block, known[id(block)]),
                    style.bold,
                    min(len(whole.letters), 40),
                    *around.rules(index),
                    *around.neighbour(index, -1),
                    *around.neighbour(index, 1),
                    *around.neighbour(index, 2),
                ]
            )
    return found, np.array(rows, dtype=np.float32).reshape(len(rows), len(NAMES))


def _own(block: Block, look: Look, style: Style) -> list[float]:
    return [
        look.size / style.size,
        block.mean("bold"),
        block.mean("italic"),
        look.capitals,
        block.mean("mono"),
        len(block.lines),
        min(block.length, 600),
        min(sum(len(line.words) for line in block.lines), 100),
        block.width / style.size,
        block.height / style.size,
    ]


class _Document:
    """What the styles and numbers of a whole document are used for."""

    def __init__(self, pages: Sequence[Page], style: Style, looks: Mapping[int, Look]) -> None:
        self.style, self.looks = style, looks
        self.letters: Counter[Look] = Counter()
        self.blocks: Counter[Look] = Counter()
        self.short: Counter[Look] = Counter()
        self.lines: Counter[Look] = Counter()
        self.on: dict[Look, set[int]] = defaultdict(set)
        self.said: dict[str, set[int]] = defaultdict(set)
        fonts: Counter[str] = Counter()
        long = 0
        for page in pages:
            for block in page.blocks:
                look = looks.get(id(block))
                if look is None:
                    continue
                self.letters[look] += block.length
                self.blocks[look] += 1
                self.short[look] += block.length < 100 and len(block.lines) <= 2
                self.lines[look] += len(block.lines)
                self.on[look].add(page.number)
                long += block.length if len(block.lines) > 2 else 0
                if block.length < _SHORT:
                    self.said[_said(block)].add(page.number)
                for line in block.lines:
                    fonts[line.words[0].font.name] += line.length
        self.pages = len(pages)
        self.total = max(self.letters.total(), 1)
        self.running = long / self.total
        self.font = fonts.most_common(1)[0][0] if fonts else ""
        sizes: Counter[float] = Counter()
        for look, count in self.letters.items():
            sizes[look.size] += count
        self.larger = {size: sum(count for other, count in sizes.items() if other > size) for size in sizes}
        self.rank = {size: rank for rank, size in enumerate(sorted(sizes, reverse=True))}

    def style_of(self, block: Block) -> list[float]:
        look = self.looks[id(block)]
        blocks = self.blocks[look]
        return [
            self.letters[look] / self.total,
            min(blocks, 200),
            self.short[look] / blocks,
            self.lines[look] / blocks,
            len(self.on[look]) / self.pages,
            self.rank[look.size],
            self.larger[look.size] / self.total,
            block.lines[0].words[0].font.name == self.font,
        ]

    def repeated(self, block: Block) -> float:
        return min(len(self.said.get(_said(block), ())) if block.length < _SHORT else 1, 20)

    def count_numbers(self, pages: Sequence[Page], known: dict[int, _Text]) -> None:
        """Count the numbers that blocks begin with."""
        self.number: Counter[tuple[int, ...]] = Counter()
        self.scheme: Counter[str] = Counter()
        self.scheme_look: Counter[tuple[str, Look]] = Counter()
        self.scheme_short: Counter[str] = Counter()
        for page in pages:
            for block in page.blocks:
                text = known.get(id(block))
                if text is None:
                    continue
                if text.number:
                    self.number[text.number] += 1
                self.scheme[text.scheme] += 1
                self.scheme_look[text.scheme, self.looks[id(block)]] += 1
                self.scheme_short[text.scheme] += block.length < 120

    def numbers_of(self, block: Block, text: _Text) -> list[float]:
        number = text.number
        many = self.scheme[text.scheme]
        of_scheme = [self.scheme_look[text.scheme, self.looks[id(block)]] / many, self.scheme_short[text.scheme] / many]
        if not number:
            return [-1, -1, -1, 0, -1, *of_scheme]
        *upper, last = number
        return [
            (*upper, last - 1) in self.number,
            (*upper, last + 1) in self.number,
            tuple(upper) in self.number if upper else -1,
            min(self.number[number], 20),
            min(last, 100),
            *of_scheme,
        ]


class _Page:
    """Where the blocks of a page stand to one another."""

    def __init__(self, page: Page, style: Style, looks: Mapping[int, Look]) -> None:
        self.page, self.style, self.looks = page, style, looks
        blocks = page.blocks
        self.boxes = np.array([block.box for block in blocks], dtype=np.float64).reshape(len(blocks), 4)
        self.above, self.below, self.beside_left, self.beside_right = np.zeros((4, len(blocks)), dtype=int)
        self.gap_above, self.gap_below, self.near_right = np.zeros((3, len(blocks)))
        for first in range(0, len(blocks), _AT_ONCE):
            self._neighbours(slice(first, first + _AT_ONCE))
        self._count(blocks)

    def _neighbours(self, part: slice) -> None:
        """Set the neighbours of some of the blocks."""
        left, top, right, bottom = self.boxes.T
        own_left, own_top, own_right, own_bottom = self.boxes[part].T[:, :, None]
        beside = (np.minimum(own_right, right) - np.maximum(own_left, left)) <= 0.5
        level = (np.minimum(own_bottom, bottom) - np.maximum(own_top, top)) > 0.4 * np.minimum(
            own_bottom - own_top, bottom - top
        )
        same = np.arange(len(self.boxes))[part, None] == np.arange(len(self.boxes))
        middle = (top + bottom) / 2
        far = _FAR * self.style.pitch
        distance = np.where(~beside & ~same & (middle < own_top + 1), own_top - bottom, np.inf)
        self.above[part], self.gap_above[part] = distance.argmin(axis=1), np.minimum(distance.min(axis=1), far)
        distance = np.where(~beside & ~same & (middle > own_bottom - 1), top - own_bottom, np.inf)
        self.below[part], self.gap_below[part] = distance.argmin(axis=1), np.minimum(distance.min(axis=1), far)
        sides = beside & level & ~same
        self.beside_left[part] = (sides & (right <= own_left + 1)).sum(axis=1)
        rightwards = sides & (left >= own_right - 1)
        self.beside_right[part] = rightwards.sum(axis=1)
        near = np.where(rightwards, left - own_right, np.inf)
        self.near_right[part] = np.minimum(near.min(axis=1), far)

    def _count(self, blocks: Sequence[Block]) -> None:
        running = [block for block in blocks if len(block.lines) > 2 and block.kind is Kind.TEXT]
        wide = running or blocks
        self.left = min((block.left for block in wide), default=0.0)
        self.right = max((block.right for block in wide), default=self.page.width)
        self.letters = sum(block.length for block in blocks)
        self.running = sum(block.length for block in running) / max(self.letters, 1)
        self.look = Counter(self.looks[id(block)] for block in blocks if id(block) in self.looks)
        sizes = sorted({look.size for look in self.look}, reverse=True)
        self.largest = sizes[0] if sizes else self.style.size
        self.second = sizes[1] if len(sizes) > 1 else self.largest
        self.graphics = min(sum(block.kind in {Kind.FIGURE, Kind.TABLE} for block in blocks), 20)

    def place(self, index: int) -> list[float]:
        left, top, right, bottom = self.boxes[index]
        wide = max(self.right - self.left, 1.0)
        return [
            (left - self.left) / wide,
            ((left + right) - (self.left + self.right)) / 2 / wide,
            (self.right - right) / wide,
            top / self.page.height,
            1 - bottom / self.page.height,
            index / max(len(self.boxes) - 1, 1),
        ]

    def room(self, index: int) -> list[float]:
        pitch = self.style.pitch
        above, below = float(self.gap_above[index]), float(self.gap_below[index])
        left = self.boxes[index, 0]
        has_below, has_above = below < _FAR * pitch, above < _FAR * pitch
        return [
            above / pitch,
            below / pitch,
            (above + 1) / (max(below, 0) + 1 + 1e-6) if above > -1 else 0.0,
            (self.boxes[self.below[index], 0] - left) / self.style.size if has_below else 99.0,
            (self.boxes[self.above[index], 0] - left) / self.style.size if has_above else 99.0,
            min(self.beside_left[index], 9),
            min(self.beside_right[index], 9),
            float(self.near_right[index]) / pitch,
        ]

    def of_page(self, index: int) -> list[float]:
        look = self.looks[id(self.page.blocks[index])]
        return [
            min(self.letters, 6000),
            min(len(self.boxes), 200),
            self.running,
            min(self.look[look], 50),
            look.size / self.largest,
            look.size / self.second,
            self.page.width / max(self.page.height, 1.0),
        ]

    def rules(self, index: int) -> list[float]:
        """Return the distances to the next rule above and below that is at least half as wide as the block."""
        left, top, right, bottom = self.boxes[index]
        reach = 3 * self.style.pitch
        above = below = reach
        for start, end, height in self.page.horizontals:
            if min(end, right) - max(start, left) > 0.5 * (right - left):
                if height <= top + 2:
                    above = min(above, top - height)
                elif height >= bottom - 2:
                    below = min(below, height - bottom)
        return [above / self.style.pitch, below / self.style.pitch]

    def neighbour(self, index: int, step: int) -> list[float]:
        """Return what is measured of the block before or after another in reading order."""
        at = index + step
        if not 0 <= at < len(self.boxes):
            return [0, 0, 0, 0, 0, _FAR, 99, 0, 0]
        block, other = self.page.blocks[index], self.page.blocks[at]
        look, mine = self.looks.get(id(other)), self.looks[id(block)]
        gap = other.top - block.bottom if step > 0 else block.top - other.bottom
        return [
            _KINDS.get(other.kind, 7),
            (look.size if look else other.size) / mine.size if other.lines and mine.size else 0,
            other.mean("bold") if other.lines else 0,
            min(len(other.lines), 20),
            min(other.length, 600) if other.lines else 0,
            max(min(gap / self.style.pitch, _FAR), -_FAR),
            max(min((other.left - block.left) / self.style.size, 99.0), -99.0),
            look is not None and look.resembles(mine),
            other.length < 100 and len(other.lines) <= 2,
        ]


def _said(block: Block) -> str:
    return _PAIRED.sub("#", "".join(printed(block).lower().split()))
