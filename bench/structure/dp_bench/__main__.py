"""ragraph on DP-Bench, compared with other readers on the same pages: order and text, tables, headings.

    python -m bench.structure.dp_bench DIR [--half develop|held-out|both|all] [--layout rules|model]
        [--readers NAME ...] [--each] [--write FILE]

DIR is a clone of opendataloader-bench with its large files (``git lfs pull``): pages in ``pdfs``, truth in
``ground-truth/markdown``, and results of readers in ``prediction/NAME/markdown``. ragraph's reader reads each page, a
store ingests the draft and renders it as Markdown. The others are scored from the recorded results. Pages are split by
the hash of their names: rules may be made on one half, for the other there are only sums. A reader without Markdown for
a page gets 0 for it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

import ragraph
from bench.structure.dp_bench.scores import PageScores, score_page
from bench.structure.strict.halves import develops
from ragraph.errors import IngestError
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.ingest.storing.linking import ingest_draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

BEGIN, END = "<!-- dp-bench: begin -->", "<!-- dp-bench: end -->"
OURS = "ragraph"
HALVES = {
    "develop": ("developed on",),
    "held-out": ("held out",),
    "both": ("held out", "developed on"),
    "all": ("all",),
}
LAYOUTS = ("rules", "model")
MEASURES = ("overall", "nid", "teds", "mhs")
SET = "dp-bench"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if the folder is not complete."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="clone of opendataloader-bench")
    parser.add_argument("--half", choices=HALVES, default="develop")
    parser.add_argument("--layout", choices=LAYOUTS, default=LAYOUTS[0], help="how ragraph finds the structure")
    parser.add_argument("--readers", nargs="+", metavar="NAME", help="default ragraph and all recorded ones")
    parser.add_argument("--each", action="store_true", help="list the pages of the half developed on, worst first")
    parser.add_argument("--write", type=Path, help="write the table into this Markdown file, between its marks")
    chosen = parser.parse_args(arguments)
    if chosen.write and not has_marks(chosen.write):
        print(f"{chosen.write} has no place for the table: {BEGIN} and {END}", file=sys.stderr)
        return 1
    truth = {path.stem: path.read_text("utf-8") for path in sorted(chosen.folder.glob("ground-truth/markdown/*.md"))}
    pages = {half: [name for name in truth if half in {"all", half_of(name)}] for half in HALVES[chosen.half]}
    files = {name: chosen.folder / "pdfs" / f"{name}.pdf" for half in pages for name in pages[half]}
    absent = [path.name for path in files.values() if not is_pdf(path)]
    if len(absent) == len(files):
        print(
            f"no PDF files and truth in {chosen.folder}: clone opendataloader-bench, and `git lfs pull`",
            file=sys.stderr,
        )
        return 1
    if absent:
        print(f"left out, no PDF file: {', '.join(absent)}")
    pages = {half: [name for name in names if is_pdf(files[name])] for half, names in pages.items()}
    recorded = sorted(path.parent.name for path in chosen.folder.glob("prediction/*/markdown"))
    unknown = sorted(set(chosen.readers or ()) - {OURS, *recorded})
    if unknown:
        print(f"no such readers: {', '.join(unknown)}; there are {', '.join([OURS, *recorded])}", file=sys.stderr)
        return 1
    lines: list[tuple[str, str, dict[str, PageScores]]] = []
    for half, names in pages.items():
        for reader in chosen.readers or [OURS, *recorded]:
            found = dict(ours((files[name] for name in names), chosen.layout)) if reader == OURS else {}
            if reader != OURS:
                folder = chosen.folder / "prediction" / reader / "markdown"
                found = {name: path.read_text("utf-8") for name in names if (path := folder / f"{name}.md").is_file()}
            lines.append((half, reader, {name: score_page(truth[name], found.get(name, "")) for name in names}))
    show(lines)
    if chosen.each and "developed on" in pages:
        for half, reader, scores in lines:
            if half == "developed on" and reader == OURS:
                show_pages(scores)
    if chosen.write:
        write(chosen.write, lines)
    return 0


def half_of(name: str) -> str:
    """Return the half of a page."""
    return "developed on" if develops(SET, name) else "held out"


def is_pdf(path: Path) -> bool:
    """Return True if a file exists and is not a pointer to a large one."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(5) == b"%PDF-"


def has_marks(path: Path) -> bool:
    """Return True if a Markdown file has the marks for the table."""
    text = path.read_text("utf-8") if path.is_file() else ""
    return 0 <= text.find(BEGIN) < text.find(END)


def ours(files: Iterable[Path], layout: str = LAYOUTS[0]) -> Iterator[tuple[str, str]]:
    """Yield the name of each page with ragraph's Markdown for it; pages that it refuses are printed."""
    start, number = time.process_time(), 0
    with tempfile.TemporaryDirectory() as home, ragraph.open(home=home) as store:
        for number, path in enumerate(files, 1):
            row = DocumentRow(f"dl_{number:024x}", f"pub_{number:024x}")
            try:
                draft = PdfReader().read(path, ReadOptions(layout=layout))
            except IngestError as error:
                print(f"{path.name}: {error}", file=sys.stderr)
                continue
            with store.database.write() as connection:
                ingest_draft(connection, draft, row)
            yield path.stem, store.render(row.id)
    if number:
        print(f"{(time.process_time() - start) / number:.2f} s of the processor a page", file=sys.stderr)


def mean(scores: Mapping[str, PageScores], measure: str) -> float | None:
    """Return the mean of a measure over the pages that have it."""
    values = [value for page in scores.values() if (value := getattr(page, measure)) is not None]
    return statistics.fmean(values) if values else None


def show(lines: Sequence[tuple[str, str, Mapping[str, PageScores]]]) -> None:
    """Print a line for each half and reader."""
    table = Table("half", "reader", "pages", *MEASURES)
    for half, reader, scores in lines:
        table.add_row(half, reader, str(len(scores)), *(_shown(mean(scores, measure)) for measure in MEASURES))
    Console().print(table)


def show_pages(scores: Mapping[str, PageScores]) -> None:
    """Print a line for each page, worst first."""
    table = Table("page", *MEASURES)
    for name, page in sorted(scores.items(), key=lambda pair: pair[1].overall):
        table.add_row(name, *(_shown(getattr(page, measure)) for measure in MEASURES))
    Console().print(table)


def write(path: Path, lines: Sequence[tuple[str, str, Mapping[str, PageScores]]]) -> None:
    """Write the table into a Markdown file, between its marks."""
    rows = [f"| half | reader | pages | {' | '.join(MEASURES)} |", f"| --- | --- {'| ---: ' * (1 + len(MEASURES))}|"]
    for half, reader, scores in lines:
        figures = " | ".join(_shown(mean(scores, measure)) for measure in MEASURES)
        rows.append(f"| {half} | {reader} | {len(scores)} | {figures} |")
    text = path.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n" + "\n".join(rows) + f"\n{END}{after}", "utf-8")


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    sys.exit(main())
