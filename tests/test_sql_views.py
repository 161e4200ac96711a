"""Views for analysts: what they show is what the functions and tables say, of two documents and of an empty store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from factories import make_component, make_node, make_relation, make_tree
from sample_library import BOOK, GUIDE

if TYPE_CHECKING:
    import psycopg

    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]


@pytest.mark.parametrize("document", [GUIDE, BOOK])
def test_paths_are_those_of_citations(library: Store, document: str) -> None:
    with library.database.read() as connection:
        rows = connection.execute(
            """
            SELECT n.node_id, coalesce(n.section_path, ''), array_to_string(c.section_path, ' > ')
            FROM ragraph.nodes AS n
            INNER JOIN ragraph.cite_nodes(
                (SELECT array_agg(document_id ORDER BY id) FROM ragraph.content_node WHERE document_id = %(document)s),
                (SELECT array_agg(id ORDER BY id) FROM ragraph.content_node WHERE document_id = %(document)s)
            ) AS c ON n.document_id = c.document_id AND n.node_id = c.node_id
            """,
            {"document": document},
        ).fetchall()
    assert len(rows) == len(library.nodes(document))
    assert [row for row in rows if row[1] != row[2]] == []
    assert any(" > " in row[1] for row in rows)


@pytest.mark.parametrize("document", [GUIDE, BOOK])
def test_sections_are_those_of_the_tree(library: Store, document: str) -> None:
    with library.database.read() as connection:
        rows = connection.execute(
            """
            SELECT component_id, section_path, node_count, (SELECT string_agg(p.title, ' > ' ORDER BY p.depth)
                FROM ragraph.component_path(%(document)s, s.component_id) AS p),
                (SELECT count(*) FROM ragraph.nodes_in_component(%(document)s, s.component_id))
            FROM ragraph.sections AS s WHERE document_id = %(document)s
            """,
            {"document": document},
        ).fetchall()
    assert rows
    assert [row for row in rows if row[1:3] != row[3:]] == []


def test_documents_are_counted(library: Store) -> None:
    with library.database.read() as connection:
        rows = connection.execute(
            "SELECT document_id, title, node_count, character_count, relation_count, unresolved_count"
            " FROM ragraph.documents"
        ).fetchall()
    found = {row[0]: row[1:] for row in rows}
    assert found.keys() == {GUIDE, BOOK}
    for document, (title, nodes, characters, relations, unresolved) in found.items():
        details = library.document(document)
        assert title == details.document.title
        assert nodes == len(library.nodes(document))
        assert characters == len(library.text(document))
        assert relations > 0
        assert unresolved == details.unresolved_relations


def test_relations_show_both_texts(connection: Connection) -> None:
    make_tree(connection, sections=1, nodes=2)
    make_node(connection, "dl_a", "cn_note", 9, content="A note.", content_node_type="NOTE")
    make_relation(connection, "dl_a", "rel_1", "cn_1", "cn_note", relation_type="REFERENCES_NOTE", marker_text="1")
    make_relation(connection, "dl_a", "rel_2", "cn_2", None, relation_type="REFERENCES_NOTE", marker_text="2")
    rows = connection.execute(
        "SELECT marker, source_content, target_type::text, target_content FROM ragraph.relations ORDER BY marker"
    ).fetchall()
    assert rows == [("1", "Text 1 of section 0.", "NOTE", "A note."), ("2", "Text 2 of section 0.", None, None)]


def test_an_empty_document_is_shown_with_zeros(connection: Connection) -> None:
    make_tree(connection, sections=0)
    make_component(connection, "dl_a", "cmp_empty", title="Nothing", sequence_in_parent_major=1)
    assert connection.execute(
        "SELECT node_count, character_count, token_count, table_count, figure_count, relation_count"
        " FROM ragraph.documents"
    ).fetchall() == [(0, 0, 0, 0, 0, 0)]
    assert connection.execute(
        "SELECT section_path, node_count FROM ragraph.sections WHERE title IS NOT NULL"
    ).fetchall() == [("Nothing", 0)]


def test_what_is_not_asked_for_costs_nothing(connection: Connection) -> None:
    """Counts are left out of the plan unless they are selected, and one document is read by its index."""
    plan = str(connection.execute("EXPLAIN SELECT title FROM ragraph.documents").fetchall())
    assert "content_node" not in plan
    assert "relation" not in plan
    connection.execute("SET LOCAL enable_seqscan = off")
    for view in ("documents", "sections", "nodes", "relations"):
        plan = str(connection.execute(f"EXPLAIN SELECT * FROM ragraph.{view} WHERE document_id = 'dl_a'").fetchall())
        assert "Seq Scan" not in plan, view
