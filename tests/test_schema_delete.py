"""Deleting a document leaves nothing of it, by indexes, and does not lock out others."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import psycopg
from factories import insert, make_document, make_relation, make_tree, refused
from psycopg import sql

from ragraph.schema.tables import metadata

if TYPE_CHECKING:
    from ragraph.database.connection import Database

    Connection = psycopg.Connection[tuple[Any, ...]]

UNDER_DOCUMENT = [table.name for table in metadata.tables.values() if "document_id" in table.columns]


def _counts(connection: Connection, document_id: str) -> dict[str, int]:
    counts = {}
    for table in UNDER_DOCUMENT:
        query = sql.SQL("SELECT count(*) FROM {} WHERE document_id = %s").format(sql.Identifier("ragraph", table))
        counts[table] = connection.execute(query, [document_id]).fetchall()[0][0]
    return counts


def _fill(connection: Connection, document_id: str) -> None:
    tree = make_tree(connection, document_id, sections=4, nodes=5)
    for number, (one, other) in enumerate(zip(tree.nodes, tree.nodes[1:], strict=False)):
        make_relation(connection, document_id, f"rel_{number}", one, other)
    node = {"document_id": document_id, "node_id": tree.nodes[0]}
    for name in ("en_1", "en_2"):
        named = {"document_id": document_id, "id": name, "extractor": "x", "kind": "K", "name": name}
        insert(connection, "entity", **named, keys=[name], shared=True, identity=name)
        insert(connection, "mention", **node, entity_id=name, char_start=0, char_end=1, surface="P")
    ends = {"source_entity_id": "en_1", "target_entity_id": "en_2", "relation_type": "knows", "extractor": "x"}
    insert(connection, "entity_relation", **node, **ends, id="er_1", quote="P", char_start=0, char_end=1)
    insert(connection, "entity_extraction", document_id=document_id, extractor="x", version="1", nodes=tree.nodes)
    work = {"id": "we_1", "keys": [], "source_hash": "x", "identity": "we_1"}
    insert(connection, "work_entry", **node, **work)
    review = {"id": "rv_1", "question": "", "reviewer": "somebody", "verdict": "right"}
    insert(connection, "node_review", **node, **review)
    connection.execute("SELECT ragraph_private.keep_sentences(%s)", [document_id])
    insert(connection, "document_version", document_id=document_id, version=1)
    insert(connection, "document_version_row", document_id=document_id, version=1, kind="node", id="cn_old")


def test_deleting_a_document_leaves_nothing_of_it(connection: Connection) -> None:
    _fill(connection, "dl_a")
    _fill(connection, "dl_b")
    before = _counts(connection, "dl_b")
    # text_change and ingest_file are written by ingestion, and outlive the document
    assert {table for table, count in before.items() if not count} <= {
        "document_relation",
        "text_change",
        "ingest_file",
    }
    connection.execute("DELETE FROM ragraph.document WHERE id = 'dl_a'")
    assert set(_counts(connection, "dl_a").values()) == {0}
    assert _counts(connection, "dl_b") == before


def test_a_component_that_still_holds_nodes_stays(connection: Connection) -> None:
    _fill(connection, "dl_a")
    for component in ("cmp_s0", "cmp_body"):
        refused(
            connection,
            lambda component=component: connection.execute(  # type: ignore[misc]
                "DELETE FROM ragraph.document_component WHERE id = %s", [component]
            ),
        )
    connection.execute("DELETE FROM ragraph.content_node WHERE parent_component_id = 'cmp_s0'")
    connection.execute("DELETE FROM ragraph.document_component WHERE id = 'cmp_s0'")


def test_a_publication_with_documents_stays(connection: Connection) -> None:
    make_document(connection)
    refused(connection, lambda: connection.execute("DELETE FROM ragraph.publication"))


def test_whether_a_row_is_still_referred_to_is_answered_by_an_index(connection: Connection) -> None:
    """The server asks it for each row deleted over there; reading the document's rows each time took 55 s."""
    make_document(connection, pages=200)
    connection.execute(
        """
        INSERT INTO ragraph.document_component
            (document_id, id, component_type, parent_component_id, depth, sequence_in_parent_major, page_range)
        SELECT 'dl_a', 'cmp_' || i, 'SECTION', CASE WHEN i > 0 THEN 'cmp_' || (i - 1) / 2 END,
            floor(log(2, i + 1))::int, i, int4range(i % 200 + 1, i % 200 + 1, '[]')
        FROM generate_series(0, 999) AS i;
        INSERT INTO ragraph.content_node (document_id, id, parent_component_id, content_node_type, content,
            content_hash, sequence_in_parent_major, sequence_in_document, positional_data)
        SELECT 'dl_a', 'cn_' || i, 'cmp_' || i % 1000, 'PARAGRAPH', 'text', repeat('0', 64), i, i,
            jsonb_build_array(jsonb_build_object('page_pdf', i % 200 + 1))
        FROM generate_series(0, 4999) AS i;
        INSERT INTO ragraph.relation (document_id, id, source_node_id, target_node_id, relation_type)
        SELECT 'dl_a', 'rel_' || i, 'cn_' || i, 'cn_' || (i + 1) % 5000, 'CROSS_REFERENCES'
        FROM generate_series(0, 4999) AS i;
        ANALYZE ragraph.document_component, ragraph.content_node, ragraph.relation;
        """
    )
    checks: list[tuple[str, str, Any]] = [
        ("content_node", "first_page", 7),
        ("content_node", "last_page", 7),
        ("content_node", "parent_component_id", "cmp_7"),
        ("document_component", "first_page", 7),
        ("document_component", "last_page", 7),
        ("document_component", "parent_component_id", "cmp_7"),
        ("relation", "source_node_id", "cn_7"),
        ("relation", "target_node_id", "cn_7"),
    ]
    for table, column, value in checks:
        query = sql.SQL("EXPLAIN SELECT 1 FROM ONLY {} WHERE document_id = 'dl_a' AND {} = {}").format(
            sql.Identifier("ragraph", table), sql.Identifier(column), sql.Literal(value)
        )
        plan = "\n".join(line for (line,) in connection.execute(query))
        condition = next((line for line in plan.splitlines() if "Index Cond" in line), "")
        assert column in condition, f"{table}.{column}\n{plan}"


def test_the_same_document_deleted_twice_at_once_does_not_deadlock(database: Database) -> None:
    """The document row is locked first, so that the cascades never meet halfway."""
    failures: list[Exception] = []

    def delete(document_id: str) -> None:
        try:
            with database.write() as connection:
                connection.execute("SELECT 1 FROM ragraph.document WHERE id = %s FOR UPDATE", [document_id])
                connection.execute("DELETE FROM ragraph.document WHERE id = %s", [document_id])
        except Exception as error:
            failures.append(error)

    with database.write() as connection:
        for document_id in ("dl_a", "dl_b"):
            _fill(connection, document_id)
    threads = [threading.Thread(target=delete, args=[document_id]) for document_id in ("dl_a", "dl_a", "dl_b", "dl_b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM ragraph.document").fetchone() == (0,)
