"""Content that a program has already: drafts into the store, by the stages, transactions and ids of ingestion."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections import Counter, deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row
from pydantic import ValidationError

from ragraph.arguments import checked, refusal
from ragraph.collection_names import check_collection
from ragraph.defaults import CURRENT_MODEL
from ragraph.embedding import EmbeddingModel
from ragraph.errors import ArgumentError, IngestError, RagraphError, SchemaVersionError, ServerError
from ragraph.ingest import ids
from ragraph.ingest.draft import Draft, DraftDocument
from ragraph.ingest.embed import is_made_with
from ragraph.ingest.given import Embedders
from ragraph.ingest.graph_rows import DocumentRow
from ragraph.ingest.index_aside import IndexAside
from ragraph.ingest.long_texts import cut_long_texts
from ragraph.ingest.parts import PartSettings
from ragraph.ingest.restoring import Exported, exported_of, restore
from ragraph.ingest.retry import with_retry
from ragraph.ingest.stage_two import ingest_draft, make_graph, write_made
from ragraph.ingest.texts import tokens_of
from ragraph.ingest.upkeep import analyze, build_index, count_words, link_works
from ragraph.ingest.write import id_is_free
from ragraph.models import load_for, recorded_models
from ragraph.queries import QUERIES
from ragraph.schema.enums import ProcessingStatus
from ragraph.schema.reports import FileReport, FileStatus, IngestReport
from ragraph.telemetry import reported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import psycopg

    from ragraph.database import Database
    from ragraph.embedding import ModelOptions
    from ragraph.ingest.given import Given
    from ragraph.ingest.graph_rows import Changes, Graph
    from ragraph.models import Record

_ENDS = (ServerError, SchemaVersionError)
_SAYS = 300
_AHEAD = 4
"""Documents that may wait to be embedded while others are written."""


@checked(model=(str, EmbeddingModel), parts=PartSettings)
@reported("ragraph.ingest")
def add_drafts(
    database: Database,
    drafts: Iterable[Draft | Mapping[str, Any] | str],
    *,
    collection: str = "default",
    model: str | EmbeddingModel | None = CURRENT_MODEL,
    backend: str | None = None,
    base_url: str | None = None,
    max_tokens: int | None = None,
    parts: PartSettings | None = None,
) -> IngestReport:
    """Write drafts one by one, as they come, each in a transaction of its own; embed them in batches across documents.

    While one is written, the next is made ready and those before it are embedded; a draft is taken when all but the
    last are there.

    A draft that is known and unchanged is left alone; of one that changed, what did is written and embedded. A draft
    that breaks a rule is reported with the reason, leaves the store as it was and does not stop the others.

    Args:
        database: the store.
        drafts: ``DraftDocument``, ``Draft``, or either as a mapping or as JSON text; lines of ``Store.export`` as well;
            taken one at a time.
        collection: namespace of new documents; those of an export stay in theirs.
        model: name, folder or model to embed with; None embeds nothing.
        backend: as of ``ragraph.embedding.ModelOptions``.
        base_url: the same.
        max_tokens: the same.
        parts: how long texts are cut for embedding.

    Returns:
        A report per draft, in their order; ``path`` is the id of the document, or the number of a draft without one.

    Raises:
        ModelError: the model cannot be loaded, or differs from the one registered under its name.
        ServerError: the store cannot be used.
    """
    begin = time.monotonic()
    with_retry(database, lambda: check_collection(database, collection))
    how: ModelOptions = {"backend": backend, "base_url": base_url, "max_tokens": max_tokens}
    known = with_retry(database, lambda: recorded_models(database))
    loaded = load_for(known, model, **how) if isinstance(model, str) else model
    with (
        ThreadPoolExecutor(1, thread_name_prefix="ragraph-add") as writer,
        ThreadPoolExecutor(1, thread_name_prefix="ragraph-embed") as encoder,
    ):
        with closing(_Adding(database, known, collection, loaded, parts or PartSettings(), writer, encoder)) as run:
            for number, given in enumerate(drafts, 1):
                run.add(number, given)
            run.finish()
        return run.report(begin)


@dataclass(frozen=True)
class _Made:
    """A draft with its rows as they are if the store does not know it; ``seconds`` is what that took.

    ``named`` is whether it was given an id.
    """

    draft: Draft
    named: bool
    tags: tuple[str, ...]
    tokens: dict[str, int]
    document: DocumentRow
    graph: Graph
    seconds: float


@dataclass(frozen=True)
class _Written:
    """What became of a draft; ``lacks`` are models whose vectors are to be made or written yet."""

    status: FileStatus
    document_id: str
    counts: dict[str, int]
    seconds: float
    warnings: tuple[str, ...] = ()
    lacks: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    given: Given = field(default_factory=dict)


class _Adding:
    def __init__(
        self,
        database: Database,
        records: Sequence[Record],
        collection: str,
        model: EmbeddingModel | None,
        parts: PartSettings,
        writer: ThreadPoolExecutor,
        encoder: ThreadPoolExecutor,
    ) -> None:
        self._database = database
        self._collection = collection
        self._model = model
        self._own = frozenset([model.name] if model is not None else [])
        self._parts = parts
        self._writer = writer
        self._embedders = Embedders(database, records, model, parts)
        self._reports: list[FileReport] = []
        self._models: set[str] = set()
        self._asides: dict[str, IndexAside] = {}
        self._restoring: Counter[str] = Counter()
        self._encoder = encoder
        self._writing: tuple[str, Future[_Written]] | None = None
        self._embedding: deque[Future[None]] = deque()

    def add(self, number: int, given: Any) -> None:
        """Have a draft written; meanwhile the one before it is reported and given to be embedded."""
        name = f"draft {number}"
        write: Callable[[], _Written]
        try:
            if (line := exported_of(given)) is not None:
                name = line.graph.document.id
                write = partial(self._restored, line)
            else:
                draft = _checked(given)
                name = draft.id or name
                write = partial(self._written, self._made(draft))
        except _ENDS:
            raise
        except (RagraphError, ValidationError) as error:
            self._finish()
            self._fail(name, error)
            return
        future = self._writer.submit(write)
        self._finish()
        self._writing = (name, future)

    def _finish(self) -> None:
        """Wait until the draft that is being written is there, and report it."""
        if self._writing is None:
            return
        (name, future), self._writing = self._writing, None
        try:
            written = future.result()
        except _ENDS:
            raise
        except (RagraphError, ValidationError) as error:
            self._fail(name, error)
            return
        self._models |= written.models
        self._reports.append(
            FileReport(
                path=written.document_id,
                status=written.status,
                document_id=written.document_id,
                nodes=written.counts["nodes"],
                components=written.counts["components"],
                relations=written.counts["relations"],
                seconds=written.seconds,
                warnings=written.warnings,
            )
        )
        for model in sorted(written.lacks):
            given = written.given.get(model)
            embedder = self._embedders[model]
            self._models.add(model)
            self._embedding.append(self._encoder.submit(embedder.add, written.document_id, given))
            while len(self._embedding) > _AHEAD:
                self._embedding.popleft().result()

    def _fail(self, name: str, error: RagraphError | ValidationError) -> None:
        reason = _said(error) if isinstance(error, ValidationError) else str(error)
        self._reports.append(FileReport(path=name, status="failed", reason=reason))

    def finish(self) -> None:
        """Wait until all is written, and embed what waits."""
        self._finish()
        while self._embedding:
            self._embedding.popleft().result()
        for embedder in self._embedders:
            embedder.finish()
        self._models |= self._own

    def close(self) -> None:
        """Let indexes be built."""
        # after an error: none works on while what it uses goes
        for future in (*(self._writing or ())[1:], *self._embedding):
            future.exception()
        for embedder in self._embedders:
            embedder.close()
        for aside in self._asides.values():
            aside.close()

    def report(self, begin: float) -> IngestReport:
        """Bring up to date what belongs to all, and say what was done."""
        warnings: tuple[str, ...] = ()
        for name in sorted(self._models):
            warnings += build_index(self._database, name)
        if new := [report.nodes for report in self._reports if report.status in ("added", "changed")]:
            # first: what follows is planned by it, and takes ten times as long over tables that nobody looked at
            warnings += analyze(self._database, sum(new))
            warnings += count_words(self._database)
            written = [r.document_id for r in self._reports if r.document_id and r.status in ("added", "changed")]
            warnings += link_works(self._database, written)
        return IngestReport(
            files=tuple(self._with_vectors(report) for report in self._reports),
            seconds=time.monotonic() - begin,
            warnings=warnings,
        )

    def _with_vectors(self, report: FileReport) -> FileReport:
        if report.document_id is None:
            return report
        for embedder in self._embedders:
            if failed := embedder.failures.get(report.document_id):
                return replace(report, status="failed", reason=failed)
        return replace(report, embeddings=sum(embedder.written[report.document_id] for embedder in self._embedders))

    def _made(self, draft: DraftDocument) -> _Made:
        """Make all of a document that can be made while others are written, as if it were new."""
        begin = time.monotonic()
        self._embedders.check(draft)
        digest = hashlib.sha256(draft.model_dump_json(exclude_defaults=True).encode()).hexdigest()
        document = DocumentRow(
            id="",
            publication_id="",
            collection=self._collection,
            source_uri=draft.source_uri,
            sha256=digest,
            processing_status=ProcessingStatus.PROCESSING if self._model else ProcessingStatus.COMPLETED,
        )
        document = _called(document, draft.id or ids.document_id(self._collection, digest, 0))
        cut = cut_long_texts(draft)
        tokens = tokens_of(node.text for node in cut.nodes)
        return _Made(
            cut,
            draft.id is not None,
            tuple(dict.fromkeys(draft.tags)),
            tokens,
            document,
            make_graph(cut, document, tokens),
            time.monotonic() - begin,
        )

    def _located(self, connection: psycopg.Connection[Any], made: _Made) -> tuple[_Made, dict[str, Any] | None]:
        """Lock the document of a draft; return it, under another id where another tenant has its own, and its row."""
        cursor = connection.cursor(row_factory=dict_row)
        digest = made.document.sha256 or ""
        for n in itertools.count(1):
            key = {"document_id": made.document.id}
            connection.execute(QUERIES["lock_document"], key)
            row = cursor.execute(QUERIES["document_by_id"], key).fetchone()
            if row is not None or made.named or id_is_free(connection, made.document.id, self._collection):
                return made, row
            document = _called(made.document, ids.document_id(self._collection, digest, n))
            made = replace(made, document=document, graph=make_graph(made.draft, document, made.tokens))
        raise AssertionError

    def _written(self, made: _Made) -> _Written:
        begin = time.monotonic()

        def write() -> tuple[str, FileStatus, frozenset[str], dict[str, int]]:
            with self._database.write() as connection, connection.cursor(row_factory=dict_row) as cursor:
                own, row = self._located(connection, made)
                document = own.document
                self._check_ours(row, document.id)
                same = row is not None and row["sha256"] == document.sha256
                if row is None:
                    write_made(connection, own.graph)
                elif not same:
                    document = replace(
                        document,
                        publication_id=row["publication_id"],
                        ingested_with={"record": True} if row["sha256"] is None else {},
                    )
                    ingest_draft(connection, made.draft, document, tokens=made.tokens)
                if made.tags and not same:
                    names = {"publication_id": document.publication_id, "tags": list(made.tags)}
                    connection.execute(QUERIES["tag_publication"], names)
                counts = cursor.execute(QUERIES["document_counts"], {"document_id": document.id}).fetchone() or {}
            if row is not None and same:
                return document.id, "unchanged", self._lacking(row, made.draft), counts
            status: FileStatus = "changed" if row is not None and row["sha256"] is not None else "added"
            return document.id, status, self._wanted(made.draft), counts

        document_id, status, lacks, counts = with_retry(self._database, write)
        return _Written(
            status=status,
            document_id=document_id,
            counts=counts,
            seconds=made.seconds + time.monotonic() - begin,
            warnings=tuple(made.draft.warnings),
            lacks=lacks,
            given=self._embedders.given(made.draft, document_id) if lacks else {},
        )

    def _restored(self, line: Exported) -> _Written:
        """Write a document as it was exported, in the collection that it was in."""
        begin = time.monotonic()
        document = line.graph.document

        def write() -> tuple[Changes, dict[str, int]]:
            with self._database.write() as connection, connection.cursor(row_factory=dict_row) as cursor:
                changes = restore(connection, line)
                return changes, cursor.execute(
                    QUERIES["document_counts"], {"document_id": document.id}
                ).fetchone() or {}

        with_retry(self._database, lambda: check_collection(self._database, document.collection))
        for vectors in line.vectors:
            name = vectors.model.name
            self._restoring[name] += len(vectors.parts)
            self._asides.setdefault(name, IndexAside(self._database, name)).coming(self._restoring[name])
        changes, counts = with_retry(self._database, write)
        tallies = (changes.nodes, changes.components, changes.relations)
        same = not any((tally.added, tally.changed, tally.removed) != (0, 0, 0) for tally in tallies)
        status: FileStatus = "added" if changes.new else "unchanged" if same else "changed"
        return _Written(
            status=status,
            document_id=document.id,
            counts=counts,
            seconds=time.monotonic() - begin,
            lacks=self._own,
            models=frozenset(vectors.model.name for vectors in line.vectors),
        )

    def _check_ours(self, row: Mapping[str, Any] | None, document_id: str) -> None:
        if row is not None and row["collection"] != self._collection:
            raise IngestError(
                f"document {document_id!r} is in the collection {row['collection']!r}", hint="name that as collection"
            )

    def _wanted(self, draft: Draft) -> frozenset[str]:
        """Return the models that a document of this draft has vectors of."""
        return self._own.union(*(node.vectors for node in draft.nodes))

    def _lacking(self, row: Mapping[str, Any], draft: Draft) -> frozenset[str]:
        """Return those of them whose vectors a document that is known may not have."""
        wanted = self._wanted(draft)
        if row["status"] == "processing" and self._model is not None:
            return wanted
        made = row["ingested_with"].get("embedded", {})
        return frozenset(name for name in wanted if not is_made_with(made.get(name), self._parts))


def _called(document: DocumentRow, document_id: str) -> DocumentRow:
    return replace(document, id=document_id, publication_id=ids.publication_id(document_id))


def _checked(given: Any) -> DraftDocument:
    """Return what is given as a draft that can be written.

    Raises:
        ArgumentError: it is no draft.
        ValidationError: a field is missing, or of the wrong type.
        IngestError: keys are given twice, name nothing, or there is no text.
    """
    match given:
        case DraftDocument():
            draft = given
        case Draft():
            draft = DraftDocument(**dict(given))
        case str() | bytes():
            draft = DraftDocument.model_validate_json(given)
        case dict():
            draft = DraftDocument.model_validate(given)
        case _:
            raise refusal("draft", "a DraftDocument, a mapping or JSON", given)
    for kind, keys in (
        ("node", [row.key for row in draft.nodes]),
        ("container", [row.key for row in draft.containers]),
    ):
        if twice := [key for key, count in Counter(keys).items() if count > 1]:
            raise ArgumentError(f"the draft has two {kind}s with the key {twice[0]!r}", hint="give each its own")
    containers = {row.key for row in draft.containers}
    named = {row.container for row in draft.nodes} | {row.parent for row in draft.containers}
    if missing := sorted(name for name in named if name is not None and name not in containers):
        raise ArgumentError(f"the draft has no container {missing[0]!r}", hint="list it in containers")
    nodes = {row.key for row in draft.nodes}
    ends = {row.source for row in draft.relations} | {row.target for row in draft.relations}
    if missing := sorted(name for name in ends if name is not None and name not in nodes):
        raise ArgumentError(f"a relation names the node {missing[0]!r}, which the draft does not have")
    if not any(row.text.strip() or row.description or row.storage_url or row.data.get("cells") for row in draft.nodes):
        raise IngestError("the draft holds no text; give nodes with some")
    return draft


def _said(error: ValidationError) -> str:
    """Return the first thing that is wrong with a draft, and where."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place + ': ' if place else ''}{first['msg']}"[:_SAYS]
