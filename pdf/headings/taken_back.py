"""What looks like a heading and is none for what stands around it: entries of a list, a title that is printed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import letter_count, normal, printed, scheme_of
from ragraph.pdf.furniture.pagenumbers import number_value
from ragraph.pdf.model import Kind
from ragraph.pdf.patterns import FIRST_NUMBER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragraph.pdf.blocks.looks import Look
    from ragraph.pdf.model import Block, Page, Style

_SERIES = 3
"""Minimum number of entries that count on, at which they are a list."""
_SHORT = 80
"""Characters of a line up to which it is no text that a title would stand over."""
_ACRONYM = 6
"""Letters of an entry up to which capitals tell nothing."""
_BARE = 0.6
"""Share of the entries of a list over no text: a few may be explained."""
_FIRST_PAGES = 12
"""Pages of a book on which its title stands for the first time."""
_LEAST = 8
"""Minimum number of letters of a title at which it is no chance that it comes back."""


def list_entries(pages: Sequence[Page], found: Sequence[Block], looks: Mapping[int, Look], style: Style) -> set[int]:
    """Return the ``id`` of headings that are entries of a list.

    They are numbered, count on, are set like the running text, and stand over short lines at most, not over a
    paragraph: titles of sections do, or stand out. Lines that are no headings count among the entries, too: the first
    of a list, right below a paragraph, may be the only one that looks like a heading.

    Args:
        pages: with blocks in reading order.
        found: the headings, in reading order.
        looks: of the open blocks, by ``id``.
        style: the running style of the document.
    """
    order = [block for page in pages for block in page.blocks]
    place = {id(block): index for index, block in enumerate(order)}
    chosen = {id(block) for block in found}
    lines = [block for block in order if id(block) in chosen or _is_line(block, looks, style)]
    entries: set[int] = set()
    run: list[Block] = []
    for block in (*lines, None):
        if block is not None and run:
            goes_on = _counts_on(run[-1], block, looks, style)
            run += [block] if goes_on else []
            if goes_on or id(block) not in chosen:
                continue  # a line of another list does not end this one
        if len(run) >= _SERIES and _is_list([place[id(entry)] for entry in run], order):
            entries |= {id(entry) for entry in run} & chosen
        run = [block] if block is not None and _is_plain(block, looks, style) else []
    return entries


def _is_plain(block: Block, looks: Mapping[int, Look], style: Style) -> bool:
    alone = block.rest is None or block.rest.length < _SHORT
    look = looks[id(block)]
    # "5. FAQ" is in capitals, and no title for that
    look = look._replace(capitals=False) if letter_count(printed(block)) <= _ACRONYM else look
    return alone and not look.stands_out(style) and scheme_of(printed(block)) == "decimal1"


def _is_list(run: Sequence[int], order: Sequence[Block]) -> bool:
    """Return True if hardly more than short lines stand under most of the blocks at some places."""
    until = [*run[1:], min(run[-1] + 3, len(order))]
    bare = sum(
        all(len(other.lines) == 1 and other.length < _SHORT for other in order[at + 1 : end])
        for at, end in zip(run, until, strict=True)
    )
    return bare >= _BARE * len(run)


def _is_line(block: Block, looks: Mapping[int, Look], style: Style) -> bool:
    """Return True if an open block is a line of its own that may be an entry."""
    return id(block) in looks and len(block.lines) == 1 and block.length < _SHORT and _is_plain(block, looks, style)


def _counts_on(block: Block, other: Block, looks: Mapping[int, Look], style: Style) -> bool:
    """Return True if a block is the next entry, or the one after that, which may have been taken for something else."""
    if not (_is_plain(block, looks, style) and _is_plain(other, looks, style)):
        return False
    one, next_one = _number(block), _number(other)
    return one is not None and next_one is not None and one < next_one <= one + 2


def _number(block: Block) -> int | None:
    """Return the number that a block begins with, of any kind; None without one."""
    match = FIRST_NUMBER.match(printed(block))
    value = number_value(match[1]) if match else None
    return value[1] if value else None


def title_again(pages: Sequence[Page], found: Sequence[Block], looks: Mapping[int, Look]) -> set[int]:
    """Set the kind of a title that is printed once more over the first chapter; return the ``id`` of its second place.

    Books have their title on a page of its own, and again where the text begins: chapters do not stand below that.

    Args:
        pages: with blocks in reading order; the title among them changes.
        found: the headings, in reading order.
        looks: of the open blocks, by ``id``.
    """
    largest = max((looks[id(block)].size for block in found), default=0.0)
    for at, block in enumerate(found[:-1]):
        words, chapter = normal(printed(block)), found[at + 1]
        if looks[id(block)].size < largest or len(words) < _LEAST or chapter.page != block.page:
            continue
        if scheme_of(printed(block)) != "none":
            continue  # "Article II", in the contents and over its sections
        if scheme_of(printed(chapter)) == "none" or _number(chapter) != 1:
            continue
        if any(normal(printed(other)) == words for other in found[at + 1 :]):
            continue
        titles = [other for page in pages for other in page.blocks if other.kind is Kind.TITLE]
        before = [
            other
            for other in (*titles, *found[:at])
            if normal(printed(other)) == words and other.page < min(block.page, _FIRST_PAGES)
        ]
        if len(before) == 1:
            for other in titles:
                other.kind = Kind.TEXT
            before[0].kind, before[0].level = Kind.TITLE, None
            return {id(before[0]), id(block)}
    return set()
