"""Blocks to text: lines joined, hyphenation undone where the document shows the word whole, marks set apart."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Block, Word, spaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.base.hyphens import Vocabulary
    from ragraph.pdf.model import Grid, Line


_OPEN = 1000
"""Characters at the end of a text that the next line may change; the last word would do."""

_ADDRESS = re.compile(r"(?:https?://|www\.)\S*[/%_=&?#~]$")
"""An address that a line divides behind one of its signs."""
_OF_ADDRESS = re.compile(r"^\S*(?:\w[-_/.%=&~]\w|\d|/)")
"""A word that may go on with it: no plain word of a sentence."""

_TYPED = 0.7
"""Minimum share of the letters of a line in typewriter type at which blanks are counted."""
_LETTERS = 3
"""Letters of a word at least that tells the width of a letter."""
_LEVEL = 0.5
"""Distance of the feet of pieces on one line of a listing at most, in sizes of type."""
_EMPTY = 1.6
"""Minimum distance of two lines of a listing at which there are empty ones between, in that of most."""


class Mark(NamedTuple):
    """A word left out of the text: where it stood in it, and the word."""

    start: int
    word: Word


def block_text(block: Block, vocabulary: Vocabulary, left_out: set[int] | None = None) -> tuple[str, list[Mark]]:
    """Return the text of a block and the marks left out of it.

    Args:
        block: its lines are joined, with a blank or, at hyphens that divide a word, without; those of code stay lines,
            with their white space.
        vocabulary: of the document.
        left_out: ids of words that are marks of notes or labels; they do not go into the text.
    """
    if block.kind == "code":
        return _listing(block.lines, left_out or set())
    return lines_text(block.lines, vocabulary, left_out)


def lines_text(
    lines: Iterable[Line], vocabulary: Vocabulary, left_out: set[int] | None = None
) -> tuple[str, list[Mark]]:
    """Return lines as one text and the marks left out of it; see ``block_text``."""
    skipped = left_out or set()
    done: list[str] = []  # a paragraph may be as long as a book, and each line would copy all of it
    length, text = 0, ""
    marks: list[Mark] = []
    for line in lines:
        before: Word | None = None
        started = False
        if len(text) > 2 * _OPEN:
            done.append(text[:-_OPEN])
            length, text = length + len(done[-1]), text[-_OPEN:]
        for word in line.words:
            if id(word) in skipped:
                marks.append(Mark(length + len(text), word))
                continue
            if not started:
                divided = _ADDRESS.search(text[-_OPEN:]) and (text[-1] == "%" or _OF_ADDRESS.match(word.text))
                text = text if divided else vocabulary.joined(text, word.text)
                started = True
            elif before is not None and spaced(before, word):
                text += " "
            text += word.text
            before = word
    whole = "".join((*done, text))
    return whole, [Mark(min(mark.start, len(whole)), mark.word) for mark in marks]


def _listing(lines: Sequence[Line], left_out: set[int]) -> tuple[str, list[Mark]]:
    """Return the lines of a listing with the blanks in front of and between their words, and its empty lines.

    Blanks are counted where a line is set in typewriter type; else there is one between words, and none in front.
    """
    wide = _width(lines)
    edge = min(line.left for line in lines)
    steps = [step for upper, lower in pairwise(lines) if (step := lower.bottom - upper.bottom) > _LEVEL * lower.size]
    pitch = median_low(steps) if steps else 0.0
    text = ""
    marks: list[Mark] = []
    last: Line | None = None
    for line in lines:
        before: Word | None = None
        step = line.bottom - last.bottom if last else 0.0
        level = last is not None and abs(step) < _LEVEL * line.size and line.left > last.right
        counted = wide if line.mono > _TYPED else 0.0
        for word in line.words:
            if id(word) in left_out:
                marks.append(Mark(len(text), word))
                continue
            if before is not None:
                blanks = max(_blanks(word.left - before.right, counted), 1) if spaced(before, word) else 0
            elif level and last is not None:
                blanks = max(_blanks(word.left - last.right, counted), 1)
            else:
                if text:
                    text += "\n" * (1 + (round(step / pitch) - 1 if step > _EMPTY * pitch > 0 else 0))
                blanks = _blanks(word.left - edge, counted)
            text += " " * blanks + word.text
            before = word
        last = line if before is not None else last
    return text, [Mark(min(mark.start, len(text)), mark.word) for mark in marks]


def _width(lines: Sequence[Line]) -> float:
    """Return the width of a letter of a listing: the usual one of its words."""
    widths = [word.width / len(word.text) for line in lines for word in line.words
              if word.font.mono and not word.raised and len(word.text) >= _LETTERS]  # fmt: skip
    return median_low(widths) if widths else 0.0


def _blanks(gap: float, wide: float) -> int:
    """Return how many letters stand for a gap; none where their width is not known."""
    return max(round(gap / wide), 0) if wide > 0 else 0


def grid_text(grid: Grid, vocabulary: Vocabulary, left_out: set[int]) -> tuple[list[list[str]], str, list[Mark]]:
    """Return the cells of a table, its text of a row per line with cells parted by " | ", and the marks left out.

    The text of a cell that covers several places stands at the first; the others are empty.
    """
    cells: list[list[str]] = []
    marks: list[Mark] = []
    start = 0
    for row in range(grid.rows):
        texts: list[str] = []
        for column in range(grid.columns):
            text, left = lines_text(grid.lines(row, column), vocabulary, left_out)
            marks += [Mark(start + mark.start, mark.word) for mark in left]
            texts.append(text)
            start += len(text) + (3 if column + 1 < grid.columns else 1)
        cells.append(texts)
    return cells, "\n".join(" | ".join(row) for row in cells), marks
