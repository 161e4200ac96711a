"""Read a document as it was in an earlier version, and restore it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from psycopg.rows import dict_row, tuple_row

from ragraph.base.queries import QUERIES
from ragraph.database.copying import Copier, vector_bytes
from ragraph.errors import ArgumentError
from ragraph.ingest.storing.versions import State, graph_of, state_of
from ragraph.ingest.storing.write import lock_document, rewrite
from ragraph.ingest.vectors.embed import EMBEDDING_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

    from ragraph.ingest.common.graph_rows import Changes, Graph

    Connection = psycopg.Connection[Any]


def put_back(connection: Connection, document: str, version: int) -> Changes:
    """Make the live rows of a document those of an earlier version, with the vectors of restored rows.

    The present state is recorded as a version if the collection keeps versions.

    Args:
        connection: a connection with an open transaction.
        document: its id.
        version: its number, as in ``ragraph history``.

    Raises:
        DocumentNotFoundError: there is no such document.
        ArgumentError: the version is not stored.
    """
    lock_document(connection, document)
    state, head, vectors = _state_at(connection, document, version)
    _, live = state_of(connection, document)
    graph = graph_of(state, head)
    # not part of the text, so unchanged: what the document belongs to, and where its file was read last
    now = {name: live[name] for name in ("publication_id", "collection", "source_uri")}
    graph = replace(graph, document=replace(graph.document, **now))
    changes = rewrite(connection, graph)
    _vectors_back(connection, graph, vectors)
    return changes


def version_graph(connection: Connection, document: str, version: int | None) -> Graph:
    """Return the rows of a document as they are, or were in an earlier version.

    Raises:
        DocumentNotFoundError: there is no such document.
        ArgumentError: the version is not stored.
    """
    if version is None or version == _live_version(connection, document):
        return graph_of(*state_of(connection, document))
    state, head, _ = _state_at(connection, document, version)
    return graph_of(state, head)


def _live_version(connection: Connection, document: str) -> int:
    row = connection.cursor(row_factory=tuple_row).execute(
        QUERIES["live_version"], {"document_id": document}
    ).fetchone()  # fmt: skip
    return int(row[0]) if row else 1


def _state_at(
    connection: Connection, document: str, version: int
) -> tuple[State, dict[str, Any], list[Mapping[str, Any]]]:
    state, _ = state_of(connection, document)
    key = {"document_id": document, "version": version}
    with connection.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute(QUERIES["version_head"], key).fetchone()
        if found is None or found["head"] is None:
            raise ArgumentError(f"version {version} of {document} is not kept")
        vectors: list[Mapping[str, Any]] = []
        for row in cursor.execute(QUERIES["version_rows"], key):
            if row["kind"] == "vector":
                vectors.append(row)
            elif row["content"] is None:
                state.pop((row["kind"], row["id"]), None)
            else:
                state[row["kind"], row["id"]] = row["content"]
    return state, found["head"], vectors


def _vectors_back(connection: Connection, graph: Graph, vectors: list[Mapping[str, Any]]) -> None:
    nodes = {node.id for node in graph.nodes}
    document = graph.document
    have = {
        name
        for (name,) in connection.cursor(row_factory=tuple_row).execute(
            QUERIES["vectors_of"], {"document_id": document.id}
        )
    }
    Copier(connection).copy(
        "embedding",
        EMBEDDING_COLUMNS,
        (
            (
                *(document.id, row["id"], part["node_id"], part["model_name"], part["embedding_source"], part["part"]),
                *(part["char_start"], part["char_end"], part["content_hash"]),
                *(vector_bytes(np.array(json.loads(row["numbers"]), dtype=np.float32)),),
                *(part["normalized"], document.collection),
            )
            for row in vectors
            if (part := row["content"])["node_id"] in nodes and row["id"] not in have
        ),
    )
