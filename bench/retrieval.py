"""Measure retrieval: how much of the evidence that people marked a context of so many tokens holds.

    RAGRAPH_DATA=../data python -m bench.retrieval --documents 20

Each line answers the same questions with the same embedding model, and its contexts are cut after 512, 1,024 and
2,048 tokens, headings included. Vectors are kept in ``RAGRAPH_BENCH_CACHE``, so that a second run takes minutes.
``--documents 0`` takes all documents. Those that settings were chosen on are left out, or taken alone with ``--tuned``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from rich.console import Console
from rich.progress import Progress

from bench.retrieval_cache import CachedModel, cache_folder
from bench.retrieval_data import Corpus, Question, corpora
from bench.retrieval_lines import BUDGETS, Answer, AutoMergingLine, ChunkLine, StoreLine, kept_chunks
from bench.retrieval_metrics import Evidence, ranking
from bench.retrieval_peers import (
    Chunk,
    docling_bare_chunks,
    docling_chunks,
    fixed_windows,
    langchain_recursive,
    llamaindex_sentences,
    plain,
)
from bench.retrieval_report import report, summary
from bench.retrieval_settings import BARE, DEFAULT, EXPANSIONS, SETTINGS
from bench.retrieval_store import bare_parts, ingest, kept_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragraph import Store

console = Console(width=140, highlight=False)

CUTTERS: dict[str, Callable[[Corpus, str], list[Chunk]]] = {
    "fixed windows, 256 tokens, 20 % overlap": plain(fixed_windows),
    "LangChain RecursiveCharacterTextSplitter, 1000/200": plain(langchain_recursive),
    "LlamaIndex SentenceSplitter, 256/50": plain(llamaindex_sentences),
    "docling HybridChunker": docling_chunks,
    "docling HybridChunker, headings not given back": docling_bare_chunks,
}
"""Lines of others that rank pieces of text; sizes in tokens but LangChain's, which are in characters."""


class Line(Protocol):
    """What answers questions."""

    name: str

    def items(self, document: str) -> list[tuple[str, str]]:
        """Return id and text of all items of a document."""

    def answer(self, question: Question, *, whole: bool) -> Answer:
        """Return the answer within the question's document or over all of them."""


@dataclass
class Setting:
    """Questions under one scope, and what each line found.

    Attributes:
        found: line to the share of the evidence per question and budget, in the order of ``questions``.
        ranks: line to recall and nDCG.
    """

    name: str
    questions: list[Question]
    whole: bool
    found: dict[str, list[list[float]]] = field(default_factory=dict)
    ranks: dict[str, dict[str, float]] = field(default_factory=dict)

    def part(self, name: str, keep: Callable[[Question], bool]) -> Setting:
        """Return the same with some of the questions alone, without ranks."""
        kept = [place for place, question in enumerate(self.questions) if keep(question)]
        found = {line: [rows[place] for place in kept] for line, rows in self.found.items()}
        return Setting(name, [self.questions[place] for place in kept], self.whole, found)


def main() -> None:
    """Run the benchmark, print its tables and, if asked, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGRAPH_DATA"), help="folder of the data sets")
    parser.add_argument(
        "--documents", type=int, help="documents of each data set, by hash; 0 = all; default all articles, 40 contracts"
    )
    parser.add_argument(
        "--expansions", action="store_true", help="each way to search and expand alone; implies --tuned"
    )
    parser.add_argument("--tuned", action="store_true", help="the documents that settings were chosen on, not the rest")
    parser.add_argument("--corpora", nargs="*", default=[""], help="only corpora whose name starts so")
    parser.add_argument("--lines", nargs="*", default=[""], help="only lines whose name holds one of these")
    parser.add_argument("--write", type=Path, help="write the page with all tables to this file")
    parser.add_argument("--json", type=Path, help="write the figures per question to this file")
    arguments = parser.parse_args()
    if not arguments.data:
        sys.exit("Say where the data sets are: RAGRAPH_DATA=DIR or --data DIR")
    start = time.monotonic()
    settings: list[Setting] = []
    model = CachedModel(cache_folder())
    with kept_store() as store:
        tuned = arguments.tuned or arguments.expansions
        for corpus in corpora(Path(arguments.data), arguments.documents, tuned=tuned):
            if any(corpus.name.startswith(wanted) for wanted in arguments.corpora):
                settings += _measure(corpus, store, model, arguments.lines, expansions=arguments.expansions)
    for setting in settings:
        summary(console, setting)
    console.print(f"{(time.monotonic() - start) / 60:.1f} minutes")
    if arguments.write:
        arguments.write.write_text(report(settings, tuned=tuned), encoding="utf-8")
    if arguments.json:
        arguments.json.write_text(json.dumps({setting.name: setting.found for setting in settings}) + "\n")


def _measure(corpus: Corpus, store: Store, model: CachedModel, wanted: list[str], *, expansions: bool) -> list[Setting]:
    """Return the settings of a corpus, measured on the lines that are wanted."""
    questions = list(corpus.questions)
    settings = [Setting(f"{corpus.name}, within the document", questions, whole=False)]
    if corpus.whole and not expansions:
        settings.append(Setting(f"{corpus.name}, over {len(corpus.files)} documents", questions, whole=True))
    evidence = {question.id: Evidence(question.evidence) for question in questions}
    relevant: dict[tuple[str, str], bool] = {}
    for line in _lines(corpus, store, model, wanted, expansions=expansions):
        for setting in settings:
            begin = time.monotonic()
            _ask(line, setting, evidence, relevant)
            shares = " ".join(f"{share:.3f}" for share in np.mean(setting.found[line.name], axis=0))
            console.print(f"{setting.name}: {line.name}: {shares} ({time.monotonic() - begin:.0f} s)")
    if any(not question.outside for question in questions):
        settings += [setting.part(f"{setting.name}, evidence outside the abstract", _outside) for setting in settings]
    return settings


def _outside(question: Question) -> bool:
    return question.outside


def _ask(line: Line, setting: Setting, evidence: dict[str, Evidence], relevant: dict[tuple[str, str], bool]) -> None:
    rankings: dict[str, list[str]] = {}
    judged: dict[str, list[str]] = {}
    found: list[list[float]] = []
    with Progress(console=console, transient=True) as progress:
        for question in progress.track(setting.questions, description=line.name[:40]):
            answer = line.answer(question, whole=setting.whole)
            looked_for = evidence[question.id]
            found.append([looked_for.found(context) for context in answer.contexts])
            rankings[question.id] = [item for item, _ in answer.ranking]
            judged[question.id] = []
            for item, text in line.items(question.document):
                key = (question.id, text)
                if key not in relevant:
                    relevant[key] = looked_for.relevant(text)
                if relevant[key]:
                    judged[question.id].append(item)
    assert all(len(shares) == len(BUDGETS) for shares in found)
    setting.found[line.name] = found
    setting.ranks[line.name] = ranking(rankings, judged)


def _lines(corpus: Corpus, store: Store, model: CachedModel, wanted: list[str], *, expansions: bool) -> Iterator[Line]:
    """Make the lines one after the other, so that one that is not wanted costs nothing."""

    def asked(name: str) -> bool:
        return any(part in name for part in wanted)

    if not expansions:
        for name, cutter in CUTTERS.items():
            if asked(name):
                yield ChunkLine(name, model, {key: kept_chunks(name, corpus, key, cutter) for key in corpus.files})
        if asked(AutoMergingLine.name):
            yield AutoMergingLine(corpus, model)
    ours = [setting for setting in [*(EXPANSIONS if expansions else SETTINGS), DEFAULT] if asked(setting.name)]
    if not ours and not asked(BARE):
        return
    ids = ingest(store, corpus, model)
    if asked(BARE):
        yield ChunkLine(BARE, model, {key: [Chunk(x, x) for x in bare_parts(store, ids[key], model)] for key in ids})
    for setting in ours:
        yield StoreLine(setting, store, ids, model)


if __name__ == "__main__":
    main()
