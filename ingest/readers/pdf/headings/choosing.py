"""Which blocks are headings, judged over the whole document."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.blocks.looks import Look, letter_count, look_of, printed, scheme_of
from ragraph.ingest.readers.pdf.furniture.pagenumbers import number_value
from ragraph.ingest.readers.pdf.headings.candidates import is_labelled, is_signature, may_be_heading
from ragraph.ingest.readers.pdf.headings.claims import is_open, tagged_headings, vetoed_by_tags
from ragraph.ingest.readers.pdf.headings.evidence import by_contents, by_outline
from ragraph.ingest.readers.pdf.headings.levels import set_levels
from ragraph.ingest.readers.pdf.headings.series import numbered_titles
from ragraph.ingest.readers.pdf.model import Block, Kind
from ragraph.ingest.readers.pdf.patterns import CONTENTS_TITLE, LABEL_ONLY, NAME_ALONE, OPENING_TITLE, PUBLISHER
from ragraph.ingest.readers.pdf.stated.regions import stated_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.headings.contents import Entry
    from ragraph.ingest.readers.pdf.model import Page, Style
    from ragraph.ingest.readers.pdf.stated.facts import Bookmark

_LONGEST = 240
"""Characters of a heading at most, by which a look is counted as one of headings."""
_SIGNED = 1.3
"""Names under a preface are set like the text, titles at the right edge much larger."""
_PARAGRAPH = 4
"""Lines of a block that is running text, whatever stands beside it."""
_BARE = 7
"""Characters of a bare number at most: "XXXVIII" counts chapters, too."""
_NAME = 6
"""Words of the name of a company at most."""
_PROSE = 40
"""Characters from which lines below a block are its paragraph, not a cell."""
_DISPLAY = 220
"""A page with fewer characters of running text is a title page or the like."""


def set_headings(pages: list[Page], style: Style, outline: Sequence[Bookmark], entries: Sequence[Entry]) -> None:
    """Set kind and level of the blocks that are headings, and of the title.

    Args:
        pages: pages with blocks in reading order, run-ins cut and titles joined; they change.
        style: the running style of the document.
        outline: the outline of the file; where it names a block, that is a heading of its depth.
        entries: of the contents pages; the same, where the outline is silent.
    """
    listed_in: dict[int, int | None] = {id(item.block): item.depth for item in by_contents(pages, entries)}
    stated = dict(listed_in)
    trusted = _trusted(stated, entries)
    bookmarked = {id(item.block): item.depth for item in by_outline(pages, outline)}
    if len(bookmarked) > 0.5 * len(stated):
        # Two sources of depth may count from different tops: the outline alone says it, if it says enough.
        stated = dict.fromkeys(stated)
    looks = {id(block): look_of(block) for page in pages for block in page.blocks if is_open(block)}
    tagged = tagged_headings(pages, looks)
    stated |= tagged
    stated |= bookmarked
    classes = _heading_looks(pages, looks, style)
    vetoed = vetoed_by_tags(pages, tagged, looks, classes)
    series = numbered_titles(pages)
    opening = _opening(pages, style, stated)
    _set_title(pages, opening, looks, style, stated)
    named = {looks[key] for key in stated if key in looks}
    contents_page = min((entry.block.page for entry in entries), default=0)
    found: list[Block] = []
    for page in pages:
        listed = _in_columns(page, looks)
        column = max((other.right for other in page.blocks if len(other.lines) > 2), default=page.width)
        for block in page.blocks:
            if id(block) not in looks or block.kind is Kind.TITLE:
                continue
            look = looks[id(block)]
            listing = CONTENTS_TITLE.match(printed(block)) and any(b.kind is Kind.CONTENTS for b in page.blocks)
            whole = series.get(id(block)) == sum(len(line.words) for line in block.lines)
            if id(block) in stated or whole or (listing and look.stands_out(style) and block.length < 60):
                found.append(block)
                continue
            if block.kind is not Kind.TEXT or id(block) in listed or id(block) in vetoed:
                continue
            if not may_be_heading(block, look, style) or _is_name(block):
                continue
            if look not in classes and not is_labelled(block, page, column):
                continue
            if look.size < _SIGNED * style.size and is_signature(block, page, column):
                continue
            if page.number in opening and not CONTENTS_TITLE.match(printed(block)):
                continue
            labelled = scheme_of(printed(block)).startswith("named") and page.number > contents_page
            if trusted and not labelled and not _goes_with(look, named, style, page.number < contents_page):
                continue
            found.append(block)
    loose = _title_lines(pages, found, looks) | _lone_numbers(found, looks)
    found = [block for block in found if id(block) in stated or id(block) not in loose]
    sources: dict[str, dict[int, int | None]] = {"outline": {**bookmarked}, "tags": tagged, "contents": listed_in}
    for block in found:
        block.claims = {name: levels[id(block)] for name, levels in sources.items() if id(block) in levels}
        block.claims |= {"numbering": None} if id(block) in series else {}
        block.claims |= {"type": None} if looks[id(block)] in classes else {}
    plain = {id(block) for block in found if id(block) in series and not looks[id(block)].stands_out(style)}
    set_levels(found, looks, stated, set(bookmarked), plain)


def _title_lines(pages: Sequence[Page], found: Sequence[Block], looks: dict[int, Look]) -> set[int]:
    """Return the blocks between the title and the first paragraph that are set like no heading of another page.

    These are authors, institutions and dates.
    """
    lines: set[int] = set()
    for page in pages[:3]:
        after = False
        for block in page.blocks:
            if block.kind is Kind.TITLE:
                after = True
            elif after and block.kind is Kind.TEXT and len(block.lines) >= 3 and block.length > 150:
                break
            elif after and not OPENING_TITLE.match(printed(block)) and scheme_of(printed(block)) == "none":
                lines.add(id(block))
        if after:
            like = {looks[id(block)] for block in found if id(block) not in lines}
            return {key for key in lines if key in looks and looks[key] not in like}
    return set()


def _lone_numbers(found: Sequence[Block], looks: dict[int, Look]) -> set[int]:
    """Return the blocks that are a bare number and do not count on: chapters do so ("I", "II", "III")."""
    rows: dict[Look, list[Block]] = defaultdict(list)
    for block in found:
        if len(printed(block).strip(" .")) <= _BARE and LABEL_ONLY.match(printed(block)):
            rows[looks[id(block)]].append(block)
    lone: set[int] = set()
    for blocks in rows.values():
        values = [number_value(printed(block).strip(" .")) for block in blocks]
        steps = sum(
            one is not None and other is not None and one[0] == other[0] and other[1] == one[1] + 1
            for one, other in pairwise(values)
        )
        if len(blocks) < 3 or steps < 0.6 * (len(blocks) - 1):
            lone |= {id(block) for block in blocks}
    return lone


def _trusted(stated: dict[int, int | None], entries: Sequence[Entry]) -> bool:
    """Say whether the contents pages name the headings of the text well enough to judge others by them."""
    named = sum(entry.heads == "contents" for entry in entries)
    return named >= 5 and len(stated) >= 0.6 * named


def _goes_with(look: Look, named: set[Look], style: Style, before: bool) -> bool:
    """Say whether a heading that the contents leave out is of a kind they name, or of a lesser one."""
    if any(look.resembles(other) for other in named):
        return True
    least = min(other.size for other in named)
    return not before and look.size <= least + 0.3 and (look.bold or look.size > 1.07 * style.size)


def _heading_looks(pages: Sequence[Page], looks: dict[int, Look], style: Style) -> set[Look]:
    """Return the looks that stand out from the running text and are used for short blocks."""
    letters: Counter[Look] = Counter()
    short: Counter[Look] = Counter()
    blocks: Counter[Look] = Counter()
    brief: Counter[Look] = Counter()
    total = 0
    for page in pages:
        for block in page.blocks:
            if block.kind is not Kind.TEXT:
                continue
            look = looks[id(block)]
            letters[look] += block.length
            blocks[look] += 1
            total += block.length
            if block.length <= _LONGEST and len(block.lines) <= 4:
                short[look] += block.length
                brief[look] += 1
    return {
        look
        for look, count in letters.items()
        if look.stands_out(style)
        and count < 0.2 * max(total, 1)
        # Whole clauses are set in capitals too: there the number of blocks tells, not of letters.
        and (short[look] >= 0.6 * count or (look.capitals and brief[look] >= 0.5 * blocks[look]))
    }


def _in_columns(page: Page, looks: dict[int, Look]) -> set[int]:
    """Return blocks that stand level with text to their right, several of a look: terms, names, cells of a table."""
    blocks = [block for block in page.blocks if block.kind is Kind.TEXT]
    rows: dict[int, list[tuple[Block, float]]] = defaultdict(list)
    for block in blocks:
        for line in block.lines:
            rows[round(line.bottom / 2)].append((block, line.bottom))
    level: dict[Look, list[int]] = defaultdict(list)
    beside: dict[Look, list[int]] = defaultdict(list)
    for block in blocks:
        foot = block.lines[0].bottom
        place = round(foot / 2)
        near = [other for step in (-1, 0, 1) for other, bottom in rows.get(place + step, ()) if abs(bottom - foot) < 2]
        sides = [other for other in near if other.left > block.right or other.right < block.left]
        if _over_paragraph(block, blocks):
            continue
        # The next column of the text is no column of a table; what explains a term begins level with it.
        if any(len(other.lines) < _PARAGRAPH or abs(other.lines[0].bottom - foot) < 2 for other in sides):
            level[looks[id(block)]].append(id(block))
        elif sides:
            beside[looks[id(block)]].append(id(block))
    listed = {look for look, keys in level.items() if len(keys) >= 4}
    return {key for look in listed for key in [*level[look], *beside[look]]}


def _is_name(block: Block) -> bool:
    """Say whether a block is the name of a company, or of a kind of publication."""
    text = printed(block)
    return len(text.split()) <= _NAME and bool(NAME_ALONE.search(text))


def _over_paragraph(block: Block, blocks: Sequence[Block]) -> bool:
    """Say whether a paragraph in lesser type begins right below a block, at its left edge: it is no term beside."""
    bold = block.mean("bold")
    return any(
        len(other.lines) > 1
        and other.length > _PROSE
        and -2 < other.top - block.bottom < 1.5 * block.size
        and abs(other.left - block.left) < 3
        and (other.size < 0.93 * block.size or other.mean("bold") < bold - 0.5)
        for other in blocks
    )


def _opening(pages: Sequence[Page], style: Style, stated: dict[int, int | None]) -> set[int]:
    """Return the numbers of the first pages that hold a title rather than text."""
    opening: set[int] = set()
    for page in pages[:6]:
        running = sum(
            block.length
            for block in page.blocks
            if block.kind is Kind.TEXT and len(block.lines) >= 3 and block.length > 150
        )
        if page.blocks and (running > _DISPLAY or any(block.kind is Kind.CONTENTS for block in page.blocks)):
            break
        if len(pages) > 2:
            opening.add(page.number)
    return opening


def _set_title(
    pages: Sequence[Page], opening: set[int], looks: dict[int, Look], style: Style, stated: dict[int, int | None]
) -> None:
    """Set the kind of the title, unless it is stated: the largest block of the first pages, if its size stands out."""
    if any(block.kind is Kind.TITLE for page in pages for block in page.blocks):
        return
    for page in pages[:2]:
        blocks = [
            block
            for block in page.blocks
            if block.kind is Kind.TEXT
            and not stated_plain(block)
            and (id(block) not in stated or page.number in opening)
            and 3 < block.length < 300
            and len(block.lines) < 7
        ]
        if page.number not in opening:
            blocks = [block for block in blocks if block.top < 0.45 * page.height]
        blocks = [block for block in blocks if letter_count(block.text) > 3 and not CONTENTS_TITLE.match(block.text)]
        blocks = [block for block in blocks if "@" not in block.text]
        names = {id(block) for block in blocks if _is_name(block) or PUBLISHER.search(printed(block))}
        blocks = [block for block in blocks if id(block) not in names] or blocks
        if not blocks:
            continue
        largest = max(blocks, key=lambda block: (looks[id(block)].size, -block.top))
        if looks[id(largest)].size > 1.18 * style.size and scheme_of(printed(largest)) == "none":
            largest.kind = Kind.TITLE
            return
    _set_centred_title(pages[0], looks, style)


def _set_centred_title(page: Page, looks: dict[int, Look], style: Style) -> None:
    """Set the kind of a title in the size of the text: centred, in capitals or bold, the first of its page."""
    running = [block for block in page.blocks if block.kind is Kind.TEXT and len(block.lines) >= 3]
    if not running:
        return
    left, right = min(block.left for block in running), max(block.right for block in running)
    for block in page.blocks:
        if block in running or block.top > 0.45 * page.height:
            return
        if block.kind is not Kind.TEXT or letter_count(block.text) < 8 or len(block.lines) > 3:
            continue
        look, text = looks[id(block)], printed(block)
        centred = block.left > left + 20 and abs((block.left + block.right) - (left + right)) < 0.06 * page.width
        whole = scheme_of(text) == "none" and not CONTENTS_TITLE.match(text) and not OPENING_TITLE.match(text)
        if centred and whole and (look.bold or look.capitals) and may_be_heading(block, look, style):
            block.kind = Kind.TITLE
            return
