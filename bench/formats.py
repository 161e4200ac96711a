"""Ingest real documents of every format and measure what is stored. `RAGRAPH_DATA=... make bench-formats`.

For each file: the share of its text (read independently, see bench/truth.py) that is missing from ``ragraph render
--format text``; headings found, and found under the right parent; references that the format states, and those that
were resolved. In total: files that failed, with the reason, and ``ragraph check``.

    RAGRAPH_DATA=../data python -m bench.formats --groups jats docx --details
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import unicodedata
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.text_loss import missing_share
from bench.throwaway import throwaway_store
from bench.truth import source_headings, source_text
from ragraph.base.queries import read_queries

if TYPE_CHECKING:
    from ragraph import Store
    from ragraph.schema.reports import IngestReport

QUERIES = read_queries(Path(__file__).parent / "formats.sql")

GROUPS = {
    "jats, evidence_inference": ["evidence_inference/xml/*.nxml"],
    "jats, craft": ["craft/nxml/*.nxml"],
    "jats, docling": ["docling/jats/sources/*.nxml", "docling/jats/sources/*.xml"],
    "uspto, docling": ["docling/uspto/sources/*.xml", "docling/uspto/sources/*.txt"],
    "epub, Wealth of Nations": ["books/standardebooks/*/src/epub/content.opf"],
    "epub, docling": ["docling/epub/sources/*.epub"],
    "html, docling": ["docling/html/sources/*.html"],
    "md, docling": ["docling/md/sources/*.md"],
    "docx, docling": ["docling/docx/sources/*.docx"],
    "pptx, docling": ["docling/pptx/sources/*.pptx"],
    "pdf, books": [
        "books/gitenberg/*/*.pdf",
        "books/mueller/docs/*.pdf",
        "books/nist/*.pdf",
        "books/worldbank_dime/*.pdf",
    ],
    "pdf, cuad": ["cuad/pdf/*.pdf", "cuad/pdf/*.PDF"],
}
LIMITS = {"pdf, cuad": 5}
console = Console(width=140, highlight=False)


@dataclass
class Figures:
    """Figures of one file; counts of headings are None if the format states none."""

    group: str
    path: str
    missing: float | None
    headings: int | None
    found: int | None
    right_parent: int | None
    references: int
    resolved: int
    notes: int
    notes_resolved: int
    nodes: int


def main() -> None:
    """Run the benchmark and print a line per group."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGRAPH_DATA"), help="folder of the documents")
    parser.add_argument("--groups", nargs="*", default=[""], help="only groups whose name starts with one of these")
    parser.add_argument("--embed", action="store_true", help="also embed, which takes most of the time")
    parser.add_argument("--details", action="store_true", help="print a line per file too")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    if not arguments.data:
        sys.exit("Say where the documents are: RAGRAPH_DATA=DIR or --data DIR")
    with throwaway_store() as store:
        figures = []
        for group, patterns in GROUPS.items():
            if any(group.startswith(wanted) for wanted in arguments.groups):
                figures += _group(store, group, _files(arguments.data, patterns, LIMITS.get(group)), arguments)
        violations = store.check()
    _summary(figures)
    console.print(f"violations found by check: {len(violations)}")
    for violation in violations[:20]:
        console.print(f"  {violation}")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(item) for item in figures], indent=1) + "\n")


def _files(data: Path, patterns: list[str], limit: int | None) -> list[Path]:
    found = sorted({path for pattern in patterns for path in data.glob(pattern)})
    return found[:limit]


def _group(store: Store, group: str, paths: list[Path], arguments: argparse.Namespace) -> list[Figures]:
    start = time.perf_counter()
    options: dict[str, Any] = {} if arguments.embed else {"model": None}
    report: IngestReport = store.ingest(paths, **options)
    seconds = time.perf_counter() - start
    failed = [file for file in report.files if file.status == "failed"]
    console.print(
        f"{group}: {len(report.files) - len(failed)} of {len(report.files)} files in {seconds:.0f} s,"
        f" {seconds / max(len(report.files), 1):.2f} s a file"
    )
    for file in failed:
        console.print(f"  failed: {Path(file.path).name}: {file.reason}", soft_wrap=True)
    figures = []
    with Progress(console=console, transient=True) as progress:
        for file in progress.track(report.files, description="comparing"):
            if file.document_id and file.status in ("added", "changed", "unchanged"):
                figures.append(_measure(store, group, Path(file.path), file.document_id))
    if arguments.details:
        for item in sorted(figures, key=lambda item: -(item.missing or 0)):
            console.print(
                f"  {Path(item.path).name[:40]:<40} missing {item.missing or 0:.4f}"
                f"  headings {item.found}/{item.headings} parents {item.right_parent}"
                f"  references {item.resolved}/{item.references}"
            )
    return figures


def _measure(store: Store, group: str, path: Path, document: str) -> Figures:
    rendered = store.render(document, format="text", furniture=True)
    try:
        missing = missing_share(source_text(path), rendered)
    except ValueError:
        missing = None
    wanted = source_headings(path)
    found = right = None
    if wanted is not None:
        found, right = _compare_headings(store, document, wanted)
    with store.database.read() as connection:
        row = connection.execute(QUERIES["references"], {"document_id": document}).fetchone()
        assert row is not None
    return Figures(group, str(path), missing, None if wanted is None else len(wanted), found, right, *row)


def _compare_headings(store: Store, document: str, wanted: list[tuple[int, str]]) -> tuple[int, int]:
    """Count source headings that are headings of the document, and those under the same heading as in the source."""
    with store.database.read() as connection:
        kept = connection.execute(QUERIES["headings"], {"document_id": document}).fetchall()
    by_text: dict[str, list[str | None]] = {}
    for text, parent in kept:
        by_text.setdefault(_plain(text), []).append(None if parent is None else _plain(parent))
    found = right = 0
    above: list[tuple[int, str]] = []
    for level, text in wanted:
        while above and above[-1][0] >= level:
            above.pop()
        parent = _plain(above[-1][1]) if above else None
        above.append((level, text))
        candidates = by_text.get(_plain(text))
        if not candidates:
            continue
        found += 1
        kept_parent = parent if parent in candidates else candidates[0]
        candidates.remove(kept_parent)
        # the title of the document is not a section of its own: headings below it are at the top
        right += kept_parent == parent or (kept_parent is None and len(above) == 2)
    return found, right


def _plain(text: str) -> str:
    """Return letters and digits only, without a leading number, which some formats state separately."""
    text = re.sub(r"^\s*[\d.]+\s+(?=\S)", "", text)
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", text)).lower()


def _summary(figures: list[Figures]) -> None:
    columns = (
        "group",
        "files",
        "nodes",
        "text missing, mean",
        "median",
        "worst",
        "headings found",
        "parent right",
        "references resolved",
        "notes linked",
    )
    table = Table(*columns, box=None)
    for group in dict.fromkeys(item.group for item in figures):
        items = [item for item in figures if item.group == group]
        missing = [item.missing for item in items if item.missing is not None]
        headings = sum(item.headings or 0 for item in items)
        found = sum(item.found or 0 for item in items)
        table.add_row(
            group,
            str(len(items)),
            f"{sum(item.nodes for item in items):,}",
            *(
                (f"{value:.2%}" for value in (mean(missing), median(missing), max(missing)))
                if missing
                else ("", "", "")
            ),
            f"{found}/{headings}",
            f"{sum(item.right_parent or 0 for item in items)}/{found}",
            f"{sum(item.resolved for item in items)}/{sum(item.references for item in items)}",
            f"{sum(item.notes_resolved for item in items)}/{sum(item.notes for item in items)}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
