"""What of a web page is its text, and what stands around it: menus, sidebars, notes on cookies, signs of anchors.

What pages state counts first (``main``, ``article``, ``nav``, ARIA's roles, ``hidden``); where they state nothing, the
text is where most of the words are that are no links. Names of classes only add to what density of links or brevity
say already. What is furniture stays in the draft, in headers and footers, so that nothing is lost by a wrong guess;
only controls and signs are taken out.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.links import INLINE, classes, types
from ragraph.ingest.readers.html.offers import (
    Cards,
    by_readers,
    is_box,
    is_column,
    is_inline,
    is_label,
    leads_on,
    shares,
    turns_back,
)
from ragraph.ingest.readers.html.sizes import Sizes
from ragraph.ingest.readers.html.tree import (
    BLOCKS,
    HEADINGS,
    LISTS,
    NO_LEVEL,
    among_text,
    before,
    furniture,
    highest_level,
    is_article,
    letters,
    level_of,
    named_by,
    off,
    outermost,
    precedes,
    section_of,
    wraps_heading,
)
from ragraph.ingest.readers.markup.xml import local, words
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

_ROLES = frozenset(
    {
        "navigation",
        "banner",
        "contentinfo",
        "search",
        "dialog",
        "alertdialog",
        "menu",
        "menubar",
        "toolbar",
        "tooltip",
        "tablist",
    }
)
_ALWAYS = frozenset(
    {"breadcrumb", "breadcrumbs", "crumbs", "navbar", "navpath", "sidebar", "cookie", "cookies", "consent", "gdpr"}
    | {"share", "sharing", "social", "pagination", "pager", "prevnext", "skiplink", "skip", "advert", "advertisement"}
    | {"ads", "newsletter", "subscribe", "signup", "noprint", "printfooter", "catlinks", "editsection"}
    | {"footer"}
)
"""Words in classes and ids of what is furniture if it is short or made of links."""

_LINKED = frozenset(
    {"nav", "navigation", "menu", "banner", "header", "modal", "popup", "overlay", "toolbar", "tags"}
    | {"topbar", "masthead", "login", "more", "toc", "next", "prev", "previous", "headlines"}
)
"""Words of what is furniture only if it is made of links: text may stand in them as well."""

_OFFERS = frozenset(
    {"related", "recommended", "recommendations", "upsell", "crosssell", "similar", "teaser", "teasers", "promo"}
    | {"sponsored", "trending", "popular", "relatedlinks", "relatedposts", "relacionadas", "relacionados"}
)
"""Words of what leads to other pages: there a third of links is enough, since prices and first lines go with them."""

_RELATED = frozenset({"related", "relatedposts", "relacionadas", "relacionados", "yarpp", "recommendations"})
"""Words of what leads to other pages, whatever is said of them, where it stands behind the text."""

_COLUMNS = frozenset(
    {"sidebar", "widget-area", "comments", "commentlist", "comment-list", "comment-respond", "respond", "disqus_thread"}
    | {"author-box", "authorbox", "author-bio", "tagcloud"}
)
"""Whole names of columns beside the text and of what readers said to it: furniture however long, but within an article,
and where paragraphs stand beside it, as around a box in the text."""

_SHORT = 300
"""Letters below which a block with the name of furniture is taken for it."""

_TINY = 100
"""Letters below which an ``aside`` is taken for furniture."""

_PROSE = 200
"""Letters of a paragraph beside the text that is kept."""

_LEAD = 60
"""Letters of a sentence between the title and the text that is kept."""

_OFFERED = 0.3
_DENSE = 0.5
_ALL_LINKS = 0.8
_WHOLLY = 0.95
"""Shares of letters in links: of offers, of what has the name of furniture, and of what has none."""

_PART = 0.3
"""Share of the text of the page above which a block is its text, whatever it is called."""

_LINE = 40
"""Letters of a paragraph above a table that belongs to it."""

_ABOVE = 0.2
"""Share of the text of the page above which what stands over the title is text too."""

_CORE = 0.7
"""Share of the text of a page that the element around its text holds."""


class Page:
    """The furniture of one page.

    Attributes:
        furniture: HEADER or FOOTER of each element that is furniture, the outermost only.
        title: the heading that is the title of the page, null if it has none.
        first: number that headings of the first level have (``h2`` below a title: 2).
        kickers: headings right above the title and of a lower rank, which name its topic and begin no section.
        nested: whether headings start anew with ``h1`` in each section, so that sections give the levels.
    """

    def __init__(self, root: etree._Element, body: etree._Element) -> None:
        stated = next((words(found) for found in root.iter("{*}title") if words(found)), "")
        unbracketed = re.sub(r"\s\([^()]*\)$", "", stated)  # "Title (Name of the site)"
        parts = (stated, unbracketed, *re.split(r"\s[-–—|·:»«]\s|: ", stated))
        self._names = {letters(part) for part in parts} - {""}
        self._sizes = Sizes(body)
        self._cards = Cards(body, self._sizes)
        self.furniture: dict[etree._Element, ComponentType] = {}
        self._printed = self._printed_title(body)
        self._settle(body)
        headings = [found for found in self._shown(body) if local(found) in HEADINGS and words(found)]
        self.title = self._title(headings)
        self.kickers = self._kickers(headings)
        headings = [found for found in headings if found not in self.kickers]
        firsts = [found for found in headings if local(found) == "h1"]
        self.first = 2 if self.title is not None and set(firsts) <= {self.title} else 1
        if self.title is not None and not firsts:  # a title in h2 above headings in h3
            above = level_of(self.title)
            deeper = all(level_of(one) > above for one in headings if one is not self.title)
            self.first = above + 1 if deeper else 2
        self.nested = len(firsts) == len(headings) > 1 and any(
            (outer := section_of(above)) is not None
            and outer in inner.iterancestors()
            and section_of(inner) is not outer
            for above, inner in pairwise(firsts)
        )

    def _settle(self, body: etree._Element) -> None:
        stated = list(outermost(body, self._states))
        rest = self._sizes.own(body, stated)
        main, alone, strict = self._main(body, rest, stated)
        whole = max(self._sizes.own(main, stated), 1)
        outside = [one for one in stated if main not in one.iter()]
        if main is not body:
            outside += self._around(body, main, strict=alone)
        least = min(rest, _LEAST) if self._printed is None else 1
        # where too little would be left: without the columns that hold sentences, then what the page states only
        for columns in (True, False):
            found = self._found(body, main, outside, whole, strict=strict, columns=columns)
            said = sum(self._sizes.of(one).own for one in found if by_readers(one))
            enough = self._sizes.own(body, found) >= max(_ENOUGH * (rest - said), least)
            if enough or self._sizes.left(body, set(found)) >= _HALF * self._sizes.left(body, set(stated)):
                break
        else:
            found = stated if rest else []
        earlier, inner = before(body, main), set(main.iter()) if main is not body else set()
        for one in found:
            late = one not in earlier and (one not in inner or local(one) == "footer")
            behind = late and (main is not body or local(one) == "footer")
            self.furniture[one] = ComponentType.FOOTER if behind else ComponentType.HEADER

    def _found(
        self,
        body: etree._Element,
        main: etree._Element,
        outside: list[etree._Element],
        whole: int,
        *,
        strict: bool,
        columns: bool,
    ) -> list[etree._Element]:
        """Return the furniture of a page: what stands outside of its text, and what does within it."""
        known = set(outside)
        within = outermost(main, lambda e: e in known or self._is_named(e, whole, strict=strict, columns=columns))
        found = [*outside, *(one for one in within if one not in known)]
        if columns:
            found += self._boxes(main, found)
        return self._with_headings(body, [*found, *self._above_title(main, found, whole)])

    def _boxes(self, main: etree._Element, known: Iterable[etree._Element]) -> Iterator[etree._Element]:
        """Yield what stands within the text and is not of it: links to other texts, and boxes behind it."""
        whole, others = self._sizes.own(main, known), set(known)
        title = {self._printed, *self._printed.iterancestors()} if self._printed is not None else set()
        begins = self._sizes.start(self._printed if self._printed is not None and main in title else main)

        def is_one(element: etree._Element) -> bool:
            name, size = local(element), self._sizes.of(element)
            if element in others:
                return True
            if element in title or not size.letters or (name not in BLOCKS and name not in _BOXED):
                return False
            if is_inline(element):
                return False
            if leads_on(element, size) or turns_back(element, size) or shares(element, size):
                return True
            if name not in BLOCKS and name not in ("article", "li"):
                return False
            cards = self._cards.count(element)
            nested = name in ("article", "aside") and any(local(up) == "article" for up in element.iterancestors())
            if cards == 1 and (nested or named_by(element) & _OFFERS):
                return True
            above = self._sizes.start(element) - begins
            if size.own > _OFFER * whole:
                return False
            if above >= _PROSE and by_readers(element):
                return True
            if is_column(element) and not among_text(element):
                return True
            if cards > 1 and above >= max(_PROSE, _LATE * (self._sizes.of(main).own - size.own)):
                return True
            if above >= _LATE * whole and size.links > 1 and named_by(element) & _RELATED:
                return True
            return above >= _PROSE and is_box(element, size, form=next(element.iter("{*}form"), None) is not None)

        for one in outermost(main, is_one):
            if one not in others:
                others.add(one)
                yield one
        for one in main.iter():
            if local(one) in _BOXED and one not in title and not is_inline(one) and is_label(one, self._sizes.of(one)):
                yield from self._labelled(one, others, whole)

    def _labelled(self, label: etree._Element, known: set[etree._Element], whole: int) -> Iterator[etree._Element]:
        """Yield a label of other texts and what follows it in its block, where that leads to other texts."""
        if known & {label, *label.iterancestors()}:
            return
        level = highest_level(label)
        below: list[etree._Element] = []
        for beside in label.itersiblings():
            if not self._sizes.of(beside).letters:
                continue
            if beside not in known and highest_level(beside) <= level < NO_LEVEL and not self._cards.count(beside):
                break
            below.append(beside)
        letters = sum(self._sizes.left(one, known) for one in below)
        own = sum(self._sizes.own(one, known) for one in below if one not in known)
        if below and own < _OFFER * whole and own <= (1 - _OFFERED) * letters:
            yield from (label, *(one for one in below if one not in known))

    def _above_title(self, main: etree._Element, found: list[etree._Element], whole: int) -> list[etree._Element]:
        """Return what stands above the title within the text and is no prose, as names and slogans of the site."""
        title = self._printed
        if title is None or main not in title.iterancestors():
            return []
        known, above = set(found), []
        around = title.getparent()
        for beside in off(main, title):
            apart = beside.getparent() is not around  # what stands right above a title belongs to it
            if apart and beside not in known and self._sizes.of(beside).letters and precedes(beside, title):
                above.append(beside)
        if any(self._has_prose(one, set()) or highest_level(one) < NO_LEVEL for one in above) or sum(
            self._sizes.of(one).own for one in above
        ) > max(_ABOVE * whole, _TINY):
            return []
        return above

    def _with_headings(self, body: etree._Element, found: list[etree._Element]) -> list[etree._Element]:
        """Add the headings below which there is nothing but furniture."""
        known, added = set(found), []
        for heading in [one for one in body.iter() if local(one) in HEADINGS and one is not self._printed]:
            at, parent, level = heading, heading.getparent(), highest_level(heading)
            alone = heading  # the outermost element that shows the heading and nothing else
            while parent is not None and at is not body and known.isdisjoint((at, *at.iterancestors())):
                if at.tail and at.tail.strip():
                    break
                shown = [one for one in at.itersiblings() if self._sizes.of(one).letters]
                if not shown:
                    at, parent = parent, parent.getparent()
                    alone = at if self._sizes.of(at).letters == self._sizes.of(heading).letters else alone
                    continue
                ends = (number for number, one in enumerate(shown) if self._opens(one, level, known))
                below = shown[: next(ends, len(shown))]
                if below and not any(self._sizes.left(one, known) for one in below):
                    added.append(alone)
                    known.add(alone)
                break
        return [*found, *added]

    def _opens(self, element: etree._Element, level: int, known: set[etree._Element]) -> bool:
        """Whether an element holds text below a heading of this level or above."""
        return self._sizes.left(element, known) > 0 and highest_level(element) <= level

    def _shown(self, body: etree._Element) -> Iterator[etree._Element]:
        """Yield what is text of the page, in document order."""
        stack = [body]
        while stack:
            element = stack.pop()
            if element in self.furniture or hidden(element):
                continue
            yield element
            stack.extend(reversed(element))

    def _states(self, element: etree._Element) -> bool:
        """Whether an element states itself to be furniture."""
        stated = types(element)
        if stated & _ROLES or local(element) in ("nav", "dialog"):
            return "doc-toc" not in stated
        return local(element) in ("header", "footer") and furniture(element)

    def _main(self, body: etree._Element, rest: int, stated: list[etree._Element]) -> tuple[etree._Element, bool, bool]:
        """Return the element around the text, whether the page says that it is all, and whether it names one."""

        def largest(elements: Iterable[etree._Element]) -> tuple[etree._Element | None, int]:
            sized = [(self._sizes.own(one, stated), number, one) for number, one in enumerate(elements)]
            size, _, one = max(sized, default=(0, 0, None))
            return one, size

        outer, strict = body, False
        shown, size = largest(outermost(body, lambda e: local(e) == "main" or "main" in types(e)))
        if shown is not None and size >= max(0.2 * rest, 1):
            outer, strict, rest = shown, True, size
        article, size = largest(outermost(outer, is_article))
        if article is not None and size >= max(0.6 * rest, 1) and not self._leaves_title(outer, article):
            return article, False, strict
        if strict:
            return outer, True, True
        core = body
        while True:
            best, size = largest(one for one in core if local(one) in _CONTAINERS and one not in stated)
            if best is None or size < max(_CORE * rest, 1) or self._leaves_title(core, best) or self._introduced(best):
                return core, False, False
            core = best

    def _introduced(self, element: etree._Element) -> bool:
        """Whether an element is a table with a paragraph right above it."""
        above = element.getprevious()
        return (
            local(element) == "table"
            and above is not None
            and local(above) == "p"
            and self._sizes.of(above).own >= _LINE
        )

    def _leaves_title(self, outer: etree._Element, inner: etree._Element) -> bool:
        """Whether the title of the page stands in an element, but not in one within it."""
        title = self._printed
        return title is not None and outer in title.iterancestors() and inner not in title.iterancestors()

    def _around(self, body: etree._Element, main: etree._Element, *, strict: bool) -> Iterator[etree._Element]:
        """Yield what stands beside the text: all of it where the page states its text, else what is no prose."""
        title = (
            self._printed if not any(local(one) in HEADINGS and self._is_title(one) for one in main.iter()) else None
        )
        leads = self._below_title(body, main)
        at = main
        while at is not body and (parent := at.getparent()) is not None:
            for beside in parent:
                if beside is at or not local(beside) or not self._sizes.of(beside).letters:
                    continue
                if title is not None and title in beside.iter():
                    yield from (one for one in off(beside, title) if not self._has_prose(one, leads))
                elif strict:
                    yield beside
                else:
                    yield from self._no_prose(beside, leads)
            at = parent

    def _below_title(self, body: etree._Element, main: etree._Element) -> set[etree._Element]:
        """Return what stands between the title of the page and its text."""
        return set() if self._printed is None else before(body, main) - before(body, self._printed)

    def _no_prose(self, element: etree._Element, leads: set[etree._Element]) -> Iterator[etree._Element]:
        """Yield an element beside the text, or where a paragraph stands in it, what stands beside that in it."""
        if not self._has_prose(element, leads):
            yield element
            return
        for child in element:
            if self._sizes.of(child).letters and local(child) in BLOCKS:
                yield from self._no_prose(child, leads)

    def _has_prose(self, element: etree._Element, leads: set[etree._Element]) -> bool:
        """Whether a paragraph of some length stands in an element not made of links, or a sentence below the title."""
        if named_by(element) & (_ALWAYS | _OFFERS) or self._sizes.of(element).density > _DENSE:
            return False
        if element not in leads and (by_readers(element) or is_box(element, self._sizes.of(element), form=True)):
            return False
        inner = any(local(child) in BLOCKS for child in element.iterdescendants())
        size = self._sizes.of(element)
        if not inner and size.density < _OFFERED:
            if size.own >= _PROSE:
                return True
            if (
                element in leads
                and size.own >= _LEAD
                and words(element).rstrip("\"'»”’)").endswith((".", "!", "?", "…", "。"))
            ):
                return True
        least = _LEAD if element in leads else _PROSE
        return any(self._has_prose(child, leads) for child in element if self._sizes.of(child).own >= least)

    def _is_named(self, element: etree._Element, whole: int, *, strict: bool, columns: bool) -> bool:
        """Whether a block within the text is furniture: by its name, and by its links or its brevity."""
        if self._states(element):
            return True
        name, size = local(element), self._sizes.of(element)
        if self._printed is not None and self._printed in element.iter():
            return False
        if (
            name not in BLOCKS
            or size.own > max(_PART * whole, _TINY)
            or any(local(one) == "h1" for one in element.iter())
        ):
            return False
        named, dense = named_by(element), size.density > _DENSE
        if name == "form" and size.letters < _SHORT:
            return True
        if columns and _COLUMNS & named & named_by(element, whole=True) and not among_text(element):
            return True
        if name == "aside" and size.letters < _TINY and not _has_paragraph(element):
            return True
        if name in ("aside", "footer") and dense and size.links > 1:
            return True
        if named & _ALWAYS and (dense or size.letters < _SHORT):
            return True
        if size.links > 1 and ((named & _LINKED and dense) or (named & _OFFERS and size.density > _OFFERED)):
            return True
        if not strict and size.density > _WHOLLY and any(wraps_heading(one) for one in element.iter("{*}a")):
            return True
        several = size.links > 3 and size.density > _ALL_LINKS and size.own < _SHORT and name != "p"
        above = element.getprevious()
        introduced = above is not None and (local(above) == "p" or (local(above) in HEADINGS and name in LISTS))
        return several and not strict and not introduced and not self._holds_sentence(element)

    def _holds_sentence(self, element: etree._Element) -> bool:
        """Whether a line of text stands above the links in a block."""
        return any(local(one) == "p" and self._sizes.of(one).own >= _LINE for one in element.iterdescendants())

    def _is_title(self, element: etree._Element) -> bool:
        """Whether an element shows what the page calls itself, or the part of that before or after a line.

        A heading of the first level, or what is called a title, may also say more than that, or less.
        """
        if not 0 < self._sizes.of(element).letters < _LONGEST_TITLE:
            return False
        shown = letters(words(element))
        first = local(element) == "h1" or "title" in classes(element)
        if shown in self._names or not first or len(shown) < _TELLING:
            return shown in self._names
        if local(element) not in HEADINGS and any(len(one) >= _TELLING and shown.endswith(one) for one in self._names):
            return True  # "Name of a class Member List", where the page calls itself "Project: Member List"
        return any(shown in name or (name in shown and 2 * len(name) > len(shown)) for name in self._names)

    def _printed_title(self, body: etree._Element) -> etree._Element | None:
        """Return what shows the name of the page: above the middle the last that does (the site comes first).

        A line that is no heading becomes one.
        """
        found: list[tuple[bool, bool, int, etree._Element]] = []
        half = self._sizes.of(body).own / 2
        for number, element in enumerate(body.iter()):
            name, size = local(element), self._sizes.of(element)
            if name not in HEADINGS and name not in ("div", "p"):
                continue
            within = any(local(one) in BLOCKS or local(one) in HEADINGS for one in element.iterdescendants())
            alone = letters(element.text or "") in self._names
            if not (alone if within else self._is_title(element) and (name in HEADINGS or size.density < _DENSE)):
                continue
            around = list(element.iterancestors())
            if not any(self._states(one) or hidden(one) or local(one) in ("li", "td", "th") for one in around):
                found.append((self._sizes.start(element) <= half, name == "h1", number, element))
        best = max(found, default=None, key=lambda one: one[:3])
        firsts = list(body.iter("{*}h1"))
        if best is None and not self._names and not firsts:
            lines = [
                one
                for one in body.iter()
                if "title" in classes(one) and 0 < self._sizes.of(one).letters < _LONGEST_TITLE
            ]
            best = (True, False, 0, lines[0]) if len(lines) == 1 and local(lines[0]) in ("div", "p") else None
        if best is None:
            only = [one for one in firsts if words(one) and not any(self._states(up) for up in one.iterancestors())]
            return only[0] if len(only) == 1 else None
        title = best[3]
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

    def _kickers(self, headings: list[etree._Element]) -> set[etree._Element]:
        """Return the headings above the title of the page that rank below it, with no sentence in between."""
        if self.title is None:
            return set()
        above = headings[: headings.index(self.title)]
        begins = self._sizes.start(self.title)
        return {
            one
            for one in above
            if highest_level(one) > highest_level(self.title)
            and begins - self._sizes.start(one) - self._sizes.of(one).own < _LEAD
        }

    def _title(self, headings: list[etree._Element]) -> etree._Element | None:
        firsts = [found for found in headings if local(found) == "h1"]
        if self._printed in headings and (local(self._printed) == "h1" or headings[0] is self._printed):
            return self._printed
        return firsts[0] if len(firsts) == 1 and headings[0] is firsts[0] else None


_BOXED = frozenset({"article", "li", "blockquote", "figure", "span", "a", *HEADINGS})
"""Other elements that may be a line or box which leads to other texts."""

_ENOUGH = 0.25
_HALF = 0.5
"""Shares of the text outside of links, and of all, that are left of a page whose furniture is believed."""

_LEAST = 80
"""Letters that are left of it, if there are as many and no title is."""

_OFFER = 0.5
"""Share of the text of the page above which nothing is a box beside it."""

_LATE = 0.5
"""Share of the text that stands before a box which is behind it."""

_LONGEST_TITLE = 300
_TELLING = 10
"""Letters of a title that is recognised although it is not the same as that of the page."""
_CONTAINERS = frozenset({"div", "section", "article", "main", "td", "tr", "table", "tbody", "form", "center", "span"})


def _has_paragraph(element: etree._Element) -> bool:
    return element.find(".//{*}p") is not None or not any(local(one) in BLOCKS for one in element)
