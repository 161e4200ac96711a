"""Weights learnt from files that state their structure: decision trees added up, evaluated with numpy alone.

``pdf/training`` makes them; files beside the modules that ask them hold them as arrays: ``weights.npz`` of
headings and of furniture, ``breaks.npz`` and ``labels.npz`` of blocks.
"""

from __future__ import annotations

from functools import lru_cache
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


@lru_cache(maxsize=8)
def read_trees(package: str, name: str, columns: tuple[str, ...]) -> Trees:
    """Return the trees that lie in a file beside the modules of a package; they are read once.

    Args:
        package: name of the package.
        name: of the file.
        columns: names of the features that are measured, in their order.

    Raises:
        ValueError: the trees were learnt from other features.
    """
    with files(package).joinpath(name).open("rb") as file, np.load(file, allow_pickle=False) as data:
        if columns != tuple(map(str, data["columns"])):
            raise ValueError(f"{package}: {name} was learnt from other features than are measured; learn it anew")
        arrays = {key: data[key] for key in ("feature", "threshold", "left", "right", "value", "root")}
        return Trees(columns, **arrays, depth=int(data["depth"]), start=float(data["start"]))
