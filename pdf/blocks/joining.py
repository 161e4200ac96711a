"""Paragraphs that go on in the next column or on the next page become one block with several boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.model import Block, Kind
from ragraph.pdf.patterns import BULLET, CAPTION, NUMBERED, PARAGRAPH_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Box, Line, Page, Style

_JOINED = {Kind.TEXT, Kind.LIST_ITEM, Kind.ENTRY}
_FEW = 4
"""Lines of blocks side by side at most."""
_RIM = 2.0
"""Points by which text may stand out of the frame around it."""
_BETWEEN = {Kind.FIGURE, Kind.TABLE, Kind.CAPTION, Kind.NOTE, Kind.SIDE}


def join_paragraphs(pages: list[Page], style: Style) -> None:
    """Join the last paragraph of a column or page with its continuation; blocks and pages change."""
    open_block: Block | None = None
    owner: Page | None = None
    joined: list[Block] = []
    for page in pages:
        for block in list(page.blocks):
            if block.kind in _BETWEEN:
                continue
            own = any(block.goes_on is half for half in joined)
            if (
                open_block is not None
                and owner is not None
                and _goes_on(open_block, block, page, owner, style, own=own)
            ):
                page.append(open_block, block)
                joined.append(block)
                continue
            open_block, owner = (block, page) if block.kind in _JOINED else (None, None)
            joined = [block] if block.kind in _JOINED else []


def _goes_on(block: Block, following: Block, page: Page, owner: Page, style: Style, *, own: bool) -> bool:
    """Return True if a block goes on in the following one, which stands on the next page or in the next column.

    What is told to go on with a paragraph goes on with that one alone; ``own`` says whether the block holds it.
    """
    if following.kind is not Kind.TEXT:
        return False
    if following.goes_on is not None:
        return own
    last_page, last_box = block.parts[-1]
    other_page = page.number == last_page + 1
    other_column = page.number == last_page and following.left > last_box.right - 5 and following.top < last_box.bottom
    if not (other_page or other_column):
        return False
    last, first = block.lines[-1], following.lines[0]
    if other_column and _side_by_side(block, following):
        return False
    if _is_another(block, following):
        return False
    starts_low = first.text[:1].islower()
    if not starts_low and _leaves_box(last_box, owner, following, page):
        return False
    if not PARAGRAPH_END.search(last.text):
        return starts_low or len(block.lines) > 1 or last.width > 0.6 * (page.width - 2 * page.width / 8)
    return starts_low or (_fills_column(block, following) and _document_indents(owner, style))


def _is_another(block: Block, following: Block) -> bool:
    """Return True if a block is a paragraph of its own for its type, what it begins with, or how it hangs."""
    last, first = block.lines[-1], following.lines[0]
    if abs(last.size - first.size) > 0.08 * last.size or (last.bold > 0.85) != (first.bold > 0.85):
        return True
    if BULLET.match(first.text) or CAPTION.match(first.text) or CAPTION.match(block.text):
        return True
    if NUMBERED.match(first.text) and PARAGRAPH_END.search(last.text):
        return True
    # Two paragraphs that both hang are two entries, whatever the first one ends with.
    outdent = _hangs(following.lines) or abs(first.left - block.lines[0].left) < 2
    return outdent and _hangs(block.lines) and not first.text[:1].islower()


def _fills_column(block: Block, following: Block) -> bool:
    """Return True if the last line of a block is full, and the first of the following one is not set in.

    A sentence ends with the column then, and the paragraph may go on.
    """
    box, last, first = block.parts[-1][1], block.lines[-1], following.lines[0]
    column = [line for line in block.lines if line.top >= box.top - 1 and line.right <= box.right + 1]
    full = len(column) > 1 and last.right > max(line.right for line in column) - 1.2 * last.size
    left = min((line.left for line in following.lines[1:]), default=0.0)
    return full and len(following.lines) > 1 and first.left <= left + 0.6 * first.size


def _leaves_box(box: Box, owner: Page, following: Block, page: Page) -> bool:
    """Return True if a frame around part of a page holds a text, and none, or none but others, what follows it."""
    written = [block for block in owner.blocks if block.kind in _JOINED]
    frames = [
        frame.grown(_RIM)
        for frame in owner.frames
        if frame.grown(_RIM).holds(box) and not all(frame.grown(_RIM).holds(block.box) for block in written)
    ]
    if not frames:
        return False
    others = frames if page is owner else [frame.grown(_RIM) for frame in page.frames]
    return not any(frame.holds(following.box) for frame in others)


def _side_by_side(block: Block, following: Block) -> bool:
    """Return True if a block of few lines begins on the height of the other: titles of columns, cards."""
    one, other = block.lines[0], following.lines[0]
    return len(block.lines) <= _FEW and abs(one.bottom - other.bottom) < 0.3 * other.size


def _hangs(lines: Sequence[Line]) -> bool:
    """Return True if the first line is set out and the others are not, as in bibliographies and glossaries."""
    column = [line for line in lines[1:] if line.top > lines[0].top and line.left < lines[0].right]
    return bool(column) and min(line.left for line in column) > lines[0].left + 0.6 * lines[0].size


def _document_indents(page: Page, style: Style) -> bool:
    """Return True if paragraphs of the page begin with an indent, so that a line without one goes on."""
    indented = plain = 0
    for block in page.blocks:
        if block.kind is Kind.TEXT and len(block.lines) > 2:
            if block.lines[0].left > block.lines[1].left + 0.6 * style.size:
                indented += 1
            else:
                plain += 1
    return indented >= plain
