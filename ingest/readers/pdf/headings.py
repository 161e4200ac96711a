"""Headings: which blocks are, and their levels, judged over the whole document."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ragraph.ingest.readers.pdf.blocks import BULLET, CAPTION, LEADER
from ragraph.ingest.readers.pdf.layout import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.ingest.readers.pdf.facts import Bookmark
    from ragraph.ingest.readers.pdf.layout import Page, Style

_DECIMAL = re.compile(r"^(?P<number>(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*)\.?\s+(?=\S*[^\W\d_])")
_LETTERED = re.compile(r"^(?P<number>[A-Z](?:\.\d{1,3})+)\.?\s+\S")
_ROMAN = re.compile(r"^(?P<number>[IVXLC]{1,7})\.\s*\S")
_NAMED = re.compile(
    r"^(?P<word>chapter|part|book|volume|appendix|annex|article|section|lecture|act|scene|kapitel|teil|chapitre"
    r"|capítulo|capitolo)\s+(?P<number>\d{1,3}|[IVXLC]{1,7}|[A-Z])\b",
    re.I,
)
_LETTERS = re.compile(r"[^\W\d_]")
_LONGEST = 220


class _Look(NamedTuple):
    """The type a block is set in, as far as headings differ by it."""

    size: float
    bold: bool
    italic: bool
    capitals: bool


def set_headings(pages: list[Page], style: Style, outline: Sequence[Bookmark]) -> None:
    """Set kind and level of the blocks that are headings.

    Args:
        pages: pages with blocks in reading order; the blocks change.
        style: the running style of the document.
        outline: the outline of the file; where it names a block, that is a heading of its depth.
    """
    blocks = [block for page in pages for block in page.blocks]
    stated = _by_outline(pages, outline)
    looks = {id(block): look_of(block) for block in blocks}
    classes = _heading_looks(blocks, looks, style)
    found = [
        block
        for block in blocks
        if id(block) in stated or (looks[id(block)] in classes and _may_be_heading(block, looks[id(block)], style))
    ]
    _set_levels(found, looks, stated)


def look_of(block: Block) -> _Look:
    """Return how a block is set."""
    letters = _LETTERS.findall(block.text)
    capitals = len(letters) >= 3 and sum(letter.isupper() for letter in letters) > 0.9 * len(letters)
    return _Look(round(block.size * 2) / 2, block.mean("bold") > 0.6, block.mean("italic") > 0.7, capitals)


def numbering_depth(text: str) -> int | None:
    """Return the depth that the number of a heading tells: "4.2.1" is 3; None without a decimal number."""
    match = _DECIMAL.match(text) or _LETTERED.match(text)
    return match["number"].count(".") + 1 if match else None


def normal(text: str) -> str:
    """Return a title for comparison: letters and digits, lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


def _by_outline(pages: list[Page], outline: Sequence[Bookmark]) -> dict[int, int]:
    """Return the blocks that the outline names: block id to depth."""
    found: dict[int, int] = {}
    for entry in outline:
        wanted = normal(entry.title)
        if entry.page is None or not wanted or entry.page > len(pages):
            continue
        for number in (entry.page, entry.page + 1, entry.page - 1):
            if not 1 <= number <= len(pages):
                continue
            block = _named(pages[number - 1].blocks, wanted, found)
            if block is not None:
                found[id(block)] = entry.depth
                break
    return found


def _named(blocks: Sequence[Block], wanted: str, taken: dict[int, int]) -> Block | None:
    """Return the block whose words are those wanted, but for a number in front."""
    for block in blocks:
        if block.kind is not Kind.TEXT or block.length > 1.5 * len(wanted) + 40 or id(block) in taken:
            continue
        have = normal(block.text)
        if have == wanted or (len(wanted) > 3 and have.endswith(wanted) and len(have) - len(wanted) <= 12):
            return block
        if len(have) > 3 and wanted.endswith(have) and len(wanted) - len(have) <= 12:
            return block
    return None


def _heading_looks(blocks: Sequence[Block], looks: dict[int, _Look], style: Style) -> set[_Look]:
    """Return the looks that stand out from the running text and are used for short blocks."""
    letters: Counter[_Look] = Counter()
    short: Counter[_Look] = Counter()
    total = 0
    for block in blocks:
        if block.kind is not Kind.TEXT:
            continue
        look = looks[id(block)]
        letters[look] += block.length
        total += block.length
        if block.length <= _LONGEST and len(block.lines) <= 4:
            short[look] += block.length
    return {
        look
        for look, count in letters.items()
        if _stands_out(look, style) and short[look] >= 0.6 * count and count < 0.2 * max(total, 1)
    }


def _stands_out(look: _Look, style: Style) -> bool:
    larger = look.size > 1.07 * style.size + 0.2
    heavier = look.bold and not style.bold and look.size >= 0.88 * style.size
    capitals = look.capitals and look.size >= 0.88 * style.size
    slanted = look.italic and look.size >= 0.97 * style.size
    return larger or heavier or capitals or slanted


def _may_be_heading(block: Block, look: _Look, style: Style) -> bool:
    text = block.text
    if block.kind is not Kind.TEXT or block.length > _LONGEST or len(block.lines) > 4:
        return False
    letters = len(_LETTERS.findall(text))
    numbered = bool(_DECIMAL.match(text) or _LETTERED.match(text) or _ROMAN.match(text) or _NAMED.match(text))
    if letters < 2 and not numbered:
        return False
    if CAPTION.match(text) or LEADER.search(text) or BULLET.match(text):
        return False
    if text[-1:] in ",;" or (text[-1:] == "." and not numbered and not look.capitals):
        return False
    first = next((character for character in text if character.isalpha()), "")
    if first.islower() and not numbered:
        return False
    if look.italic and not look.bold and look.size <= 1.07 * style.size:
        return len(block.lines) == 1 and block.length < 80
    return True


def _set_levels(found: list[Block], looks: dict[int, _Look], stated: dict[int, int]) -> None:
    """Set the level of each heading: the outline's depth, else the number's, else that of its look."""
    votes: dict[_Look, Counter[int]] = defaultdict(Counter)
    for block in found:
        depth = stated.get(id(block)) or numbering_depth(block.text)
        if depth is not None:
            votes[looks[id(block)]][depth] += 1
    ranked = sorted({looks[id(block)] for block in found}, key=lambda look: (-look.size, -look.bold, -look.capitals))
    levels: dict[_Look, int] = {}
    before = 0
    for look in ranked:
        if votes[look]:
            levels[look] = min(votes[look].items(), key=lambda item: (-item[1], item[0]))[0]
        else:
            levels[look] = max(1, min(before + 1, 9))
        before = max(before, levels[look])
    for block in found:
        block.kind = Kind.HEADING
        block.level = stated.get(id(block)) or numbering_depth(block.text) or levels[looks[id(block)]]
