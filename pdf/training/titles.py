"""Learn which lines of the first pages are the title of a document, from labelled first pages.

    python -m ragraph.pdf.training.titles --pdfs PDFS [--judge | --folds FOLDS]

PDFS holds the files of ``first_pages.jsonl``, and those of data sets that are labelled in bench/structure/labels, as
the first 16 digits of their SHA-256 with ``.pdf``; those that are not there are left out. The weights make a linear
model: each document is one choice among its candidates, or none of them; what the rules choose is one of the features.
With --judge they are cross-validated by repository instead, beside the rules alone and the weights alone: right is a
title that has the letters of one that is right; one that is wrong counts against it. What
``set_first_heading`` makes a title where neither finds one is not asked. With --folds a folder gets the weights that
each fold is to be judged by, for bench.structure.titles.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ragraph.pdf.headings as headings
from bench.structure.documents import stripped
from bench.structure.labels.model import first_pages
from bench.structure.strict.items import letters
from ragraph.pdf import passes
from ragraph.pdf.blocks.looks import look_of
from ragraph.pdf.headings.claims import is_open
from ragraph.pdf.headings.title import allowed, document_of, opening_pages
from ragraph.pdf.headings.titles import NAMES, choose
from ragraph.pdf.page.parse import parse_pages
from ragraph.pdf.stated import engines
from ragraph.pdf.stated.facts import open_pdf, read_facts
from ragraph.pdf.training.folds import fold_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ragraph.pdf.passes import Work

_MOST_PAGES = 25
"""Pages that are read of a file, the first ones."""
_PENALTY = 15.0
"""Of the squares of weights, each measured in the spread of its feature."""
_NEAR = 0.4
"""Minimum share of the letters of a title at which a candidate teaches as if it were all of it, if none is."""
_FOLDS = 5
_FORM = re.compile(r".*, (Form [\w-]+), .*")
"""The title that a form is given, with what is printed of it."""


class Choice(NamedTuple):
    """A document: its candidates and which of them is right.

    Attributes:
        source: its repository.
        rows: what is measured of each candidate.
        texts: of the candidates.
        first: whether they stand on the first page.
        ruled: place of what the rules choose; ``None`` for nothing.
        right: letters of the titles that are right.
        none: whether having no title is right.
        stated: whether the label is what the file states, not one by eye.
    """

    source: str
    rows: NDArray[Any]
    texts: list[str]
    first: list[bool]
    ruled: int | None
    right: set[str]
    none: bool
    stated: bool

    @property
    def taught(self) -> NDArray[Any]:
        """Which candidates are right; the nearest one, if none has all letters."""
        keys = [letters(text) for text in self.texts]
        exact = np.array([key in self.right for key in keys], bool)
        if exact.any() or not self.right or not keys:
            return exact
        near = [max(_share(key, title) for title in self.right) for key in keys]
        exact[int(np.argmax(near))] = max(near) >= _NEAR
        return exact


def main() -> None:
    """Learn, write or judge, as asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--folds", type=Path)
    asked = parser.parse_args()
    choices = list(_read(listed(), asked.pdfs))
    print(f"{len(choices)} files")
    if asked.judge:
        judge(choices)
    elif asked.folds:
        for fold in range(_FOLDS):
            write([one for one in choices if fold_of(one.source, _FOLDS) != fold], asked.folds / f"{fold}.json")
    else:
        write(choices, Path(headings.__file__).parent / "titles.json")


def listed() -> Iterator[dict[str, Any]]:
    """Yield the files that are learnt from: those of repositories, and those of data sets with their printed titles."""
    yield from map(json.loads, (Path(__file__).parent / "first_pages.jsonl").read_text(encoding="utf-8").splitlines())
    for label in first_pages():
        if label.commit is None:
            titles = [title and _FORM.sub(r"\1", title) for title in label.titles]
            yield {"source": label.group, "sha256": label.sha256, "titles": titles, "stated": False}


def choice_of(entry: dict[str, Any], work: Work) -> Choice:
    """Return a document as a choice.

    Args:
        entry: a line of ``first_pages.jsonl``.
        work: the file after the passes before headings.
    """
    looks = {id(block): look_of(block) for page in work.pages for block in page.blocks if is_open(block)}
    opening = opening_pages(work.pages, work.style)
    found = allowed(document_of(work.pages, looks, work.style, frozenset(), opening), frozenset())
    rows = np.array([one.row for one in found], float).reshape(len(found), len(NAMES))
    return Choice(
        entry["source"],
        rows,
        [one.text for one in found],
        [one.page is work.pages[0] for one in found],
        next((at for at, one in enumerate(found) if one.ruled), None),
        {letters(title) for title in entry["titles"] if title},
        None in entry["titles"],
        entry["stated"],
    )


def write(known: Sequence[Choice], target: Path) -> None:
    """Learn from all that is known, and write the weights."""
    weights, least = learn(known)
    target.parent.mkdir(parents=True, exist_ok=True)
    data = {
        "least": round(least, 4),
        "weights": dict(zip(NAMES, (round(float(one), 4) for one in weights), strict=True)),
    }
    target.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def judge(choices: Sequence[Choice]) -> None:
    """Print how many titles are right, of those that should be or are wrong, for rules, weights and both."""
    sums: list[tuple[Choice, list[float]]] = []
    for fold in range(_FOLDS):
        weights, least = learn([one for one in choices if fold_of(one.source, _FOLDS) != fold])
        for one in (one for one in choices if not one.stated and fold_of(one.source, _FOLDS) == fold):
            sums.append((one, [float(value) for value in one.rows @ weights - least]))
    rules = [score(one, one.ruled) for one, _ in sums]
    alone = [score(one, choose(odds, None, 0.0) if odds else None) for one, odds in sums]
    both = [score(one, choose(odds, one.ruled, 0.0) if odds else None) for one, odds in sums]
    for name, scores in (("rules", rules), ("weights", alone), ("both", both)):
        right, total = sum(hit for hit, _ in scores), sum(of for _, of in scores)
        print(f"{name} {right} of {total}: {right / max(total, 1):.3f}")


def learn(known: Sequence[Choice]) -> tuple[NDArray[Any], float]:
    """Return the weights of the features, and the log-odds of no title.

    The loss is that of a choice among the candidates and none of them (McFadden 1974, conditional logit).
    """
    from scipy.optimize import minimize

    rows = np.vstack([one.rows for one in known])
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    taught = [((one.rows - middle) / spread, np.append(one.taught, one.none)) for one in known]
    taught = [(scaled, right) for scaled, right in taught if right.any()]

    def loss(at: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        value, slope = 0.5 * _PENALTY * float(at[:-1] @ at[:-1]), _PENALTY * np.append(at[:-1], 0.0)
        for scaled, right in taught:
            sums = np.append(scaled @ at[:-1], at[-1])
            share = np.exp(sums - sums.max())
            share /= share.sum()
            hit = share[right].sum()
            value -= float(np.log(hit))
            off = share - np.where(right, share / hit, 0.0)
            slope[:-1] += scaled.T @ off[:-1]
            slope[-1] += off[-1]
        return value, slope

    found = minimize(loss, np.zeros(len(NAMES) + 1), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    weights = found[:-1] / spread
    return weights, float(found[-1] + weights @ middle)


def score(one: Choice, at: int | None) -> tuple[int, int]:
    """Return hits and total of a document: 1 for a title that there is, and for one on the first page that is wrong.

    Args:
        one: the document.
        at: place of the candidate that is taken; ``None`` for none.
    """
    taken = letters(one.texts[at]) if at is not None and one.first[at] else None
    wrong = taken is not None and taken not in one.right
    return (0, int(wrong)) if one.none else (int(taken in one.right), 1 + wrong)


def _share(one: str, other: str) -> float:
    """Return the share of the longer one of two texts that the other is, if it stands in it."""
    short, long = sorted((one, other), key=len)
    return len(short) / len(long) if short and short in long else 0.0


def _read(entries: Iterator[dict[str, Any]], pdfs: Path) -> Iterator[Choice]:
    before = passes.ANALYSING[: _heads()]
    with TemporaryDirectory() as folder:
        for entry in entries:
            if not (pdfs / f"{entry['sha256'][:16]}.pdf").exists():
                continue
            path = stripped(pdfs / f"{entry['sha256'][:16]}.pdf", Path(folder))
            file = open_pdf(path)
            try:
                facts = read_facts(file)
                pages = list(parse_pages(path, None, (1, min(_MOST_PAGES, facts.page_count))))
                work = passes.Work(path.name, pages, facts, file, False, engines.Rules())
                passes.run(work, (*passes.PREPARING, *passes.STATING))
            finally:
                file.close()
            passes.run(work, before)
            yield choice_of(entry, work)


def _heads() -> int:
    return next(at for at, step in enumerate(passes.ANALYSING) if step.run.__name__ == "set_headings")


if __name__ == "__main__":
    main()
