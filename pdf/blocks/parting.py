"""Paragraphs that a file states as one, though blank lines and bullets were typed into them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ragraph.pdf.blocks.assembly import make_blocks
from ragraph.pdf.model import Block, Kind
from ragraph.pdf.patterns import BULLET, SENTENCE_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Line, Page, Style

_BULLETS = 2
"""Lines with bullets that make a list of a stated paragraph."""
_BLANK = 1.6
"""Usual distances of lines from one to the next that leave a blank line, or half of one, between them."""


def part_stated(page: Page, style: Style) -> None:
    """Take stated paragraphs apart that are several, as lines that nothing states would be.

    Args:
        page: its blocks change.
        style: the running style of the document.
    """
    blocks: list[Block] = []
    for block in page.blocks:
        stated = block.kind is Kind.TEXT and block.region is not None and block.region.kind is Kind.TEXT
        if not stated or not _is_several(block.lines, style):
            blocks.append(block)
            continue
        blocks += [
            Block(page.number, piece.lines, region=block.region) for piece in make_blocks(page, block.lines, style)
        ]
    page.blocks = blocks


def _is_several(lines: Sequence[Line], style: Style) -> bool:
    """Return True if a stated paragraph is several: in it stand blank lines or bullets, typed with breaks of line."""
    bullets = [bool(BULLET.match(line.text)) for line in lines]
    if sum(bullets) >= _BULLETS or any(
        bullet and upper.text.endswith(":") for upper, bullet in zip(lines, bullets[1:], strict=False)
    ):
        return True
    edge = max((line.right for line in lines), default=0.0)
    apart: list[float] = []
    usual = style.pitch * max((line.size for line in lines), default=0.0) / style.size
    for upper, lower in pairwise(lines):
        step = lower.bottom - upper.bottom
        if step < 0.5 * lower.size:
            continue
        short = upper.right < edge - 3 * upper.size or bool(SENTENCE_END.search(upper.text))
        if short and not lower.text[:1].islower():
            apart.append(step)
        else:
            usual = min(usual, step)  # text that runs on tells the distance of its lines
    return any(step > _BLANK * usual for step in apart)
