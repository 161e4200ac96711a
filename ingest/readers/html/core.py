"""The core of a web page: the element around its text, stated by the page or found as the one with most words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.html.links import types
from ragraph.ingest.readers.html.sizes import LINE
from ragraph.ingest.readers.html.tree import NO_LEVEL, highest_level, is_article, outermost
from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree

    from ragraph.ingest.readers.html.sizes import Sizes

_MAIN = 0.2
_ARTICLE = 0.6
"""Minimum share of the text in a ``main`` and in an ``article`` for it to be accepted as the core."""

_LINKED = 0.5
"""Minimum share of all letters, including links, in a ``main`` for it to be accepted."""

_MOST = 0.7
"""Minimum share of the text in the core of a page that states none."""

_CONTAINERS = frozenset({"div", "section", "article", "main", "td", "tr", "table", "tbody", "form", "center", "span"})


class Core(NamedTuple):
    """The element around the text of a page.

    Attributes:
        element: that element, or the whole body.
        alone: whether the page states that all of its text is in it.
        strict: whether the page names its text, by ``main``.
        whole: letters of its text, at least 1, without links and stated furniture.
    """

    element: etree._Element
    alone: bool
    strict: bool
    whole: int


class CoreFinder:
    """Finds the core of one page.

    Args:
        body: the page.
        sizes: its letters.
        title: the heading that shows its title, or None.
        stated: elements that state themselves to be furniture.
    """

    def __init__(
        self, body: etree._Element, sizes: Sizes, title: etree._Element | None, stated: list[etree._Element]
    ) -> None:
        self._body, self._sizes, self._title, self._stated = body, sizes, title, stated

    def find(self) -> Core:
        """Return the text that the page states, else the innermost element that has most of it."""
        outer, rest, strict = self._body, self._text(self._body), False
        main, size = self._largest(outermost(outer, lambda one: local(one) == "main" or "main" in types(one)))
        if main is not None and (size >= max(_MAIN * rest, 1) or self._is_most(main)):
            outer, rest, strict = main, size, True
        article, size = self._largest(outermost(outer, is_article))
        if article is not None and size >= max(_ARTICLE * rest, 1) and not self._leaves_title(outer, article):
            return self._core(article, strict=strict)
        return self._core(outer, alone=True, strict=True) if strict else self._core(self._narrowed(rest))

    def _core(self, element: etree._Element, *, alone: bool = False, strict: bool = False) -> Core:
        return Core(element, alone, strict, max(self._text(element), 1))

    def _narrowed(self, rest: int) -> etree._Element:
        """Return the innermost element with most of the text that excludes neither the title nor an introduction."""
        core = self._body
        while True:
            best, size = self._largest(one for one in core if local(one) in _CONTAINERS and one not in self._stated)
            if best is None or size < max(_MOST * rest, 1):
                return core
            if self._leaves_title(core, best) or self._is_introduced(best) or self._is_one_of_several(best):
                return core
            core = best

    def _largest(self, elements: Iterable[etree._Element]) -> tuple[etree._Element | None, int]:
        """Return the element that has most of the text, the last of equal ones, and its number of letters."""
        sized = [(self._text(one), number, one) for number, one in enumerate(elements)]
        size, _, element = max(sized, default=(0, 0, None))
        return element, size

    def _text(self, element: etree._Element) -> int:
        return self._sizes.own(element, self._stated)

    def _is_most(self, main: etree._Element) -> bool:
        """Return True if an element has most of the page, links counted: pages of lists and cards have little else."""
        left, stated = self._sizes.left, set(self._stated)
        return left(main, stated) > _LINKED * left(self._body, stated)

    def _is_introduced(self, element: etree._Element) -> bool:
        """Return True if an element is a table with a paragraph right above it."""
        above = element.getprevious()
        if local(element) != "table" or above is None or local(above) != "p":
            return False
        return self._sizes.of(above).own >= LINE

    def _is_one_of_several(self, element: etree._Element) -> bool:
        """Return True if a similar section is beside one: both have a heading of the same level, and text."""
        level = highest_level(element)
        if level == NO_LEVEL or not element.get("class"):
            return False
        return any(
            local(one) == local(element)
            and one.get("class") == element.get("class")
            and highest_level(one) == level
            and self._text(one) >= LINE
            for one in (*element.itersiblings(), *element.itersiblings(preceding=True))
        )

    def _leaves_title(self, outer: etree._Element, inner: etree._Element) -> bool:
        """Return True if the title of the page is in the outer element, but not in the inner one."""
        if self._title is None:
            return False
        around = set(self._title.iterancestors())
        return outer in around and inner not in around
