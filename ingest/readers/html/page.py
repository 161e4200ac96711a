"""What of a web page is its text, and what stands around it: menus, sidebars, notes on cookies, buttons, signs of anchors.

What pages state counts first (``main``, ``article``, ``nav``, ARIA's roles, ``hidden``); where they state nothing, the
text is where most of the words are that are no links. Names of classes only add to what density of links or brevity
say already. What is furniture stays in the draft, in headers and footers, so that nothing is lost by a wrong guess;
only controls and signs are taken out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.html.inline import HIDDEN, hidden
from ragraph.ingest.readers.html.links import classes, types
from ragraph.ingest.readers.html.tree import HEADINGS, furniture
from ragraph.ingest.readers.markup.xml import local, words
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

_CONTROLS = frozenset({"button", "select", "textarea", "input"})
_LONGEST_LABEL = 150
"""Letters of a button or of a text for screen readers; what is longer is text that was put into one."""

_SIGN = re.compile(r"[\W_\ue000-\uf8ff]*|(perma|direct )?link( to this \w+)?", re.IGNORECASE)
"""What the link beside a heading shows that leads to that heading: "#", "¶", "§", a chain, or a word for it."""

_BESIDE = re.compile(
    r"\[?(view |show |edit )?(source|src|edit|edit this (page|section)|[-+−–])( code)?\]?", re.IGNORECASE
)
"""What links and buttons beside a heading or term show that lead to its source."""

_SIGNS = frozenset({"headerlink", "anchor", "anchor-link", "permalink", "header-anchor", "anchorjs-link", "hash-link"})
_EDIT = frozenset({"mw-editsection", "viewcode-link", "viewcode-back", "srclink"})
_UNSEEN = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader-only", "a11y-hidden"}
)
_LINE_NUMBERS = frozenset({"linenos", "lineno", "linenodiv", "line-numbers", "src-line-numbers", "gutter", "ln"})
_NAMED = frozenset({*HEADINGS, "dt", "caption", "figcaption", "summary"})

_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tooltip"}
)
_ALWAYS = frozenset(
    [
        "breadcrumb",
        "breadcrumbs",
        "crumbs",
        "navbar",
        "navpath",
        "sidebar",
        "cookie",
        "cookies",
        "consent",
        "gdpr",
        "share",
        "sharing",
        "social",
        "pagination",
        "pager",
        "prevnext",
        "skiplink",
        "skip",
        "advert",
        "advertisement",
        "ads",
        "newsletter",
        "subscribe",
        "signup",
        "noprint",
        "printfooter",
        "catlinks",
        "editsection",
        "sitesub",
    ]
)
"""Words in classes and ids of what is furniture if it is short or made of links."""

_LINKED = frozenset(
    [
        "nav",
        "navigation",
        "menu",
        "related",
        "recommended",
        "recommendations",
        "banner",
        "teaser",
        "teasers",
        "promo",
        "sponsored",
        "footer",
        "header",
        "modal",
        "popup",
        "overlay",
        "toolbar",
        "tags",
        "trending",
        "topbar",
        "masthead",
        "login",
        "more",
        "toc",
        "next",
        "prev",
        "previous",
        "headlines",
    ]
)
"""Words of what is furniture only if it is made of links: text may stand in them as well."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_BLOCKS = frozenset(
    {"div", "ul", "ol", "section", "table", "p", "form", "dl", "aside", "header", "footer", "menu", "center"}
)
_SHORT = 300
"""Letters below which a block with the name of furniture is taken for it."""

_DENSE = 0.5
_ALL_LINKS = 0.8
"""Shares of letters in links: of what has the name of furniture, and of what has not."""

_PART = 0.3
"""Share of the text of the page above which a block is its text, whatever it is called."""

_CORE = 0.85
"""Share of the text of a page that the element around its text holds."""


class _Size(NamedTuple):
    letters: int
    linked: int
    links: int

    @property
    def own(self) -> int:
        return self.letters - self.linked

    @property
    def density(self) -> float:
        return self.linked / self.letters if self.letters else 0.0


def prune(root: etree._Element) -> None:
    """Take controls, signs of anchors, numbers of lines and texts that are not seen out of a page."""
    for element in list(root.iter()):
        if element.getparent() is not None and local(element) and _needless(element):
            _drop(element)


def _needless(element: etree._Element) -> bool:
    name, named = local(element), classes(element)
    if name == "dialog":
        return element.get("open") is None
    if name in _CONTROLS:
        held = words(element)
        return len(held) <= _LONGEST_LABEL and not (name == "button" and held and _names(element))
    if named & _EDIT:
        return True
    if named & _UNSEEN:
        return len(words(element)) <= _LONGEST_LABEL
    if named & _LINE_NUMBERS:
        return re.fullmatch(r"[\d\s]*", "".join(map(str, element.itertext()))) is not None
    if name == "a":
        shown = words(element)
        if not shown and (len(element) or element.get("id") or element.get("name")):
            return False
        if _SIGN.fullmatch(shown) and (
            named & _SIGNS or ("#" in (element.get("href") or "") and _within_name(element))
        ):
            return not (element.get("id") or element.get("name"))
        return (
            bool(element.get("href")) and _BESIDE.fullmatch(shown) is not None and _within_name(element, besides=True)
        )
    return False


def _names(element: etree._Element) -> bool:
    """Whether a button is the heading or the term itself, as in a list that unfolds."""
    around = next((found for found in element.iterancestors() if local(found) in _NAMED), None)
    inner = any(local(found) in HEADINGS for found in element.iter())
    return inner or (around is not None and words(around) == words(element))


def _within_name(element: etree._Element, *, besides: bool = False) -> bool:
    for level, around in enumerate(element.iterancestors()):
        if local(around) in _NAMED:
            return words(around) != words(element)
        if besides and level < 2 and any(local(found) in HEADINGS for found in around):
            return True
        if level > 3:
            break
    return False


def _drop(element: etree._Element) -> None:
    """Take an element out, not the text behind it."""
    parent, previous = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail:
        if previous is not None:
            previous.tail = (previous.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


class Page:
    """The furniture of one page.

    Attributes:
        furniture: HEADER or FOOTER of each element that is furniture, the outermost only.
        title: the heading that is the title of the page, null if it has none.
        first: number that headings of the first level have (``h2`` below a title: 2).
        nested: whether headings start anew with ``h1`` in each section, so that sections give the levels.
    """

    def __init__(self, root: etree._Element, body: etree._Element) -> None:
        self._stated_title = next((words(found) for found in root.iter("title", "{*}title") if words(found)), "")
        self._sizes = _sizes(body)
        self.furniture: dict[etree._Element, ComponentType] = {}
        self._core = body
        self._settle(body)
        headings = [found for found in self._shown(body) if local(found) in HEADINGS and words(found)]
        self.title = self._title(body, headings)
        firsts = [found for found in headings if local(found) == "h1"]
        others = [found for found in firsts if found is not self.title]
        self.first = 2 if self.title is not None and not others else 1
        self.nested = (
            len(firsts) > 1
            and all(local(found) == "h1" for found in headings)
            and any(
                local(around) in ("section", "article") and around is not _section(outer)
                for outer, inner in zip(firsts, firsts[1:], strict=False)
                for around in [_section(inner)]
                if around is not None and _section(outer) in list(around.iterancestors())
            )
        )

    def _settle(self, body: etree._Element) -> None:
        stated = dict.fromkeys(self._maximal(body, self._states), ComponentType.HEADER)
        rest = self._text(body, stated)
        main, strict = self._main(body, rest, stated)
        self._core = main
        found = dict(stated)
        if main is not body:
            found = {one: kind for one, kind in found.items() if main not in one.iter()}
            self._around(body, main, found, strict=strict)
        whole = max(self._text(main, stated), 1)
        for one in self._maximal(main, lambda e: e in found or self._is_named(e, whole, strict=strict)):
            found.setdefault(one, ComponentType.HEADER)
        kept = self._text(body, found)
        if kept < max(0.25 * rest, min(rest, 80)):  # too little is left: what the page states itself, and no more
            found = stated if rest else {}
        before = set(_before(body, main))
        inner = set(main.iter()) if main is not body else set()
        for one in list(found):
            late = one not in before and (one not in inner or local(one) == "footer")
            found[one] = (
                ComponentType.FOOTER if late and (main is not body or local(one) == "footer") else ComponentType.HEADER
            )
        self.furniture = found

    def _shown(self, body: etree._Element) -> Iterator[etree._Element]:
        """Yield what is text of the page, in document order."""
        stack = [body]
        while stack:
            element = stack.pop()
            if element in self.furniture or hidden(element):
                continue
            yield element
            stack.extend(reversed(element))

    def _maximal(self, root: etree._Element, is_one: object) -> Iterator[etree._Element]:
        stack = [child for child in reversed(root) if local(child)]
        while stack:
            element = stack.pop()
            if is_one(element):  # type: ignore[operator]
                yield element
            else:
                stack.extend(child for child in reversed(element) if local(child) and not hidden(child))

    def _text(self, root: etree._Element, without: dict[etree._Element, ComponentType]) -> int:
        return self._size(root).own - sum(self._size(one).own for one in without if root in one.iterancestors())

    def _size(self, element: etree._Element) -> _Size:
        return self._sizes.get(element, _Size(0, 0, 0))

    def _states(self, element: etree._Element) -> bool:
        """Whether an element states itself to be furniture."""
        stated = types(element)
        if stated & _ROLES or local(element) in ("nav", "dialog"):
            return "doc-toc" not in stated
        return local(element) in ("header", "footer") and furniture(element) and not self._holds(element, "h1")

    def _holds(self, element: etree._Element, name: str) -> bool:
        return any(local(found) == name for found in element.iter())

    def _main(
        self, body: etree._Element, rest: int, stated: dict[etree._Element, ComponentType]
    ) -> tuple[etree._Element, bool]:
        """Return the element around the text, and whether the page itself says that it is."""
        shown = [found for found in self._maximal(body, lambda e: local(e) == "main" or "main" in types(e))]
        for candidates, share in ((shown, 0.2), (list(self._maximal(body, _is_article)), 0.6)):
            best = max(candidates, key=lambda one: self._text(one, stated), default=None)
            if best is not None and self._text(best, stated) >= max(share * rest, 1):
                return best, candidates is shown
        core = body
        while True:
            inner = [one for one in core if local(one) in _CONTAINERS and one not in stated and not hidden(one)]
            best = max(inner, key=lambda one: self._text(one, stated), default=None)
            if best is None or not rest or self._text(best, stated) < _CORE * rest:
                return core, False
            core = best

    def _around(
        self, body: etree._Element, main: etree._Element, found: dict[etree._Element, ComponentType], *, strict: bool
    ) -> None:
        """Add what stands beside the text: all of it where the page states its text, else what is no prose."""
        at = main
        while at is not body:
            parent = at.getparent()
            if parent is None:
                return
            for beside in parent:
                if beside is at or not local(beside) or hidden(beside) or not self._size(beside).letters:
                    continue
                heading = next((one for one in beside.iter("h1", "{*}h1") if self._is_title(words(one))), None)
                if heading is not None and not self._holds(main, "h1"):
                    if heading is not beside:
                        found.update(dict.fromkeys(_off(beside, heading), ComponentType.HEADER))
                    continue
                if strict or self._size(beside).density > _DENSE or not self._has_prose(beside):
                    found[beside] = ComponentType.HEADER
            at = parent

    def _has_prose(self, element: etree._Element) -> bool:
        """Whether a paragraph of some length stands in an element, or many letters outside of links."""
        if _ids(element) & _ALWAYS:
            return False
        return self._size(element).own > _SHORT

    def _is_named(self, element: etree._Element, whole: int, *, strict: bool) -> bool:
        """Whether a block within the text is furniture: by its name, and by its links or its brevity."""
        if self._states(element):
            return True
        name, size = local(element), self._size(element)
        if name not in _BLOCKS or size.own > _PART * whole or any(local(one) == "h1" for one in element.iter()):
            return False
        named = _ids(element)
        dense = size.density > _DENSE
        if name == "form" and size.letters < _SHORT:
            return True
        if name in ("aside", "footer") and dense and size.links > 1:
            return True
        if named & _ALWAYS and (dense or size.letters < _SHORT):
            return True
        if named & _LINKED and dense and size.links > 1:
            return True
        several = size.links > 3 and size.density > _ALL_LINKS
        return not strict and several and size.letters < _PART * max(whole, 1) and name != "p"

    def _is_title(self, text: str) -> bool:
        """Whether a text is what the page calls itself, or the part of that before or after a line."""
        wanted = {_letters(part) for part in (self._stated_title, *re.split(r"\s[-–—|·:»«]\s|: ", self._stated_title))}
        return bool(_letters(text)) and _letters(text) in wanted

    def _title(self, body: etree._Element, headings: list[etree._Element]) -> etree._Element | None:
        firsts = [found for found in headings if local(found) == "h1"]
        if firsts:
            alone = len(firsts) == 1 and headings[0] is firsts[0]
            if alone:
                return firsts[0]
            return next((one for one in firsts if self._is_title(words(one))), None)
        for element in self._shown(body):
            if local(element) in HEADINGS and not self._is_title(words(element)):
                return None
            if local(element) in ("div", "p", "span", "h2", "h3") and self._is_title(words(element)):
                inner = next((one for one in element.iter() if local(one) in HEADINGS), element)
                if any(local(one) in _BLOCKS for one in inner.iterdescendants()):
                    continue
                if local(inner) not in HEADINGS:
                    inner.tag = "h1"
                return inner
        return None


_CONTAINERS = frozenset({"div", "section", "article", "main", "td", "tr", "table", "tbody", "form", "center", "span"})


def _is_article(element: etree._Element) -> bool:
    return local(element) == "article" or "article" in types(element) or element.get("itemprop") == "articleBody"


def _sizes(body: etree._Element) -> dict[etree._Element, _Size]:
    """Return the letters shown in each element, those in links, and the number of links."""
    found: dict[etree._Element, _Size] = {}
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
            size = found.get(child, _Size(0, 0, 0))
            letters += size.letters + tail
            in_links += size.linked + (tail if here else 0)
            links += size.links
        found[element] = _Size(letters, in_links, links)
    return found


def _ids(element: etree._Element) -> set[str]:
    """Return the words that class and id of an element are made of."""
    stated = f"{element.get('class') or ''} {element.get('id') or ''}"
    return {word.lower() for word in _WORD.findall(stated)} | set(stated.lower().split())


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _before(body: etree._Element, main: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements that start before the text does."""
    for element in body.iter():
        if element is main:
            return
        yield element


def _off(root: etree._Element, kept: etree._Element) -> Iterator[etree._Element]:
    """Yield what stands beside an element within a block around it."""
    at = kept
    while at is not root:
        parent = at.getparent()
        if parent is None:
            return
        yield from (one for one in parent if one is not at and local(one))
        at = parent


def _section(element: etree._Element) -> etree._Element | None:
    return next((one for one in element.iterancestors() if local(one) in ("section", "article")), None)
