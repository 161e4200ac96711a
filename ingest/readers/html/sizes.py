"""Letters on a web page: how many an element shows, how many are in links, how many come before it."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.html.inline import HIDDEN, hidden
from ragraph.ingest.readers.html.tree import outermost
from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree


TINY = 100
"""Maximum letters of an aside, or of names and slogans above a title, that are furniture."""

PROSE = 200
"""Minimum letters of a paragraph that is kept beside the text, and before a box after the title."""

LEAD = 60
"""Minimum letters of a sentence between title and text that is kept."""

LINE = 40
"""Minimum letters of a line of text above a table or links that belongs to them."""

DENSE = 0.5
"""Share of letters in links above which a block is made of links."""

OFFERED = 0.3
"""Share of letters in links of offers: their labels, prices and first lines belong to the links."""


class Size(NamedTuple):
    """Letters shown in an element, those of them in links, and the number of links."""

    letters: int
    linked: int
    links: int

    @property
    def own(self) -> int:
        """Return the letters outside of links."""
        return self.letters - self.linked

    @property
    def density(self) -> float:
        """Return the share of the letters that are in links."""
        return self.linked / self.letters if self.letters else 0.0


_NOTHING = Size(0, 0, 0)


class Sizes:
    """The letters of one page, counted without white space.

    Args:
        body: the page; `add_line` records later additions to it.
    """

    def __init__(self, body: etree._Element) -> None:
        self._sizes = _sizes_of(body)
        self._starts = _starts_of(body, self._sizes)

    def of(self, element: etree._Element) -> Size:
        """Return the size of an element, zero if it is not shown."""
        return self._sizes.get(element, _NOTHING)

    def start(self, element: etree._Element) -> int:
        """Return the number of letters outside of links before an element."""
        return self._starts.get(element, 0)

    def own(self, root: etree._Element, without: Iterable[etree._Element]) -> int:
        """Return the letters outside of links and of some elements; nested ones are counted once."""
        known = set(without)
        total = self.of(root).own
        for one in known:
            around = list(takewhile(lambda above: above is not root, one.iterancestors()))
            below = root in one.iterancestors()
            if below and known.isdisjoint(around):
                total -= self.of(one).own
        return total

    def left(self, element: etree._Element, known: set[etree._Element]) -> int:
        """Return the letters of an element, links included, that are in none of the known ones."""
        if element in known:
            return 0
        inner = outermost(element, known.__contains__)
        return self.of(element).letters - sum(self.of(one).letters for one in inner)

    def add_line(self, line: etree._Element, letters: int, block: etree._Element) -> None:
        """Add a line that was made of the first letters of a block."""
        self._sizes[line] = Size(letters, 0, 0)
        self._starts[line] = self._starts[block]


def _sizes_of(body: etree._Element) -> dict[etree._Element, Size]:
    """Return the letters shown in each element, those in links, and the number of links."""
    found: dict[etree._Element, Size] = {}
    stack: list[tuple[etree._Element, bool, bool]] = [(body, False, False)]
    while stack:
        element, linked, done = stack.pop()
        if not local(element) or local(element) in HIDDEN or hidden(element):
            continue
        here = linked or local(element) == "a"
        if not done:
            stack.append((element, linked, True))
            stack.extend((child, here, False) for child in element)
            continue
        own = len("".join((element.text or "").split()))
        letters, in_links, links = own, own if here else 0, int(local(element) == "a")
        for child in element:
            tail = len("".join((child.tail or "").split()))
            size = found.get(child, _NOTHING)
            letters += size.letters + tail
            in_links += size.linked + (tail if here else 0)
            links += size.links
        found[element] = Size(letters, in_links, links)
    return found


def _starts_of(body: etree._Element, sizes: dict[etree._Element, Size]) -> dict[etree._Element, int]:
    """Return the number of letters outside of links before each element."""
    found = {body: 0}
    for element in body.iter():
        at = found.get(element)
        if at is None or element not in sizes:
            continue
        inside = local(element) == "a" or any(local(up) == "a" for up in element.iterancestors())
        at += 0 if inside else len("".join((element.text or "").split()))
        for child in element:
            found[child] = at
            at += sizes[child].own if child in sizes else 0
            at += 0 if inside else len("".join((child.tail or "").split()))
    return found
