"""Ask ragraph and flat chunks the questions of ``questions.jsonl``; `make bench-structure-qa`.

    RAGRAPH_DATA=../data python -m bench.structure_qa --write bench/results/structure-qa.md

Each question is asked within its article. Flat chunks are cut by LangChain and LlamaIndex, ranked by vectors and BM25
together, and returned until the budget is full. ``--make N`` makes the set again, from the first N articles.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.metrics import cut
from bench.retrieval.peers import langchain_recursive, llamaindex_sentences
from bench.retrieval.rankers import Ranker
from bench.retrieval.store import ingest_files
from bench.structure_qa.make import NUMBER, load, plain_text, write
from bench.throwaway import throwaway_store
from ragraph.tuning.evidence import interval

if TYPE_CHECKING:
    from bench.structure_qa.make import StructureQuestion
    from ragraph import Store

BUDGET = 1024
"""Tokens of context."""

DEPTH = 40
KINDS = ("table", "entry", "note", "section")
DEFAULT = "ragraph: default"

Line = Callable[["StructureQuestion"], str]

HEAD = f"""# Questions that need the structure of a document, measured

<!-- Written by `make bench-structure-qa`; not to be edited. -->

Questions on articles under CC BY, made from their JATS by their stated references and sections
([questions.jsonl](../structure_qa/questions.jsonl), [licence](../structure_qa/LICENCE.md)):

- table: a sentence refers to a table; the share of the numbers of that table that are in the context.
- entry: a sentence cites an entry; whether its title is in the context.
- note: a table has a note; the share of its words that are in the context, in order.
- section: words that other sections have more often; whether the sentence of the section asked for is in the context.

Each is asked within its article; a context has {BUDGET:,} tokens. Flat chunks get the text of the same XML with rows of
tables, notes and entries. "With its options" passes what the question states: the section as scope, else hits with the
notes, entries and tables that they refer to. In brackets: 95 % intervals by article.
"""


def main() -> None:
    """Run the benchmark and print its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", type=int, help="make the set again, from so many articles")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    arguments = parser.parse_args()
    data = os.environ.get("RAGRAPH_DATA")
    if not data:
        sys.exit("Say where the data sets are: RAGRAPH_DATA=DIR")
    articles = Path(data) / "evidence_inference" / "xml"
    if arguments.make:
        write(sorted(articles.iterdir())[: arguments.make])
    asked = load()
    files = {question.document: articles / question.document for question in asked}
    model = CachedModel(cache_folder())
    with throwaway_store() as store:
        ids = ingest_files(store, files, "structure", model)
        lines = {**chunks(files, model), **ours(store, ids)}
        found = {name: [score(question, line(question)) for question in asked] for name, line in lines.items()}
    page = report(asked, found)
    print(page)
    if arguments.write:
        arguments.write.write_text(page, encoding="utf-8")


def chunks(files: dict[str, Path], model: CachedModel) -> dict[str, Line]:
    """Return the lines of flat chunks."""
    texts = {name: plain_text(path) for name, path in files.items()}
    lines: dict[str, Line] = {}
    for name, cutter in (
        ("LangChain, 1000/200", langchain_recursive),
        ("LlamaIndex, 256/50", llamaindex_sentences),
    ):
        pieces = {document: cutter(text) for document, text in texts.items()}
        ranker = Ranker(pieces, model, "both")

        def line(question: StructureQuestion, pieces: dict[str, list[str]] = pieces, ranker: Ranker = ranker) -> str:
            best = ranker.ranked(question.text, question.document, DEPTH)
            return cut("\n\n".join(pieces[piece.document][piece.place] for piece in best), [BUDGET])[0]

        lines[f"{name}, BM25 + vectors"] = line
    return lines


def ours(store: Store, ids: dict[str, str]) -> dict[str, Line]:
    """Return the lines of ragraph: without settings, and with the options that a question calls for."""

    def default(question: StructureQuestion) -> str:
        return store.context(question.text, BUDGET, document=ids[question.document]).text

    def told(question: StructureQuestion) -> str:
        document = ids[question.document]
        if question.section:
            words = question.text.partition(" (in the section")[0]
            # an abstract may have a section of the same title before that of the body
            named = [entry.component_id for entry in store.toc(document) if entry.title == question.section]
            return store.context(words, BUDGET, document=document, section=named[-1:]).text
        hits = store.search(question.text, k=3, document=document)
        context = store.expand(
            hits, "none", BUDGET, whole_nodes=True, notes=True, captions=True, citations=True, cross_references=True
        )
        return context.text

    return {DEFAULT: default, "ragraph: with its options": told}


def score(question: StructureQuestion, context: str) -> float:
    """Return how much of the answer of a question is in a context, 0 to 1."""
    if question.kind == "table":
        return len(set(question.answer) & set(NUMBER.findall(context))) / len(question.answer)
    (answer,) = question.answer
    words, held = letters(answer), " ".join(letters(context))
    if question.kind == "note":
        grams = [" ".join(words[place : place + 3]) for place in range(max(len(words) - 2, 1))]
        return sum(gram in held for gram in grams) / len(grams)
    return float(" ".join(words) in held)


def letters(text: str) -> list[str]:
    """Return the words of a text in lower case, without references in brackets and signs."""
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()


def report(asked: list[StructureQuestion], found: dict[str, list[float]]) -> str:
    """Return the page."""
    counts = {kind: sum(question.kind == kind for question in asked) for kind in KINDS}
    documents = [question.document for question in asked]
    lines = [
        HEAD,
        f"{len(asked)} questions on {len(set(documents))} articles: "
        + ", ".join(f"{number} {kind}" for kind, number in counts.items())
        + ".",
        "",
        f"| line | {' | '.join(KINDS)} | all |",
        f"| --- | {' | '.join('---:' for _ in KINDS)} | ---: |",
    ]
    for name, figures in found.items():
        cells = [
            f"{np.mean([figure for question, figure in zip(asked, figures, strict=True) if question.kind == kind]):.2f}"
            for kind in KINDS
        ]
        low, high = interval(figures, documents)
        lines.append(f"| {name} | {' | '.join(cells)} | {np.mean(figures):.2f} ({low:.2f} to {high:.2f}) |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
