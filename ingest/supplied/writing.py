"""Prepare drafts of programs while others are written, and write them, new ones together."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from psycopg.rows import dict_row

from ragraph.base.log import logger
from ragraph.base.queries import QUERIES
from ragraph.database.collection_names import check_collection
from ragraph.database.retry import ENDS, with_retry, write_once
from ragraph.errors import IngestError, RagraphError
from ragraph.ingest.common import ids
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.common.long_texts import cut_long_texts
from ragraph.ingest.storing.linking import database_steps, ingest_draft, make_linked, write_linked
from ragraph.ingest.storing.restoring import lacking, restore
from ragraph.ingest.storing.write import id_is_free
from ragraph.ingest.structure.assembling import assemble_graph, node_ids
from ragraph.ingest.structure.tree import build_tree
from ragraph.ingest.supplied.batch import New, with_vectors, write_together
from ragraph.ingest.vectors.embed import is_made_with
from ragraph.ingest.vectors.index_aside import IndexAside
from ragraph.ingest.vectors.texts import tokens_of
from ragraph.schema.enums import ProcessingStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import psycopg

    from ragraph.database.connection import Database
    from ragraph.ingest.common.graph_rows import Changes, Graph
    from ragraph.ingest.draft import Draft, DraftDocument
    from ragraph.ingest.storing.restoring import Exported
    from ragraph.ingest.supplied.vectors import Embedders, Filled, Given
    from ragraph.ingest.vectors.parts import PartSettings
    from ragraph.models.embedding import EmbeddingModel
    from ragraph.schema.reports import FileStatus

_LOG = logger("ragraph.ingest")


@dataclass(frozen=True)
class Made:
    """A draft with the rows of a new document; ``seconds`` is the time that took.

    ``named`` is True if it came with an id. ``given`` are its vectors by model and key of their node. ``filled`` are
    all vectors of the document, if none has to be encoded.
    """

    draft: Draft
    named: bool
    tags: tuple[str, ...]
    tokens: dict[str, int]
    document: DocumentRow
    graph: Graph
    given: Given
    filled: tuple[Filled, ...] | None
    seconds: float


@dataclass(frozen=True)
class Written:
    """The result of a draft.

    ``lacks`` are models whose vectors still have to be made or written, ``filled`` those written with it.
    """

    status: FileStatus
    document_id: str
    counts: Mapping[str, int]
    seconds: float
    warnings: tuple[str, ...] = ()
    lacks: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    given: Given = field(default_factory=dict)
    filled: tuple[Filled, ...] = ()


class _Place(NamedTuple):
    """The document of a draft, and its row if the store has it."""

    made: Made
    row: dict[str, Any] | None


class DraftWriter:
    """Makes and writes the drafts of one run; ``make`` is called by one thread, everything else by another.

    Args:
        database: the store.
        collection: collection of new documents.
        model: model that will encode texts; None if they are not encoded.
        parts: how long texts are cut for embedding.
        embedders: write the vectors that are not written with their document.
    """

    def __init__(
        self,
        database: Database,
        collection: str,
        model: EmbeddingModel | None,
        parts: PartSettings,
        embedders: Embedders,
    ) -> None:
        self._database = database
        self._collection = collection
        self._model = model
        self._own = frozenset([model.name] if model is not None else [])
        self._parts = parts
        self._embedders = embedders
        self._asides: dict[str, IndexAside] = {}
        self._coming: Counter[str] = Counter()

    def close(self) -> None:
        """Release the indexes, so that they can be built."""
        for aside in self._asides.values():
            aside.close()

    def set_aside(self) -> frozenset[str]:
        """Return the models whose index was dropped for the run and has to be built again."""
        return frozenset(name for name, aside in self._asides.items() if aside.was_set)

    def make(self, draft: DraftDocument) -> Made:
        """Prepare a document as if it were new, as far as possible while others are written.

        Raises:
            RagraphError: it cannot be written.
        """
        begin = time.monotonic()
        cut = cut_long_texts(draft)
        vectors = self._embedders.read(cut)
        digest = _digest(draft)
        document = DocumentRow(
            id="",
            publication_id="",
            collection=self._collection,
            source_uri=draft.source_uri,
            sha256=digest,
            processing_status=ProcessingStatus.PROCESSING if self._model else ProcessingStatus.COMPLETED,
        )
        document = _called(document, draft.id or ids.document_id(self._collection, digest, 0))
        tokens = tokens_of(node.text for node in cut.nodes)
        flat = assemble_graph(cut, document, continues=False, tokens=tokens)
        graph = build_tree(flat)
        filled = None
        if vectors and not any(database_steps(graph)):
            named = {node.key: row.id for node, row in zip(cut.nodes, flat.nodes, strict=True)}
            filled = self._embedders.filled(graph, sorted(self._wanted(cut)), _by_node(vectors, named))
        return Made(
            draft=cut,
            named=draft.id is not None,
            tags=tuple(dict.fromkeys(draft.tags)),
            tokens=tokens,
            document=document,
            graph=graph,
            given=vectors,
            filled=filled,
            seconds=time.monotonic() - begin,
        )

    def write(self, drafts: Sequence[Made]) -> list[Written | RagraphError]:
        """Write drafts with different ids: new ones in one transaction, each of the others in its own.

        Returns:
            The result of each, or the reason why it could not be written.

        Raises:
            ServerError: the store cannot be used.
        """
        begin = time.monotonic()
        new: set[str] = set()
        if len(drafts) > 1 or drafts[0].filled:
            try:
                self._tell_coming(drafts)
                new = self._write_new(drafts)
            except ENDS:
                raise
            except RagraphError as error:  # of one of them, which is found below
                _LOG.debug("written one by one", documents=len(drafts), reason=str(error))
        seconds = (time.monotonic() - begin) / len(drafts)
        found: list[Written | RagraphError] = []
        for made in drafts:
            if made.document.id in new:
                found.append(self._new(made, seconds))
                continue
            try:
                found.append(self._written(made))
            except ENDS:
                raise
            except RagraphError as error:
                found.append(error)
        return found

    def _tell_coming(self, drafts: Sequence[Made]) -> None:
        """Announce the vectors that are written with new documents; an embedder announces those that come later."""
        filled = {made.document.id: made.filled for made in drafts if made.filled}
        if not filled:
            return

        def missing() -> list[str]:
            with self._database.read() as connection:
                return [found for (found,) in connection.execute(QUERIES["missing_documents"], names)]

        names = {"document_ids": list(filled)}
        for document_id in with_retry(self._database, missing):
            for own in filled[document_id]:
                self._count_coming(own.model.name, len(own.rows))

    def _count_coming(self, name: str, vectors: int) -> None:
        self._coming[name] += vectors
        self._asides.setdefault(name, IndexAside(self._database, name)).coming(self._coming[name])

    def _write_new(self, drafts: Sequence[Made]) -> set[str]:
        asked = [New(self._as_filled(made), made.tags, made.filled or ()) for made in drafts]
        return write_once(self._database, lambda connection: write_together(connection, asked))

    def _as_filled(self, made: Made) -> Graph:
        if made.filled is None:
            return made.graph
        graph = with_vectors(made.graph, made.filled, self._parts)
        return replace(graph, document=replace(graph.document, processing_status=ProcessingStatus.COMPLETED))

    def _new(self, made: Made, seconds: float) -> Written:
        graph = made.graph
        if any(database_steps(graph)):
            with self._database.read() as connection:
                counts = _counts(connection, graph.document.id)
        else:
            rows = {"nodes": graph.nodes, "components": graph.components, "relations": graph.relations}
            counts = {name: len(of) for name, of in rows.items()}
        done = made.filled is not None
        return Written(
            status="added",
            document_id=graph.document.id,
            counts=counts,
            seconds=made.seconds + seconds,
            warnings=tuple(made.draft.warnings),
            lacks=frozenset() if done else self._wanted(made.draft),
            models=frozenset(filled.model.name for filled in made.filled or ()),
            given={} if done else self._given(made, graph.document.id),
            filled=made.filled or (),
        )

    def _given(self, made: Made, document_id: str) -> Given:
        return _by_node(made.given, node_ids(made.draft, document_id)) if made.given else {}

    def _located(self, connection: psycopg.Connection[Any], made: Made) -> _Place:
        """Lock the document of a draft and return it with its row. It gets another id if another tenant has its own."""
        cursor = connection.cursor(row_factory=dict_row)
        digest = made.document.sha256 or ""
        for n in itertools.count(1):
            key = {"document_id": made.document.id}
            connection.execute(QUERIES["lock_document"], key)
            row = cursor.execute(QUERIES["document_by_id"], key).fetchone()
            if row is not None or made.named or id_is_free(connection, made.document.id, self._collection):
                return _Place(made, row)
            document = _called(made.document, ids.document_id(self._collection, digest, n))
            made = replace(made, document=document, graph=make_linked(made.draft, document, made.tokens))
        raise AssertionError

    def _written(self, made: Made) -> Written:
        begin = time.monotonic()

        def write(connection: psycopg.Connection[Any]) -> tuple[str, FileStatus, frozenset[str], dict[str, int]]:
            own, row = self._located(connection, made)
            document = own.document
            self._check_ours(row, document.id)
            same = row is not None and row["sha256"] == document.sha256
            if row is None:
                write_linked(connection, own.graph)
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
            counts = _counts(connection, document.id)
            if row is not None and same:
                return document.id, "unchanged", self._lacking(row, made.draft), counts
            status: FileStatus = "changed" if row is not None and row["sha256"] is not None else "added"
            return document.id, status, self._wanted(made.draft), counts

        document_id, status, lacks, counts = write_once(self._database, write)
        return Written(
            status=status,
            document_id=document_id,
            counts=counts,
            seconds=made.seconds + time.monotonic() - begin,
            warnings=tuple(made.draft.warnings),
            lacks=lacks,
            given=self._given(made, document_id) if lacks else {},
        )

    def restore(self, line: Exported) -> Written:
        """Write a document as it was exported, in its own collection.

        Raises:
            RagraphError: it cannot be written.
        """
        begin = time.monotonic()
        document = line.graph.document

        def write(connection: psycopg.Connection[Any]) -> tuple[Changes, dict[str, int]]:
            return restore(connection, line), _counts(connection, document.id)

        with_retry(self._database, lambda: check_collection(self._database, document.collection))

        def missing() -> dict[str, int]:
            with self._database.read() as connection:
                return lacking(connection, line)

        for name, vectors in with_retry(self._database, missing).items():
            self._count_coming(name, vectors)
        changes, counts = write_once(self._database, write)
        tallies = (changes.nodes, changes.components, changes.relations)
        same = not any((tally.added, tally.changed, tally.removed) != (0, 0, 0) for tally in tallies)
        status: FileStatus = "added" if changes.new else "unchanged" if same else "changed"
        return Written(
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
        """Return the models of which a document of this draft needs vectors."""
        return self._own.union(*(node.vectors for node in draft.nodes))

    def _lacking(self, row: Mapping[str, Any], draft: Draft) -> frozenset[str]:
        """Return those of them whose vectors a known document may lack."""
        wanted = self._wanted(draft)
        if row["status"] == "processing" and self._model is not None:
            return wanted
        made = row["ingested_with"].get("embedded", {})
        return frozenset(name for name in wanted if not is_made_with(made.get(name), self._parts))


def _called(document: DocumentRow, document_id: str) -> DocumentRow:
    return replace(document, id=document_id, publication_id=ids.publication_id(document_id))


def _digest(draft: DraftDocument) -> str:
    """Return a SHA-256 of everything in a draft; vectors as their bytes, which are read at once."""
    vectors = [(node.key, node.vectors) for node in draft.nodes if node.vectors]
    left_out = {"nodes": {"__all__": {"vectors"}}} if vectors else None
    digest = hashlib.sha256(draft.model_dump_json(exclude_defaults=True, exclude=left_out).encode())
    for key, own in vectors:
        for name, numbers in own.items():
            digest.update(f"\0{key}\0{name}\0{len(numbers)}\0".encode())
            digest.update(np.asarray(numbers, dtype=np.float64).tobytes())
    return digest.hexdigest()


def _by_node(vectors: Given, nodes: Mapping[str, str]) -> Given:
    """Return vectors by model and node of the store from vectors by model and key; ``nodes`` are ids by key."""
    return {model: {nodes[key]: vector for key, vector in own.items()} for model, own in vectors.items()}


def _counts(connection: psycopg.Connection[Any], document_id: str) -> dict[str, int]:
    cursor = connection.cursor(row_factory=dict_row)
    return cursor.execute(QUERIES["document_counts"], {"document_id": document_id}).fetchone() or {}
