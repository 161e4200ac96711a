"""Rows of a graph as binary COPY takes them."""

from __future__ import annotations

from dataclasses import astuple
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from psycopg.types.numeric import Int4
from psycopg.types.range import Int4Range

from ragraph.database.copying import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragraph.database.copying import Copier
    from ragraph.ingest.common.graph_rows import ComponentRow, Graph, NodeRow, RelationRow

_TYPES = {
    **dict.fromkeys(
        (
            *("page_pdf", "depth", "sequence_in_parent_major", "sequence_in_parent_minor", "sequence_in_document"),
            *("first_sequence", "last_sequence", "token_count", "char_start", "char_end", "marker_start"),
        ),
        "int4",
    ),
    **dict.fromkeys(("width", "height"), "float8"),
    "page_range": "int4range",
    "ts_config": "oid",
}
"""What columns are sent as where that is not text."""


def _columns(*names: str) -> dict[str, str]:
    return {name: _TYPES.get(name, "text") for name in names}


_PAGE = _columns("document_id", "page_pdf", "page_logical", "width", "height", "collection")
_COMPONENT = _columns(
    *("document_id", "id", "component_type", "title", "parent_component_id", "depth", "sequence_in_parent_major"),
    *("sequence_in_parent_minor", "page_range", "first_sequence", "last_sequence", "collection"),
)
_NODE = _columns(
    *("document_id", "id", "parent_component_id", "content_node_type", "content", "storage_url", "description"),
    *("embedding_source", "sequence_in_parent_major", "sequence_in_parent_minor", "sequence_in_document"),
    *("positional_data", "content_hash", "token_count", "char_start", "char_end", "data", "ts_config", "collection"),
)
_RELATION = _columns(
    *("document_id", "id", "source_node_id", "target_node_id", "relation_type", "marker_text", "marker_start"),
    *("target_anchor", "collection"),
)


def copy_graphs(copier: Copier, graphs: Sequence[tuple[Graph, int]]) -> None:
    """Write pages, components, nodes and relations of documents that have none yet.

    Each graph comes with the oid of its text search configuration.
    """
    every = chain.from_iterable
    copier.copy("document_page", _PAGE, every(_page_rows(graph) for graph, _ in graphs))
    components = every(_component_rows(graph, graph.components) for graph, _ in graphs)
    copier.copy("document_component", _COMPONENT, components)
    copier.copy("content_node", _NODE, every(_node_rows(graph, graph.nodes, ts_config) for graph, ts_config in graphs))
    copier.copy("relation", _RELATION, every(_relation_rows(graph, graph.relations) for graph, _ in graphs))


def copy_components(copier: Copier, graph: Graph, rows: Iterable[ComponentRow]) -> None:
    """Write some components of a graph."""
    copier.copy("document_component", _COMPONENT, _component_rows(graph, rows))


def copy_nodes(copier: Copier, graph: Graph, rows: Iterable[NodeRow], ts_config: int) -> None:
    """Write some nodes of a graph; ``ts_config`` is the oid of their text search configuration."""
    copier.copy("content_node", _NODE, _node_rows(graph, rows, ts_config))


def copy_relations(copier: Copier, graph: Graph, rows: Iterable[RelationRow]) -> None:
    """Write some relations of a graph."""
    copier.copy("relation", _RELATION, _relation_rows(graph, rows))


def _page_rows(graph: Graph) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    return ((document_id, *astuple(page), collection) for page in graph.pages)


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
            row.sequence_in_document, json_text(row.positional_data), row.content_hash, row.token_count,
            row.char_start, row.char_end, json_text(row.data), ts_config, collection,
        )  # fmt: skip


_relation_fields = attrgetter(
    "id", "source_node_id", "target_node_id", "relation_type.value", "marker_text", "marker_start", "target_anchor"
)


def _relation_rows(graph: Graph, rows: Iterable[RelationRow]) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in rows:
        yield (document_id, *_relation_fields(row), collection)
