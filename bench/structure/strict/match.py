"""Places of the blocks of a label in a reader's result for the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.labels.model import CUT, RAISED, Furniture
from bench.structure.strict.items import FURNITURE, Item, letters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.structure.labels import Block

_HEAD = 60
"""Letters at the beginning of a block by which it is searched."""
GRAPHIC = frozenset({"TABLE", "FIGURE", "FORMULA"})
"""Types that are not compared by their text."""


class Wanted(NamedTuple):
    """A possible text of a block: letters of its beginning and of its end; if ``whole``, both are all of it."""

    head: str
    tail: str
    whole: bool


@dataclass
class Places:
    """The found blocks of a label.

    Attributes:
        at: item and the block's offset in its letters by block, if its beginning was found.
        exact: item with the same beginning and end by block.
    """

    at: dict[int, tuple[int, int]] = field(default_factory=dict)
    exact: dict[int, int] = field(default_factory=dict)


def wanted(block: Block) -> list[Wanted]:
    """Return the right texts of a block, with raised marks left out or within the line."""
    found = []
    for text in (block.text, *block.also):
        for plain in (RAISED.sub("", text), RAISED.sub(r"\1", text)):
            head, *others = plain.split(CUT)
            key = Wanted(letters(head), letters(others[-1] if others else head), not others)
            if key.head and key not in found:
                found.append(key)
    return found


def types(block: Block) -> set[str]:
    """Return the right types of a block, furniture as one."""
    return {kind_of(str(kind.value)) for kind in (block.type, *block.also_types)}


def kind_of(kind: str) -> str:
    """Return a type in the form of comparison: all furniture is one."""
    return Furniture.FURNITURE.value if kind in FURNITURE else kind


def spans(block: Block, text: str) -> bool:
    """Return True if letters begin and end like a block, or continue where the block is continued."""
    return any(_spans(block, key, text) for key in wanted(block))


def _spans(block: Block, key: Wanted, text: str) -> bool:
    before, after = block.continued_from_previous_page, block.continues_on_next_page
    if key.whole:
        if before and after:
            return key.head in text
        return text.endswith(key.head) if before else text.startswith(key.head) if after else text == key.head
    begins = key.head in text if before else text.startswith(key.head)
    return begins and (key.tail in text if after else text.endswith(key.tail))


def find(blocks: Sequence[Block], items: Sequence[Item]) -> Places:
    """Find the blocks of a label among the items of its page.

    First blocks that equal a complete item, each item once, of the right type if there is one; then beginnings within
    items, each place once. Of several places, the next one after the previous block is used.
    """
    texts = [letters(item.text) for item in items]
    places = Places()
    keys = [wanted(block) for block in blocks]
    free = set(range(len(items)))
    for number, block in enumerate(blocks):
        fits = [index for index in free if keys[number] and spans(block, texts[index])]
        if fits:
            last = _last(places, number)[0]
            right = types(block)
            index = min(fits, key=lambda i: (kind_of(items[i].type) not in right, i < last, abs(i - last)))
            free.discard(index)
            places.exact[number] = index
            offset = max((texts[index].find(key.head) for key in keys[number]), default=0)
            places.at[number] = (index, max(offset, 0))
    taken = Counter(places.at.values())
    for number in range(len(blocks)):
        if number not in places.at and keys[number]:
            last_place = _last(places, number)
            every = [place for place in _occurrences(keys[number], texts) if not taken[place]]
            if every:
                place = min(every, key=lambda found: (found < last_place, abs(found[0] - last_place[0]), found))
                places.at[number] = place
                taken[place] += 1
    return places


def _last(places: Places, number: int) -> tuple[int, int]:
    """Return the place of the nearest found block before this one."""
    return next((places.at[before] for before in range(number - 1, -1, -1) if before in places.at), (0, 0))


def _occurrences(keys: Sequence[Wanted], texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    for index, text in enumerate(texts):
        seen = set()
        for key in keys:
            start = text.find(key.head[:_HEAD])
            while start >= 0:
                seen.add(start)
                start = text.find(key.head[:_HEAD], start + 1)
        # letters of a short text occur within many words, so it is searched only at the ends of items
        shortest = min(len(key.head) for key in keys)
        for start in sorted(seen):
            if shortest >= 8 or start == 0 or text[start:] in {key.head for key in keys}:
                yield (index, start)
