"""The authors that a document names on its first pages: under its title, or behind a label such as "by"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.pdf.model import Kind
from ragraph.pdf.patterns import ABSTRACT, INSTITUTION, KIND_OF_DOCUMENT
from ragraph.pdf.stated.titles import letters_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragraph.pdf.model import Block, Line, Page, Word

_FIRST = 2
"""Pages, from the first, that name the authors."""
_GAP = 1.2
"""Room between two names of a line at least, in the height of its letters."""
_KINDS = {Kind.TEXT, Kind.HEADING, Kind.SIDE}
_DATED = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2}\b")
_SAME = 0.5
"""Points by which the sizes of lines in one type differ at most."""
_APART_LINES = 2.5
"""Room between two lines of names at most, in the height of a line."""
_RUNNING = 40
"""Letters of a line of running text at least."""
_CODE = re.compile(r"^\(?\w*?\d{5}\w*\)?$|.*@")
"""The number of a student, or an address, behind a name."""
_PLACE = 60
"""Letters of an institution behind a name at most."""
_PARTICLES = re.compile(r"^(?:al|bin|d[aeiu]|de[lnrs]|della|do|dos|el|ibn|l[ae]|te[nr]|v[ao]n|y|zu)$")
"""Words within names that are not in capitals."""
_WORD = re.compile(r"^(?:[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?|[\"“”][^\W\d_]+[\"”])$")
_NUMBERED = re.compile(r",?\s(?:[JS]r\.?|I{1,3}|IV)$")
_WORDS = 5
"""Words of a name at most, but for particles."""
_LABEL = re.compile(
    r"^\W*(?:(?:written|prepared|submitted|presented|edited|compiled|made)\s+)?(?:by|von|par|por)\b[:\s]*"
    r"|^\W*(?:authors?|autor(?:es|en|in)?|auteure?s?|verfasser(?:in)?|students?|(?:group\s|team\s)?members|integrantes|aluno"
    r"|acad[eê]mico|étudiante?s?|from|作者|学生姓名|автор)\s?(?:[:：]\s*|$)",
    re.I,
)
"""What stands before the names of authors, on their line or over them."""
_NO_NAME = re.compile(
    r"\b(?:the|of|and|for|in|not|at|to|university|college|llc|laborator\w+|cent(?:re|er)|research|project|service|team|press"
    r"|edition|volume|street|road|avenue|table|part|chapter|version|draft|united states|new york)\b",
    re.I,
)
"""Words that are in no name, and capitals of titles and institutions."""
_MARKS = "*†‡§¶∗⋆#✉⁎♠♣♥♦"
_TITLE = re.compile(r"^(?:(?:dr|prof|professor|special counsel|mr|mrs|ms)\b\.?-?(?:ing\.)?\s*)+", re.I)
_DEGREE = re.compile(r"^(?:[A-Z]\w{0,3}\.)+(?:[A-Z]\w{0,3})?$|^(?:PhD|MD|MSc|BSc)$")
_APART = re.compile(r"\s*(?:,(?!\s(?:[JS]r|I{1,3}|IV)\b)|[;·•|&，、]|\b(?i:and|und|et|with)\b)\s*")


def authors_on(pages: Sequence[Page]) -> list[str]:
    """Return the authors whom the first pages name, in reading order.

    Names under the title are taken where something says that they are names: several of them, an institution, an
    address or a date below them, the mark of a note behind them, or an abstract.
    """
    for page in [page for page in pages if page.number <= _FIRST]:
        names = _labelled(page) or _under_title(page)
        if names:
            return names
    return []


def _labelled(page: Page) -> list[str]:
    """Return the names behind or under a label."""
    blocks = [block for block in _front(page.blocks) if block.kind in {*_KINDS, Kind.LIST_ITEM}]
    lines = [line for block in blocks for line in block.lines]
    for at, line in enumerate(lines):
        label = _LABEL.match(line.text)
        if label is None:
            continue
        names = _names_in([line.text[label.end() :]]) if label.end() < len(line.text) else []
        if not names and not line.text[label.end() :].strip():
            for below in (line for line in lines[at + 1 :] if not _is_code(line)):
                found = _names(below)
                if not found or not _is_alike(lines[at + 1], below):
                    break
                names += found
        if names:
            return names
    return []


def _under_title(page: Page) -> list[str]:
    """Return the names between the title and the text, if something says that they are names."""
    title = next((block for block in page.blocks if block.kind is Kind.TITLE), None)
    if title is None:
        return []
    end = min((block.top for block in page.blocks if block.top > title.top and _is_text(block)), default=page.height)
    low = title.bottom - _SAME * title.size
    below = [block for block in page.blocks if block.lines and block.kind in _KINDS and low < block.top < end]
    names, others, sure = _names_below(title, sorted(below, key=lambda block: (block.top, block.left)))
    # An institution, an address or a date right behind them; or nothing at all, on a cover.
    sure = sure or (_tells(others[0]) if others else end == page.height)
    follows = any(ABSTRACT.match(block.text) for block in page.blocks)
    # What the title says again is no person.
    names = [name for name in dict.fromkeys(names) if letters_of(name) not in letters_of(title.text)]
    return names if len(names) > 1 or sure or follows else []


def _names_below(title: Block, below: Sequence[Block]) -> tuple[list[str], list[Line], bool]:
    """Return the names that blocks below a title begin with, the lines behind them, and whether one says its names."""
    names: list[str] = []
    taken: list[Line] = []
    others: list[Line] = []
    sure = False
    for block in below:
        beside = block.left > title.right or block.right < title.left
        for line in (line for line in block.lines if not _is_code(line)):
            found = _names(line)
            level = bool(taken) and abs(line.top - taken[0].top) < taken[0].height
            if not found or not _may_follow(title, taken, line) or not (level or not (beside or others)):
                others += [line] if taken and not beside else []
                break
            taken.append(line)
            names += found
            sure = sure or _is_marked(line) or bool(_TITLE.match(line.text)) or _tells(line)
    return names, others, sure


def _may_follow(title: Block, taken: Sequence[Line], line: Line) -> bool:
    """Return True if a line is set like names above it, near them; or, as the first one, less than the title."""
    if not taken:
        return _is_less(title, line)
    return _is_alike(taken[0], line) and line.top - taken[-1].bottom < _APART_LINES * taken[-1].height


def _front(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks before the text begins."""
    for block in blocks:
        if _is_text(block):
            return
        if block.lines:
            yield block


def _is_text(block: Block) -> bool:
    """Return True if a block is running text, or the title of an abstract or contents."""
    if ABSTRACT.match(block.text) or block.kind in {Kind.CONTENTS, Kind.FIGURE}:
        return block.kind is not Kind.FIGURE
    return len(block.lines) > 2 and block.length > _RUNNING * len(block.lines) and not _names(block.lines[0])


def _is_alike(one: Line, other: Line) -> bool:
    first, second = one.words[0], other.words[0]
    return abs(first.size - second.size) < _SAME and first.font.bold == second.font.bold


def _is_less(title: Block, line: Line) -> bool:
    """Return True if a line is set smaller than the title, or in another weight."""
    size = title.lines[0].words[0].size
    return line.words[0].size < size - _SAME or not _is_alike(title.lines[0], line)


def _is_marked(line: Line) -> bool:
    return any(word.raised or word.text[-1:] in _MARKS for word in line.words)


def _is_code(line: Line) -> bool:
    return all(_CODE.match(word.text) for word in line.words)


def _tells(line: Line) -> bool:
    """Return True if a line is one that stands under names: an institution, an address, a date."""
    return bool(INSTITUTION.search(line.text) or "@" in line.text or _DATED.search(line.text))


def _names(line: Line) -> list[str]:
    """Return the names that a line consists of; none if it has anything else."""
    cells: list[list[Word]] = []
    parted = False
    for word in line.words:
        if word.raised or _CODE.match(word.text):
            parted = True
            continue
        if cells and not parted and word.left - cells[-1][-1].right < _GAP * (word.bottom - word.top):
            cells[-1].append(word)
        else:
            cells.append([word])
        parted = word.text[-1:] in _MARKS
    return _names_in([" ".join(word.text for word in cell) for cell in cells])


def _names_in(texts: Sequence[str]) -> list[str]:
    names: list[str] = []
    for text in texts:
        whole = _LABEL.sub("", "".join(sign for sign in text if sign not in _MARKS)).strip(" ,;:.")
        if not whole:
            continue
        if _DATED.search(re.sub(r"\s[-–—]\s.*$", "", whole)):
            return []
        whole = re.sub(r"\s[-–—]\s.*$|(?<=[^\W\d_])\d(?:,\d)*\b|\s+\d[\d\s,]*(?=$|[,;])|\s*\([^)]*\)", "", whole)
        parts = [_TITLE.sub("", part.strip()) for part in _APART.split(whole) if part.strip()]
        parts = [part for part in parts if not _DEGREE.match(part)]
        one, _, institution = whole.partition(", ")
        if _is_name(one) and " " in institution and INSTITUTION.search(institution) and len(institution) < _PLACE:
            parts = [one]
        if not parts or not all(_is_name(part) for part in parts):
            return []
        names += parts
    return names


def _is_name(text: str) -> bool:
    """Return True if a text is two words or more in capitals, with initials and particles, as names of persons are."""
    if INSTITUTION.search(text) or KIND_OF_DOCUMENT.search(text) or _NO_NAME.search(text):
        return False
    words = [word for word in _NUMBERED.sub("", text).split() if not _PARTICLES.match(word)]
    capital = all(_WORD.match(word) and not word.lstrip('"“”')[:1].islower() for word in words)
    return capital and 1 < len(words) <= _WORDS and len(words[0]) > 1 and max(map(len, words)) > 2
