"""How well the structure of PDF files is read: headings, tree, notes, page numbers, text, order, tables, speed.

    RAGRAPH_DATA=../shared/data python -m bench.structure [name ...] [--peers] [--speed] [--misses] [--write FILE]

Every document is read twice: as it is, and without its outline, tags and page labels (removed by pikepdf), because most
files have none. The stripped line is the relevant one. Truth: TeX sources if available, else the tags of the file, else
its outline. No figure is left out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from bench.structure import ours
from bench.structure.documents import DOCUMENTS, Document, stripped
from bench.structure.metrics import Scores, headings_found, leaked, score
from bench.structure.outlines import match
from bench.structure.peers import PEERS, Peers, install_command
from bench.structure.report import Line, header, means, shown, write_json, write_markdown
from bench.structure.truth import Truth, truth_of
from bench.throwaway import throwaway_store

if TYPE_CHECKING:
    from bench.structure.reading import Reading
    from ragraph import Store

FORMS = ("as is", "stripped")


def main() -> int:
    """Print the table; return 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="beginnings of names of documents; default all")
    parser.add_argument("--peers", action="store_true", help="score pymupdf4llm and opendataloader-pdf too")
    parser.add_argument("--misses", action="store_true", help="list missed and invented headings, and leaked furniture")
    parser.add_argument("--speed", action="store_true", help="also run docling-parse alone on the same files")
    parser.add_argument("--form", choices=FORMS, help="only the files as they are, or only stripped")
    parser.add_argument("--no-store", action="store_true", help="leave out printed page numbers, which need a server")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--write", type=Path, help="write the tables into this Markdown file, between its marks")
    chosen = parser.parse_args()
    data = Path(os.environ.get("RAGRAPH_DATA", "../shared/data"))
    cache = Path(os.environ.get("RAGRAPH_BENCH_CACHE", Path(tempfile.gettempdir()) / "ragraph-bench"))
    python = Path(os.environ.get("RAGRAPH_BENCH_PEERS", ".venv-peers")) / "bin" / "python"
    peers = Peers(python, cache) if chosen.peers else None
    if peers and not python.exists():
        print(f"peers are taken from {cache} where they were run before; to run them: {install_command(python)}")
    if not data.is_dir():
        sys.exit("say where the documents are: RAGRAPH_DATA=DIR")
    wanted = [item for item in DOCUMENTS if not chosen.names or item.name.startswith(tuple(chosen.names))]
    print(header(), flush=True)
    lines: list[Line] = []
    with nullcontext() if chosen.no_store else throwaway_store() as store:
        bench = _Bench(store, data, cache, peers, chosen.misses, chosen.speed)
        for document in wanted:
            for line in bench.lines(document, [chosen.form] if chosen.form else FORMS):
                lines.append(line)
                print(shown(line), flush=True)
    for mean in means(lines):
        print(shown(mean))
    if chosen.json:
        write_json(lines, chosen.json)
    if chosen.write:
        write_markdown(lines, chosen.write)
    return 0


class _Bench:
    """Reads documents with every reader and compares the results."""

    def __init__(
        self, store: Store | None, data: Path, cache: Path, peers: Peers | None, misses: bool, speed: bool
    ) -> None:
        self.store, self.data, self.cache, self.peers, self.misses = store, data, cache, peers, misses
        self.speed = speed
        self.count = 0

    def lines(self, document: Document, forms: list[str] | tuple[str, ...]) -> list[Line]:
        """Return the lines of a document, with its files added up."""
        lines = {
            (form, reader): Line(document.name, form, reader, Scores(), document.held_out)
            for form in forms
            for reader in ("ragraph", *(PEERS if self.peers else ()))
        }
        paths = [path for path in document.files(self.data) if _opens(path)]
        truths = {path: truth_of(document, path, self.data) for path in paths}
        for form in forms:
            files = {path: path if form == "as is" else stripped(path, self.cache) for path in paths}
            tagged = {path for path in paths if truths[path].source == "tags" and form == "as is"}
            self._prepare(files, tagged)
            for path, file in files.items():
                parse_seconds = ours.parse_alone(file) if self.speed else 0.0
                for reader in ("ragraph", *(PEERS if self.peers else ())):
                    reading = self._read(reader, file, path in tagged)
                    if reading is None:
                        lines.pop((form, reader), None)
                    elif (form, reader) in lines:
                        line = lines[form, reader]
                        line.scores.add(score(reading, truths[path], document.title))
                        line.parse_seconds += parse_seconds
                    if self.misses and reader == "ragraph" and form == forms[-1] and reading is not None:
                        _list_misses(path, reading, truths[path], document.title)
        return list(lines.values())

    def _prepare(self, files: dict[Path, Path], tagged: set[Path]) -> None:
        for peer in PEERS if self.peers else ():
            for follow in (True, False):
                if self.peers and (chosen := [file for path, file in files.items() if (path in tagged) is follow]):
                    self.peers.prepare(peer, chosen, follow)

    def _read(self, reader: str, file: Path, tagged: bool) -> Reading | None:
        if reader == "ragraph":
            self.count += 1
            return ours.read(file, self.store, self.count)
        return self.peers.read(reader, file, tagged) if self.peers else None


def _opens(path: Path) -> bool:
    import pypdfium2

    try:
        pypdfium2.PdfDocument(path).close()
    except pypdfium2.PdfiumError:  # a password
        return False
    return True


def _list_misses(path: Path, reading: Reading, truth: Truth, title: str) -> None:
    print(f"  {path.name} {reading.failed}")
    if truth.headings is not None:
        found = headings_found(reading, truth.headings, title)
        pairs = match(truth.headings, found)
        for row, heading in enumerate(truth.headings):
            if row not in pairs:
                print(f"    missed {heading.depth} {heading.title[:90]}")
        taken = set(pairs.values())
        for column, heading in enumerate(found):
            if column not in taken:
                print(f"    extra  {heading.depth} {heading.title[:90]}")
    for page, text in leaked(reading, truth)[:20]:
        print(f"    in the body, page {page}: {text[:80]}")
    labels = [item for item in truth.labels.items() if (reading.labels or {}).get(item[0]) != item[1]]
    for page, label in labels[:10]:
        print(f"    page {page} is {label}, not {(reading.labels or {}).get(page)}")
    for caption in reading.captions or ():
        if not caption.bound:
            print(f"    caption bound to nothing, page {caption.page}: {caption.text[:60]}")


if __name__ == "__main__":
    sys.exit(main())
