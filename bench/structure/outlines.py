"""Two outlines compared: which headings are the same, at the same level, under the same heading."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bench.structure.tex import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.structure.reading import Heading

_SIMILAR = 85.0


@lru_cache(maxsize=200_000)
def similar(one: str, other: str) -> bool:
    """Return True if a found title equals one of the truth except for number, case, marks and a few letters."""
    from rapidfuzz.fuzz import ratio

    left, right = plain(one), plain(other)
    if not left or not right:
        return False
    if len(right) > 8 and (left.startswith(right) or left.endswith(right)):
        return len(left) < 2.5 * len(right)
    return float(ratio(left, right)) >= _SIMILAR


def match(truth: Sequence[Heading], found: Sequence[Heading]) -> dict[int, int]:
    """Pair headings in document order: the longest chain of similar titles (difflib's is not the longest)."""
    rows, columns = len(truth), len(found)
    like = [[similar(found[column].title, truth[row].title) for column in range(columns)] for row in range(rows)]
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            step = best[row + 1][column + 1] + 1 if like[row][column] else 0
            best[row][column] = max(best[row + 1][column], best[row][column + 1], step)
    pairs: dict[int, int] = {}
    row = column = 0
    while row < rows and column < columns:
        if like[row][column] and best[row][column] == best[row + 1][column + 1] + 1:
            pairs[row] = column
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs


def levels_right(truth: Sequence[Heading], found: Sequence[Heading], pairs: dict[int, int]) -> int:
    """Return the number of pairs at the level of their depth, with levels assigned to depths for the highest number.

    A deeper heading of the truth must be at a deeper level: an outline without levels agrees with one depth only.
    """
    counts: dict[int, Counter[int]] = {}
    for row, column in pairs.items():
        counts.setdefault(truth[row].depth, Counter())[found[column].depth] += 1
    levels = sorted({found[column].depth for column in pairs.values()})
    # best[i] = most agreeing pairs when the depths so far use only levels below the i-th
    best = [0] * (len(levels) + 1)
    for depth in sorted(counts):
        taken = [best[0]]
        for index, level in enumerate(levels):
            taken.append(max(taken[-1], best[index + 1], best[index] + counts[depth][level]))
        best = taken
    return best[-1]


def parents_right(truth: Sequence[Heading], found: Sequence[Heading], pairs: dict[int, int]) -> int:
    """Return how many pairs have the same nearest paired ancestor on both sides."""
    back = {column: row for row, column in pairs.items()}
    ours, theirs = _above(found), _above(truth)
    right = 0
    for row, column in pairs.items():
        mine: int | None = ours[column]
        while mine is not None and mine not in back:
            mine = ours[mine]
        other: int | None = theirs[row]
        while other is not None and other not in pairs:
            other = theirs[other]
        right += (None if mine is None else back[mine]) == other
    return right


def tree_similarity(truth: Sequence[Heading], found: Sequence[Heading]) -> float:
    """Return 1 - tree edit distance / headings of the larger outline; renaming costs 1 unless titles are similar."""
    from apted import APTED

    if not truth or not found:
        return float(len(truth) == len(found))
    distance = APTED(_tree(truth), _tree(found), _costs()).compute_edit_distance()
    return max(0.0, 1.0 - float(distance) / max(len(truth), len(found)))


def _above(headings: Sequence[Heading]) -> list[int | None]:
    parents: list[int | None] = []
    stack: list[int] = []
    for index, heading in enumerate(headings):
        while stack and headings[stack[-1]].depth >= heading.depth:
            stack.pop()
        parents.append(stack[-1] if stack else None)
        stack.append(index)
    return parents


@dataclass(eq=False)
class _Node:
    """A heading with those below it; the root has no title."""

    title: str
    children: list[_Node] = field(default_factory=list)


def _tree(headings: Sequence[Heading]) -> _Node:
    root = _Node("")
    nodes = [_Node(heading.title) for heading in headings]
    for node, above in zip(nodes, _above(headings), strict=True):
        (root if above is None else nodes[above]).children.append(node)
    return root


@lru_cache(maxsize=1)
def _costs() -> Any:
    from apted import Config

    class Costs(Config):  # type: ignore[misc]
        """Costs of renaming; inserting and deleting cost 1."""

        def rename(self, one: _Node, other: _Node) -> float:
            return 0.0 if one.title == other.title or similar(other.title, one.title) else 1.0

    return Costs()
