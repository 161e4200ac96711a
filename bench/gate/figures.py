"""The figures of the gate: labelled pages of the developed half by kind, and documents with the truth of their sources.

Documents are read whole, other long files around their labelled pages alone, so that all of it takes minutes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from bench.structure.documents import DOCUMENTS, states_structure, stripped
from bench.structure.labels import repositories
from bench.structure.labels.__main__ import path_of
from bench.structure.labels.model import Label, labels, pages
from bench.structure.metrics import METRICS, Ratio, Scores, score
from bench.structure.reading import reading_of
from bench.structure.strict import drafts
from bench.structure.strict.halves import develops
from bench.structure.strict.items import Read
from bench.structure.strict.report import FIGURES
from bench.structure.strict.score import score_page
from bench.structure.strict.signs import compare, printed_runs
from bench.structure.truth import truth_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from bench.structure.documents import Document
    from bench.structure.labels import Page
    from ragraph.ingest.draft import Draft

FORMS = ("stripped", "as is")
LONG, AROUND = 60, 6
"""Files of more pages than the first are read around each labelled page: so many pages before and behind it."""
LABELLED, WHOLE = "labelled", "documents"
"""The sets of pages with all their labels, and of documents with the truth of their sources."""
HEADINGS = {"headings": "again", "repositories": "repositories", "leaflets": "leaflets"}
"""Further sets, of pages with labels of titles and headings alone, and what they are called where the labels are."""

Figures = dict[str, dict[str, float]]
"""The figures by name, by "set/form/kind, source" or "set/form/document"; "counted" is the number of pages."""


@dataclass(frozen=True)
class Places:
    """Where the files are: of the project's data, of its lists in the wild, of public repositories; and the cache."""

    data: Path
    wild: Path
    repositories: Path | None
    cache: Path


@dataclass(frozen=True)
class Job:
    """A file to read in one form, and what of it is measured.

    Attributes:
        set: one of the sets.
        form: one of ``FORMS``.
        path: of the file as it is.
        window: first and last page to read; None = all.
        pages: the labelled ones that are measured.
        document: the document, of the set ``WHOLE``.
    """

    set: str
    form: str
    path: Path
    window: tuple[int, int] | None = None
    pages: tuple[Page, ...] = ()
    document: Document | None = None


def jobs(places: Places) -> tuple[list[Job], list[str]]:
    """Return what is to be read, the longest first, and the names of files that are not there."""
    found: list[Job] = []
    lost: set[str] = set()
    for document in (document for document in DOCUMENTS if not document.held_out):
        paths = document.files(places.data)
        lost |= set() if paths else {document.paths[0]}
        found += [Job(WHOLE, form, path, document=document) for path in paths for form in FORMS]
    sets = [(LABELLED, pages(), places.wild)]
    for name, called in HEADINGS.items():
        folder = places.wild if name == "headings" else places.repositories
        sets += [(name, repositories.pages(called), folder)] if folder else []
    for name, wanted, folder in sets:
        by_file: dict[Path, list[Page]] = defaultdict(list)
        for page in wanted:
            if develops(page.source, page.file):
                by_file[path_of(page, places.data, folder)].append(page)
        for path, of_file in by_file.items():
            if not path.exists():
                lost.add(path.name)
                continue
            forms = FORMS if states_structure(path) else FORMS[:1]
            found += [job for form in forms for job in _parts(name, form, path, of_file)]
    return found, sorted(lost)


def expected(wanted: Sequence[Job]) -> Counter[str]:
    """Return how many pages, or documents, of jobs count under each key."""
    return Counter(key for job in wanted for key in _keys(job))


def _keys(job: Job) -> list[str]:
    """Return the key of each page; by source too, since the files of one source are there or not."""
    if job.document is not None:
        return [f"{job.set}/{job.form}/{job.document.name}"]
    return [f"{job.set}/{job.form}/{page.kind}, {page.source}" for page in job.pages]


def _parts(name: str, form: str, path: Path, of_file: Sequence[Page]) -> Iterator[Job]:
    count = _count(path)
    if count <= LONG or of_file[0].source == "books":
        yield Job(name, form, path, None, tuple(of_file))
        return
    for page in of_file:
        yield Job(name, form, path, (max(page.page - AROUND, 1), min(page.page + AROUND, count)), (page,))


@lru_cache
def _count(path: Path) -> int:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        return len(pdf)


def measure(places: Places, wanted: Sequence[Job], processes: int = 2) -> Figures:
    """Return the figures of jobs, pooled by key.

    Args:
        places: where the files are.
        wanted: of ``jobs``.
        processes: that read side by side.
    """
    by_file: dict[tuple[Path, str], list[Job]] = defaultdict(list)
    for job in wanted:
        by_file[job.path, job.form].append(job)
    groups = sorted(by_file.values(), key=lambda group: -group[0].path.stat().st_size)
    with ProcessPoolExecutor(processes, get_context("forkserver")) as pool:
        return pooled(line for lines in pool.map(partial(_measured, places), groups) for line in lines)


def pooled(lines: Iterable[tuple[str, Scores]]) -> Figures:
    """Return the figures of scores, by their keys."""
    of_key: dict[str, Scores] = defaultdict(Scores)
    counted: dict[str, int] = defaultdict(int)
    for key, scores in lines:
        of_key[key].add(scores)
        counted[key] += 1
    return {key: _figures(key, scores, counted[key]) for key, scores in sorted(of_key.items())}


def _figures(key: str, scores: Scores, counted: int) -> dict[str, float]:
    names = METRICS if key.startswith(WHOLE) else FIGURES
    values = {name: scores.value(name) for name in names}
    return {"counted": counted, **{name: round(value, 4) for name, value in values.items() if value is not None}}


def _measured(places: Places, group: Sequence[Job]) -> list[tuple[str, Scores]]:
    """Return the scores of each page, or document, of jobs on one file, by the key of ``Figures``."""
    lines: list[tuple[str, Scores]] = []
    for job in group:
        file = job.path if job.form == "as is" else stripped(job.path, places.cache)
        if job.document is not None:
            lines += of_draft(places, job, *drafts.draft_of(file, places.cache))
        else:
            lines += _of_pages(job, drafts.read(file, places.cache, window=job.window))
    return lines


def of_draft(places: Places, job: Job, draft: Draft, seconds: float) -> list[tuple[str, Scores]]:
    """Return the scores of each page, or of the document, of a job whose file is read, by the key of ``Figures``."""
    if job.document is None:
        return _of_pages(job, drafts.read_of(draft, seconds))
    truth = truth_of(job.document, job.path, places.data)
    scores = score(reading_of(draft, None, seconds), truth, job.document.title)
    return [(key, scores) for key in _keys(job)]


def _of_pages(job: Job, found: Read) -> list[tuple[str, Scores]]:
    return [*zip(_keys(job), [_of_page(job, page, found) for page in job.pages], strict=True)]


def _of_page(job: Job, page: Page, found: Read) -> Scores:
    """Return the scores of a labelled page."""
    scores = Scores()
    items = found.on(page.page)
    if job.set in HEADINGS:
        scores.ratios = score_page(
            _headings(job.set)[page.number], page.page, items, replace(found.notions, blocks=False)
        )
        return scores
    scores.ratios = score_page(_labels()[page.number], page.page, items, found.notions)
    changed = compare(printed_runs(job.path, [page.page])[page.page], items, page.page)
    if changed.total:
        wrong = changed.lost.total() + changed.added.total()
        scores.ratios["digits"] = Ratio(changed.total - changed.lost.total(), changed.total)
        scores.ratios["intact"] = Ratio(not wrong, 1)
    return scores


@lru_cache(maxsize=1)
def _labels() -> dict[str, Label]:
    return labels()


@lru_cache
def _headings(name: str) -> dict[str, Label]:
    return repositories.labels(HEADINGS[name])
