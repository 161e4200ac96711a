"""Ask ragraph and flat chunks the questions of ``questions.jsonl``; `make bench-structure-qa`.

    RAGRAPH_DATA=../data python -m bench.structure_qa --write bench/results/structure-qa.md

Each question is asked within its document. ``--make N`` makes the set again, from the first N articles and the books.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.store import ingest_files
from bench.structure.peers import Peers
from bench.structure_qa.make import NUMBER, write
from bench.structure_qa.others import BUDGET, others
from bench.structure_qa.questions import letters, load
from bench.throwaway import throwaway_store
from ragraph.tuning.evidence import interval

if TYPE_CHECKING:
    from bench.structure_qa.others import Line
    from bench.structure_qa.questions import StructureQuestion
    from ragraph import Store

KINDS = ("table", "entry", "note", "section", "page")
DEFAULT = "ragraph: default"

HEAD = f"""# Questions that need the structure of a document, measured

<!-- Written by `make bench-structure-qa`; not to be edited. -->

Questions on articles under CC BY, made from their JATS by their stated references and sections, and on an EPUB and
four PDF books ([questions.jsonl](../structure_qa/questions.jsonl), [licence](../structure_qa/LICENCE.md)):

- table: a sentence refers to a table; the share of the numbers of that table that are in the context.
- entry: a sentence cites an entry; whether its title is in the context.
- note: a table has a note, or a sentence of the EPUB refers to one; the share of its words that are in the context, in
  order.
- section: words that other sections have more often; whether the sentence of the section asked for is in the context.
- page: words that other pages of the PDF have more often; whether the sentence of the page asked for is in the context.

Each is asked within its document; a context has {BUDGET:,} tokens. BM25 and vectors rank the pieces of others. Flat
chunks get the text of the same file: of XML with rows of tables, notes and entries, of PDF as PDFium returns it.
PageIndex's tree (0.4.7, without a model) is of the PDF files alone; a question that names one of its titles, or a
page, is asked there. "With its options" passes what the question states: the section or page as scope, else hits with
the notes, entries and tables that they refer to. In brackets: 95 % intervals by document.
"""


def main() -> None:
    """Run the benchmark and print its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", type=int, help="make the set again, from so many articles")
    parser.add_argument("--pageindex", type=Path, help="Python of an environment with pageindex 0.4.7")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    arguments = parser.parse_args()
    data = os.environ.get("RAGRAPH_DATA")
    if not data:
        sys.exit("Say where the data sets are: RAGRAPH_DATA=DIR")
    if arguments.make:
        write(Path(data), arguments.make)
    asked = load()
    files = {question.document: Path(data) / question.path for question in asked}
    model = CachedModel(cache_folder())
    with throwaway_store() as store:
        ids = ingest_files(store, files, "structure", model)
        peers = Peers(arguments.pageindex, cache_folder() / "peers") if arguments.pageindex else None
        lines: dict[str, Line] = {**others(files, model, peers), **ours(store, ids)}
        found = {name: [score(question, line(question)) for question in asked] for name, line in lines.items()}
    page = report(asked, found)
    print(page)
    if arguments.write:
        arguments.write.write_text(page, encoding="utf-8")


def ours(store: Store, ids: dict[str, str]) -> dict[str, Line]:
    """Return the lines of ragraph: without settings, and with the options that a question calls for."""

    def default(question: StructureQuestion) -> str:
        return store.context(question.text, BUDGET, document=ids[question.document]).text

    def told(question: StructureQuestion) -> str:
        document = ids[question.document]
        words = question.text.partition(" (")[0]
        if question.page:
            return store.context(words, BUDGET, document=document, pages=(question.page, question.page)).text
        if question.section:
            return store.context(words, BUDGET, document=document, section=question.section).text
        hits = store.search(question.text, k=3, document=document)
        context = store.expand(
            hits, "none", BUDGET, whole_nodes=True, notes=True, captions=True, citations=True, cross_references=True
        )
        return context.text

    return {DEFAULT: default, "ragraph: with its options": told}


def score(question: StructureQuestion, context: str | None) -> float | None:
    """Return how much of the answer of a question is in a context, 0 to 1; None for a document that was not read."""
    if context is None:
        return None
    if question.kind == "table":
        return len(set(question.answer) & set(NUMBER.findall(context))) / len(question.answer)
    (answer,) = question.answer
    words, held = letters(answer), " ".join(letters(context))
    if question.kind == "note":
        grams = [" ".join(words[place : place + 3]) for place in range(max(len(words) - 2, 1))]
        return sum(gram in held for gram in grams) / len(grams)
    return float(" ".join(words) in held)


def report(asked: list[StructureQuestion], found: dict[str, list[float | None]]) -> str:
    """Return the page."""
    counts = {kind: sum(question.kind == kind for question in asked) for kind in KINDS}
    lines = [
        HEAD,
        f"{len(asked)} questions on {len({question.document for question in asked})} documents: "
        + ", ".join(f"{number} {kind}" for kind, number in counts.items())
        + ".",
        "",
        f"| line | {' | '.join(KINDS)} | all | PDF |",
        f"| --- | {' | '.join('---:' for _ in KINDS)} | ---: | ---: |",
    ]
    for name, figures in found.items():
        read = [(question, figure) for question, figure in zip(asked, figures, strict=True) if figure is not None]
        cells = [
            _mean([figure for question, figure in read if question.kind == kind])
            if sum(question.kind == kind for question, _ in read) == counts[kind]
            else "–"
            for kind in KINDS
        ]
        whole = "–"
        if len(read) == len(asked):
            low, high = interval([figure for _, figure in read], [question.document for question, _ in read])
            whole = f"{_mean([figure for _, figure in read])} ({low:.2f} to {high:.2f})"
        of_pdf = _mean([figure for question, figure in read if question.path.endswith(".pdf")])
        lines.append(f"| {name} | {' | '.join(cells)} | {whole} | {of_pdf} |")
    return "\n".join([*lines, ""])


def _mean(figures: list[float]) -> str:
    return f"{np.mean(figures):.2f}" if figures else "–"


if __name__ == "__main__":
    main()
