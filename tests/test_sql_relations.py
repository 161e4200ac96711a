"""related_nodes, node_citation and cite_nodes."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from factories import make_component, make_document, make_node, make_relation, make_tree, positions

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def graph(connection: Connection) -> Connection:
    """Paragraph -> note -> entry, and a cycle of cross-references p -> q -> r -> p."""
    make_document(connection)
    for place, node in enumerate(["p", "q", "r", "note", "entry"]):
        make_node(connection, "dl_a", node, place)
    make_relation(connection, "dl_a", "r1", "p", "note", relation_type="REFERENCES_NOTE", marker_text="1")
    make_relation(connection, "dl_a", "r2", "note", "entry", relation_type="REFERENCES_CITATION", marker_text="[22]")
    make_relation(connection, "dl_a", "r3", "p", "q")
    make_relation(connection, "dl_a", "r4", "q", "r")
    make_relation(connection, "dl_a", "r5", "r", "p")
    make_relation(connection, "dl_a", "r6", "p", None, marker_text="nowhere")
    return connection


def related(connection: Connection, arguments: str) -> list[tuple[Any, ...]]:
    return connection.execute(
        f"SELECT node_id, relation_id, hop, path FROM ragraph.related_nodes('dl_a', {arguments})"
    ).fetchall()


def test_direct_neighbours_in_reading_order(graph: Connection) -> None:
    assert related(graph, "'p'") == [("q", "r3", 1, ["p", "q"]), ("note", "r1", 1, ["p", "note"])]


def test_several_hops_carry_marker_and_path(graph: Connection) -> None:
    rows = graph.execute(
        "SELECT node_id, relation_type, marker_text, hop, path FROM ragraph.related_nodes('dl_a', 'p',"
        " '{REFERENCES_NOTE,REFERENCES_CITATION}', max_hops => 2)"
    ).fetchall()
    assert rows == [
        ("note", "REFERENCES_NOTE", "1", 1, ["p", "note"]),
        ("entry", "REFERENCES_CITATION", "[22]", 2, ["p", "note", "entry"]),
    ]


def test_cycles_end(graph: Connection) -> None:
    assert [row[0] for row in related(graph, "'p', '{CROSS_REFERENCES}', max_hops => 100")] == ["q", "r"]


def test_against_the_arrow_and_both_ways(graph: Connection) -> None:
    assert [row[0] for row in related(graph, "'p', direction => 'in'")] == ["r"]
    assert [row[0] for row in related(graph, "'p', direction => 'both'")] == ["q", "r", "note"]
    assert [row[0] for row in related(graph, "'entry', direction => 'in', max_hops => 2")] == ["note", "p"]


def test_a_dense_graph_is_walked_once(connection: Connection) -> None:
    """Paths through 3 layers of 30 nodes are 27,000; nodes are 90."""
    make_document(connection)
    make_node(connection, "dl_a", "start", 0)
    layers = [["start"]]
    for layer in range(3):
        layers.append([make_node(connection, "dl_a", f"n{layer}_{i}", layer * 30 + i + 1) for i in range(30)])
        connection.execute(
            "INSERT INTO ragraph.relation (document_id, id, source_node_id, target_node_id, relation_type)"
            " SELECT 'dl_a', s || '>' || t, s, t, 'CROSS_REFERENCES' FROM unnest(%s::text[]) s, unnest(%s::text[]) t",
            [layers[-2], layers[-1]],
        )
    rows = related(connection, "'start', max_hops => 9")
    assert len(rows) == len({row[0] for row in rows}) == 90


def test_citation_says_publication_section_pages_and_boxes(connection: Connection) -> None:
    make_tree(connection, sections=2, nodes=1)
    connection.execute(
        "UPDATE ragraph.publication SET authors = 'A, B', publication_date = '2025-03-01', uri = 'hdl:1'"
    )
    connection.execute(
        "UPDATE ragraph.content_node SET positional_data = %s::jsonb WHERE document_id = 'dl_a' AND id = 'cn_3'",
        ['[{"page_pdf": 1, "page_logical": "iii"}, {"page_pdf": 2, "page_logical": "iv", "bbox": {"x1": 1}}]'],
    )
    cursor = connection.execute("SELECT * FROM ragraph.node_citation('dl_a', 'cn_3')")
    names = [column.name for column in cursor.description or []]
    row = dict(zip(names, cursor.fetchone() or (), strict=True))
    assert row["publication_id"] == "pub_a"
    assert row["title"] == "Publication pub_a"
    assert (row["authors"], row["publication_date"], row["uri"]) == ("A, B", date(2025, 3, 1), "hdl:1")
    assert (row["section_path"], row["component_ids"]) == (["Section 1"], ["cmp_s1"])
    assert (row["pages"], row["logical_pages"]) == ([1, 2], ["iii", "iv"])
    assert row["boxes"] == [{"page_pdf": 2, "page_logical": "iv", "bbox": {"x1": 1}}]
    assert row["char_end"] - row["char_start"] == len("Text 1 of section 1.")


def test_pairs_are_cited_in_the_order_given(connection: Connection) -> None:
    make_tree(connection, "dl_a", embed=False)
    make_tree(connection, "dl_b", embed=False)
    make_component(
        connection,
        "dl_b",
        "deep",
        title="Deep",
        parent_component_id="cmp_s0",
        depth=2,
        sequence_in_parent_major=9,
    )
    make_node(connection, "dl_b", "in_deep", 99, parent_component_id="deep", positional_data=positions(1))
    rows = connection.execute(
        "SELECT ordinality, document_id, node_id, section_path FROM ragraph.cite_nodes(%s, %s)",
        [["dl_b", "dl_a", "dl_a", "dl_b", "dl_b"], ["cn_1", "cn_5", "cn_none", "in_deep", "cn_1"]],
    ).fetchall()
    assert rows == [
        (1, "dl_b", "cn_1", ["Section 0"]),
        (2, "dl_a", "cn_5", ["Section 1"]),
        (4, "dl_b", "in_deep", ["Section 0", "Deep"]),
        (5, "dl_b", "cn_1", ["Section 0"]),
    ]


def test_nothing_is_cited_for_nothing(connection: Connection) -> None:
    assert connection.execute("SELECT count(*) FROM ragraph.cite_nodes('{}', '{}')").fetchone() == (0,)
    assert connection.execute("SELECT count(*) FROM ragraph.cite_nodes(null, null)").fetchone() == (0,)
