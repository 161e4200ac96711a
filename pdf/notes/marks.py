"""Marks of notes in the text: raised words that are no exponents, ordinals or indices, and which note they mean."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.model import Block, Kind, Page, Word, spaced
from ragraph.pdf.patterns import BEFORE_EXPONENT, NOTE_MARK, PLAIN_WORD, YEAR_END

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SIGNS = "*∗†‡§¶‖#⋆★"
_POWERS = frozenset(
    {"log", "ln", "exp", "sin", "cos", "tan", "max", "min", "lim", "det", "dim"}
    | {"km", "cm", "mm", "nm", "ft", "kg", "sq"}
)
"""Functions and units, after which a raised number is an exponent."""
_APART = 0.7
"""Gap, in sizes of type, beyond which a raised word has nothing to do with the word before it."""
_MOST_OF_ONE_LETTER = 3
"""Times that one letter may be raised as a mark; one that is raised more often is an index."""
_MOST_OF_ONE_NUMBER = 4
"""Marks of one note, at most: a number that is raised more often is not always a mark."""


@dataclass(frozen=True)
class NoteMark:
    """A mark in the text and the note it stands for."""

    source: Block
    word: Word
    note: Block
    label: str


class Raised(NamedTuple):
    """A raised word that may be a mark: its block, whether it stands where marks stand and exponents do not.

    ``name``: after a name, or at the beginning; ``plain``: after a word of running text.
    """

    block: Block
    word: Word
    sure: bool
    name: bool
    plain: bool


def raised_words(page: Page) -> Iterator[tuple[Block, Word]]:
    """Yield the raised words of a page that stand as marks do, each with its block."""
    return ((found.block, found.word) for found in raised_of(page) if found.sure)


def raised_of(page: Page) -> Iterator[Raised]:
    """Yield the raised words of a page that stand close to the word before them, or begin a line."""
    for block in page.blocks:
        for line in block.lines:
            before: Word | None = None
            for index, word in enumerate(line.words):
                if word.raised and (before is None or _gap(before, word) < _APART):
                    following = line.words[index + 1] if index + 1 < len(line.words) else None
                    follows = before is None or (_touches(before, word) and _may_follow(before))
                    sure = follows and not _runs_on(word, following)
                    name = before is None or before.raised or before.text[:1].isupper()
                    yield Raised(block, word, sure, name, before is not None and bool(PLAIN_WORD.match(before.text)))
                before = word


def labels_of(word: Word) -> list[str]:
    """Return the marks that a raised word is made of: "1", "1,2", or "∗†"."""
    text = word.text.strip(".,;:()[]")
    parts = [part for part in re.split(r"[,;\s]+", text) if part]
    if len(parts) == 1 and len(set(text)) > 1 and all(sign in _SIGNS for sign in text):
        parts = list(text)
    return parts if parts and all(NOTE_MARK.match(part) for part in parts) else []


def _touches(before: Word, word: Word) -> bool:
    """Return True if a word follows another without a gap; a raised number that stands apart is part of a fraction."""
    room = 0.7 if word.text[0] in _SIGNS else 0.22
    return _gap(before, word) <= room


def _gap(before: Word, word: Word) -> float:
    """Return the gap between two words, in sizes of the larger one."""
    return (word.left - before.right) / max(before.size, word.size)


def _may_follow(before: Word) -> bool:
    """Return True if a raised word after this one is a mark rather than an exponent."""
    if before.raised:
        return True
    text = before.text
    if before.font.math or BEFORE_EXPONENT.search(text) or text.lower().strip("([{") in _POWERS:
        return False
    letters = sum(character.isalpha() for character in text)
    digits = sum(character.isdigit() for character in text)
    # After a variable or a number a raised number is an exponent, unless a sentence or a year ends there.
    return (
        letters >= 2
        or (not letters and not digits)
        or bool(YEAR_END.search(text))
        or (digits >= 4 and text[-1] in ".,;)")
    )


def is_power(before: Word) -> bool:
    """Return True if a raised number behind a word of a table is its power: a variable, a unit, a function."""
    text = before.text
    letters = sum(character.isalpha() for character in text)
    digits = any(character.isdigit() for character in text)
    short = letters < 2 and not digits
    return before.font.math or bool(BEFORE_EXPONENT.search(text)) or short or text.lower().strip("([{") in _POWERS


def _runs_on(word: Word, following: Word | None) -> bool:
    """Return True if letters follow at once: then the word is only set higher than its neighbours."""
    return (
        following is not None
        and not following.raised
        and not spaced(word, following)
        and following.text[0].isalpha()
        and (following.text[0].islower() or word.text.isalpha())
    )


class _Candidate(NamedTuple):
    order: int
    label: str
    raised: Raised


def bind_marks(pages: Sequence[Page], raised: dict[int, list[Raised]]) -> list[NoteMark]:
    """Return the marks of footnotes: those on the page of the note, or on the page before.

    Args:
        pages: with the notes found, which end on the page where their mark is, or on the next.
        raised: by page number, what ``raised_of`` gave before notes were joined.
    """
    notes = _by_page(pages)
    found: dict[int, list[_Candidate]] = defaultdict(list)
    by_id: dict[int, Block] = {}
    order = 0
    for page in pages:
        own, following = notes.get(page.number, {}), notes.get(page.number + 1, {})
        for each in raised[page.number]:
            order += 1
            if each.block.kind is Kind.NOTE and each.word is each.block.lines[0].words[0]:
                continue
            for label in labels_of(each.word):
                note = own.get(label) or following.get(label)
                if note is not None and note is not each.block:
                    by_id[id(note)] = note
                    found[id(note)].append(_Candidate(order, label, each))
    settled: dict[int, int] = {}
    for key, candidates in found.items():
        sure = [candidate for candidate in candidates if candidate.raised.sure]
        if len(sure) == 1:
            settled[key] = sure[0].order
    ranks = [id(note) for page in pages for note in page.blocks if note.kind is Kind.NOTE and note.marker]
    marks: list[tuple[int, NoteMark]] = []
    for key, candidates in found.items():
        before, after = _neighbours(ranks, settled, key)
        chosen = _chosen(candidates, before, after)
        marks += [
            (each.order, NoteMark(each.raised.block, each.raised.word, by_id[key], each.label)) for each in chosen
        ]
    return [mark for _, mark in sorted(marks, key=lambda item: item[0])]


def _by_page(pages: Iterable[Page]) -> dict[int, dict[str, Block]]:
    notes: dict[int, dict[str, Block]] = {}
    for page in pages:
        for block in page.blocks:
            if block.kind is Kind.NOTE and block.marker:
                for number, _ in block.parts:
                    notes.setdefault(number, {}).setdefault(block.marker, block)
    return notes


def _neighbours(ranks: list[int], settled: dict[int, int], key: int) -> tuple[int, int]:
    """Return between which marks, by order, that of a note should stand: those of the notes before and after it."""
    place = ranks.index(key)
    before = next((settled[each] for each in reversed(ranks[max(place - 3, 0) : place]) if each in settled), -1)
    after = next((settled[each] for each in ranks[place + 1 : place + 4] if each in settled), 10**9)
    return before, after


def _chosen(candidates: list[_Candidate], before: int, after: int) -> list[_Candidate]:
    """Return which of the raised words that bear the label of a note are its marks."""
    sure = [candidate for candidate in candidates if candidate.raised.sure]
    if not sure:
        # "in 2.5³" may be a power; that a note waits for just this mark between its neighbours says that it is none.
        between = _between(candidates, before, after)
        return between if len(between) == 1 and between[0].label.isdigit() else []
    if sure[0].label.isalpha():
        return sure if len(sure) <= _MOST_OF_ONE_LETTER else []
    # Signs, and the numbers of authors' affiliations, come again.
    if len(sure) == 1 or not sure[0].label.isdigit() or all(candidate.raised.name for candidate in sure):
        return sure
    drawn = {Kind.TABLE, Kind.FIGURE, Kind.FORMULA}
    text = [candidate for candidate in sure if candidate.raised.block.kind not in drawn] or sure
    plain = [candidate for candidate in text if candidate.raised.plain]
    if 0 < len(plain) <= _MOST_OF_ONE_NUMBER:
        return plain
    return (_between(text, before, after) or text)[:1]


def _between(candidates: Sequence[_Candidate], before: int, after: int) -> list[_Candidate]:
    return [candidate for candidate in candidates if before < candidate.order < after]
