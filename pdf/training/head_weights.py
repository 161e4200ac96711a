"""Judge heads of tables, by rules and by weights learnt from other sources: files that state which rows are heads.

    python -m ragraph.pdf.training.head_weights --gathered DIR

DIR holds what ``ragraph.pdf.training.tables`` gathered. A head is right if exactly its rows are told.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragraph.pdf.training.folds import folds_by_size
from ragraph.pdf.training.table_weights import files_of

if TYPE_CHECKING:
    from ragraph.pdf.training.tables import Head

_PARTS = 5


def main() -> None:
    """Print how many heads are right, by source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gathered", type=Path, required=True, help="folder that was gathered to")
    chosen = parser.parse_args()
    heads = [(file.source, head) for file in files_of(chosen.gathered) for head in file.heads if all(head.rows)]
    names = [*heads[0][1].rows[0]]
    sizes = Counter(source for source, _ in heads)
    part = folds_by_size(dict(sorted(sizes.items())), _PARTS)
    right: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for number in range(_PARTS):
        model = _learn([(source, head) for source, head in heads if part[source] != number], names, sizes)
        for source, head in ((source, head) for source, head in heads if part[source] == number):
            odds = model.decision_function(_values(head, names))
            learnt = next((at for at, one in enumerate(odds.tolist()) if one <= 0), len(odds))
            stated = sum(head.heads)
            whole = head.heads[:stated] == [True] * stated
            right[source].append((whole and head.by_rules == stated, whole and learnt == stated))
    for name, found in [*sorted(right.items()), ("all", [pair for pairs in right.values() for pair in pairs])]:
        rules = sum(pair[0] for pair in found) / len(found)
        weights = sum(pair[1] for pair in found) / len(found)
        print(f"{name:45} {len(found):4} heads, right by rules {rules:.3f}, learnt {weights:.3f}")


def _values(head: Head, names: list[str]) -> Any:
    return np.array([[float(row[name]) for name in names] for row in head.rows], dtype=np.float32)


def _learn(heads: list[tuple[str, Head]], names: list[str], sizes: Counter[str]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    values = np.concatenate([_values(head, names) for _, head in heads])
    truth = np.concatenate([head.heads[: len(head.rows)] for _, head in heads])
    weight = np.concatenate([np.full(len(head.rows), sizes[source] ** -0.5) for source, head in heads])
    model = HistGradientBoostingClassifier(
        max_iter=80, max_leaf_nodes=8, learning_rate=0.1, min_samples_leaf=10, l2_regularization=5.0,
        max_features=0.4, early_stopping=False, random_state=0,
    )  # fmt: skip
    return model.fit(values, truth, sample_weight=weight / weight.mean())


if __name__ == "__main__":
    main()
