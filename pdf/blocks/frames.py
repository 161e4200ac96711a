"""Frames and shaded grounds around text: side boxes, whose paragraphs belong together apart from the text."""

from __future__ import annotations

import ctypes
from collections import Counter
from typing import TYPE_CHECKING, Any

from ragraph.pdf.model import Block, Box, Kind, outermost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.pdf.model import Page, Style

_TEXT = frozenset({Kind.TEXT, Kind.LIST_ITEM, Kind.HEADING})
_WITH = frozenset({*_TEXT, Kind.NOTE, Kind.CAPTION, Kind.FIGURE, Kind.FORMULA, Kind.CODE})
"""What a box may hold."""
_LEAST = 100.0, 24.0
"""Points: narrower and lower shapes hold no two lines of text."""
_WHITE = 250
"""Minimum value of the components of a colour at which a ground cannot be seen."""
_SOLID = 0.95
"""Share of its bounds that the outline of a box encloses: the corners may be round."""
_MOST = 4
"""Pages with more frames are forms or diagrams."""
_MOST_OF_PAGE = 0.7
"""Minimum share of the text of a page at which a frame is that of the page."""
_LONGEST = 300
"""Points of a path at most; longer ones are drawings."""


def set_frames(pages: Sequence[Page], document: Any) -> None:
    """Set the frames and shaded rectangles of pages on which something as large is drawn.

    Args:
        pages: from ``parse_pages``; ``frames`` change.
        document: the file, opened by ``facts.open_pdf``.
    """
    for page in pages:
        if page.failed or not page.words:
            continue
        # Rules of a table meet, so its drawing is large too; the shapes themselves decide.
        if any(_is_large(box) for box in page.drawings):
            page.frames = _frames(page, document)
    drop_repeated(pages, "frames")


def _is_large(box: Box) -> bool:
    return box.width >= _LEAST[0] and box.height >= _LEAST[1]


def _frames(page: Page, document: Any) -> list[Box]:
    """Return the closed shapes of a page that are as wide and high as a box, and can be seen."""
    import pypdfium2.raw as pdfium

    handle = document[page.number - 1]
    # Crop and rotation move places: frames of such pages are not looked for.
    if not page.lies_on(handle):
        handle.close()
        return []
    found: list[Box] = []
    for index in range(pdfium.FPDFPage_CountObjects(handle.raw)):
        item = pdfium.FPDFPage_GetObject(handle.raw, index)
        if pdfium.FPDFPageObj_GetType(item) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        sides = [ctypes.c_float() for _ in range(4)]
        if not pdfium.FPDFPageObj_GetBounds(item, *sides):
            continue
        x1, y1, x2, y2 = (side.value for side in sides)
        box = Box(max(x1, 0.0), max(page.height - y2, 0.0), min(x2, page.width), min(page.height - y1, page.height))
        if _is_large(box) and _is_seen(item) and _is_solid(item):
            found.append(box)
    handle.close()
    return found


def _is_seen(item: Any) -> bool:
    """Return True if a path has an outline, or is filled with another colour than that of paper."""
    import pypdfium2.raw as pdfium

    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(item, fill, stroke)
    if stroke.value:
        return True
    red, green, blue, opaque = (ctypes.c_uint() for _ in range(4))
    pdfium.FPDFPageObj_GetFillColor(item, red, green, blue, opaque)
    return bool(fill.value) and opaque.value > 0 and min(red.value, green.value, blue.value) < _WHITE


def _is_solid(item: Any) -> bool:
    """Return True if a path encloses nearly all of its bounds: one rectangle, its corners square or round."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFPath_CountSegments(item)
    if not 4 <= count <= _LONGEST:
        return False
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[tuple[float, float]] = []
    moves = 0
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(item, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        moves += pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO and index < count - 1
        points.append((x.value, y.value))
    if moves > 2:
        return False  # many shapes in one path: a grid, a drawing
    if moves == 2:
        # A frame that is filled, not drawn: the outer and the inner outline.
        half = count // 2
        return _share(points[:half]) >= _SOLID and _share(points[half:]) >= _SOLID
    return _share(points) >= _SOLID


def _share(points: Sequence[tuple[float, float]]) -> float:
    """Return the area that an outline encloses by that of its bounds."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    bounds = (max(xs) - min(xs)) * (max(ys) - min(ys)) if points else 0.0
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], *points[:1]], strict=True))
    return abs(area) / 2 / bounds if bounds else 0.0


def drop_repeated(pages: Sequence[Page], *names: str) -> None:
    """Drop boxes that come back at the same place on many pages: those belong to the page.

    Args:
        pages: they change.
        names: of their fields with the boxes.
    """
    seen: Counter[tuple[int, ...]] = Counter()
    for page in pages:
        seen.update({box.place for name in names for box in getattr(page, name)})
    limit = max(3, 0.2 * len(pages))
    for page in pages:
        for name in names:
            setattr(page, name, [box for box in getattr(page, name) if seen[box.place] < limit])


def set_boxes(pages: Sequence[Page], style: Style) -> None:
    """Mark the blocks of side boxes and put the blocks of each box together.

    A frame makes a box if it holds two lines of running text or more, is wider than a third of the column, holds no
    table, and is not that of the page or of a form.

    Args:
        pages: with blocks in reading order, after joining; they change.
        style: the running style of the document.
    """
    for page in pages:
        boxes = outermost(sorted(page.frames, key=lambda box: -box.area))
        held = [(box, blocks) for box in boxes if (blocks := _held(page, box, style))]
        if not 1 <= len(held) <= _MOST:
            continue
        for box, blocks in held:
            keys = {id(block) for block in blocks}
            place = next(index for index, block in enumerate(page.blocks) if id(block) in keys)
            before = page.blocks[:place]
            after = [block for block in page.blocks[place:] if id(block) not in keys]
            for block in blocks:
                block.frame = box
            page.blocks = [*before, *blocks, *after]


def _held(page: Page, box: Box, style: Style) -> list[Block]:
    """Return the blocks in a frame, in their order, if they make a side box; else nothing."""
    wide = box.grown(2)
    inside = [block for block in page.blocks if all(n == page.number and wide.holds(b, 0.9) for n, b in block.parts)]
    text = [block for block in inside if block.kind in _TEXT]
    rows = {round(line.bottom / max(line.size, 1.0)) for block in text for line in block.lines}
    running = [block for block in text if block.kind is not Kind.HEADING and block.length > 40]
    if len(rows) < 2 or not running or any(block.kind not in _WITH for block in inside):
        return []
    displayed = max(block.size for block in running) > 2 * style.size
    return [] if displayed or _is_ground(page, box, inside) else inside


def _is_ground(page: Page, box: Box, inside: Sequence[Block]) -> bool:
    """Return True if a frame is no box: text runs over its edge, it holds most of the page, or it is narrow."""
    if any(_crosses(box, block) for block in page.blocks if not any(block is other for other in inside)):
        return True
    whole = sum(block.length for block in page.blocks if block.kind is not Kind.NOTE)
    widest = max((block.width for block in page.blocks if block.kind is Kind.TEXT), default=page.width)
    return sum(block.length for block in inside) > _MOST_OF_PAGE * whole or box.width < widest / 3


def _crosses(box: Box, block: Block) -> bool:
    """Return True if lines of a block stand in a frame that does not hold the whole block."""
    return any(box.holds(line, 0.5) for line in block.lines)
