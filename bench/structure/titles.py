"""Titles, authors and dates of documents against what their first pages say, labelled by eye.

    RAGRAPH_DATA=DATA python -m bench.structure.titles --wild WILD [--repositories PDFS] [--weights FOLDS]
        [--show titles|authors|dates] [PART ...]

The labels are bench/structure/labels/first_pages.jsonl. WILD holds the files of the lists in DATA/wild, PDFS those of
repositories as the first 16 digits of their SHA-256 with .pdf. Files that are not there are left out. PART limits the
run to files with that in their path.

Weights of titles are learnt from the same labels. FOLDS holds the weights that the other folds teach, from
``python -m ragraph.pdf.training.titles --folds FOLDS``: each file is then read with weights that know none of its
group.

A title is right if all its letters are those of a label, that of a contract with its parties; "printed" takes it
without them too. Where no title is right, none must be given. Authors are right if all of them are given and nobody
else; the order of the words of a name does not count, nor do degrees and titles of persons. A date is right as far as
it is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.labels.__main__ import path_of
from bench.structure.labels.model import FirstPage, first_pages
from bench.structure.strict import drafts
from bench.structure.strict.items import letters
from ragraph.errors import IngestError
from ragraph.pdf.headings import titles as weighing
from ragraph.pdf.training.folds import fold_of

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGES = 10
"""Pages that are read of each file, the first ones."""
_TITLES = {"dr", "prof", "professor", "ing", "mr", "mrs", "ms", "md", "phd"}
"""Degrees and titles of persons, which are no part of their names."""


class Found(NamedTuple):
    """What the reader says of a file."""

    title: str
    authors: list[str]
    date: str


class Score(NamedTuple):
    """What is right of a file; ``None`` for what is not asked of it.

    Attributes:
        title: whether the title is right.
        printed: whether it is right as it is printed.
        named: whether the authors are right, where the page names some.
        nobody: whether there are none, where it names none.
        wrong: number of names that are no author's.
        date: whether the date is right, where one is printed.
    """

    title: bool
    printed: bool
    named: bool | None
    nobody: bool | None
    wrong: int
    date: bool | None


def main() -> None:
    """Print the figures of each kind of file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--wild", type=Path, default=Path(os.environ.get("RAGRAPH_WILD", "wild")))
    parser.add_argument("--repositories", type=Path, metavar="PDFS", default=Path("repositories"))
    parser.add_argument("--weights", type=Path, metavar="FOLDS", help="folder of the weights of folds")
    parser.add_argument("--show", choices=("titles", "authors", "dates"), action="append", default=[])
    parser.add_argument("--processes", type=int, default=2, help="number of processes that read files")
    asked = parser.parse_args()
    data = Path(os.environ["RAGRAPH_DATA"])
    files: list[tuple[FirstPage, Path]] = []
    for label in first_pages():
        path = path_of(label, data, asked.repositories if label.commit else asked.wild)
        if path.exists() and (not asked.parts or any(part in str(path) + label.file for part in asked.parts)):
            files.append((label, path))
    read = partial(_read, asked.weights)
    with ProcessPoolExecutor(asked.processes, get_context("forkserver")) as pool:
        found = list(pool.map(read, files))
    by_kind: dict[str, list[Score]] = defaultdict(list)
    for (label, _), one in zip(files, found, strict=True):
        score = score_of(label, one)
        by_kind[kind_of(label)].append(score)
        by_kind["all"].append(score)
        _show(label, one, score, asked.show)
    for line in table(by_kind):
        print(line)


def kind_of(label: FirstPage) -> str:
    """Return the kind of a file: form, contract, other of the lists, or of a repository."""
    if any(title and re.search(r", Form \d", title) for title in label.titles):
        return "forms"
    return "contracts" if label.source == "cuad" else "repositories" if label.commit else "others"


def score_of(label: FirstPage, found: Found) -> Score:
    """Return what is right of a file."""
    title = letters(found.title)
    right, printed = ({letters(one or "") for one in titles} for titles in (label.composed, label.titles))
    wanted, doubtful = ({_name(one) for one in names} for names in (label.authors, label.doubtful))
    given = {_name(one) for one in found.authors}
    named = given - doubtful == wanted
    return Score(
        title in right,
        title in right | printed,
        named if wanted else None,
        None if wanted else named,
        len(given - doubtful - wanted),
        found.date.startswith(label.date) if label.date else None,
    )


def _name(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold())) - _TITLES


def table(by_kind: dict[str, list[Score]]) -> Iterable[str]:
    """Yield the lines of a table in Markdown."""
    yield "| kind | files | titles | printed | authors named | nobody named | names wrong | dates |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for kind in ("forms", "contracts", "others", "repositories", "all"):
        scores = by_kind.get(kind)
        if scores:
            shares = (
                _share(one.title for one in scores),
                _share(one.printed for one in scores),
                _share(one.named for one in scores),
                _share(one.nobody for one in scores),
                str(sum(one.wrong for one in scores)),
                _share(one.date for one in scores),
            )
            yield f"| {kind} | {len(scores)} | {' | '.join(shares)} |"


def _share(values: Iterable[bool | None]) -> str:
    asked = [value for value in values if value is not None]
    return f"{sum(asked) / len(asked):.3f} of {len(asked)}" if asked else "-"


def _read(weights: Path | None, job: tuple[FirstPage, Path]) -> Found:
    label, path = job
    cache = Path(os.environ.get("RAGRAPH_BENCH_CACHE", Path(tempfile.gettempdir()) / "ragraph-bench"))
    if weights is not None:
        count = len(list(weights.glob("*.json")))
        fold = fold_of(label.group, count)
        cache /= f"titles-{fold}-of-{count}"
        data = json.loads((weights / f"{fold}.json").read_text(encoding="utf-8"))
        learnt = tuple(data["weights"].values()), data["least"]
        weighing.read_weights = lambda: learnt  # type: ignore[assignment]
    try:
        draft, seconds = drafts.draft_of(path, cache, window=(1, min(PAGES, _count(path))))
    except IngestError:
        return Found("", [], "")
    date = draft.metadata.publication_date
    return Found(drafts.read_of(draft, seconds).title or "", draft.metadata.authors, date.isoformat() if date else "")


def _count(path: Path) -> int:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        return len(pdf)


def _show(label: FirstPage, found: Found, score: Score, what: list[str]) -> None:
    if "titles" in what and not score.title:
        print(f"{label.file}: {found.title!r}, not {label.composed}")
    if "authors" in what and False in (score.named, score.nobody):
        print(f"{label.file}: {found.authors}, not {label.authors}")
    if "dates" in what and score.date is False:
        print(f"{label.file}: {found.date}, not {label.date}")


if __name__ == "__main__":
    main()
