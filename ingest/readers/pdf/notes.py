"""Footnotes: notes at the foot of the page, and the marks in the text that refer to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.layout import Block, Kind, Page, Style, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = re.compile(r"^(?:\d{1,4}|[a-z]|[*∗†‡§¶‖#]{1,4})$")
_MARK_LABEL = re.compile(r"^[\[(]?(\d{1,4}|[a-z]|[*∗†‡§¶‖#]{1,4})[\])]?[.,:)]?$")
_SMALL = 0.96
"""Notes are set at most this much of the running size, unless a raised mark begins them."""


@dataclass(frozen=True)
class NoteMark:
    """A mark in the text and the note it stands for."""

    source: Block
    word: Word
    note: Block
    label: str


def find_notes(pages: list[Page], style: Style) -> list[NoteMark]:
    """Set the kind of blocks that are footnotes and return the marks that refer to them.

    A note at the foot of a page is believed if it begins with a mark and the text of the page (or of the one
    before) has that mark raised. Notes that go on over the page become one block.

    Args:
        pages: with blocks in reading order; they change.
        style: the running style of the document.
    """
    raised = {page.number: list(raised_words(page)) for page in pages}
    columns = text_columns(pages, style)
    last: Block | None = None
    for page in pages:
        labels = {label for number in (page.number - 1, page.number) for _, word in raised.get(number, ())
                  for label in labels_of(word)}  # fmt: skip
        current: Block | None = None
        column = columns.get(page.number, (0.0, 1e6))
        for block in sorted(page.blocks, key=lambda block: (_beside(block, column), block.top)):
            beside = _beside(block, column)
            first = block.lines[0].words[0] if block.lines else None
            marked = first is not None and first.raised and block.size < _SMALL * style.size
            high = block.top < 0.25 * page.height and not beside and not marked and current is None
            if block.kind not in {Kind.TEXT, Kind.CODE} or high:
                continue
            if block.kind is Kind.CODE and not beside:
                continue
            label = _note_label(block, style, labels)
            if label is not None:
                block.kind, block.marker = Kind.NOTE, label
                current = last = block
            elif current is not None and _is_more(current, block, style, beside):
                _append(page, current, block)
            elif last is not None and current is None and _carried_over(page, block, last, style):
                _append(page, last, block)
            elif beside and block.size < _SMALL * style.size:
                block.kind = Kind.SIDE
    return list(_bind(pages, raised))


def text_columns(pages: list[Page], style: Style) -> dict[int, tuple[float, float]]:
    """Return, per page, the left and right edge between which its running text stands."""
    columns: dict[int, tuple[float, float]] = {}
    for page in pages:
        running = [
            block
            for block in page.blocks
            if block.kind in {Kind.TEXT, Kind.LIST_ITEM}
            and len(block.lines) > 2
            and abs(block.size - style.size) < 0.06 * style.size
        ]
        if running:
            columns[page.number] = (min(block.left for block in running), max(block.right for block in running))
    return columns


def _beside(block: Block, column: tuple[float, float]) -> bool:
    """Say whether a block stands in the margin."""
    return block.left > column[1] - 2 or block.right < column[0] + 2


def raised_words(page: Page) -> Iterator[tuple[Block, Word]]:
    """Yield the raised words of a page that may be marks, each with its block."""
    for block in page.blocks:
        for line in block.lines:
            before: Word | None = None
            for word in line.words:
                # A mark touches the word it follows; a raised number that stands apart is part of a fraction.
                if word.raised and (before is None or _touches(before, word)):
                    yield block, word
                before = word


def _touches(before: Word, word: Word) -> bool:
    if word.left - before.right > 0.22 * max(before.size, word.size) or before.font.math:
        return False
    if before.raised:
        return True
    letters = sum(character.isalpha() for character in before.text)
    digits = sum(character.isdigit() for character in before.text)
    # After a variable or a number a raised number is an exponent, unless a sentence or a year ends there.
    return letters >= 2 or (not letters and not digits) or (digits >= 4 and before.text[-1] in ".,;)")


def labels_of(word: Word) -> list[str]:
    """Return the marks that a raised word is made of: "1", or "1,2"."""
    parts = [part for part in re.split(r"[,;\s]+", word.text.strip(".,;:()[]")) if part]
    return parts if parts and all(_MARK.match(part) for part in parts) else []


def _note_label(block: Block, style: Style, labels: set[str]) -> str | None:
    first = block.lines[0].words[0]
    match = _MARK_LABEL.match(first.text)
    if match is None or len(block.lines[0].words) < 2 or match[1] not in labels:
        return None
    if first.raised or (block.size < _SMALL * style.size and not match[1].isalpha()):
        return match[1]
    return None


def _is_more(note: Block, block: Block, style: Style, beside: bool) -> bool:
    """Say whether a block is a further paragraph of the note above it."""
    return (
        abs(block.size - note.size) < (0.25 if beside else 0.06) * note.size
        and block.size < _SMALL * style.size
        and -2 <= block.top - note.parts[-1][1].bottom < 1.6 * note.size
        and min(block.right, note.right) > max(block.left, note.left)
    )


def _carried_over(page: Page, block: Block, last: Block, style: Style) -> bool:
    """Say whether a block at the foot of a page is the rest of the note that ended the page before."""
    if last.parts[-1][0] != page.number - 1 or block.size >= _SMALL * style.size:
        return False
    if abs(block.size - last.size) > 0.06 * last.size or block.top < 0.5 * page.height:
        return False
    text = [other for other in page.blocks if other.kind is Kind.TEXT and other.size >= _SMALL * style.size]
    return all(other.top < block.top for other in text)


def _append(page: Page, note: Block, block: Block) -> None:
    note.lines += block.lines
    note.parts += block.parts
    page.blocks = [other for other in page.blocks if other is not block]


def _bind(pages: list[Page], raised: dict[int, list[tuple[Block, Word]]]) -> Iterator[NoteMark]:
    notes: dict[int, dict[str, Block]] = {}
    for page in pages:
        for block in page.blocks:
            if block.kind is Kind.NOTE and block.marker:
                for number, _ in block.parts:
                    notes.setdefault(number, {}).setdefault(block.marker, block)
    for page in pages:
        for block, word in raised[page.number]:
            if block.kind is Kind.NOTE and word is block.lines[0].words[0]:
                continue
            for label in labels_of(word):
                note = notes.get(page.number, {}).get(label) or notes.get(page.number + 1, {}).get(label)
                if note is not None and note is not block:
                    yield NoteMark(block, word, note, label)
