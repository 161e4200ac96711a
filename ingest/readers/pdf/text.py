"""Blocks to text: lines joined, hyphenation undone where the document shows the word whole, marks set apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.pdf.model import Block, Word, spaced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragraph.ingest.readers.hyphens import Vocabulary
    from ragraph.ingest.readers.pdf.model import Grid, Line


_OPEN = 1000
"""Characters at the end of a text that the next line may change; the last word would do."""


class Mark(NamedTuple):
    """A word left out of the text: where it stood in it, and the word."""

    start: int
    word: Word


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
                text = vocabulary.joined(text, word.text) if separator == " " else text and text + separator
                started = True
            elif before is not None and spaced(before, word):
                text += " "
            text += word.text
            before = word
    whole = "".join((*done, text))
    return whole, [Mark(min(mark.start, len(whole)), mark.word) for mark in marks]


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
