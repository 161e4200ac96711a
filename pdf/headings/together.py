"""Headings weighed together: what a document does with a type, it mostly does everywhere.

Nothing is lowered here. A block that lacks little is raised to the limit by others that are headings for sure.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import normal, printed, scheme_of
from ragraph.pdf.blocks.titles import is_set_off
from ragraph.pdf.headings.candidates import is_name, may_be_heading
from ragraph.pdf.headings.claims import ENOUGH, words_of_title
from ragraph.pdf.headings.features import may_be
from ragraph.pdf.headings.forced import is_forced_title
from ragraph.pdf.headings.series import like_title
from ragraph.pdf.model import Kind, shared_width
from ragraph.pdf.patterns import TITLE_END, TITLE_START

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.pdf.blocks.looks import Look
    from ragraph.pdf.model import Block, Page, Style

_LACKING = 2.0
"""Log-odds that a block beside a heading may lack."""
_SURE = 2
"""Minimum number of beginnings of paragraphs that are titles for sure, at which those like them are."""
_LETTERED_LONGEST = 100
"""Characters of a title with a letter at most."""
_MOSTLY = 0.6
"""Share of the letters of a title that are underlined."""
_SEVERAL = 3
"""Minimum number of headings in one type at which it tells."""
_CLEAR = 4.0
"""Log-odds of a single block, for or against, that count at most when those of its type are taken together."""
_PARAGRAPH = 80
"""Characters of a paragraph at least."""
_SET_IN = 1.5
"""How far a centred title is set in on both sides at least, per point of size."""
_EDGE = 3.0
"""Points by which edges of blocks on one row, or in one column, differ at most."""
_LARGER = 1.12
"""Minimum size of a line that is not bold, in that of the text below, at which it is set off."""
_NEAR, _NEARER = 1.5, 1.3
"""Distance from a line to its text at most, in its size, and by how much that to what stands above is larger."""


def together(
    pages: Sequence[Page], odds: Mapping[int, float], looks: Mapping[int, Look], style: Style
) -> dict[int, float]:
    """Return the log-odds, enough for a heading, of blocks that others in their type carry, by ``id``.

    Args:
        pages: with blocks in reading order.
        odds: from ``claims.weigh``.
        looks: of the open blocks, by ``id``.
        style: the running style of the document.
    """
    raised = _beside(pages, odds, looks, style) | _run_in(pages, odds, looks) | _lettered(pages, odds, looks)
    raised |= _forced(pages, odds, looks, style)
    raised |= _alike(pages, {**odds, **raised}, looks, style)
    return raised | _twins(pages, {**odds, **raised}, looks, style)


def _beside(
    pages: Sequence[Page], odds: Mapping[int, float], looks: Mapping[int, Look], style: Style
) -> dict[int, float]:
    """Return odds, enough for a heading, of blocks that lack little and stand beside one that is, in the same type."""
    raised: dict[int, float] = {}
    for page in pages:
        if any(block.kind is Kind.CONTENTS for block in page.blocks):
            continue  # "Page" stands beside their title
        open_ = [block for block in page.blocks if id(block) in odds and looks[id(block)].stands_out(style)]
        sure = [block for block in open_ if odds[id(block)] > ENOUGH]
        for block in open_:
            lacking = ENOUGH - _LACKING < odds[id(block)] <= ENOUGH
            if (
                lacking
                and words_of_title(block, looks[id(block)], page, style) >= 0
                and any(
                    looks[id(other)] == looks[id(block)]
                    and abs(other.top - block.top) < _EDGE
                    and (other.left > block.right or block.left > other.right)
                    for other in sure
                )
            ):
                raised[id(block)] = ENOUGH + 0.1
    return raised


def _forced(
    pages: Sequence[Page], odds: Mapping[int, float], looks: Mapping[int, Look], style: Style
) -> dict[int, float]:
    """Return odds, enough for a heading, of titles in the type of their paragraph, on a line that ends before its time.

    Only where they are a series they were cut off (``headings.forced``); the type, which is learnt, says nothing.
    """
    return {
        id(block): ENOUGH + 0.1
        for page in pages
        for block in page.blocks
        if id(block) in odds
        and odds[id(block)] <= ENOUGH
        and is_forced_title(block)
        and not looks[id(block)].stands_out(style)
        and words_of_title(block, looks[id(block)], page, style) >= 0
    }


def _run_in(pages: Sequence[Page], odds: Mapping[int, float], looks: Mapping[int, Look]) -> dict[int, float]:
    """Return odds, enough for a heading, of beginnings of paragraphs in a type most of which are titles."""
    alike: dict[tuple[bool, bool], list[Block]] = defaultdict(list)
    for page in pages:
        for block in page.blocks:
            if block.rest is not None and id(block) in odds and scheme_of(printed(block)) == "none":
                alike[looks[id(block)].bold, looks[id(block)].italic].append(block)
    raised: dict[int, float] = {}
    for blocks in alike.values():
        near = [block for block in blocks if odds[id(block)] > ENOUGH - _LACKING]
        sure = sum(odds[id(block)] > ENOUGH for block in near)
        if sure >= _SURE and 2 * sure > len(near) and 2 * len(near) > len(blocks):
            raised |= {id(block): ENOUGH + 0.1 for block in near if odds[id(block)] <= ENOUGH}
    return raised


def _lettered(pages: Sequence[Page], odds: Mapping[int, float], looks: Mapping[int, Look]) -> dict[int, float]:
    """Return odds, enough for a heading, of titles with letters or Roman numbers that paragraphs begin with.

    "(a) Organization. ...", the title in a type of its own, is hardly ever stated, so that nothing was learnt of it:
    that several are set alike tells.
    """
    alike: dict[tuple[str, str], list[Block]] = defaultdict(list)
    for page in pages:
        for block in page.blocks:
            scheme = scheme_of(printed(block)) if id(block) in odds and block.length <= _LETTERED_LONGEST else ""
            if scheme.lower() in {"letter", "roman"} and TITLE_END.search(block.text):
                kind = _strong_type(block, looks[id(block)])
                if kind and like_title(TITLE_START.sub("", block.text).split()):
                    alike[scheme, kind].append(block)
    return {
        id(block): ENOUGH + 0.1
        for blocks in alike.values()
        if len(blocks) >= _SEVERAL and any(block.rest is not None for block in blocks)
        for block in blocks
        if odds[id(block)] <= ENOUGH
    }


def _strong_type(block: Block, look: Look) -> str:
    """Return the type that sets a title off from its paragraph; empty if none does."""
    told = {"bold": look.bold, "underlined": block.mean("underlined") > _MOSTLY, "italic": look.italic}
    return next((name for name, has in told.items() if has), "capitals" if look.capitals else "")


def _alike(
    pages: Sequence[Page], odds: Mapping[int, float], looks: Mapping[int, Look], style: Style
) -> dict[int, float]:
    """Return odds, enough for a heading, of short blocks over paragraphs, in a type whose blocks are in the mean."""
    alike: dict[Look, list[tuple[Block, Block | None]]] = defaultdict(list)
    for page in pages:
        # A picture that a paragraph flows around stands between it and its title.
        others = [block for block in page.blocks if block.kind is not Kind.FIGURE]
        for block, below in zip_longest(others, others[1:]):
            if id(block) in odds and block.rest is None and may_be(block) and looks[id(block)].stands_out(style):
                alike[looks[id(block)]].append((block, below))
    raised: dict[int, float] = {}
    for look, found in alike.items():
        sure = sum(odds[id(block)] > ENOUGH for block, _ in found)
        mean = sum(min(max(odds[id(block)], -_CLEAR), _CLEAR) for block, _ in found) / len(found)
        if sure < _SEVERAL or mean <= ENOUGH:
            continue
        for block, below in found:
            lacking = ENOUGH - _LACKING < odds[id(block)] <= ENOUGH
            if below and lacking and _stands_over(block, below) and _reads_as_title(block, look, style, below):
                raised[id(block)] = ENOUGH + 0.1
    return raised


def _reads_as_title(block: Block, look: Look, style: Style, below: Block) -> bool:
    """Return True if a block has the words of a title, a full stop behind them or not, or is a sentence set like one.

    Steps are numbered as titles are: which of them a number begins is told by all of the series, not by the type.
    """
    scheme = scheme_of(printed(block))
    worded = may_be_heading(block, look, style, stopped=True) and not is_name(block)
    return (worded and (scheme == "none" or scheme.startswith("named"))) or _is_centred(block, scheme, below)


def _is_centred(block: Block, scheme: str, below: Block) -> bool:
    """Return True if a title with a letter or Roman number stands over the middle of its paragraph: no item does."""
    inner = min(block.left - below.left, below.right - block.right) > _SET_IN * block.size
    middle = abs(block.left + block.right - below.left - below.right) < 2 * block.size
    lettered = scheme.lower() in {"letter", "roman"} and len(block.lines) == 1
    return lettered and inner and middle and like_title(TITLE_START.sub("", printed(block)).split())


def _stands_over(block: Block, below: Block) -> bool:
    """Return True if a block stands over a paragraph, which may begin with a title of its own."""
    if below.kind is not Kind.TEXT or below.top <= block.top:
        return False
    return (below.rest or below).length > _PARAGRAPH


def _twins(
    pages: Sequence[Page], odds: Mapping[int, float], looks: Mapping[int, Look], style: Style
) -> dict[int, float]:
    """Return odds, enough for a heading, of lines that stand over their text as a heading of the page over its own.

    The pattern tells, not the line: one type and one edge, over text or a list in one smaller or lighter type, with
    more room above than below. At least half of the lines set so are headings, or have the words of one.
    """
    raised: dict[int, float] = {}
    for page in pages:
        if any(block.kind is Kind.CONTENTS for block in page.blocks):
            continue
        alike = _over_text(page, odds, looks, style)
        sure = {normal(printed(block)) for found in alike for block in found if odds[id(block)] > ENOUGH}
        for block, level in ((block, _at_edge_of(block, found)) for found in alike for block in found):
            told = sum(normal(printed(other)) in sure for other in level)
            if odds[id(block)] <= ENOUGH and len(level) > 1 and 2 * told >= len(level):
                raised[id(block)] = ENOUGH + 0.1
    return raised


def _over_text(page: Page, odds: Mapping[int, float], looks: Mapping[int, Look], style: Style) -> list[list[Block]]:
    """Return lines of a page with the words of titles over a text, those set alike over texts set alike together."""
    alike: dict[tuple[Look, Kind, float], list[Block]] = defaultdict(list)
    by_top, by_bottom = (sorted(page.blocks, key=attrgetter(edge)) for edge in ("top", "bottom"))
    for block in page.blocks:
        if id(block) not in odds or block.rest is not None or len(block.lines) > 1:
            continue
        look, below = looks[id(block)], _text_under(block, by_top, by_bottom)
        if below is not None and words_of_title(block, look, page, style) == 0:
            alike[look, below.kind, round(below.size)].append(block)
    return [*alike.values()]


def _at_edge_of(block: Block, others: Sequence[Block]) -> list[Block]:
    return [other for other in others if min(abs(other.left - block.left), abs(other.right - block.right)) < _EDGE]


def _text_under(block: Block, by_top: Sequence[Block], by_bottom: Sequence[Block]) -> Block | None:
    """Return the text or list right below a line that the line is set off from, and nearer to than to what is above.

    Args:
        block: the line.
        by_top: the blocks of its page in the order of their upper edges.
        by_bottom: the same in the order of their lower edges.
    """

    def in_column(other: Block) -> bool:
        return other is not block and shared_width(other, block) > 0

    lower = bisect_right(by_top, block.bottom - 2, key=attrgetter("top"))
    below = next((by_top[at] for at in range(lower, len(by_top)) if in_column(by_top[at])), None)
    if below is None or below.kind not in {Kind.TEXT, Kind.LIST_ITEM}:
        return None
    if not is_set_off(block.size, block.mean("bold"), below.size, below.mean("bold"), larger=_LARGER):
        return None
    gap = max(below.top - block.bottom, 0.0)
    if gap >= _NEAR * block.size:
        return None
    upper = bisect_left(by_bottom, block.top + 2, key=attrgetter("bottom"))
    above = next((by_bottom[at] for at in range(upper - 1, -1, -1) if in_column(by_bottom[at])), None)
    return below if above is None or block.top - above.bottom > _NEARER * gap else None
