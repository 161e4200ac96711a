"""The title of the document: what rules choose, or another line of the first pages that weights are sure of."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import Look, letter_count, look_of, normal, printed, scheme_of
from ragraph.pdf.headings.candidates import ends_sentence, is_filled_in, is_name, is_persons, may_be_heading
from ragraph.pdf.headings.titles import Candidate, Document, Ruled, best, candidates
from ragraph.pdf.model import Block, Kind, around
from ragraph.pdf.patterns import (
    ADDRESS,
    BY_LINE,
    CONTENTS_TITLE,
    DATE_ALONE,
    IN_BRACKETS,
    LETTERED,
    OPENING_TITLE,
    PUBLISHER,
)
from ragraph.pdf.stated.regions import stated_another

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.model import Page, Style

_LARGE = 1.18
"""Size, against the running text, from which a line of the first pages is displayed."""
_DISPLAY = 220
"""A page with fewer characters of running text is a title page or the like."""
_FULL = 500
"""Minimum number of characters on a page, in no larger type than the running text, at which it holds text, however
short its paragraphs are, as those of leaflets and of notices; names and dates of a title page are fewer."""
_HEAD = 0.45
"""Share of the height of a page that holds text, from above, in which a title stands."""
_SAYING = 3
"""Pages with paragraphs, from the cover on, on which these are asked what they call the whole."""
_NAMING = 8
"""Letters of a title in the type of the text at least."""
_SENTENCE = 100
"""Characters of a sentence that names the document, at least."""
_INDENT = 20.0
"""Points by which a centred line begins right of the edge of the text, at least."""
_MIDDLE = 0.06
"""Share of the width of the page by which the middle of a centred line is off at most."""
_WRITTEN = {Kind.LIST_ITEM, Kind.CODE, Kind.TABLE, Kind.TEXT}
_LARGER = 1.1
"""Size, against the running text, from which type is larger."""
_NEXT_LINE = 0.95
"""Room between two lines of a title, at most, in its size."""
_NEAR_SIZE = 0.15
"""Share by which the sizes of lines of one title differ at most: boxes of letters without feet are lower."""
_EDGE = 3.0
"""Points by which lines of one left edge differ at most."""
_LINES = 6
"""Lines of a title at most."""
_SURELY = 160
"""Characters, at most, of a title that no rule chooses: longer ones are sentences or lines of a form."""
_NO_END = ".;:,。；：，"
"""Signs at the end of a line that no rule chooses which make it none."""


def choose_title(
    pages: Sequence[Page],
    looks: dict[int, Look],
    style: Style,
    stated: AbstractSet[int],
    opening: AbstractSet[int],
) -> None:
    """Set the kind of the block that is the title of the document, if there is one.

    Args:
        pages: with blocks in reading order; they change.
        looks: of the open blocks, by ``id``; that of a block that is made anew is added.
        style: the running style of the document.
        stated: ``id`` of the blocks that are stated to be headings, and not the title of all.
        opening: from ``opening_pages``.
    """
    if any(block.kind is Kind.TITLE for page in pages for block in page.blocks):
        return
    document = document_of(pages, looks, style, stated, opening)
    chosen = best(allowed(document, stated))
    if chosen is not None and chosen.ruled and document.ruled.block is not None:
        document.ruled.block.kind = Kind.TITLE
    elif chosen is not None:
        _join(chosen)
    for page in pages[:2]:
        for block in [block for block in page.blocks if block.kind is Kind.TITLE and block.region is None]:
            _join_lines(page, block, looks)
            _cut_date(page, block, looks)


def document_of(
    pages: Sequence[Page],
    looks: dict[int, Look],
    style: Style,
    stated: AbstractSet[int],
    opening: AbstractSet[int],
) -> Document:
    """Return what is known of the whole when its title is weighed; arguments are those of ``choose_title``."""
    ruled = _by_rules(pages, looks, style, stated, opening)
    return Document(pages, looks, style, opening, ruled, lambda one, other: _is_next(one, other, looks), is_paragraph)


def allowed(document: Document, stated: AbstractSet[int]) -> list[Candidate]:
    """Return the candidates that may be the title: what rules choose, and lines that nothing speaks against.

    Args:
        document: from ``document_of``.
        stated: as of ``choose_title``.
    """
    told = {document.looks[key] for key in stated if key in document.looks}
    first = document.pages[0]
    found = candidates(document)
    ruled = [one for one in found if one.ruled]
    names = Counter(
        (look, normal(printed(block)))
        for page in document.pages
        for block in page.blocks
        if (look := document.looks.get(id(block))) is not None
    )
    cover = first.number in document.opening and not any(one.page is first for one in ruled)
    return [
        one
        for one in found
        if one.ruled
        or (
            (cover or one.page is first)
            and len(one.text) <= _SURELY
            and one.text[-1:] not in _NO_END
            and names[document.looks[id(one.blocks[0])], normal(printed(one.blocks[0]))] == 1
            and all(_is_free(block, one.page, document, stated, told) for block in one.blocks)
        )
    ]


def _is_free(block: Block, page: Page, document: Document, stated: AbstractSet[int], told: AbstractSet[Look]) -> bool:
    """Return True if nothing speaks against a block as a title, or a line of one."""
    if not _can_name(block) or PUBLISHER.search(printed(block)) or is_filled_in(block, page) or ends_sentence(block):
        return False
    if stated_another(block) or ADDRESS.search(block.text) or _is_on_panel(block, page, document.looks):
        return False
    if _is_lettered(block, page):
        return False
    if page.number in document.opening:
        return True
    under = block.top > _HEAD * page.height or any(is_paragraph(one) and one.top < block.top for one in page.blocks)
    return not under and id(block) not in stated and document.looks[id(block)] not in told


def _by_rules(
    pages: Sequence[Page],
    looks: dict[int, Look],
    style: Style,
    stated: AbstractSet[int],
    opening: AbstractSet[int],
) -> Ruled:
    """Return what rules choose: the largest line, a centred one, or what the first pages call the whole."""
    for page in pages[:2]:
        largest = _largest(page, looks, style, stated, opening)
        if largest is not None:
            part = _is_on_panel(largest, page, looks) or _is_lettered(largest, page)
            return Ruled("panel", None) if part else Ruled("largest", largest)
    centred = _centred(pages[0], looks, style)
    if centred is not None:
        return Ruled("centred", centred)
    named = _named(pages, looks, style)
    return Ruled("named", named) if named is not None else Ruled("none", None)


def _join(chosen: Candidate) -> None:
    """Make one block, the title, of the blocks of a candidate."""
    title, *others = chosen.blocks
    title.kind = Kind.TITLE
    for block in others:
        chosen.page.unite(title, block, [*title.lines, *block.lines])


def set_first_heading(pages: Sequence[Page], found: list[Block], looks: dict[int, Look]) -> None:
    """Make the first heading the title where there is none and nothing in the file is set like it or larger.

    It stands at the head of the first page, over all running text, and bears no number.

    Args:
        pages: with blocks in reading order.
        found: the headings in reading order; the title is taken out of them.
        looks: of the open blocks, by ``id``.
    """
    if not found or any(block.kind is Kind.TITLE for page in pages for block in page.blocks):
        return
    first, look = found[0], looks[id(found[0])]
    page = pages[0]
    if first.page != page.number or first.rest is not None or first.top > _HEAD * page.height:
        return
    before = page.blocks[: page.place_of(first)]
    alike = any(looks[id(block)] == look or looks[id(block)].size > look.size for block in found[1:])
    part = any(is_paragraph(block) for block in before) or _is_lettered(first, page)
    if alike or part or not _can_name(first):
        return
    first.kind = Kind.TITLE
    found.remove(first)


def is_paragraph(block: Block) -> bool:
    """Return True if a block is running text of some length."""
    return block.kind is Kind.TEXT and len(block.lines) >= 3 and block.length > 150


def opening_pages(pages: Sequence[Page], style: Style) -> set[int]:
    """Return the numbers of the first pages that hold a title rather than text."""
    opening: set[int] = set()
    for page in pages[:6]:
        running = sum(block.length for block in page.blocks if is_paragraph(block))
        full = running > _DISPLAY or _is_full(page, style)
        if page.blocks and (full or any(block.kind is Kind.CONTENTS for block in page.blocks)):
            break
        if len(pages) > 2:
            opening.add(page.number)
    return opening


def _is_full(page: Page, style: Style) -> bool:
    small = [block for block in page.blocks if block.kind in _WRITTEN and block.size < _LARGER * style.size]
    return sum(block.length for block in small) > _FULL


def _largest(
    page: Page,
    looks: dict[int, Look],
    style: Style,
    stated: AbstractSet[int],
    opening: AbstractSet[int],
) -> Block | None:
    """Return the largest block of one of the first pages, if its size stands out."""
    told = {looks[key] for key in stated if key in looks}
    cover = page.number in opening
    blocks = [
        block
        for block in page.blocks
        if _may_be_displayed(block, page, cover=cover)
        and (cover or (id(block) not in stated and looks[id(block)] not in told))
    ]
    blocks = [block for block in blocks if not is_name(block)] or blocks
    # A publisher may be printed larger than the title, but something else is displayed then.
    other = [block for block in blocks if not PUBLISHER.search(printed(block))]
    blocks = [block for block in other if looks[id(block)].size > _LARGE * style.size] or blocks
    largest = max(blocks, key=lambda block: (looks[id(block)].size, -block.top), default=None)
    if largest is None or looks[id(largest)].size <= _LARGE * style.size or scheme_of(printed(largest)) != "none":
        return None
    return largest


def _is_other_title(block: Block) -> bool:
    """Return True if a block is the title of a contents page or of an abstract, a date, in brackets, or a by-line."""
    text = printed(block)
    opening = OPENING_TITLE.match(text)
    inner = IN_BRACKETS.match(text) or DATE_ALONE.match(text) or BY_LINE.match(text)
    return bool(CONTENTS_TITLE.match(text) or inner) or bool(opening and not normal(text[opening.end() :]))


def _is_lettered(title: Block, page: Page) -> bool:
    """Return True if others on its page count on from the letter of a title: "A PROOFS" over "A.1 Lemmas"."""
    letter, _, rest = printed(title).partition(" ")
    if not rest or len(letter) != 1:
        return False
    numbers = [match["number"] for block in page.blocks if (match := LETTERED.match(block.text))]
    return any(number.startswith(f"{letter}.") for number in numbers)


def _is_on_panel(title: Block, page: Page, looks: dict[int, Look]) -> bool:
    """Return True if the largest block is one of the titles of panels, none of which is the whole's.

    Blocks are set like it left or right of it, and something stands there at its own height: what stands alone at the
    head of a page may be set like the titles in the columns below.
    """
    aside = [block for block in page.blocks if block.left > title.right or block.right < title.left]
    level = any(block.top < title.bottom and block.bottom > title.top for block in aside)
    return level and any(
        looks.get(id(block)) == looks[id(title)]
        and letter_count(printed(block)) > 3
        and normal(printed(block)) != normal(printed(title))
        for block in aside
    )


def _may_be_displayed(block: Block, page: Page, *, cover: bool) -> bool:
    """Return True if a block may be a title in large type, for its place, length and words."""
    return (
        block.kind is Kind.TEXT
        and block.rest is None
        and (cover or block.top < _HEAD * page.height)
        and not stated_another(block)
        and 3 < block.length < 300
        and len(block.lines) < 7
        and letter_count(block.text) > 3
        and not _is_other_title(block)
        and not ADDRESS.search(block.text)
        and not is_filled_in(block, page)
        and not ends_sentence(block)
    )


def _named(pages: Sequence[Page], looks: dict[int, Look], style: Style) -> Block | None:
    """Return a title in the size of the text: what paragraphs call it, too.

    On a page with text these are the first one below it, on a cover those of the next pages. Names of parties and notes
    on the copy stand on covers in the same type: paragraphs name the whole before its parties. Where none of them
    names any, the title is the one line of a cover that is centred and is no name.
    """
    page = pages[0]
    own = [block for block in page.blocks if is_paragraph(block)]
    end = _HEAD * page.height if own else inf
    titles = [block for block in page.blocks if block.top < end and _is_set_as_title(block, page, own, looks, style)]
    others = ([block for block in other.blocks if _can_say(block)] for other in pages[1:])
    after = [*chain(*islice(filter(None, others), _SAYING))]
    named: list[tuple[tuple[int, int, int], Block]] = []
    for block in titles:
        below = [other for other in page.blocks if _can_say(other) and other.top > block.top][:1]
        place = _place_of_name(normal(printed(block)), below if own else after)
        named += [(place, block)] if place is not None else []
    if named:
        return min(named, key=lambda item: item[0])[1]
    return titles[0] if not own and len(titles) == 1 else None


def _place_of_name(name: str, paragraphs: Sequence[Block]) -> tuple[int, int, int] | None:
    """Return where paragraphs first say a name: which of them, at which letter; longer names come first."""
    places = ((at, normal(block.text).find(name), -len(name)) for at, block in enumerate(paragraphs))
    return next((place for place in places if place[1] >= 0), None)


def _can_say(block: Block) -> bool:
    """Return True if a block is a sentence or more that may name the document."""
    return block.kind is Kind.TEXT and len(block.lines) > 1 and block.length > _SENTENCE


def _is_set_as_title(
    block: Block, page: Page, paragraphs: Sequence[Block], looks: dict[int, Look], style: Style
) -> bool:
    """Return True if a block can name a document and, alone on its page, is in capitals or bold, centred or first."""
    if block.kind is not Kind.TEXT or block.rest is not None or letter_count(block.text) < _NAMING:
        return False
    look = looks[id(block)]
    middles = [page.width, *(text.left + text.right for text in paragraphs)]
    centred = _is_centred(block, page, middles, [text.left for text in paragraphs])
    first = next((other for other in page.blocks if other.kind is Kind.TEXT), None) is block
    alone = not any(looks.get(id(other)) == look for other in page.blocks if other is not block)
    set_off = (look.bold or look.capitals) and (centred or (first and alone))
    return set_off and len(printed(block).split()) > 1 and _can_name(block) and may_be_heading(block, look, style)


def _is_centred(block: Block, page: Page, middles: Sequence[float], edges: Sequence[float]) -> bool:
    """Return True if a block stands in the middle of its page or text, and not at an edge of that.

    Args:
        block: to look at.
        page: its page.
        middles: of page and text, doubled.
        edges: left ones of the text.
    """
    return any(abs(block.left + block.right - middle) < _MIDDLE * page.width for middle in middles) and all(
        block.left > edge + _INDENT for edge in edges
    )


def _can_name(block: Block) -> bool:
    """Return True if the words of a block can be those of a title: no number, name, date or title of a part."""
    return scheme_of(printed(block)) == "none" and not is_name(block) and not _is_other_title(block)


def _centred(page: Page, looks: dict[int, Look], style: Style) -> Block | None:
    """Return a title in the size of the text: centred, in capitals or bold, the first of its page."""
    running = [block for block in page.blocks if block.kind is Kind.TEXT and len(block.lines) >= 3]
    if not running:
        return None
    left, right = min(block.left for block in running), max(block.right for block in running)
    edge = min(block.left for block in page.blocks if block.kind is Kind.TEXT)
    for block in page.blocks:
        if is_paragraph(block) or block.top > _HEAD * page.height:
            return None
        short = block.kind is Kind.TEXT and letter_count(block.text) >= _NAMING and len(block.lines) <= 3
        centred = short and _is_centred(block, page, (left + right, page.width), (edge,))
        if centred and _is_strong_title(block, looks[id(block)], style):
            return block
    return None


def _is_strong_title(block: Block, look: Look, style: Style) -> bool:
    """Return True if a block in bold or capitals has the words of a title that is none of a part."""
    text = printed(block)
    other = CONTENTS_TITLE.match(text) or OPENING_TITLE.match(text) or BY_LINE.match(text)
    whole = scheme_of(text) == "none" and not other
    return whole and (look.bold or look.capitals) and may_be_heading(block, look, style)


def _join_lines(page: Page, title: Block, looks: dict[int, Look]) -> None:
    """Join the lines of a title that stand in blocks of their own right below it."""
    at = page.place_of(title) + 1
    while at < len(page.blocks) and _is_next(title, page.blocks[at], looks):
        page.unite(title, page.blocks[at], [*title.lines, *page.blocks[at].lines])
    looks[id(title)] = look_of(title)


def _is_next(upper: Block, lower: Block, looks: dict[int, Look]) -> bool:
    """Return True if two blocks are lines of one title: of one type, close to each other, at one edge or one middle."""
    if not _is_alike(upper, lower, looks) or _stops(upper, lower):
        return False
    size = min(looks[id(upper)].size, looks[id(lower)].size)
    return -0.3 * size < lower.top - upper.bottom < _NEXT_LINE * size


def _stops(upper: Block, lower: Block) -> bool:
    """Return True if a line is none of a title: names of persons, an address, a label before what is filled in."""
    text = printed(lower)
    return is_persons(text) or is_persons(printed(upper)) or text[:1].isdecimal() or text.endswith(":")


def _is_alike(upper: Block, lower: Block, looks: dict[int, Look]) -> bool:
    if any(block.kind not in {Kind.TEXT, Kind.TITLE} or block.rest is not None for block in (upper, lower)):
        return False
    one, other = looks.get(id(upper)) or look_of(upper), looks.get(id(lower)) or look_of(lower)
    near = abs(one.size - other.size) <= _NEAR_SIZE * max(one.size, other.size)
    # An acronym in capitals before a colon is not set otherwise than the words it stands for.
    capitals = other.capitals if printed(upper).endswith(":") else one.capitals
    set_alike = near and one._replace(size=0.0, capitals=capitals) == other._replace(size=0.0)
    centred = abs(upper.left + upper.right - lower.left - lower.right) < 4 * _EDGE
    placed = centred or abs(upper.left - lower.left) < _EDGE
    few = len(upper.lines) + len(lower.lines) <= _LINES and "@" not in upper.text + lower.text
    return set_alike and placed and few and _can_name(upper) and _can_name(lower)


def _cut_date(page: Page, title: Block, looks: dict[int, Look]) -> None:
    """Cut a date that is the last line of a title off it."""
    if len(title.lines) < 2 or not DATE_ALONE.match(title.lines[-1].text):
        return
    *lines, last = title.lines
    date = Block(page.number, [last])
    title.lines = lines
    title.parts = [(page.number, around(lines))]
    page.blocks.insert(page.place_of(title) + 1, date)
    looks[id(date)] = look_of(date)
