"""Questions asked of lines: is a page with the evidence among the first, and are its numbers in the context?"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from rich.progress import track

from bench.pages.data import numbers
from ragraph.tuning.evidence import interval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.pages.data import PageQuestion
    from bench.pages.lines import PageLine

DEPTHS = (1, 3, 5, 10)
NUMBERS = "numbers"
MEASURES = (*(f"hit@{depth}" for depth in DEPTHS), NUMBERS)


@dataclass
class Asked:
    """Questions, and the results of each line.

    Attributes:
        questions: questions in the order of all figures.
        found: a figure per question, 0 to 1, by line and measure; NaN if the question has no numbers.
    """

    questions: Sequence[PageQuestion]
    found: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def ask(self, line: PageLine) -> None:
        """Ask a line all questions."""
        rows = []
        for question in track(self.questions, line.name[:40], transient=True, disable=not sys.stdout.isatty()):
            answer = line.answer(question)
            hits = [float(not question.pages.isdisjoint(answer.pages[:depth])) for depth in DEPTHS]
            rows.append([*hits, share(question.numbers, answer.context)])
        columns = zip(*rows, strict=True) if rows else [()] * len(MEASURES)
        self.found[line.name] = {name: list(column) for name, column in zip(MEASURES, columns, strict=True)}

    def add(self, lines: Mapping[str, dict[str, list[float]]]) -> None:
        """Add lines of an earlier run; then sort all by their names.

        Raises:
            ValueError: it asked another number of questions.
        """
        for line, measures in lines.items():
            if any(len(figures) != len(self.questions) for figures in measures.values()):
                raise ValueError(f"{line} was not asked {len(self.questions)} questions")
        self.found = dict(sorted({**lines, **self.found}.items()))

    def part(self, keep: Callable[[PageQuestion], bool]) -> Asked:
        """Return the same for some of the questions."""
        kept = [place for place, question in enumerate(self.questions) if keep(question)]
        found = {
            line: {name: [figures[place] for place in kept] for name, figures in measures.items()}
            for line, measures in self.found.items()
        }
        return Asked([self.questions[place] for place in kept], found)

    def mean(self, line: str, measure: str) -> float | None:
        """Return the mean over the questions that have this measure; None if there are none."""
        figures = [figure for figure in self.found[line][measure] if not np.isnan(figure)]
        return float(np.mean(figures)) if figures else None

    def difference(
        self, ours: str, theirs: str, measure: str, *, by_document: bool
    ) -> tuple[float, float, float] | None:
        """Return the mean difference of two lines and its 95 % bootstrap interval; None if no question counts."""
        pairs = zip(self.questions, self.found[ours][measure], self.found[theirs][measure], strict=True)
        kept = [(question.document, mine - other) for question, mine, other in pairs if not np.isnan(mine)]
        if not kept:
            return None
        differences = [difference for _, difference in kept]
        low, high = interval(differences, [document for document, _ in kept] if by_document else None)
        return float(np.mean(differences)), low, high


def share(wanted: frozenset[str], context: str) -> float:
    """Return the share of numbers that are in a context; NaN if none are wanted."""
    return len(wanted & numbers(context)) / len(wanted) if wanted else float("nan")
