"""Models of scikit-learn as the arrays that the reader evaluates (``ragraph.pdf.trees``)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


def write_trees(model: Any, columns: Sequence[str], target: Path) -> None:
    """Write the trees of a model as arrays, and print the size of the file; a leaf has itself below it.

    Args:
        model: scikit-learn's ``HistGradientBoostingClassifier`` of two classes, fitted.
        columns: names of its features.
        target: file to write.
    """
    arrays: dict[str, list[NDArray[Any]]] = defaultdict(list)
    first, deepest = 0, 0
    for (tree,) in model._predictors:  # scikit-learn has no public way to the nodes
        nodes = tree.nodes
        leaf, own = nodes["is_leaf"].astype(bool), np.arange(len(nodes))
        arrays["feature"].append(np.where(leaf, 0, nodes["feature_idx"]).astype(np.int16))
        arrays["threshold"].append(np.where(leaf, 0, nodes["num_threshold"]).astype(np.float32))
        arrays["left"].append((np.where(leaf, own, nodes["left"]) + first).astype(np.int32))
        arrays["right"].append((np.where(leaf, own, nodes["right"]) + first).astype(np.int32))
        arrays["value"].append(np.where(leaf, nodes["value"], 0).astype(np.float32))
        arrays["root"].append(np.array([first], np.int32))
        first, deepest = first + len(nodes), max(deepest, int(nodes["depth"].max()))
    whole: dict[str, Any] = {name: np.concatenate(parts) for name, parts in arrays.items()}
    whole |= {"depth": np.array(deepest), "start": np.float32(model._baseline_prediction.ravel()[0])}
    np.savez_compressed(target, columns=np.array(columns), **whole)
    print(f"{target}: {target.stat().st_size} bytes")
