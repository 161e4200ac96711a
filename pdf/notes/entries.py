"""Bibliography entries and endnotes: blocks that a heading such as "References" or "Notes" makes what they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import printed
from ragraph.pdf.model import Block, Kind
from ragraph.pdf.notes.marks import NoteMark, labels_of, raised_words
from ragraph.pdf.patterns import (
    AUTHOR,
    BRACKETED,
    DATED,
    ENDNOTE,
    ENTRIES_TITLE,
    ENTRY_END,
    ENTRY_LABEL,
    ENTRY_SIGNS,
    LABEL_ONLY,
    NOTES_TITLE,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Page, Word


def set_entries(pages: Sequence[Page]) -> None:
    """Set the kind of bibliography entries and endnotes, and their markers; the blocks change.

    What was torn off an entry is put back.
    """
    section: str | None = None
    depth = 0
    labelled = False
    last: Block | None = None
    for page in pages:
        for block in list(page.blocks):
            if block.kind is Kind.HEADING and not (last is not None and _is_torn_off(last, block)):
                last = None
                if section is None or (block.level or 1) <= depth:
                    section, depth, labelled = _section_of(block), block.level or 1, False
            elif section == "note" and block.kind in {Kind.TEXT, Kind.LIST_ITEM}:
                _set_note(block)
            elif section == "entry" and block.kind in _PROSE:
                has_label = bool(ENTRY_LABEL.match(block.text))
                labelled = labelled or has_label
                if last is not None and not has_label and _goes_on(last, block, labelled=labelled):
                    page.append(last, block)
                    continue
                _set_entry(block)
                last = block if block.kind is Kind.ENTRY else None


def _section_of(heading: Block) -> str | None:
    """Return what a heading says of the blocks below it: "entry", "note" or nothing."""
    title = printed(heading)
    return "entry" if ENTRIES_TITLE.match(title) else "note" if NOTES_TITLE.match(title) else None


def _goes_on(entry: Block, block: Block, *, labelled: bool) -> bool:
    """Return True if a block without a label goes on with an entry: all of it does where entries have labels."""
    return _is_torn_off(entry, block) or (labelled and _is_near(entry, block))


_PROSE = {Kind.TEXT, Kind.LIST_ITEM, Kind.CODE, Kind.SIDE, Kind.HEADING}


def _is_torn_off(entry: Block, block: Block) -> bool:
    """Return True if a block only goes on with an entry that breaks off: "... Review of" / "Economics 85, 238-243"."""
    if not _is_near(entry, block) or ENTRY_LABEL.match(block.text) or LABEL_ONLY.match(block.text):
        return False
    if block.text[:1].islower():
        return True
    if entry.marker is None and (AUTHOR.match(block.text) or DATED.search(block.text[:120])):
        return False
    return not ENTRY_END.search(entry.text) and block.lines[0].bold < 0.5 and not ENTRIES_TITLE.match(block.text)


def _is_near(entry: Block, block: Block) -> bool:
    """Return True if a block of the same type stands below an entry, or at the top of the next column or page."""
    page, box = entry.parts[-1]
    # Addresses in typewriter may be the whole of a line; what hangs below the first line belongs to it all the same.
    hangs = block.left > min(line.left for line in entry.lines) + 3
    if abs(block.size - entry.size) > (0.35 if hangs else 0.08) * entry.size:
        return False
    below = block.page == page and -2 < block.top - box.bottom < 0.9 * entry.size and block.left > entry.left - 4
    column = block.page == page and block.left > box.right - 5 and block.top < box.bottom
    return below or column or block.page == page + 1


def _set_entry(block: Block) -> None:
    text = block.text
    match = ENTRY_LABEL.match(text)
    if match and len(text) > match.end():
        block.marker = match["label"]
        block.kind = Kind.ENTRY
    elif ENTRY_SIGNS.search(text) and len(text) > 25:
        block.kind, block.marker = Kind.ENTRY, None


def _set_note(block: Block) -> None:
    first = block.lines[0].words[0]
    match = ENDNOTE.match(block.text)
    label = first.text.strip(".,:)") if first.raised else match["label"] if match else None
    if label and label.isdecimal():
        block.kind, block.marker = Kind.NOTE, label


def bind_endnotes(pages: Sequence[Page], known: Sequence[NoteMark]) -> list[NoteMark]:
    """Return marks of endnotes and of numbered entries, for raised words that no footnote has claimed.

    Notes form groups that count up from one: at the end of a chapter, or one group per chapter at the end of the
    document. A mark belongs to the next group that ends a chapter, else to the group of its own rank.

    Args:
        pages: with kinds set by ``set_entries``.
        known: marks already bound.
    """
    bound = {id(mark.note) for mark in known}
    order = [block for page in pages for block in page.blocks]
    place = {id(block): at for at, block in enumerate(order)}
    notes = [
        (place[id(block)], block)
        for block in order
        if block.kind in {Kind.NOTE, Kind.ENTRY} and block.marker and id(block) not in bound and _value(block)
    ]
    # Two numbers that happen to follow each other are no list of notes.
    groups = [group for group in _groups(notes) if len(group[1]) >= 3 and "1" in group[1]]
    marks = list(_free_marks(pages, {id(mark.word) for mark in known})) if groups else []
    if not _cites_by_marks(pages, groups, marks):
        groups = [group for group in groups if all(block.kind is Kind.NOTE for block in group[1].values())]
    return list(_bind(marks, groups, place)) if groups else []


def _cites_by_marks(
    pages: Sequence[Page],
    groups: Sequence[tuple[int, dict[str, Block]]],
    marks: Sequence[tuple[Block, Word, str]],
) -> bool:
    """Return True if raised numbers may be citations: none in brackets are, and more than a few entries are met."""
    entries = {label for _, notes in groups for label, block in notes.items() if block.kind is Kind.ENTRY}
    bracketed = sum(
        label in entries
        for page in pages
        for block in page.blocks
        if block.kind in {Kind.TEXT, Kind.LIST_ITEM, Kind.NOTE}
        for label in BRACKETED.findall(block.text)
    )
    met = {label for _, _, label in marks} & entries
    return bracketed < 3 and len(met) >= 0.3 * len(entries)


def _value(block: Block) -> int | None:
    digits = re.sub(r"\D", "", block.marker or "")
    return int(digits) if digits and len(digits) <= 4 else None


def _groups(notes: Sequence[tuple[int, Block]]) -> list[tuple[int, dict[str, Block]]]:
    """Return runs of notes that count up: place of the first, and notes by number."""
    groups: list[tuple[int, dict[str, Block]]] = []
    before = 0
    for order, block in notes:
        value = _value(block) or 0
        if not groups or (value <= before and value <= 2):
            groups.append((order, {}))
        groups[-1][1].setdefault(str(value), block)
        before = value
    return groups


def _free_marks(pages: Sequence[Page], claimed: set[int]) -> Iterator[tuple[Block, Word, str]]:
    for page in pages:
        for block, word in raised_words(page):
            if id(word) in claimed or block.kind in {Kind.ENTRY, Kind.FORMULA, Kind.TABLE, Kind.FIGURE}:
                continue
            if block.kind is Kind.NOTE and word is block.lines[0].words[0]:
                continue
            for label in labels_of(word):
                if label.isdecimal():
                    yield block, word, label


def _bind(
    marks: Sequence[tuple[Block, Word, str]],
    groups: Sequence[tuple[int, dict[str, Block]]],
    place: dict[int, int],
) -> Iterator[NoteMark]:
    rank, before = 0, 0
    last_mark = max((place[id(block)] for block, _, _ in marks), default=0)
    at_end = groups[0][0] > last_mark
    for block, word, label in marks:
        value = int(label)
        if value == 1 and before > 1:
            rank += 1
        before = value
        if at_end:
            options = [groups[rank][1]] if rank < len(groups) else []
            options += [] if len(groups) > 1 else [groups[0][1]]
        else:
            options = [notes for order, notes in groups if order > place[id(block)]][:1]
        note = next((notes[label] for notes in options if label in notes), None)
        if note is not None and note is not block:
            yield NoteMark(block, word, note, label)
