"""Which blocks are headings, judged over the whole document."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import Look, look_of, normal, printed, scheme_of
from ragraph.pdf.blocks.titles import is_right_over
from ragraph.pdf.furniture.pagenumbers import number_value
from ragraph.pdf.headings.candidates import is_field
from ragraph.pdf.headings.claims import ENOUGH, LEAFLET, Claims, is_open, weigh
from ragraph.pdf.headings.evidence import by_contents, by_outline
from ragraph.pdf.headings.levels import set_levels
from ragraph.pdf.headings.series import numbered_titles
from ragraph.pdf.headings.setting import settings_of
from ragraph.pdf.headings.signed import put_back, take_signs
from ragraph.pdf.headings.slides import put_under_titles
from ragraph.pdf.headings.taken_back import list_entries, title_again
from ragraph.pdf.headings.title import choose_title, is_paragraph, opening_pages, set_first_heading
from ragraph.pdf.headings.together import together
from ragraph.pdf.model import Block, Kind, in_runs
from ragraph.pdf.patterns import ABSTRACT, DATE_ALONE, LABEL_ONLY, NUMERIC, OPENING_TITLE, VERSION_ALONE
from ragraph.pdf.stated.regions import stated_headings
from ragraph.pdf.stated.votes import is_seen_as_title

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ragraph.pdf.headings.contents import Entry
    from ragraph.pdf.model import Page, Style
    from ragraph.pdf.stated.facts import Bookmark

_MENU = (2, 3)
"""Headings, or lines of one look, that make a menu."""
_MENU_STEP = 3.0
"""Distance from one entry of a menu to the next at most, per point of size: there is hardly room for text between."""
_STACK = 4
"""Minimum number of lines of one look right under each other that are a list, but for the last one."""
_STACK_STEP = 2.0
"""Distance from one such line to the next at most, per point of size: items of an agenda stand farther apart."""
_EDGE = 3.0
"""Points by which lines of one left edge differ at most."""
_UNDERLINED = 0.6
"""Minimum share of its letters at which a line is underlined."""
_BARE = 7
"""Characters of a bare number at most: "XXXVIII" counts chapters, too."""
_COUNTED = 1.5
"""Size of a number that a page shows, in that of the words for what it counts."""
_BODY = {Kind.LIST_ITEM, Kind.CODE, Kind.TABLE}
"""What no title page has between title and authors: the text has begun."""
_LISTED = {Kind.LIST_ITEM, Kind.TABLE}
"""What does not stand among authors, whose addresses may be in typewriter type."""
_BETWEEN = 12
"""Blocks between title and text at most: authors, institutions and dates are fewer."""
_DOUBTFUL = -1.0
"""Log-odds up to which a line of a leaflet is a heading only if others like it are: of 22 such, 15 were none."""
_AGAIN = 3
"""Minimum number of lines of one look among more, at which they are not under the title."""
_CERTAIN = 0.5
"""Minimum log-odds at which a line right over running text is its title, not a line under that of the document."""
_RUNNING = 40
"""Characters of such text at least."""
_OVER = 2.0
"""Room between them at most, per point of size."""


def set_headings(pages: list[Page], style: Style, outline: Sequence[Bookmark], entries: Sequence[Entry]) -> None:
    """Set kind and level of the blocks that are headings, and of the title.

    Args:
        pages: pages with blocks in reading order, run-ins cut and titles joined; they change.
        style: the running style of the document.
        outline: the outline of the file; where it names a block, that is a heading of its depth.
        entries: of the contents pages; the same, where the outline is silent.
    """
    signed = take_signs(pages)
    listed: dict[int, int | None] = {id(item.block): item.depth for item in by_contents(pages, entries)}
    bookmarked: dict[int, int | None] = {id(item.block): item.depth for item in by_outline(pages, outline)}
    looks = {id(block): look_of(block) for page in pages for block in page.blocks if is_open(block)}
    tagged = stated_headings(pages)
    # Two sources of depth may count from different tops: the outline alone says it, if it says enough.
    depths = dict.fromkeys(listed) if len(bookmarked) > 0.5 * len(listed) else listed
    stated = depths | tagged | bookmarked
    opening = opening_pages(pages, style)
    choose_title(pages, looks, style, stated.keys() - _over_all(stated, looks), opening)
    series = numbered_titles(pages)
    claims = Claims(listed, tagged, bookmarked, series, opening, _title_of(pages))
    odds = weigh(pages, style, looks, claims, len(entries))
    raised = together(pages, odds, looks, style)
    odds |= raised
    found = _likely(pages, odds)
    if not stated:
        set_first_heading(pages, found, looks)
    loose = _title_lines(pages, found, looks, odds) | _lone_numbers(found, looks) | _menus(pages, found, looks, style)
    loose |= _doubtful(pages, found, looks, odds, raised.keys()) - series.keys()
    loose |= _fields(pages) | list_entries(pages, found, looks, style) | title_again(pages, found, looks)
    found = [block for block in found if id(block) in stated or id(block) not in loose]
    _set_claims(pages, found, claims, {key for key, look in looks.items() if look.stands_out(style)})
    plain = {id(block) for block in found if "numbering" in block.claims and "type" not in block.claims}
    set_levels(found, looks, stated, set(bookmarked), plain, settings_of(pages, found, looks), _direct(pages, found))
    if not any(levels is not None for levels in stated.values()):
        put_under_titles(pages)
    put_back(signed)


def _likely(pages: Sequence[Page], odds: Mapping[int, float]) -> list[Block]:
    """Keep the log-odds of each block that has some, and return those that are headings."""
    found: list[Block] = []
    for block in (block for page in pages for block in page.blocks if id(block) in odds):
        block.odds = odds[id(block)]
        found += [block] if block.odds > ENOUGH else []
    return found


def _set_claims(pages: Sequence[Page], found: Sequence[Block], claims: Claims, strong: AbstractSet[int]) -> None:
    """Keep what speaks for each heading; ``strong``: the ``id`` of blocks that stand out by their type."""
    seen = {id(block) for page in pages for block in page.blocks if is_seen_as_title(page, block.box)}
    levels = {"outline": claims.bookmarked, "tags": claims.tagged, "contents": claims.listed}
    others: dict[str, Container[int]] = {"numbering": claims.series, "layout": seen, "type": strong}
    for block in found:
        block.claims = {name: level[id(block)] for name, level in levels.items() if id(block) in level}
        block.claims |= {name: None for name, known in others.items() if id(block) in known}


def _over_all(stated: Mapping[int, int | None], looks: Mapping[int, Look]) -> set[int]:
    """Return the heading that is stated to stand over all others, alone on its level and in its type.

    It may be the title.
    """
    levels = [level for level in stated.values() if level is not None]
    top = {key for key, level in stated.items() if level == min(levels, default=None)}
    alike = Counter(looks.values())
    return {key for key in top if len(top) == 1 and key in looks and alike[looks[key]] == 1}


def _direct(pages: Sequence[Page], found: Sequence[Block]) -> set[int]:
    """Return the headings whose next block, on the same page or the next, is a heading, too."""
    chosen = {id(block) for block in found}
    blocks = [block for page in pages for block in page.blocks]
    return {
        id(one) for one, other in pairwise(blocks) if one.rest is None and id(one) in chosen and id(other) in chosen
    }


def _title_of(pages: Sequence[Page]) -> str:
    return "".join(normal(printed(block)) for page in pages for block in page.blocks if block.kind is Kind.TITLE)


def _title_lines(
    pages: Sequence[Page], found: Sequence[Block], looks: dict[int, Look], odds: dict[int, float]
) -> set[int]:
    """Return the blocks between the title and the first paragraph or item that are set like no heading of another page.

    These are authors, institutions and dates. What ends with the mark of a note is an author's name, whatever else is
    set like it; so is all that stands before an abstract. Dates and versions are no titles there, whatever is set like
    them.
    """
    page = next((page for page in pages[:3] if any(block.kind is Kind.TITLE for block in page.blocks)), None)
    if page is None:
        return set()
    under = _under_title(page, odds)
    lines = {key for key in under if key in looks}
    if len(under) > _BETWEEN:
        # No paragraph in sight: what is set alike again and again stands over what the page lists.
        alike = Counter(looks[key] for key in lines)
        lines = {key for key in lines if alike[looks[key]] < _AGAIN}
    like = {looks[id(block)] for block in found if id(block) not in lines}
    marked = {id(block) for block in page.blocks if _is_author_or_stamp(block)}
    return {key for key in lines if looks[key] not in like or key in marked} | _before_abstract(page, looks)


def _under_title(page: Page, odds: dict[int, float]) -> set[int]:
    """Return the blocks between the title and the first paragraph or item.

    They stand under the title: what stands beside it is on another panel of a leaflet, and what is a heading for sure
    and right over running text is its title.
    """
    lines: set[int] = set()
    title: Block | None = None
    last: Block | None = None
    for block in page.blocks:
        if block.kind is Kind.TITLE:
            title = block
        elif title is None or block.left > title.right or block.right < title.left:
            continue
        elif last is not None and _heads(last, block, odds):
            lines.discard(id(last))
        elif not OPENING_TITLE.match(printed(block)) and scheme_of(printed(block)) == "none":
            lines.add(id(block))
        if block.kind is not Kind.TITLE and (block.kind in _BODY or is_paragraph(block)):
            return lines - {id(block)}
        last = block
    return lines


def _is_author_or_stamp(block: Block) -> bool:
    """Return True if a block ends with a raised mark, or begins with a line that is a date or version."""
    return bool(block.lines) and (block.lines[-1].words[-1].raised or _is_stamp(block.lines[0].text))


def _is_stamp(text: str) -> bool:
    return bool(DATE_ALONE.match(text) or VERSION_ALONE.match(text))


def _before_abstract(page: Page, looks: dict[int, Look]) -> set[int]:
    """Return the blocks between the title and the title of an abstract below it: authors, however many they are.

    What is set like that title and stands right over text is the title of another part.
    """
    title: Block | None = None
    between: set[int] = set()
    for block in page.blocks:
        if block.kind is Kind.TITLE:
            title = block
        elif title is not None and ABSTRACT.match(printed(block)) and block.top > title.bottom:
            return between - _alike_over_text(page, block, looks)
        elif title is not None and (block.kind in _LISTED or (is_paragraph(block) and block.text.endswith("."))):
            break
        elif title is not None and scheme_of(printed(block)) == "none":
            between.add(id(block))
    return set()


def _alike_over_text(page: Page, title: Block, looks: dict[int, Look]) -> set[int]:
    """Return the blocks that are set like a title and stand right over running text in another type."""
    look = looks.get(id(title))
    return {
        id(upper)
        for upper, lower in pairwise(page.blocks)
        if looks.get(id(upper)) == look != looks.get(id(lower))
        and len(lower.lines) > 1
        and lower.length > _RUNNING
        and is_right_over(upper, lower, _OVER * upper.size)
    }


def _heads(upper: Block, lower: Block, odds: dict[int, float]) -> bool:
    """Return True if a block is a heading for sure and stands right over running text or an item."""
    over = is_right_over(upper, lower, _OVER * upper.size) and not _is_stamp(printed(upper))
    text = lower.kind in _BODY or (len(lower.lines) > 1 and lower.length > _RUNNING)
    return over and text and odds.get(id(upper), 0.0) > _CERTAIN and odds.get(id(lower), 0.0) < 0


def _doubtful(
    pages: Sequence[Page],
    found: Sequence[Block],
    looks: dict[int, Look],
    odds: dict[int, float],
    raised: AbstractSet[int],
) -> set[int]:
    """Return the headings of a leaflet that lack little of being none and are set like no other that is less in doubt.

    What is known otherwise, as a series of titles is, is not asked about here, and what others have ``raised`` is sure.
    Much of a leaflet is displayed that is no title: names, addresses, slogans. Capitals are hardly set for these alone.
    """
    if len(pages) > LEAFLET:
        return set()
    sure = {looks[id(block)] for block in found if odds[id(block)] > _DOUBTFUL or id(block) in raised}
    doubtful = [block for block in found if odds[id(block)] <= _DOUBTFUL and not looks[id(block)].capitals]
    return {id(block) for block in doubtful if looks[id(block)] not in sure}


def _fields(pages: Sequence[Page]) -> set[int]:
    """Return the blocks that are a label with its value and stand next to another such: a form, or a record."""
    fields: set[int] = set()
    for page in pages:
        for one, other in pairwise(page.blocks):
            if one.rest is None is other.rest and is_field(one) and is_field(other):
                fields |= {id(one), id(other)}
    return fields


def _lone_numbers(found: Sequence[Block], looks: dict[int, Look]) -> set[int]:
    """Return the blocks that are a bare number and do not count on: chapters do so ("I", "II", "III").

    So are numbers in large type with what they count below or beside them ("181 companies").
    """
    rows: dict[Look | None, list[Block]] = defaultdict(list)
    for block in found:
        if len(printed(block).strip(" .")) <= _BARE and LABEL_ONLY.match(printed(block)):
            rows[looks[id(block)]].append(block)
        elif _is_count(block):
            rows[None].append(block)
    lone: set[int] = set()
    for blocks in rows.values():
        values = [number_value(printed(block).split()[0].strip(" .")) for block in blocks]
        steps = sum(
            one is not None and other is not None and one[0] == other[0] and other[1] == one[1] + 1
            for one, other in pairwise(values)
        )
        if len(blocks) < 3 or steps < 0.6 * (len(blocks) - 1):
            lone |= {id(block) for block in blocks}
    return lone


def _is_count(block: Block) -> bool:
    """Return True if a block is a number in larger type than the words behind it."""
    words = [word for line in block.lines for word in line.words if not word.raised]
    if len(words) < 2 or not NUMERIC.match(words[0].text):
        return False
    return words[0].size > _COUNTED * max(word.size for word in words[1:])


def _menus(pages: Sequence[Page], found: Sequence[Block], looks: dict[int, Look], style: Style) -> set[int]:
    """Return headings that stand among others right under each other, with nothing between: menus, lists of names.

    Of lines that only their place speaks for two headings make one, or three lines of one look, whatever the others
    are; what was kept from being a running head counts as a heading there. Of lines in strong type without a number
    four do that stand close, but the last one may stand over text.
    """
    chosen = {id(block) for block in found}
    menus: set[int] = set()
    for page in pages:
        lines = [block for block in page.blocks if id(block) in looks and len(block.lines) == 1 and block.rest is None]
        for run in _runs(lines, looks):
            if not chosen.isdisjoint(map(id, run)):
                menus |= _entries(_parted(run, page), chosen, looks, style)
    return menus


def _entries(
    runs: Sequence[Sequence[Block]], chosen: AbstractSet[int], looks: dict[int, Look], style: Style
) -> set[int]:
    """Return the headings in runs of lines that make a menu or a list."""
    found: set[int] = set()
    for run in runs:
        here = {id(entry) for entry in run} & chosen
        if all(_is_plain(entry, looks[id(entry)], style) for entry in run):
            kept = {id(entry) for entry in run if entry.lines[0].rescued}
            found |= here if len(here | kept) >= _MENU[0] or len(run) >= _MENU[1] else set()
            continue
        for stack in _stacks(run, looks):
            found |= here & {id(entry) for entry in stack[:-1]} if len(stack) >= _STACK else set()
    return found


def _stacks(run: Sequence[Block], looks: dict[int, Look]) -> list[list[Block]]:
    """Return the lines of a run that bear no number, in parts within which they stand close."""
    stacks: list[list[Block]] = [[]]
    for entry in run:
        if scheme_of(printed(entry)) != "none":
            stacks.append([])
            continue
        above = stacks[-1][-1] if stacks[-1] else entry
        if entry.bottom - above.bottom > _STACK_STEP * looks[id(entry)].size:
            stacks.append([])
        stacks[-1].append(entry)
    return stacks


def _runs(lines: Sequence[Block], looks: dict[int, Look]) -> list[list[Block]]:
    """Return lines of one look in runs, each right under the one before."""
    ordered = sorted(lines, key=lambda block: (round(block.left / _EDGE), block.top))
    return in_runs(ordered, lambda run, block: _is_next(run[-1], block, looks))


def _parted(run: Sequence[Block], page: Page) -> list[list[Block]]:
    """Return a run in parts within which nothing stands between the lines."""
    return in_runs(run, lambda part, block: not _is_between(part[-1], block, page))


def _is_between(upper: Block, lower: Block, page: Page) -> bool:
    """Return True if something stands between two lines, one under the other."""
    left, right = min(upper.left, lower.left), max(upper.right, lower.right)
    return any(
        other.left < right and left < other.right and upper.bottom <= other.middle_y <= lower.top
        for other in page.blocks
    )


def _is_plain(block: Block, look: Look, style: Style) -> bool:
    """Return True if a line has nothing of a heading in its type and bears no number."""
    strong = look.stands_out(style) or block.mean("underlined") > _UNDERLINED
    return not strong and scheme_of(printed(block)) == "none"


def _is_next(upper: Block, lower: Block, looks: dict[int, Look]) -> bool:
    look = looks[id(upper)]
    close = 0 < lower.bottom - upper.bottom < _MENU_STEP * look.size
    return close and abs(upper.left - lower.left) < _EDGE and look == looks[id(lower)]
