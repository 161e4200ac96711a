"""What stands around the text of a web page, and above its title: furniture but for prose and the title itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.names import ALWAYS, OFFERS
from ragraph.ingest.readers.html.offers import by_readers, is_box
from ragraph.ingest.readers.html.sizes import DENSE, LEAD, OFFERED, PROSE, TINY
from ragraph.ingest.readers.html.tree import (
    BLOCKS,
    HEADINGS,
    NO_LEVEL,
    before,
    ends_sentence,
    highest_level,
    named_by,
    off,
    precedes,
)
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from ragraph.ingest.readers.html.core import Core
    from ragraph.ingest.readers.html.sizes import Sizes
    from ragraph.ingest.readers.html.title import PageTitle

_ABOVE = 0.2
"""Share of the text of the page above which what stands over the title is text too."""

_LINES = BLOCKS | HEADINGS | {"li", "td", "th", "dt", "dd", "article", "pre", "blockquote", "figure", "main"}
"""Elements that text of its own stands in, as far as the end of a page is concerned."""

_OWNED = re.compile(r"(?:©|\(c\)|\bcopyright)\W*(?:\(c\)\W*)?\d{4}|\d{4}\W*©|\ball rights reserved\b", re.IGNORECASE)
"""How a line says whose a page is."""

_CLOSING = 300
"""Letters of such a line, and of a menu above the title."""

_BEHIND = 3
"""How many short lines may stand behind it."""


class Around:
    """What stands around the text of one page.

    Args:
        body: the page.
        core: the element around its text.
        sizes: its letters.
        title: what it calls itself.
    """

    def __init__(self, body: etree._Element, core: Core, sizes: Sizes, title: PageTitle) -> None:
        self._body, self._core, self._sizes, self._title = body, core, sizes, title
        printed = title.printed
        self._leads = set() if printed is None else before(body, core.element) - before(body, printed)
        """What stands between the title of the page and its text."""

    def beside(self) -> Iterator[etree._Element]:
        """Yield what stands beside the text: all of it where the page says that its text is alone, else no prose."""
        core, printed = self._core.element, self._title.printed
        within = any(local(one) in HEADINGS and self._title.shows(one) for one in core.iter())
        title = None if within else printed
        for beside in off(self._body, core):
            if not self._sizes.of(beside).letters:
                continue
            if title is not None and title in beside.iter():
                yield from (one for one in off(beside, title) if not self._has_prose(one))
            elif self._core.alone:
                yield beside
            else:
                yield from self._no_prose(beside)

    def above_title(self, known: Iterable[etree._Element]) -> list[etree._Element]:
        """Return what stands above the title within the text and is no prose, as names and slogans of the site.

        Args:
            known: what is furniture already.
        """
        title, core = self._title.printed, self._core.element
        if title is None or core not in title.iterancestors():
            return []
        others, around = set(known), title.getparent()
        above = [
            one
            for one in off(core, title)
            if one.getparent() is not around  # what stands right above a title belongs to it
            and one not in others
            and self._sizes.of(one).letters
            and precedes(one, title)
        ]
        beside = (one for one in off(core, title) if one.getparent() is around and precedes(one, title))
        menus = [one for one in beside if one not in others and self._is_menu(one)]
        return [*menus, *self._names_of_site(above)]

    def closing(self, known: Iterable[etree._Element]) -> list[etree._Element]:
        """Return the lines at the very end of the page that say whose it is, with short lines behind that.

        Args:
            known: what is furniture already.
        """
        seen, found = set(known), []
        behind: list[etree._Element] = []
        for element in reversed(list(self._body.iter())):
            line = next(one for one in (element, *element.iterancestors()) if local(one) in _LINES or one is self._body)
            around = [one for one in line.iterancestors() if one in seen]
            if around or not self._sizes.left(line, seen):
                continue
            letters = self._sizes.of(line).letters
            if local(line) not in BLOCKS | {"li", "td"} or letters > _CLOSING or self._is_headed(line):
                break
            seen.add(line)
            behind.append(line)
            if _OWNED.search(words(line)):
                found = list(behind)
            elif letters > TINY or len(behind) - len(found) > _BEHIND:
                break
        return found

    def _is_headed(self, line: etree._Element) -> bool:
        """Whether a line holds others, or stands right below a heading."""
        if any(local(one) in _LINES and self._sizes.of(one).letters for one in line.iterdescendants()):
            return True
        above = line.getprevious()
        return above is not None and local(above) in HEADINGS

    def _is_menu(self, element: etree._Element) -> bool:
        """Whether a short block is several links, and a few words at most."""
        size = self._sizes.of(element)
        short = size.letters < _CLOSING and highest_level(element) == NO_LEVEL
        return short and size.links > 2 and size.density > DENSE

    def _names_of_site(self, above: list[etree._Element]) -> list[etree._Element]:
        """Return what stands above the title as long as it is little, and no prose is in it."""
        if any(self._has_prose(one, leads=False) or highest_level(one) < NO_LEVEL for one in above):
            return []
        return above if sum(self._sizes.of(one).own for one in above) <= max(_ABOVE * self._core.whole, TINY) else []

    def _no_prose(self, element: etree._Element) -> Iterator[etree._Element]:
        """Yield an element beside the text, or where a paragraph stands in it, what stands beside that in it."""
        if not self._has_prose(element):
            yield element
            return
        for child in element:
            if self._sizes.of(child).letters and local(child) in BLOCKS:
                yield from self._no_prose(child)

    def _has_prose(self, element: etree._Element, *, leads: bool = True) -> bool:
        """Whether a paragraph of some length stands in an element, not made of links, or a sentence below the title.

        Args:
            element: what stands beside the text.
            leads: whether what stands below the title counts as that.
        """
        size, lead = self._sizes.of(element), leads and element in self._leads
        if named_by(element) & (ALWAYS | OFFERS) or size.density > DENSE:
            return False
        if not lead and (by_readers(element) or is_box(element, size, form=True)):
            return False
        if self._is_paragraph(element) and (
            size.own >= PROSE or (lead and size.own >= LEAD and ends_sentence(element))
        ):
            return True
        least = LEAD if lead else PROSE
        return any(self._has_prose(one, leads=leads) for one in element if self._sizes.of(one).own >= least)

    def _is_paragraph(self, element: etree._Element) -> bool:
        """Whether no block stands in an element, and few links."""
        inner = any(local(child) in BLOCKS for child in element.iterdescendants())
        return not inner and self._sizes.of(element).density < OFFERED
