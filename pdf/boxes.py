"""Places on a page: boxes, what follows from the sides of a thing, and the way back to the page of the file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_Item = TypeVar("_Item")


class _Wide(Protocol):
    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...


class _High(Protocol):
    @property
    def top(self) -> float: ...
    @property
    def bottom(self) -> float: ...


class _Placed(_Wide, _High, Protocol): ...


class Sided:
    """What follows from the sides of a thing on a page, in points."""

    __slots__ = ()

    @property
    def width(self: _Wide) -> float:
        """From its left to its right edge."""
        return self.right - self.left

    @property
    def height(self: _High) -> float:
        """From its upper to its lower edge."""
        return self.bottom - self.top

    @property
    def middle_x(self: _Wide) -> float:
        """Half the way from its left to its right edge."""
        return (self.left + self.right) / 2

    @property
    def middle_y(self: _High) -> float:
        """Half the way from its upper to its lower edge."""
        return (self.top + self.bottom) / 2


class _Sides(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


class Box(_Sides, Sided):
    """A rectangle on a page, ``left <= right`` and ``top <= bottom``."""

    __slots__ = ()

    @property
    def area(self) -> float:
        """Its area in square points."""
        return self.width * self.height

    @property
    def place(self) -> tuple[int, ...]:
        """Its sides in steps of three points: those of what comes back on other pages are alike."""
        return tuple(round(side / 3) for side in self)

    def holds(self, other: _Placed, share: float = 0.6) -> bool:
        """Return True if more than ``share`` of the other's area lies in this box."""
        width, height = shared_width(self, other), shared_height(self, other)
        if width <= 0 or height <= 0:
            return False
        area = max((other.right - other.left) * (other.bottom - other.top), 1e-3)
        return width * height > share * area

    def union(self, *others: Box) -> Box:
        """Return the box around this one and others."""
        return around((self, *others))

    def meets(self, other: Box) -> bool:
        """Return True if this box and another have some of their area in common."""
        return shared_width(self, other) > 0 and shared_height(self, other) > 0

    def shared(self, other: Box) -> float:
        """Return the area that this box and another have in common, as a share of what they cover together."""
        width, height = shared_width(self, other), shared_height(self, other)
        if width <= 0 or height <= 0:
            return 0.0
        return width * height / (self.area + other.area - width * height)

    def grown(self, by: float) -> Box:
        """Return the box with its edges moved outwards by so many points."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)


class Turn(NamedTuple):
    """The way from a page set upright for reading to the page as the file has it.

    ``width`` and ``height`` are the file's; ``matrix`` is (a, b, c, d, e, f) of x' = ax + by + c, y' = dx + ey + f.
    """

    width: float
    height: float
    matrix: tuple[float, float, float, float, float, float]

    @property
    def lies(self) -> bool:
        """Whether the page is turned by a quarter, so that level lines become upright ones."""
        return self.matrix[0] == 0

    def box(self, box: tuple[float, float, float, float]) -> Box:
        """Return the box, on the page of the file, around a box on the upright page."""
        return _moved(box, self.matrix)

    def placed(self, box: tuple[float, float, float, float]) -> Box:
        """Return the box, on the upright page, around a box on the page of the file."""
        a, b, c, d, e, f = self.matrix
        size = a * e - b * d
        back = (e / size, -b / size, (b * f - e * c) / size, -d / size, a / size, (d * c - a * f) / size)
        return _moved(box, back)


def _moved(box: tuple[float, float, float, float], matrix: tuple[float, float, float, float, float, float]) -> Box:
    a, b, c, d, e, f = matrix
    left, top, right, bottom = box
    corners = [(x, y) for x in (left, right) for y in (top, bottom)]
    xs = [a * x + b * y + c for x, y in corners]
    ys = [d * x + e * y + f for x, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))


def around(items: Sequence[_Placed]) -> Box:
    """Return the box around lines, words, blocks or boxes."""
    return Box(
        min(item.left for item in items),
        min(item.top for item in items),
        max(item.right for item in items),
        max(item.bottom for item in items),
    )


def shared_width(one: _Wide, other: _Wide) -> float:
    """Return how much of their width two things have in common; below 0 it is the gap between them."""
    return min(one.right, other.right) - max(one.left, other.left)


def shared_height(one: _High, other: _High) -> float:
    """Return how much of their height two things have in common; below 0 it is the gap between them."""
    return min(one.bottom, other.bottom) - max(one.top, other.top)


def in_runs(items: Iterable[_Item], goes_on: Callable[[list[_Item], _Item], bool]) -> list[list[_Item]]:
    """Return items in runs, in their order.

    Args:
        items: rows of text, words of a row, and the like.
        goes_on: says of the run so far whether an item belongs to it; else the item begins another.
    """
    runs: list[list[_Item]] = []
    for item in items:
        if runs and goes_on(runs[-1], item):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def gaps_in(items: Sequence[_Wide]) -> list[float]:
    """Return the widths between things of a row, each to the next."""
    return [after.left - before.right for before, after in pairwise(items)]


def outermost(boxes: Iterable[Box]) -> list[Box]:
    """Return boxes without those that lie in one before them."""
    kept: list[Box] = []
    for box in boxes:
        if not any(other.holds(box, 0.8) for other in kept):
            kept.append(box)
    return kept


def joined(boxes: Iterable[Box], near: float) -> list[Box]:
    """Return boxes, those with less than so many points between them as one."""
    done: list[Box] = []
    for box in boxes:
        current = box
        while close := [
            other
            for other in done
            if other.left - near < current.right and current.left - near < other.right
            and other.top - near < current.bottom and current.top - near < other.bottom
        ]:  # fmt: skip
            done = [other for other in done if other not in close]
            current = current.union(*close)
        done.append(current)
    return done


def distinct(values: Iterable[float], touch: float = 3.0) -> list[float]:
    """Return values sorted, those that touch as one."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > touch:
            kept.append(value)
    return kept
