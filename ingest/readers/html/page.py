"""Separate the text of a web page from its furniture: menus, sidebars, cookie notices, anchor signs.

What pages state counts first (``main``, ``article``, ``nav``, ARIA roles, ``hidden``). If they state nothing, the text
is where most of the words outside of links are. Names of classes only support what many links or little text suggest.
Furniture stays in the draft, in headers and footers, so that a wrong guess loses nothing. Only controls and signs are
removed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.around import Around
from ragraph.ingest.readers.html.core import CoreFinder
from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.names import Names, states_furniture
from ragraph.ingest.readers.html.offers import Cards, by_readers
from ragraph.ingest.readers.html.sizes import OFFERED, Sizes
from ragraph.ingest.readers.html.title import PageTitle, first_level, kickers, starts_anew
from ragraph.ingest.readers.html.tree import HEADINGS, before, named_by, outermost
from ragraph.ingest.readers.html.within import Boxes, FurnitureHeadings
from ragraph.ingest.readers.markup.xml import local, words
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from ragraph.ingest.readers.html.core import Core

_ENOUGH = 0.25
_HALF = 0.5
"""Minimum shares, of the text outside of links and of all text, left after removing plausible furniture."""

_SENTENCE = 80
"""Minimum letters of a paragraph that makes a box within the text a part of it."""

_NEVER_BOXES = frozenset({"cookie", "cookies", "consent", "gdpr", "newsletter", "subscribe", "signup", "advert", "ads"})
"""Words of blocks whose sentences are not the page's."""

_ENDS = re.compile(r"[.!?…。][\"'»”’)]*(?:\s|$)")

_LEAST = 80
"""Minimum letters left, if the page has as many and no title is left."""


def _is_line(element: etree._Element) -> bool:
    return local(element) in ("p", "li", "dd", "div", "td", "aside", "ul", "ol", "table", "section")


class Page:
    """The furniture of one page.

    Attributes:
        furniture: HEADER or FOOTER of each furniture element, only the outermost.
        title: the heading that is the title of the page, or None.
        first: number of the first heading level (``h2`` below a title: 2).
        kickers: headings right above the title with a lower rank, which name its topic and begin no section.
        nested: whether headings start again with ``h1`` in each section, so that sections give the levels.
    """

    def __init__(self, root: etree._Element, body: etree._Element) -> None:
        self._body, self._sizes = body, Sizes(body)
        self._cards = Cards(body, self._sizes)
        self._title = PageTitle(root, body, self._sizes)
        self._stated = list(outermost(body, lambda one: states_furniture(one) or self._title.is_of_site(one)))
        self._rest = self._sizes.own(body, self._stated)
        core = CoreFinder(body, self._sizes, self._title.printed, self._stated).find()
        believed = self._believed(core)
        self.furniture = self._sides(core, [one for one in believed if not self._is_box(one, core, set(believed))])
        headings = [one for one in self._shown() if local(one) in HEADINGS and words(one)]
        self.title = self._title.among(headings)
        self.kickers = kickers(self.title, headings, self._sizes)
        headings = [one for one in headings if one not in self.kickers]
        self.first = first_level(self.title, headings)
        self.nested = starts_anew(headings)

    def _is_box(self, element: etree._Element, core: Core, believed: set[etree._Element]) -> bool:
        """Return True if an element within the text, whatever its name, holds running text of the page.

        What one page shows cannot tell whether other pages repeat it: a box of sentences between text is text.
        """
        if states_furniture(element) or by_readers(element) or local(element) in ("header", "footer"):
            return False
        if core.element not in element.iterancestors():
            return False
        size = self._sizes.of(element)
        if size.density > OFFERED or named_by(element) & _NEVER_BOXES:
            return False
        if not self._has_text(element, core, believed, back=True) or not self._has_text(element, core, believed):
            return False  # a column beside the text
        lines = list(element.iter("{*}p", "{*}li", "{*}dd", "{*}div", "{*}td", "{*}aside"))
        lines = [one for one in lines if self._sizes.of(one).own >= _SENTENCE and not any(map(_is_line, one))]
        return any(self._sizes.of(one).density <= OFFERED and _ENDS.search(words(one)) for one in lines)

    def _has_text(
        self, element: etree._Element, core: Core, believed: set[etree._Element], *, back: bool = False
    ) -> bool:
        """Return True if enough text follows an element within the core, or is before it."""
        letters, at = 0, element
        while at is not core.element and (parent := at.getparent()) is not None:
            letters += sum(self._sizes.left(one, believed) for one in at.itersiblings(preceding=back))
            at = parent
        return letters >= _SENTENCE

    def _believed(self, core: Core) -> list[etree._Element]:
        """Return the furniture, as much as leaves enough of the page.

        If too little would be left, columns with sentences are kept as text; then only stated furniture is returned.
        """
        around = Around(self._body, core, self._sizes, self._title)
        outside = [one for one in self._stated if core.element not in one.iter()]
        outside += around.beside()
        for columns in (True, False):
            found = self._found(core, around, outside, columns=columns)
            if self._leaves_enough(found):
                return found
        return self._stated if self._rest else []

    def _found(
        self, core: Core, around: Around, outside: list[etree._Element], *, columns: bool
    ) -> list[etree._Element]:
        """Return the furniture: outside of the text, within it, above its title, and its headings.

        Args:
            core: the element around the text.
            around: content around it.
            outside: furniture outside of it.
            columns: whether columns and boxes with sentences are furniture.
        """
        body, sizes, title = self._body, self._sizes, self._title.printed
        known = set(outside)
        names = Names(sizes, title, core.whole, strict=core.strict, columns=columns)
        named = outermost(core.element, lambda one: one in known or names.is_furniture(one))
        found = [*outside, *(one for one in named if one not in known)]
        if columns:
            found += Boxes(core.element, found, sizes, self._cards, title).find()
        found += around.above_title(found)
        found += around.closing(found)
        return [*found, *FurnitureHeadings(body, found, sizes, self._title).find()]

    def _leaves_enough(self, found: list[etree._Element]) -> bool:
        """Return True if enough of the page is left without its furniture; readers' comments do not count."""
        body, sizes = self._body, self._sizes
        least = min(self._rest, _LEAST) if self._title.printed is None else 1
        said = sum(sizes.of(one).own for one in found if by_readers(one))
        if sizes.own(body, found) >= max(_ENOUGH * (self._rest - said), least):
            return True
        return sizes.left(body, set(found)) >= _HALF * sizes.left(body, set(self._stated))

    def _sides(self, core: Core, found: list[etree._Element]) -> dict[etree._Element, ComponentType]:
        """Return for each furniture element whether it is a header or, after the text, a footer."""
        earlier, inner = before(self._body, core.element), set(core.element.iter())
        behind = {one for one in found if one not in earlier and (one not in inner or local(one) == "footer")}
        return {one: ComponentType.FOOTER if one in behind else ComponentType.HEADER for one in found}

    def _shown(self) -> Iterator[etree._Element]:
        """Yield the text elements of the page, in document order."""
        stack = [self._body]
        while stack:
            element = stack.pop()
            if element in self.furniture or hidden(element):
                continue
            yield element
            stack.extend(reversed(element))
