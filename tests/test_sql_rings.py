"""Rings, chains and bundles of relations: the work and the room are those of the relations, not of the ways along them.

The server ends a statement that puts more on disk than is allowed here, so that each test says how much is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from administrators import administrator
from factories import make_document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]
    Edges = list[tuple[int, int]]

MEMORY, DISK = "1MB", "64MB"
NOTES = 3000


@pytest.fixture
def bounded(database_url: str) -> Iterator[Connection]:
    with psycopg.connect(administrator(database_url)) as connection:
        connection.execute(f"SET work_mem = '{MEMORY}'")
        connection.execute(f"SET temp_file_limit = '{DISK}'")
        connection.execute("SET hash_mem_multiplier = 1")
        yield connection
        connection.rollback()


def write(connection: Connection, edges: Edges) -> int:
    """Write a text (0) and notes (1 and on) that refer to each other; return how many nodes there are."""
    make_document(connection, "dl_a", pages=0, page_count=None)
    count = 1 + max(max(edge) for edge in edges)
    connection.execute(
        "INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,"
        " sequence_in_document, char_start, char_end, content_hash)"
        " SELECT 'dl_a', format('cn_%%s', lpad(i::text, 6, '0')),"
        " (CASE WHEN i = 0 THEN 'PARAGRAPH' ELSE 'NOTE' END)::ragraph.content_node_type, 'x', i, i, 3 * i, 3 * i + 1,"
        " encode(sha256('x'), 'hex') FROM generate_series(0, %s) AS i",
        [count - 1],
    )
    connection.execute(
        "INSERT INTO ragraph.relation (document_id, id, source_node_id, target_node_id, relation_type, marker_start)"
        " SELECT 'dl_a', format('rel_%%s', lpad(n::text, 9, '0')), format('cn_%%s', lpad(s::text, 6, '0')),"
        " format('cn_%%s', lpad(t::text, 6, '0')), 'REFERENCES_NOTE', n::integer"
        " FROM unnest(%s::int[], %s::int[]) WITH ORDINALITY AS e (s, t, n)",
        [[source for source, _ in edges], [target for _, target in edges]],
    )
    return count


SHAPES: dict[str, tuple[Edges, int]] = {
    "ring": ([(0, 1), *((i, i % NOTES + 1) for i in range(1, NOTES + 1))], NOTES),
    "chain": ([(i, i + 1) for i in range(NOTES)], 0),
    "hub": ([(0, 1), *((1, i) for i in range(2, NOTES + 1)), *((i, 1) for i in range(2, NOTES + 1))], NOTES),
    "doubly linked": ([(0, 1), *[(1, 2), (2, 1)] * NOTES], 2),
    "bundles": ([(0, 1), *[(1, 2)] * 300, *[(2, 3)] * 300, *[(3, 4)] * 300], 0),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_room_is_that_of_the_relations(bounded: Connection, shape: str) -> None:
    edges, in_rounds = SHAPES[shape]
    count = write(bounded, edges)
    (found,) = bounded.execute("SELECT count(*) FROM ragraph_private.check_cycles('dl_a')").fetchone() or (None,)
    assert found == in_rounds
    bounded.execute("SELECT ragraph.sequence_document('dl_a')")
    bounded.execute("SELECT ragraph.resolve_relations('dl_a')")
    assert bounded.execute("SELECT * FROM ragraph_private.check_cycles('dl_a')").fetchall() == []
    (rendered,) = bounded.execute("SELECT ragraph.render_document('dl_a', 'text')").fetchone() or ("",)
    assert rendered.count("x") == count


def test_the_shortest_way_that_begins_first_places_a_note_of_notes(bounded: Connection) -> None:
    """Of two notes that lead to a third, the one that the text refers to first has it behind it."""
    write(bounded, [(0, 2), (0, 1), (1, 3), (2, 3), (3, 4), (1, 4), (4, 5), (5, 6)])
    bounded.execute("SELECT ragraph.sequence_document('dl_a')")
    order = bounded.execute(
        "SELECT id, sequence_in_parent_minor FROM ragraph.content_node WHERE document_id = 'dl_a'"
        " ORDER BY sequence_in_document"
    ).fetchall()
    assert [(int(name[3:]), minor) for name, minor in order] == [
        (0, None), (2, 1), (3, 2), (1, 3), (4, 4), (5, 5), (6, 6)
    ]  # fmt: skip


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=16))
def test_rounds_are_the_nodes_that_lead_back_to_themselves(connection: Connection, edges: Edges) -> None:
    edges = sorted(edges)
    reached = {node: {target for source, target in edges if source == node} for node in range(1, 8)}
    for _ in range(7):
        reached = {node: found.union(*(reached[other] for other in found)) for node, found in reached.items()}
    first = [1 + sum(source < node for source, _ in edges) for node in range(1, 9)]
    (rounds,) = connection.execute(
        "SELECT ragraph_private.rounds(%s::int[], %s::int[])", [first, [target for _, target in edges]]
    ).fetchone() or ([],)
    assert sorted(rounds) == [node for node, found in reached.items() if node in found]
