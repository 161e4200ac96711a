"""Lines that begin items without a sign that tells it: a bullet that is drawn, a number in another font."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import BARE_NUMBER

if TYPE_CHECKING:
    from ragraph.pdf.model import Box, Line, Page

_SIZE = (0.15, 1.1)
"""Width and height of a bullet, per point of the size of type."""
_SQUARE = 1.8
"""Its longer side against the shorter one at most."""
_GAP = (0.1, 3.0)
"""Distance of a bullet from its line, per point of size."""
_TOUCH = 0.05
"""Distance of shapes that make one sign at most, per point of the size of type: bullets over each other are further."""
_LEAST = 2
"""Lines of a page with bullets at one edge, at least."""
_EDGE = 1.5
"""Points by which such edges differ at most."""
_MOST = 400
"""A page with more shapes is a drawing."""
_STEPS = 3
"""Lines whose numbers count on from 1, at least."""
_FULL = 0.9
"""Size of the number, against that of its text, at least: marks of notes are smaller, numbers of parts are larger."""


def mark_items(page: Page) -> None:
    """Tell the lines that begin with a drawn bullet, or with a number that only its font sets off.

    Args:
        page: with its lines, images and shapes; the lines change.
    """
    for line in (*_with_bullets(page), *_with_numbers(page)):
        line.bulleted = True


def _with_bullets(page: Page) -> list[Line]:
    """Return lines with little shapes or pictures in front, where several stand at one edge."""
    boxes = [*page.images, *page.drawings, *page.spots]
    if len(boxes) > _MOST:
        return []
    columns: dict[int, list[tuple[Box, Line]]] = defaultdict(list)
    for box in boxes:
        line = next((line for line in page.lines if _begins(box, line)), None)
        if line is not None and not _is_lower_part(box, line, page):
            columns[round(box.left / _EDGE)].append((box, line))
    marked: list[Line] = []
    for edge, found in columns.items():
        near = [*found, *columns.get(edge - 1, []), *columns.get(edge + 1, [])]
        if len({id(line) for _, line in near}) >= _LEAST:
            marked += [line for _, line in found]
    return marked


def _begins(box: Box, line: Line) -> bool:
    wide, high = box.width, box.height
    small, large = sorted((wide, high))
    if not _SIZE[0] * line.size < small or large > _SIZE[1] * line.size or large > _SQUARE * small:
        return False
    middle = box.middle_y
    return line.top < middle < line.bottom and _GAP[0] * line.size < line.left - box.right < _GAP[1] * line.size


def _is_lower_part(box: Box, line: Line, page: Page) -> bool:
    """Return True if a shape is part of a sign in front of several lines, and this is not the first of them."""
    near = box.grown(_TOUCH * line.size)
    whole = box.union(*(spot for spot in page.spots if near.meets(spot)))
    return whole.height > _SIZE[1] * line.size and any(
        whole.top < other.middle_y < line.top and 0 < other.left - whole.right < _GAP[1] * line.size
        for other in page.lines
    )


def _with_numbers(page: Page) -> list[Line]:
    """Return lines that count on from 1 at one edge, each with its number in another font than its text."""
    runs: list[list[Line]] = []
    for line in page.lines:
        if not _is_numbered(line):
            continue
        number = int(line.words[0].text)
        run = next((run for run in reversed(runs) if len(run) == number - 1 and _at_one_edge(run[0], line)), None)
        if run is not None:
            run.append(line)
        elif number == 1:
            runs.append([line])
    return [line for run in runs if len(run) >= _STEPS for line in run]


def _is_numbered(line: Line) -> bool:
    if len(line.words) < 2 or not BARE_NUMBER.match(line.words[0].text):
        return False
    number, word = line.words[0], line.words[1]
    return number.font.name != word.font.name and _FULL < number.size / word.size < 1 / _FULL and not number.raised


def _at_one_edge(one: Line, other: Line) -> bool:
    return abs(one.words[1].left - other.words[1].left) < 2 or abs(one.left - other.left) < 2
