"""Rows of a graph as binary COPY takes them."""

from __future__ import annotations

from dataclasses import astuple
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.types.json import Jsonb
from psycopg.types.numeric import Int4
from psycopg.types.range import Int4Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg

    from ragraph.ingest.graph_rows import ComponentRow, Graph, NodeRow, RelationRow

    Connection = psycopg.Connection[Any]

# Columns in the order of COPY, and the types they are sent as where that is not text. An enum travels as its label
# and a regconfig as its oid: the bytes are the same.
_PAGE = ["document_id", "page_pdf", "page_logical", "width", "height", "collection"]
_COMPONENT = [
    "document_id",
    "id",
    "component_type",
    "title",
    "parent_component_id",
    "depth",
    "sequence_in_parent_major",
    "sequence_in_parent_minor",
    "page_range",
    "first_sequence",
    "last_sequence",
    "collection",
]
_NODE = [
    "document_id",
    "id",
    "parent_component_id",
    "content_node_type",
    "content",
    "storage_url",
    "description",
    "embedding_source",
    "sequence_in_parent_major",
    "sequence_in_parent_minor",
    "sequence_in_document",
    "positional_data",
    "content_hash",
    "token_count",
    "char_start",
    "char_end",
    "data",
    "ts_config",
    "collection",
]
_RELATION = [
    "document_id",
    "id",
    "source_node_id",
    "target_node_id",
    "relation_type",
    "marker_text",
    "marker_start",
    "target_anchor",
    "collection",
]
_NUMBERS = [
    "page_pdf",
    "depth",
    "sequence_in_parent_major",
    "sequence_in_parent_minor",
    "sequence_in_document",
    "first_sequence",
    "last_sequence",
    "token_count",
    "char_start",
    "char_end",
    "marker_start",
]
_SENT_AS = {
    **dict.fromkeys(_NUMBERS, "int4"),
    **dict.fromkeys(("width", "height"), "float8"),
    **dict.fromkeys(("positional_data", "data"), "jsonb"),
    "page_range": "int4range",
    "ts_config": "oid",
}


def copy_graph(connection: Connection, graph: Graph, ts_config: int) -> None:
    """Write pages, components, nodes and relations of a document that has none yet."""
    document_id, collection = graph.document.id, graph.document.collection
    pages = ((document_id, *astuple(page), collection) for page in graph.pages)
    _copy(connection, "document_page", _PAGE, pages)
    copy_components(connection, graph, graph.components)
    copy_nodes(connection, graph, graph.nodes, ts_config)
    copy_relations(connection, graph, graph.relations)


def copy_components(connection: Connection, graph: Graph, rows: Iterable[ComponentRow]) -> None:
    """Write some components of a graph."""
    _copy(connection, "document_component", _COMPONENT, _component_rows(graph, rows))


def copy_nodes(connection: Connection, graph: Graph, rows: Iterable[NodeRow], ts_config: int) -> None:
    """Write some nodes of a graph; ``ts_config`` is the oid of their text search configuration."""
    _copy(connection, "content_node", _NODE, _node_rows(graph, rows, ts_config))


def copy_relations(connection: Connection, graph: Graph, rows: Iterable[RelationRow]) -> None:
    """Write some relations of a graph."""
    _copy(connection, "relation", _RELATION, _relation_rows(graph, rows))


def _copy(connection: Connection, table: str, columns: list[str], rows: Iterable[tuple[Any, ...]]) -> None:
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
        sql.Identifier("ragraph", table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([_SENT_AS.get(column, "text") for column in columns])
        for row in rows:
            copy.write_row(row)


def _component_rows(graph: Graph, rows: Iterable[ComponentRow]) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in rows:
        # Int4: before psycopg 3.3.9 the bounds went in two bytes each
        pages = Int4Range(Int4(row.page_range[0]), Int4(row.page_range[1]), "[]") if row.page_range else None
        yield (
            document_id, row.id, row.component_type.value, row.title, row.parent_component_id, row.depth,
            row.sequence_in_parent_major, row.sequence_in_parent_minor, pages, row.first_sequence, row.last_sequence,
            collection,
        )  # fmt: skip


def _node_rows(graph: Graph, rows: Iterable[NodeRow], ts_config: int) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in rows:
        yield (
            document_id, row.id, row.parent_component_id, row.content_node_type.value, row.content, row.storage_url,
            row.description, row.embedding_source.value, row.sequence_in_parent_major, row.sequence_in_parent_minor,
            row.sequence_in_document, Jsonb(row.positional_data), row.content_hash, row.token_count, row.char_start,
            row.char_end, Jsonb(row.data), ts_config, collection,
        )  # fmt: skip


_relation_fields = attrgetter(
    "id", "source_node_id", "target_node_id", "relation_type.value", "marker_text", "marker_start", "target_anchor"
)


def _relation_rows(graph: Graph, rows: Iterable[RelationRow]) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in rows:
        yield (document_id, *_relation_fields(row), collection)
