"""The part of the store's face that learns from judged questions: rankers of sentences, and how well it answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragraph.base.arguments import check_methods
from ragraph.base.defaults import BUDGETS, CURRENT_MODEL, DEFAULT_MODE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
    """Methods of ``Store``."""

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
        **options: Any,
    ) -> TuneReport:
        """Fit a ranker of sentences on judged questions of a collection; its contexts go by it from then on.

        Args:
            questions: a JSONL file (docs/how-to/tuning.md), or ``ragraph.tuning.questions.Question``s, or mappings
                like them.
            collection: whose questions they are, where they name no documents.
            **options: as of ``ragraph.tuning.tune.Tuning.tune``: ``model``, ``mode``, ``progress``.

        Raises:
            TuningError: the file cannot be read, too few questions, several collections, or no sure gain (``report``
                has the figures); nothing was stored.
            DocumentNotFoundError: a question names a document that is not there.
        """
        return self._tuning.tune(questions, collection, **options)

    def rankers(self) -> list[SentenceRanker]:
        """Return the rankers that were fitted, by collection, the newest first."""
        return self._tuning.rankers()

    def forget_ranker(self, collection: str, version: int | None = None) -> int:
        """Remove one ranker or all of a collection, return how many; ``TuningError`` if there is none.

        The newest that is left is in use then.
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
        """Return how well the store answers judged questions, by mode and scope.

        Relevant are the nodes that hold 16 tokens of a passage, or half of it; of questions that name pages alone, the
        pages. What stands nowhere counts as not found.

        Args:
            questions: a JSONL file (docs/how-to/evaluation.md), or ``ragraph.tuning.questions.Question``s, or mappings
                like them.
            modes: how to search: ``hybrid``, ``vector``, ``text``, ``graph``; one or several.
            scopes: where to search: ``document``, in the document that a question names; ``collection``; ``store``.
            k: how many hits to look at.
            budgets: of contexts whose share of the evidence is measured, in tokens; none measures no contexts.
            model: embedding model.
            collection: where to look for questions that name no document and no collection.
            progress: called with how many searches were made, of how many.

        Raises:
            TuningError: the questions cannot be read, or there are none.
            DocumentNotFoundError: a question names a document that is not there.
            ArgumentError, ModelNotFoundError: as of ``search``.
        """
        from ragraph.evaluation.evaluate import evaluate

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

    def make_questions(
        self,
        number: int = 50,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        seed: int = 1,
    ) -> list[Question]:
        """Return questions made of headings, captions and notes, each with the text that answers it and its boxes.

        To be corrected by hand: nobody asks in the words of a heading.

        Args:
            number: how many at most.
            document: of these documents: ids.
            collection: of this collection.
            seed: another one draws others.
        """
        from ragraph.evaluation.make import make_questions

        return make_questions(cast("Held", self), number, document, collection, seed)
