"""Weights learnt from files that state their structure: decision trees added up, evaluated with numpy alone.

``bench/structure/learn`` makes them; a ``weights.npz`` beside the modules that ask them holds them as arrays.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 256
"""Rows that are taken down the trees at once, so that memory does not grow with the document."""


class Trees(NamedTuple):
    """Decision trees as arrays over all their nodes; a leaf has itself below it.

    Attributes:
        columns: names of the features.
        feature: that a node asks for.
        threshold: up to which the left one below follows, else the right one.
        left: node below.
        right: node below.
        value: of a leaf, in log-odds.
        root: first node of each tree.
        depth: steps from a root to the deepest leaf.
        start: log-odds before any tree.
    """

    columns: tuple[str, ...]
    feature: NDArray[Any]
    threshold: NDArray[Any]
    left: NDArray[Any]
    right: NDArray[Any]
    value: NDArray[Any]
    root: NDArray[Any]
    depth: int
    start: float

    def log_odds(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the log-odds of rows of features, in the order of ``columns``, as 32-bit numbers."""
        found = np.empty(len(rows))
        for first in range(0, len(rows), _AT_ONCE):
            part = rows[first : first + _AT_ONCE]
            row = np.arange(len(part))[:, None]
            node = np.broadcast_to(self.root, (len(part), len(self.root)))
            for _ in range(self.depth):
                low = part[row, self.feature[node]] <= self.threshold[node]
                node = np.where(low, self.left[node], self.right[node])
            found[first : first + _AT_ONCE] = self.value[node].sum(axis=1, dtype=np.float64)
        return found + self.start


def read_trees(package: str, name: str = "weights.npz") -> Trees:
    """Return the trees that lie in a file beside the modules of a package."""
    with files(package).joinpath(name).open("rb") as file, np.load(file, allow_pickle=False) as data:
        names = ("feature", "threshold", "left", "right", "value", "root")
        arrays = {name: data[name] for name in names}
        return Trees(tuple(map(str, data["columns"])), **arrays, depth=int(data["depth"]), start=float(data["start"]))
