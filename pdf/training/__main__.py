"""Learn the weights of headings, and judge them on files that they were not learnt from.

    RAGRAPH_DATA=../shared/data python -m ragraph.pdf.training --wild WILD --pdfs PDFS [--cache DIR] [--judge]

Without --judge, weights of all files are written into the reader. With it, four times three quarters of the files are
learnt from and the rest is judged: headings found among the short blocks of the pages that were labelled or seen.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ragraph.pdf.headings as headings
from ragraph.pdf.headings.claims import ENOUGH
from ragraph.pdf.headings.features import NAMES
from ragraph.pdf.training.folds import fold_of
from ragraph.pdf.training.reading import options
from ragraph.pdf.training.records import LABELLED, SEEN, STATED, Rows, rows_of
from ragraph.pdf.training.writing import write_trees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FOLDS = 4
"""Parts of the files, of which each is judged by what the others teach."""
_HOW = {STATED: "stated", SEEN: "seen by eye", LABELLED: "labelled"}


def main() -> None:
    """Learn, and write or judge."""
    parser = options(__doc__)
    parser.add_argument("--wild", type=Path, required=True, help="folder of the files of the lists in data/wild")
    chosen = parser.parse_args()
    data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
    files = [rows for rows in rows_of(chosen.pdfs, data, chosen.wild, chosen.cache)
             if (rows.truth >= 0).any()]  # fmt: skip
    known = sum(int((rows.truth >= 0).sum()) for rows in files)
    print(f"{len(files)} files, {known} blocks, {sum(int((rows.truth == 1).sum()) for rows in files)} headings")
    if chosen.judge:
        _judge(files)
    else:
        write_trees(learn(files), NAMES, Path(headings.__file__).parent / "weights.npz")


def learn(files: Sequence[Rows]) -> Any:
    """Return the model of scikit-learn that the rows of files teach."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    values = np.concatenate([rows.values[rows.truth >= 0] for rows in files])
    truth = np.concatenate([rows.truth[rows.truth >= 0] for rows in files])
    weight = np.concatenate([rows.weight[rows.truth >= 0] for rows in files])
    model = HistGradientBoostingClassifier(
        max_iter=180, max_leaf_nodes=20, learning_rate=0.09, min_samples_leaf=30, l2_regularization=5.0,
        max_features=0.5, early_stopping=False, random_state=0,
    )  # fmt: skip
    return model.fit(values, truth, sample_weight=weight / weight.mean())


def _judge(files: Sequence[Rows]) -> None:
    found: dict[str, list[tuple[NDArray[Any], NDArray[Any]]]] = defaultdict(list)
    for fold in range(FOLDS):
        model = learn([rows for rows in files if fold_of(rows.name, FOLDS) != fold])
        for rows in files:
            if fold_of(rows.name, FOLDS) != fold:
                continue
            chosen = model.decision_function(rows.values) > ENOUGH
            for how, name in _HOW.items():
                these = (rows.truth >= 0) & (rows.how == how)
                if these.any():
                    pair = rows.truth[these] == 1, chosen[these]
                    found[name].append(pair)
                    if how == LABELLED or (how == SEEN and "/" not in rows.source):
                        found[f"{name}, {rows.source}"].append(pair)
    for name, pairs in sorted(found.items()):
        truth = np.concatenate([one for one, _ in pairs])
        chosen = np.concatenate([other for _, other in pairs])
        hits = (truth & chosen).sum()
        precision, recall = hits / max(chosen.sum(), 1), hits / max(truth.sum(), 1)
        f1 = 2 * hits / max(chosen.sum() + truth.sum(), 1)
        print(f"{name:32} {truth.sum():5} headings  P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}")


if __name__ == "__main__":
    main()
