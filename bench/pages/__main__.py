"""Measure how well pages of PDF files are found, and the numbers on them.

    RAGRAPH_DATA=../data python -m bench.pages --wild ../wild

Files that settings are chosen on (every second one by hash) are left out, or used alone with ``--development``. Vectors
and texts of pages are cached in ``RAGRAPH_BENCH_CACHE``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from bench.pages.data import development, wild
from bench.pages.lines import ChunkLine, ContextLine, SearchLine
from bench.pages.measure import MEASURES, Asked
from bench.pages.report import parts, report, summary
from bench.pages.texts import page_texts
from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.settings import DEFAULT
from bench.retrieval.store import ingest_files, kept_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.pages.lines import PageLine
    from bench.retrieval.rankers import By
    from ragraph import Store

console = Console(width=140, highlight=False)

READERS = ("pypdfium2", "docling-parse")
RANKED: dict[By, str] = {"vectors": "vectors", "words": "BM25", "both": "BM25 + vectors"}


def main() -> None:
    """Run the benchmark, print its tables and, if asked, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = os.environ.get("RAGRAPH_DATA")
    parser.add_argument("--data", type=Path, default=data, help="folder of the data sets; its wild/ lists the files")
    parser.add_argument("--wild", type=Path, help="folder of the files; default the wild/ of --data")
    parser.add_argument("--development", action="store_true", help="use only the files that settings are chosen on")
    parser.add_argument(
        "--readers", nargs="*", default=["pypdfium2"], choices=READERS, help="readers of pages for the other systems"
    )
    parser.add_argument("--lines", nargs="*", default=[""], help="only lines whose name contains one of these")
    parser.add_argument("--write", type=Path, help="write the page with all tables to this file")
    parser.add_argument("--json", type=Path, help="write the figures per question to this file")
    parser.add_argument(
        "--add", type=Path, nargs="*", default=[], help="lines of earlier runs on the same questions, from their --json"
    )
    arguments = parser.parse_args()
    lists = Path(arguments.data) / "wild" if arguments.data else None
    folder = arguments.wild or lists
    if not folder:
        sys.exit("Say where the files are: --wild DIR, or RAGRAPH_DATA=DIR with them in DIR/wild")
    try:
        pages = wild(folder, lists)
    except FileNotFoundError as error:
        sys.exit(str(error))
    start = time.monotonic()
    chosen = development(pages)
    names = [name for name in pages.files if (name in chosen) == arguments.development]
    texts = {reader: {name: page_texts(pages.files[name], reader) for name in names} for reader in arguments.readers}
    first = texts[arguments.readers[0]]
    read = {name: pages.files[name] for name in names if any(text.strip() for text in first[name])}
    asked = Asked([question for question in pages.questions if question.document in read])
    model = CachedModel(cache_folder())
    with ExitStack() as stack:
        opened = cache(lambda: stack.enter_context(kept_store()))
        for line in _lines(texts, read, opened, model, arguments.lines):
            begin = time.monotonic()
            asked.ask(line)
            shown = " ".join(f"{asked.mean(line.name, measure) or 0:.3f}" for measure in MEASURES)
            console.print(f"{line.name}: {shown} ({time.monotonic() - begin:.0f} s)")
    for path in arguments.add:
        asked.add(json.loads(path.read_text(encoding="utf-8")))
    for name, part in parts(asked):
        summary(console, part, name)
    console.print(f"{(time.monotonic() - start) / 60:.1f} minutes")
    if arguments.write:
        left_out = len(names) - len(read)
        which = f"Settings were chosen on {'these' if arguments.development else 'other'} files."
        page = report(asked, texts=" or ".join(arguments.readers), left_out=left_out, which=which)
        arguments.write.write_text(page, encoding="utf-8")
    if arguments.json:
        arguments.json.write_text(json.dumps(asked.found) + "\n")


def _lines(
    texts: dict[str, dict[str, list[str]]],
    files: dict[str, Path],
    opened: Callable[[], Store],
    model: CachedModel,
    wanted: Sequence[str],
) -> Iterator[PageLine]:
    """Make the lines one after the other, so that an unwanted one costs nothing."""

    def asked(name: str) -> bool:
        return any(part in name for part in wanted)

    for reader, read in texts.items():
        ending = f", {reader}" if len(texts) > 1 else ""
        kept = {name: read[name] for name in files}
        for split in (False, True):
            for by, name in RANKED.items():
                line = f"{'pieces of pages' if split else 'pages'}, {name}{ending}"
                if asked(line):
                    yield ChunkLine(line, kept, None if by == "words" else model, by, split=split)
    searches = {"ragraph: search, vector": {"mode": "vector"}, "ragraph: search, hybrid": {"mode": "hybrid"}}
    if not any(map(asked, [*searches, DEFAULT])):
        return
    store = opened()
    ids = ingest_files(store, files, "wild", model)
    for line, options in searches.items():
        if asked(line):
            yield SearchLine(line, store, ids, options)
    if asked(DEFAULT):
        yield ContextLine(DEFAULT, store, ids, {})


if __name__ == "__main__":
    main()
