"""Blocks of a file as the reader has them from its pages alone, and what its tags and its outline say of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragraph.pdf.headings.choosing import set_headings
from ragraph.pdf.headings.evidence import by_outline
from ragraph.pdf.model import Kind
from ragraph.pdf.stated.regions import region_of
from ragraph.pdf.stated.tags import state_tags
from ragraph.pdf.training.reading import kept, read_pages

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.pdf.headings.contents import Entry
    from ragraph.pdf.model import Page, Region, Style
    from ragraph.pdf.stated.facts import Facts
    from ragraph.pdf.training.reading import Open

_MOST_PAGES = 60
"""Pages that are read of a file, the first ones."""
_WITHIN = 0.8
"""Share of the letters of a block that stand in a region for the block to be of it."""


@dataclass
class Known:
    """A file as it is before headings are chosen, and what is stated of its blocks.

    Attributes:
        pages: with blocks in reading order, run-ins cut and titles joined.
        style: the running style.
        entries: of its contents pages.
        stated: kind and level by page and place of a block on it; blocks that nothing is stated of are not in it.
        headings: of the file, as many as it states.
        by: "tags", "outline" or "tags outline".
    """

    pages: list[Page]
    style: Style
    entries: list[Entry]
    stated: dict[tuple[int, int], tuple[Kind, int | None]] = field(default_factory=dict)
    headings: int = 0
    by: str = ""


def known(path: Path, cache: Path | None = None, most: int | None = _MOST_PAGES) -> Known | None:
    """Return a file up to the choice of its headings, or None where it is not there or cannot be read.

    Args:
        path: of the file.
        cache: folder for what was read.
        most: pages that are read, from the first on; None for all.
    """
    return kept(cache, path, f"{path.stem}.known", lambda: _known(path, most))


def _known(path: Path, most: int | None) -> Known:
    def ask(opened: Open) -> tuple[bool, dict[int, list[Region]], Facts]:
        used = state_tags(opened.pages, opened.file).used
        return used, {page.number: page.regions for page in opened.pages}, opened.facts

    work, (used, regions, facts) = read_pages(path, (1, most) if most else None, set_headings, ask)
    pages = work.pages
    result = Known(pages, work.style, work.entries)
    if used:
        _state_by_tags(result, regions)
    if facts.outline:
        _state_by_outline(result, facts)
    for page in pages:
        page.words, page.lines, page.free, page.drawings, page.images = [], [], [], [], []
    return result


def _state_by_tags(result: Known, regions: dict[int, list[Region]]) -> None:
    for page in result.pages:
        # Pages that were turned to be read have their regions elsewhere.
        page.regions = [] if page.directed else regions[page.number]
        letters: dict[Region, int] = {}
        held: list[tuple[int, dict[Region, int], int]] = []
        for index, block in enumerate(page.blocks):
            mine: dict[Region, int] = {}
            for line in block.lines:
                for word in line.words:
                    region = region_of(page, word.box)
                    if region is not None:
                        mine[region] = mine.get(region, 0) + len(word.text)
                        letters[region] = letters.get(region, 0) + len(word.text)
            held.append((index, mine, sum(len(word.text) for line in block.lines for word in line.words)))
        for index, mine, whole in held:
            if not mine:
                continue
            region = max(mine, key=lambda one: mine[one])
            kind, level = region.kind, region.level
            if kind is Kind.HEADING and not (
                mine[region] > _WITHIN * whole and mine[region] > _WITHIN * letters[region]
            ):
                # Part of a heading, or a heading and more: cut wrong, so that nothing is to be learnt from it.
                continue
            if mine[region] > 0.5 * whole:
                result.stated[page.number, index] = kind, level
        result.headings += sum(region.kind is Kind.HEADING for region in page.regions)
        page.regions = []
    result.by = "tags" if result.headings else ""
    if not result.headings:
        result.stated.clear()


def _state_by_outline(result: Known, facts: Facts) -> None:
    last = result.pages[-1].number
    inside = [entry for entry in facts.outline if entry.page is None or entry.page <= last]
    named = by_outline(result.pages, inside)
    if len(named) < 3 or len(named) < 0.5 * len(inside):
        return
    places = {id(block): (page.number, index) for page in result.pages for index, block in enumerate(page.blocks)}
    for item in named:
        if id(item.block) in places:
            result.stated[places[id(item.block)]] = Kind.HEADING, item.depth
    if not result.headings:
        for page in result.pages:
            for index, _ in enumerate(page.blocks):
                result.stated.setdefault((page.number, index), (Kind.TEXT, None))
        result.headings = len(inside)
    result.by = f"{result.by} outline".strip()
