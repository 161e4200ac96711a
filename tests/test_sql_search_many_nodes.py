"""search_vector for many nodes of a whole model: exact, and most vectors are left out before they are sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest
from factories import make_document, make_model

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

NODES, DIMENSIONS, K = 2000, 8, 150
LIMIT = 1000  # of fewer vectors than there are, but not for K nodes
PROBE = "[" + ",".join(["0.3", "-0.2"] * 4) + "]"
OPERATORS = {"cosine": "<=>", "l2": "<->", "inner_product": "<#>"}


def _fill(connection: Connection, distance: str, *, normalized: bool) -> None:
    """Nodes with random vectors of model "wide", every third of them with a second one, and its index."""
    make_document(connection)
    make_model(connection, "wide", dimensions=DIMENSIONS, normalized=normalized, distance=distance)
    connection.execute(
        """
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, content_hash)
        SELECT 'dl_a', 'cn_' || n, CASE WHEN n %% 3 = 0 THEN 'NOTE' ELSE 'PARAGRAPH' END::ragraph.content_node_type,
            'Node ' || n, n, n, repeat('0', 64)
        FROM generate_series(0, %(last)s) AS n;
        """,
        {"last": NODES - 1},
    )
    connection.execute(
        """
        WITH drawn AS (
            SELECT n, part, (
                SELECT array_agg(random() - 0.5) FROM generate_series(1, %(dimensions)s) WHERE n + part >= 0
            )::vector AS drawn_vector
            FROM generate_series(0, %(last)s) AS n, generate_series(0, 1) AS part, (SELECT setseed(0.5)) AS s
            WHERE part = 0 OR n %% 3 = 0
        )
        INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, part, char_start, char_end, content_hash,
            embedding_vector, normalized)
        SELECT 'dl_a', 'em_' || n || '_' || part, 'cn_' || n, 'wide', part, 0, 4, repeat('0', 64),
            CASE WHEN %(normalized)s THEN l2_normalize(drawn_vector) ELSE drawn_vector END, %(normalized)s
        FROM drawn
        """,
        {"last": NODES - 1, "dimensions": DIMENSIONS, "normalized": normalized},
    )
    _finish(connection)


def _finish(connection: Connection) -> None:
    connection.execute("ANALYZE ragraph.content_node, ragraph.embedding")
    assert connection.execute("SELECT ragraph.ensure_vector_index('wide', 1)").fetchone() == (True,)
    connection.execute("ANALYZE ragraph.embedding")


def _found(
    connection: Connection, arguments: LiteralString = "", probe: LiteralString = PROBE
) -> tuple[list[str], str]:
    """Return the nodes found, and what ``explain`` says."""
    said: list[str] = []
    connection.add_notice_handler(lambda told: said.append(told.message_detail or ""))
    connection.execute("SET LOCAL ragraph.explain = 'on'")
    rows = connection.execute(
        f"SELECT node_id FROM ragraph.search_vector('{probe}', 'wide', {K}, exact_limit => {LIMIT}{arguments})"
    ).fetchall()
    return [node for (node,) in rows], " ".join(said)


def _truth(
    connection: Connection, distance: str, where: LiteralString = "true", probe: LiteralString = PROBE
) -> list[str]:
    rows = connection.execute(
        f"""
        SELECT e.node_id FROM ragraph.embedding AS e
        JOIN ragraph.content_node AS n ON n.document_id = e.document_id AND n.id = e.node_id
        WHERE {where} GROUP BY e.node_id
        ORDER BY min(e.embedding_vector {OPERATORS[distance]} '{probe}'), e.node_id COLLATE "C" LIMIT {K}
        """
    ).fetchall()
    return [node for (node,) in rows]


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("distance", OPERATORS)
def test_many_nodes_of_a_model_are_found_exactly(connection: Connection, distance: str, normalized: bool) -> None:
    _fill(connection, distance, normalized=normalized)
    notes: LiteralString = "n.content_node_type = 'NOTE'"
    for arguments, where in ("", "true"), (", node_types => '{PARAGRAPH}'", "n.content_node_type = 'PARAGRAPH'"):
        found, said = _found(connection, arguments)
        assert "cheaper than the index" in said
        assert found == _truth(connection, distance, where)
    # those in scope are further away than the few vectors make expect
    connection.execute("UPDATE ragraph.content_node SET content_node_type = 'NOTE' WHERE substr(id, 4)::int % 3 = 1")
    connection.execute(
        f"UPDATE ragraph.embedding SET embedding_vector = l2_normalize(embedding_vector - '{PROBE}' - '{PROBE}')"
        " WHERE substr(node_id, 4)::int % 3 < 2"
    )
    found, said = _found(connection, ", node_types => '{NOTE}'")
    assert "cheaper than the index" in said
    assert found == _truth(connection, distance, notes)


def test_vectors_of_nearly_length_one_are_all_found(connection: Connection) -> None:
    """Their lengths may differ from 1 by 0.001, which moves their inner products but not their cosines."""
    _fill(connection, "cosine", normalized=True)
    connection.execute(
        "UPDATE ragraph.embedding SET embedding_vector = (SELECT array_agg(x * (0.9991 + 0.0018 * (part + 1) / 2))"
        " FROM unnest(embedding_vector::real[]) AS x)::vector WHERE substr(node_id, 4)::int % 2 = 0"
    )
    connection.execute(
        "UPDATE ragraph.embedding SET embedding_vector = (SELECT array_agg(x * 0.9991)"
        " FROM unnest(embedding_vector::real[]) AS x)::vector WHERE substr(node_id, 4)::int % 2 = 1"
    )
    found, said = _found(connection)
    assert "cheaper than the index" in said
    assert found == _truth(connection, "cosine")


def test_vectors_are_all_found_for_a_query_that_half_precision_shortens(connection: Connection) -> None:
    """Its numbers are rounded to 1, while vectors of lengths 1 and 0.9993 are about as near as each other."""
    _fill(connection, "cosine", normalized=True)
    connection.execute("SELECT ragraph_private.store_vectors(true)")
    connection.execute(
        """
        UPDATE ragraph.embedding AS e SET embedding_vector = (
            SELECT array_agg(x * CASE WHEN right(e.node_id, 1)::int % 2 = 0 THEN 0.99925 ELSE 1 END ORDER BY place)
            FROM unnest(l2_normalize((
                SELECT array_agg(0.3182 + 0.1541 * (-1) ^ n + (random() - 0.5) * 0.0003 ORDER BY n)
                FROM generate_series(1, 8) AS n WHERE e.part >= 0
            )::vector)::real[]) WITH ORDINALITY AS u (x, place)
        )::vector
        """
    )
    probe: LiteralString = "[" + ",".join(["1.00048"] * 8) + "]"
    found, said = _found(connection, probe=probe)
    assert "cheaper than the index" in said
    assert found == _truth(connection, "cosine", probe=probe)


def test_equal_vectors_of_many_nodes_are_in_the_order_of_their_ids(connection: Connection) -> None:
    _fill(connection, "cosine", normalized=True)
    connection.execute("UPDATE ragraph.embedding SET embedding_vector = l2_normalize(%s::vector)", [PROBE])
    found, said = _found(connection)
    assert "cheaper than the index" in said
    assert found == _truth(connection, "cosine")


def test_many_nodes_of_an_earlier_version_are_found(connection: Connection) -> None:
    """Its vectors are a view, of which PostgreSQL draws no sample."""
    _fill(connection, "cosine", normalized=True)
    connection.execute("SET LOCAL ragraph.as_of_document = 'dl_a'")
    connection.execute("SET LOCAL ragraph.as_of_version = '1'")
    found = connection.execute(
        f"SELECT node_id FROM ragraph_past.search_vector('{PROBE}', 'wide', {K}, exact_limit => {LIMIT})"
    ).fetchall()
    assert [node for (node,) in found] == _truth(connection, "cosine")
