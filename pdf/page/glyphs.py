"""Words of docling-parse looked at letter by letter: taken apart at raised marks and gaps, joined where set wide."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from ragraph.pdf.model import gaps_in
from ragraph.pdf.patterns import MATH_FONT, RUN_TOGETHER

if TYPE_CHECKING:
    from collections.abc import Sequence

_SYMBOLS = "∗†‡"
_RISE = 0.12
"""Share of the height by which feet of letters must differ to stand on another line."""

_STACKED = 0.25
"""Figures narrower than this share of their height stand over each other: a fraction."""
_SCRIPT = re.compile(r"\$([\^_])\{(.+?)\}")
"""How the parser hands out a glyph that its name calls raised or lowered ("two.sups")."""
_SCRIPT_HEIGHT = 0.65
"""Height of such a glyph, by that of its font."""
_BROAD = re.compile(r"[^\W\d_]{2}[MWmw][^\W\d_]|[^\W\d_][MW]|[a-z][A-Z]")
"""Words in which a blank may hide: the parser measures gaps by the letter behind them, and M and W are broad."""
_BLANK = 0.17
"""Minimum gap within such a word, by the height of its letters, at which it is a blank: in type set tight it is 0.2."""
_BLANK_LETTERS = 0.3
"""The same by the mean width of its letters, for fonts that misstate their height."""
_NARROW, _NARROW_LETTERS = 0.12, 0.15
"""The same two between letters that no broad one parts, where the others of a word touch: of lines set tight."""
_TOUCHING = 0.03
"""Gap, by the height of the letters, up to which letters touch."""
_BESIDE, _ALONE = 2, 0.18
"""Letters on each side of such a gap at least, since those of formulas stand alone; and gap, by their height, from
which on one is enough."""
_UNSPACED = re.compile(r"[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
"""Letters of scripts that part no words by blanks, and what stands among them."""
_TIGHT = 0.06
"""Gap, by the height of its letters, up to which letters stand together: those of words that are not set wide."""
_LETTERS = 2
"""Tight gaps for each blank in a word at least."""
_WIDE = 0.3
"""Gap between the letters of a word set wide at most, by their height."""
_EVEN = 0.04
"""Difference of such gaps from each other at most, by the height of the letters."""
_GAPS = 3
"""Minimum number of gaps between letters of a line that tell how it is set."""
_LEVEL = 0.1
"""Points by which the feet of letters on one line differ at most."""


class Piece(NamedTuple):
    """A part of a word: text, name of the font, and box in the frame of the parser (origin bottom left).

    ``led`` says that the file has a blank in front of it, ``unpainted`` that it is not to be drawn.
    """

    text: str
    font: str
    left: float
    low: float
    right: float
    high: float
    led: bool = False
    unpainted: bool = False


class Glyphs:
    """The letters of a page, looked at only where a word needs it."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder
        self._cells: list[Any] = []
        self._letters: dict[int, Piece] = {}
        self._starts: dict[int, list[int]] = defaultdict(list)
        self._blanks: set[str] = set()
        self._gapped: dict[int, list[float]] = {}
        self._height = 0.0

    def split(self, cell: Any, *, unpainted: bool = False) -> list[Piece]:
        """Return the pieces of a word of the parser that stand on different heights or apart; one, if it is whole.

        Figures over each other, as in a fraction, stay one piece, with a blank between.

        Args:
            cell: a level word cell of docling-parse.
            unpainted: whether its letters are not to be drawn.
        """
        text = cell.text
        whole = Piece(text, cell.font_name, cell.r_x0, cell.r_y0, cell.r_x2, cell.r_y2, unpainted=unpainted)
        height = abs(whole.high - whole.low)
        # A word twice as high as the one before may be the end of a line and the start of the next.
        tall = len(text) > 1 and height > 1.5 * self._height > 0
        self._height = height
        stacked = len(text) > 1 and text.isdigit() and abs(whole.right - whole.left) < _STACKED * len(text) * height
        script, broad = _SCRIPT.search(text), _BROAD.search(text)
        heights = tall or stacked or script or RUN_TOGETHER.search(text)
        gapped = len(text) > _LETTERS + 1 and self._is_gapped(whole)
        if not heights and not broad and not gapped:
            return [whole]
        letters = self._of(whole)
        blank = _blank(letters) if broad else math.inf
        if blank == math.inf and gapped:
            blank = _narrow_blank(letters)
        if not heights and blank == math.inf:
            return [whole]
        pieces = _pieces([*map(_raised, letters)] if script else letters, blank, heights=bool(heights))
        if stacked and len(pieces) > 1:
            return [whole._replace(text=" ".join(piece.text for piece in pieces))]
        if len(pieces) > 1:
            return [piece._replace(unpainted=True) for piece in pieces] if unpainted else pieces
        return [whole._replace(text=_SCRIPT.sub(r"\2", text))] if script else [whole]

    def joined(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces of a page with those joined that are one word set wide, and told where the file has blanks.

        In a font whose blanks are letters of the file, what has none between it and stands no further apart than the
        letters on its line is one word.
        """
        if not self._cells:
            self._read()
        if not self._blanks:
            return [*pieces]
        done: list[Piece] = []
        run: list[Piece] = []
        for piece in pieces:
            near = bool(run) and _follows(run[-1], piece)
            led = near and self._led(piece)
            if near and not led and piece.font == run[-1].font and piece.font in self._blanks:
                run.append(piece)
                continue
            done += self._run(run, pieces)
            run = [piece._replace(led=True) if led else piece]
        return done + self._run(run, pieces)

    def _run(self, run: list[Piece], pieces: Sequence[Piece]) -> list[Piece]:
        """Return pieces as one, if the gaps between them are those of the letters on their line."""
        if len(run) < 2:
            return run
        first = run[0]
        level = [piece for piece in pieces if piece.font == first.font and abs(piece.low - first.low) < _LEVEL]
        gaps = [gap for piece in level if len(piece.text) > 1 for gap in gaps_in(self._of(piece))]
        between = [pair for pair in pairwise(level) if _follows(*pair) and not self._led(pair[1])]
        gaps += [piece.left - last.right for last, piece in between]
        if len(gaps) < _GAPS:
            return run
        usual, height = median(gaps), first.high - first.low
        even = all(abs(gap - usual) < _EVEN * height for gap in gaps_in(run))
        return [_one(run)] if even and usual > _TIGHT * height else run

    def _led(self, piece: Piece) -> bool:
        """Return True if the file has a blank in front of a piece."""
        for start in self._starts.get(round(piece.left * 4), ()):
            letter = self._letter(start)
            if start and letter.low < piece.high and letter.high > piece.low and piece.text.startswith(letter.text):
                return bool(self._cells[start - 1].text.isspace())
        return False

    def _is_gapped(self, word: Piece) -> bool:
        """Return True if letters within a word stand as far apart as words may."""
        if not self._cells:
            self._read()
        edges = self._gapped.get(round(word.low * 4))
        if not edges:
            return False
        place = bisect_left(edges, word.left + word.high - word.low)
        return place < len(edges) and edges[place] < word.right

    def _of(self, word: Piece) -> list[Piece]:
        """Return the letters of a word, none if they cannot be found."""
        if not self._cells:
            self._read()
        for start in self._starts.get(round(word.left * 4), ()):
            first = self._letter(start)
            if first.low >= word.high or first.high <= word.low:
                continue  # a word at the same edge on another line
            letters: list[Piece] = []
            for place in range(start, min(start + len(word.text) + 2, len(self._cells))):
                letter = self._letter(place)
                letters.append(letter)
                # figures over each other end at one edge
                whole = not word.text.isdigit() or len(letters) >= len(word.text)
                if letter.right >= word.right - 0.2 and whole:
                    break
            if abs(letters[-1].right - word.right) < 0.3 and _alike(letters, word.text):
                return letters
        return []

    def _read(self) -> None:
        led, foot, right = True, 0.0, 0.0
        cells, starts = self._cells, self._starts
        for cell in self._decoder.get_char_cells():
            text = cell.text
            if not text:
                continue  # a glyph that stands for no character
            left, low = cell.r_x0, cell.r_y0
            starts[round(left * 4)].append(len(cells))
            cells.append(cell)
            blank = text.isspace()
            if blank:
                self._blanks.add(cell.font_name)
            elif not led and low == foot and left - right > _NARROW * (cell.r_y2 - low):
                self._gapped.setdefault(round(low * 4), []).append(left)
            led, foot, right = blank, low, cell.r_x2
        for edges in self._gapped.values():
            edges.sort()

    def _letter(self, place: int) -> Piece:
        """Return a letter by its place in the file; few of a page are asked for."""
        letter = self._letters.get(place)
        if letter is None:
            cell = self._cells[place]
            letter = Piece(cell.text, cell.font_name, cell.r_x0, cell.r_y0, cell.r_x2, cell.r_y2)
            self._letters[place] = letter
        return letter


def _one(pieces: Sequence[Piece]) -> Piece:
    first = pieces[0]
    return Piece(
        "".join(piece.text for piece in pieces),
        first.font,
        min(piece.left for piece in pieces),
        min(piece.low for piece in pieces),
        max(piece.right for piece in pieces),
        max(piece.high for piece in pieces),
        first.led,
        first.unpainted,
    )


def _follows(last: Piece, piece: Piece) -> bool:
    """Return True if a piece stands behind another on its line, with a gap no wider than between words."""
    height = max(last.high - last.low, piece.high - piece.low)
    level = min(last.high, piece.high) - max(last.low, piece.low) > 0.5 * height
    return level and 0 < piece.left - last.right < _WIDE * height


def _blank(letters: Sequence[Piece]) -> float:
    """Return the least gap between the letters of a word that is a blank; infinite if none is, as in type set wide."""
    if len(letters) < 2:
        return math.inf
    height = max(one.high - one.low for one in letters)
    least = max(_BLANK * height, _BLANK_LETTERS * sum(one.right - one.left for one in letters) / len(letters))
    gaps = gaps_in(letters)
    tight = sum(gap < _TIGHT * height for gap in gaps)
    blanks = sum(gap >= least for gap in gaps)
    return least if tight + blanks == len(gaps) and _LETTERS * blanks <= tight else math.inf


def _narrow_blank(letters: Sequence[Piece]) -> float:
    """Return the least gap that is a blank in letters that touch but for it, of a line set tight; infinite if none is.

    It stands between letters of words, of which scripts that have no blanks have none, and formulas single ones.
    """
    if len(letters) <= _LETTERS + 1 or MATH_FONT.search(letters[0].font):
        return math.inf
    height = max(one.high - one.low for one in letters)
    least = max(_NARROW * height, _NARROW_LETTERS * sum(one.right - one.left for one in letters) / len(letters))
    gaps = gaps_in(letters)
    blanks = [place for place, gap in enumerate(gaps, 1) if gap >= least]
    tight = sum(gap < _TOUCHING * height for gap in gaps)
    if not blanks or tight + len(blanks) < len(gaps) or _LETTERS * len(blanks) > tight:
        return math.inf
    ends = [0, *blanks, len(letters)]
    words = ["".join(letter.text for letter in letters[start:end]) for start, end in pairwise(ends)]
    beside = 1 if min(gaps[place - 1] for place in blanks) >= _ALONE * height else _BESIDE
    return least if _are_words(words, beside) else math.inf


def _are_words(words: Sequence[str], letters: int) -> bool:
    """Return True if texts have so many letters each, of scripts with blanks, and letters where they are parted."""
    worded = all(sum(map(_is_letter, word)) >= letters and not _UNSPACED.search(word) for word in words)
    return worded and all(_is_letter(last[-1]) and _is_letter(word[0]) for last, word in pairwise(words))


def _pieces(letters: Sequence[Piece], blank: float, *, heights: bool) -> list[Piece]:
    """Return letters in pieces, parted where there is a blank and, if asked for, where they stand on other heights."""
    pieces: list[Piece] = []
    for letter in letters:
        if pieces and letter.left - pieces[-1].right < blank and not (heights and _apart(pieces[-1], letter)):
            pieces[-1] = _one((pieces[-1], letter))
        else:
            pieces.append(letter)
    return pieces


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LM"


def _raised(letter: Piece) -> Piece:
    """Return a glyph whose name calls it raised or lowered as what it shows, in the part of its box that it takes."""
    match = _SCRIPT.fullmatch(letter.text)
    if match is None:
        return letter
    rest = (1 - _SCRIPT_HEIGHT) * (letter.high - letter.low)
    if match[1] == "^":
        return letter._replace(text=match[2], low=letter.low + rest)
    return letter._replace(text=match[2], high=letter.high - rest)


def _alike(letters: list[Piece], text: str) -> bool:
    """Return True if letters are those of a text; quotes may be one character here and two there."""
    ours, theirs = "".join(letter.text for letter in letters), text
    return [c for c in ours if c.isalnum()] == [c for c in theirs if c.isalnum()]


def _apart(piece: Piece, letter: Piece) -> bool:
    """Return True if a letter is set in another size and stands higher or lower than the piece before it."""
    one, other = piece.high - piece.low, letter.high - letter.low
    if piece.font == letter.font and abs(one - other) < 0.05 * max(one, other):
        return abs(piece.low - letter.low) > _RISE * max(one, other)
    if (letter.text in _SYMBOLS) != (piece.text[-1] in _SYMBOLS) and piece.font != letter.font:
        return True  # fonts of symbols draw them raised in boxes of the usual height
    return abs(piece.low - letter.low) > _RISE * min(one, other) or abs(one - other) > 0.25 * max(one, other)
