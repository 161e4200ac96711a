"""Documents as a networkx graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.base.extras import needing
from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import networkx

    from ragraph.schema.results import Node

CONTAINS = "CONTAINS"
"""Type of the edges from a parent to its children, which the tables have as foreign keys."""

CITES = "CITES"
"""Type of the edges from a bibliography entry to the document or work that it cites."""


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

    Raises:
        ArgumentError: networkx, the extra ``graph``, is not installed.
    """
    with needing("a graph of networkx (store.graph, strategy pagerank)", ArgumentError):
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


def join_graphs(
    graphs: Iterable[networkx.MultiDiGraph[str]], citations: Iterable[Mapping[str, Any]]
) -> networkx.MultiDiGraph[str]:
    """Join the graphs of several documents, and add what their bibliography entries cite.

    Args:
        graphs: graphs made by ``build_graph``.
        citations: rows with ``node_id`` of the entry and ``document_id`` of the cited document. If ``document_id`` is
            None, the row has ``identity``, ``title`` and ``work_year`` of a work that several of the documents cite and
            none of them is.
    """
    import networkx

    joined: networkx.MultiDiGraph[str] = networkx.compose_all(list(graphs))
    joined.graph.clear()
    for row in citations:
        target = row["document_id"] or row["identity"]
        if row["document_id"] is None:
            joined.add_node(target, kind="work", type="WORK", title=row["title"], year=row["work_year"])
        joined.add_edge(row["node_id"], target, key=f"{CITES} {target}", type=CITES)
    return joined
