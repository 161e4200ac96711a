"""check_document and check_store find what constraints let through and nothing else; delete_document."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from factories import make_component, make_document, make_embedding, make_node, make_relation, make_tree, sha256, vector

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

NODE = "UPDATE ragraph.content_node SET {} WHERE document_id = 'dl_a' AND id = 'cn_1'"
COMPONENT = "UPDATE ragraph.document_component SET {} WHERE document_id = 'dl_a' AND id = 'cmp_s0'"
DOCUMENT = "UPDATE ragraph.document SET {} WHERE id = 'dl_a'"


def rules(connection: Connection, call: str = "check_document('dl_a')") -> set[str]:
    return {rule for (rule,) in connection.execute(f"SELECT rule FROM ragraph.{call}")}


@pytest.fixture
def sound(connection: Connection) -> Connection:
    make_tree(connection, "dl_a", sections=3, nodes=3)
    make_tree(connection, "dl_b", sections=2, nodes=2)
    return connection


def test_a_sound_store_has_no_violations(sound: Connection) -> None:
    make_relation(sound, "dl_a", "open", "cn_1", None, target_anchor="nowhere", marker_text="1", marker_start=0)
    make_document(sound, "dl_new", pages=0, page_count=None, processing_status="pending")
    assert rules(sound) == set()
    assert rules(sound, "check_store()") == set()


def test_notes_that_go_round_are_found(sound: Connection) -> None:
    for number, (source, target) in enumerate([(1, 2), (2, 3), (3, 5)]):  # a note of a note of a note
        make_relation(sound, "dl_a", f"n{number}", f"cn_{source}", f"cn_{target}", relation_type="REFERENCES_NOTE")
    for number, (source, target) in enumerate([(1, 2), (2, 1)]):  # sections that refer to each other
        make_relation(sound, "dl_a", f"x{number}", f"cn_{source}", f"cn_{target}", relation_type="CROSS_REFERENCES")
    make_relation(sound, "dl_a", "c", "cn_5", "cn_1", relation_type="IS_CAPTIONED_BY")
    assert rules(sound) == set()
    make_relation(sound, "dl_a", "back", "cn_3", "cn_1", relation_type="REFERENCES_NOTE")
    found = sound.execute("SELECT object_id, detail FROM ragraph.check_store()").fetchall()
    assert found == [(f"cn_{number}", "REFERENCES_NOTE relations lead from it back to it") for number in (1, 2, 3)]
    assert rules(sound) == {"notes, captions and supplements form no cycle"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (NODE.format("sequence_in_document = 99"), "reading order is dense"),
        (NODE.format("sequence_in_document = 99"), "intervals enclose their nodes"),
        (NODE.format("sequence_in_parent_major = 99"), "reading order follows the tree"),
        (NODE.format("sequence_in_parent_major = 99"), "sibling order is dense"),
        (NODE.format("parent_component_id = 'cmp_s2', sequence_in_parent_major = 9"), "intervals enclose their nodes"),
        (NODE.format("parent_component_id = NULL"), "a completed document has a tree"),
        (NODE.format("char_start = char_start + 1"), "spans index the text of the document"),
        (NODE.format("content = 'other'"), "content_hash is that of the content"),
        (NODE.format("data = '{\"level\": 0}'"), "levels of headings are whole numbers from 1"),
        (NODE.format('data = \'{"level": "2"}\''), "levels of headings are whole numbers from 1"),
        (
            NODE.format('positional_data = \'[{"page_pdf": 1, "bbox": {"x1": 9, "y1": 0, "x2": 1, "y2": 5}}]\''),
            "boxes are rectangles on their page",
        ),
        (
            NODE.format('positional_data = \'[{"page_pdf": 1, "bbox": {"x1": 0, "y1": 0, "x2": 9000, "y2": 5}}]\''),
            "boxes are rectangles on their page",
        ),
        (
            NODE.format('positional_data = \'[{"page_pdf": 1, "bbox": {"x1": "0", "y1": 0, "x2": 1, "y2": 5}}]\''),
            "boxes are rectangles on their page",
        ),
        (NODE.format('positional_data = \'[{"page_pdf": 1, "bbox": []}]\''), "boxes are rectangles on their page"),
        (
            "DELETE FROM ragraph.document_page WHERE document_id = 'dl_a' AND page_pdf = 4;"
            "INSERT INTO ragraph.document_page (document_id, page_pdf) VALUES ('dl_a', 5), ('dl_a', 7);"
            + NODE.format('positional_data = \'[{"page_pdf": 5}, {"page_pdf": 6}, {"page_pdf": 7}]\''),
            "positions lie on pages of the document",
        ),
        (COMPONENT.format("last_sequence = 5"), "intervals enclose their nodes"),
        (COMPONENT.format("first_sequence = NULL, last_sequence = NULL"), "intervals enclose their nodes"),
        (COMPONENT.format("page_range = '[1,2]'"), "pages of a component are those of its nodes"),
        (COMPONENT.format("page_range = NULL"), "pages of a component are those of its nodes"),
        (COMPONENT.format("sequence_in_parent_minor = 1"), "only headers and footers have a minor number"),
        (COMPONENT.format("sequence_in_parent_major = 7"), "sibling order is dense"),
        (COMPONENT.format("sequence_in_parent_major = 7"), "reading order follows the tree"),
        (DOCUMENT.format("page_count = 2"), "page_count is the number of pages"),
        (DOCUMENT.format("page_count = NULL"), "page_count is the number of pages"),
        (DOCUMENT.format("processing_status = 'failed'"), "a failed document has an error message"),
        (DOCUMENT.format("processing_status = 'pending'"), "a pending document has no nodes"),
        (
            "UPDATE ragraph.embedding SET char_end = 1000 WHERE document_id = 'dl_a' AND node_id = 'cn_1'",
            "spans of embeddings lie within the text of their node",
        ),
        (
            "UPDATE ragraph.embedding SET embedding_source = 'DESCRIPTION'"
            " WHERE document_id = 'dl_a' AND node_id = 'cn_1'",
            "spans of embeddings lie within the text of their node",
        ),
    ],
)
def test_each_violation_is_found(sound: Connection, change: str, expected: str) -> None:
    for statement in change.split(";"):
        sound.execute(statement)
    assert expected in rules(sound)
    assert expected in rules(sound, "check_store()")
    assert rules(sound, "check_document('dl_b')") == set()


@pytest.mark.parametrize(
    ("damage", "child", "parent"),
    [
        ("DELETE FROM ragraph.publication WHERE id = 'pub_a'", "document", "publication"),
        ("DELETE FROM ragraph.document WHERE id = 'dl_a'", "document_page", "document"),
        ("DELETE FROM ragraph.document WHERE id = 'dl_a'", "embedding", "document"),
        ("DELETE FROM ragraph.document_component WHERE document_id = 'dl_a'", "content_node", "document_component"),
        (COMPONENT.format("depth = 5"), "document_component", "document_component"),
        ("DELETE FROM ragraph.document_page WHERE document_id = 'dl_a'", "content_node", "document_page"),
        ("DELETE FROM ragraph.document_page WHERE document_id = 'dl_a'", "document_component", "document_page"),
        ("DELETE FROM ragraph.content_node WHERE document_id = 'dl_a' AND id = 'cn_1'", "relation", "content_node"),
        ("DELETE FROM ragraph.content_node WHERE document_id = 'dl_a' AND id = 'cn_2'", "relation", "content_node"),
        ("DELETE FROM ragraph.content_node WHERE document_id = 'dl_a' AND id = 'cn_1'", "embedding", "content_node"),
        ("DELETE FROM ragraph.embedding_model", "embedding", "embedding_model"),
        (NODE.format("collection = 'other'"), "content_node", "document"),
    ],
)
def test_rows_whose_other_end_is_missing(sound: Connection, damage: str, child: str, parent: str) -> None:
    make_relation(sound, "dl_a", "r1", "cn_1", "cn_2")
    keys = sound.execute(
        "SELECT conrelid::regclass::text, conname FROM pg_constraint"
        " WHERE contype = 'f' AND connamespace = 'ragraph'::regnamespace"
    )
    for table, name in keys.fetchall():
        sound.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    sound.execute(damage)
    details = [
        detail
        for (detail,) in sound.execute(
            "SELECT detail FROM ragraph.check_store()"
            " WHERE document_id = 'dl_a' AND rule = 'references lead to existing rows'"
        )
    ]
    assert any(detail.startswith(f"{child} has no {parent}: ") for detail in details)


def test_the_references_checked_are_the_foreign_keys(connection: Connection) -> None:
    text = files("ragraph.sql.functions").joinpath("14_check_references.sql").read_text()
    checked = {
        (child, tuple(here.split(",")), parent, tuple(there.split(",")))
        for child, here, parent, there in re.findall(r"\('(\w+)', '\{(.+?)\}', '(\w+)', '\{(.+?)\}'\)", text)
    }
    rows = connection.execute(
        """
        SELECT
            k.conrelid::regclass::text, k.confrelid::regclass::text,
            array(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS n (number, place)
                JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = n.number ORDER BY n.place),
            array(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS n (number, place)
                JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = n.number ORDER BY n.place)
        FROM pg_constraint k WHERE k.contype = 'f' AND k.connamespace = 'ragraph'::regnamespace
            -- those of a collection and of a job, not of a document
            AND k.conrelid NOT IN ('ragraph.sentence_ranker_word'::regclass, 'ragraph.ingest_file'::regclass)
        """
    ).fetchall()
    short = str.removeprefix
    assert checked == {
        (short(child, "ragraph."), tuple(here), short(parent, "ragraph."), tuple(there))
        for child, parent, here, there in rows
    }


def test_a_node_and_a_component_at_one_place(sound: Connection) -> None:
    make_node(sound, "dl_a", "twin", 12, parent_component_id="cmp_body", sequence_in_parent_major=2)
    assert "siblings have different places" in rules(sound)


def test_swapped_siblings(sound: Connection) -> None:
    sound.execute(
        "UPDATE ragraph.document_component SET sequence_in_parent_major = 1 - sequence_in_parent_major"
        " WHERE document_id = 'dl_a' AND id IN ('cmp_s0', 'cmp_s1')"
    )
    assert rules(sound) == {"reading order follows the tree"}


def test_edges(sound: Connection) -> None:
    make_relation(sound, "dl_a", "beyond", "cn_1", None, marker_text="1", marker_start=500)
    make_relation(sound, "dl_a", "c1", "cn_2", "cn_1", relation_type="CONTINUES")
    make_relation(sound, "dl_a", "c2", "cn_3", "cn_1", relation_type="CONTINUES")
    insert = (
        "INSERT INTO ragraph.document_relation"
        " (document_id, id, source_node_id, target_document_id, target_node_id, relation_type)"
        " VALUES ('dl_a', %s, 'cn_1', %s, %s, 'CROSS_REFERENCES')"
    )
    for name, document, node in [
        ("good", "dl_b", "cn_1"),
        ("whole", "dl_b", None),
        ("lost_node", "dl_b", "cn_none"),
        ("lost_document", "dl_none", None),
    ]:
        sound.execute(insert, [name, document, node])
    rows = sound.execute("SELECT rule, object_id FROM ragraph.check_document('dl_a')").fetchall()
    assert rows == [
        ("markers are within their node", "beyond"),
        ("relations to other documents have a target", "lost_document"),
        ("relations to other documents have a target", "lost_node"),
        ("the CONTINUES chain does not branch", "c1"),
    ]


def test_violations_name_document_and_object(sound: Connection) -> None:
    sound.execute(
        "UPDATE ragraph.content_node SET content_hash = %s WHERE document_id = 'dl_b' AND id = 'cn_2'", ["0" * 64]
    )
    assert sound.execute("SELECT document_id, object_id FROM ragraph.check_store()").fetchall() == [("dl_b", "cn_2")]


def test_a_flat_document_is_sound(connection: Connection) -> None:
    make_document(connection, processing_status="processing")
    offset = 0
    for place in range(3):
        content = f"Flat {place}"
        make_node(
            connection, "dl_a", f"cn_{place}", place, content=content, char_start=offset, char_end=offset + len(content)
        )
        offset += len(content) + 2
    assert rules(connection) == set()


def test_hashes_are_those_of_utf8(connection: Connection) -> None:
    make_document(connection)
    make_component(connection, "dl_a", "cmp", component_type="BODY_MATTER", first_sequence=0, last_sequence=0)
    content = "Größe — שלום 🎉"
    make_node(connection, "dl_a", "cn", 0, content=content, parent_component_id="cmp", char_end=len(content))
    assert rules(connection) == set()
    assert connection.execute("SELECT content_hash FROM ragraph.content_node").fetchall() == [(sha256(content),)]


def test_delete_takes_all_of_a_document_and_nothing_else(sound: Connection) -> None:
    make_relation(sound, "dl_a", "r1", "cn_1", "cn_2")
    make_relation(sound, "dl_b", "r1", "cn_1", "cn_2")
    make_embedding(sound, "dl_a", "cn_1", vector(2), part=1)
    sound.execute(
        "INSERT INTO ragraph.document_relation (document_id, id, source_node_id, target_document_id, relation_type)"
        " VALUES ('dl_a', 'x', 'cn_1', 'dl_b', 'CROSS_REFERENCES'), ('dl_b', 'x', 'cn_1', 'dl_a', 'CROSS_REFERENCES')"
    )
    assert sound.execute("SELECT ragraph.delete_document('dl_a')").fetchone() == (12,)
    for table in ["document_page", "document_component", "content_node", "relation", "document_relation", "embedding"]:
        left = sound.execute(f"SELECT DISTINCT document_id FROM ragraph.{table}").fetchall()
        assert left == [("dl_b",)], table
    assert sound.execute("SELECT id FROM ragraph.publication").fetchall() == [("pub_b",)]
    assert rules(sound, "check_store()") == {"relations to other documents have a target"}


def test_a_publication_with_other_documents_stays(connection: Connection) -> None:
    make_document(connection, "dl_a", publication_id="pub_record")
    make_document(connection, "dl_b")
    make_document(connection, "dl_c", publication_id="pub_b")
    connection.execute("SELECT ragraph.delete_document('dl_a'), ragraph.delete_document('dl_b')")
    rows = connection.execute("SELECT id FROM ragraph.publication ORDER BY id").fetchall()
    assert rows == [("pub_b",)]


def test_nodes_whose_tokens_nobody_counted(connection: Connection) -> None:
    make_tree(connection)
    connection.execute("UPDATE ragraph.content_node SET token_count = 0 WHERE id = 'cn_1'")
    found = connection.execute("SELECT rule, object_id FROM ragraph.check_document('dl_a')").fetchall()
    assert found == [("tokens of a node are counted", "cn_1")]


def test_an_order_that_sequencing_would_change(connection: Connection) -> None:
    """A header between sections is where no walk of the tree stumbles over it, but not where sequencing puts it."""
    make_document(connection)
    make_component(connection, "dl_a", "body", component_type="BODY_MATTER")
    under = {"parent_component_id": "body", "depth": 1}
    make_component(connection, "dl_a", "head", component_type="HEADER", sequence_in_parent_minor=7, **under)
    make_component(connection, "dl_a", "s", sequence_in_parent_major=0, **under)
    make_node(connection, "dl_a", "a", 0, parent_component_id="s", sequence_in_parent_major=0)
    make_node(connection, "dl_a", "b", 1, parent_component_id="head", sequence_in_parent_major=0)
    connection.execute("SELECT ragraph.sequence_document('dl_a')")
    connection.execute("UPDATE ragraph.document SET processing_status = 'completed'")
    assert connection.execute("SELECT * FROM ragraph.check_store()").fetchall() == []
    connection.execute("UPDATE ragraph.document_component SET sequence_in_parent_minor = 5 WHERE id = 'head'")
    rule = "sequencing again changes nothing"
    for check in ("check_document('dl_a')", "check_store()"):
        found = connection.execute(f"SELECT rule, object_id, detail FROM ragraph.{check}").fetchall()
        assert found == [(rule, "head", "component belongs at major 0, minor 1")]
    assert connection.execute("SELECT ragraph.sequence_document('dl_a')").fetchone() == (1,)
    assert connection.execute("SELECT * FROM ragraph.check_store()").fetchall() == []
