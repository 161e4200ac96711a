"""The strict measure: ragraph and others on the pages labelled by eye, by kind, as the files are and stripped.

    RAGRAPH_DATA=../shared/data python -m bench.structure.strict --wild WILD [--half develop|held-out|both] [NNN ...]
        [--repositories PDFS [--set leaflets|again|fresh]] [--form FORM] [--kind KIND] [--layout rules|model]
        [--readers NAME ...] [--misses] [--json FILE] [--write FILE]

ragraph reads the complete file, and the labelled page is compared. pymupdf4llm reads only that page, opendataloader-pdf
all pages. PageIndex is slow, so for a file longer than 60 pages it reads the labelled page with ten on either side,
stripped, because it uses the layout alone.

--repositories measures the pages of public repositories instead, of which only titles and headings are labelled. PDFS
has their files, named by the first 16 digits of their SHA-256 with .pdf. --set leaflets uses another set of such pages,
of brochures and manuals, a third of which is held out. --set again uses further pages of the files of --wild, whose
folder --repositories then names.

Single pages are shown (--misses) only for the half that rules are made on; for the other half there are only sums.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.documents import states_structure, stripped
from bench.structure.labels import repositories
from bench.structure.labels.__main__ import path_of
from bench.structure.labels.model import Label, labels, pages, titles
from bench.structure.metrics import Ratio
from bench.structure.peers import Peers, install_command
from bench.structure.strict import drafts
from bench.structure.strict.halves import develops
from bench.structure.strict.items import Read, letters
from bench.structure.strict.misses import heading_misses, misses
from bench.structure.strict.peers import NAMES, read_of
from bench.structure.strict.report import PageLine, header, lines_of, read_json, shown, write_json, write_markdown
from bench.structure.strict.score import score_page
from bench.structure.strict.signs import Run, compare, printed_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.structure.labels import Page

READERS = ("ragraph", *NAMES)
FORMS = ("stripped", "as is")
LAYOUTS = ("rules", "model")
HALVES = {"develop": ("developed on",), "held-out": ("held out",), "both": ("developed on", "held out")}
_LONG, _AROUND = 60, 10
"""PageIndex reads an excerpt of files with more pages than the first number: the second number on either side."""


def main() -> int:
    """Print the tables; return 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", help="numbers of labelled pages; default all of the half")
    parser.add_argument("--wild", type=Path, help="folder of the files of the lists in $RAGRAPH_DATA/wild")
    parser.add_argument("--repositories", type=Path, help="folder of the files of public repositories")
    parser.add_argument("--set", choices=list(repositories.SETS), default="repositories", help="set of these files")
    parser.add_argument("--half", choices=HALVES, default="develop")
    parser.add_argument("--form", choices=FORMS, help="only the files as they are, or only stripped")
    parser.add_argument("--kind", help="only this kind of document")
    parser.add_argument("--layout", choices=LAYOUTS, default=LAYOUTS[0], help="how ragraph finds the structure")
    parser.add_argument("--misses", action="store_true", help="list ragraph's errors, for the half developed on")
    parser.add_argument("--readers", nargs="+", choices=READERS, default=[READERS[0]], help="default only ragraph")
    parser.add_argument("--json", type=Path, help="write the figures of each page to this file")
    parser.add_argument("--merge", nargs="+", default=[], type=Path, help="add the lines that --json wrote")
    parser.add_argument("--write", type=Path, help="write the tables into this Markdown file, between its marks")
    chosen = parser.parse_args()
    data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
    wild = chosen.repositories or chosen.wild or data / "wild"
    wanted = [
        page
        for page in (repositories.pages(chosen.set) if chosen.repositories else pages())
        if half_of(page) in HALVES[chosen.half]
        and (not chosen.numbers or page.number in chosen.numbers)
        and chosen.kind in {None, page.kind}
    ]
    lost = {page.file for page in wanted if not path_of(page, data, wild).exists()}
    if lost:
        sys.exit(
            f"{len(lost)} files are not there, {min(lost)} among them: say --wild DIR; labels/README.md says which"
        )
    cache = Path(os.environ.get("RAGRAPH_BENCH_CACHE", Path(tempfile.gettempdir()) / "ragraph-bench"))
    python = Path(os.environ.get("RAGRAPH_BENCH_PEERS", ".venv-peers")) / "bin" / "python"
    if set(chosen.readers) & set(NAMES) and not python.exists():
        print(f"peers are taken from {cache} where they were run before; to run them: {install_command(python)}")
    headings = repositories.labels(chosen.set) if chosen.repositories else {}
    bench = _Bench(data, wild, cache, Peers(python, cache), chosen.readers, headings, chosen.misses, chosen.layout)
    lines: list[PageLine] = [line for path in chosen.merge for line in read_json(path)]
    for form in [chosen.form] if chosen.form else FORMS:
        lines += bench.lines(wanted, form)
    for half in HALVES[chosen.half]:
        print(f"\n{half}\n{header()}")
        for line in lines_of([page for page in lines if page.half == half]):
            print(shown(line))
    if chosen.json:
        write_json(lines, chosen.json)
    if chosen.write:
        write_markdown(lines, chosen.write)
    return 0


def half_of(page: Page) -> str:
    """Return the half of a page."""
    return "developed on" if develops(page.source, page.file) else "held out"


class _Job(NamedTuple):
    """The input of a peer for some labelled pages: a file, the number of its first page in the whole, and its pages."""

    file: Path
    first: int
    pages: list[int] | None
    of_file: Sequence[Page]


class _Bench:
    """Reads files with every reader and compares their labelled pages."""

    def __init__(
        self,
        data: Path,
        wild: Path,
        cache: Path,
        peers: Peers,
        readers: Sequence[str],
        headings: dict[str, Label],
        show: bool,
        layout: str,
    ) -> None:
        self.data, self.wild, self.cache, self.peers = data, wild, cache, peers
        self.readers, self.show, self.layout = readers, show, layout
        self.labels = labels()
        self.headings = headings
        self.titles = titles()

    def lines(self, wanted: Sequence[Page], form: str) -> Iterator[PageLine]:
        """Yield a line for each page and reader."""
        by_file: dict[Path, list[Page]] = {}
        for page in wanted:
            by_file.setdefault(path_of(page, self.data, self.wild), []).append(page)
        for path, of_file in by_file.items() if "ragraph" in self.readers else ():
            file = self._file(path, form)
            found = drafts.read(file, self.cache, self.layout)
            yield from self._lines(of_file, form, "ragraph", found)
            print(f"{path.name} {form} {found.seconds:.0f} s", file=sys.stderr, flush=True)
        yield from self._peers(by_file, form)

    def _file(self, path: Path, form: str) -> Path:
        """Return the file to read: the stripped copy also as it is, if there is nothing to remove."""
        return path if form == "as is" and states_structure(path) else stripped(path, self.cache)

    def _lines(self, of_file: Sequence[Page], form: str, reader: str, found: Read) -> Iterator[PageLine]:
        for page in of_file:
            line = self._line(page, form, reader, found)
            if page is of_file[0] and not self.headings and found.title is not None:
                line.scores.ratios["named"] = Ratio(self._is_named(page, found.title, reader), 1)
            yield line

    def _line(self, page: Page, form: str, reader: str, found: Read) -> PageLine:
        line = PageLine(page.number, page.file, page.kind, half_of(page), form, reader, failed=found.failed)
        items = found.on(page.page)
        if self.headings:
            label = self.headings[page.number]
            line.scores.ratios = score_page(label, page.page, items, replace(found.notions, blocks=False))
            if self.show and reader == "ragraph" and line.half == "developed on":
                print(f"\n{page.number} {page.kind}, {page.file} page {page.page}, {form}")
                for text in heading_misses(label, page.page, items):
                    print(f"    {text}")
            return line
        line.scores.ratios = score_page(self.labels[page.number], page.page, items, found.notions)
        if found.notions.blocks:
            changed = compare(self._printed(page), items, page.page)
            wrong = changed.lost.total() + changed.added.total()
            if changed.total:
                line.scores.ratios["digits"] = Ratio(changed.total - changed.lost.total(), changed.total)
                line.scores.ratios["intact"] = Ratio(not wrong, 1)
            if self.show and reader == "ragraph" and line.half == "developed on":
                print(f"\n{page.number} {page.kind}, {page.file} page {page.page}, {form}")
                for text in misses(self.labels[page.number], page.page, items, changed):
                    print(f"    {text}")
        return line

    def _printed(self, page: Page) -> list[Run]:
        path = path_of(page, self.data, self.wild)
        return printed_runs(path, [page.page])[page.page]

    def _is_named(self, page: Page, title: str, reader: str) -> bool:
        right = letters(title) in {letters(other) for other in self.titles[page.source, page.file]}
        if self.show and reader == "ragraph" and not right and half_of(page) == "developed on":
            print(f"\n{page.file} is titled {title!r}")
        return right

    def _jobs(self, peer: str, file: Path, of_file: Sequence[Page], form: str) -> list[_Job]:
        """Return the jobs of a peer for a file; empty if it would not be scored."""
        if peer != "pageindex":
            pages = [page.page for page in of_file]
            return [_Job(file, 1, sorted(pages) if peer == "pymupdf4llm" else None, of_file)]
        if form == "as is":
            return []
        return [_Job(*_excerpt(file, page.page, self.cache), None, [page]) for page in of_file]

    def _peers(self, by_file: dict[Path, list[Page]], form: str) -> Iterator[PageLine]:
        """Yield the lines of the peers; each is run in one process on files without a cached result."""
        tagged = form == "as is"
        files = {path: self._file(path, form) for path in by_file}
        for peer in (name for name in NAMES if name in self.readers):
            jobs = [job for path in by_file for job in self._jobs(peer, files[path], by_file[path], form)]
            wanted = {job.file: job.pages for job in jobs if job.pages}
            self.peers.prepare(peer, [job.file for job in jobs], tagged, wanted or None)
            for job in jobs:
                result = self.peers.result(peer, job.file, tagged, job.pages)
                if result is not None:
                    found = read_of(peer, result, job.first)
                    yield from self._lines(job.of_file, form, peer, found)


def _excerpt(path: Path, page: int, cache: Path) -> tuple[Path, int]:
    """Return a file with the pages around one if the file is long, and the number of its first page."""
    import pikepdf

    with pikepdf.open(path) as pdf:
        if len(pdf.pages) <= _LONG:
            return path, 1
        first, last = max(page - _AROUND, 1), min(page + _AROUND, len(pdf.pages))
        target = cache / "excerpts" / f"{path.stem}-{first}-{last}.pdf"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            with pikepdf.new() as part:
                part.pages.extend(pdf.pages[first - 1 : last])
                part.save(target, deterministic_id=True)
    return target, first


if __name__ == "__main__":
    sys.exit(main())
