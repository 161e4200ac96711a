"""Pull quotes and side boxes that stand within a sentence of the running text: it goes on around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Kind
from ragraph.pdf.patterns import BULLET, PARAGRAPH_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page, Style

_LINES = 3
"""Lines of a paragraph at least that something may stand within: the first of several short ones is no sentence."""
_FULL = 3.0
"""Sizes of type by which the last line before an aside falls short of those above it at most."""
_ALIKE = 0.08
"""Share of the size of type by which text that goes on differs at most, and an aside in plain type at least."""
_BOLD = 0.5
"""Share of bold or slanted letters by which an aside differs from the text at least."""
_MOST = 4
"""Blocks of an aside without a frame at most."""
_LONGEST = 300
"""Characters of such a block at most."""


def set_asides(page: Page, style: Style) -> None:
    """Set what stands between the two halves of a sentence behind them, as side boxes; the halves go on.

    Args:
        page: with blocks in reading order; they change.
        style: the running style of the document.
    """
    index = 0
    while index < len(page.blocks):
        block = page.blocks[index]
        at = _rest_of(page, index) if _is_open(block, style) else None
        if at is not None:
            aside, rest = page.blocks[index + 1 : at], page.blocks[at]
            for other in aside:
                other.kind = Kind.SIDE if other.kind is Kind.TEXT else other.kind
            rest.goes_on = block
            page.blocks[index + 1 : at + 1] = [rest, *aside]
        index += 1


def _is_open(block: Block, style: Style) -> bool:
    """Return True if a block is a paragraph whose sentence does not end, in the running type."""
    if block.kind is not Kind.TEXT or block.region is not None or len(block.lines) < _LINES:
        return False
    last = block.lines[-1]
    full = last.right > max(line.right for line in block.lines[-_LINES:]) - _FULL * last.size
    return full and abs(block.size - style.size) <= _ALIKE * style.size and not PARAGRAPH_END.search(last.text)


def _rest_of(page: Page, index: int) -> int | None:
    """Return the place of the block in which a sentence goes on behind a quote, if there is one."""
    block = page.blocks[index]
    for at in range(index + 1, len(page.blocks)):
        other = page.blocks[at]
        if _continues(block, other):
            aside = page.blocks[index + 1 : at]
            return at if aside and _is_quote(aside, block) else None
        if at - index > _MOST and not any(frame.holds(other) for frame in page.frames):
            break
    return None


def _continues(block: Block, other: Block) -> bool:
    if other.kind is not Kind.TEXT or other.region is not None or BULLET.match(other.text):
        return False
    last, first = block.lines[-1], other.lines[0]
    alike = abs(last.size - first.size) <= _ALIKE * last.size and (last.bold > _BOLD) == (first.bold > _BOLD)
    return alike and first.text[:1].islower()


def _is_quote(aside: Sequence[Block], block: Block) -> bool:
    """Return True if blocks are set in another type than a paragraph, each of them; one line alone may be a title."""
    lines = sum(len(other.lines) for other in aside)
    return lines != 1 and all(
        other.kind in {Kind.TEXT, Kind.FIGURE}
        and other.length <= _LONGEST
        and not (other.lines and other.lines[0].words[0].raised)  # a footnote
        and (
            other.kind is Kind.FIGURE
            or abs(other.size - block.size) > _ALIKE * block.size
            or abs(other.mean("bold") - block.mean("bold")) > _BOLD
        )
        for other in aside
    )
