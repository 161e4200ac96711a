"""The tables of the benchmark: for the terminal, and as the page bench/results/retrieval.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from bench.retrieval.lines import BUDGETS
from bench.retrieval.settings import DEFAULT, OURS, TUNED, WITH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from bench.retrieval.measure import Measured

_TOKENS = tuple(f"{budget:,}" for budget in BUDGETS)
_INTRODUCTION = """# Retrieval, measured

<!-- Written by `make bench-retrieval`; not to be edited. -->

How much of the evidence that people marked is in a context of a given size. Every line answers the same questions with
the same embedding model, all-MiniLM-L6-v2, or with the one that ends its name. Its context is cut off after 512, 1,024
and 2,048 tokens of all-MiniLM-L6-v2, with headings and titles. A token of the evidence counts as found if the context
has the run of 32 letters and digits around it, or the complete passage if that is shorter
([bench/retrieval/metrics.py]).

- evidence_inference: questions on clinical trials, with evidence marked by doctors. ragraph and docling read the JATS
  file. The other peers split the plain text that comes with the data.
- cuad: questions by category of clause, with clauses marked by lawyers. The categories for names and dates of the title
  page are left out. ragraph reads the TXT or the PDF file. The peers split the TXT file in both cases, so they lose
  nothing by reading a PDF.
- cuad_named: one question for each of these contracts, with its first two parties in the question, over all contracts.
- Peers run with their own classes. Fixed windows and LlamaIndex's splitter have sizes that the model can read. The
  AutoMergingRetriever has its own default sizes, and ranks half as many leaves again as fill the budget. Unless stated
  otherwise, vectors rank, and complete pieces are returned.
- The other lines of others are as strong as we could make them on the documents that settings are chosen on: stop
  words, stems, parameters of BM25 and of the fusion, shares, sentences around. BM25 is bm25s's (k1 0.9, b 0.75),
  counted within the scope of the question. Both are fused by rank (constant 60).
- "then sentences": the sentences of the best 60 pieces, by the score of their piece (0.25) and BM25 among these
  sentences (0.75). Sentences are sentencex's; those under 60 characters are joined with the next. A sentence window is
  a sentence and its neighbours (LlamaIndex's SentenceWindowNodeParser); no text is returned twice.
- "no stems": stems help on contracts and cost on articles, so some lines are without. "title in front": the title of
  the document is in front of each piece when it is ranked, and above its pieces in the context.
- "names", only over many documents: the best 2,000 pieces are ranked once more. Words of the question that at most a
  tenth of the documents found have count in each piece, and each sentence, of the documents that have them. To a score
  from 0 to 1 the part of these words that its document has is added, by rarity ([bench/retrieval/names.py]). Our
  default does the same ([decision 12](../../docs/decisions/0012-the-default-context.md)).
- recall and nDCG are of the ranking behind the context: nodes, pieces or leaves with at least 16 tokens of a passage,
  or half of it. They do not compare lines with different items.
- Documents are drawn by hash. Intervals are 95 % bootstrap intervals of the paired difference, by question and by
  document, because questions of a document are not independent.

[bench/retrieval/metrics.py]: ../retrieval/metrics.py
[bench/retrieval/names.py]: ../retrieval/names.py
"""


def summary(console: Console, measured: Measured) -> None:
    """Print the table of a scope."""
    table = Table(f"{measured.name} ({len(measured.questions)} questions)", *_TOKENS, "default - line, 512", box=None)
    means = measured.means()
    for line in _ordered(measured):
        compared = line != DEFAULT and DEFAULT in means
        low, high = measured.interval(DEFAULT, line, 0) if compared else (0, 0)
        difference = f"{low:+.3f} to {high:+.3f}" if compared else ""
        table.add_row(line, *(f"{share:.3f}" for share in means[line]), difference)
    console.print(table)


def report(scopes: Sequence[Measured], *, development: bool, note: str = "") -> str:
    """Return the page, in Markdown; ``note`` says what is particular to the run."""
    which = "these documents" if development else "other documents than these"
    lines = [_INTRODUCTION, f"Settings were chosen on {which} (40 articles, 20 contracts)."]
    lines += ["", note] if note else []
    for measured in scopes:
        documents = len({question.document for question in measured.questions})
        lines += ["", f"## {measured.name}", "", f"{len(measured.questions)} questions on {documents} documents."]
        lines += _shares(measured)
        for ours in (line for line in measured.found if line.startswith((DEFAULT, TUNED))):
            if _others(measured, ours):
                lines += ["", *_lead(measured, ours), "", *_differences(measured, ours)]
    return "\n".join(lines) + "\n"


def _shares(measured: Measured) -> Iterator[str]:
    # lines of earlier runs may have none
    ranks = list(dict.fromkeys(rank for found in measured.ranks.values() for rank in found))
    means = measured.means()
    yield ""
    yield _row(["line", *(f"{tokens} tokens" for tokens in _TOKENS), *ranks])
    yield _row(["---", *["---:"] * (len(BUDGETS) + len(ranks))])
    for line in _ordered(measured):
        name = f"**{line}**" if line.startswith((DEFAULT, TUNED)) else line
        figures = [f"{share:.3f}" for share in means[line]]
        held = measured.ranks.get(line, {})
        yield _row([name, *figures, *(f"{held[rank]:.3f}" if rank in held else "–" for rank in ranks)])


def _lead(measured: Measured, ours: str) -> Iterator[str]:
    """Yield the lead of one of our lines over the strongest line of others, budget by budget."""
    means = measured.means()
    yield f"{ours} over the strongest line of others at each budget, 95 % intervals by document:"
    yield ""
    for place, tokens in enumerate(_TOKENS):
        best = max(_others(measured, ours), key=lambda line: means[line][place])
        cell = _cell(measured, ours, best, place, by_document=True)
        yield f"- {tokens} tokens: {cell}, over {best} ({means[best][place]:.3f})"


def _differences(measured: Measured, ours: str) -> Iterator[str]:
    columns = [f"{tokens}, by {unit}" for tokens in _TOKENS for unit in ("question", "document")]
    yield f"{ours} minus line, 95 % intervals:"
    yield ""
    yield _row(["line", *columns])
    yield _row(["---", *["---:"] * len(columns)])
    for line in _others(measured, ours):
        cells = [
            _cell(measured, ours, line, place, by_document=by_document)
            for place in range(len(BUDGETS))
            for by_document in (False, True)
        ]
        yield _row([line, *cells])


def _cell(measured: Measured, ours: str, line: str, place: int, *, by_document: bool) -> str:
    low, high = measured.interval(ours, line, place, by_document=by_document)
    return f"{measured.difference(ours, line, place):+.3f} ({low:+.3f} to {high:+.3f})"


def _others(measured: Measured, ours: str) -> list[str]:
    """Return the lines of others that one of ours is compared with: all but those of another model than its own."""
    models = {"", ours.partition(WITH)[2]}
    return [line for line in measured.found if not line.startswith(OURS) and line.partition(WITH)[2] in models]


def _ordered(measured: Measured) -> list[str]:
    """Return the lines, those of others first, then ours, default and tuned last."""
    return sorted(
        measured.found, key=lambda line: (line.startswith(TUNED), line.startswith(DEFAULT), line.startswith(OURS))
    )


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
