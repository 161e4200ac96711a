"""The tables of the benchmark of pages: for the terminal, and as the page bench/results/retrieval-pages.md."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rich.table import Table

from bench.pages.measure import MEASURES, NUMBERS
from bench.retrieval.settings import DEFAULT, OURS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from bench.pages.data import PageQuestion
    from bench.pages.measure import Asked

_INTRODUCTION = """# Retrieval of PDF pages, measured

<!-- Written by `make bench-pages`; not to be edited. -->

Questions on PDF files whose answers are on known pages: reports of companies ([financebench]), and papers, reports,
guidebooks, brochures and slides ([MMLongBench-Doc]). Each question is asked within its document.

- hit@k: a page with evidence is among the first k pages found. The pages of a line are those of its hits, in order.
- numbers: the share of the numbers of the evidence (financebench), or of the answer (MMLongBench-Doc), that are in
  2,048 tokens of context. Numbers of one digit, and those in the question, are left out. Questions without any number
  do not count.
- Page chunks: a piece is a page, or a part of one from LangChain's splitter (1,000 characters, 200 of them shared).
  Complete pieces are returned, best first. The model (all-MiniLM-L6-v2) reads 256 tokens of a piece. BM25 is bm25s's,
  with stems, counted within the document. Both are fused by rank. {texts} reads the text of pages; pypdfium2's and
  docling-parse's gave the same by BM25, within two questions of 128.
- Files without words (scans, slides saved as images) are left out: {left_out}.
- Questions that are meant to have no answer are left out. A question with evidence of two kinds counts in both.
- {which}

[financebench]: https://github.com/patronus-ai/financebench
[MMLongBench-Doc]: https://github.com/mayubo2333/MMLongBench-Doc
"""


def summary(console: Console, asked: Asked, name: str) -> None:
    """Print a table."""
    table = Table(f"{name} ({len(asked.questions)} questions)", *MEASURES, box=None)
    for line in asked.found:
        table.add_row(line, *(_figure(asked.mean(line, measure)) for measure in MEASURES))
    console.print(table)


def report(asked: Asked, *, texts: str, left_out: int, which: str) -> str:
    """Return the page, in Markdown."""
    lines = [_INTRODUCTION.format(texts=texts, left_out=left_out, which=which)]
    for name, part in parts(asked):
        lines += [f"## {name}", "", _size(part), "", *_means(part)]
        if part is asked:
            lines += ["", *_differences(part)]
        lines.append("")
    return "\n".join(lines)


def parts(asked: Asked) -> Iterator[tuple[str, Asked]]:
    """Yield all questions, then those of each kind of evidence, then of each kind of document."""
    yield "All questions", asked
    for source in sorted({source for question in asked.questions for source in question.sources}):
        yield f"Evidence: {source}", asked.part(partial(_of_source, source))
    for kind in sorted({question.kind for question in asked.questions}):
        yield f"Documents: {kind}", asked.part(partial(_of_kind, kind))


def _of_source(source: str, question: PageQuestion) -> bool:
    return source in question.sources


def _of_kind(kind: str, question: PageQuestion) -> bool:
    return question.kind == kind


def _size(asked: Asked) -> str:
    documents = len({question.document for question in asked.questions})
    counted = sum(bool(question.numbers) for question in asked.questions)
    return f"{len(asked.questions)} questions on {documents} documents, {counted} of them with numbers."


def _means(asked: Asked) -> Iterator[str]:
    yield from _header(["line", *MEASURES])
    for line in asked.found:
        name = f"**{line}**" if line == DEFAULT else line
        yield _row([name, *(_figure(asked.mean(line, measure)) for measure in MEASURES)])


def _differences(asked: Asked) -> Iterator[str]:
    if DEFAULT not in asked.found:
        return
    shown = ("hit@1", "hit@5", NUMBERS)
    yield f"{DEFAULT} minus line, 95 % intervals:"
    yield ""
    yield from _header(["line", *(f"{measure}, by {unit}" for measure in shown for unit in ("question", "document"))])
    for line in asked.found:
        if not line.startswith(OURS):
            cells = [
                _interval(asked.difference(DEFAULT, line, measure, by_document=by_document))
                for measure in shown
                for by_document in (False, True)
            ]
            yield _row([line, *cells])


def _header(cells: Sequence[str]) -> Iterator[str]:
    yield _row(cells)
    yield _row(["---", *["---:"] * (len(cells) - 1)])


def _interval(found: tuple[float, float, float] | None) -> str:
    return "–" if found is None else f"{found[0]:+.3f} ({found[1]:+.3f} to {found[2]:+.3f})"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
