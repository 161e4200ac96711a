"""What the document says of its own headings: the outline of the file and its contents pages."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks.looks import normal, printed
from ragraph.pdf.furniture.pagenumbers import number_value
from ragraph.pdf.model import Kind
from ragraph.pdf.patterns import LABEL_ONLY, TITLE_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph.pdf.headings.contents import Entry
    from ragraph.pdf.model import Block, Page
    from ragraph.pdf.stated.facts import Bookmark


_LONGEST = 200
"""Entries of more characters describe a part rather than name it."""


class Stated(NamedTuple):
    """A heading that the document names: the block and its depth from 1; None if only an index names it."""

    block: Block
    depth: int | None


class _Texts(NamedTuple):
    """The text of a block as it is printed, without the number in front of it, and its letters and digits alone."""

    printed: str
    core: str
    normal: str


class _Finder:
    """Finds the blocks that titles name."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = {page.number: page for page in pages}
        self.taken: set[int] = set()
        self.texts: dict[int, _Texts] = {}
        self.by_title: dict[str, list[Block]] = {}
        for page in pages:
            for block in page.blocks:
                if block.kind is Kind.TEXT and block.length <= 400:
                    self.by_title.setdefault(self._texts(block).core, []).append(block)

    def on_pages(self, title: str, numbers: Iterable[int]) -> Block | None:
        """Return the free block on these pages whose words are the title, numbers in front apart."""
        wanted, whole = core(title), normal(title)
        for number in numbers:
            page = self.pages.get(number)
            for block in page.blocks if page else ():
                if block.kind is Kind.TEXT and id(block) not in self.taken and block.length < 2 * len(title) + 60:
                    text = self._texts(block)
                    if text.core == wanted or _same(text.normal, whole) or is_label_of(text.printed, title):
                        return self._take(block)
        return None

    def _texts(self, block: Block) -> _Texts:
        """Return the texts of a block; titles of many entries are looked for on a page."""
        texts = self.texts.get(id(block))
        if texts is None:
            text = printed(block)
            texts = self.texts[id(block)] = _Texts(text, core(text), normal(text))
        return texts

    def anywhere(self, title: str, after: int) -> Block | None:
        """Return the first free block of exactly this title after a page."""
        for block in self.by_title.get(core(title), ()):
            if id(block) not in self.taken and after <= block.page:
                return self._take(block)
        return None

    def _take(self, block: Block) -> Block:
        self.taken.add(id(block))
        return block


def by_outline(pages: Sequence[Page], outline: Sequence[Bookmark]) -> list[Stated]:
    """Return the headings that the outline names, on the page it names or next to it, else the next of that title."""
    finder = _Finder(pages)
    targets = {entry.page for entry in outline}
    usable = len(targets) > 0.2 * len(outline)
    blocks: list[Block | None] = []
    last = 1
    for entry in outline:
        block = None
        if entry.page is not None and usable:
            block = finder.on_pages(entry.title, (entry.page, entry.page + 1, entry.page - 1))
        elif core(entry.title):
            block = finder.anywhere(entry.title, last)
        if block is not None:
            last = max(last, block.page) if not usable else 1
        blocks.append(block)
    return _with_depth(outline, blocks)


def _with_depth(outline: Sequence[Bookmark], blocks: Sequence[Block | None]) -> list[Stated]:
    """Return the blocks that entries name with their depth: how many levels of the text are above them.

    Entries that stand for no heading ("Main Matter") are no level of the text; one of which no block was found is
    one, if most at its depth have one.
    """
    entries: Counter[int] = Counter(entry.depth for entry in outline)
    named: Counter[int] = Counter(
        entry.depth for entry, block in zip(outline, blocks, strict=True) if block is not None
    )
    found: list[Stated] = []
    above: list[tuple[int, bool]] = []
    for entry, block in zip(outline, blocks, strict=True):
        above = [item for item in above if item[0] < entry.depth]
        if block is not None:
            found.append(Stated(block, 1 + sum(there for _, there in above)))
        above.append((entry.depth, block is not None or named[entry.depth] > 0.5 * entries[entry.depth]))
    return found


def by_contents(pages: Sequence[Page], entries: Sequence[Entry]) -> list[Stated]:
    """Return the headings that the contents pages name.

    The printed page number is looked up in the page numbers found; where there are none, the next block of that
    title counts.
    """
    finder = _Finder(pages)
    places = _places(pages)
    found: list[Stated] = []
    last = 1
    for entry in entries:
        if entry.heads not in ("contents", "index") or not core(entry.title) or len(entry.title) > _LONGEST:
            continue
        number = _place(places, entry.label or "")
        block = None
        if number is not None:
            block = finder.on_pages(entry.title, (number, number + 1, number - 1))
        if block is None:
            block = finder.anywhere(entry.title, max(last, entry.block.page))
        if block is not None:
            found.append(Stated(block, entry.depth if entry.heads == "contents" else None))
            last = block.page
    return found


def core(title: str) -> str:
    """Return a title for comparison without the number or label in front of it."""
    bare = normal(TITLE_LABEL.sub("", title.strip(), count=1))
    return bare if len(bare) > 2 else normal(title)


def _places(pages: Sequence[Page]) -> dict[tuple[str, int], int]:
    """Return printed page numbers, as kind and value, and the first page that bears each."""
    places: dict[tuple[str, int], int] = {}
    for page in pages:
        for block in page.furniture:
            value = number_value(block.text.strip("-–—|[]() .")) if block.kind is Kind.PAGE_NUMBER else None
            if value is not None:
                places.setdefault(value, page.number)
    return places


def _place(places: dict[tuple[str, int], int], label: str) -> int | None:
    """Return the page of a printed number; of one that no page bears, by counting from the nearest that does."""
    value = number_value(label)
    if value is None or value in places:
        return places.get(value) if value else None
    near = [(abs(number - value[1]), number) for kind, number in places if kind == value[0]]
    if not near or min(near)[0] > 6:
        return None
    known = min(near)[1]
    return places[value[0], known] + value[1] - known


def is_label_of(text: str, title: str) -> bool:
    """Return True if a text is the label of a title: "Appendix B" of "Appendix B: Glossary", no "2" of "2.4 Tea"."""
    label = re.escape(text.strip(" .:")) + r"\b(?!\.\d)"
    return bool(LABEL_ONLY.match(text)) and re.match(label, title, re.I) is not None


def _same(one: str, other: str) -> bool:
    """Return True if two titles are one but for a few letters: a tail cut off, a mark, a changed word."""
    if min(len(one), len(other)) < 12:
        return False
    if one.startswith(other) or other.startswith(one):
        return abs(len(one) - len(other)) <= 0.25 * max(len(one), len(other))
    if one.endswith(other) or other.endswith(one):
        return abs(len(one) - len(other)) <= 14
    return False
