"""Furniture within the text of a web page: boxes, lines to other texts, headings of furniture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.names import OFFERS, RELATED
from ragraph.ingest.readers.html.offers import (
    by_readers,
    is_box,
    is_column,
    is_label,
    leads_on,
    shares,
    turns_back,
)
from ragraph.ingest.readers.html.sizes import LINE, OFFERED, PROSE
from ragraph.ingest.readers.html.tree import BLOCKS, HEADINGS, NO_LEVEL, among_text, highest_level, named_by, outermost
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from ragraph.ingest.readers.html.offers import Cards
    from ragraph.ingest.readers.html.sizes import Sizes
    from ragraph.ingest.readers.html.title import PageTitle

_LABELS = frozenset({"article", "li", "blockquote", "figure", "span", "a", *HEADINGS})
"""Elements that may be a label of other texts."""

_LINES = BLOCKS | _LABELS
"""Elements that may be a line that leads to other texts."""

_BOXES = BLOCKS | {"article", "li"}
"""Elements that may be a box of several lines."""

_LARGEST = 0.5
"""Share of the page's text above which a block is not a box beside it."""

_BACK = 5
"""Maximum words of a back link, such as "Back to the search results"; more may be the title of a text."""

_LATE = 0.5
"""Minimum share of the text before a box that is after it."""


class Boxes:
    """The boxes within the text of one page.

    Args:
        core: the element around the text.
        known: elements already known as furniture.
        sizes: letters of the page.
        cards: its cards.
        title: the heading that shows its title, or None.
    """

    def __init__(
        self,
        core: etree._Element,
        known: Iterable[etree._Element],
        sizes: Sizes,
        cards: Cards,
        title: etree._Element | None,
    ) -> None:
        self._core, self._known = core, set(known)
        self._sizes, self._cards = sizes, cards
        self._lines: dict[etree._Element, bool] = {}
        self._whole = sizes.own(core, self._known)
        self._title = set() if title is None else {title, *title.iterancestors()}
        self._begins = sizes.start(title if title is not None and core in self._title else core)

    def find(self) -> Iterator[etree._Element]:
        """Yield the boxes, then labels of other texts with the content after them; some may be yielded twice."""
        for one in outermost(self._core, lambda element: element in self._known or self._is_one(element)):
            if one not in self._known:
                self._known.add(one)
                yield one
        for one in self._core.iter():
            if local(one) in _LABELS and self._may_be_one(one) and is_label(one, self._sizes.of(one)):
                yield from self._labelled(one)

    def _is_one(self, element: etree._Element) -> bool:
        """Return True if an element is a line that leads elsewhere, or a box."""
        size = self._sizes.of(element)
        if local(element) not in _LINES or not self._may_be_one(element):
            return False
        if leads_on(element, size) or (turns_back(element, size) and not self._is_listed(element)):
            return True
        if shares(element, size) and not self._heads_text(element):
            return True
        if local(element) not in _BOXES:
            return False
        if self._is_card(element):
            return True
        if size.own > _LARGEST * self._whole:
            return False
        return (is_column(element) and not among_text(element)) or self._is_behind(element)

    def _may_be_one(self, element: etree._Element) -> bool:
        """Return True if an element shows something, does not have the title, and is not inline."""
        return element not in self._title and self._sizes.of(element).letters > 0 and not self._is_inline(element)

    def _is_inline(self, element: etree._Element) -> bool:
        """Return True if words of the same line are beside an inline element."""
        around = element.getparent()
        if local(element) not in ("a", "span") or around is None:
            return False
        if around not in self._lines:  # it may have very many links
            texts = (around.text, *(one.tail for one in around))
            self._lines[around] = any(text and text.strip() for text in texts)
        return self._lines[around]

    def _heads_text(self, element: etree._Element) -> bool:
        """Return True if a heading, or a block that is only a heading, has a line of text right below it."""
        at = element
        while local(at) not in HEADINGS:
            if len(at) != 1:
                return False
            at = at[0]
        at = self._alone_around(at)
        if at.tail and len("".join(at.tail.split())) >= LINE:
            return True
        below = next((one for one in at.itersiblings() if self._sizes.of(one).letters), None)
        if below is None or below in self._known or highest_level(below) < NO_LEVEL:
            return False
        size = self._sizes.of(below)
        return size.own >= LINE and size.density < OFFERED

    def _is_listed(self, element: etree._Element) -> bool:
        """Return True if a long line that begins like a back link is beside another link, as in a list of texts."""
        if len(words(element).split()) <= _BACK:
            return False
        at = self._alone_around(element)
        beside = (one for one in (at.getprevious(), at.getnext()) if one is not None)
        return any(self._sizes.of(one).links == 1 and self._sizes.of(one).own < 2 for one in beside)

    def _alone_around(self, element: etree._Element) -> etree._Element:
        """Return the outermost element whose only content is the given element."""
        at = element
        while (parent := at.getparent()) is not None and len(parent) == 1:
            if self._sizes.of(parent).letters != self._sizes.of(at).letters:
                break
            at = parent
        return at

    def _is_card(self, element: etree._Element) -> bool:
        """Return True if an element is a single card: separate within an article, or named as an offer."""
        if self._cards.count(element) != 1:
            return False
        nested = local(element) in ("article", "aside") and any(
            local(around) == "article" for around in element.iterancestors()
        )
        return nested or bool(named_by(element) & OFFERS)

    def _is_behind(self, element: etree._Element) -> bool:
        """Return True if enough text is before a box for what its cards, names or form suggest."""
        size, above = self._sizes.of(element), self._sizes.start(element) - self._begins
        rest = self._sizes.of(self._core).own - size.own
        if self._cards.count(element) > 1 and above >= max(PROSE, _LATE * rest):
            return True
        if above >= _LATE * self._whole and size.links > 1 and named_by(element) & RELATED:
            return True
        form = next(element.iter("{*}form"), None) is not None
        return above >= PROSE and (by_readers(element) or is_box(element, size, form=form))

    def _labelled(self, label: etree._Element) -> Iterator[etree._Element]:
        """Yield a label of other texts and the content after it in its block, if that leads to other texts."""
        if not self._known.isdisjoint((label, *label.iterancestors())):
            return
        below = list(self._below(label))
        letters = sum(self._sizes.left(one, self._known) for one in below)
        new = [one for one in below if one not in self._known]
        own = sum(self._sizes.own(one, self._known) for one in new)
        if below and own < _LARGEST * self._whole and own <= (1 - OFFERED) * letters:
            yield from (label, *new)

    def _below(self, label: etree._Element) -> Iterator[etree._Element]:
        """Yield the content after a label in its block, up to text below a heading of its level or above."""
        level = highest_level(label)
        for beside in label.itersiblings():
            if not self._sizes.of(beside).letters:
                continue
            if (
                beside not in self._known
                and highest_level(beside) <= level < NO_LEVEL
                and not self._cards.count(beside)
            ):
                return
            yield beside


class FurnitureHeadings:
    """The headings of one page with nothing but furniture below them.

    Args:
        body: the page.
        known: furniture elements.
        sizes: letters of the page.
        title: title of the page; headings that show it are not included.
    """

    def __init__(self, body: etree._Element, known: Iterable[etree._Element], sizes: Sizes, title: PageTitle) -> None:
        self._body, self._known, self._sizes, self._title = body, set(known), sizes, title

    def find(self) -> Iterator[etree._Element]:
        """Yield each of them, as the outermost element that shows only the heading."""
        for heading in [one for one in self._body.iter() if local(one) in HEADINGS]:
            titled = heading is self._title.printed or self._title.is_whole(heading)
            alone = None if titled else self._without_text(heading)
            if alone is not None:
                self._known.add(alone)
                yield alone

    def _without_text(self, heading: etree._Element) -> etree._Element | None:
        """Return the outermost element that shows only a heading, or None if text follows it."""
        at = alone = heading
        while at is not self._body and (parent := at.getparent()) is not None:
            if not self._known.isdisjoint((at, *at.iterancestors())) or (at.tail and at.tail.strip()):
                return None
            following = [one for one in at.itersiblings() if self._sizes.of(one).letters]
            if following:
                return alone if self._leads_furniture(heading, following) else None
            at = parent
            alone = at if self._sizes.of(at).letters == self._sizes.of(heading).letters else alone
        return None

    def _leads_furniture(self, heading: etree._Element, following: list[etree._Element]) -> bool:
        """Return True if the content after a heading, up to text below one of its level or above, is only furniture."""
        level = highest_level(heading)
        for number, one in enumerate(following):
            if self._sizes.left(one, self._known) > 0:
                return number > 0 and highest_level(one) <= level
        return True
