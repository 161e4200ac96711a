"""Methods of ``Store`` that list and read documents, nodes, relations and text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from ragraph.base.arguments import check_methods, refusal, text, texts, whole
from ragraph.database.rows import (
    details_row,
    document_row,
    node_row,
    path_row,
    related_row,
    relation_row,
    toc_row,
)
from ragraph.documents.graph import build_graph, join_graphs
from ragraph.documents.tables import table_of
from ragraph.errors import ArgumentError, DocumentNotFoundError, NodeNotFoundError
from ragraph.filters import parse
from ragraph.retrieval.naming import component_named
from ragraph.retrieval.pages import has_page, no_such_page
from ragraph.retrieval.scope import members, span
from ragraph.schema.enums import ContentNodeType, RelationType
from ragraph.schema.pictures import Page, Pages
from ragraph.schema.results import Contents, Document, DocumentDetails, Documents, Nodes, Tables
from ragraph.store.sources import StoreSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import networkx

    from ragraph.base.defaults import Direction, Format, Notes
    from ragraph.database.runner import QueryRunner
    from ragraph.filters import Filter
    from ragraph.schema.results import Node, PathEntry, RelatedNode, Relation, Table, TocEntry


@check_methods
class StoreReading:
    """Methods of ``Store`` for reading."""

    _ask: QueryRunner

    ## -- lists and metadata --------------------------------------------------------------------------------

    def documents(
        self,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Document]:
        """Return the documents in the order of their ingestion.

        If there is none, a document or collection that does not exist is reported with a warning.

        Args:
            document: only these documents: ids; ids that do not exist are ignored.
            collection: only documents of this collection.
            filter: only documents that pass it, as in ``filter_documents``.
            limit: maximum number of documents; None for all.
            offset: number of documents to skip.

        Raises:
            ArgumentError: the filter is invalid, or a number is negative.
        """
        if offset < 0:
            raise ArgumentError(f"offset is {offset}; count from 0")
        ids = texts("document", document)
        if filter is not None:
            kept = self.filter_documents(filter)
            ids = kept if ids is None else [name for name in kept if name in set(ids)]
        parameters = {"document_ids": ids, "collection": collection, "limit": limit, "offset": offset}
        found = Documents(self._ask.rows("list_documents", document_row, parameters))
        if not found:  # values of the filter were reported by its own query
            self._ask.warn_unknown(document, collection)
        return found

    def document(self, document: str) -> DocumentDetails:
        """Return the metadata of a document.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        details = self._details([document])[0]
        (length,) = self._ask.rows("document_length", dict_row, {"document_id": document})
        return replace(details, characters=length["characters"] or 0, words=int(length["words"] or 0))

    def facets(self) -> dict[str, Any]:
        """Return the values that documents can be filtered by, the most frequent first.

        Returns:
            ``collections``, ``languages`` and ``tags``: lists; ``publication_dates``: first and last; ``metadata``: its
            keys, each with a few values.
        """
        (found,) = self._ask.rows("facets", scalar_row, {})
        return dict(found)

    def filter_documents(self, filter: Filter | Mapping[str, Any]) -> list[str]:
        """Return the ids of the documents that pass a filter, typed or as JSON: ``{"language": {"$ne": "en"}}``.

        Args:
            filter: see ``ragraph.filters``.

        Raises:
            ArgumentError: the filter has an unknown operator, or a value whose type the operator does not accept.
        """
        return self._ask.rows("filter_documents", scalar_row, {"filter": Jsonb(parse(filter).to_json())})

    def toc(self, document: str, max_depth: int | None = None) -> list[TocEntry]:
        """Return the sections of a document, depth first in reading order.

        Args:
            document: id of the document.
            max_depth: maximum depth; None for all sections.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        return Contents(self._ask.rows("table_of_contents", toc_row, {"document_id": document, "max_depth": max_depth}))

    def path(self, document: str, component: str) -> list[PathEntry]:
        """Return the components from the top of the document down to one, itself included: sections, lists and boxes.

        Args:
            document: id of the document.
            component: id of the component.

        Raises:
            DocumentNotFoundError, ComponentNotFoundError: the document or the component does not exist.
        """
        return self._ask.rows("component_path", path_row, {"document_id": document, "component_id": component})

    def pages(self, document: str) -> list[Page]:
        """Return the pages of a document with their printed labels and sizes; an empty list if it has no pages.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        found = self._ask.rows("document_pages", class_row(Page), {"document_id": document, "page": None})
        if not found:
            self._details([document])  # raises if the document does not exist
        pages = Pages(found)
        pages.source, pages.document = StoreSource(self), document
        return pages

    def page(self, document: str, page: int | str | tuple[int | None, int | None]) -> list[Node]:
        """Return the nodes on a page in reading order.

        Args:
            document: id of the document.
            page: a physical page from 1; a logical page as printed (a string: ``"iii"``, ``"12"``); or first and last
                of a range of physical pages, None for an open end.

        Returns:
            The nodes; an empty list if the page is empty.

        Raises:
            DocumentNotFoundError, PageNotFoundError: the document does not exist, or has no such page.
            ArgumentError: the value is neither a page nor a range of pages.
        """
        asked: dict[str, Any]
        match page:
            case int() if not isinstance(page, bool):
                query, asked = "nodes_on_page", {"page": whole("page", page)}
            case str():
                query, asked = "nodes_on_logical_page", {"label": text("page", page)}
            case (int() | None, int() | None):
                query, asked = "nodes_on_pages", {"pages": span("page", page)}
            case _:
                raise refusal("page", "a number, a printed label, or the first and the last of a range", page)
        found = Nodes(self._ask.rows(query, node_row, {"document_id": document, **asked}))
        if not found and not has_page(page, pages := self.pages(document)):
            raise no_such_page(document, page, pages)
        if not isinstance(page, str):
            found.source, found.pages = StoreSource(self), page if isinstance(page, tuple) else (page, page)
        return found

    def nodes(
        self,
        document: str,
        section: str | None = None,
        *,
        type: str | ContentNodeType | Sequence[str | ContentNodeType] | None = None,
        page: int | str | tuple[int | None, int | None] | None = None,
    ) -> list[Node]:
        """Return the nodes of a document, or of a section with its subsections, in reading order.

        Args:
            document: id of the document.
            section: id, title or number of a component; None for the whole document.
            type: only nodes of this type, or of one of these; see ``ragraph.schema.enums.ContentNodeType``.
            page: only nodes on this page or these pages, as in ``page``.

        Raises:
            DocumentNotFoundError, ComponentNotFoundError: the document or the section does not exist.
            PageNotFoundError: the document has no such page.
            ArgumentError: a type does not exist, or the value is neither a page nor a range of pages.
        """
        types = members(ContentNodeType, type, "type")
        found = self._nodes_within(document, section)
        if page is not None:
            there = {node.id for node in self.page(document, page)}
            found = [node for node in found if node.id in there]
        return Nodes(node for node in found if types is None or node.content_node_type.value in types)

    def tables(
        self,
        document: str,
        section: str | None = None,
        *,
        page: int | str | tuple[int | None, int | None] | None = None,
    ) -> list[Table]:
        """Return the tables of a document in reading order, as rows and columns.

        Args:
            document: id of the document.
            section: id, title or number of a component; None for the whole document.
            page: only tables on this page or these pages, as in ``page``.

        Returns:
            The tables. One that continues on the next page is one table if it was read as one.

        Raises:
            DocumentNotFoundError, ComponentNotFoundError: the document or the section does not exist.
            PageNotFoundError: the document has no such page.
            ArgumentError: the value is neither a page nor a range of pages.
        """
        nodes = self.nodes(document, section, type=ContentNodeType.TABLE, page=page)
        asked = {"document_id": document, "nodes": [node.id for node in nodes]}
        rows = {row["id"]: row for row in self._ask.rows("tables_of_nodes", dict_row, asked)} if nodes else {}
        return Tables(table_of(node, rows[node.id]) for node in nodes if node.id in rows)

    def _nodes_within(self, document: str, section: str | None) -> list[Node]:
        """Return the nodes of a document or section in reading order."""
        if section is None:
            found = self._ask.rows("nodes_of_document", node_row, {"document_id": document})
            if not found:
                self._details([document])  # raises if the document does not exist, passes if it is empty
            return found
        component = component_named(self._ask.rows, document, section)
        return self._ask.rows("nodes_in_component", node_row, {"document_id": document, "component_id": component})

    def node(self, document: str, node: str) -> Node:
        """Return one node.

        Args:
            document: id of the document.
            node: id of the node.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: the document or the node does not exist.
        """
        found: list[Node] = self._ask.rows("one_node", node_row, {"document_id": document, "node_id": node})
        if not found:
            self._details([document])  # raises if the document does not exist
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}", hint=NodeNotFoundError.look)
        return found[0]

    def relations(self, document: str, nodes: str | Sequence[str] | None = None) -> list[Relation]:
        """Return the resolved relations of a document, in reading order of their sources.

        Args:
            document: id of the document.
            nodes: only relations that start or end at one of these nodes: ids.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        parameters = {"document_id": document, "nodes": texts("nodes", nodes)}
        found = self._ask.rows("relations_of", relation_row, parameters)
        if not found:
            self._details([document])
        return found

    # -- graph -------------------------------------------------------------------------------------------

    def related(
        self,
        document: str,
        node: str,
        *,
        types: str | Sequence[str | RelationType] | None = None,
        direction: Direction = "out",
        max_hops: int = 1,
    ) -> list[RelatedNode]:
        """Return the nodes that relations connect to a node, nearest first, each node once.

        Args:
            document: id of the document.
            node: id of the node to start from.
            types: relation types to follow; None for all.
            direction: ``out`` from source to target, ``in`` from target to source, or ``both``.
            max_hops: maximum number of relations between the nodes, 1 to 100; cycles are safe.

        Raises:
            NodeNotFoundError: the document has no such node.
            ArgumentError: a direction or type does not exist.
        """
        parameters = {
            "document_id": document,
            "node_id": node,
            "relation_types": members(RelationType, types),
            "direction": direction,
            "max_hops": max_hops,
        }
        return self._ask.rows("related_nodes", related_row, parameters)

    def graph(self, document: str | Sequence[str]) -> networkx.MultiDiGraph[str]:
        """Return a document, or several, as a graph of their components, nodes and relations.

        Graph nodes have the attributes ``kind`` (``component`` or ``node``), ``type`` and ``title`` or ``content``.
        Edges have ``type``: ``CONTAINS`` from parent to child, else the relation type. Edge keys are relation ids. In
        the graph of a list of documents, edges ``CITES`` lead from bibliography entries to documents of the list, and
        to works (``kind`` ``work``) that several of them cite.

        Args:
            document: an id, or a list of ids.

        Raises:
            DocumentNotFoundError: a document does not exist.
            ArgumentError: the list is empty, or networkx, the extra ``graph``, is not installed.
        """
        if isinstance(document, str):
            return self._graph(document)
        documents = texts("document", document)
        if not documents:
            raise ArgumentError("document is empty; use one id, or several")
        citations = self._ask.rows("graph_citations", dict_row, {"document_ids": documents})
        return join_graphs([self._graph(name) for name in documents], citations)

    # -- linear text -------------------------------------------------------------------------------------

    def text(self, document: str) -> str:
        """Return the canonical plain text of a document, to which all character spans refer.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
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
        """Return a document, or a part of it, as clean linear text.

        Args:
            document: id of the document.
            section: id, title or number of a component; None for the whole document.
            nodes: instead of a section, first and last position in reading order (``Node.sequence_in_document``).
            format: ``markdown``, ``html`` or ``text``.
            notes: footnotes ``after`` the node that refers to them, at the end of the ``section``, or ``none``.
            page_breaks: mark the end of each page with ``[page break]``.
            furniture: include page headers and footers and page numbers.

        Raises:
            DocumentNotFoundError, ComponentNotFoundError: the document or the section does not exist.
            ArgumentError: the format or the value of ``notes`` does not exist, or both a section and nodes are set.
        """
        if nodes is not None:
            if section is not None:
                raise ArgumentError("both section and nodes are set; use one of them")
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

    def _details(self, documents: Sequence[str] | None) -> list[DocumentDetails]:
        """Return the metadata of documents in the order of their ids; None for all, in the order of their ingestion.

        Raises:
            DocumentNotFoundError: a document does not exist.
        """
        parameters = {"document_ids": documents, "collection": None, "limit": None, "offset": 0}
        listed: dict[str, Document] = {
            item.id: item for item in self._ask.rows("list_documents", document_row, parameters)
        }
        known = {row.pop("id"): row for row in self._ask.rows("document_details", details_row, parameters)}
        # a document may be deleted between the two queries
        wanted = [document for document in listed if document in known] if documents is None else documents
        for document in wanted:
            if document not in listed or document not in known:
                self._ask.rows("require_document", scalar_row, {"document_id": document})  # raises with suggestions
                raise DocumentNotFoundError(f"there is no document {document!r}", hint=DocumentNotFoundError.look)
        return [DocumentDetails(document=listed[document], **known[document]) for document in wanted]

    def _graph(self, document: str) -> networkx.MultiDiGraph[str]:
        parameters = {"document_id": document}
        self._details([document])
        return build_graph(
            document,
            self._ask.rows("graph_components", dict_row, parameters),
            self.nodes(document),
            self._ask.rows("graph_relations", dict_row, parameters),
        )
