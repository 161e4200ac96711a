"""Import lines of an export: the rows as they were, under the same locks and rules as ingestion."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from psycopg.rows import dict_row
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from ragraph.base.labels import check_id
from ragraph.base.queries import QUERIES
from ragraph.database.copying import Copier, vector_bytes
from ragraph.documents.exporting import FORMAT
from ragraph.errors import ArgumentError, IngestError, ModelError
from ragraph.ingest.common.graph_rows import Changes, Graph
from ragraph.ingest.storing.write import write_graph
from ragraph.ingest.vectors.embed import EMBEDDING_COLUMNS
from ragraph.models.registry import record_model

if TYPE_CHECKING:
    from typing import Self

    import psycopg

    Connection = psycopg.Connection[Any]

_STARTS = re.compile(r'\s*\{\s*"format"\s*:\s*"ragraph/')
_STATED = ("dimensions", "distance", "max_tokens", "query_prefix", "document_prefix", "normalized", "truncated_from")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _RecordedModel(_Model):
    name: str
    location: str | None
    dimensions: int
    distance: str
    max_tokens: int
    query_prefix: str
    document_prefix: str
    normalized: bool
    truncated_from: int | None = None  # exports of stores before migration 0015 have neither field
    index_kind: Literal["halfvec", "bit"] = "halfvec"


class _Vector(_Model):
    id: str
    node_id: str
    embedding_source: str
    part: int
    char_start: int
    char_end: int
    content_hash: str
    vector: list[float]


class _Vectors(_Model):
    model: _RecordedModel
    parts: list[_Vector]

    @model_validator(mode="after")
    def _long_enough(self) -> Self:
        for part in self.parts:
            if len(part.vector) != self.model.dimensions:
                raise ValueError(f"vector {part.id} has {len(part.vector)} numbers, not {self.model.dimensions}")
        return self


class _ByHand(_Model):
    publication: list[str] = []
    document: list[str] = []
    ingested_into: list[str] = []


class _Review(_Model):
    id: str = Field(min_length=1, max_length=200)
    node_id: str = Field(min_length=1)
    question: str = Field(max_length=10000)
    reviewer: str = Field(min_length=1, max_length=200)
    verdict: Literal["right", "wrong", "note"]
    note: str | None = Field(min_length=1, max_length=10000)
    reviewed_at: AwareDatetime

    @model_validator(mode="after")
    def _said(self) -> Self:
        if self.verdict == "note" and self.note is None:
            raise ValueError(f"review {self.id} has neither a judgement nor a note")
        return self


class Exported(_Model):
    """A line of an export."""

    format: str = Field(pattern=f"^{re.escape(FORMAT)}$")
    graph: Graph
    by_hand: _ByHand = _ByHand()
    reviews: list[_Review] = []
    vectors: list[_Vectors] = []


_LINE: TypeAdapter[Exported] = TypeAdapter(Exported)


def exported_of(given: Any) -> Exported | None:
    """Return a line of an export from JSON or a mapping; None if it is something else.

    Raises:
        ValidationError: it is a line of an export, but invalid.
        ArgumentError: the ids of its document and publication do not fit together.
    """
    match given:
        case str() | bytes():
            start = given[:100] if isinstance(given, str) else given[:100].decode("utf-8", "replace")
            line = _LINE.validate_json(given) if _STARTS.match(start) else None
        case dict() if str(given.get("format", "")).startswith("ragraph/"):
            line = _LINE.validate_python(given)
        case _:
            line = None
    if line is not None:
        check_id(line.graph.document.id)
        publication = line.graph.publication
        if publication is None or publication.id != line.graph.document.publication_id:
            raise ArgumentError("the line has no publication of its document; export it again")
        for node in line.graph.nodes:
            if hashlib.sha256(node.content.encode()).hexdigest() != node.content_hash:
                raise ArgumentError(f"node {node.id} has another text than its hash says; edit drafts instead")
    return line


def restore(connection: Connection, line: Exported) -> Changes:
    """Restore a document as it was exported, in the transaction of the connection.

    Raises:
        IngestError: the document is stored in another collection.
        ModelError: the store has another model under the same name.
    """
    document = line.graph.document
    changes = write_graph(connection, line.graph)
    names = {"document_id": document.id, "publication_id": document.publication_id}
    for query in ("restore_document_by_hand", "restore_publication_by_hand"):
        connection.execute(QUERIES[query], {**line.by_hand.model_dump(), **names})
    if line.reviews:
        reviews = json.dumps([review.model_dump(mode="json") for review in line.reviews])
        connection.execute(QUERIES["restore_reviews"], {**names, "reviews": reviews})
    nodes = {node.id for node in line.graph.nodes}
    for vectors in line.vectors:
        if strange := next((part.node_id for part in vectors.parts if part.node_id not in nodes), None):
            raise IngestError(f"a vector is of the node {strange!r}, which the document does not have")
        _register(connection, vectors.model)
        _write(connection, line, vectors)
    return changes


def lacking(connection: Connection, line: Exported) -> dict[str, int]:
    """Return how many vectors of an export are missing in the store, by model."""
    return {vectors.model.name: len(_fresh(connection, line, vectors)) for vectors in line.vectors}


def _fresh(connection: Connection, line: Exported, vectors: _Vectors) -> list[_Vector]:
    names = {"document_id": line.graph.document.id, "model_name": vectors.model.name, "with_vectors": False}
    with connection.cursor(row_factory=dict_row) as cursor:
        known = {row["id"]: row["content_hash"] for row in cursor.execute(QUERIES["embedded"], names)}
    return [part for part in vectors.parts if known.get(part.id) != part.content_hash]


def _register(connection: Connection, model: _RecordedModel) -> None:
    stated = model.model_dump()
    known = record_model(connection, stated)
    if any(known[name] != stated[name] for name in _STATED):
        raise ModelError(f"the store knows another model as {model.name!r}; export without vectors, and embed again")


def _write(connection: Connection, line: Exported, vectors: _Vectors) -> None:
    document, model = line.graph.document, vectors.model
    names = {"document_id": document.id, "model_name": model.name}
    fresh = _fresh(connection, line, vectors)
    connection.execute(QUERIES["delete_embeddings"], {**names, "ids": [part.id for part in fresh]})
    Copier(connection).copy(
        "embedding",
        EMBEDDING_COLUMNS,
        (
            (
                *(document.id, part.id, part.node_id, model.name, part.embedding_source, part.part),
                *(part.char_start, part.char_end, part.content_hash),
                vector_bytes(np.array(part.vector, dtype=np.float32)),
                *(model.normalized, document.collection),
            )
            for part in fresh
        ),
    )
