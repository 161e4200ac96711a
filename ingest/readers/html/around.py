"""Content around the text of a web page, and above its title: furniture, except for prose and the title itself."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.names import ALWAYS, OFFERS, states_furniture
from ragraph.ingest.readers.html.offers import by_readers, is_box, is_by_authors
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
    off_before,
)
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from ragraph.ingest.readers.html.core import Core
    from ragraph.ingest.readers.html.sizes import Sizes
    from ragraph.ingest.readers.html.title import PageTitle

_ABOVE = 0.2
"""Share of the page's text above which content over the title is text too."""

_LINES = BLOCKS | HEADINGS | {"li", "td", "th", "dt", "dd", "article", "pre", "blockquote", "figure", "main"}
"""Elements with text of their own, as far as the end of a page is concerned."""

_OWNED = re.compile(
    r"(?:©|\(c\)|(?:^|[.|·•–—-])\W*copyright)[\s,–—-]*(?:(?:©|\(c\))\W*)?\d{4}|\d{4}\W*©", re.IGNORECASE
)
_RESERVED = re.compile(r"\ball rights reserved\b", re.IGNORECASE)
"""A line with the owner of a page: begins with a sign or the word and has a year, or says that rights are reserved."""

_SERIES = "(b)"
"""Text before "(c)" if that is the third of several points."""

_CELLS = frozenset({"td", "th"})

_CLOSING = 300
"""Maximum letters of such a line, and of a menu above the title."""

_JOINS = (",", ";", "、", "，")
"""Text between the links of a sentence; menus have lines, dots or nothing there."""

_BEHIND = 3
"""Maximum short lines after it."""


class Around:
    """Content around the text of one page.

    Args:
        body: the page.
        core: the element around its text.
        sizes: its letters.
        title: its own title.
    """

    def __init__(self, body: etree._Element, core: Core, sizes: Sizes, title: PageTitle) -> None:
        self._body, self._core, self._sizes, self._title = body, core, sizes, title
        printed = title.printed
        self._earlier = before(body, core.element)
        self._leads = set() if printed is None else self._earlier - before(body, printed)
        """Elements between the title of the page and its text."""

    def beside(self) -> Iterator[etree._Element]:
        """Yield furniture beside the text: all if the page says that its text is alone, else only what is not prose."""
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
        """Return content above the title within the text that is not prose, such as names and slogans of the site.

        Args:
            known: elements already known as furniture.
        """
        title, core = self._title.printed, self._core.element
        if title is None or core not in title.iterancestors():
            return []
        others, around = set(known), title.getparent()
        above = [
            one
            for one in off_before(core, title)
            if one.getparent() is not around  # content right above a title belongs to it
            and one not in others
            and self._sizes.of(one).letters
        ]
        beside = (one for one in off_before(core, title) if one.getparent() is around)
        menus = [one for one in beside if one not in others and self._is_menu(one)]
        return [*menus, *self._names_of_site(above)]

    def closing(self, known: Iterable[etree._Element]) -> list[etree._Element]:
        """Return the lines at the very end of the page that name its owner, and the short lines after them.

        Returns none if furniture after the text names the owner, or if several lines do: these are a list of works.

        Args:
            known: elements already known as furniture.
        """
        seen, found = set(known), []
        if self._is_closed(seen):
            return []
        behind: list[etree._Element] = []
        owned = 0
        for element in reversed(list(self._body.iter())):
            line = next(one for one in (element, *element.iterancestors()) if local(one) in _LINES or one is self._body)
            around = [one for one in line.iterancestors() if one in seen]
            if around or not self._sizes.left(line, seen):
                continue
            letters = self._sizes.of(line).letters
            if local(line) not in BLOCKS | {"li", "td"} or letters > _CLOSING:
                break
            if self._is_headed(line) or self._in_cell(line):
                break
            seen.add(line)
            behind.append(line)
            dated = _is_owned(line)
            owned += dated
            if owned > 1:
                return []
            if dated or _RESERVED.search(words(line)):
                found = list(behind)
            elif letters > TINY or len(behind) - len(found) > _BEHIND:
                break
        return found

    def _is_closed(self, known: set[etree._Element]) -> bool:
        """Return True if furniture after the text names the owner, or if any follows a text that the page names."""
        inner = set(self._core.element.iter())
        behind = [one for one in known if one not in self._earlier and one not in inner and self._sizes.of(one).letters]
        if self._core.strict and behind:
            return True
        return any(_OWNED.search(words(one)) or _RESERVED.search(words(one)) for one in behind)

    def _in_cell(self, line: etree._Element) -> bool:
        """Return True if a line is in a cell of a table in the text, with others in its row."""
        inner = takewhile(lambda up: up is not self._core.element, (line, *line.iterancestors()))
        return any(
            self._sizes.of(beside).letters
            for one in inner
            if local(one) in _CELLS
            for beside in (*one.itersiblings(), *one.itersiblings(preceding=True))
        )

    def _is_headed(self, line: etree._Element) -> bool:
        """Return True if a line contains others, or is the first below a heading."""
        if any(local(one) in _LINES and self._sizes.of(one).letters for one in line.iterdescendants()):
            return True
        at = line
        while at is not self._body:
            above = next((one for one in at.itersiblings(preceding=True) if self._sizes.of(one).letters), None)
            parent = at.getparent()
            if above is not None or parent is None:
                return above is not None and local(above) in HEADINGS
            at = parent
        return False

    def _is_menu(self, element: etree._Element) -> bool:
        """Return True if a short block is several links and few words: no authors, no list within a sentence."""
        if is_by_authors(element) or any((one.tail or "").lstrip().startswith(_JOINS) for one in element.iter("{*}a")):
            return False
        size = self._sizes.of(element)
        short = size.letters < _CLOSING and highest_level(element) == NO_LEVEL
        return short and size.links > 2 and size.density > DENSE

    def _names_of_site(self, above: list[etree._Element]) -> list[etree._Element]:
        """Return the content above the title if it is short and has no prose."""
        if any(self._has_prose(one, leads=False) or highest_level(one) < NO_LEVEL for one in above):
            return []
        return above if sum(self._sizes.of(one).own for one in above) <= max(_ABOVE * self._core.whole, TINY) else []

    def _no_prose(self, element: etree._Element) -> Iterator[etree._Element]:
        """Yield an element beside the text; if it has a paragraph, yield only its parts beside that."""
        if self._is_section(element) or self._is_data(element):
            return
        if not self._has_prose(element):
            yield element
            return
        for child in element:
            if self._sizes.of(child).letters and local(child) in BLOCKS:
                yield from self._no_prose(child)

    def _is_section(self, element: etree._Element) -> bool:
        """Return True if a block after the text has a heading, no link, no form and no name of furniture."""
        size = self._sizes.of(element)
        if size.links or highest_level(element) == NO_LEVEL or element in self._earlier:
            return False
        if local(element) not in ("div", "section") or any(states_furniture(one) for one in element.iter()):
            return False
        if next(element.iter("{*}form", "{*}button", "{*}aside"), None) is not None or by_readers(element):
            return False
        around = (element, *element.iterancestors())
        return not any(named_by(one) & (ALWAYS | OFFERS) or is_by_authors(one) for one in around)

    def _is_data(self, element: etree._Element) -> bool:
        """Return True if a table after the text has rows of several cells and no link."""
        if local(element) != "table" or self._sizes.of(element).links or element in self._earlier:
            return False
        if any(named_by(one) & (ALWAYS | OFFERS) for one in (element, *element.iterancestors())):
            return False
        rows = [sum(bool(words(cell)) for cell in row) for row in element.iter("{*}tr")]
        return len(rows) > 1 and min(rows) > 1 and next(element.iter("{*}form", "{*}img"), None) is None

    def _has_prose(self, element: etree._Element, *, leads: bool = True) -> bool:
        """Return True if an element has a paragraph of some length that is not made of links, or a lead sentence.

        Args:
            element: an element beside the text.
            leads: whether a sentence below the title counts.
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
        """Return True if an element contains no block, and few links."""
        inner = any(local(child) in BLOCKS for child in element.iterdescendants())
        return not inner and self._sizes.of(element).density < OFFERED


def _is_owned(line: etree._Element) -> bool:
    """Return True if a line names the owner and year of a page; "(c)" after "(b)" is the third of several points."""
    text, above = words(line), line.getprevious()
    found = _OWNED.search(text)
    if found is None:
        return False
    points = text[: found.start()] + (words(above) if above is not None else "")
    return not (found.group().lower().startswith("(c)") and _SERIES in points.lower())
