"""The functions that read the tree and the pages of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from factories import make_component, make_document, make_node, make_tree, positions
from psycopg.types.range import Range

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]


def ids(connection: Connection, call: str, *arguments: Any, column: str = "id") -> list[str]:
    marks = ", ".join(["%s"] * len(arguments))
    return [value for (value,) in connection.execute(f"SELECT {column} FROM ragraph.{call}({marks})", arguments)]


def test_walk_gives_components_and_nodes_in_one_order(connection: Connection) -> None:
    make_tree(connection, sections=2, nodes=1)
    walk = connection.execute("SELECT kind, id, depth, sequence, type FROM ragraph.walk_document('dl_a')").fetchall()
    assert walk == [
        ("component", "cmp_body", 0, None, "BODY_MATTER"),
        ("component", "cmp_s0", 1, None, "SECTION"),
        ("node", "cn_0", 2, 0, "HEADING"),
        ("node", "cn_1", 2, 1, "PARAGRAPH"),
        ("component", "cmp_s1", 1, None, "SECTION"),
        ("node", "cn_2", 2, 2, "HEADING"),
        ("node", "cn_3", 2, 3, "PARAGRAPH"),
    ]


def test_walk_puts_minor_numbers_behind_and_nodes_between_components(connection: Connection) -> None:
    make_document(connection)
    make_component(connection, "dl_a", "cmp_body", component_type="BODY_MATTER")
    make_component(connection, "dl_a", "cmp_mid", parent_component_id="cmp_body", depth=1, sequence_in_parent_major=1)
    held: dict[str, Any] = {"parent_component_id": "cmp_body"}
    make_node(connection, "dl_a", "last", 0, **held, sequence_in_parent_major=2)
    make_node(connection, "dl_a", "note_b", 1, **held, sequence_in_parent_major=0, sequence_in_parent_minor=2)
    make_node(connection, "dl_a", "note_a", 2, **held, sequence_in_parent_major=0, sequence_in_parent_minor=1)
    make_node(connection, "dl_a", "first", 3, **held, sequence_in_parent_major=0)
    make_node(connection, "dl_a", "loose", 4, sequence_in_parent_major=0)
    make_node(connection, "dl_a", "inner", 5, parent_component_id="cmp_mid", sequence_in_parent_major=0)
    walked = ids(connection, "walk_document", "dl_a")
    assert walked == ["cmp_body", "first", "note_a", "note_b", "cmp_mid", "inner", "last", "loose"]


def test_table_of_contents(connection: Connection) -> None:
    make_tree(connection, sections=3, nodes=2)
    make_component(
        connection,
        "dl_a",
        "cmp_list",
        component_type="LIST",
        parent_component_id="cmp_s0",
        depth=2,
        sequence_in_parent_major=9,
    )
    make_component(
        connection,
        "dl_a",
        "cmp_deep",
        title="Deep",
        parent_component_id="cmp_list",
        depth=3,
        sequence_in_parent_major=0,
    )
    rows = connection.execute(
        "SELECT component_id, depth, path, first_page, last_page, logical_pages, nodes"
        " FROM ragraph.table_of_contents('dl_a')"
    ).fetchall()
    assert rows == [
        ("cmp_body", 0, [], 1, 3, ["1", "3"], 9),
        ("cmp_s0", 1, ["Section 0"], 1, 1, ["1"], 3),
        ("cmp_deep", 3, ["Section 0", "Deep"], None, None, [], 0),
        ("cmp_s1", 1, ["Section 1"], 2, 2, ["2"], 3),
        ("cmp_s2", 1, ["Section 2"], 3, 3, ["3"], 3),
    ]
    assert ids(connection, "table_of_contents", "dl_a", 0, column="component_id") == ["cmp_body"]


def test_subtree_path_and_nodes_of_a_component(connection: Connection) -> None:
    tree = make_tree(connection, sections=3, nodes=2)
    assert ids(connection, "component_subtree", "dl_a", "cmp_body") == ["cmp_body", *tree.sections]
    assert ids(connection, "component_path", "dl_a", "cmp_s1") == ["cmp_body", "cmp_s1"]
    assert ids(connection, "nodes_in_component", "dl_a", "cmp_s1") == ["cn_3", "cn_4", "cn_5"]
    assert len(ids(connection, "nodes_in_component", "dl_a", "cmp_body")) == 9


def test_nodes_of_a_component_without_nodes(connection: Connection) -> None:
    make_document(connection)
    make_component(connection, "dl_a", "cmp_empty")
    assert ids(connection, "nodes_in_component", "dl_a", "cmp_empty") == []


def test_nodes_on_pages(connection: Connection) -> None:
    make_document(connection, pages=40)
    make_node(connection, "dl_a", "one", 0, positional_data=positions(1))
    make_node(connection, "dl_a", "gap", 1, positional_data=positions(1, 5))
    make_node(connection, "dl_a", "three", 2, positional_data=positions(3))
    make_node(connection, "dl_a", "last", 3, positional_data=positions(40))
    make_node(connection, "dl_a", "nowhere", 4)
    assert ids(connection, "nodes_on_page", "dl_a", 1) == ["one", "gap"]
    assert ids(connection, "nodes_on_page", "dl_a", 5) == ["gap"]
    assert ids(connection, "nodes_on_page", "dl_a", 3) == ["three"], "a node on 1 and 5 is not on 3"
    for pages, expected in {
        "[2,4]": ["three"],
        "[2,30]": ["gap", "three"],
        "[5,)": ["gap", "last"],
        "(,3]": ["one", "gap", "three"],
        "(,)": ["one", "gap", "three", "last"],
        "empty": [],
        "[6,39]": [],
        "[-2147483648,2147483646]": ["one", "gap", "three", "last"],
        "(,-2147483640]": [],
        "[2147483640,)": [],
    }.items():
        found = ids(connection, "nodes_on_pages", "dl_a", Range(empty=True) if pages == "empty" else pages)
        assert found == expected, pages


def test_contents_name_the_first_and_last_page_that_has_a_label(connection: Connection) -> None:
    make_document(connection, pages=9)
    make_component(connection, "dl_a", "cmp", page_range="[1,9]")
    connection.execute("UPDATE ragraph.document_page SET page_logical = NULL")
    for page, label in ((3, "iii"), (5, "v"), (8, "viii")):
        connection.execute("UPDATE ragraph.document_page SET page_logical = %s WHERE page_pdf = %s", [label, page])
    query = "SELECT logical_pages FROM ragraph.table_of_contents('dl_a')"
    assert connection.execute(query).fetchall() == [(["iii", "viii"],)]
    connection.execute("UPDATE ragraph.document_component SET page_range = '[4,7]'")
    assert connection.execute(query).fetchall() == [(["v"],)]
    connection.execute("UPDATE ragraph.document_component SET page_range = '[6,7]'")
    assert connection.execute(query).fetchall() == [([],)]


def test_nodes_on_logical_page_are_those_of_every_page_of_that_name(connection: Connection) -> None:
    make_document(connection, pages=9)
    make_node(connection, "dl_a", "front", 0, positional_data=positions(1, logical="iii"))
    make_node(connection, "dl_a", "body", 1, positional_data=positions(2, logical="3"))
    make_node(connection, "dl_a", "again", 2, positional_data=positions(9, logical="3"))
    assert ids(connection, "nodes_on_logical_page", "dl_a", "iii") == ["front"]
    assert ids(connection, "nodes_on_logical_page", "dl_a", "3") == ["body", "again"]
    assert ids(connection, "nodes_on_logical_page", "dl_a", "2") == []


@pytest.mark.parametrize("hostile", ["it's", '"quoted"', "100%", "%s", "$1", "a'); DROP TABLE ragraph.relation; --"])
def test_ids_and_labels_are_data(connection: Connection, hostile: str) -> None:
    make_document(connection, hostile)
    make_component(connection, hostile, hostile, first_sequence=0, last_sequence=0)
    make_node(
        connection, hostile, hostile, 0, parent_component_id=hostile, positional_data=positions(1, logical=hostile)
    )
    assert ids(connection, "nodes_on_logical_page", hostile, hostile) == [hostile]
    assert ids(connection, "nodes_in_component", hostile, hostile) == [hostile]
    assert ids(connection, "walk_document", hostile) == [hostile, hostile]
    assert ids(connection, "node_citation", hostile, hostile, column="node_id") == [hostile]


def test_document_text_is_indexed_by_the_spans(connection: Connection) -> None:
    make_tree(connection, sections=2, nodes=2)
    assert connection.execute(
        """
        SELECT count(*), bool_and(substr(t.text, n.char_start + 1, n.char_end - n.char_start) = n.content)
        FROM ragraph.content_node n, ragraph.document_text('dl_a') AS t (text)
        WHERE n.document_id = 'dl_a'
        """
    ).fetchone() == (6, True)
