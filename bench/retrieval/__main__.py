"""Measure retrieval: how much of the evidence that people marked is in a context of a given number of tokens.

    RAGRAPH_DATA=../data python -m bench.retrieval --documents 20

Each line answers the same questions with the same embedding model. Its contexts are cut after 512, 1,024 and 2,048
tokens, headings included. Vectors are cached in ``RAGRAPH_BENCH_CACHE``, so a second run takes minutes. ``--documents
0`` uses all documents. Those that settings were chosen on are left out, or used alone with ``--development``.
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

from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.data import corpora
from bench.retrieval.measure import Measured
from bench.retrieval.opponents import NAMES, OPPONENTS, PieceLine, Recipe, opponent
from bench.retrieval.ours import ContextLine, StoreLine
from bench.retrieval.peers import Chunk
from bench.retrieval.report import report, summary
from bench.retrieval.settings import BARE, DEFAULT, EXPANSIONS, SETTINGS, TUNED, WITH
from bench.retrieval.store import bare_parts, ingest, kept_store
from bench.retrieval.tuned import tune
from ragraph.models.embedding import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.retrieval.data import Corpus, Question
    from bench.retrieval.lines import Line
    from ragraph import Store

console = Console(width=140, highlight=False)


def main() -> None:
    """Run the benchmark, print its tables and, if asked, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGRAPH_DATA"), help="folder of the data sets")
    parser.add_argument(
        "--documents", type=int, help="documents of each data set, by hash; 0 = all; default 60 articles, 40 contracts"
    )
    parser.add_argument(
        "--development", action="store_true", help="use only the documents that settings were chosen on"
    )
    parser.add_argument(
        "--expansions", action="store_true", help="each way to search and expand separately; implies --development"
    )
    parser.add_argument("--within", action="store_true", help="only within the document, not over all of them")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="embedding model of all lines, such as multilingual")
    parser.add_argument("--corpora", nargs="*", default=[""], help="only corpora whose name starts with one of these")
    parser.add_argument("--lines", nargs="*", default=[""], help="only lines whose name contains one of these")
    parser.add_argument("--without", nargs="*", default=[], help="leave out lines whose name contains one of these")
    parser.add_argument("--write", type=Path, help="write the page with all tables to this file")
    parser.add_argument("--note", default="", help="note on this run for the page")
    parser.add_argument("--json", type=Path, help="write the figures per question to this file")
    parser.add_argument(
        "--add", type=Path, nargs="*", default=[], help="lines of earlier runs on the same documents, from their --json"
    )
    arguments = parser.parse_args()

    def wanted(line: str) -> bool:
        return any(part in line for part in arguments.lines) and not any(part in line for part in arguments.without)

    if not arguments.data:
        sys.exit("Say where the data sets are: RAGRAPH_DATA=DIR or --data DIR")
    start = time.monotonic()
    measured: list[Measured] = []

    def keep(scopes: list[Measured]) -> None:
        """Write the results after each line, so that an interrupted run keeps them."""
        if arguments.json:
            found = {asked.name: asked.to_json() for asked in (*measured, *scopes)}
            arguments.json.write_text(json.dumps(found) + "\n")

    model = CachedModel(cache_folder(), model=arguments.model)
    development = arguments.development or arguments.expansions
    with ExitStack() as stack:
        # no server for a run of other lines only
        opened = cache(lambda: stack.enter_context(kept_store(arguments.model)))
        for corpus in corpora(
            Path(arguments.data), arguments.documents, development=development, names=arguments.corpora
        ):
            # results on the documents that the ranker was fitted on would mean nothing
            unseen = None if development else Path(arguments.data)
            lines = _lines(corpus, opened, model, wanted, unseen, expansions=arguments.expansions)
            whole = corpus.whole and not arguments.expansions and not arguments.within
            by = "" if model.name == DEFAULT_MODEL else f"{WITH}{model.name}"
            measured += _measure(corpus, lines, arguments.add, keep, whole=whole, by=by)
    for asked in measured:
        summary(console, asked)
    console.print(f"{(time.monotonic() - start) / 60:.1f} minutes")
    if arguments.write:
        arguments.write.write_text(report(measured, development=development, note=arguments.note), encoding="utf-8")
    keep([])


def _measure(
    corpus: Corpus,
    lines: Iterator[Line],
    earlier: list[Path],
    keep: Callable[[list[Measured]], None],
    *,
    whole: bool,
    by: str,
) -> list[Measured]:
    """Return the results of lines on a corpus, scope by scope, with those of earlier runs; ``by`` ends their names."""
    scopes = [Measured.of(corpus, whole=False)]
    if whole:
        scopes.append(Measured.of(corpus, whole=True))
    for path in earlier:
        found = json.loads(path.read_text())
        for scope in scopes:
            if scope.name in found:
                scope.add(found[scope.name])
    for line in lines:
        # names tell documents apart, so within one they change nothing
        asked = scopes[1:] if line.name.endswith(NAMES) else scopes
        line.name += by
        for scope in asked:
            begin = time.monotonic()
            scope.ask(line)
            shares = " ".join(f"{share:.3f}" for share in scope.means()[line.name])
            console.print(f"{scope.name}: {line.name}: {shares} ({time.monotonic() - begin:.0f} s)")
            keep(scopes)
    if any(not question.outside for question in corpus.questions):
        scopes += [scope.part(f"{scope.name}, evidence outside the abstract", _outside) for scope in scopes]
    return scopes


def _outside(question: Question) -> bool:
    return question.outside


def _lines(
    corpus: Corpus,
    opened: Callable[[], Store],
    model: CachedModel,
    wanted: Callable[[str], bool],
    unseen: Path | None,
    *,
    expansions: bool,
) -> Iterator[Line]:
    """Make the lines one after the other, so that an unwanted one costs nothing."""
    if not expansions:
        for name in filter(wanted, OPPONENTS):
            yield opponent(name, corpus, model)
    settings = [setting for setting in (EXPANSIONS if expansions else SETTINGS) if wanted(setting.name)]
    tuned = unseen is not None and wanted(TUNED)
    if not settings and not tuned and not wanted(BARE) and not wanted(DEFAULT):
        return
    store = opened()
    ids = ingest(store, corpus, model)
    if wanted(BARE):
        bare = {key: [Chunk(part, part) for part in bare_parts(store, ids[key], model)] for key in ids}
        yield PieceLine(BARE, bare, model, Recipe())
    for setting in settings:
        yield StoreLine(setting, store, ids)
    if wanted(DEFAULT):
        yield ContextLine(DEFAULT, store, ids)
    if tuned and unseen is not None:
        gained = tune(store, corpus, unseen, model).decisive
        console.print(
            f"{corpus.name}: tuned, cross-validated {gained.gain:+.3f} ({gained.low:+.3f} to {gained.high:+.3f})"
        )
        yield ContextLine(TUNED, store, ids, {"tuned": True})


if __name__ == "__main__":
    main()
