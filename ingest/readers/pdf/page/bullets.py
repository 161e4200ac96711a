"""Bullets that are drawn or are little pictures, in front of the lines that they begin."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragraph.ingest.readers.pdf.model import Box, Line, Page

_SIZE = (0.15, 1.1)
"""Width and height of a bullet, per point of the size of type."""
_SQUARE = 1.8
"""Its longer side against the shorter one at most."""
_GAP = (0.1, 3.0)
"""Distance of a bullet from its line, per point of size."""
_LEAST = 2
"""Lines of a page with bullets at one edge, at least."""
_EDGE = 1.5
"""Points by which such edges differ at most."""
_MOST = 400
"""A page with more shapes is a drawing."""


def mark_bullets(page: Page) -> None:
    """Tell the lines that begin with a drawn bullet, where several stand under each other.

    Args:
        page: with its lines, images and drawings; the lines change.
    """
    boxes = [*page.images, *page.drawings]
    if len(boxes) > _MOST:
        return
    columns: dict[int, list[tuple[Box, Line]]] = defaultdict(list)
    for box in boxes:
        line = next((line for line in page.lines if _begins(box, line)), None)
        if line is not None:
            columns[round(box.left / _EDGE)].append((box, line))
    for edge, found in columns.items():
        near = [*found, *columns.get(edge - 1, []), *columns.get(edge + 1, [])]
        if len({id(line) for _, line in near}) >= _LEAST:
            for _, line in found:
                line.bulleted = True


def _begins(box: Box, line: Line) -> bool:
    wide, high = box.right - box.left, box.bottom - box.top
    small, large = sorted((wide, high))
    if not _SIZE[0] * line.size < small or large > _SIZE[1] * line.size or large > _SQUARE * small:
        return False
    middle = (box.top + box.bottom) / 2
    return line.top < middle < line.bottom and _GAP[0] * line.size < line.left - box.right < _GAP[1] * line.size
