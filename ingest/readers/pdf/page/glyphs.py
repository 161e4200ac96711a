"""Words that docling-parse runs together with a raised mark ("schools.1"), taken apart letter by letter."""

from __future__ import annotations

from typing import Any, NamedTuple

from ragraph.ingest.readers.pdf.patterns import RUN_TOGETHER

_SYMBOLS = "∗†‡"
_RISE = 0.12
"""Share of the height by which feet of letters must differ to stand on another line."""

_STACKED = 0.25
"""Figures narrower than this share of their height stand over each other: a fraction."""


class Piece(NamedTuple):
    """A part of a word: text, name of the font, and box in the frame of the parser (origin bottom left)."""

    text: str
    font: str
    left: float
    low: float
    right: float
    high: float


class Glyphs:
    """The letters of a page, looked at only where a word needs it."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder
        self._letters: list[Piece] = []
        self._starts: dict[int, list[int]] = {}
        self._height = 0.0

    def split(self, cell: Any) -> list[Piece]:
        """Return the pieces of a word of the parser that stand on different heights; one piece, if it is whole.

        Figures over each other, as in a fraction, stay one piece, with a blank between.

        Args:
            cell: a level word cell of docling-parse.
        """
        text = cell.text
        whole = Piece(text, cell.font_name, cell.r_x0, cell.r_y0, cell.r_x2, cell.r_y2)
        height = abs(whole.high - whole.low)
        # A word twice as high as the one before may be the end of a line and the start of the next.
        tall = len(text) > 1 and height > 1.5 * self._height > 0
        self._height = height
        stacked = len(text) > 1 and text.isdigit() and abs(whole.right - whole.left) < _STACKED * len(text) * height
        if not tall and not stacked and not RUN_TOGETHER.search(text):
            return [whole]
        letters = self._of(whole)
        pieces: list[Piece] = []
        for letter in letters:
            if pieces and not _apart(pieces[-1], letter):
                last = pieces[-1]
                pieces[-1] = Piece(
                    last.text + letter.text,
                    last.font,
                    min(last.left, letter.left),
                    min(last.low, letter.low),
                    max(last.right, letter.right),
                    max(last.high, letter.high),
                )
            else:
                pieces.append(letter)
        if stacked and len(pieces) > 1:
            return [whole._replace(text=" ".join(piece.text for piece in pieces))]
        return pieces if len(pieces) > 1 else [whole]

    def _of(self, word: Piece) -> list[Piece]:
        """Return the letters of a word, none if they cannot be found."""
        if not self._letters:
            self._read()
        for start in self._starts.get(round(word.left * 4), ()):
            letters: list[Piece] = []
            for letter in self._letters[start : start + len(word.text) + 2]:
                letters.append(letter)
                # figures over each other end at one edge
                whole = not word.text.isdigit() or len(letters) >= len(word.text)
                if letter.right >= word.right - 0.2 and whole:
                    break
            first, last = letters[0], letters[-1]
            level = first.low < word.high and first.high > word.low
            if level and abs(last.right - word.right) < 0.3 and _alike(letters, word.text):
                return letters
        return []

    def _read(self) -> None:
        for cell in self._decoder.get_char_cells():
            if not cell.text:
                continue  # a glyph that stands for no character
            self._starts.setdefault(round(cell.r_x0 * 4), []).append(len(self._letters))
            self._letters.append(Piece(cell.text, cell.font_name, cell.r_x0, cell.r_y0, cell.r_x2, cell.r_y2))


def _alike(letters: list[Piece], text: str) -> bool:
    """Say whether letters are those of a text; quotes may be one character here and two there."""
    ours, theirs = "".join(letter.text for letter in letters), text
    return [c for c in ours if c.isalnum()] == [c for c in theirs if c.isalnum()]


def _apart(piece: Piece, letter: Piece) -> bool:
    """Say whether a letter is set in another size and stands higher or lower than the piece before it."""
    one, other = piece.high - piece.low, letter.high - letter.low
    if piece.font == letter.font and abs(one - other) < 0.05 * max(one, other):
        return abs(piece.low - letter.low) > _RISE * max(one, other)
    if (letter.text in _SYMBOLS) != (piece.text[-1] in _SYMBOLS) and piece.font != letter.font:
        return True  # fonts of symbols draw them raised in boxes of the usual height
    return abs(piece.low - letter.low) > _RISE * min(one, other) or abs(one - other) > 0.25 * max(one, other)
