"""Footnotes: notes at the foot of the page, and the marks in the text that refer to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.blocks.listed import numbered_entries
from ragraph.pdf.model import Block, Kind, Line, Page, Style, around, shared_width
from ragraph.pdf.notes.marks import NoteMark, bind_marks, labels_of, raised_of
from ragraph.pdf.patterns import NOTE_BEGINS, NOTE_LABEL, TERM, WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.model import Word

_BARE = 2.5
"""Maximum distance of a number without a text from the note that it counts on from, in sizes of the running text."""
_SMALL = 0.96
"""Notes are set at most this much of the running size, unless a raised mark begins them."""


def mark_notes(pages: list[Page], style: Style) -> list[NoteMark]:
    """Set the kind of blocks that are footnotes and return the marks that refer to them.

    A note at the foot of a page is believed if it begins with a mark and the text of the page (or of the one
    before) has that mark raised. Notes that go on over the page become one block.

    Args:
        pages: with blocks in reading order; they change.
        style: the running style of the document.
    """
    for page in pages:
        _join_labels(page, style)
    entries = numbered_entries(pages)
    raised = {page.number: list(raised_of(page)) for page in pages}
    columns = _wide_columns(text_columns(pages, style))
    last: Block | None = None
    for page in pages:
        near = (*raised.get(page.number - 1, ()), *raised[page.number])
        labels = {label for found in near for label in labels_of(found.word)}
        last = _mark_on(page, [block for block in page.blocks if id(block) not in entries], labels, last,
                        columns.get(page.number, (0.0, 1e6)), style)  # fmt: skip
    for page in pages:
        _take_bare(page, style)
    marks = bind_marks(pages, raised)
    marks += _bare_marks(pages, {id(mark.note) for mark in marks}, style)
    _settle(pages, marks, style)
    return marks


def _mark_on(
    page: Page,
    blocks: Sequence[Block],
    labels: set[str],
    last: Block | None,
    column: tuple[float, float],
    style: Style,
) -> Block | None:
    """Set the kind of the notes of a page, and return the last note so far.

    Args:
        page: that may change.
        blocks: of it, which may be notes.
        labels: of the marks on it and on the page before.
        last: the last note of the pages before.
        column: between which edges its text stands.
        style: the running style of the document.
    """
    current: Block | None = None
    for block in sorted(blocks, key=lambda block: (_beside(block, column), round(block.top / 3), block.left)):
        beside = _beside(block, column)
        if not _may_be_note(page, block, style, beside=beside, opens=current is None):
            continue
        label = _note_label(block, style, labels)
        if label is not None:
            block.kind, block.marker = Kind.NOTE, label
            current = last = block
        elif current is not None and _is_more(current, block, style, beside):
            page.append(current, block)
        elif last is not None and current is None and _carried_over(page, block, last, style):
            page.append(last, block)
        elif beside and block.size < _SMALL * style.size:
            block.kind = Kind.SIDE
    return last


def _may_be_note(page: Page, block: Block, style: Style, *, beside: bool, opens: bool) -> bool:
    """Return True if a block is text that may be a note, for its place and its first word.

    Args:
        page: of the block.
        block: to look at.
        style: the running style of the document.
        beside: it stands in the margin.
        opens: no note stands above it.
    """
    marked = bool(block.lines) and block.lines[0].words[0].raised and block.size < _SMALL * style.size
    # A raised asterisk is no bullet.
    worded = {Kind.TEXT: True, Kind.CODE: beside or marked, Kind.LIST_ITEM: marked}.get(block.kind, False)
    return worded and not (opens and block.top < 0.25 * page.height and not beside and not marked)


def _take_bare(page: Page, style: Style) -> None:
    """Make notes of numbers alone whose text is blacked out: they count on from the note above, or to that below."""
    for block in [block for block in page.blocks if len(block.lines) > 1 and block.kind is Kind.TEXT]:
        parts = [Block(page.number, [line]) for line in block.lines]
        if all(_is_bare(part, style) for part in parts):
            page.replace(block, parts)
    rows = sorted((block for block in page.blocks if block.lines), key=lambda block: block.top)
    for order, step in ((rows, 1), (rows[::-1], -1)):
        before: Block | None = None
        for block in order:
            bare = _is_bare(block, style)
            if bare and before is not None and _counts_on(before, block, step, _BARE * style.size):
                block.kind, block.marker = Kind.NOTE, block.lines[0].text
            if block.kind is Kind.NOTE:
                before = block
            elif not bare:
                before = None


def _counts_on(note: Block, block: Block, step: int, near: float) -> bool:
    """Return True if a number alone is the next one below a note, or, with a step of -1, the one above it."""
    if not note.marker or not note.marker.isdecimal() or int(note.marker) + step != int(block.lines[0].text):
        return False
    apart = note.top - block.top if step < 0 else block.top - note.parts[-1][1].bottom
    return apart < near and block.left < note.left + near


def _bare_marks(pages: Sequence[Page], bound: AbstractSet[int], style: Style) -> Iterator[NoteMark]:
    """Yield marks whose text is blacked out, so that they are alone, with the notes of their page that have none."""
    for page in pages:
        notes = {block.marker: block for block in page.blocks if block.kind is Kind.NOTE and id(block) not in bound}
        for block in page.blocks:
            note = notes.get(block.lines[0].text) if block.lines and _is_bare(block, style) else None
            if note is not None and block.top < note.top:
                block.kind = Kind.TEXT
                yield NoteMark(block, block.lines[0].words[0], note, block.lines[0].text)


def _is_bare(block: Block, style: Style) -> bool:
    """Return True if a block is a number alone, as small as that of a note."""
    word = block.lines[0].words[0]
    alone = block.kind in {Kind.TEXT, Kind.SIDE} and len(block.lines) == len(block.lines[0].words) == 1
    return alone and word.text.isdecimal() and len(word.text) < 5 and word.size < _SMALL * style.size


def _join_labels(page: Page, style: Style) -> None:
    """Put labels of notes that stand apart in front of the text beside them; the blocks of the page change.

    A label as large as the note is one if the text has such a mark. Notes that follow each other without white are one
    block so far, and their labels another.
    """
    marks = {label for found in raised_of(page) for label in labels_of(found.word)}
    for block in page.blocks:
        _join_own_label(block, marks)
    for label in [block for block in page.blocks if block.lines and all(len(line.words) == 1 for line in block.lines)]:
        if label.kind is not Kind.TEXT or label.top < 0.4 * page.height:
            continue
        apart = [line for line in label.lines if not _join_label(page, label, line.words[0], marks, style)]
        if not apart:
            page.drop(label)


def _join_own_label(block: Block, marks: AbstractSet[str]) -> None:
    """Join the first line of a block with the second if it is the label of a note beside its text.

    A label that is almost as large as the note, and set a little higher, is a line of its own in what is stated to
    be one note.
    """
    if len(block.lines) < 2 or len(block.lines[0].words) > 1 or block.kind not in {Kind.TEXT, Kind.NOTE}:
        return
    word, line = block.lines[0].words[0], block.lines[1]
    level = word.top < line.bottom and word.bottom > line.top
    if level and 0 < line.left - word.right < line.size and not marks.isdisjoint(labels_of(word)):
        word.raised = True
        block.lines[:2] = [Line([word, *line.words])]


def _join_label(page: Page, label: Block, word: Word, marks: AbstractSet[str], style: Style) -> bool:
    """Put a label in front of the line beside it, which begins a block then; say whether there is one."""
    labels = labels_of(word)
    if not labels:
        return False
    for block in page.blocks:
        if block is label or block.kind is not Kind.TEXT:
            continue
        for index, line in enumerate(block.lines):
            marked = line.size < _SMALL * style.size and not marks.isdisjoint(labels)
            if word.size > max(0.9 * line.size, 0.75 * style.size) and not marked:
                continue
            beside = 0 < line.left - word.right < 4 * line.size
            level = word.top < line.bottom and word.bottom > line.top
            if index:  # lines of a block overlap
                level = marked and block.region is None and line.top < word.middle_y < line.bottom
            if beside and level:
                word.raised = True
                note = block if not index else Block(block.page, block.lines[index:])
                if index:
                    block.lines = block.lines[:index]
                    block.parts = [(block.page, around(block.lines))]
                    page.blocks.insert(page.blocks.index(block) + 1, note)
                note.lines[0] = Line([word, *line.words])
                note.parts = [(note.page, around(note.lines))]
                return True
    return False


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


def _wide_columns(columns: dict[int, tuple[float, float]]) -> dict[int, tuple[float, float]]:
    """Return the columns of the pages, as wide as they are on most pages of the same side.

    The last page of an article may have running text in its first column only; its second one is no margin.
    """
    wide: dict[int, tuple[float, float]] = {}
    for side in (0, 1):
        own = {number: column for number, column in columns.items() if number % 2 == side}
        lefts, rights = sorted(left for left, _ in own.values()), sorted(right for _, right in own.values())
        for number, (left, right) in own.items():
            wide[number] = (min(left, lefts[len(lefts) // 4]), max(right, rights[-1 - len(rights) // 4]))
    return wide


def _beside(block: Block, column: tuple[float, float]) -> bool:
    """Return True if a block stands in the margin."""
    return block.left > column[1] - 2 or block.right < column[0] + 2


def _note_label(block: Block, style: Style, labels: set[str]) -> str | None:
    first = block.lines[0].words[0]
    match = NOTE_LABEL.match(first.text)
    if match is None or len(block.lines[0].words) < 2 or match[1] not in labels:
        return None
    if not first.raised and first.text[0] in "[(":
        return None
    text = block.lines[0].text[len(first.text) :].strip()
    # A formula that begins with an exponent is none: a note begins with a word, and has more than one.
    if not NOTE_BEGINS.match(text) or not (len(WORD.findall(block.text)) > 1 or TERM.fullmatch(text)):
        return None
    if first.raised or (block.size < _SMALL * style.size and not match[1].isalpha()):
        return match[1]
    return None


def _is_more(note: Block, block: Block, style: Style, beside: bool) -> bool:
    """Return True if a block is a further paragraph of the note above it."""
    return (
        abs(block.size - note.size) < (0.25 if beside else 0.06) * note.size
        and block.size < _SMALL * style.size
        and -2 <= block.top - note.parts[-1][1].bottom < 1.6 * note.size
        and shared_width(block, note) > 0
    )


def _carried_over(page: Page, block: Block, last: Block, style: Style) -> bool:
    """Return True if a block at the foot of a page is the rest of the note that ended the page before."""
    if last.parts[-1][0] != page.number - 1 or block.size >= _SMALL * style.size:
        return False
    if abs(block.size - last.size) > 0.06 * last.size or block.top < 0.5 * page.height:
        return False
    text = [other for other in page.blocks if other.kind is Kind.TEXT and other.size >= _SMALL * style.size]
    return all(other.top < block.top for other in text)


def _settle(pages: list[Page], marks: list[NoteMark], style: Style) -> None:
    """Turn notes that no mark refers to back into text, unless they count on from the notes around them."""
    bound = {id(mark.note) for mark in marks}
    notes = [(page, block) for page in pages for block in page.blocks if block.kind is Kind.NOTE]
    for index, (page, block) in enumerate(notes):
        if id(block) in bound:
            continue
        near = [other.marker for _, other in notes[max(index - 1, 0) : index + 2] if other is not block]
        if not _is_credible(page, block, near, style):
            block.kind, block.marker = Kind.TEXT, None


def _is_credible(page: Page, block: Block, near: list[str | None], style: Style) -> bool:
    """Return True if a block is a note though its mark has not been found."""
    marker, words = block.marker or "", block.lines[0].words
    if marker.isalpha() or block.mean("math") > 0.15:
        return False
    if marker.isdecimal() and any(each and each.isdecimal() and abs(int(each) - int(marker)) == 1 for each in near):
        return True
    low = block.top > 0.5 * page.height and block.size < _SMALL * style.size
    return low and words[0].raised and (not marker.isdecimal() or int(marker) <= 9)
