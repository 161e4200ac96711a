"""Numbered titles in the type of the running text: sections of contracts and rules, told by how their numbers count."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks.listed import numbered_entries
from ragraph.pdf.headings.claims import is_open
from ragraph.pdf.patterns import (
    CASELESS,
    CASELESS_STOP,
    OPENS_SENTENCE,
    SECTION_LABEL,
    SECTION_LETTER,
    THREE_LETTERS,
    TITLE_END,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Block, Page

_LEAST = 3
"""Titles that make a series."""
_WORDS = 12
"""Words of a title within a paragraph at most, its label apart."""
_CASELESS_LONGEST = 24
"""Signs of a title in Chinese, Japanese or Korean at most."""
_LINES = 2
"""Lines of a title on its own."""
_TITLED = 0.6
"""Share of the paragraphs so numbered that have a title: where most have none, the numbers are those of items."""
_COUNTING = 0.75
"""Share of the steps from one number to the next that count on."""
_SPREAD = 0.35
"""Share of the letters of the document from the first number to the last: sections run through it, a list does not."""


class _Numbered(NamedTuple):
    """A block that begins with the number of a section: letters before it, its number in parts, words of its title."""

    before: int
    block: Block
    number: tuple[int, ...]
    title: int


def numbered_titles(pages: Sequence[Page]) -> dict[int, int]:
    """Return how many words of a block are its title, by ``id``, for blocks of series of numbered titles.

    Type does not count: contracts are often set in one. A series is one way of numbering ("1.", "1.1", "Section 1")
    whose numbers count on through the document, and most of whose paragraphs begin with words set like a title, on a
    line of their own or ended by a full stop within the paragraph.

    Args:
        pages: with blocks in reading order.
    """
    series: dict[str, list[_Numbered]] = defaultdict(list)
    letters = 0
    entries = numbered_entries(pages)
    for page in pages:
        for block in page.blocks:
            text = block.text if is_open(block) and block.lines and id(block) not in entries else ""
            label = SECTION_LABEL.match(text)
            letter = SECTION_LETTER.match(text)
            if label is not None:
                number = tuple(int(part) for part in label["number"].split("."))
                item = _Numbered(letters, block, number, _title(block, label.end()))
                series[_way(label["word"], number)].append(item)
            elif letter is not None:
                # Letters start again under every section: they count on from 0 parts above them.
                number = (0, ord(letter["letter"].lower()) - ord("a") + 1)
                way = f"{letter['open']}{'a' if letter['letter'].islower() else 'A'}{letter['close']}"
                series[way].append(_Numbered(letters, block, number, _title(block, letter.end())))
            letters += block.length
    return {
        id(item.block): item.title
        for items in series.values()
        if _counts(items, letters)
        for item in items
        if item.title
    }


def _way(word: str | None, number: tuple[int, ...]) -> str:
    return f"{(word or '').strip().lower()} {len(number)}"


def _counts(items: Sequence[_Numbered], letters: int) -> bool:
    """Return True if numbered blocks are the sections of a document."""
    titled = [item for item in items if item.title]
    if len(titled) < _LEAST or len(titled) < _TITLED * len(items):
        return False
    if titled[-1].before + titled[-1].block.length - titled[0].before < _SPREAD * letters:
        return False
    steps = [_goes_on(one.number, other.number) for one, other in pairwise(items)]
    return sum(steps) >= _COUNTING * len(steps)


def _goes_on(number: tuple[int, ...], following: tuple[int, ...]) -> bool:
    """Return True if a number is the one after another, or the first of the next part."""
    *upper, last = number
    *over, next_last = following
    again = bool(over) and (over > upper or over == upper == [0])
    return (over == upper and next_last == last + 1) or (again and next_last <= 1)


def _title(block: Block, label: int) -> int:
    """Return the number of words in front of a block that are its label and title; 0 if it has no title."""
    words = [word.text for line in block.lines for word in line.words]
    skipped = len(block.text[:label].split())
    sentence = any(TITLE_END.search(word) and OPENS_SENTENCE.match(after) for word, after in pairwise(words[skipped:]))
    if len(block.lines) <= _LINES and not sentence and like_title(words[skipped:]) and not TITLE_END.search(words[-1]):
        return len(words)
    for count in range(skipped + 1, min(len(words), skipped + _WORDS) + 1):
        if not TITLE_END.search(words[count - 1]):
            continue
        rest = words[count:]
        if like_title(words[skipped:count]) and (not rest or OPENS_SENTENCE.match(rest[0])):
            return count
        return 0
    return 0


def like_title(words: Sequence[str]) -> bool:
    """Return True if words are set like a title: the first and most of the long ones begin with a capital.

    In scripts without capitals they are few signs and no sentence.
    """
    whole = "".join(words)
    if CASELESS.match(whole):
        return 1 < len(whole) <= _CASELESS_LONGEST and not CASELESS_STOP.search(whole)
    long = [word for word in words if len(word.strip("()\"“”'’.,;:")) > 3]
    if not words or len(words) > _WORDS or not THREE_LETTERS.search(" ".join(words)):
        return False
    if not words[0].lstrip("(\"“'")[:1].isupper() or words[-1][-1:] in ",;":
        return False
    return sum(word.lstrip("(\"“'")[:1].isupper() for word in long) >= _TITLED * len(long)
