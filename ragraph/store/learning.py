"""Methods of ``Store`` that use judged questions: they fit rankers of sentences and evaluate searches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragraph.base.arguments import check_methods
from ragraph.base.defaults import BUDGETS, CONTEXT_MODE, CURRENT_MODEL, DEFAULT_MODE
from ragraph.retrieval.query_log import unlogged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ragraph.base.defaults import ModeName
    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.evaluation.evaluate import Asked
    from ragraph.evaluation.make import Held
    from ragraph.schema.evaluation import EvalReport
    from ragraph.schema.rankers import SentenceRanker, TuneReport
    from ragraph.tuning.questions import Question
    from ragraph.tuning.tune import Tuning


@check_methods
class StoreLearning:
    """Methods of ``Store`` for tuning and evaluation."""

    database: Database
    _ask: QueryRunner

    @property
    def _tuning(self) -> Tuning:
        from ragraph.tuning.tune import Tuning

        return Tuning(self.database, self._ask)

    def tune(
        self,
        questions: str | Path | Iterable[Question | Mapping[str, Any]],
        collection: str | None = None,
        *,
        model: str = CURRENT_MODEL,
        mode: ModeName = CONTEXT_MODE,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> TuneReport:
        """Fit a ranker of sentences on judged questions of a collection, which then uses it for contexts.

        Args:
            questions: a JSONL file (docs/how-to/tuning.md), or ``ragraph.tuning.questions.Question`` objects or
                mappings like them.
            collection: collection of questions that name no documents.
            model: embedding model of the searches, by its name in the store.
            mode: mode of the searches; ``text`` needs no model.
            progress: called with the name of each step, the number of finished questions and the number of all.

        Raises:
            TuningError: the file cannot be read, there are too few questions or several collections, or the gain is not
                certain (``report`` has the figures). Nothing was stored.
            DocumentNotFoundError: a question names a document that does not exist.
        """
        return self._tuning.tune(questions, collection, model=model, mode=mode, progress=progress)

    def rankers(self) -> list[SentenceRanker]:
        """Return the fitted rankers, by collection, the newest first."""
        return self._tuning.rankers()

    def forget_ranker(self, collection: str, version: int | None = None) -> int:
        """Remove one ranker of a collection, or all of them; the newest remaining ranker is then used.

        Args:
            collection: name of the collection.
            version: version of the ranker; None for all.

        Returns:
            The number of rankers removed.

        Raises:
            TuningError: there is no such ranker.
        """
        return self._tuning.forget(collection, version)

    def evaluate(
        self,
        questions: str | Path | Iterable[Question | Mapping[str, Any]],
        *,
        modes: str | Sequence[str] = DEFAULT_MODE,
        scopes: str | Sequence[str] = "document",
        k: int = 10,
        budgets: Sequence[int] = BUDGETS,
        model: str = CURRENT_MODEL,
        collection: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> EvalReport:
        """Measure how well the store answers judged questions, by mode and scope.

        A node is relevant if it has 16 tokens of a passage, or half of a shorter one. For questions that name only
        pages, the pages are relevant. A passage that the store does not have counts as not found.

        Args:
            questions: a JSONL file (docs/how-to/evaluation.md), or ``ragraph.tuning.questions.Question`` objects or
                mappings like them.
            modes: search modes: ``hybrid``, ``vector``, ``text``, ``graph``; one or several.
            scopes: where to search: ``document`` (the document that a question names), ``collection`` or ``store``.
            k: number of hits per search.
            budgets: token budgets of contexts whose share of the evidence is measured; empty to measure no contexts.
            model: embedding model.
            collection: where to search for questions that name no document and no collection.
            progress: called with the number of finished searches and the number of all.

        Raises:
            TuningError: the questions cannot be read, or there are none.
            DocumentNotFoundError: a question names a document that does not exist.
            ArgumentError, ModelNotFoundError: as for ``search``.
        """
        from ragraph.evaluation.evaluate import evaluate

        with unlogged():
            return evaluate(
                cast("Asked", self),
                questions,
                modes=modes,
                scopes=scopes,
                k=k,
                budgets=budgets,
                model=model,
                collection=collection,
                progress=progress,
            )
        raise AssertionError("unreachable")

    def make_questions(
        self,
        number: int = 50,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        seed: int = 1,
    ) -> list[Question]:
        """Make questions of headings, captions and notes, each with the text that answers it and its bounding boxes.

        Correct them by hand, because nobody asks in the words of a heading.

        Args:
            number: maximum number of questions.
            document: only from these documents: ids.
            collection: only from this collection.
            seed: seed of the random choice.
        """
        from ragraph.evaluation.make import make_questions

        return make_questions(cast("Held", self), number, document, collection, seed)
