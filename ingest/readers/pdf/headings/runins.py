"""Headings that run into their paragraph ("2.1. Scope. This part ..."), cut off as blocks of their own."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.blocks.looks import numbering_depth
from ragraph.ingest.readers.pdf.headings.series import numbered_titles
from ragraph.ingest.readers.pdf.model import Block, Kind, Line
from ragraph.ingest.readers.pdf.patterns import RUN_IN_END, SINGLE_NUMBER, THREE_LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragraph.ingest.readers.pdf.model import Page, Style, Word

_LONGEST = 120
"""Characters of a title within a paragraph at most."""
_SECTIONS = 3
"""Numbers that count on before they are believed to be those of sections."""


def cut_run_ins(pages: Sequence[Page], style: Style) -> None:
    """Cut paragraphs that begin with a decimal number and a title in heavier or slanted type in two.

    The title ends with a full stop or colon, or where the type changes to that of the paragraph. Numbers of one part
    ("3.") begin items of lists, too: they count where they run on through the whole document, as sections do. Titles in
    the type of the text are cut off where they are a series (``headings.series``).

    Args:
        pages: with blocks of known kinds; they change.
        style: the running style of the document.
    """
    titles = {id(block): _title(block, style) for page in pages for block in page.blocks if _may_be_cut(block)}
    single = _sections(pages, titles, style)
    plain = numbered_titles(pages)
    for page in pages:
        blocks: list[Block] = []
        for block in page.blocks:
            title = titles.get(id(block), 0)
            if not title or (numbering_depth(block.text) == 1 and not single):
                title = plain.get(id(block), 0)
            if not title or title == sum(len(line.words) for line in block.lines):
                blocks.append(block)
                continue
            upper, lower = _cut(block.lines, title)
            blocks += [Block(page.number, upper, region=block.region), Block(page.number, lower, region=block.region)]
        page.blocks = blocks


def _may_be_cut(block: Block) -> bool:
    # A raised number is the mark of a note, which may begin with the term that it explains in bold.
    marked = bool(block.lines) and block.lines[0].words[0].raised
    return block.kind is Kind.TEXT and not marked and numbering_depth(block.text) is not None


def _sections(pages: Sequence[Page], titles: dict[int, int], style: Style) -> bool:
    """Say whether single numbers before titles, run in or not, never start again: those are sections, not items."""
    values: list[int] = []
    for page in pages:
        for block in page.blocks:
            match = SINGLE_NUMBER.match(block.text) if _may_be_cut(block) else None
            if match and (titles.get(id(block)) or block.mean("bold") > style.bold + 0.6):
                values.append(int(match[1]))
    return len(values) >= _SECTIONS and all(one < other for one, other in pairwise(values))


def _title(block: Block, style: Style) -> int:
    """Return the number of words that make up the title in front of a paragraph; 0 if there is none."""
    if block.mean("bold") > 0.6 or block.mean("italic") > 0.6:
        return 0
    words = [word for line in block.lines for word in line.words]
    for strong in (lambda word: word.font.bold and not style.bold, lambda word: word.font.italic):
        count = _run(words, strong)
        text = " ".join(word.text for word in words[:count])
        ended = RUN_IN_END.search(text) or (count < len(words) and words[count].text[:1].isupper())
        if 1 < count < len(words) and len(text) <= _LONGEST and ended and THREE_LETTERS.search(text):
            return count
    return 0


def _run(words: list[Word], strong: Callable[[Word], bool]) -> int:
    """Return how many words from the first on are set in the strong type; the number itself may be plain."""
    count = 0
    for index, word in enumerate(words):
        if not strong(word) and not (index == 0 and any(c.isdigit() for c in word.text)):
            break
        count = index + 1
    return count


def _cut(lines: list[Line], count: int) -> tuple[list[Line], list[Line]]:
    """Return the lines up to a number of words, and the lines after them."""
    upper: list[Line] = []
    for index, line in enumerate(lines):
        if count > len(line.words):
            upper.append(line)
            count -= len(line.words)
            continue
        upper.append(Line(line.words[:count]) if count < len(line.words) else line)
        rest = [Line(line.words[count:])] if count < len(line.words) else []
        return upper, [*rest, *lines[index + 1 :]]
    return upper, []
