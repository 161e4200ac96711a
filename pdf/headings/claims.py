"""The one place where claims about headings are weighed: what the page looks like, and what the file states.

Every source adds to the log-odds of a block; that one is silent takes nothing away from another. What the page says is
learnt (``headings.weights``); contents pages and numbers in series are among the features of that.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ragraph.pdf.blocks.looks import letter_count, normal, printed
from ragraph.pdf.blocks.titles import is_set_off
from ragraph.pdf.headings.candidates import is_filled_in, is_name, is_signature, may_be_heading
from ragraph.pdf.headings.features import NAMES, measure
from ragraph.pdf.model import Block, Kind, shared_width
from ragraph.pdf.patterns import BULLET, CONTENTS_TITLE, NUMBERED, OPENS_SENTENCE, SENTENCE_END
from ragraph.pdf.stated.regions import stated_another
from ragraph.pdf.stated.votes import is_seen_as_title
from ragraph.pdf.trees import read_trees

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.blocks.looks import Look
    from ragraph.pdf.model import Page, Style

ENOUGH = -1.6
"""Log-odds from which a block is a heading. Below even, as more is missed in unseen files than is wrong; the value
keeps the headings of the example document, and was measured on no other."""
_SEVERAL = 3
"""Headings from which it tells that all have one level, and that the page speaks against them: of 48 outlines of files
learnt from, the page spoke against one title at most."""
_LONG = -4.0
"""Log-odds of a block that is too long for its type to tell."""
_OUTLINE = 6.0
"""Log-odds that the outline adds to a block that it names."""
_TAGS = 5.0
"""Log-odds that tags add to what they call a heading; less than the outline, as some call every bold line one."""
_AGAINST = -4.0
"""Log-odds of the weights below which the page speaks against a block's being a heading."""
_DOUBTED = 1 / 3
"""Share of its weight that a source keeps at least: so little that none of the blocks that the page speaks against is a
heading for that source alone."""
_SEEN = 1.8
"""Log-odds that a layout model adds that sees a title there (``pdf/training/votes.py``); that it sees none
says next to nothing."""
_CONTENTS = 1.0
"""Log-odds that contents pages add to a block that they name, beside what the weights have learnt of that."""
_SERIES = 1.0
"""Log-odds that a series of numbers with titles adds to a title that stands alone, likewise."""
_LISTING = 6.0
"""Log-odds that entries of contents add to a title of contents on their page."""
_LISTING_LONGEST = 60
"""Characters of such a title at most."""
_OPENING = -4.0
"""Log-odds of what stands on an upright page of the beginning that holds a title rather than text: names, dates."""
_SIGNED = -4.0
"""Log-odds of what stands at the right edge of the text in no large type: names under a preface."""
_SIGNED_SIZE = 1.3
"""Size, against the running text, from which titles at the right edge are no names."""
_FILLED = -10.0
"""Log-odds of what is filled into a field of a form."""
_ITEM = -2.0
"""Log-odds of what begins like a list item and is set like the text, in no series of titles."""
_DISPLAYED = 2.5
"""Log-odds of what stands over running text in much larger type: few of the files learnt from are set like that."""
_DISPLAYED_SIZE = 1.5
"""Size of such type at least, in those of the running text, and of that below it."""
_LARGE = 1.2
"""Log-odds of the same over any text: in leaflets a few words of it stand below."""
_FEW = 20
"""Characters of that text at least."""
_BELOW = 3.0
"""Usual distances of lines from such a title to its text at most."""
_LETTERS = 0.8
"""Share of its signs that are letters: "43 %" is none."""
_TITLE_LONGEST = 120
"""Characters of such a title, and of one that is stated to be a numbered item, at most."""
_BOLD = 0.9
"""Share of the letters of a numbered title that are bold."""
LEAFLET = 12
"""Pages of a document at most in which what stands over its text tells by the text below alone: a leaflet has no one
type of running text against which others could be measured."""
_OVER = 2.3
"""Log-odds of a line that stands out from the text right below it, nearer to that than to what is above it."""
_OVER_SIZE = 1.12
"""Minimum size of such a line, in that of the text below, at which it stands out."""
_OVER_LINES = 3
"""Lines of it at most."""
_OVER_TEXT = 40
"""Characters of the text below at least."""
_OVER_ITEMS = 1.3
"""Log-odds of a title in strong type right over a list or a table: what the weights are learnt from states few such."""
_ITEMS = {Kind.LIST_ITEM, Kind.TABLE}
_LAST = tuple(")?!")
"""What such a title ends with, if no letter: a colon or full stop belongs to a sentence or to an item."""
_MIDDLE = 0.1
"""Distance of its middle from that of the table at most, in the width of the table, if its left edge is not there."""
_NEAR, _NEARER = 1.5, 1.3
"""Distance to that text at most, in usual sizes of type, and by how much that to what stands above is larger."""
_SENTENCE = 1.5
"""Log-odds of a sentence in bold over a paragraph that is not: hardly any file states such titles."""
_SENTENCE_LINES = 3
"""Lines of a sentence in bold that is a title at most: reports set risks so."""
_NUMBERED_ITEM = 2.0
"""Log-odds that such a title is given back of what its being stated to be an item takes."""
_REPEATED = -6.0
"""Log-odds of what says the title of the document again on such a page."""
_NO_TITLE = -6.0
"""Log-odds of what has the words of no title, whatever its type: few of those have been seen that were one."""
_RESCUED = -6.0
"""Log-odds of what the rules took for a running head or foot, where weights alone made it text (decision 31): feet in
bold type had 2 to 4 without it, titles of parts that open some pages more than 5."""
_ANOTHER = -4.0
"""Log-odds of what tags call an item, a caption or the like; that they call it a paragraph takes nothing away."""


class Claims(NamedTuple):
    """What is known of a document besides its type.

    Attributes:
        listed: depth in the contents pages, by ``id`` of the block.
        tagged: level in the tags, likewise.
        bookmarked: depth in the outline, likewise.
        series: words of the titles of numbered series, likewise.
        opening: first pages that hold a title rather than text.
        title: words of the title of the document.
    """

    listed: Mapping[int, int | None]
    tagged: Mapping[int, int | None]
    bookmarked: Mapping[int, int | None]
    series: Mapping[int, int]
    opening: AbstractSet[int]
    title: str


def weigh(
    pages: Sequence[Page], style: Style, looks: Mapping[int, Look], claims: Claims, entries: int
) -> dict[int, float]:
    """Return the log-odds that a block is a heading, by ``id``, of those that may be one.

    Args:
        pages: with blocks in reading order.
        style: the running style of the document.
        looks: of the open blocks, by ``id``.
        claims: what is stated of them.
        entries: how many entries the contents pages have.
    """
    trees = read_trees(__package__, "weights.npz", NAMES)
    blocks, rows = measure(pages, style, looks, claims.listed.keys(), entries, claims.series)
    seen = dict(zip(map(id, blocks), trees.log_odds(rows).tolist(), strict=True))
    odds: dict[int, float] = {}
    leaflet = len(pages) <= LEAFLET
    for page in pages:
        opening = page.number in claims.opening and page.height > page.width
        column = max((other.right for other in page.blocks if len(other.lines) > 2), default=page.width)
        entered = any(block.kind is Kind.CONTENTS for block in page.blocks)
        for block in page.blocks:
            key = id(block)
            if key not in looks or not is_open(block):
                continue
            whole = claims.series.get(key) == sum(len(line.words) for line in block.lines)
            odds[key] = (
                seen.get(key, _LONG)
                + _CONTENTS * (key in claims.listed)
                + _SEEN * is_seen_as_title(page, block.box)
                + _SERIES * whole
                + _LISTING * (entered and _heads_list(block, looks[key], style))
                + _OPENING * (opening and not CONTENTS_TITLE.match(printed(block)))
                + _SIGNED * (looks[key].size < _SIGNED_SIZE * style.size and is_signature(block, page, column))
                + _FILLED * is_filled_in(block, page)
                + _ITEM * (key not in claims.series and _like_item(block, looks[key], style))
                + _REPEATED * (page.number in claims.opening and normal(printed(block)) in claims.title)
                + words_of_title(block, looks[key], page, style)
                + _RESCUED * block.mean("rescued")
                + _ANOTHER * stated_another(block)
                + _NUMBERED_ITEM * (block.kind is Kind.LIST_ITEM and bool(block.marker))
                + _displayed(block, looks, page, style) * (not opening)
                + _OVER_ITEMS * (not opening and _heads_items(block, looks[key], page, style))
                + _OVER * (leaflet and not opening and _stands_over(block, looks, page, style))
            )
    return _with_stated(odds, claims, seen)


def _with_stated(odds: Mapping[int, float], claims: Claims, seen: Mapping[int, float]) -> dict[int, float]:
    """Return log-odds with those that the outline and the tags add; ``seen``: those of the weights alone."""
    stated = [
        (named, weight * _trust(named, seen))
        for named, weight in ((claims.bookmarked, _OUTLINE), (claims.tagged, _TAGS))
    ]
    return {key: page + sum(weight for named, weight in stated if key in named) for key, page in odds.items()}


def _trust(named: Mapping[int, int | None], seen: Mapping[int, float]) -> float:
    """Return the share of its weight that a source keeps: less, the more the page speaks against what it names.

    A program made it then. One or two blocks say nothing of a source.

    Args:
        named: ids of the blocks that it calls headings.
        seen: log-odds of the weights by ``id``, before anything that is stated.
    """
    told = [seen[key] for key in named if key in seen]
    against = sum(odds < _AGAINST for odds in told)
    return max(1 - against / len(told), _DOUBTED) if against >= _SEVERAL else 1.0


def is_open(block: Block) -> bool:
    """Return True if what a block is may still be told: plain text, and what is only stated to be an item."""
    if block.kind is Kind.TEXT or block.region is None:
        return block.kind is Kind.TEXT
    return block.kind in {Kind.LIST_ITEM, Kind.CONTENTS} and (not block.marker or _is_numbered_title(block))


def _is_numbered_title(block: Block) -> bool:
    """Return True if a stated item is bold as a whole, and short: writers number titles as they number items."""
    bulleted = BULLET.match(block.text)
    return not bulleted and block.mean("bold") > _BOLD and len(block.lines) <= 2 and block.length < _TITLE_LONGEST


def words_of_title(block: Block, look: Look, page: Page, style: Style) -> float:
    """Return the log-odds of the words of a block: 0 of a title, less of none, more of a sentence set like a title.

    Args:
        block: that may be a heading.
        look: its type.
        page: on which it stands.
        style: the running style of the document.
    """
    if may_be_heading(block, look, style):
        return _NO_TITLE * is_name(block)
    return _SENTENCE if _is_strong_sentence(block, page, style) else _NO_TITLE


def _is_strong_sentence(block: Block, page: Page, style: Style) -> bool:
    """Return True if a sentence is set in bold over a paragraph that is not."""
    if style.bold or block.mean("bold") < _BOLD or len(block.lines) > _SENTENCE_LINES:
        return False
    if block.text[-1:] != "." or not OPENS_SENTENCE.match(block.text):
        return False
    below = min(
        (other for other in page.blocks if other.top > block.bottom - 2), key=lambda other: other.top, default=None
    )
    return below is not None and below.kind is Kind.TEXT and below.mean("bold") < 0.1 and below.length > block.length


def _displayed(block: Block, looks: Mapping[int, Look], page: Page, style: Style) -> float:
    """Return the log-odds of a block in much larger type than the text right below it, if it is no sentence."""
    look, text = looks[id(block)], printed(block)
    if (
        look.size < _DISPLAYED_SIZE * style.size
        or block.length > _TITLE_LONGEST
        or not may_be_heading(block, look, style)
    ):
        return 0.0
    if SENTENCE_END.search(text) or letter_count(text) < _LETTERS * len(text.replace(" ", "")):
        return 0.0
    below = [
        other.length
        for other in page.blocks
        if other.kind is Kind.TEXT
        and other.size < look.size / _DISPLAYED_SIZE
        and -2 < other.top - block.bottom < _BELOW * style.pitch
        and shared_width(other, block) > 0.5 * min(other.width, block.width)
    ]
    longest = max(below, default=0)
    return _DISPLAYED if longest > _TITLE_LONGEST else _LARGE if longest >= _FEW else 0.0


def _heads_items(block: Block, look: Look, page: Page, style: Style) -> bool:
    """Return True if a block in strong type stands right over a list or a table, and has words that no sign ends."""
    text = printed(block)
    if not look.stands_out(style) or not text[:1].isupper() or not (text[-1:].isalpha() or text[-1:] in _LAST):
        return False
    below, reach = _next_below(block, page), _BELOW * style.pitch
    if below is None or below.kind not in _ITEMS or below.top - block.bottom >= reach:
        return False
    return below.kind is not Kind.TABLE or _heads_table(block, below, page, reach)


def _heads_table(block: Block, table: Block, page: Page, reach: float) -> bool:
    """Return True if a line over a table is no name of a column, nor that of a group of rows between two parts."""
    centred = abs(block.middle_x - table.middle_x) < _MIDDLE * table.width
    between = any(
        other.kind is Kind.TABLE and -2 < block.top - other.bottom < reach and shared_width(other, block) > 0
        for other in page.blocks
    )
    return (centred or block.left - table.left < block.size) and not between


def _next_below(block: Block, page: Page) -> Block | None:
    """Return the block that begins first below another one, in its column."""
    column = (other for other in page.blocks if other is not block and shared_width(other, block) > 0)
    return min((other for other in column if other.top > block.bottom - 2), key=attrgetter("top"), default=None)


def _stands_over(block: Block, looks: Mapping[int, Look], page: Page, style: Style) -> bool:
    """Return True if a line stands over text in smaller or lighter type, with more room above it than below."""
    look, text = looks[id(block)], printed(block)
    if len(block.lines) > _OVER_LINES or block.length > _TITLE_LONGEST or block.rest is not None or is_name(block):
        return False
    if letter_count(text) < _LETTERS * len(text.replace(" ", "")) or not may_be_heading(block, look, style):
        return False
    below = _next_below(block, page)
    if below is None or below.kind is not Kind.TEXT or below.length < _OVER_TEXT or id(below) not in looks:
        return False
    lower = looks[id(below)]
    if not is_set_off(look.size, look.bold, lower.size, lower.bold, larger=_OVER_SIZE):
        return False
    gap = max(below.top - block.bottom, 0.0)
    above = max(
        (other.bottom for other in page.blocks if other.bottom < block.top + 2 and shared_width(other, block) > 0),
        default=-page.height,
    )
    return gap < _NEAR * style.size and block.top - above > _NEARER * gap


def _heads_list(block: Block, look: Look, style: Style) -> bool:
    text = printed(block)
    return block.length < _LISTING_LONGEST and bool(CONTENTS_TITLE.match(text)) and look.stands_out(style)


def _like_item(block: Block, look: Look, style: Style) -> bool:
    return bool(NUMBERED.match(block.text)) and not look.stands_out(style)
