"""The strict measure: ragraph and others on the pages labelled by eye, by kind, as the files are and stripped.

    RAGRAPH_DATA=../shared/data python -m bench.structure.strict --wild WILD [--half develop|held-out|both] [NNN ...]
        [--form FORM] [--kind KIND] [--readers NAME ...] [--misses] [--json FILE] [--write FILE]

ragraph reads the whole file, and the labelled page is compared. pymupdf4llm reads that page of it, opendataloader-pdf
all pages; PageIndex is slow, so of a file longer than 60 pages it reads the labelled page with ten on either side,
stripped: it goes by the layout alone.

What is seen of single pages (--misses) is of the half that rules are made on; of the other half there are sums only.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.structure.documents import stripped
from bench.structure.labels.__main__ import path_of
from bench.structure.labels.model import labels, pages, titles
from bench.structure.metrics import Ratio
from bench.structure.peers import Peers, install_command
from bench.structure.strict import drafts
from bench.structure.strict.halves import develops
from bench.structure.strict.items import Read, letters
from bench.structure.strict.misses import misses
from bench.structure.strict.peers import NAMES, read_of
from bench.structure.strict.report import PageLine, header, lines_of, read_json, shown, write_json, write_markdown
from bench.structure.strict.score import score_page
from bench.structure.strict.signs import compare, printed_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.structure.labels import Page

READERS = ("ragraph", *NAMES)
FORMS = ("stripped", "as is")
HALVES = {"develop": ("developed on",), "held-out": ("held out",), "both": ("developed on", "held out")}
_LONG, _AROUND = 60, 10
"""PageIndex reads an excerpt of files longer than the first, of so many pages on either side."""


def main() -> int:
    """Print the tables; return 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", help="of labelled pages; default all of the half")
    parser.add_argument("--wild", type=Path, help="folder of the files of the lists in $RAGRAPH_DATA/wild")
    parser.add_argument("--half", choices=HALVES, default="develop")
    parser.add_argument("--form", choices=FORMS, help="only the files as they are, or only stripped")
    parser.add_argument("--kind", help="only this kind of document")
    parser.add_argument("--misses", action="store_true", help="list what ragraph has wrong, of the half developed on")
    parser.add_argument("--readers", nargs="+", choices=READERS, default=[READERS[0]], help="default ragraph alone")
    parser.add_argument("--json", type=Path, help="write the figures of each page to this file")
    parser.add_argument("--merge", nargs="+", default=[], type=Path, help="add the lines that --json wrote")
    parser.add_argument("--write", type=Path, help="write the tables into this Markdown file, between its marks")
    chosen = parser.parse_args()
    data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
    wild = chosen.wild or data / "wild"
    wanted = [
        page
        for page in pages()
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
    bench = _Bench(data, wild, cache, Peers(python, cache), chosen.readers, chosen.misses)
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
    """Return the half that a page is of."""
    return "developed on" if develops(page.source, page.file) else "held out"


class _Bench:
    """Reads files with every reader and compares their labelled pages."""

    def __init__(self, data: Path, wild: Path, cache: Path, peers: Peers, readers: Sequence[str], show: bool) -> None:
        self.data, self.wild, self.cache, self.peers = data, wild, cache, peers
        self.readers, self.show = readers, show
        self.labels = labels()
        self.titles = titles()

    def lines(self, wanted: Sequence[Page], form: str) -> Iterator[PageLine]:
        """Yield a line for each page and reader."""
        by_file: dict[Path, list[Page]] = {}
        for page in wanted:
            by_file.setdefault(path_of(page, self.data, self.wild), []).append(page)
        for path, of_file in by_file.items():
            file = path if form == "as is" else stripped(path, self.cache)
            found = drafts.read(file, self.cache) if "ragraph" in self.readers else None
            for page in of_file:
                for reader in self.readers:
                    read = found if reader == "ragraph" else self._peer(reader, file, page, form)
                    if read is not None:
                        line = self._line(page, form, reader, read, file)
                        if page is of_file[0] and read.title is not None:
                            line.scores.ratios["named"] = Ratio(self._is_named(page, read.title), 1)
                        yield line
            print(path.name, form, f"{found.seconds:.0f} s" if found else "", file=sys.stderr, flush=True)

    def _line(self, page: Page, form: str, reader: str, found: Read, file: Path) -> PageLine:
        line = PageLine(page.number, page.file, page.kind, half_of(page), form, reader, failed=found.failed)
        items = found.on(page.page)
        line.scores.ratios = score_page(self.labels[page.number], page.page, items, found.notions)
        if found.notions.blocks:
            changed = compare(printed_runs(file, [page.page])[page.page], items, page.page)
            wrong = changed.lost.total() + changed.added.total()
            if changed.total:
                line.scores.ratios["digits"] = Ratio(changed.total - changed.lost.total(), changed.total)
                line.scores.ratios["intact"] = Ratio(not wrong, 1)
            if self.show and reader == "ragraph" and line.half == "developed on":
                print(f"\n{page.number} {page.kind}, {page.file} page {page.page}, {form}")
                for text in misses(self.labels[page.number], page.page, items, changed):
                    print(f"    {text}")
        return line

    def _is_named(self, page: Page, title: str) -> bool:
        right = letters(title) in {letters(other) for other in self.titles[page.source, page.file]}
        if self.show and not right and half_of(page) == "developed on":
            print(f"\n{page.file} is titled {title!r}")
        return right

    def _peer(self, peer: str, file: Path, page: Page, form: str) -> Read | None:
        if peer == "pageindex" and form == "as is":
            return None
        first, numbers = 1, [page.page] if peer == "pymupdf4llm" else None
        if peer == "pageindex":
            file, first = _excerpt(file, page.page, self.cache)
        tagged = form == "as is"
        self.peers.prepare(peer, [file], tagged, {file: numbers} if numbers else None)
        result = self.peers.result(peer, file, tagged, numbers)
        return None if result is None else read_of(peer, result, first)


def _excerpt(path: Path, page: int, cache: Path) -> tuple[Path, int]:
    """Return a file with the pages around one where the file is long, and the number of its first page."""
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
