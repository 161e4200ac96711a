"""What the word of the layout model that votes is worth for headings, on files that state theirs.

    python -m ragraph.pdf.training.votes --pdfs PDFS --cache DIR [--files N]

The weights of headings are learnt four times on three quarters of the sources (repositories, packages), as the ones in
the reader know these files. On the blocks of the other quarter the log-odds that "a title is seen there" adds to what
those weights say are fitted, again without the source that they are judged on.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragraph.pdf.headings.claims import ENOUGH
from ragraph.pdf.stated import packaged
from ragraph.pdf.stated.engines import Votes
from ragraph.pdf.stated.facts import open_pdf
from ragraph.pdf.stated.votes import is_seen_as_title
from ragraph.pdf.training.__main__ import FOLDS, learn
from ragraph.pdf.training.folds import fold_of
from ragraph.pdf.training.reading import kept, listed, places
from ragraph.pdf.training.records import Rows, measured, rows_of_file
from ragraph.pdf.training.truth import known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_READ, _LOOKED_AT = 16, 6
"""Pages that are read of a file, and those of them that the model looks at, spread over them."""
_WEIGHTS = np.arange(0, 4.01, 0.05)
"""Log-odds that are tried."""


class Seen(NamedTuple):
    """Rows of a file.

    Attributes:
        rows: as they are learnt from.
        looked: whether the model looked at the page of a row.
        title: whether it sees a title there.
    """

    rows: Rows
    looked: NDArray[np.bool_]
    title: NDArray[np.bool_]


def main() -> None:
    """Print what is found with and without the vote."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of the files of files.jsonl, by SHA-256")
    parser.add_argument("--cache", type=Path, required=True, help="folder for what was read and seen")
    parser.add_argument("--files", type=int, help="only so many of the files, in the order of their SHA-256")
    chosen = parser.parse_args()
    model = packaged.model_file()
    if model is None:
        raise SystemExit(f"no layout model: {packaged.INSTALL}")
    files = sorted(listed("files.jsonl"), key=lambda file: str(file["sha256"]))[: chosen.files]
    there = places(chosen.pdfs)
    found = [seen for file in files if (path := there.get(file["sha256"][:16]))
             and (seen := _seen(path, file["source"], model, chosen.cache))]  # fmt: skip
    _judge([seen for seen in found if (seen.rows.truth >= 0).any()])


def _seen(path: Path, source: str, model: Path, cache: Path) -> Seen | None:
    return kept(cache / "votes", path, f"{path.stem}.seen", lambda: _look(path, source, model, cache))


def _look(path: Path, source: str, model: Path, cache: Path) -> Seen | None:
    found = known(path, cache / "votes", _READ)
    if found is None or not found.pages or not found.stated:
        return None
    shown = [page for page in found.pages if page.blocks]
    picked = shown[:: max(len(shown) // _LOOKED_AT, 1)][:_LOOKED_AT]
    file = open_pdf(path, None)
    try:
        Votes(model).state_regions(picked, file)
    finally:
        file.close()
    by_page = {page.number: page for page in picked}
    rows = rows_of_file(found, source, path.stem, [])
    blocks = measured(found).blocks
    looked = np.array([block.page in by_page for block in blocks], bool)
    title = [
        look and is_seen_as_title(by_page[block.page], block.box) for look, block in zip(looked, blocks, strict=True)
    ]
    return Seen(rows, looked, np.array(title, bool))


def _judge(files: Sequence[Seen]) -> None:
    odds, title, truth, source = [], [], [], []
    for fold in range(FOLDS):
        judged = [seen for seen in files if fold_of(seen.rows.source, FOLDS) == fold]
        model: Any = learn([seen.rows for seen in files if fold_of(seen.rows.source, FOLDS) != fold])
        for seen in judged:
            these = (seen.rows.truth >= 0) & seen.looked
            if these.any():
                odds.append(model.decision_function(seen.rows.values[these]))
                title.append(seen.title[these])
                truth.append(seen.rows.truth[these] == 1)
                source += [seen.rows.source] * int(these.sum())
    said, there, right, of = np.concatenate(odds), np.concatenate(title), np.concatenate(truth), np.array(source)
    print(f"{len(files)} files of {len(set(source))} sources, {len(right)} blocks, {right.sum()} headings")
    print(f"a title is seen at {there.sum()}: {right[there].mean():.2f} headings, {_share(said[there]):.2f} expected")
    print(f"at none of the others: {right[~there].mean():.3f} headings, {_share(said[~there]):.3f} expected")
    print(f"best for all: {_best(said, there, right):.2f}")
    voted = said.copy()
    for one in sorted(set(source)):
        mine = of == one
        voted[mine] += _best(said[~mine], there[~mine], right[~mine]) * there[mine]
    for name, values in (("without", said), ("with", voted)):
        chosen = values > ENOUGH
        hits = (chosen & right).sum()
        precision, recall = hits / chosen.sum(), hits / right.sum()
        f1 = 2 * hits / (chosen.sum() + right.sum())
        print(f"{name:8} P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  log loss {_loss(values, right):.4f}")
    new = (voted > ENOUGH) & (said <= ENOUGH)
    print(f"headings that come with it: {new.sum()}, of which are stated: {(new & right).sum()}")


def _best(said: NDArray[Any], there: NDArray[Any], right: NDArray[Any]) -> float:
    return float(min(_WEIGHTS, key=lambda weight: _loss(said + weight * there, right)))


def _loss(odds: NDArray[Any], right: NDArray[Any]) -> float:
    return float(np.mean(np.logaddexp(0, odds) - right * odds))


def _share(odds: NDArray[Any]) -> float:
    return float(np.mean(1 / (1 + np.exp(-odds))))


if __name__ == "__main__":
    main()
