"""Titles set in several pieces: a label and its title, the lines of a displayed title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.pdf.blocks.looks import look_of, printed, scheme_of
from ragraph.pdf.headings.series import like_title
from ragraph.pdf.model import Block, Kind, Line
from ragraph.pdf.patterns import LABEL_NUMBER, LABEL_ONLY, LABEL_WORD, ROW_LABEL, SENTENCE_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page, Region, Style

_TAB = 8.0
"""Widest gap between a number and its title, per point of size."""
_POSTER = 1.3
"""Capitals so much larger than the text may be lines of one title, whatever the size of each."""
_SET_SOLID = 0.25
"""Widest gap between such lines, per point of the smaller size: between titles of two levels there is more."""
_SET_CLOSE = 0.4
"""Widest gap between lines of one title in one type, per point of its size."""
_OVERLAP = 0.2
"""Share of its size by which the boxes of such lines overlap at most: letters without feet leave no room for any."""
_OPENING = 3.0
"""Widest gap between the word of a label and its number on the next line, per point of the larger size."""
_TITLE_BELOW = 4.5
"""The same between a label with its number and the title below."""
_LEVEL = 2.0
"""Points by which the feet of a label and of its title on one row differ at most."""
_TITLE = 160
"""Characters of a title with a label at most."""
_SAME = 0.5
"""Points by which label and title of one size differ at most, as measured."""
_LARGER = 1.2
"""Minimum size of such a label and title, in that of the running text, at which one of them may be bold alone."""
_UNDERLINED = 0.6
"""Minimum share of its letters at which a title with a label is underlined."""
_ROWS = 3
"""Lines of such a title at most."""
_SIDE_BY_SIDE = 5
"""Blocks before another among which that right above it is looked for."""


def join_labels(page: Page, style: Style) -> None:
    """Join labels ("Section 3") with the titles on their row, before the order of blocks side by side is told.

    Bare numbers are left to ``join_titles``: what they stand before may be a title that runs into its paragraph.
    """
    for label in [block for block in page.blocks if block.kind is Kind.TEXT and _is_named_label(printed(block))]:
        for title in page.blocks:
            level = title.kind is Kind.TEXT and abs(label.bottom - title.lines[0].bottom) < _LEVEL
            if level and not _told_apart(label.region, title.region) and _is_labelled(label, title, style):
                # One row is one line: what has two is weighed as a title of two.
                row = Line([*label.lines[-1].words, *title.lines[0].words])
                page.unite(label, title, [*label.lines[:-1], row, *title.lines[1:]])
                break


def join_titles(page: Page, style: Style) -> None:
    """Join a label such as "Chapter II" with the title below it, and the lines of a displayed title."""
    merged: list[Block] = []
    for block in page.blocks:
        before = _before(merged, block, style) if block.kind is Kind.TEXT else None
        if before is not None:
            before.lines += block.lines
            before.parts = [(page.number, before.box.union(block.box))]
            continue
        merged.append(block)
    page.blocks = merged


def _before(merged: Sequence[Block], block: Block, style: Style) -> Block | None:
    """Return the block that a block goes on with: the one before it, or that right above it.

    Titles side by side are read row by row, so that the lines of one do not follow each other.
    """
    above = [other for other in merged[-_SIDE_BY_SIDE:] if other.left < block.right and block.left < other.right]
    nearest = max((other for other in above if other.top < block.top), key=lambda other: other.bottom, default=None)
    for other in (merged[-1] if merged else None, nearest):
        if (
            other is not None
            and other.kind is Kind.TEXT
            and other.rest is None is block.rest
            and len(other.lines) + len(block.lines) <= 6
            and _one_title(other, block, style)
        ):
            return other
    return None


def _one_title(upper: Block, lower: Block, style: Style) -> bool:
    gap = lower.top - upper.bottom
    if abs(upper.bottom - lower.lines[0].bottom) < 2 and ROW_LABEL.match(printed(upper)):
        return _is_labelled(upper, lower, style)
    if len(lower.lines) > 4 or lower.length > 160 or _told_apart(upper.region, lower.region):
        return False
    one, other = look_of(upper), look_of(lower)
    if gap < -max(2.0, _OVERLAP * min(one.size, other.size)):
        return False
    centred = abs((upper.left + upper.right) - (lower.left + lower.right)) < 8
    if not other.stands_out(style) and not (centred and lower.length < 90):
        return False
    if LABEL_WORD.match(printed(upper)) or LABEL_ONLY.match(printed(upper)):
        return one.stands_out(style) and _goes_with_label(upper, lower, gap / max(one.size, other.size))
    placed = centred or abs(upper.left - lower.left) < 3
    return placed and scheme_of(printed(lower)) == "none" and _are_lines(upper, lower, gap, style)


def _goes_with_label(label: Block, lower: Block, gap: float) -> bool:
    """Return True if what stands below a label is its number or title; ``gap`` is in sizes of type."""
    if LABEL_WORD.match(printed(label)):
        return gap < _OPENING and bool(LABEL_NUMBER.match(printed(lower)))
    titled = not LABEL_ONLY.match(printed(lower)) and not scheme_of(printed(lower)).startswith("named")
    return titled and gap < _TITLE_BELOW


def _are_lines(upper: Block, lower: Block, gap: float, style: Style) -> bool:
    """Return True if two blocks are lines of a displayed title: large type, the same look, little space."""
    one, other = look_of(upper), look_of(lower)
    if SENTENCE_END.search(printed(upper)) and not one.resembles(other):
        return False
    if min(one.size, other.size) > _POSTER * style.size and printed(upper).isupper() and printed(lower).isupper():
        return gap < _SET_SOLID * min(one.size, other.size)  # a line of a poster may be larger than the next
    alike = one.resembles(other) and one.capitals == other.capitals
    if upper.region is not lower.region and alike and gap < _SET_CLOSE * one.size:
        return one.stands_out(style)  # lines of one title that are stated one by one
    return alike and one.size > 1.15 * style.size and gap < 0.75 * one.size


def _is_named_label(text: str) -> bool:
    return " " in text and text[:1].isalpha() and bool(ROW_LABEL.match(text))


def _is_labelled(label: Block, title: Block, style: Style) -> bool:
    """Return True if a label of one row with a title stands before it, apart from it as by a tabulator."""
    one, other = look_of(label), look_of(title)
    near = 0 < title.left - label.right < _TAB * one.size
    # A label may be in bold and its title not, where both are larger than the text.
    alike = one.resembles(other) or (abs(one.size - other.size) <= _SAME and other.size > _LARGER * style.size)
    if not near or not alike or title.length >= _TITLE or len(title.lines) > _ROWS:
        return False
    return other.stands_out(style) or title.mean("underlined") > _UNDERLINED or _is_plain_title(label, title)


def _is_plain_title(label: Block, title: Block) -> bool:
    """Return True if a block is a line with the words of a title, behind a named label, in the type of the text."""
    named = _is_named_label(printed(label)) and len(label.lines) == len(title.lines) == 1
    return named and like_title(printed(title).split()) and not SENTENCE_END.search(printed(title))


def _told_apart(upper: Region | None, lower: Region | None) -> bool:
    """Return True if two parts are stated to be headings of two levels, or one of them neither heading nor text."""
    if upper is None or lower is None or upper is lower:
        return False
    if {upper.kind, lower.kind} - {Kind.HEADING, Kind.TITLE, Kind.TEXT}:
        return True
    return upper.kind is lower.kind is Kind.HEADING and upper.level != lower.level
