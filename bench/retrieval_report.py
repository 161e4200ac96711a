"""The tables of the benchmark: for the terminal, and as the page docs/retrieval.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from bench.retrieval_lines import BUDGETS
from bench.retrieval_metrics import interval
from bench.retrieval_settings import DEFAULT, PEERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from bench.retrieval import Setting

_TOKENS = tuple(f"{budget:,}" for budget in BUDGETS)
_INTRODUCTION = """# Retrieval, measured

<!-- Written by `make bench-retrieval`; not to be edited. -->

How much of the evidence that people marked lies in a context of so many tokens. Every line answers the same questions
with the same embedding model (all-MiniLM-L6-v2); its context is cut off after 512, 1,024 and 2,048 tokens of that
model, headings and titles included. A token of the evidence counts as found when it lies in a run of 32 letters and
digits, or in the whole passage if that is shorter, which the context holds too ([bench/retrieval_metrics.py]).

- evidence_inference: questions on clinical trials, evidence marked by doctors. ragraph reads the JATS file, docling
  too; the other peers cut the plain text that comes with the data.
- cuad: questions by category of clause, clauses marked by lawyers; the categories for names and dates of the title
  page are left out. ragraph reads the TXT or the PDF file; the peers cut the TXT in both cases, which spares them what
  reading a PDF loses.
- Peers run by their own classes. Fixed windows and LlamaIndex's splitter have sizes that the model can read; the
  AutoMergingRetriever has its own default sizes and ranks half as many leaves again as fill the budget.
- recall and nDCG are of the ranking behind the context: nodes, pieces or leaves that hold at least 16 tokens of a
  passage (or half of it). Lines with other items cannot be compared by them.
- Documents are taken by hash. Intervals are 95 % bootstrap intervals of the paired difference, by question and by
  document (questions of a document are not independent).

[bench/retrieval_metrics.py]: ../bench/retrieval_metrics.py
"""


def summary(console: Console, setting: Setting) -> None:
    """Print the table of a setting."""
    table = Table(f"{setting.name} ({len(setting.questions)} questions)", *_TOKENS, "default - line, 512", box=None)
    for line, shares in _ordered(setting):
        low, high = _interval(setting, line, 0, by_document=True)
        difference = "" if line == DEFAULT.name or low is None else f"{low:+.3f} to {high:+.3f}"
        table.add_row(line, *(f"{share:.3f}" for share in shares), difference)
    console.print(table)


def report(settings: Sequence[Setting], *, tuned: bool) -> str:
    """Return the page, in Markdown."""
    which = "Settings were chosen on these documents" if tuned else "Settings were chosen on other documents than these"
    lines = [_INTRODUCTION, f"{which} (40 articles, 20 contracts)."]
    for setting in settings:
        documents = len({question.document for question in setting.questions})
        lines += ["", f"## {setting.name}", "", f"{len(setting.questions)} questions on {documents} documents."]
        lines += _shares(setting)
        lines += _differences(setting)
    return "\n".join(lines) + "\n"


def _shares(setting: Setting) -> list[str]:
    header = ["line", *(f"{tokens} tokens" for tokens in _TOKENS)]
    ranks = list(next(iter(setting.ranks.values()), {}))
    lines = ["", _row([*header, *ranks]), _row(["---", *["---:"] * (len(BUDGETS) + len(ranks))])]
    for line, shares in _ordered(setting):
        name = f"**{line}**" if line == DEFAULT.name else line
        figures = [f"{share:.3f}" for share in shares]
        lines.append(_row([name, *figures, *(f"{setting.ranks[line][rank]:.3f}" for rank in ranks)]))
    return lines


def _differences(setting: Setting) -> list[str]:
    peers = [line for line, _ in _ordered(setting) if line.startswith(PEERS)]
    if DEFAULT.name not in setting.found or not peers:
        return []
    columns = [f"{tokens}, by {unit}" for tokens in _TOKENS for unit in ("question", "document")]
    lines = [
        "",
        "Default minus line, 95 % intervals:",
        "",
        _row(["line", *columns]),
        _row(["---", *["---:"] * len(columns)]),
    ]
    for line in peers:
        cells = []
        for place in range(len(BUDGETS)):
            mean = float(np.mean(_difference(setting, line, place)))
            for by_document in (False, True):
                low, high = _interval(setting, line, place, by_document=by_document)
                cells.append(f"{mean:+.3f} ({low:+.3f} to {high:+.3f})")
        lines.append(_row([line, *cells]))
    return lines


def _ordered(setting: Setting) -> list[tuple[str, list[float]]]:
    """Return the lines with their means, the peers first, then ours, the default last."""
    means = {
        line: np.mean(rows, axis=0).tolist() if rows else [0.0] * len(BUDGETS) for line, rows in setting.found.items()
    }
    return sorted(means.items(), key=lambda item: (item[0] == DEFAULT.name, not item[0].startswith(PEERS)))


def _difference(setting: Setting, line: str, place: int) -> list[float]:
    pairs = zip(setting.found[DEFAULT.name], setting.found[line], strict=True)
    return [ours[place] - theirs[place] for ours, theirs in pairs]


def _interval(setting: Setting, line: str, place: int, *, by_document: bool) -> tuple[float | None, float | None]:
    if DEFAULT.name not in setting.found or not setting.questions:
        return None, None
    clusters = [question.document for question in setting.questions] if by_document else None
    return interval(_difference(setting, line, place), clusters)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
