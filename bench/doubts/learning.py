"""Learn how likely a fault is in a page and in a table, and judge it on files that it was not learnt from.

    RAGRAPH_DATA=../shared/data python -m bench.doubts --measure [--wild WILD] [--articles DIR]
    python -m bench.doubts            # learn from pages.jsonl, write the weights
    python -m bench.doubts --judge    # cross-validate by file, write nothing

``--measure`` reads pages of which the truth is known and writes ``pages.jsonl``: of each its set, file and page,
whether it has a fault, and its signs (``pdf/doubts/signs.py``); of each table likewise. Where files of a set are not
there, its lines stay as they were. The sets are pages labelled by eye, the golden library, and printed articles
(``bench.doubts.articles``).
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ragraph.pdf.doubts as place
from bench.doubts.articles import SCANNED
from bench.doubts.compared import faults_of
from bench.gate import truths
from bench.structure.documents import states_structure, stripped
from bench.structure.labels.__main__ import path_of
from bench.structure.labels.model import labels, pages
from bench.structure.strict import drafts
from bench.structure.strict.halves import develops
from bench.structure.strict.score import score_page
from bench.structure.strict.signs import compare, printed_runs
from bench.structure.strict.tables import laid_on
from ragraph.ingest.draft import clean_text
from ragraph.ingest.readers.pdf.drafting import make_draft
from ragraph.pdf.analysis import analyse
from ragraph.pdf.doubts.signs import PAGE, TABLE
from ragraph.pdf.model import Kind
from ragraph.pdf.text import grid_text
from ragraph.pdf.training.folds import fold_of
from ragraph.pdf.training.reading import CACHE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from bench.structure.labels import Page
    from ragraph.ingest.draft import Draft
    from ragraph.pdf.work import Work

DATA = Path(__file__).parent / "pages.jsonl"
LABELLED, GOLDEN, ARTICLES = "labelled", "golden", "articles"
FOLDS = 10
"""Parts of the files, of which each is judged by what the others teach."""
_NOT_READ = {"P", "levels", "parents", "TEDS"}
"""Figures of a page that say nothing that others do not say."""
_PENALTY = 0.1
"""Weight of the squares of the weights, for each page that is learnt from."""
_OF_BOOK = {
    "dl_nist_sp_800_207.pdf": "NIST.SP.800-207.pdf",
    "book.pdf": "41568-pdf.pdf",
    "handbook.pdf": "Data-for-Development-Impact.pdf",
    "report.pdf": "mueller-report-vol-2.pdf",
}
"""Golden documents that are made of labelled ones, which are on the same side."""
_INNER = 7
"""Parts of the files learnt from, by which the odds are stretched."""
_STEPS = 50
"""Steps of Newton's at most."""


class Row(NamedTuple):
    """A page, or a table, of which is known whether it has a fault.

    Attributes:
        of: "page" or "table".
        set: one of the sets.
        file: name of the file; its rows are on one side when it is judged.
        page: its number.
        fault: whether a fault is in it.
        signs: of ``pdf/doubts/signs.py``.
    """

    of: str
    set: str
    file: str
    page: int
    fault: bool
    signs: list[float]


def main() -> None:
    """Measure, learn, or judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="read the pages anew")
    parser.add_argument("--wild", type=Path, help="folder of the files of the lists in $RAGRAPH_DATA/wild")
    parser.add_argument("--articles", type=Path, help="folder of printed articles")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder for stripped files")
    parser.add_argument("--judge", action="store_true", help="cross-validate by file")
    chosen = parser.parse_args()
    if chosen.measure:
        data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
        found = [*_labelled(data, chosen.wild or data / "wild", chosen.cache), *_golden()]
        found += _articles(chosen.articles) if chosen.articles else []
        new = {(row.set, row.file) for row in found}
        kept = [row for row in rows() if (row.set, row.file) not in new] if DATA.exists() else []
        write(sorted([*kept, *found], key=lambda row: row[:4]))
        return
    if chosen.judge:
        judge(rows())
        return
    target = Path(place.__file__).parent / "weights.json"
    target.write_text(weights_of(rows()), encoding="utf-8")
    print(f"{target}: {target.stat().st_size} bytes")


def rows() -> list[Row]:
    """Return the pages and tables that were measured."""
    return [Row(**json.loads(line)) for line in DATA.read_text(encoding="utf-8").splitlines()]


def write(found: Sequence[Row]) -> None:
    """Write pages and tables to ``pages.jsonl``, one a line."""
    lines = [json.dumps(row._asdict() | {"signs": [round(sign, 2) or 0 for sign in row.signs]}) for row in found]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")


# ---- the sets


def _read(path: Path) -> tuple[Work, Draft]:
    work = analyse(path, layout="rules")
    return work, make_draft("pdf", work.pages, work.facts, work.marks, work.vocabulary, work.warnings, work.made_by)


def _labelled(data: Path, wild: Path, cache: Path) -> Iterator[Row]:
    """Yield the pages labelled by eye of the half that is developed on, as their files are and stripped."""
    of_file: dict[Path, list[Page]] = defaultdict(list)
    for page in pages():
        path = path_of(page, data, wild)
        if develops(page.source, page.file) and path.exists():
            of_file[path].append(page)
    known = labels()
    for path, wanted in of_file.items():
        for file in [stripped(path, cache), *([path] if states_structure(path) else [])]:
            work, draft = _read(file)
            read = drafts.read_of(draft, 0.0)
            signs_of = _table_signs(work)
            texts = [node.text for node in draft.nodes if node.type.value == "TABLE"]
            of_item = zip((item for item in read.items if item.type == "TABLE"), texts, strict=True)
            tables = {id(item): signs_of[text] for item, text in of_item if text in signs_of}
            for page in wanted:
                items = read.on(page.page)
                label = known[page.number]
                figures = score_page(label, page.page, items, read.notions)
                changed = compare(printed_runs(path, [page.page])[page.page], items, page.page)
                wrong = any(ratio.hits < ratio.total for name, ratio in figures.items() if name not in _NOT_READ)
                wrong |= bool(changed.lost.total() + changed.added.total())
                signs = next(one.signs for one in work.pages if one.number == page.page)
                yield Row("page", LABELLED, path.name, page.page, wrong, signs)
                right = {id(made.item): all(made.is_right(row) for row in range(len(truth.grid)))
                         for truth, made in laid_on(label.blocks, items) if made is not None}  # fmt: skip
                for item in (item for item in items if item.type == "TABLE"):
                    if id(item) in tables:
                        yield Row("table", LABELLED, path.name, page.page, not right.get(id(item)), tables[id(item)])


def _golden() -> Iterator[Row]:
    """Yield the pages of the golden library, whose known faults stand in the truth files."""
    for truth in truths.truths():
        path = truths.document_of(truth)
        if path.suffix != ".pdf":
            continue
        entries = truths.entries(truth.read_text(encoding="utf-8"))
        wrong = set().union(*(_pages_of(lines) for lines in _differing(entries)))
        work, draft = _read(path)
        for page in work.pages:
            yield Row("page", GOLDEN, path.name, page.number, page.number in wrong, page.signs)
        right = {line.strip()[2:] for line in truths.right(entries) if line.lstrip().startswith(("|", "="))}
        signs_of = _table_signs(work)
        for node in draft.nodes:
            if node.type.value == "TABLE" and node.text in signs_of:
                rows = [" | ".join(map(_cut, row)).strip() for row in node.data["cells"]]
                number = node.positions[0].page_pdf
                yield Row("table", GOLDEN, path.name, number, not right.issuperset(rows), signs_of[node.text])


def _cut(text: str) -> str:
    """Return a cell as the truth files have it: the first and last five words of more than twelve."""
    words = text.replace("*", "").split()
    return " ".join(words if len(words) <= 12 else [*words[:5], "…", *words[-5:]])


def _differing(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines, with pages, that are right and not given, or given and not right."""
    every = [_paged(truths.right(lines)), _paged(truths.expected(lines))]
    right, ours = (Counter(text for _, text in found) for found in every)
    for found, lost in zip(every, (right - ours, ours - right), strict=True):
        yield [f"{page} {text}" for page, text in found if text in lost]


def _paged(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the page and the text of each line but those of parts without a title; rows have that of their table."""
    found, last = [], "1"
    for line in lines:
        head, colon, text = line.strip().partition(": ")
        kind, *at = head.split()[:2] or [""]
        if at and at[0].replace("-", "").isdigit() and not line.strip().startswith(("|", "=", "<-")):
            last = at[0]
            if colon or kind in {"TABLE", "FIGURE"}:
                found.append((last, f"{kind} {text}"))
        elif kind not in {"printed", "authors"}:
            found.append((last, line.strip()))
    return found


def _pages_of(lines: Sequence[str]) -> set[int]:
    return {int(line.split()[0].split("-")[0]) for line in lines}


def _articles(folder: Path) -> Iterator[Row]:
    """Yield the pages of printed articles, and of scans of them, which are of the same file when it is judged."""
    for path in sorted(folder.glob("*.pdf")):
        printed = path.with_stem(path.stem.removesuffix(SCANNED))
        work, draft = _read(path)
        truth = json.loads(printed.with_suffix(".json").read_text(encoding="utf-8"))
        tables = _table_signs(work)
        wrong, of_table = faults_of(draft, truth, printed)
        for page in work.pages:
            yield Row("page", ARTICLES, path.name, page.number, page.number in wrong, page.signs)
        for number, text, fault in of_table:
            if text in tables and number <= len(work.pages):
                yield Row("table", ARTICLES, path.name, number, fault, tables[text])


def _table_signs(work: Work) -> dict[str, list[float]]:
    """Return the signs of the tables of a file by their text."""
    return {
        clean_text(grid_text(block.grid, work.vocabulary, set())[1]): block.signs
        for page in work.pages
        for block in page.blocks
        if block.kind is Kind.TABLE and block.grid is not None
    }


# ---- learning and judging


def weights_of(found: Sequence[Row]) -> str:
    """Return the content of ``weights.json`` that pages and tables teach."""
    parts = {}
    for of, names in (("page", PAGE), ("table", TABLE)):
        learnt = _learn([row for row in found if row.of == of])
        lists = {name: [round(float(one), 4) for one in getattr(learnt, name)] for name in ("mean", "scale", "weight")}
        parts[of] = {"names": list(names), **lists, "bias": round(learnt.bias, 4)}
    return json.dumps(parts, indent=1) + "\n"


class Fitted(NamedTuple):
    mean: NDArray[Any]
    scale: NDArray[Any]
    weight: NDArray[Any]
    bias: float

    def odds(self, found: Sequence[Row]) -> NDArray[Any]:
        signs = np.array([row.signs for row in found])
        return np.asarray((signs - self.mean) / self.scale @ self.weight + self.bias)


def _learn(found: Sequence[Row]) -> Fitted:
    """Return a logistic regression whose odds are stretched so that they are right on files not learnt from (Platt)."""
    learnt = fitted(found)
    odds = unseen(found, fitted, _INNER)
    truth = np.array([row.fault for row in found], float)
    slope, shift = _logistic(np.column_stack([odds, np.ones(len(found))]), truth, _weights(found), np.zeros(2))
    return learnt._replace(weight=slope * learnt.weight, bias=float(slope * learnt.bias + shift))


def fitted(found: Sequence[Row]) -> Fitted:
    """Return a logistic regression with a penalty on signs in standard deviations."""
    signs = np.array([row.signs for row in found])
    truth = np.array([row.fault for row in found], float)
    mean, deviation = signs.mean(axis=0), signs.std(axis=0)
    scale = np.where(deviation > 1e-9, deviation, 1.0)
    values = np.column_stack([(signs - mean) / scale, np.ones(len(found))])
    penalty = np.append(np.full(signs.shape[1], _PENALTY * len(found)), 0.0)
    weight = _logistic(values, truth, _weights(found), penalty)
    return Fitted(mean, scale, weight[:-1], float(weight[-1]))


def _weights(found: Sequence[Row]) -> NDArray[Any]:
    """Return how much each row counts: a file as the square root of its rows, so that long ones do not decide alone.

    Tables of printed articles are harder than most, so the few seen by eye count as much as all of these.
    """
    counts = Counter(row.file for row in found)
    weight = np.array([counts[row.file] ** -0.5 for row in found])
    printed = np.array([row.set == ARTICLES for row in found])
    if found[0].of == "table" and 0 < printed.sum() < len(found):
        weight[~printed] *= weight[printed].sum() / weight[~printed].sum()
    return np.asarray(weight * len(found) / weight.sum())


def _logistic(values: NDArray[Any], truth: NDArray[Any], weight: NDArray[Any], penalty: NDArray[Any]) -> NDArray[Any]:
    """Return the weights of the columns of values, by Newton's steps."""
    found = np.zeros(values.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-values @ found))
        slope = values.T @ (weight * (chance - truth)) + penalty * found
        curve = (values * (weight * chance * (1 - chance))[:, None]).T @ values + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-9:
            break
    return found


def _document(file: str) -> str:
    return _OF_BOOK.get(file, file.replace(f"{SCANNED}.pdf", ".pdf"))


def unseen(found: Sequence[Row], learn: Callable[[Sequence[Row]], Fitted], folds: int) -> NDArray[Any]:
    """Return the log-odds of each row by what the rows of other files teach."""
    odds = np.zeros(len(found))
    part = np.array([fold_of(_document(row.file), folds) for row in found])
    for fold in set(part.tolist()):
        inside = np.flatnonzero(part == fold)
        odds[inside] = learn([row for row, own in zip(found, part, strict=True) if own != fold]).odds(
            [row for row, own in zip(found, part, strict=True) if own == fold]
        )
    return odds


def judge(found: Sequence[Row]) -> None:
    """Print AUC and calibration on files that were not learnt from, over all and by set."""
    for of in ("page", "table"):
        these = [row for row in found if row.of == of]
        if not these:
            continue
        chance = 1 / (1 + np.exp(-unseen(these, _learn, FOLDS)))
        truth = np.array([row.fault for row in these], float)
        sets = {"all": np.ones(len(these), bool)}
        sets |= {name: np.array([row.set == name for row in these], bool) for name in (LABELLED, GOLDEN, ARTICLES)}
        sets["by eye"] = sets[LABELLED] | sets[GOLDEN]
        for name, chosen in sets.items():
            if chosen.any() and 0 < truth[chosen].mean() < 1:
                print(_line(f"{of}, {name}", truth[chosen], chance[chosen]))


def _line(name: str, truth: NDArray[Any], chance: NDArray[Any]) -> str:
    order = np.argsort(chance, kind="stable")
    fifths = [f"{chance[part].mean():.2f}/{truth[part].mean():.2f}" for part in np.array_split(order, 5)]
    worst = truth[order[-max(len(order) // 10, 1) :]].mean()
    return (f"{name:16} {len(truth):5} with {truth.mean():.2f} faults  AUC {auc(truth, chance):.3f}  "
            f"worst tenth {worst:.2f}  said/true by fifths {' '.join(fifths)}")  # fmt: skip


def auc(truth: NDArray[Any], chance: NDArray[Any]) -> float:
    """Return how often one with a fault gets more than one without, ties half."""
    with_fault, without = chance[truth == 1], chance[truth == 0]
    more = (with_fault[:, None] > without[None, :]).mean()
    return float(more + (with_fault[:, None] == without[None, :]).mean() / 2)
