"""Judge candidates for tables, by rules and by weights learnt from other sources.

    python -m ragraph.pdf.training.table_weights --gathered DIR [--without SOURCE]

DIR holds what ``ragraph.pdf.training.tables`` gathered. Sources are put in five parts, and each part is judged by
weights of the others: what the rules take, what weights alone take, and what the rules refuse and the weights take
beside them.
"""

from __future__ import annotations

import argparse
import pickle
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragraph.pdf.model import Box
from ragraph.pdf.training.folds import folds_by_size
from ragraph.pdf.training.reading import kept_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragraph.pdf.training.tables import File, Found

_PARTS = 5
_LIMITS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
_LEFT_OUT = frozenset({"rules say"})
"""Features that tell nothing of what the rules refuse."""


class Table(NamedTuple):
    """Candidates as arrays: their files and sources, features, truth, and whether the rules take them."""

    files: list[File]
    found: list[tuple[File, Found]]
    names: list[str]
    values: NDArray[Any]
    truth: NDArray[Any]
    says: NDArray[Any]
    free: NDArray[Any]
    source: NDArray[Any]
    weight: NDArray[Any]


def main() -> None:
    """Learn, and write or judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gathered", type=Path, required=True, help="folder that was gathered to")
    parser.add_argument("--without", action="append", default=[], help="beginning of the name of a source to leave out")
    chosen = parser.parse_args()
    _judge(_table([file for file in files_of(chosen.gathered) if not file.source.startswith(tuple(chosen.without))]))


def files_of(folder: Path) -> list[File]:
    """Return what was gathered, by the code as it is, of the files that have candidates or tables."""
    read = (pickle.loads(zlib.decompress(path.read_bytes())) for path in sorted(kept_in(folder).glob("*.tables")))
    return [file for file in read if file and (file.found or file.tables)]


def _table(files: list[File]) -> Table:
    found = [(file, one) for file in files for one in file.found]
    names = [name for name in found[0][1].values if name not in _LEFT_OUT]
    truth = np.array([one.truth for _, one in found])
    source = np.array([file.source for file, _ in found])
    known = Counter(source[truth >= 0].tolist())
    return Table(
        files,
        found,
        names,
        np.array([[one.values[name] for name in names] for _, one in found], dtype=np.float32),
        truth,
        np.array([one.says for _, one in found]),
        np.array([not one.says and not any(other.says and _meet(one, other) for other in file.found)
                  for file, one in found]),
        source,
        np.array([max(known[name], 1) ** -0.5 for name in source.tolist()]),
    )  # fmt: skip


def _meet(one: Found, other: Found) -> bool:
    return one.page == other.page and Box(*one.box).grown(-1).meets(Box(*other.box).grown(-1))


def _learn(table: Table, rows: NDArray[Any]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    weight = table.weight[rows] / table.weight[rows].mean()
    model = HistGradientBoostingClassifier(
        max_iter=80, max_leaf_nodes=8, learning_rate=0.1, min_samples_leaf=12, l2_regularization=5.0,
        max_features=0.3, early_stopping=False, random_state=0,
    )  # fmt: skip
    return model.fit(table.values[rows], table.truth[rows], sample_weight=weight)


def _odds(table: Table) -> NDArray[Any]:
    """Return the log-odds of all candidates, each by weights of other sources."""
    known = Counter(table.source[table.truth >= 0].tolist())
    part = folds_by_size(dict(sorted(known.items())), _PARTS)
    parts = np.array([part.get(name, 0) for name in table.source.tolist()])
    odds = np.zeros(len(parts))
    for number in range(_PARTS):
        held = parts == number
        if held.any():
            odds[held] = _learn(table, ~held & (table.truth >= 0)).decision_function(table.values[held])
    return odds


def _judge(table: Table) -> None:
    odds = _odds(table)
    print(f"{len(table.files)} files, {len(set(table.source.tolist()))} sources, {len(table.found)} candidates")
    for limit in _LIMITS:
        print(f"limit {limit:3.1f}, weights alone: {_line(table, odds > limit)}")
    for limit in _LIMITS:
        taken = table.says | _rescued(table, odds, limit)
        rescued = taken & ~table.says & (table.truth >= 0)
        right = int((rescued & (table.truth == 1)).sum())
        print(f"limit {limit:3.1f}: {_line(table, table.says)} | {_line(table, taken)} | more {rescued.sum()}, "
              f"precision {right / max(int(rescued.sum()), 1):.3f}")  # fmt: skip
    taken = table.says | _rescued(table, odds, 1.5)
    for name in sorted(set(table.source.tolist())):
        these = table.source == name
        print(f"{name:45} {_line(table, table.says, these)} | {_line(table, taken, these)}")


def _rescued(table: Table, odds: NDArray[Any], limit: float) -> NDArray[Any]:
    """Return which of the candidates that the rules refuse are taken, the surest first, none over another."""
    taken = np.zeros(len(odds), dtype=bool)
    by_page: dict[tuple[int, int], list[Found]] = {}
    for row in np.argsort(-odds).tolist():
        file, one = table.found[row]
        if odds[row] <= limit or not table.free[row]:
            continue
        others = by_page.setdefault((id(file), one.page), [])
        if not any(_meet(one, other) for other in others):
            others.append(one)
            taken[row] = True
    return taken


def _line(table: Table, taken: NDArray[Any], these: NDArray[Any] | None = None) -> str:
    """Return precision of what is taken, and the share of the stated tables that are found."""
    these = np.ones(len(taken), dtype=bool) if these is None else these
    known = taken & these & (table.truth >= 0)
    right = known & (table.truth == 1)
    sources = set(table.source[these].tolist())
    places = {(id(file), one.page, one.table)
              for (file, one), is_right in zip(table.found, right.tolist(), strict=True) if is_right}  # fmt: skip
    stated = [(id(file), *place) for file in table.files if file.source in sources
              for place, letters in file.tables.items() if letters]  # fmt: skip
    found = sum(place in places for place in stated)
    return f"P {right.sum() / max(int(known.sum()), 1):.3f} of {known.sum():3} R {found:3}/{len(stated):3}"


if __name__ == "__main__":
    main()
