"""Questions asked of lines, and how much of their evidence each line found.

From Python, for experiments on the documents that settings are chosen on::

    with kept_store() as store:
        model = CachedModel(cache_folder())
        (corpus,) = corpora(Path("../data"), development=True, names=["evidence_inference"])
        asked = Measured.of(corpus, whole=False)
        asked.ask(ContextLine("mine", store, ingest(store, corpus, model), {"k": 100}))
        asked.ask(opponent("sentences, BM25", corpus, model))
        asked.means(), asked.difference("mine", "sentences, BM25", 0), asked.interval("mine", "sentences, BM25", 0)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.progress import track

from bench.retrieval.lines import BUDGETS
from bench.retrieval.metrics import ranking
from ragraph.tuning.evidence import Evidence, interval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.retrieval.data import Corpus, Question
    from bench.retrieval.lines import Line


@dataclass
class Measured:
    """Questions under one scope, and the results of each line.

    Attributes:
        name: corpus and scope.
        questions: questions in the order of all figures.
        whole: whether they are asked over all documents, not within the question's own.
        found: share of the evidence per question and budget, by line.
        ranks: recall and nDCG by line.
    """

    name: str
    questions: list[Question]
    whole: bool
    found: dict[str, list[list[float]]] = field(default_factory=dict)
    ranks: dict[str, dict[str, float]] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict, repr=False)
    relevant: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, corpus: Corpus, *, whole: bool) -> Measured:
        """Return the questions of a corpus, not asked yet."""
        scope = f"over {len(corpus.files)} documents" if whole else "within the document"
        evidence = {question.id: Evidence(question.evidence) for question in corpus.questions}
        return cls(f"{corpus.name}, {scope}", list(corpus.questions), whole, evidence=evidence)

    def ask(self, line: Line) -> None:
        """Ask a line all questions."""
        rankings: dict[str, list[str]] = {}
        judged: dict[str, list[str]] = {}
        found: list[list[float]] = []
        for question in track(self.questions, line.name[:40], transient=True, disable=not sys.stdout.isatty()):
            answer = line.answer(question, whole=self.whole)
            found.append([self.evidence[question.id].found(context) for context in answer.contexts])
            rankings[question.id] = [item for item, _ in answer.ranking]
            judged[question.id] = [item for item, text in line.items(question.document) if self._judge(question, text)]
        assert all(len(shares) == len(BUDGETS) for shares in found)
        self.found[line.name] = found
        self.ranks[line.name] = ranking(rankings, judged)

    def to_json(self) -> dict[str, dict[str, Any]]:
        """Return the results of each line, for ``add`` of another run on the same questions."""
        return {line: {"found": rows, "ranks": self.ranks.get(line, {})} for line, rows in self.found.items()}

    def add(self, lines: Mapping[str, Mapping[str, Any]]) -> None:
        """Add lines of an earlier run.

        Raises:
            ValueError: it asked another number of questions.
        """
        for line, figures in lines.items():
            if len(figures["found"]) != len(self.questions):
                raise ValueError(f"{line} was asked {len(figures['found'])} questions, not {len(self.questions)}")
            self.found[line] = figures["found"]
            self.ranks[line] = figures["ranks"]

    def part(self, name: str, keep: Callable[[Question], bool]) -> Measured:
        """Return the same for some of the questions, without ranks."""
        kept = [place for place, question in enumerate(self.questions) if keep(question)]
        found = {line: [rows[place] for place in kept] for line, rows in self.found.items()}
        return Measured(name, [self.questions[place] for place in kept], self.whole, found)

    def means(self) -> dict[str, list[float]]:
        """Return the mean share of each line per budget."""
        none = [0.0] * len(BUDGETS)
        return {line: np.mean(rows, axis=0).tolist() if rows else none for line, rows in self.found.items()}

    def difference(self, ours: str, theirs: str, budget: int) -> float:
        """Return the mean difference of two lines; ``budget`` is an index of ``BUDGETS``."""
        return float(np.mean(self._differences(ours, theirs, budget)))

    def interval(self, ours: str, theirs: str, budget: int, *, by_document: bool = True) -> tuple[float, float]:
        """Return its 95 % bootstrap interval, by document or by question."""
        clusters = [question.document for question in self.questions] if by_document else None
        return interval(self._differences(ours, theirs, budget), clusters)

    def _differences(self, ours: str, theirs: str, budget: int) -> list[float]:
        pairs = zip(self.found[ours], self.found[theirs], strict=True)
        return [mine[budget] - other[budget] for mine, other in pairs]

    def _judge(self, question: Question, text: str) -> bool:
        key = (question.id, text)
        if key not in self.relevant:
            self.relevant[key] = self.evidence[question.id].relevant(text)
        return self.relevant[key]
