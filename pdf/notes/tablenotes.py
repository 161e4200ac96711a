"""Notes under tables, bound to their marks in the cells: "(1)" behind a label, a raised number or asterisk.

Such notes are set as large as the text as often as not, and their marks are not raised: what tells them is that they
stand right under a table, count up from the first, and that the table has their marks.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Block, Kind, Line, text_rows
from ragraph.pdf.notes.marks import NoteMark, is_power, labels_of
from ragraph.pdf.patterns import BRACKETED_LABEL, BRACKETED_MARKS, NOTE_BEGINS, SIGN_LABEL, WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Page, Word

_FAR = 6.0
"""Distance of the first note from the table, at most, in sizes of its type: a line of explanation may be between."""
_SMALLER = 0.85
"""Size of a mark behind a number, at most, by that of the number: one as large may be a loss in brackets."""
_BEFORE = ',;:)%®™”"’'
"""Signs behind which a number in brackets is a mark, beside letters."""
_KINDS = frozenset({Kind.TEXT, Kind.LIST_ITEM, Kind.NOTE, Kind.CAPTION})
_MATCHED = 0.5
"""Share of the notes under a table whose marks are in it, at least: else they are a list."""


class _Mark(NamedTuple):
    block: Block
    word: Word
    label: str


def mark_table_notes(pages: Sequence[Page], known: Sequence[NoteMark]) -> list[NoteMark]:
    """Set the kind of notes that stand under tables and return the marks in the cells that refer to them.

    Args:
        pages: with blocks in reading order; they change.
        known: marks already bound.
    """
    bound = {id(mark.word) for mark in known}
    found: list[NoteMark] = []
    for page in pages:
        marks: dict[str, list[_Mark]] = defaultdict(list)
        for table in [block for block in page.blocks if block.kind is Kind.TABLE and block.grid is not None]:
            for mark in _marks_of(table):
                if id(mark.word) not in bound:
                    marks[mark.label].append(mark)
            notes = _notes_under(page, table, set(marks)) if marks else {}
            for label, note in notes.items():
                note.kind, note.marker = Kind.NOTE, label
                found += [NoteMark(mark.block, mark.word, note, label) for mark in marks[label]]
            if notes:
                marks.clear()
    return found


def _marks_of(table: Block) -> Iterator[_Mark]:
    """Yield the words of cells that stand as marks do: behind a word in brackets, or raised behind word or number."""
    grid = table.grid
    if grid is None:
        return
    for words in (*grid.words.values(), *grid.tails.values()):
        size = max(word.size for word in words)
        for row in text_rows(words, size):
            before: Word | None = None
            for word in sorted(row, key=lambda word: word.left):
                if before is not None:
                    yield from (_Mark(table, word, label) for label in _mark_labels(before, word))
                before = word


def _mark_labels(before: Word, word: Word) -> list[str]:
    small = word.raised or word.size < _SMALLER * before.size
    if BRACKETED_MARKS.match(word.text):
        # "(5)" behind a number is a number itself, unless it is small
        named = before.text[-1].isalpha() or before.text[-1] in _BEFORE
        return BRACKETED_LABEL.findall(word.text) if small or named else []
    if SIGN_LABEL.match(word.text):
        return [word.text]
    return labels_of(word) if word.raised and not is_power(before) else []


def _notes_under(page: Page, table: Block, labels: set[str]) -> dict[str, Block]:
    """Return the notes right under a table by label; empty if there are none. The blocks of the page change."""
    top = table.parts[-1][1].bottom if table.parts[-1][0] == page.number else 0.0
    found: dict[str, Block] = {}
    skipped = False
    for block in page.blocks[page.place_of(table) + 1 :]:
        if block.kind not in _KINDS or block.page != page.number or not _is_under(block, table, top, bool(found)):
            break
        starts = _starts(block, list(found))
        if not starts or starts[0][0] != 0:
            if found or skipped or len(block.lines) > 2:
                break
            skipped = True
            continue
        found.update(_split(page, block, starts))
        top = block.bottom
    if not found or next(iter(found)) not in {"1", "a", "i", *_signs(found)}:
        return {}
    matched = sum(label in labels for label in found)
    return found if matched >= max(1, _MATCHED * len(found)) else {}


def _is_under(block: Block, table: Block, top: float, near: bool) -> bool:
    """Return True if a block stands under a table, close below a height; closer if ``near``, below another note."""
    beside = block.left > table.right or block.right < table.left
    step = block.top - top
    return not beside and -0.5 * block.size <= step <= (2.0 if near else _FAR) * max(block.size, 1.0)


def _signs(found: dict[str, Block]) -> set[str]:
    return {label for label in found if not label.isalnum()}


def _starts(block: Block, before: list[str]) -> list[tuple[int, str]]:
    """Return the lines of a block that begin notes, with their labels, which count up."""
    starts: list[tuple[int, str]] = []
    last = before[-1] if before else None
    for index, line in enumerate(block.lines):
        label = _note_label(line)
        if label is not None and label not in before and (last is None or _follows(last, label)):
            starts.append((index, label))
            last = label
    return starts


def _note_label(line: Line) -> str | None:
    first = line.words[0]
    text = line.text[len(first.text) :].strip()
    if len(line.words) < 2 or not NOTE_BEGINS.match(text) or not WORD.search(text):
        return None
    bracketed = BRACKETED_LABEL.fullmatch(first.text)
    if bracketed:
        return bracketed[1]
    if SIGN_LABEL.match(first.text):
        return first.text
    labels = labels_of(first) if first.raised else []
    return labels[0] if len(labels) == 1 else None


def _follows(last: str, label: str) -> bool:
    if last.isdecimal() and label.isdecimal():
        return int(label) == int(last) + 1
    if last.isalpha() and label.isalpha():
        return len(last) == len(label) == 1 and ord(label) == ord(last) + 1
    return not label.isalnum()


def _split(page: Page, block: Block, starts: list[tuple[int, str]]) -> list[tuple[str, Block]]:
    """Return the notes of a block with their labels, a block each."""
    parts = [block] if len(block.parts) > 1 else block.cut([start for start, _ in starts])
    page.replace(block, parts)
    return [*zip((label for _, label in starts), parts, strict=False)]
