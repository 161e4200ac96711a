"""Made by `make docs` from the methods of ``Store``."""

from collections.abc import AsyncIterator, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date
from pathlib import Path
from typing import Any, Literal, Unpack

import networkx

from ragraph.answers.answer import Endpoint
from ragraph.answers.claims import CitedAnswer
from ragraph.answers.conversation import Exchange
from ragraph.base.defaults import (
    BUDGETS,
    CONTEXT_HITS,
    CONTEXT_MODE,
    CONTEXT_TOKENS,
    CURRENT_MODEL,
    DEFAULT_MODE,
    Direction,
    Format,
    ModeName,
    Notes,
    Strategy,
)
from ragraph.documents.csl import FormattedCitations
from ragraph.documents.pictures import ImageFormat
from ragraph.documents.updating import DocumentChanges
from ragraph.entities.found import Extractor
from ragraph.filters import Filter
from ragraph.retrieval.context import Switches
from ragraph.retrieval.scope import ScopeOptions
from ragraph.schema.backup import BackupReport, VerifyReport
from ragraph.schema.context import Context, SectionHit
from ragraph.schema.entities import Entity, EntityRelation, ExtractReport, Mention
from ragraph.schema.enums import ContentNodeType, RelationType
from ragraph.schema.evaluation import EvalReport
from ragraph.schema.feedback import LoggedQuery, QueryLogging, Review
from ragraph.schema.findings import Finding, StoreStats
from ragraph.schema.jobs import Job, JobFile, JobFileStatus
from ragraph.schema.pictures import AssetReport, Page, Picture
from ragraph.schema.rankers import SentenceRanker, TuneReport
from ragraph.schema.reports import DescribeReport, EmbedReport, FileReport, IngestReport, ProgressEvent
from ragraph.schema.results import (
    Citation,
    Document,
    DocumentDetails,
    Hit,
    Model,
    Node,
    PathEntry,
    RelatedNode,
    Relation,
    Table,
    TocEntry,
    Violation,
)
from ragraph.schema.versions import CitationState, NodeChange, Version
from ragraph.schema.works import CoCitedWork, RelatedDocument, Work, WorkEntry, WorksReport
from ragraph.search import SearchOptions, Weights
from ragraph.store.ingest_options import AddOptions, AnswerOptions, IngestOptions, ResumeOptions
from ragraph.store.intake import Given
from ragraph.store.store import Store
from ragraph.tuning.questions import Question

class AsyncStore:
    store: Store
    def __init__(self, store: Store) -> None: ...
    async def __aenter__(self) -> AsyncStore: ...
    async def __aexit__(self, *_: object) -> None: ...
    async def close(self) -> None: ...
    async def add(self, draft: Any, **options: Unpack[AddOptions]) -> FileReport: ...
    async def add_many(self, drafts: Iterable[Any], **options: Unpack[AddOptions]) -> IngestReport: ...
    async def add_model(
        self,
        model: str,
        *,
        name: str | None = None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        base_url: str | None = None,
        max_tokens: int | None = None,
        dimensions: int | None = None,
        unstated: bool = False,
        index_kind: Literal["halfvec", "bit"] = "halfvec",
    ) -> Model: ...
    async def answer(
        self,
        question: str,
        *,
        llm: Endpoint | str | None = None,
        strategy: Strategy | Literal["navigate"] = "auto",
        history: Sequence[Exchange] | None = None,
        **options: Unpack[AnswerOptions],
    ) -> CitedAnswer: ...
    def as_of(self, document: str, version: int | str | date) -> AbstractAsyncContextManager[AsyncStore]: ...
    async def backup(
        self,
        path: str | Path,
        *,
        originals: bool = True,
        overwrite: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> BackupReport: ...
    async def bibliography(self, documents: str | Sequence[str] | None = None, *, style: str = "apa") -> list[str]: ...
    async def cancel_job(self, job: str) -> Job: ...
    async def check(self, document: str | None = None) -> list[Violation]: ...
    async def citation_state(
        self, document: str, node: str, version: int | str | date, quote: str | None = None
    ) -> CitationState: ...
    async def cite(self, document: str, node: str) -> Citation: ...
    async def cited_by(self, document: str) -> list[WorkEntry]: ...
    async def citing(self, document: str) -> list[WorkEntry]: ...
    async def clean_assets(self, *, dry_run: bool = False) -> AssetReport: ...
    async def co_cited(self, document: str, limit: int | None = 20) -> list[CoCitedWork]: ...
    async def compare(self, document: str, other: str) -> list[NodeChange]: ...
    async def context(
        self,
        query: str,
        token_budget: int | None = CONTEXT_TOKENS,
        *,
        k: int = CONTEXT_HITS,
        strategy: Strategy = "auto",
        rerank: str | None = None,
        tuned: bool = True,
        explain: bool = False,
        per_document: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> Context: ...
    async def coupled(self, document: str, limit: int | None = 20) -> list[RelatedDocument]: ...
    async def delete(
        self,
        document: str | Sequence[str] | None = None,
        *,
        filter: Filter | Mapping[str, Any] | None = None,
        collection: str | None = None,
    ) -> list[str]: ...
    async def describe(
        self,
        document: str | Sequence[str] | None = None,
        *,
        llm: Endpoint | str | None = None,
        again: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> DescribeReport: ...
    async def diff(
        self, document: str, since: int | str | date | None = None, until: int | str | date | None = None
    ) -> list[NodeChange]: ...
    async def doctor(self) -> list[Finding]: ...
    async def document(self, document: str) -> DocumentDetails: ...
    async def document_statuses(self) -> dict[JobFileStatus, int]: ...
    async def documents(
        self,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Document]: ...
    async def drop_model(self, model: str) -> Model: ...
    async def embed(
        self,
        model: str = CURRENT_MODEL,
        documents: str | Sequence[str] | None = None,
        *,
        name: str | None = None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        backend: str | None = None,
        base_url: str | None = None,
        max_tokens: int | None = None,
        progress: Callable[[ProgressEvent], None] | None = None,
        settings: Any = None,
    ) -> EmbedReport: ...
    async def embed_query(self, text: str, model: str = CURRENT_MODEL) -> list[float]: ...
    async def entities(
        self,
        name: str | None = None,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        kinds: str | Sequence[str] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Entity]: ...
    async def entity(self, name: str, *, document: str | Sequence[str] | None = None) -> Entity: ...
    async def entity_relations(
        self, name: str, *, document: str | Sequence[str] | None = None, collection: str | None = None
    ) -> list[EntityRelation]: ...
    async def erased(self, document: str) -> dict[str, int]: ...
    async def evaluate(
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
    ) -> EvalReport: ...
    async def expand(
        self,
        hits: Iterable[Hit | Mapping[str, Any]],
        strategy: Strategy = "auto",
        token_budget: int | None = CONTEXT_TOKENS,
        *,
        query: str | None = None,
        tuned: bool = True,
        explain: bool = False,
        **switches: Unpack[Switches],
    ) -> Context: ...
    def export(
        self, *, document: str | Sequence[str] | None = None, collection: str | None = None, vectors: bool = True
    ) -> AsyncIterator[str]: ...
    async def export_markdown(
        self, folder: str | Path, *, document: str | Sequence[str] | None = None, collection: str | None = None
    ) -> list[Path]: ...
    async def extract_entities(
        self,
        extractor: str | Extractor = "definitions",
        document: str | Sequence[str] | None = None,
        *,
        collection: str | None = None,
        again: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ExtractReport: ...
    async def facets(self) -> dict[str, Any]: ...
    async def figure(
        self, document: str, node: str, scale: float = 2.0, *, format: ImageFormat = "png", password: str | None = None
    ) -> Picture: ...
    async def filter_documents(self, filter: Filter | Mapping[str, Any]) -> list[str]: ...
    async def forget_queries(self, collection: str | None = None, *, before: str | date | None = None) -> int: ...
    async def forget_ranker(self, collection: str, version: int | None = None) -> int: ...
    async def format_citations(
        self, citations: Iterable[Citation | Hit], *, style: str = "apa", html: bool = False
    ) -> FormattedCitations: ...
    async def graph(self, document: str | Sequence[str]) -> networkx.MultiDiGraph[str]: ...
    async def history(self, document: str) -> list[Version]: ...
    async def index_model(self, model: str, index_kind: Literal["halfvec", "bit"]) -> Model: ...
    async def ingest(self, paths: Given | Iterable[Given], **options: Unpack[IngestOptions]) -> IngestReport: ...
    async def job(self, job: str) -> Job: ...
    async def job_files(
        self, job: str, status: JobFileStatus | None = None, limit: int | None = None
    ) -> list[JobFile]: ...
    async def jobs(self, limit: int | None = 20) -> list[Job]: ...
    async def judged_questions(
        self, *, collection: str | None = None, document: str | Sequence[str] | None = None
    ) -> list[Question]: ...
    async def keep_versions(self, collection: str = "default", keep: int | None = None) -> None: ...
    async def log_queries(self, collection: str | None = None, *, days: int = 30) -> None: ...
    async def make_questions(
        self,
        number: int = 50,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        seed: int = 1,
    ) -> list[Question]: ...
    async def measure_index(self, model: str = CURRENT_MODEL) -> Model: ...
    async def mentions(
        self,
        name: str,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        limit: int | None = None,
    ) -> list[Mention]: ...
    async def merge_entities(self, names: Sequence[str]) -> str: ...
    async def merge_works(self, names: Sequence[str]) -> str: ...
    async def models(self) -> list[Model]: ...
    async def node(self, document: str, node: str) -> Node: ...
    async def nodes(
        self,
        document: str,
        section: str | None = None,
        *,
        type: str | ContentNodeType | Sequence[str | ContentNodeType] | None = None,
        page: int | str | tuple[int | None, int | None] | None = None,
    ) -> list[Node]: ...
    async def original(self, document: str) -> tuple[Path | bytes, str]: ...
    async def page(self, document: str, page: int | str | tuple[int | None, int | None]) -> list[Node]: ...
    async def page_image(
        self, document: str, page: int, scale: float = 2.0, *, format: ImageFormat = "jpeg", password: str | None = None
    ) -> Picture: ...
    async def pages(self, document: str) -> list[Page]: ...
    async def path(self, document: str, component: str) -> list[PathEntry]: ...
    async def pictured(self, document: str) -> list[str]: ...
    async def prune_versions(self, document: str, keep: int = 0) -> int: ...
    async def queries(
        self,
        collection: str | None = None,
        *,
        since: str | date | None = None,
        judged: bool | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[LoggedQuery]: ...
    async def query_logging(self) -> list[QueryLogging]: ...
    async def quote(self, document: str, node: str, quote: str, *, min_words: int = 1) -> Citation: ...
    async def rankers(self) -> list[SentenceRanker]: ...
    async def references(self, documents: str | Sequence[str] | None = None, *, format: str = "csl-json") -> str: ...
    async def related(
        self,
        document: str,
        node: str,
        *,
        types: str | Sequence[str | RelationType] | None = None,
        direction: Direction = "out",
        max_hops: int = 1,
    ) -> list[RelatedNode]: ...
    async def relations(self, document: str, nodes: str | Sequence[str] | None = None) -> list[Relation]: ...
    async def render(
        self,
        document: str,
        *,
        section: str | None = None,
        nodes: tuple[int | None, int | None] | None = None,
        format: Format = "markdown",
        notes: Notes = "after",
        page_breaks: bool = False,
        furniture: bool = False,
    ) -> str: ...
    async def rerank(self, query: str, hits: Sequence[Hit], model: str, k: int | None = None) -> list[Hit]: ...
    async def reset_entities(self, name: str) -> int: ...
    async def reset_work(self, name: str) -> int: ...
    async def restore_version(self, document: str, version: int | str | date) -> int: ...
    async def resume_job(self, job: str, **options: Unpack[ResumeOptions]) -> IngestReport: ...
    async def review(
        self,
        document: str,
        node: str,
        verdict: Literal["right", "wrong", "note"],
        note: str | None = None,
        *,
        by: str | None = None,
        question: str | None = None,
    ) -> str: ...
    async def reviews(
        self,
        document: str | None = None,
        node: str | None = None,
        *,
        collection: str | None = None,
        verdict: Literal["right", "wrong", "note"] | None = None,
        question: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Review]: ...
    async def search(
        self,
        query: str,
        k: int = 10,
        *,
        mode: ModeName = DEFAULT_MODE,
        model: str = CURRENT_MODEL,
        match: Literal["all", "any"] = "all",
        weights: Weights | None = None,
        boost: str | Sequence[str] | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        **where: Unpack[ScopeOptions],
    ) -> list[Hit]: ...
    async def search_sections(
        self, query: str, k: int = 5, *, nodes: int = 3, **options: Unpack[SearchOptions]
    ) -> list[SectionHit]: ...
    async def split_entity(self, name: str, document: str) -> str: ...
    async def split_work(self, name: str, document: str) -> str: ...
    async def stats(self) -> StoreStats: ...
    async def switch_model(self, model: str, *, partial: bool = False) -> Model: ...
    async def tables(
        self,
        document: str,
        section: str | None = None,
        *,
        page: int | str | tuple[int | None, int | None] | None = None,
    ) -> list[Table]: ...
    async def text(self, document: str) -> str: ...
    async def toc(self, document: str, max_depth: int | None = None) -> list[TocEntry]: ...
    async def tune(
        self,
        questions: str | Path | Iterable[Question | Mapping[str, Any]],
        collection: str | None = None,
        *,
        model: str = CURRENT_MODEL,
        mode: ModeName = CONTEXT_MODE,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> TuneReport: ...
    async def update(self, document: str, **changes: Unpack[DocumentChanges]) -> DocumentDetails: ...
    async def update_works(
        self,
        document: str | Sequence[str] | None = None,
        *,
        collection: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> WorksReport: ...
    async def verify(
        self, against: str | Path | None = None, *, progress: Callable[[str], None] | None = None
    ) -> VerifyReport: ...
    async def withdraw_review(self, document: str, review: str) -> bool: ...
    async def works(
        self,
        name: str | None = None,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Work]: ...

class Opening:
    def __init__(self, opened: Callable[[], Store]) -> None: ...
    def __await__(self) -> Generator[Any, None, AsyncStore]: ...
    async def __aenter__(self) -> AsyncStore: ...
    async def __aexit__(self, *_: object) -> None: ...

def aopen(
    url: str | None = None,
    *,
    home: str | Path | None = None,
    role: str | None = None,
    create: bool = True,
    upgrade: bool = True,
) -> Opening: ...
