"""Blocks to text: lines joined, hyphenation undone where the document shows the word whole, marks set apart."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.pdf.model import Block, Word, spaced
from ragraph.ingest.readers.pdf.patterns import DIVIDED_HEAD, DIVIDED_TAIL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragraph.ingest.readers.pdf.model import Grid, Line, Page

_HYPHENS = "-\u00ad\u2010"


_PREFIXES = frozenset({"self", "well", "non", "half", "quasi", "so", "vis", "semi"})
"""What stands in front of a hyphen that stays, as a rule."""
_LINKS = frozenset({"of", "the", "to", "and", "in", "by", "on", "for", "or", "a", "up", "out", "à", "de"})
"""What stands between the hyphens of a compound: "state-of-the-art"."""
_WELL_KNOWN = 4
"""Times that both parts of a compound come up in the document, at least."""


def _parts(word: str) -> list[str]:
    return re.split(r"[-\u2010]", word)


class Mark(NamedTuple):
    """A word left out of the text: where it stood in it, and the word."""

    start: int
    word: Word


class Vocabulary:
    """The words of a document, to tell a hyphen that divides from one that joins."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._count: Counter[str] = Counter()
        for page in pages:
            for line in page.lines:
                for part in line.text.split(" ")[:-1]:
                    self._count[part.strip(".,;:()[]\"'“”‘’?!").lower()] += 1

    def divided(self, tail: str, head: str) -> bool:
        """Say whether a line end such as "tech-" and the next line's "nical" are one word without hyphen."""
        if tail.endswith("\u00ad"):
            return True
        left, right = DIVIDED_TAIL.search(tail), DIVIDED_HEAD.match(head)
        if not left or not right or not right[0][0].islower():
            return False
        stem, rest = left[0][:-1].lower(), right[0].lower()
        whole, hyphened = self._count[stem + rest], self._count[f"{stem}-{rest}"]
        if whole or hyphened:
            return whole >= hyphened
        # The document shows the word nowhere else: two words it knows well are a compound ("cost-benefit").
        piece, first = _parts(stem)[-1], _parts(rest)[0]
        if self._count[piece + first]:
            return True
        known = min(self._count[piece], self._count[first]) if min(len(piece), len(first)) > 2 else 0
        return not (piece in _PREFIXES or known >= _WELL_KNOWN or (piece != stem and piece in _LINKS))


def block_text(block: Block, vocabulary: Vocabulary, left_out: set[int] | None = None) -> tuple[str, list[Mark]]:
    """Return the text of a block and the marks left out of it.

    Args:
        block: its lines are joined, with a blank or, at hyphens that divide a word, without.
        vocabulary: of the document.
        left_out: ids of words that are marks of notes or labels; they do not go into the text.
    """
    return lines_text(block.lines, vocabulary, left_out, "\n" if block.kind == "code" else " ")


def lines_text(
    lines: Iterable[Line], vocabulary: Vocabulary, left_out: set[int] | None = None, separator: str = " "
) -> tuple[str, list[Mark]]:
    """Return lines as one text and the marks left out of it; see ``block_text``."""
    skipped = left_out or set()
    text = ""
    marks: list[Mark] = []
    for line in lines:
        before: Word | None = None
        started = False
        for word in line.words:
            if id(word) in skipped:
                marks.append(Mark(len(text), word))
                continue
            if not started:
                text = _joined(text, line, word, vocabulary, separator)
                started = True
            elif before is not None and spaced(before, word):
                text += " "
            text += word.text
            before = word
    return text, [Mark(min(mark.start, len(text)), mark.word) for mark in marks]


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


def _joined(text: str, line: Line, word: Word, vocabulary: Vocabulary, separator: str) -> str:
    """Return the text so far, made ready for the first word of the next line."""
    if not text:
        return text
    if separator == " " and text[-1] in _HYPHENS:
        if vocabulary.divided(text[-40:].rsplit(" ", 1)[-1], word.text):
            return text[:-1]
        if len(text) > 1 and text[-2].isalpha() and word.text[:1].isalnum():
            return text
    return text + separator
