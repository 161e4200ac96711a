"""Rows of a graph, in the form of binary COPY."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, get_origin, get_type_hints

from psycopg.types.numeric import Int4
from psycopg.types.range import Int4Range

from ragraph.database.copying import json_text
from ragraph.ingest.common.graph_rows import ComponentRow, NodeRow, PageRow, RelationRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from _typeshed import DataclassInstance

    from ragraph.database.copying import Copier
    from ragraph.ingest.common.graph_rows import Graph

_TYPES = {
    **dict.fromkeys(
        (
            *("page_pdf", "depth", "sequence_in_parent_major", "sequence_in_parent_minor", "sequence_in_document"),
            *("first_sequence", "last_sequence", "token_count", "char_start", "char_end", "marker_start"),
        ),
        "int4",
    ),
    **dict.fromkeys(("width", "height", "doubt"), "float8"),
    "page_range": "int4range",
    "ts_config": "oid",
}
"""Types of the columns that are not sent as text."""


def _columns(*names: str) -> dict[str, str]:
    return {name: _TYPES.get(name, "text") for name in names}


def _names(kind: type[DataclassInstance]) -> list[str]:
    return [field.name for field in fields(kind)]


def _values(kind: type[DataclassInstance]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that gives the values of a row in the order of its fields; enumeration members as values."""
    enums = {name for name, hint in get_type_hints(kind).items() if isinstance(hint, type) and issubclass(hint, Enum)}
    return attrgetter(*(f"{name}.value" if name in enums else name for name in _names(kind)))


_PAGE = _columns("document_id", *_names(PageRow), "collection")
_COMPONENT = _columns("document_id", *_names(ComponentRow), "collection")
_NODE = _columns("document_id", *_names(NodeRow), "ts_config", "collection")
_RELATION = _columns("document_id", *_names(RelationRow), "collection")
"""Columns written of each kind of row: all its fields, the document's collection, and of nodes the configuration."""

_page, _component, _node, _relation = map(_values, (PageRow, ComponentRow, NodeRow, RelationRow))
_SPAN = _names(ComponentRow).index("page_range")
_JSON = [place for place, hint in enumerate(get_type_hints(NodeRow).values()) if get_origin(hint) in (list, dict)]


def copy_graphs(copier: Copier, graphs: Sequence[tuple[Graph, int]]) -> None:
    """Write pages, components, nodes and relations of new documents.

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
    return ((document_id, *_page(page), collection) for page in graph.pages)


def _component_rows(graph: Graph, rows: Iterable[ComponentRow]) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in rows:
        values = list(_component(row))
        if pages := row.page_range:  # Int4: before psycopg 3.3.9 each bound was sent in two bytes
            values[_SPAN] = Int4Range(Int4(pages[0]), Int4(pages[1]), "[]")
        yield document_id, *values, collection


def _node_rows(graph: Graph, rows: Iterable[NodeRow], ts_config: int) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    for row in rows:
        values = list(_node(row))
        for place in _JSON:
            values[place] = json_text(values[place])
        yield document_id, *values, ts_config, collection


def _relation_rows(graph: Graph, rows: Iterable[RelationRow]) -> Iterator[tuple[Any, ...]]:
    document_id, collection = graph.document.id, graph.document.collection
    return ((document_id, *_relation(row), collection) for row in rows)
