"""How much of the letters on a web page stand in links."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.html.inline import HIDDEN, hidden
from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from lxml import etree


class Size(NamedTuple):
    """Letters shown in an element, those of them in links, and the number of links."""

    letters: int
    linked: int
    links: int

    @property
    def own(self) -> int:
        """Letters outside of links."""
        return self.letters - self.linked

    @property
    def density(self) -> float:
        """Share of the letters that stand in links."""
        return self.linked / self.letters if self.letters else 0.0


def sizes_of(body: etree._Element) -> dict[etree._Element, Size]:
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
            size = found.get(child, Size(0, 0, 0))
            letters += size.letters + tail
            in_links += size.linked + (tail if here else 0)
            links += size.links
        found[element] = Size(letters, in_links, links)
    return found


def starts_of(body: etree._Element, sizes: dict[etree._Element, Size]) -> dict[etree._Element, int]:
    """Return how many letters outside of links stand on the page before each element."""
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
