"""What is to be known of a line that stands in a picture or drawing, to tell a label of it from text of the page.

``pdf/training/drawn.py`` learns weights from these features; ``blocks/labels.py`` asks them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from ragraph.pdf.model import shared_width
from ragraph.pdf.patterns import SENTENCE_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ragraph.pdf.model import Box, Line, Page, Style

_EDGE = 2.5
"""Points by which left edges, or middles, of lines that stand under each other differ at most."""
_NEAR = 1.8
"""Sizes of type from one foot to the next at most, within a run of lines."""
_ALIKE = 0.08
"""Difference of the sizes of such lines at most, by the larger one."""
_LEVEL = 0.5
"""Sizes of type by which the middles of lines on one row differ at most."""
_LONG = 28
"""Characters of a line of running text at least."""
MOST = 250
"""Lines in a place, and shapes of a page, that are looked at; maps have more."""
_FAR = 20.0
"""Sizes of type; what is further away is as far as that."""
_SAME = 4.0
"""Points between the edges of a frame, which count the width of its line, and of its drawing."""

NAMES = (
    # the place
    *("area", "wide", "high", "aspect", "at left", "at top", "at right", "at bottom"),
    *("pictures", "pictured", "parts", "framed", "frames", "levels", "uprights", "shapes", "spots", "sideways"),
    *("lines", "letters", "printed", "long", "mean length", "figures", "sizes", "running", "alone", "share of page"),
    *("in columns", "largest"),
    # the line
    *("length", "words", "size", "bold", "capitals", "digits", "no letter"),
    *("bulleted", "share of width", "across", "down", "look outside", "look inside", "above place", "below place"),
    # what holds it
    *("box wide", "box high", "box lines", "box letters", "box area", "on picture", "frame high", "frame lines"),
    *("frame letters", "frame area"),
    # its run, and what stands around
    *("run lines", "run letters", "run mean", "run longest", "run ends", "gap above"),
    *("gap beside", "level with", "at its edge", "goes on outside", "ruled over"),
)
"""The features, in the order of the columns."""


def measure(page: Page, box: Box, inside: Sequence[Line], lines: Sequence[Line], style: Style) -> NDArray[Any]:
    """Return a row of features, in the order of ``NAMES``, for each line in a place.

    Lengths are in sizes of the running type, shares from 0 to 1, counts as they are.

    Args:
        page: with its images, drawings, rules and frames.
        box: of the place.
        inside: the lines in it; of more than ``MOST`` the first ones are looked at as neighbours.
        lines: the free lines of the page.
        style: the running style of the document.
    """
    rows = np.zeros((len(inside), len(NAMES)), np.float32)
    if not inside:
        return rows
    looked = inside[:MOST]
    outside = _outside(inside, lines)
    place = _place(page, box, looked, outside, style)
    rows[:, : len(place)] = place
    looks: Counter[tuple[str, float]] = Counter()
    for line in inside:
        looks[_look(line)] += line.length
    outer: Counter[tuple[str, float]] = Counter()
    for line in outside:
        outer[_look(line)] += line.length
    of_run = {id(line): run for run in runs_of(looked) for line in run}
    held = _Held(page, box, looked)
    for row, line in zip(rows, inside, strict=True):
        run = of_run.get(id(line), [line])
        row[len(place) :] = [
            *_own(line, box, style, looks, outer, outside),
            *held.around(line),
            *_beside(page, line, run, looked, outside),
        ]
    return rows


def _outside(inside: Sequence[Line], lines: Sequence[Line]) -> list[Line]:
    known = {id(line) for line in inside}
    return [line for line in lines if id(line) not in known]


def _area(box: Box) -> float:
    return max(box.area, 1.0)


def _look(line: Line) -> tuple[str, float]:
    return line.words[0].font.name, round(line.size * 2) / 2


def _place(page: Page, box: Box, inside: Sequence[Line], outside: Sequence[Line], style: Style) -> list[float]:
    wide, high = box.width, box.height
    size = max(style.size, 1.0)
    return [
        wide * high / (page.width * page.height),
        wide / page.width,
        high / page.height,
        log(max(wide, 1.0) / max(high, 1.0)),
        box.left / page.width,
        box.top / page.height,
        1 - box.right / page.width,
        1 - box.bottom / page.height,
        *_shapes(page, box, size),
        *_texts(box, inside, outside, size),
    ]


def _shapes(page: Page, box: Box, size: float) -> list[float]:
    """Return what is drawn in a place."""
    pictures = [image for image in page.images[:MOST] if box.holds(image, 0.5)]
    shapes = [shape for shape in page.drawings[:MOST] if box.holds(shape, 0.5)]
    frames = [frame for frame in page.frames if box.holds(frame, 0.8)]
    return [
        len(pictures),
        min(sum(map(_area, pictures)) / (box.width * box.height), 2.0),
        sum(_area(shape) > 16 * size for shape in shapes),
        float(any(all(abs(a - b) < _SAME for a, b in zip(frame, box, strict=True)) for frame in page.frames)),
        len(frames),
        sum(box.top < y < box.bottom and left < box.right and right > box.left for left, right, y in page.horizontals),
        sum(box.left < x < box.right and top < box.bottom and bottom > box.top for top, bottom, x in page.verticals),
        len(shapes),
        sum(box.holds(spot, 0.5) for spot in page.spots[:MOST]),
        sum(box.holds(word.box, 0.6) for word in page.sideways[:MOST]),
    ]


def _texts(box: Box, inside: Sequence[Line], outside: Sequence[Line], size: float) -> list[float]:
    """Return what the lines in a place have in common."""
    letters = sum(line.length for line in inside)
    long = sum(line.length for line in inside if line.length >= _LONG)
    text = "".join(word.text for line in inside for word in line.words)
    of_runs = [(len(run), sum(line.length for line in run)) for run in runs_of(inside)]
    running = sum(length for count, length in of_runs if count > 2 or length > 2 * _LONG)
    alone = sum(not any(_is_level(line, other) for other in inside if other is not line) for line in inside)
    edges = Counter(round(line.left / _EDGE) for line in inside)
    middles = Counter(round(line.middle_x / _EDGE) for line in inside)
    printed = sum(line.width * line.height for line in inside)
    return [
        len(inside),
        letters,
        printed / max(box.width * box.height, 1.0),
        long / letters,
        letters / len(inside),
        sum(map(str.isdigit, text)) / letters,
        len({round(line.size) for line in inside}),
        running / letters,
        alone / len(inside),
        letters / (letters + sum(line.length for line in outside)),
        max(*edges.values(), *middles.values()) / len(inside),
        max(line.size for line in inside) / size,
    ]


def _own(
    line: Line,
    box: Box,
    style: Style,
    looks: Counter[tuple[str, float]],
    outer: Counter[tuple[str, float]],
    outside: Sequence[Line],
) -> list[float]:
    signs = [character for word in line.words for character in word.text]
    alphas = [character for character in signs if character.isalpha()]
    look = _look(line)
    column = [other for other in outside if _shares(line, other)]
    over = [box.top - other.bottom for other in column if other.bottom <= box.top + line.size]
    under = [other.top - box.bottom for other in column if other.top >= box.bottom - line.size]
    return [
        line.length,
        len(line.words),
        line.size / max(style.size, 1.0),
        line.bold - style.bold,
        sum(character.isupper() for character in alphas) / max(len(alphas), 1),
        sum(character.isdigit() for character in signs) / max(len(signs), 1),
        float(not alphas),
        float(line.bulleted or not line.text[:1].isalnum()),
        line.width / max(box.width, 1.0),
        (line.middle_x - box.left) / max(box.width, 1.0),
        (line.middle_y - box.top) / max(box.height, 1.0),
        outer[look] / max(sum(outer.values()), 1),
        looks[look] / max(sum(looks.values()), 1),
        min(min(over, default=_FAR * line.size) / line.size, _FAR),
        min(min(under, default=_FAR * line.size) / line.size, _FAR),
    ]


class _Held:
    """The shapes of a place, and the lines in each of them."""

    def __init__(self, page: Page, box: Box, inside: Sequence[Line]) -> None:
        shapes = [(shape, picture) for picture, shapes in ((1.0, page.images), (0.0, page.drawings))
                  for shape in shapes[:MOST] if shape.meets(box)]  # fmt: skip
        self.shapes = sorted(shapes, key=lambda item: _area(item[0]))
        self.frames = sorted((frame for frame in page.frames[:MOST] if frame.meets(box)), key=_area)
        self.images = [image for image in page.images[:MOST] if image.meets(box)]
        self.inside = inside
        self.known: dict[Box, tuple[int, int]] = {}

    def around(self, line: Line) -> list[float]:
        """Return what is to be known of the smallest shape, and of the smallest frame, that hold a line."""
        own = max(line.width * line.height, 1.0)
        shape = next((shape for shape, _ in self.shapes if shape.holds(line, 0.7)), None)
        frame = next((frame for frame in self.frames if frame.holds(line, 0.7)), None)
        found: list[float] = []
        if shape is None:
            found += [_FAR, _FAR, -1, -1, _FAR]
        else:
            count, letters = self._count(shape)
            found += [
                shape.width / max(line.width, 1.0),
                shape.height / line.size,
                count,
                letters,
                log(_area(shape) / own),
            ]
        found.append(float(any(image.holds(line, 0.7) for image in self.images)))
        if frame is None:
            return [*found, _FAR, -1, -1, _FAR]
        count, letters = self._count(frame)
        return [*found, frame.height / line.size, count, letters, log(_area(frame) / own)]

    def _count(self, shape: Box) -> tuple[int, int]:
        if shape not in self.known:
            lines = [line for line in self.inside if shape.holds(line, 0.7)]
            self.known[shape] = len(lines), sum(line.length for line in lines)
        return self.known[shape]


def _beside(
    page: Page, line: Line, run: Sequence[Line], inside: Sequence[Line], outside: Sequence[Line]
) -> list[float]:
    size = max(line.size, 1.0)
    letters = sum(other.length for other in run)
    others = [other for other in inside if other is not line]
    over = [line.top - other.bottom for other in others if _shares(line, other) and other.bottom <= line.top + 1]
    level = [other for other in others if _is_level(line, other)]
    beside = [max(other.left - line.right, line.left - other.right) for other in level]
    levels = [y for left, right, y in page.horizontals[:MOST] if left < line.right and right > line.left]
    return [
        len(run),
        letters,
        letters / len(run),
        max(other.length for other in run),
        float(bool(SENTENCE_END.search(run[-1].text))),
        min(min(over, default=_FAR * size) / size, _FAR),
        min(min(beside, default=_FAR * size) / size, _FAR),
        len(level),
        sum(abs(other.left - line.left) < _EDGE for other in others),
        sum(abs(other.left - line.left) < _EDGE and _is_alike(other, line) for other in outside),
        float(any(0 <= line.top - y < size for y in levels)),
    ]


def _shares(line: Line, other: Line) -> bool:
    return shared_width(line, other) > 0


def _is_level(line: Line, other: Line) -> bool:
    return abs(line.top + line.bottom - other.top - other.bottom) < 2 * _LEVEL * min(line.size, other.size)


def _is_alike(one: Line, other: Line) -> bool:
    return abs(one.size - other.size) <= _ALIKE * max(one.size, other.size)


def runs_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Return lines in runs: of one size, one under the other at one edge or one middle, close to each other."""
    runs: list[list[Line]] = []
    ending: dict[int, list[list[Line]]] = defaultdict(list)
    for line in sorted(lines, key=lambda line: (line.top, line.left)):
        row = int(line.top // 24)
        for run in (run for near in (row, row - 1, row - 2) for run in ending[near]):
            last = run[-1]
            near_by = 0.6 * line.size < line.bottom - last.bottom < _NEAR * line.size
            middle = abs(line.left + line.right - last.left - last.right) < 2 * _EDGE
            if near_by and _is_alike(line, last) and (middle or abs(line.left - last.left) < _EDGE):
                ending[int(last.top // 24)] = [one for one in ending[int(last.top // 24)] if one is not run]
                run.append(line)
                ending[row].append(run)
                break
        else:
            runs.append([line])
            ending[row].append(runs[-1])
    return runs
