"""Figures: bitmaps and drawings that hold little text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.pdf.layout import Block, Box, Kind, Line, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

_SMALLEST = 16.0
_MAX_PARTS = 400


def find_figures(page: Page, lines: Sequence[Line], tables: Sequence[Block]) -> list[Block]:
    """Return the figures of a page with the lines printed in them: axis labels, words in boxes of a diagram."""
    area = page.width * page.height
    parts: list[Box] = []
    for box in (*page.images, *page.drawings):
        wide, high = box.right - box.left, box.bottom - box.top
        if wide < _SMALLEST or high < _SMALLEST or wide * high < 900 or wide * high > 0.85 * area:
            continue
        if any(box.holds(table, 0.5) or table.box.holds(box, 0.7) for table in tables):
            continue
        parts.append(box)
    if len(parts) > _MAX_PARTS:
        parts = sorted(parts, key=lambda box: -(box.right - box.left) * (box.bottom - box.top))[:_MAX_PARTS]
    figures = []
    for box in _merged(parts):
        inside = [line for line in lines if box.holds(line, 0.6)]
        space = (box.right - box.left) * (box.bottom - box.top)
        printed = sum((line.right - line.left) * (line.bottom - line.top) for line in inside)
        if printed > 0.33 * space or space > 0.85 * area or space < 900:
            continue
        figures.append(Block(page.number, inside, Kind.FIGURE, [(page.number, box)]))
    return figures


def _merged(boxes: list[Box]) -> list[Box]:
    """Join boxes that touch."""
    done: list[Box] = []
    for box in sorted(boxes):
        current = box
        changed = True
        while changed:
            changed = False
            for other in done:
                if (
                    current.left - 6 < other.right
                    and other.left - 6 < current.right
                    and current.top - 6 < other.bottom
                    and other.top - 6 < current.bottom
                ):
                    done.remove(other)
                    current = Box(
                        min(current.left, other.left),
                        min(current.top, other.top),
                        max(current.right, other.right),
                        max(current.bottom, other.bottom),
                    )
                    changed = True
                    break
        done.append(current)
    return done
