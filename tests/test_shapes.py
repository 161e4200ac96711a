"""Graphs of any shape: what the server reads is bounded by nodes and relations, not by the ways along them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragraph.ingest.draft import DraftDocument, DraftNode, DraftRelation
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]
    Edge = tuple[int, int, RelationType]

TYPES = [
    ContentNodeType.PARAGRAPH, ContentNodeType.NOTE, ContentNodeType.BIBLIOGRAPHIC_ENTRY, ContentNodeType.FIGURE,
    ContentNodeType.CAPTION,
]  # fmt: skip
KINDS = [
    RelationType.REFERENCES_NOTE, RelationType.REFERENCES_CITATION, RelationType.CROSS_REFERENCES,
    RelationType.IS_CAPTIONED_BY, RelationType.IS_SUPPLEMENTED_BY,
]  # fmt: skip
MOST = 12
ROWS_EACH = 60
"""Rows that one step may read for each node and each relation of the document."""
BASE = 300
"""Rows that it may read of a document without relations: pages, types, words."""

STEPS = {
    "sequence": "SELECT ragraph.sequence_document('{document}')",
    "resolve": "SELECT ragraph.resolve_relations('{document}')",
    "check": "SELECT count(*) FROM ragraph.check_document('{document}')",
    "render": "SELECT ragraph.render_document('{document}', 'text')",
    "related": "SELECT count(*) FROM ragraph.related_nodes('{document}', '{node}', direction => 'both',"
    " max_hops => 100)",
    "expand": "SELECT count(*) FROM ragraph.expand_hits('{hits}', null, citations => true, cross_references => true,"
    " max_hops => 100)",
}
READ = """
    SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::bigint
    FROM pg_stat_xact_user_tables WHERE schemaname = 'ragraph'
"""

edges = st.tuples(st.integers(0, MOST - 1), st.integers(0, MOST - 1), st.sampled_from(KINDS))
graphs = st.tuples(
    st.lists(st.sampled_from(TYPES), min_size=2, max_size=MOST), st.lists(edges, max_size=3 * MOST, unique=True)
)


def draft(types: list[ContentNodeType], edges: list[Edge]) -> DraftDocument:
    """Return a document of such nodes and relations; each node has a word of its own."""
    nodes = [DraftNode(key=str(place), type=type_, text=f"passage{place} of it") for place, type_ in enumerate(types)]
    relations = [
        DraftRelation(source=str(source % len(types)), type=kind, target=str(target % len(types)), marker=str(number))
        for number, (source, target, kind) in enumerate(edges)
        if source % len(types) != target % len(types)
    ]
    return DraftDocument(id="dl_shape", nodes=nodes, relations=relations)


def rows_read(connection: Connection, statement: str) -> int:
    """Return the rows of tables that a statement reads."""
    (before,) = connection.execute(READ).fetchone() or (0,)
    connection.execute(statement).fetchall()
    (after,) = connection.execute(READ).fetchone() or (0,)
    return int(after - before)


def clique(size: int) -> list[Edge]:
    return [(one, other, KINDS[2]) for one in range(size) for other in range(size) if one != other]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graphs)
@example(([ContentNodeType.PARAGRAPH] + [ContentNodeType.NOTE] * 11, [(n, n % 11 + 1, KINDS[0]) for n in range(12)]))
@example(([ContentNodeType.PARAGRAPH] * 12, clique(12)))
def test_what_is_read_and_written_is_bounded_by_nodes_and_relations(
    store: Store, graph: tuple[list[ContentNodeType], list[Edge]]
) -> None:
    made = draft(*graph)
    assert store.add(made, model=None).status != "failed"
    try:
        nodes, relations = store.nodes("dl_shape"), store.relations("dl_shape")
        assert store.check("dl_shape") == []
        bound = BASE + ROWS_EACH * (len(nodes) + len(relations))
        hits = json.dumps([{"document_id": "dl_shape", "node_id": nodes[0].id, "score": 1.0}])
        values = {"document": "dl_shape", "node": nodes[0].id, "hits": hits}
        with store.database.write() as connection:
            for name, statement in STEPS.items():
                assert rows_read(connection, statement.format(**values)) <= bound, name
        text = store.render("dl_shape", format="text")
        words = [f"passage{place} " for place in range(len(made.nodes))]
        assert {word: text.count(word) for word in words} == dict.fromkeys(words, 1)
        near = store.related("dl_shape", nodes[0].id, direction="both", max_hops=100)
        assert len({item.node.id for item in near}) == len(near) < len(nodes)
        assert len(store.toc("dl_shape")) <= len(nodes)
    finally:
        store.delete("dl_shape")
