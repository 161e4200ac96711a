"""Write new documents together, so that they share the cost of statements, COPY and commit."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.rows import scalar_row

from ragraph.base.queries import QUERIES
from ragraph.database.copying import Copier
from ragraph.ingest.storing.graph_copy import copy_graphs
from ragraph.ingest.storing.linking import database_steps, link_in_database
from ragraph.ingest.storing.write import document_values, find_ts_configs, look_again, publication_values
from ragraph.ingest.vectors.embed import EMBEDDING_COLUMNS, GIVEN, made_with, vector_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import psycopg

    from ragraph.ingest.common.graph_rows import Graph
    from ragraph.ingest.supplied.vectors import Filled
    from ragraph.ingest.vectors.parts import PartSettings

    Connection = psycopg.Connection[Any]


class New(NamedTuple):
    """A document that the store may not have; ``vectors`` are all its vectors, or empty."""

    graph: Graph
    tags: tuple[str, ...] = ()
    vectors: tuple[Filled, ...] = ()


def with_vectors(graph: Graph, vectors: Sequence[Filled], settings: PartSettings) -> Graph:
    """Return a graph whose document records how its vectors were made."""
    made = {
        filled.model.name: made_with(settings) | ({"backends": [GIVEN]} if filled.rows else {}) for filled in vectors
    }
    if not made:
        return graph
    document = replace(graph.document, ingested_with={**graph.document.ingested_with, "embedded": made})
    return replace(graph, document=document)


def write_together(connection: Connection, documents: Sequence[New]) -> set[str]:
    """Write those of the documents that do not exist and that no other process is writing.

    The rows are those that ``linking.write_linked`` writes for each. It never waits for the lock of another process.

    Args:
        connection: a connection with an open transaction: all documents are written here, or none.
        documents: documents with different ids.

    Returns:
        The ids of the written documents; the others are unchanged.

    Raises:
        RagraphError: a row breaks a rule. Write the documents one by one to find out which one it belongs to.
    """
    copier = Copier(connection)
    if copier.staged:  # under row-level security others may use ids that are not visible
        return set()
    cursor = connection.cursor(row_factory=scalar_row)
    ids = {"document_ids": [new.graph.document.id for new in documents]}
    locked = cursor.execute(QUERIES["ingest_lock_free"], ids).fetchall()
    # in a statement of its own, which sees what was written before the locks were taken
    free = set(cursor.execute(QUERIES["missing_documents"], {"document_ids": locked}).fetchall())
    taken = [new for new in documents if new.graph.document.id in free]
    if not taken:
        return set()
    graphs = [new.graph for new in taken]
    configs = find_ts_configs(connection, [graph.document for graph in graphs])
    own = [publication_values(graph.publication) for graph in graphs if graph.publication]
    cursor.executemany(QUERIES["ingest_publication"], own)
    rows = [document_values(graph.document, configs[graph.document.id]) for graph in graphs]
    cursor.executemany(QUERIES["ingest_document"], rows)
    copy_graphs(copier, [(graph, configs[graph.document.id]) for graph in graphs])
    cursor.execute(QUERIES["ingest_note_texts"], {"document_ids": list(free)})
    look_again(connection, sum(len(graph.nodes) for graph in graphs))
    for graph in graphs:
        link_in_database(connection, graph.document.id, database_steps(graph))
    tags: list[Mapping[str, Any]] = [
        {"publication_id": new.graph.document.publication_id, "tags": list(new.tags)} for new in taken if new.tags
    ]
    if tags:
        cursor.executemany(QUERIES["tag_publication"], tags)
    copier.copy(
        "embedding",
        EMBEDDING_COLUMNS,
        chain.from_iterable(
            (vector_row(*_place(new.graph), filled.model, part, vector) for part, vector in filled.rows)
            for new in taken
            for filled in new.vectors
        ),
    )
    return free


def _place(graph: Graph) -> tuple[str, str]:
    return graph.document.id, graph.document.collection
