"""Furniture of a web page by its name: roles, and words in classes and ids.

Names only count together with many links or little text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.links import types
from ragraph.ingest.readers.html.sizes import DENSE, LINE, OFFERED, TINY
from ragraph.ingest.readers.html.tree import (
    BLOCKS,
    HEADINGS,
    LISTS,
    TYPED,
    among_text,
    ends_sentence,
    furniture,
    named_by,
    wraps_heading,
)
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.readers.html.sizes import Size, Sizes

_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tooltip"}
    | {"tablist"}
)
"""ARIA roles of furniture."""

ALWAYS = frozenset(
    {"breadcrumb", "breadcrumbs", "crumbs", "navbar", "navpath", "sidebar", "cookie", "cookies", "consent", "gdpr"}
    | {"share", "sharing", "social", "pagination", "pager", "prevnext", "skiplink", "skip", "advert", "advertisement"}
    | {"ads", "newsletter", "subscribe", "signup", "noprint", "printfooter", "catlinks", "editsection"}
    | {"footer"}
)
"""Words in classes and ids of blocks that are furniture if they are short or made of links."""

_SHARING = frozenset({"share", "sharing", "social"})
"""Words of blocks for sharing the page, and also of text about sharing something else."""

_LINKED = frozenset(
    {"nav", "navigation", "menu", "banner", "header", "modal", "popup", "overlay", "toolbar", "tags"}
    | {"topbar", "masthead", "login", "more", "toc", "next", "prev", "previous", "headlines"}
)
"""Words of blocks that are furniture only if they are made of links, because they may also contain text."""

_LEADING = frozenset({"nav", "navigation"})
"""Words of blocks that are furniture with fewer links if they are short: a page names its own parts differently."""

OFFERS = frozenset(
    {"related", "recommended", "recommendations", "upsell", "crosssell", "similar", "teaser", "teasers", "promo"}
    | {"sponsored", "trending", "popular", "relatedlinks", "relatedposts", "relacionadas", "relacionados"}
)
"""Words of blocks with links to other pages: a third of links is enough, because prices and first lines add text."""

RELATED = frozenset({"related", "relatedposts", "relacionadas", "relacionados", "yarpp", "recommendations"})
"""Words of blocks with links to other pages, whatever their text, if they are after the text."""

_COLUMNS = frozenset(
    {"sidebar", "widget-area", "comments", "commentlist", "comment-list", "comment-respond", "respond", "disqus_thread"}
    | {"author-box", "authorbox", "author-bio", "tagcloud"}
)
"""Complete names of columns beside the text and of readers' comments. They are furniture at any length, except within
an article or beside paragraphs, such as a box in the text."""

_PARTS = frozenset({"card", "panel", "box", "tile"})
"""Complete names of parts of a text that have a footer of their own."""

_SHORT = 300
"""Maximum letters of a block that is furniture by its name."""

_ALL_LINKS = 0.8
_WHOLLY = 0.95
"""Minimum share of letters in links, for blocks without such a name: of several links, and of one with a heading."""

_INDEX = 3
"""Length of cards, as a multiple of the other text, from which on they are the purpose of the page."""

_MARK = 4
"""Maximum letters of a link to a part of an index: "A", "A-I", "2019"."""

_ROWS = 3
"""Minimum rows of a table of links that is not a menu."""

_WORDS = 20
"""Minimum letters of a cell that describes the links beside it."""

_PART = 0.3
_HALF = 0.5
"""Share of the page's text above which a block is text, whatever its name, and the one for a footer."""


def states_furniture(element: etree._Element) -> bool:
    """Return True if an element states itself to be furniture."""
    stated = types(element)
    if stated & _ROLES or local(element) == "nav":
        return "doc-toc" not in stated
    return local(element) in ("header", "footer") and furniture(element)


class Names:
    """Blocks within the text of a page that are furniture by their names, and by their links or their length.

    Args:
        sizes: letters of the page.
        title: the element that shows its title, which is never in furniture.
        whole: letters of its text, without links.
        strict: whether the page names its text, so that links in it are furniture only by name.
        columns: whether columns with sentences are furniture.
    """

    def __init__(self, sizes: Sizes, title: etree._Element | None, whole: int, *, strict: bool, columns: bool) -> None:
        self._sizes, self._title = sizes, title
        self._whole, self._longest = whole, max(_PART * whole, TINY)
        self._strict, self._columns = strict, columns

    def is_furniture(self, element: etree._Element) -> bool:
        """Return True if an element is furniture."""
        size = self._sizes.of(element)
        if _is_box(element, size, self._sizes):
            return False
        if states_furniture(element):
            return True
        if local(element) in HEADINGS:
            return _is_register(size) and not self._holds_title(element)
        if local(element) not in BLOCKS or size.own > self._longest_of(element, size) or self._holds_title(element):
            return False
        if _is_told(element, size, self._sizes) or _ends_part(element, size):
            return False
        return (
            (local(element) == "form" and size.letters < _SHORT and not _is_filled(element))
            or (self._columns and _is_column(element))
            or _is_aside(element, size)
            or _is_named(element, size)
            or (not self._strict and self._is_of_links(element, size))
        )

    def _longest_of(self, element: etree._Element, size: Size) -> float:
        """Return the maximum length of a furniture block: for a footer by name on a short page, half of the page."""
        if size.letters < _SHORT and "footer" in named_by(element):
            return max(_HALF * self._whole, TINY)
        return self._longest

    def _holds_title(self, element: etree._Element) -> bool:
        """Return True if a block has the title of the page, or a heading that may be it."""
        return any(one is self._title or local(one) == "h1" for one in element.iter())

    def _is_of_links(self, element: etree._Element, size: Size) -> bool:
        """Return True if a block is nothing but links: one around a heading, or several without an introducing line."""
        if size.density > _WHOLLY and any(wraps_heading(one) for one in element.iter("{*}a")):
            introduced = _is_introduced(element) or (self._title is not None and element.getprevious() is self._title)
            return not (introduced and size.letters > _INDEX * self._whole)
        several = size.links > 3 and size.density > _ALL_LINKS and size.own < _SHORT
        if not several or local(element) == "p" or _is_introduced(element) or self._holds_line(element):
            return False
        return not self._is_table(element) and not any(self._says_of_links(row) for row in element.iter("{*}tr"))

    def _is_table(self, element: etree._Element) -> bool:
        """Return True if a block is a table of several rows, most of them of several cells: an overview."""
        rows = [one for one in element.iter("{*}tr") if self._sizes.of(one).letters]
        full = [row for row in rows if sum(self._sizes.of(cell).letters > 0 for cell in row) > 1]
        return len(full) >= _ROWS and 2 * len(full) > len(rows)

    def _says_of_links(self, row: etree._Element) -> bool:
        """Return True if a cell with some words is beside one with a link."""
        sizes = [self._sizes.of(cell) for cell in row]
        return any(not one.links and one.own >= _WORDS for one in sizes) and any(one.links for one in sizes)

    def _holds_line(self, element: etree._Element) -> bool:
        """Return True if a line of text is above the links in a block, or an index below a heading in it."""
        if any(local(one) == "p" and self._sizes.of(one).own >= LINE for one in element.iterdescendants()):
            return True
        indexes = (one for one in element.iterdescendants("{*}dl") if _is_introduced(one))
        return any(self._sizes.of(term).own for one in indexes for term in one.iterchildren("{*}dt"))


def _is_register(size: Size) -> bool:
    """Return True if a heading is nothing but links of a few letters each: the letters or years of an index."""
    return size.links > 3 and size.density > _WHOLLY and size.letters <= _MARK * size.links


def _is_column(element: etree._Element) -> bool:
    """Return True if a block has the name of a column, and no text around it."""
    return not _COLUMNS.isdisjoint(named_by(element, whole=True)) and not among_text(element)


def _is_aside(element: etree._Element, size: Size) -> bool:
    """Return True if an aside is a line without a paragraph, or if an aside or footer is made of links."""
    if local(element) == "aside" and size.letters < TINY and not _has_paragraph(element):
        return True
    return local(element) in ("aside", "footer") and size.density > DENSE and size.links > 1


def _is_named(element: etree._Element, size: Size) -> bool:
    """Return True if a block has the name of furniture, and the links or the shortness that the name requires."""
    named, dense = named_by(element), size.density > DENSE
    if named & ALWAYS and (dense or size.letters < _SHORT):
        return True
    led = (named & _LINKED and dense) or (named & OFFERS and size.density > OFFERED)
    leading = named & _LEADING and size.density > OFFERED and size.letters < _SHORT and not ends_sentence(element)
    led = led or leading
    return size.links > 1 and bool(led)


def _is_told(element: etree._Element, size: Size, sizes: Sizes) -> bool:
    """Return True if a block named for sharing has a sentence and nothing to share with, or a sidebar within the text.

    Neither has a link or a form.
    """
    apart = "sidebar" in named_by(element) and _is_amid(element)
    if not (apart or named_by(element) & _SHARING) or size.links or local(element) == "form":
        return False
    return any(sizes.of(one).own >= LINE and ends_sentence(one) for one in element.iter("{*}p"))


def _is_box(element: etree._Element, size: Size, sizes: Sizes) -> bool:
    """Return True if an aside is a box within the text: paragraphs are around it, and it has lines but no link."""
    if local(element) != "aside" or size.links or not _is_amid(element):
        return False
    lines = [one for one in element.iter("{*}p", "{*}li", "{*}dd", "{*}td") if sizes.of(one).own >= LINE]
    return bool(lines) and next(element.iter("{*}form", "{*}button"), None) is None


def _is_amid(element: etree._Element) -> bool:
    """Return True if paragraphs are before and behind a block, beside it."""
    before = any(local(one) == "p" and words(one) for one in element.itersiblings(preceding=True))
    return before and any(local(one) == "p" and words(one) for one in element.itersiblings())


def _is_filled(form: etree._Element) -> bool:
    """Return True if several fields of a form were filled in, one of them with a word."""
    typed = [words(one) for one in form.iter("{*}span") if one.get(TYPED) is not None]
    return len(typed) > 1 and any(one[:1].isalpha() for one in typed)


def _ends_part(element: etree._Element, size: Size) -> bool:
    """Return True if a block without links is the footer of a part of the text, such as a card, not of the page."""
    around = element.getparent()
    parts = named_by(around, whole=True) & _PARTS if around is not None else set()
    return not size.links and any(f"{part}-footer" in named_by(element, whole=True) for part in parts)


def _is_introduced(element: etree._Element) -> bool:
    """Return True if a line is right above a block, or a heading right above a list, table or similar layout."""
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
    """Return True if a block is a sentence and contains no other block."""
    return ends_sentence(element) and not any(local(one) in BLOCKS for one in element.iterdescendants())


def _is_listed(element: etree._Element) -> bool:
    """Return True if a block consists of blocks with a link each, like the items of a list."""
    return len(element) > 1 and all(local(one) in BLOCKS and one.find("{*}a") is not None for one in element)


def _has_paragraph(element: etree._Element) -> bool:
    """Return True if an element has a paragraph, or is one: it contains no block."""
    return element.find(".//{*}p") is not None or not any(local(one) in BLOCKS for one in element)
