"""What of a web page is furniture by what it is called or states to be: roles, and words in classes and ids.

Names count only with what density of links or brevity say already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.links import types
from ragraph.ingest.readers.html.sizes import DENSE, LINE, OFFERED, TINY
from ragraph.ingest.readers.html.tree import (
    BLOCKS,
    HEADINGS,
    LISTS,
    among_text,
    ends_sentence,
    furniture,
    named_by,
    wraps_heading,
)
from ragraph.ingest.readers.markup.xml import local

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.readers.html.sizes import Size, Sizes

_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tooltip"}
    | {"tablist"}
)
"""Roles of ARIA that furniture states."""

ALWAYS = frozenset(
    {"breadcrumb", "breadcrumbs", "crumbs", "navbar", "navpath", "sidebar", "cookie", "cookies", "consent", "gdpr"}
    | {"share", "sharing", "social", "pagination", "pager", "prevnext", "skiplink", "skip", "advert", "advertisement"}
    | {"ads", "newsletter", "subscribe", "signup", "noprint", "printfooter", "catlinks", "editsection"}
    | {"footer"}
)
"""Words in classes and ids of what is furniture if it is short or made of links."""

_SHARING = frozenset({"share", "sharing", "social"})
"""Words of what holds signs to share the page, and of what tells of sharing something else."""

_LINKED = frozenset(
    {"nav", "navigation", "menu", "banner", "header", "modal", "popup", "overlay", "toolbar", "tags"}
    | {"topbar", "masthead", "login", "more", "toc", "next", "prev", "previous", "headlines"}
)
"""Words of what is furniture only if it is made of links: text may stand in them as well."""

_LEADING = frozenset({"nav", "navigation"})
"""Words of what is furniture with fewer links where it is short: what a page has no part of is named without one."""

OFFERS = frozenset(
    {"related", "recommended", "recommendations", "upsell", "crosssell", "similar", "teaser", "teasers", "promo"}
    | {"sponsored", "trending", "popular", "relatedlinks", "relatedposts", "relacionadas", "relacionados"}
)
"""Words of what leads to other pages: there a third of links is enough, since prices and first lines go with them."""

RELATED = frozenset({"related", "relatedposts", "relacionadas", "relacionados", "yarpp", "recommendations"})
"""Words of what leads to other pages, whatever is said of them, where it stands behind the text."""

_COLUMNS = frozenset(
    {"sidebar", "widget-area", "comments", "commentlist", "comment-list", "comment-respond", "respond", "disqus_thread"}
    | {"author-box", "authorbox", "author-bio", "tagcloud"}
)
"""Whole names of columns beside the text and of what readers said to it: furniture however long, but within an article,
and where paragraphs stand beside it, as around a box in the text."""

_PARTS = frozenset({"card", "panel", "box", "tile"})
"""Whole names of parts of a text that have a footer of their own."""

_SHORT = 300
"""Letters below which a block with the name of furniture is taken for it."""

_ALL_LINKS = 0.8
_WHOLLY = 0.95
"""Shares of letters in links of what has no name of furniture: of several links, and of one around a heading."""

_INDEX = 3
"""How many times as long as the rest of the text cards are that are what the page is for."""

_MARK = 4
"""Letters of a link to a part of an index: "A", "A-I", "2019"."""

_ROWS = 3
"""Rows of a table of links that is no menu."""

_WORDS = 20
"""Letters of a cell that says what the links beside it are."""

_PART = 0.3
_HALF = 0.5
"""Shares of the text of the page above which a block is its text, whatever it is called, and one called a footer."""


def states_furniture(element: etree._Element) -> bool:
    """Whether an element states itself to be furniture."""
    stated = types(element)
    if stated & _ROLES or local(element) in ("nav", "dialog"):
        return "doc-toc" not in stated
    return local(element) in ("header", "footer") and furniture(element)


class Names:
    """Which blocks within the text of a page are furniture by their names, and by their links or their brevity.

    Args:
        sizes: letters of the page.
        title: the element that shows its title, which no furniture holds.
        whole: letters of its text, links left out.
        strict: whether the page names its text, so that links in it are no furniture unless they are called that.
        columns: whether columns are furniture that hold sentences.
    """

    def __init__(self, sizes: Sizes, title: etree._Element | None, whole: int, *, strict: bool, columns: bool) -> None:
        self._sizes, self._title = sizes, title
        self._whole, self._longest = whole, max(_PART * whole, TINY)
        self._strict, self._columns = strict, columns

    def is_furniture(self, element: etree._Element) -> bool:
        """Whether an element is furniture."""
        if states_furniture(element):
            return True
        size = self._sizes.of(element)
        if local(element) in HEADINGS:
            return _is_register(size) and not self._holds_title(element)
        if local(element) not in BLOCKS or size.own > self._longest_of(element, size) or self._holds_title(element):
            return False
        if _is_told(element, size, self._sizes) or _ends_part(element, size):
            return False
        return (
            (local(element) == "form" and size.letters < _SHORT)
            or (self._columns and _is_column(element))
            or _is_aside(element, size)
            or _is_named(element, size)
            or (not self._strict and self._is_of_links(element, size))
        )

    def _longest_of(self, element: etree._Element, size: Size) -> float:
        """Return how long a block may be that is furniture: of a short page, half for what is called its footer."""
        if size.letters < _SHORT and "footer" in named_by(element):
            return max(_HALF * self._whole, TINY)
        return self._longest

    def _holds_title(self, element: etree._Element) -> bool:
        """Whether the title of the page stands in a block, or a heading that may be it."""
        return any(one is self._title or local(one) == "h1" for one in element.iter())

    def _is_of_links(self, element: etree._Element, size: Size) -> bool:
        """Whether a block is nothing but links: one around a heading, or several that no line introduces."""
        if size.density > _WHOLLY and any(wraps_heading(one) for one in element.iter("{*}a")):
            introduced = _is_introduced(element) or (self._title is not None and element.getprevious() is self._title)
            return not (introduced and size.letters > _INDEX * self._whole)
        several = size.links > 3 and size.density > _ALL_LINKS and size.own < _SHORT
        if not several or local(element) == "p" or _is_introduced(element) or self._holds_line(element):
            return False
        return not self._is_table(element) and not any(self._says_of_links(row) for row in element.iter("{*}tr"))

    def _is_table(self, element: etree._Element) -> bool:
        """Whether a block is a table of several rows, most of them of several cells: an overview."""
        rows = [one for one in element.iter("{*}tr") if self._sizes.of(one).letters]
        full = [row for row in rows if sum(self._sizes.of(cell).letters > 0 for cell in row) > 1]
        return len(full) >= _ROWS and 2 * len(full) > len(rows)

    def _says_of_links(self, row: etree._Element) -> bool:
        """Whether a cell of some words stands beside one with a link."""
        sizes = [self._sizes.of(cell) for cell in row]
        return any(not one.links and one.own >= _WORDS for one in sizes) and any(one.links for one in sizes)

    def _holds_line(self, element: etree._Element) -> bool:
        """Whether a line of text stands above the links in a block, or an index below a heading in it."""
        if any(local(one) == "p" and self._sizes.of(one).own >= LINE for one in element.iterdescendants()):
            return True
        indexes = (one for one in element.iterdescendants("{*}dl") if _is_introduced(one))
        return any(self._sizes.of(term).own for one in indexes for term in one.iterchildren("{*}dt"))


def _is_register(size: Size) -> bool:
    """Whether a heading is nothing but links of a few letters each: the letters or years of an index."""
    return size.links > 3 and size.density > _WHOLLY and size.letters <= _MARK * size.links


def _is_column(element: etree._Element) -> bool:
    """Whether a block has the name of a column, and no text stands around it."""
    return not _COLUMNS.isdisjoint(named_by(element, whole=True)) and not among_text(element)


def _is_aside(element: etree._Element, size: Size) -> bool:
    """Whether a block set aside is a line without a paragraph, or made of links, as a footer may be."""
    if local(element) == "aside" and size.letters < TINY and not _has_paragraph(element):
        return True
    return local(element) in ("aside", "footer") and size.density > DENSE and size.links > 1


def _is_named(element: etree._Element, size: Size) -> bool:
    """Whether a block has the name of furniture, and the links or the brevity that go with that name."""
    named, dense = named_by(element), size.density > DENSE
    if named & ALWAYS and (dense or size.letters < _SHORT):
        return True
    led = (named & _LINKED and dense) or (named & OFFERS and size.density > OFFERED)
    leading = named & _LEADING and size.density > OFFERED and size.letters < _SHORT and not ends_sentence(element)
    led = led or leading
    return size.links > 1 and bool(led)


def _is_told(element: etree._Element, size: Size, sizes: Sizes) -> bool:
    """Whether a block that is called a place to share holds a sentence and nothing to share by: no link, no form."""
    if not named_by(element) & _SHARING or size.links or local(element) == "form":
        return False
    return any(sizes.of(one).own >= LINE and ends_sentence(one) for one in element.iter("{*}p"))


def _ends_part(element: etree._Element, size: Size) -> bool:
    """Whether a block without links is the footer of a part of the text, as of a card, not of the page."""
    around = element.getparent()
    parts = named_by(around, whole=True) & _PARTS if around is not None else set()
    return not size.links and any(f"{part}-footer" in named_by(element, whole=True) for part in parts)


def _is_introduced(element: etree._Element) -> bool:
    """Whether a line stands right above a block, or a heading right above a list or table, or what is set as one."""
    at = element
    while (parent := at.getparent()) is not None and len(parent) == 1 and local(parent) != "body":
        at = parent
    above = at.getprevious()
    if above is None:
        return False
    at = element
    while local(at) == "div" and len(at) == 1 and not (at.text or "").strip():
        at = at[0]
    line = local(above) == "p" or (local(above) == "div" and _is_line(above))
    return line or (local(above) in HEADINGS and (local(at) in (*LISTS, "dl", "table") or _is_listed(at)))


def _is_line(element: etree._Element) -> bool:
    """Whether a block is a sentence and holds no other block."""
    return ends_sentence(element) and not any(local(one) in BLOCKS for one in element.iterdescendants())


def _is_listed(element: etree._Element) -> bool:
    """Whether a block is made of blocks of a link each, as the items of a list."""
    return len(element) > 1 and all(local(one) in BLOCKS and one.find("{*}a") is not None for one in element)


def _has_paragraph(element: etree._Element) -> bool:
    """Whether an element holds a paragraph, or is one: no block stands in it."""
    return element.find(".//{*}p") is not None or not any(local(one) in BLOCKS for one in element)
