"""A document as a networkx graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import networkx

    from ragraph.schema.results import Node

CONTAINS = "CONTAINS"
"""Type of the edges from a parent to its children, which the tables keep as foreign keys."""


def build_graph(
    document: str,
    components: Iterable[Mapping[str, Any]],
    nodes: Iterable[Node],
    relations: Iterable[Mapping[str, Any]],
) -> networkx.MultiDiGraph[str]:
    """Return the graph of a document.

    Args:
        document: id of the document, the root of the graph.
        components: rows with ``id``, ``component_type``, ``title``, ``parent_component_id``, ``depth``.
        nodes: content nodes in reading order.
        relations: rows with ``id``, ``source_node_id``, ``target_node_id``, ``relation_type``, ``marker_text``.
    """
    import networkx  # takes 0.2 s to import, and few callers need it

    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(document_id=document)
    graph.add_node(document, kind="document", type="DOCUMENT", title=document)
    for component in components:
        graph.add_node(
            component["id"],
            kind="component",
            type=str(component["component_type"]),
            title=component["title"],
            depth=component["depth"],
        )
        graph.add_edge(component["parent_component_id"] or document, component["id"], key=CONTAINS, type=CONTAINS)
    for node in nodes:
        graph.add_node(
            node.id,
            kind="node",
            type=node.content_node_type.value,
            content=node.content,
            sequence=node.sequence_in_document,
        )
        graph.add_edge(node.parent_component_id or document, node.id, key=CONTAINS, type=CONTAINS)
    for relation in relations:
        graph.add_edge(
            relation["source_node_id"],
            relation["target_node_id"],
            key=relation["id"],
            type=str(relation["relation_type"]),
            marker_text=relation["marker_text"],
        )
    return graph
