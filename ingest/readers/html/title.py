"""The title of a web page: its own title, the element that shows it, and the levels of headings below it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.links import INLINE, classes
from ragraph.ingest.readers.html.names import states_furniture
from ragraph.ingest.readers.html.sizes import DENSE, LEAD
from ragraph.ingest.readers.html.tree import BLOCKS, HEADINGS, highest_level, in_section, letters, level_of, section_of
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.readers.html.sizes import Sizes

_NAME_OF_SITE = re.compile(r"\s\([^()]*\)$")
"""Ending of a title with the name of the site: "Title (Name)"."""

_BETWEEN_PARTS = re.compile(r"\s[-–—|·:»«]\s|: ")
"""Separators between the title and the names of its section and site."""

_HOME = re.compile(r"(?:https?://[^/]+)?(?:\.{0,2}/)*(?:index\.\w+)?(?:[?#].*)?")
"""Addresses of the first page of a site."""

_LONGEST = 300
"""Maximum letters of a line that may be the title."""

_TELLING = 10
"""Minimum letters of a title that is recognised although it differs from that of the page."""


class PageTitle:
    """The title of one page, and the element that shows it.

    A line that shows it and is not a heading becomes one: the tree is changed, and the sizes are updated.

    Args:
        root: the page, with its head.
        body: the shown part of it.
        sizes: letters of the body.

    Attributes:
        printed: the heading that shows the title of the page, or None.
    """

    def __init__(self, root: etree._Element, body: etree._Element, sizes: Sizes) -> None:
        stated = next((words(found) for found in root.iter("{*}title") if words(found)), "")
        between = list(_BETWEEN_PARTS.finditer(stated))
        sides = (side for one in between for side in (stated[: one.start()], stated[one.end() :]))
        parts = (stated, _NAME_OF_SITE.sub("", stated), *_BETWEEN_PARTS.split(stated), *sides)
        self._whole = letters(stated)
        self._names = {letters(part) for part in parts} - {""}
        self._sizes = sizes
        self.printed = self._found(body)

    def shows(self, element: etree._Element) -> bool:
        """Return True if an element shows the title of the page, or a part of that before or after a separator.

        A heading of the first level, or an element named as title, may also be longer or shorter than that.
        """
        if not self._is_line(element):
            return False
        shown = letters(words(element))
        if shown in self._names:
            return True
        first = local(element) == "h1" or "title" in classes(element)
        if not first or len(shown) < _TELLING:
            return False
        if local(element) not in HEADINGS and any(len(one) >= _TELLING and shown.endswith(one) for one in self._names):
            return True  # "Name of a class Member List" for the title "Project: Member List"
        return any(shown in name or (name in shown and 2 * len(name) > len(shown)) for name in self._names)

    def is_whole(self, element: etree._Element) -> bool:
        """Return True if an element shows the complete title of the page, with the name of its site."""
        return self._is_line(element) and letters(words(element)) == self._whole

    def is_of_site(self, element: etree._Element) -> bool:
        """Return True if an element is a page header with a heading that links home, and the title is elsewhere."""
        if local(element) != "header" or self.printed is None or in_section(element):
            return False
        firsts = list(element.iter("{*}h1"))
        return element not in self.printed.iterancestors() and bool(firsts) and all(map(_leads_home, firsts))

    def among(self, headings: list[etree._Element]) -> etree._Element | None:
        """Return the heading of the text that is the title, or None; headings are in document order."""
        if self.printed in headings and (local(self.printed) == "h1" or headings[0] is self.printed):
            return self.printed
        firsts = [one for one in headings if local(one) == "h1"]
        return firsts[0] if len(firsts) == 1 and headings[0] is firsts[0] else None

    def _is_line(self, element: etree._Element) -> bool:
        return 0 < self._sizes.of(element).letters < _LONGEST

    def _found(self, body: etree._Element) -> etree._Element | None:
        """Return the element that shows the name of the page, as a heading."""
        found = self._naming(body)
        firsts = list(body.iter("{*}h1"))
        if found is None and not self._names and not firsts:
            found = self._called_title(body)
        if found is not None:
            return self._as_heading(found)
        only = [one for one in firsts if words(one) and not any(states_furniture(up) for up in one.iterancestors())]
        return only[0] if len(only) == 1 else None

    def _naming(self, body: etree._Element) -> etree._Element | None:
        """Return the element with the name of the page: above the middle the last one (the site comes first)."""
        half = self._sizes.of(body).own / 2
        found = [
            (not _leads_home(element), self._sizes.start(element) <= half, local(element) == "h1", number, element)
            for number, element in enumerate(body.iter())
            if self._names_page(element) and not _is_apart(element)
        ]
        best = max(found, default=None, key=lambda one: (*one[:3], self._is_name(one[4]), one[3]))
        return None if best is None else best[4]

    def _is_name(self, element: etree._Element) -> bool:
        """Return True if an element shows exactly a name of the page."""
        return letters(words(element)) in self._names

    def _names_page(self, element: etree._Element) -> bool:
        """Return True if a heading or line shows the name of the page; of a block with others in it, its first line."""
        heading = local(element) in HEADINGS
        if not heading and local(element) not in ("div", "p"):
            return False
        if any(local(one) in BLOCKS or local(one) in HEADINGS for one in element.iterdescendants()):
            return letters(element.text or "") in self._names
        return self.shows(element) and (heading or self._sizes.of(element).density < DENSE)

    def _called_title(self, body: etree._Element) -> etree._Element | None:
        """Return the line that is named as title, if it is the only one."""
        lines = [one for one in body.iter() if "title" in classes(one) and self._is_line(one)]
        return lines[0] if len(lines) == 1 and local(lines[0]) in ("div", "p") else None

    def _as_heading(self, title: etree._Element) -> etree._Element:
        """Make a heading of the element with the title, or of the first line of a block."""
        if local(title) in HEADINGS:
            return title
        if all(local(one) in INLINE for one in title.iterdescendants()):
            title.tag = "h1"
            return title
        line = title.makeelement("h1")
        line.text, title.text = title.text, None
        title.insert(0, line)
        self._sizes.add_line(line, len(letters(line.text or "")), title)
        return line


def _leads_home(heading: etree._Element) -> bool:
    """Return True if a heading is a link to the first page of the site, whose name it is."""
    links = [one for one in heading.iter("{*}a") if one.get("href") is not None]
    return len(links) == 1 and words(links[0]) == words(heading) and bool(_HOME.fullmatch(links[0].get("href") or ""))


def _is_apart(element: etree._Element) -> bool:
    """Return True if an element is in furniture, hidden, in an item, or a line in a cell.

    Headings are in cells if a table lays out the page.
    """
    apart = ("li",) if local(element) in HEADINGS else ("li", "td", "th")
    return any(states_furniture(one) or hidden(one) or local(one) in apart for one in element.iterancestors())


def kickers(title: etree._Element | None, headings: list[etree._Element], sizes: Sizes) -> set[etree._Element]:
    """Return the headings above the title of the page with a lower rank, without a sentence in between."""
    if title is None:
        return set()
    begins = sizes.start(title)
    return {
        one
        for one in headings[: headings.index(title)]
        if highest_level(one) > highest_level(title) and begins - sizes.start(one) - sizes.of(one).own < LEAD
    }


def first_level(title: etree._Element | None, headings: list[etree._Element]) -> int:
    """Return the number of the first heading level: below a title in ``h2`` it may be 3."""
    others = [level_of(one) for one in headings if one is not title]
    if title is None or 1 in others:
        return 1
    above = level_of(title)
    return above + 1 if all(level > above for level in others) else 2


def starts_anew(headings: list[etree._Element]) -> bool:
    """Return True if all of several headings are ``h1``, one of them in a section within that of the previous one."""
    if len(headings) < 2 or any(local(one) != "h1" for one in headings):
        return False
    return any(
        (outer := section_of(above)) is not None and outer in inner.iterancestors() and section_of(inner) is not outer
        for above, inner in pairwise(headings)
    )
