"""Store a document with its tree: from a draft in one step, or flat first and linked afterwards."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.rows import dict_row, tuple_row

from ragraph.base.queries import QUERIES
from ragraph.errors import DocumentNotFoundError
from ragraph.ingest.common.graph_rows import Changes, DocumentRow, Graph, NodeRow, PageRow, RelationRow
from ragraph.ingest.storing.merge import merge
from ragraph.ingest.storing.versions import superseding
from ragraph.ingest.storing.write import find_ts_config, lock_document, rewrite, write_graph
from ragraph.ingest.structure.assembling import assemble_graph
from ragraph.ingest.structure.outline import FURNITURE
from ragraph.ingest.structure.tree import build_tree
from ragraph.ingest.vectors.texts import count_tokens, tokens_of
from ragraph.schema.enums import ContentNodeType, DocumentType, EmbeddingSource, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import psycopg

    from ragraph.ingest.draft import Draft

    Connection = psycopg.Connection[Any]

_MOST_ROUNDS = 20
"""Limit of a loop that ends by itself: every round between the first and the last resolves a relation."""


def store_flat(connection: Connection, draft: Draft, document: DocumentRow) -> Changes:
    """Store the nodes of a draft without a tree, in order, chained by CONTINUES. The document can then be searched.

    A second call with the same draft changes nothing. On a document that is linked already it removes the tree.
    """
    return write_graph(connection, count_tokens(assemble_graph(draft, document)))


def link_document(connection: Connection, document_id: str, keep_continues: bool = False) -> Changes:
    """Build the tree of a stored document from its rows alone.

    Read the nodes in the order of CONTINUES (of ``sequence_in_document`` once that is gone) and make components and
    parents. The database then resolves relations, moves footnotes behind the text that refers to them, and numbers
    the pages. All of it is one transaction. A second call changes nothing.

    Args:
        connection: a connection that may write.
        document_id: a document whose nodes are stored.
        keep_continues: whether to keep the chain, which then follows the final reading order.

    Returns:
        What changed in the rows.

    Raises:
        DocumentNotFoundError: there is no such document.
        psycopg.Error: with SQLSTATE RG008 if the CONTINUES chain branches or is circular.
    """
    with connection.transaction():
        lock_document(connection, document_id)
        graph = build_tree(load_graph(connection, document_id))
        ts_config = find_ts_config(connection, graph.document.ts_config)
        with superseding(connection, graph):
            rest = partial(link_in_database, connection, document_id, DatabaseSteps(), keep_continues)
            return merge(connection, graph, ts_config, rest)


def ingest_draft(
    connection: Connection,
    draft: Draft,
    document: DocumentRow,
    keep_continues: bool = False,
    adjust: Callable[[Graph], Graph] | None = None,
    tokens: Mapping[str, int] | None = None,
) -> Changes:
    """Store a draft with its tree in one transaction. The tree is made in memory, so rows are written once.

    The result is that of ``store_flat`` and ``link_document``. The status of the document is left at
    ``document.processing_status``.

    Args:
        connection: a connection that may write.
        draft: the draft of a reader.
        document: what is known of the file.
        keep_continues: see ``link_document``.
        adjust: called with the rows before they are written; returns the rows to write.
        tokens: see ``make_linked``.

    Raises:
        IngestError: the document is stored in another collection.
    """
    graph = make_linked(draft, document, tokens)
    return write_linked(connection, adjust(graph) if adjust else graph, keep_continues)


def make_linked(draft: Draft, document: DocumentRow, tokens: Mapping[str, int] | None = None) -> Graph:
    """Return the rows of a draft with their tree, as far as they can be made without the database.

    Args:
        draft: the draft of a reader.
        document: what is known of the file.
        tokens: number of tokens of every text (``texts.tokens_of``); counted here by default.
    """
    if tokens is None:
        tokens = tokens_of(node.text for node in draft.nodes)
    return build_tree(assemble_graph(draft, document, continues=False, tokens=tokens))


def write_linked(connection: Connection, graph: Graph, keep_continues: bool = False) -> Changes:
    """Write a graph of ``make_linked`` and have the database do the remaining steps.

    Raises:
        IngestError: the document is stored in another collection.
    """
    steps = database_steps(graph)
    return rewrite(connection, graph, lambda: link_in_database(connection, graph.document.id, steps, keep_continues))


_LEADING = (RelationType.REFERENCES_NOTE, RelationType.IS_CAPTIONED_BY, RelationType.IS_SUPPLEMENTED_BY)
"""Relations that must not form a circle; ``ragraph.resolve_relations`` turns those that do into cross-references."""


class DatabaseSteps(NamedTuple):
    """Steps of the database that may change something in a tree that was just made."""

    resolve: bool = True
    sequence: bool = True
    pages: bool = True


def database_steps(graph: Graph) -> DatabaseSteps:
    """Return the steps that the database still has to do.

    Most drafts that programs make have no notes, page headers or pages, and need none of them.
    """
    leading = [row for row in graph.relations if row.relation_type in _LEADING]
    sources = {row.source_node_id for row in leading}
    return DatabaseSteps(
        # targets are missing, or stated relations may form a circle
        resolve=any(row.target_node_id is None for row in graph.relations)
        or any(row.target_node_id in sources for row in leading),
        # footnotes move behind the text that refers to them; furniture and empty components to where they are met first
        sequence=any(row.content_node_type is ContentNodeType.NOTE for row in graph.nodes)
        or any(row.component_type in FURNITURE or row.first_sequence is None for row in graph.components),
        pages=bool(graph.pages),
    )


def link_in_database(
    connection: Connection, document_id: str, steps: DatabaseSteps, keep_continues: bool = False
) -> None:
    """Have the database do these steps on a document that was just written."""
    key = {"document_id": document_id}
    # The tree already follows the chain, so the chain is gone by now and is restored in the final order. If footnotes
    # move, a marker may find a note it did not find before: repeat until nothing moves.
    for _ in range(_MOST_ROUNDS):
        if steps.resolve:
            _number(connection, "ingest_resolve", key)
        moved = steps.sequence and _number(connection, "ingest_sequence", key)
        if not moved or not _number(connection, "ingest_unresolved", key):
            break
    if steps.pages:
        connection.execute(QUERIES["ingest_number_pages"], key)
    if keep_continues:
        connection.execute(QUERIES["ingest_chain"], key)


def _number(connection: Connection, query: str, key: dict[str, str]) -> int:
    row = connection.cursor(row_factory=tuple_row).execute(QUERIES[query], key).fetchone()
    return int(row[0]) if row else 0


def load_graph(connection: Connection, document_id: str) -> Graph:
    """Read a document to link it: nodes in the order of CONTINUES, no components, no chain.

    Raises:
        DocumentNotFoundError: there is no such document.
    """
    key = {"document_id": document_id}
    cursor = connection.cursor(row_factory=dict_row)
    found = cursor.execute(QUERIES["ingest_load_document"], key).fetchone()
    if found is None:
        raise DocumentNotFoundError(f"there is no document {document_id}; ingest it first")
    found["type"] = DocumentType(found.pop("document_type"))
    nodes = []
    for row in cursor.execute(QUERIES["ingest_load_nodes"], key):
        row["content_node_type"] = ContentNodeType(row["content_node_type"])
        row["embedding_source"] = EmbeddingSource(row["embedding_source"])
        nodes.append(NodeRow(**row))
    relations = []
    for row in cursor.execute(QUERIES["ingest_load_relations"], key):
        row["relation_type"] = RelationType(row["relation_type"])
        relations.append(RelationRow(**row))
    return Graph(
        document=DocumentRow(**found),
        pages=tuple(PageRow(**row) for row in cursor.execute(QUERIES["ingest_load_pages"], key)),
        nodes=tuple(nodes),
        relations=tuple(relations),
    )
