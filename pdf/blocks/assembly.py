"""Lines to blocks: paragraphs, items, headings and the like of one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.blocks.breaks import Neighbours, breaks_within
from ragraph.pdf.blocks.looks import scheme_of
from ragraph.pdf.model import Block, Kind, Line, Page, Style, shared_width
from ragraph.pdf.patterns import (
    ADDRESS,
    BULLET,
    CUT_WORD,
    ITEM_NUMBER,
    LEADER,
    NOTE_START,
    NUMBERED,
    RUN_IN_CLOSE,
    RUN_IN_LAST,
    SECTION_NUMBER,
    SENTENCE_END,
    SUBSECTION,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_HANGING = 0.6
"""Gap behind the number of a paragraph that hangs from it at least, per point of size: more than a blank."""
_AT_TEXT = 0.3
"""Distance from the text behind such a number at which a line that hangs from it begins at most, likewise."""
_FLUSH = 0.2
"""Distance of the right edges of lines that end at one edge at most, per point of size."""
_RAGGED = 3
"""Places at which lines of a paragraph begin that is set to the right, at least: justified ones begin at two."""
_LOUD = 0.8
"""Share of letters that are capitals, in a title in capitals, at least: "RULES 13a-14(a) AND"."""
_ACRONYM = 5
"""Letters up to which capitals tell nothing of the type of a line."""
_HEAVY = 0.85
"""Share of letters in bold, in a title in capitals and the line below it, at least."""
_SMALL = 0.6
"""Share of small letters in a line that is not set in capitals, at least."""
_NARROW = 14
"""Sizes of type that a bold beginning of a sentence fills at least, where the next line begins like a sentence."""


def make_blocks(page: Page, lines: Sequence[Line], style: Style) -> list[Block]:
    """Group lines to blocks: the nearest line above in the same column, the same type, the usual distance.

    Args:
        page: the page.
        lines: those of its lines that are not furniture, tables or figures.
        style: the running style of the document.
    """
    ordered = sorted(lines, key=lambda line: (line.top, line.left))
    return [Block(page.number, part) for part in rule_blocks(ordered, neighbours(ordered), style)]


def cut_blocks(page: Page, style: Style) -> None:
    """Cut blocks that rules made where learnt weights are sure that one ends (``breaks``).

    The pieces take the place of their block, one after the other: columns and rows of the page were told by the whole.

    Args:
        page: with its blocks in reading order.
        style: the running style of the document.
    """
    made = [block for block in page.blocks if block.kind is Kind.TEXT and block.region is None]
    lines = sorted((line for block in made for line in block.lines), key=lambda line: (line.top, line.left))
    begins = breaks_within([block.lines for block in made], neighbours(lines), style, turned=page.turn is not None)
    if begins:
        of_made = {id(block) for block in made}
        page.blocks = [
            piece for block in page.blocks for piece in (_pieces(block, begins) if id(block) in of_made else [block])
        ]


def _pieces(block: Block, begins: set[int]) -> list[Block]:
    """Return a block, or its pieces, of which each but the first starts with one of the lines of these ``id``."""
    return block.cut([index for index, line in enumerate(block.lines) if not index or id(line) in begins])


def rule_blocks(lines: Sequence[Line], near: Neighbours, style: Style) -> list[list[Line]]:
    """Group lines, from top to bottom, to blocks by rules alone.

    Args:
        lines: of a page, from top to bottom.
        near: their neighbours.
        style: the running style of the document.
    """
    blocks: list[list[Line]] = []
    member: dict[int, list[Line]] = {}
    for line in lines:
        upper = near.above.get(id(line))
        block = member.get(id(upper)) if upper is not None else None
        if block is not None and upper is block[-1] and _continues(block, line, near.below.get(id(line)), style):
            block.append(line)
        else:
            block = [line]
            blocks.append(block)
        member[id(line)] = block
    return blocks


def neighbours(lines: Sequence[Line]) -> Neighbours:
    """Return the nearest line above and the nearest one below each in its column; lines go from top to bottom."""
    above: dict[int, Line] = {}
    below: dict[int, Line] = {}
    for index, line in enumerate(lines):
        best: Line | None = None
        limit = line.top + 0.1 * line.size
        for other in lines[max(0, index - 40) : index]:
            if (best is not None and other.bottom <= best.bottom) or other.middle_y >= limit:
                continue
            overlap = shared_width(other, line)
            if overlap > 0.25 * min(other.width, line.width):
                best = other
        if best is not None:
            above[id(line)] = best
            below.setdefault(id(best), line)
    return Neighbours(above, below)


def _continues(block: list[Line], line: Line, following: Line | None, style: Style) -> bool:
    """Return True if a line goes on with the paragraph of the block above it."""
    last = block[-1]
    pitch = max(style.pitch * line.size / style.size, 1.05 * line.size)
    step = line.bottom - last.bottom
    if step < 1.27 * pitch and _goes_on_with_word(last, line):
        return True
    if not _same_type(last, line) and (_opens(line, following) or not _runs_on(last, line, step, pitch)):
        return False
    if not style.mono and min(last.mono, line.mono) > 0.6:
        return step < 1.8 * pitch and not line.words[0].raised
    apart = step > 1.27 * pitch and not _over_formula(last, line, step, pitch)
    if apart or LEADER.search(last.text) or (len(block) == 1 and _is_title_over(last, line, following, style)):
        return False
    return not _begins(block, line, following, style, apart=step > 1.12 * pitch)


def _goes_on_with_word(last: Line, line: Line) -> bool:
    """Return True if a line ends within a word, at the edge of its column, and the next one begins with the rest."""
    same_size = abs(last.size - line.size) <= 0.08 * line.size
    full = last.right > line.right - line.size and line.left < last.left + line.size
    return same_size and full and CUT_WORD.search(last.text) is not None and line.text[:1].islower()


def _begins(block: list[Line], line: Line, following: Line | None, style: Style, *, apart: bool) -> bool:
    """Return True if a line in the type of the block above it begins another: an item, a heading, a paragraph."""
    last, first = block[-1], block[0]
    ended = bool(SENTENCE_END.search(last.text))
    if ended and not style.bold and _is_titled(first) and _is_titled(line):
        return True
    short = len(block) > 1 and last.right < max(other.right for other in block) - 3 * line.size
    hangs = line.left > first.left + 0.8 * line.size and (len(block) == 1 or abs(line.left - last.left) < 2)
    if ended and (apart or (short and not hangs)):
        return True
    if _starts_item(line, last, first, ended or short) or _hangs_from_number(first, line, following):
        return True
    if line.size > 1.07 * style.size or (min(last.bold, line.bold) > 0.8 and not style.bold):
        # a heading right under another one
        return scheme_of(line.text).startswith(("decimal", "named")) and scheme_of(first.text) != "none"
    return _indented(block, line, following)


def _is_title_over(title: Line, line: Line, following: Line | None, style: Style) -> bool:
    """Return True if a line is a title over the paragraph that begins with the next, in other type."""
    slanted = title.italic > 0.9 and line.italic < 0.3 and title.right < line.right - 4 * line.size
    # words of its paragraph may be bold, too
    bold = title.bold > 0.95 and not style.bold and not line.words[0].font.bold and _ends_early(title, line)
    return slanted or bold or _is_other_type(title, line) or _is_centred_over(title, line, following)


def _is_other_type(title: Line, line: Line) -> bool:
    """Return True if a short line is set a little differently from the next: another font, a slightly larger size."""
    if not _ends_early(title, line) or title.length < 3 or line.italic > 0.5:
        return False
    fonts = {word.font.name for word in line.words}
    other = all(word.font.name not in fonts for word in title.words) and len(line.words) > 2
    larger = title.size > 1.04 * line.size
    return other or larger or (title.underlined > 0.9 and line.underlined < 0.2) or _is_louder(title, line)


def _is_louder(title: Line, line: Line) -> bool:
    """Return True if a line is set in capitals and the next is not, both in bold: a title over another one."""
    if min(title.bold, line.bold) < _HEAVY:
        return False
    upper, lower = ([letter for letter in text if letter.isalpha()] for text in (title.text, line.text))
    small = sum(map(str.islower, lower))
    return len(upper) > _ACRONYM and all(map(str.isupper, upper)) and small > _SMALL * len(lower)


def _is_centred_over(title: Line, line: Line, following: Line | None) -> bool:
    """Return True if a short line stands over the middle of a paragraph, whose lines begin at one edge."""
    em = line.size
    if _is_loud(title) and _is_loud(line):
        return False
    centred = abs((title.left + title.right) - (line.left + line.right)) < 4 * em
    inner = title.left > line.left + 4 * em and title.right < line.right - 4 * em
    if not centred or not inner or not _ends_early(title, line) or following is None:
        return False
    indent = line.left - following.left
    return -em < indent < 5 * em and following.width > 20 * em and abs(line.right - following.right) < 6 * em


def _is_loud(line: Line) -> bool:
    """Return True if a line is set in bold, and most of it in capitals."""
    letters = [letter for letter in line.text if letter.isalpha()]
    return line.bold > 0.95 and sum(map(str.isupper, letters)) > _LOUD * len(letters)


def _ends_early(title: Line, line: Line) -> bool:
    """Return True if a line has room for more, and no sentence goes on in the next."""
    return title.right < line.right - 3 * line.size and title.text[-1:] not in ",-–;" and not line.text[:1].islower()


def _same_type(one: Line, other: Line) -> bool:
    # A line that begins with a title in larger, bold type goes on in that of its paragraph.
    size = one.words[-1].size if 0.15 < one.bold < 0.95 and not one.words[-1].font.bold else one.size
    addresses = bool(ADDRESS.search(one.text) or ADDRESS.search(other.text))
    sizes = [(a, b) for a in (size, *_sizes(one)) for b in _sizes(other)]
    if min(abs(a - b) for a, b in sizes) > 0.08 * max(one.size, other.size):
        return False
    if (one.mono > 0.6) != (other.mono > 0.6) and min(one.length, other.length) > 3 and not addresses:
        return False
    heavy, light = max(one.bold, other.bold), min(one.bold, other.bold)
    return not (heavy > 0.85 and light < 0.15)


def _sizes(line: Line) -> list[float]:
    """Return the size of a line, and that of its text if most of it is an address in smaller typewriter type."""
    plain = next((word.size for word in line.words if not word.font.mono and not word.raised), line.size)
    return [line.size, plain] if line.mono > 0.5 and ADDRESS.search(line.text) else [line.size]


def _over_formula(last: Line, line: Line, step: float, pitch: float) -> bool:
    """Return True if a full line goes on in mid-sentence below: a fraction has pushed the lines apart."""
    full = last.right > line.right - 3 * line.size and abs(last.left - line.left) < 3 * line.size
    return (
        step < 2.1 * pitch
        and full
        and line.text[:1].islower()
        and not SENTENCE_END.search(last.text)
        and last.length > 30
    )


def _runs_on(last: Line, line: Line, step: float, pitch: float) -> bool:
    """Return True if a bold beginning fills its line and the sentence goes on below in the usual type."""
    if NUMBERED.match(line.text):
        return False
    same_size = abs(last.size - line.size) <= 0.08 * line.size
    full = last.right > line.right - 3 * line.size
    # Beside short lines a short title seems full.
    full &= line.text[:1].islower() or last.width > _NARROW * last.size
    return same_size and last.bold > line.bold and full and step < 1.1 * pitch and not SENTENCE_END.search(last.text)


def _opens(line: Line, following: Line | None) -> bool:
    """Return True if a line is set in against the next, as the first one of a paragraph is."""
    return following is not None and line.left > following.left + 0.8 * line.size and following.right > line.left


def _is_titled(line: Line) -> bool:
    """Return True if a line begins with a title in bold that a sign ends, and goes on in plain type."""
    plain = next((at for at, word in enumerate(line.words) if not word.font.bold), 0)
    if plain == 0 or line.words[-1].font.bold:
        return False
    return bool(RUN_IN_CLOSE.search(line.words[plain - 1].text) or RUN_IN_LAST.match(line.words[plain].text))


def _starts_item(line: Line, last: Line, first: Line, ended: bool) -> bool:
    """Return True if the line begins a list item, a note or an entry of its own."""
    text = line.text
    if line.bulleted or BULLET.match(text):
        return True
    if line.words[0].raised and NOTE_START.match(line.words[0].text) and len(line.words) > 1:
        return True
    if not NUMBERED.match(text):
        return ended and _next_section(first, line)
    # A number at the start of a line may be part of the sentence: it begins an item if a sentence or an item ended.
    alike = bool(NUMBERED.match(first.text)) and abs(line.left - first.left) < line.size
    return ended or (alike and (last.text[-1:] in ",;" or counts_on(first.text, text)))


def _hangs_from_number(first: Line, line: Line, following: Line | None) -> bool:
    """Return True if the next line begins where the text behind the number of this one does, beyond a blank.

    A number to the left of the lines before it is none of theirs: it may be that of an equation in the next column.
    """
    if (
        line.left < first.left - line.size
        or following is None
        or len(line.words) < 2
        or not NUMBERED.match(line.words[0].text)
    ):
        return False
    number, text = line.words[:2]
    return text.left - number.right > _HANGING * line.size and abs(following.left - text.left) < _AT_TEXT * line.size


def counts_on(text: str, following: str) -> bool:
    """Return True if a text begins with the number after that which another begins with: "3. " after "2. "."""
    one, other = ITEM_NUMBER.match(text), ITEM_NUMBER.match(following)
    return one is not None and other is not None and int(other[1]) == int(one[1]) + 1


def _next_section(first: Line, line: Line) -> bool:
    """Return True if a line begins with the number after that which another begins with: "1.3" under "1.2"."""
    one, other = SECTION_NUMBER.match(first.text), SECTION_NUMBER.match(line.text)
    if one is None or other is None or abs(line.left - first.left) > line.size:
        return False
    return one[1] == other[1] and int(other[2]) == int(one[2]) + 1


def _hangs_from_label(first: Line, line: Line) -> bool:
    """Return True if a line begins where the text behind the number of a paragraph does."""
    return (
        len(first.words) > 1
        and bool(SUBSECTION.match(first.text))
        and first.words[1].left - first.words[0].right > _HANGING * line.size
        and abs(first.words[1].left - line.left) < _AT_TEXT * line.size
    )


def _is_flush_right(block: list[Line], line: Line) -> bool:
    """Return True if a line goes on with a paragraph that is set to the right, with ragged beginnings.

    So it is where the sentence goes on, or where lines begin at three places at least.
    """
    em = line.size
    if any(abs(other.right - line.right) > _FLUSH * em for other in block):
        return False
    on = line.text[:1].islower() and not SENTENCE_END.search(block[-1].text)
    return on or len({round(other.left / em) for other in (*block, line)}) >= _RAGGED


def _indented(block: list[Line], line: Line, following: Line | None) -> bool:
    """Return True if the line is set in, or out, as the first line of a paragraph is."""
    first, last = block[0], block[-1]
    em = line.size
    centred = abs((line.left + line.right) - (last.left + last.right)) < 4 and abs(line.left - last.left) > 2
    if centred or _is_flush_right(block, line):
        return False
    item = bool(BULLET.match(first.text) or NUMBERED.match(first.text))
    if len(block) == 1:
        begun = item or first.bulleted or first.words[0].raised or _hangs_from_label(first, line)
        if begun or line.left <= first.left + 0.8 * em:
            return False
        # A hanging paragraph goes on at this indent; a first line is alone with it.
        hanging = following is not None and abs(following.left - line.left) < 0.5 * em and following.size == line.size
        return not (hanging and last.right > line.right - 4 * em and not SENTENCE_END.search(last.text))
    body_left = min(other.left for other in block[1:])
    if line.left > body_left + 0.8 * em:
        return not item or line.left > body_left + 1.5 * em
    hangs = body_left > first.left + 0.8 * em
    return hangs and line.left < body_left - 0.6 * em
