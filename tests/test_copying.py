"""Rows into tables under row-level security: on one server by one statement, on a cluster row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from administrators import administrator
from factories import MODEL, make_model

from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect
from ragraph.database.copying import Copier, vector_bytes
from ragraph.database.roles import make_roles, with_role
from ragraph.database.tenants import grant_collection, switch_tenants
from ragraph.ingest.common.graph_rows import DocumentRow
from ragraph.ingest.draft import Draft, DraftNode, DraftPage, DraftRelation, Position
from ragraph.ingest.storing.graph_copy import copy_graphs
from ragraph.ingest.storing.linking import make_linked
from ragraph.ingest.storing.write import document_values, find_ts_config, publication_values
from ragraph.ingest.vectors.embed import EMBEDDING_COLUMNS
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from conftest import MakeDatabase

DRAFT = Draft(
    reader="test/1",
    pages=[DraftPage(page_pdf=1, page_logical="i", width=612.5, height=792)],
    nodes=[
        DraftNode(key="0", type=ContentNodeType.HEADING, text='A "quoted" \\ head\ning', level=1),
        DraftNode(
            key="1",
            type=ContentNodeType.PARAGRAPH,
            text="Größe {a,b} 小",
            positions=[Position(page_pdf=1)],
            data={"of": ["x", 1.5, None]},
        ),
    ],
    relations=[DraftRelation(source="1", type=RelationType.CROSS_REFERENCES, target="0", marker="'above'")],
)
NUMBERS = np.array([0.6, -0.8, 1e-7], dtype=np.float32)


def written(connection: psycopg.Connection[Any], *, spread: bool) -> list[Any]:
    """Write a document as a tenant, and return its rows as JSON without the time that they were made."""
    graph = make_linked(DRAFT, DocumentRow(id="dl_new", publication_id="pub_new", collection="acme"))
    config = find_ts_config(connection, graph.document.ts_config)
    with connection.transaction(force_rollback=True):
        assert graph.publication is not None
        connection.execute(QUERIES["ingest_publication"], publication_values(graph.publication))
        connection.execute(QUERIES["ingest_document"], document_values(graph.document, config))
        copier = Copier(connection)
        assert copier.staged
        assert not copier.spread
        copier.spread = spread
        copy_graphs(copier, [(graph, config)])
        node = graph.nodes[1]
        place = ("dl_new", "em_new", node.id, MODEL, "TEXT_CONTENT", 0, 0, len(node.content), node.content_hash)
        copier.copy("embedding", EMBEDDING_COLUMNS, [(*place, vector_bytes(NUMBERS), True, "acme")])
        return [
            connection.execute(
                f"SELECT to_jsonb(t) - 'created_at' FROM ragraph.{table} AS t ORDER BY t::text"
            ).fetchall()
            for table in ("document_page", "document_component", "content_node", "relation", "embedding")
        ]


def test_rows_that_go_in_one_by_one_are_those_that_go_in_together(make_database: MakeDatabase) -> None:
    url = administrator(make_database())
    make_roles(url)
    with connect(url) as connection:
        make_model(connection)
    grant_collection(url, "tenant_copying", "acme", write=True, create=True)
    switch_tenants(url, on=True)
    with connect(with_role(url, "tenant_copying")) as connection:
        together, apart = (written(connection, spread=spread) for spread in (False, True))
    assert all(together)
    assert apart == together
