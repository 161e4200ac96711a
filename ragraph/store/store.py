"""The class ``Store``: ingest documents, search, read, cite."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, cast, get_args

from psycopg.rows import args_row

from ragraph.base.arguments import check_methods, name_options, refusal
from ragraph.base.defaults import Strategy
from ragraph.database.runner import QueryRunner
from ragraph.documents.updating import DocumentChanges
from ragraph.retrieval.context import Switches
from ragraph.retrieval.query_log import QueryLog
from ragraph.retrieval.scope import ScopeOptions
from ragraph.retrieval.search import KnownModels
from ragraph.schema.results import Violation
from ragraph.search import SearchOptions
from ragraph.store.citing import StoreCiting
from ragraph.store.entities import StoreEntities
from ragraph.store.feedback import StoreFeedback
from ragraph.store.ingest_options import AddOptions, AnswerOptions, IngestOptions, ResumeOptions
from ragraph.store.jobs import StoreJobs
from ragraph.store.keeping import StoreKeeping
from ragraph.store.learning import StoreLearning
from ragraph.store.models import StoreModels
from ragraph.store.pictures import StorePictures
from ragraph.store.searching import StoreSearching
from ragraph.store.versions import StoreVersions
from ragraph.store.works import StoreWorks
from ragraph.store.writing import StoreWriting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Literal, Self, Unpack

    from ragraph.answers.answer import Endpoint
    from ragraph.answers.claims import CitedAnswer
    from ragraph.answers.conversation import Exchange
    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets


@check_methods
class Store(
    StoreSearching,
    StoreWriting,
    StoreJobs,
    StoreModels,
    StoreCiting,
    StoreEntities,
    StoreWorks,
    StorePictures,
    StoreVersions,
    StoreLearning,
    StoreFeedback,
    StoreKeeping,
):
    """An open store. Threads may share it; each process opens its own.

    An embedded server that was killed meanwhile is started again. Every method raises ``ServerUnavailableError`` if the
    server is gone for good, ``StoreClosedError`` after ``close``, and the other errors that
    ``ragraph.database.connection.Database`` lists.
    """

    def __init__(self, database: Database, *, assets: Assets | None = None, resources: ExitStack | None = None) -> None:
        self.database = database
        self._resources = resources or ExitStack()
        self.assets = assets
        self._ask = QueryRunner(database)
        self._models = KnownModels()
        self._queries = QueryLog(database, self._ask)

    def __enter__(self) -> Self:
        self.database.check_usable()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and release the embedded server; closing again does nothing."""
        self._resources.close()

    def answer(
        self,
        question: str,
        *,
        llm: Endpoint | str | None = None,
        strategy: Strategy | Literal["navigate"] = "auto",
        history: Sequence[Exchange] | None = None,
        **options: Unpack[AnswerOptions],
    ) -> CitedAnswer:
        """Answer a question from the store by a language model, with every quote checked (extra ``answer``).

        Args:
            question: the question.
            llm: name of the model, or an ``ragraph.answers.answer.Endpoint``; default ``RAGRAPH_LLM_MODEL`` at
                ``RAGRAPH_LLM_URL``.
            strategy: how the context is made, as in ``expand``. With ``navigate`` the model itself reads outlines,
                searches, reads sections and pages and follows references; ``path`` of the answer lists its steps.
            history: earlier questions of a conversation with their answers, the oldest first: answers of this method,
                or ``{"question", "answer"}``. The model first words the question so that it is understood without
                them; ``asked_as`` of the answer has the words. The last ten are read.
            **options: see ``ragraph.store.ingest_options.AnswerOptions``: ``k``, ``token_budget``, ``rerank``,
                ``expand_query``, ``self_query``, ``retries``, ``min_words``, ``progress``, and those of ``search``,
                such as ``document``. With ``navigate``: ``document``, ``collection``, ``filter``, ``max_steps`` (tool
                calls, 16), ``token_budget`` (of their results, 24,000), ``images`` (show pages to a vision model),
                ``retries``, ``min_words``, ``progress``.

        Returns:
            Claims with verified quotes. If the store is not enough, ``sufficient`` is False and ``missing`` says why.

        Raises:
            AnswerError: the model cannot be reached or returns nothing usable, or the extra is not installed.
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as for ``search``.
        """
        from ragraph.answers.answer import Endpoint, answer

        if llm is not None and not isinstance(llm, Endpoint | str):
            raise refusal("llm", "the name of a model, or an Endpoint", llm)
        endpoint = llm if isinstance(llm, Endpoint) else Endpoint(model=llm)
        given = cast("dict[str, Any]", options)  # each of the two refuses options of the other
        if history:
            from ragraph.answers.conversation import follow_up

            return follow_up(
                partial(self.answer, llm=endpoint, strategy=strategy, **given),
                question,
                history,
                endpoint,
                given.get("progress"),
            )
        if strategy not in (known := ("navigate", *get_args(Strategy))):
            raise refusal("strategy", f"one of {', '.join(known)}", strategy)
        if strategy == "navigate":
            from ragraph.answers.navigate import navigate

            return navigate(self, question, endpoint=endpoint, **given)
        return answer(self, question, endpoint=endpoint, strategy=strategy, **given)

    def check(self, document: str | None = None) -> list[Violation]:
        """Return all violations of the schema's rules in a document or the whole store; an empty list if it is sound.

        Args:
            document: id of a document; None for the whole store.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        if document is None:
            return self._ask.rows("check_store", args_row(_violation), {})
        return self._ask.rows("check_document", args_row(_violation), {"document_id": document})


for _part in (Store, *Store.__bases__):
    name_options(
        _part,
        AddOptions,
        AnswerOptions,
        DocumentChanges,
        IngestOptions,
        ResumeOptions,
        ScopeOptions,
        SearchOptions,
        Switches,
    )


def _violation(document_id: str | None, rule: str, object_id: str | None, detail: str) -> Violation:
    return Violation(document_id=document_id, rule=rule, object_id=object_id, detail=detail)
