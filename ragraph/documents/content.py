"""The part of a store that reads documents: sections, pages, nodes, what is related, linear text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from psycopg.rows import dict_row

from ragraph.base.arguments import refusal, text, texts, whole
from ragraph.database.rows import node_row, path_row, related_row, relation_row, toc_row
from ragraph.documents.graph import build_graph, join_graphs
from ragraph.errors import ArgumentError, NodeNotFoundError
from ragraph.retrieval.naming import component_named
from ragraph.retrieval.scope import members, span
from ragraph.schema.enums import RelationType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx

    from ragraph.database.runner import QueryRunner
    from ragraph.documents.catalog import Catalog
    from ragraph.schema.results import Node, PathEntry, RelatedNode, Relation, TocEntry

Format = Literal["markdown", "html", "text"]
Notes = Literal["after", "section", "none"]
Direction = Literal["out", "in", "both"]


class Content:
    """What stands in documents; the methods are those of ``Store``, which describes them."""

    def __init__(self, runner: QueryRunner, catalog: Catalog) -> None:
        self._ask = runner
        self._catalog = catalog

    def toc(self, document: str, max_depth: int | None = None) -> list[TocEntry]:
        """See ``Store.toc``."""
        return self._ask.rows("table_of_contents", toc_row, {"document_id": document, "max_depth": max_depth})

    def path(self, document: str, component: str) -> list[PathEntry]:
        """See ``Store.path``."""
        return self._ask.rows("component_path", path_row, {"document_id": document, "component_id": component})

    def page(self, document: str, page: int | str | tuple[int | None, int | None]) -> list[Node]:
        """See ``Store.page``."""
        match page:
            case bool():
                pass
            case int():
                whole("page", page)
                return self._ask.rows("nodes_on_page", node_row, {"document_id": document, "page": page})
            case str():
                text("page", page)
                return self._ask.rows("nodes_on_logical_page", node_row, {"document_id": document, "label": page})
            case (int() | None, int() | None):
                pages = span("page", page)
                return self._ask.rows("nodes_on_pages", node_row, {"document_id": document, "pages": pages})
        raise refusal("page", "a number, a printed label, or the first and the last of a range", page)

    def nodes(self, document: str, section: str | None = None) -> list[Node]:
        """See ``Store.nodes``."""
        if section is None:
            found = self._ask.rows("nodes_of_document", node_row, {"document_id": document})
            if not found:
                self._catalog.details([document])  # raises unless it is there, and empty
            return found
        component = component_named(self._ask.rows, document, section)
        return self._ask.rows("nodes_in_component", node_row, {"document_id": document, "component_id": component})

    def node(self, document: str, node: str) -> Node:
        """See ``Store.node``."""
        found: list[Node] = self._ask.rows("one_node", node_row, {"document_id": document, "node_id": node})
        if not found:
            self._catalog.details([document])  # raises unless it is there
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}", hint=NodeNotFoundError.look)
        return found[0]

    def relations(self, document: str, nodes: str | Sequence[str] | None = None) -> list[Relation]:
        """See ``Store.relations``."""
        parameters = {"document_id": document, "nodes": texts("nodes", nodes)}
        found = self._ask.rows("relations_of", relation_row, parameters)
        if not found:
            self._catalog.details([document])
        return found

    def related(
        self,
        document: str,
        node: str,
        *,
        types: str | Sequence[str | RelationType] | None = None,
        direction: Direction = "out",
        max_hops: int = 1,
    ) -> list[RelatedNode]:
        """See ``Store.related``."""
        parameters = {
            "document_id": document,
            "node_id": node,
            "relation_types": members(RelationType, types),
            "direction": direction,
            "max_hops": max_hops,
        }
        return self._ask.rows("related_nodes", related_row, parameters)

    def graph(self, document: str | Sequence[str]) -> networkx.MultiDiGraph[str]:
        """See ``Store.graph``."""
        if isinstance(document, str):
            return self._graph(document)
        documents = texts("document", document)
        if not documents:
            raise ArgumentError("document is empty; give the id of one, or several")
        citations = self._ask.rows("graph_citations", dict_row, {"document_ids": documents})
        return join_graphs([self._graph(name) for name in documents], citations)

    def _graph(self, document: str) -> networkx.MultiDiGraph[str]:
        parameters = {"document_id": document}
        self._catalog.details([document])
        return build_graph(
            document,
            self._ask.rows("graph_components", dict_row, parameters),
            self.nodes(document),
            self._ask.rows("graph_relations", dict_row, parameters),
        )

    def text(self, document: str) -> str:
        """See ``Store.text``."""
        return self._ask.text("document_text", {"document_id": document})

    def render(
        self,
        document: str,
        *,
        section: str | None = None,
        nodes: tuple[int | None, int | None] | None = None,
        format: Format = "markdown",
        notes: Notes = "after",
        page_breaks: bool = False,
        furniture: bool = False,
    ) -> str:
        """See ``Store.render``."""
        if nodes is not None:
            if section is not None:
                raise ArgumentError("a section and nodes are given; give the one or the other")
            span("nodes", nodes)
        first, last = nodes or (None, None)
        parameters = {
            "document_id": document,
            "first": first,
            "last": last,
            "component_id": None if section is None else component_named(self._ask.rows, document, section),
            "format": format,
            "notes": notes,
            "page_breaks": page_breaks,
            "furniture": furniture,
        }
        query = "render_range" if nodes is not None else "render_document" if section is None else "render_component"
        return self._ask.text(query, parameters)
