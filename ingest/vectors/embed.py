"""Embed documents: compute and write the vectors that are missing, one model at a time.

A plan lists every vector that a document should have, with the hash of its text. Only missing or outdated ones are
encoded, and a text that has a vector anywhere in the store gets that one. Texts of several documents are encoded
together. Vectors are written by binary COPY in transactions of bounded size, each under the locks of its documents,
so that two processes never write the same vectors.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from psycopg.rows import dict_row, scalar_row, tuple_row
from psycopg.types.json import Jsonb

from ragraph.base.arguments import checked
from ragraph.base.log import logger
from ragraph.base.queries import QUERIES
from ragraph.database.copying import Copier, vector_bytes
from ragraph.database.retry import ENDS, with_retry, write_once
from ragraph.errors import (
    ConstraintError,
    DocumentNotFoundError,
    EndpointError,
    LeaseLostError,
    ModelError,
    RagraphError,
)
from ragraph.ingest.common.memory import give_back
from ragraph.ingest.vectors.index_aside import IndexAside
from ragraph.ingest.vectors.maintenance import analyze, build_index, link_works
from ragraph.ingest.vectors.parts import PARTS_VERSION, PartSettings
from ragraph.ingest.vectors.texts import Part, Source, parts_of
from ragraph.models.embedding import EmbeddingModel
from ragraph.models.registry import register_model
from ragraph.schema.reports import EmbedReport, ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.models.encoding import Vectors

_LOG = logger("ragraph.ingest")

BATCH = 512
"""Vectors that are planned together; also the maximum per transaction."""

_TOLD = 256
"""Texts per call of the model, after which progress is reported: some ten seconds without a library beside numpy."""

COPIED = "copied"
"""Recorded instead of the backend if a vector was copied from elsewhere in the store."""

GIVEN = "given"
"""Recorded instead of the backend if a vector came with the draft."""

_BACKENDS = "backends"
_REPLANS = 5
EMBEDDING_COLUMNS = {
    **dict.fromkeys(("document_id", "id", "node_id", "model_name", "embedding_source"), "text"),
    **dict.fromkeys(("part", "char_start", "char_end"), "int4"),
    **{"content_hash": "text", "embedding_vector": "bytea", "normalized": "bool", "collection": "text"},
}
"""Columns of a vector in the order of COPY, with the types they are sent as (``vector_bytes``)."""


@checked(model=EmbeddingModel, settings=PartSettings)
def embed_documents(
    database: Database,
    model: EmbeddingModel,
    document_ids: Sequence[str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    settings: PartSettings | None = None,
) -> EmbedReport:
    """Give documents all the vectors they should have under a model; encode only missing and outdated ones.

    Args:
        database: the store.
        model: the model; it is registered if necessary.
        document_ids: ids of documents; default all documents with nodes.
        progress: called with events ``embedded``.
        settings: how long texts are cut into parts.

    Returns:
        Numbers of vectors written, deleted and encoded.

    Raises:
        DocumentNotFoundError: an id that no document has.
        ModelError: the model differs from the registered one, or fails on a text.
    """
    begin = time.monotonic()
    asked = None if document_ids is None else list(dict.fromkeys(document_ids))
    if asked:
        missing = with_retry(database, lambda: _column(database, "missing_documents", {"document_ids": asked}))
        if missing:
            _column(database, "require_document", {"document_id": missing[0]})  # raises an error with similar ids
            raise DocumentNotFoundError(f"there is no document {missing[0]!r}", hint=DocumentNotFoundError.look)
    documents = with_retry(database, lambda: _column(database, "documents_to_embed", {"document_ids": asked}))
    with closing(Embedder(database, model, settings, progress=progress, expected=len(documents))) as embedder:
        for document_id in documents:
            embedder.embed_document(document_id)
        embedder.encode_rest()
    if embedder.failures:
        document_id, reason = next(iter(embedder.failures.items()))
        raise ModelError(f"{reason} (document {document_id})")
    warnings = link_works(database)  # also of documents that are complete only now
    warnings += build_index(database, model.name) + analyze(database, sum(embedder.written.values()))
    return EmbedReport(
        model=model.name,
        documents=embedder.documents,
        embeddings=sum(embedder.written.values()),
        deleted=embedder.deleted,
        encoded=embedder.encoded,
        copied=embedder.copied,
        by_document=dict(embedder.written),
        warnings=warnings,
        seconds=time.monotonic() - begin,
    )


def made_with(settings: PartSettings) -> dict[str, Any]:
    """Return the settings recorded with a document's vectors; if they differ, the document is planned again."""
    return {"version": PARTS_VERSION, **{name: value for name, value in asdict(settings).items() if value is not None}}


def is_made_with(recorded: Any, settings: PartSettings) -> bool:
    """Return True if a document's vectors were made with these settings, by any backend."""
    own = {name: value for name, value in recorded.items() if name != _BACKENDS} if isinstance(recorded, dict) else None
    return own == made_with(settings)


@dataclass(eq=False)
class _Plan:
    """The vectors a document lacks: ``missing`` are to be encoded, ``surplus`` deleted; ``left`` counts the rest.

    ``known`` is True if it has vectors of the model. ``backends`` are those of its vectors, present and new. ``given``
    are vectors by node that came with it.
    """

    document_id: str
    collection: str
    stamp: str
    missing: list[Part]
    surplus: list[str]
    tries: int
    known: bool
    backends: set[str]
    given: Mapping[str, Vectors]
    finished: bool = False
    left: int = field(init=False)
    hashes: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.left = len(self.missing)
        self.hashes = {part.id: part.content_hash for part in self.missing}


class _Waiting(NamedTuple):
    plan: _Plan
    part: Part


class _Ready(NamedTuple):
    """Texts of a document with vectors that are to be written."""

    plan: _Plan
    parts: list[Part]
    vectors: Sequence[Vectors]

    @property
    def whole(self) -> bool:
        """Return True if these are all vectors of a document that had none of the model."""
        plan = self.plan
        return plan.tries == 0 and not (plan.known or plan.given) and plan.left == len(self.parts)

    @property
    def rows(self) -> list[tuple[Part, Vectors]]:
        """Return the vectors to write, without zero vectors: these have no direction, because the text has no content.

        ``check_document`` reports them.
        """
        return [(part, vector) for part, vector in zip(self.parts, self.vectors, strict=True) if vector.any()]


class _ChangedMeanwhileError(Exception):
    """Another process wrote the graph of the document after it was planned."""


class Embedder:
    """Takes documents one by one, encodes their texts in batches across documents, and writes the vectors.

    Args:
        database: the store.
        model: the model; it is registered at once.
        settings: how long texts are cut.
        progress: called with events ``embedded``.
        finished: called with the id of a document that has all its vectors.
        guard: called first in each transaction that writes vectors of a document.
        lost: called with the id of a document for which the guard raised ``LeaseLostError``; it is skipped.
        expected: number of documents to come, if known.
        only_given: encode nothing; texts without a given vector stay without one.

    Attributes:
        written: number of vectors written per document.
        failures: reasons by document, if the model failed on one of its texts.
        documents: number of documents taken.
        encoded: number of texts that the model encoded.
        copied: number of texts that had a vector already, elsewhere in the store.
        deleted: number of vectors deleted.
        seconds: seconds per document. Those of a batch are shared among its documents by the length of their texts.
        only_given: see the argument.
    """

    def __init__(
        self,
        database: Database,
        model: EmbeddingModel,
        settings: PartSettings | None = None,
        *,
        progress: Callable[[ProgressEvent], None] | None = None,
        finished: Callable[[str], None] | None = None,
        guard: Callable[[psycopg.Connection[Any], str], None] | None = None,
        lost: Callable[[str], None] | None = None,
        expected: int | None = None,
        only_given: bool = False,
    ) -> None:
        self.only_given = only_given
        self._database = database
        self.model = model
        self._settings = settings or PartSettings()
        self._progress = progress
        self._finished = finished
        self._guard = guard
        self._lost = lost
        self._expected = expected
        self._aside = IndexAside(database, model.name)
        self._waiting: deque[_Waiting] = deque()
        self._again: deque[tuple[str, int, Mapping[str, Vectors]]] = deque()
        self._planned = self._done = 0
        self._characters = self._planned_characters = 0
        self._gone: set[str] = set()
        self.written: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.failures: dict[str, str] = {}
        self.documents = self.encoded = self.copied = self.deleted = 0
        with_retry(self._database, self._register)

    def embed_document(self, document_id: str, given: Mapping[str, Vectors] | None = None) -> None:
        """Plan a document, and encode as soon as a batch is full; skip a document that was deleted.

        Args:
            document_id: the document.
            given: existing vectors by node: one dimension, float32, of the model's length. They replace those of the
                store.
        """
        self.documents += 1
        self._take(document_id, 0, given or {})
        while len(self._waiting) >= BATCH:
            self._encode()

    def wrote(self, document_id: str, vectors: int) -> None:
        """Record that all vectors of a document were written elsewhere."""
        self.documents += 1
        self.written[document_id] += vectors

    def encode_rest(self) -> None:
        """Encode and write the remaining texts."""
        while self._waiting or self._again:
            if self._waiting:
                self._encode()
            else:
                self._take(*self._again.popleft())

    def close(self) -> None:
        """Release the index, so that it can be built. Call it after the last document, also after an error."""
        self._aside.close()

    def gone(self, document_id: str) -> bool:
        """Return True if the store did not have a document when it was taken, or has deleted it since."""
        return document_id in self._gone

    def _register(self) -> None:
        with self._database.write() as connection:
            register_model(connection, self.model)

    def _take(self, document_id: str, tries: int, given: Mapping[str, Vectors]) -> None:
        plan = with_retry(self._database, lambda: self._plan(document_id, tries, given))
        if plan is None:
            self._gone.add(document_id)
            return
        self._planned += len(plan.missing)
        self._planned_characters += sum(len(part.text) for part in plan.missing)
        self._waiting.extend(_Waiting(plan, part) for part in plan.missing)
        if not plan.missing:
            self._write(plan, [], [])

    def _plan(self, document_id: str, tries: int, given: Mapping[str, Vectors]) -> _Plan | None:
        names = {"document_id": document_id, "model_name": self.model.name}
        with self._database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
            document = cursor.execute(QUERIES["embed_document"], names).fetchone()
            if document is None:
                return None
            components = cursor.execute(QUERIES["embed_components"], names).fetchall()
            nodes = cursor.execute(QUERIES["embed_nodes"], names).fetchall()
            captions = {
                row["source_node_id"]: row["caption"] for row in cursor.execute(QUERIES["embed_captions"], names)
            }
            found = cursor.execute(QUERIES["embedded"], {**names, "with_vectors": bool(given)}).fetchall()
        existing = {row["id"]: row["content_hash"] for row in found}
        source = Source(document_id, document["language"], components, nodes, captions)
        stored = {row["id"]: _array(row["embedding_vector"]) for row in found} if given else {}
        wanted: set[str] = set()
        missing: list[Part] = []
        for part in parts_of(source, self.model, self._settings):
            own = given.get(part.node_id)
            same = existing.get(part.id) == part.content_hash
            if same and (own is None or _is_stored(own, stored[part.id])):
                wanted.add(part.id)
            elif own is not None or not self.only_given:
                missing.append(part)
        surplus = [name for name in existing if name not in wanted]
        made = document["embedded"] or {}
        backends = set(made.get(_BACKENDS, ())) if wanted else set()
        known = bool(existing)
        made_of = (document["collection"], document["stamp"], missing, surplus)
        return _Plan(document_id, *made_of, tries, known, backends, given)

    def _to_come(self) -> int:
        """Return an estimate of the vectors still to be written; of a run without a known end, as many as so far."""
        if self._expected is None:
            return self._planned
        return self._planned - self._done + self._planned * max(self._expected - self.documents, 0) // self.documents

    def _encode(self) -> None:
        self._aside.coming(self._to_come())
        taken = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
        batch = [item for item in taken if item.plan.document_id not in self.failures and not item.plan.finished]
        by_plan: dict[_Plan, list[Part]] = {}
        for item in batch:
            by_plan.setdefault(item.plan, []).append(item.part)
        with self._shared(by_plan):
            vectors = self._vectors_of(batch)
        self._write_batch(
            [
                _Ready(
                    plan, parts, [plan.given[p.node_id] if p.node_id in plan.given else vectors[p.text] for p in parts]
                )
                for plan, parts in by_plan.items()
                if plan.document_id not in self.failures
            ]
        )
        self._characters += sum(len(item.part.text) for item in taken)
        if batch:
            self._tell()

    @contextmanager
    def _shared(self, by_plan: Mapping[_Plan, Sequence[Part]]) -> Iterator[None]:
        """Count the time of the block for documents, by the length of their texts in it."""
        begin = time.monotonic()
        yield
        spent = time.monotonic() - begin
        lengths = {plan.document_id: sum(len(part.text) for part in parts) for plan, parts in by_plan.items()}
        of_all = sum(lengths.values()) or 1
        for document_id, length in lengths.items():
            self.seconds[document_id] += spent * length / of_all

    def _tell(self, encoded: Sequence[str] = ()) -> None:
        """Report progress; texts of a batch that is not written yet are counted as done."""
        if self._progress:
            self._progress(
                ProgressEvent(
                    kind="embedded",
                    done=self._done + len(encoded),
                    total=self._planned,
                    characters_done=self._characters + sum(map(len, encoded)),
                    characters_total=self._planned_characters,
                )
            )

    def _vectors_of(self, batch: list[_Waiting]) -> Mapping[str, Vectors]:
        """Return the vectors of texts that came without one: from the store, or else encoded."""
        asked = [item for item in batch if item.part.node_id not in item.plan.given]
        vectors = dict(with_retry(self._database, lambda: self._known(asked))) if asked else {}
        texts = list(dict.fromkeys(item.part.text for item in asked if item.part.text not in vectors))
        self.copied += len(vectors)
        for item in batch:
            if item.part.node_id in item.plan.given:
                item.plan.backends.add(GIVEN)
            elif item.part.text in vectors:
                item.plan.backends.add(COPIED)
        if texts:
            vectors |= self._vectors(texts, asked)
            give_back()  # memory that the model used for the longest texts
        return vectors

    def _known(self, batch: list[_Waiting]) -> Iterator[tuple[str, Vectors]]:
        """Return the vectors that texts already have in the store."""
        texts = {item.part.content_hash: item.part.text for item in batch}
        names = {"model_name": self.model.name, "hashes": list(texts)}
        with self._database.read() as connection, connection.cursor(row_factory=tuple_row) as cursor:
            found = cursor.execute(QUERIES["vectors_of_hashes"], names).fetchall()
        return ((texts[known], _array(vector).astype(np.float32)) for known, vector in found)

    def _vectors(self, texts: list[str], batch: list[_Waiting]) -> Mapping[str, Vectors]:
        """Return the vector of each text; documents whose text the model fails on are added to ``failures``."""
        try:
            found: dict[str, Vectors] = {}
            for start in range(0, len(texts), _TOLD):
                some = texts[start : start + _TOLD]
                found |= zip(some, self.model.encode_documents(some), strict=True)
                if len(found) < len(texts):
                    self._tell([*found])
        except EndpointError:  # not because of the text
            raise
        except ModelError:
            found = {}
            reasons: dict[str, str] = {}
            for text in texts:  # one bad text must not affect the other documents of the batch
                try:
                    found[text] = self.model.encode_documents([text])[0]
                except ModelError as error:
                    reasons[text] = str(error)
            for item in batch:
                if item.part.text in reasons:
                    self.failures[item.plan.document_id] = reasons[item.part.text]
        self.encoded += len(found)
        if backend := getattr(self.model, "backend", None):  # a user's own model may have none
            for item in batch:
                if item.part.text in found:
                    item.plan.backends.add(backend)
        return found

    def _write_batch(self, batch: Sequence[_Ready]) -> None:
        """Write vectors: of new documents in one transaction if no other process holds them, of others one by one."""
        whole = {ready.plan.document_id: ready for ready in batch if ready.whole and not ready.plan.finished}
        written: dict[str, int] = {}
        if len(whole) > 1:
            try:
                with self._shared({ready.plan: ready.parts for ready in whole.values()}):
                    written = write_once(self._database, lambda connection: self._write_together(connection, whole))
            except ENDS:
                raise
            except RagraphError as error:  # of one of them, which is found below
                _LOG.debug("embedded one by one", documents=len(whole), reason=str(error))
        for plan, parts, vectors in batch:
            if plan.document_id in written:
                self._wrote(plan, len(parts), written[plan.document_id])
            else:
                self._write(plan, parts, vectors)

    def _write_together(self, connection: psycopg.Connection[Any], whole: Mapping[str, _Ready]) -> dict[str, int]:
        """Write the documents that are unchanged since planning and not locked; return the vectors written of each.

        It waits for leases in the order of their documents, and never for locks of documents. So two processes that do
        this never wait for each other.
        """
        names: dict[str, Any] = {"model_name": self.model.name}
        if self._guard:
            for document_id in sorted(whole):
                self._guard(connection, document_id)
        cursor = connection.cursor(row_factory=scalar_row)
        locked = cursor.execute(QUERIES["ingest_lock_free"], {"document_ids": list(whole)}).fetchall()
        # in a statement of its own, which sees what was written before the locks were taken
        found = connection.cursor(row_factory=dict_row).execute(
            QUERIES["embed_unembedded"], {**names, "document_ids": locked}
        )
        stamps = {row["id"]: row["stamp"] for row in found}
        free = [ready for name, ready in whole.items() if stamps.get(name) == ready.plan.stamp]
        self._copy(connection, free)
        done = [{**names, "document_id": one.plan.document_id, "made_with": self._made(one.plan)} for one in free]
        cursor.executemany(QUERIES["finish_embedding"], done)
        return {ready.plan.document_id: len(ready.rows) for ready in free}

    def _write(self, plan: _Plan, parts: list[Part], vectors: Sequence[Vectors]) -> None:
        if plan.finished:
            return
        try:
            with self._shared({plan: parts}):
                written = write_once(self._database, lambda found: self._write_alone(found, plan, parts, vectors))
        except LeaseLostError:
            plan.finished = True
            if self._lost:
                self._lost(plan.document_id)
            return
        except (_ChangedMeanwhileError, ConstraintError) as error:  # or rows that vectors refer to were deleted
            plan.finished = True  # the rest of it in the queue is outdated
            if plan.tries < _REPLANS:
                self._again.append((plan.document_id, plan.tries + 1, plan.given))
            elif isinstance(error, ConstraintError):
                raise
            else:
                self.failures[plan.document_id] = "other processes kept changing the document; run again"
            return
        self._wrote(plan, len(parts), written)

    def _wrote(self, plan: _Plan, parts: int, written: int) -> None:
        self.deleted += len(plan.surplus)
        plan.surplus = []
        plan.left -= parts
        self._done += parts
        if written:
            self.written[plan.document_id] += written
        if not plan.left:
            plan.finished = True
            if self._finished:
                self._finished(plan.document_id)

    def _write_alone(
        self, connection: psycopg.Connection[Any], plan: _Plan, parts: list[Part], vectors: Sequence[Vectors]
    ) -> int:
        names = {"document_id": plan.document_id, "model_name": self.model.name}
        if self._guard:
            self._guard(connection, plan.document_id)
        connection.execute(QUERIES["lock_embed_document"], names)
        with connection.cursor(row_factory=dict_row) as cursor:
            document = cursor.execute(QUERIES["embed_document"], names).fetchone()
            if document is None or document["stamp"] != plan.stamp:
                raise _ChangedMeanwhileError
            # another process may have written some of them meanwhile
            ids = [*plan.surplus, *(part.id for part in parts)]
            found = cursor.execute(QUERIES["embedded_hashes_of"], {**names, "ids": ids})
            existing = {row["id"]: row["content_hash"] for row in found}
        fresh = [
            (part, vector)
            for part, vector in zip(parts, vectors, strict=True)
            if part.node_id in plan.given or existing.get(part.id) != part.content_hash
        ]
        gone = [known for known in plan.surplus if existing.get(known, "") != plan.hashes.get(known)]
        gone += [part.id for part, _ in fresh if part.id in existing]
        if gone:
            connection.execute(QUERIES["delete_embeddings"], {**names, "ids": gone})
        ready = _Ready(plan, [part for part, _ in fresh], [vector for _, vector in fresh])
        self._copy(connection, [ready])
        if plan.left == len(parts):
            connection.execute(QUERIES["finish_embedding"], {**names, "made_with": self._made(plan)})
        return len(ready.rows)

    def _copy(self, connection: psycopg.Connection[Any], batch: Sequence[_Ready]) -> None:
        made = (
            vector_row(ready.plan.document_id, ready.plan.collection, self.model, part, vector)
            for ready in batch
            for part, vector in ready.rows
        )
        Copier(connection).copy("embedding", EMBEDDING_COLUMNS, made)

    def _made(self, plan: _Plan) -> Jsonb:
        backends = {_BACKENDS: sorted(plan.backends)} if plan.backends else {}
        return Jsonb(made_with(self._settings) | backends)


def vector_row(
    document_id: str, collection: str, model: EmbeddingModel, part: Part, vector: Vectors
) -> tuple[Any, ...]:
    """Return a vector as a row of ``EMBEDDING_COLUMNS``."""
    return (
        *(document_id, part.id, part.node_id, model.name, part.source, part.number, part.start, part.end),
        *(part.content_hash, vector_bytes(vector), model.normalized, collection),
    )


def _array(vector: Any) -> Vectors:
    """Return a vector of the database as a numpy array; before 0.5 pgvector itself returned one."""
    found: Vectors = vector.to_numpy() if hasattr(vector, "to_numpy") else vector
    return found


def _is_stored(vector: Vectors, stored: Vectors) -> bool:
    """Return True if a vector equals the stored one, in the precision of the store."""
    with np.errstate(over="ignore"):
        return np.array_equal(vector.astype(stored.dtype), stored)


def _column(database: Database, query: str, parameters: dict[str, Any]) -> list[Any]:
    with database.read() as connection, connection.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(QUERIES[query], parameters).fetchall()
