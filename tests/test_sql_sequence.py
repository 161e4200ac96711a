"""sequence_document: from CONTINUES or the stored order to reading order, spans and intervals."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_component, make_document, make_node, make_relation, make_tree, positions
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]


def call(connection: Connection, name: str) -> int:
    (value,) = connection.execute(f"SELECT ragraph.{name}('dl_a')").fetchone() or (None,)
    assert isinstance(value, int)
    return value


def order(connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT id FROM ragraph.content_node WHERE document_id = 'dl_a' ORDER BY sequence_in_document"
    )
    return [node for (node,) in rows]


def places(connection: Connection) -> dict[str, tuple[str | None, int, int | None]]:
    rows = connection.execute(
        "SELECT id, parent_component_id, sequence_in_parent_major, sequence_in_parent_minor"
        " FROM ragraph.content_node WHERE document_id = 'dl_a'"
    )
    return {node: (parent, major, minor) for node, parent, major, minor in rows}


def violations(connection: Connection) -> list[Any]:
    return connection.execute("SELECT * FROM ragraph.check_document('dl_a')").fetchall()


def chain(connection: Connection, *nodes: str) -> None:
    for earlier, later in pairwise(nodes):
        make_relation(connection, "dl_a", f"rel_c_{later}", later, earlier, relation_type="CONTINUES")


def test_a_sound_document_is_left_as_it_is(connection: Connection) -> None:
    make_tree(connection, sections=3, nodes=2)
    assert call(connection, "sequence_document") == 0


def test_the_chain_orders_a_flat_document(connection: Connection) -> None:
    make_document(connection)
    for place, node in enumerate("dacb"):
        make_node(connection, "dl_a", node, place, content=node * 3)
    chain(connection, *"abcd")
    assert call(connection, "sequence_document") > 0
    assert order(connection) == list("abcd")
    assert connection.execute(
        "SELECT array_agg(char_start ORDER BY id), array_agg(char_end ORDER BY id) FROM ragraph.content_node"
        " WHERE document_id = 'dl_a'"
    ).fetchone() == ([0, 5, 10, 15], [3, 8, 13, 18])
    assert call(connection, "sequence_document") == 0


def test_nodes_outside_of_the_chain_keep_their_place_between_its_pieces(connection: Connection) -> None:
    make_document(connection)
    for place, node in enumerate(["a", "box", "b", "c"]):
        make_node(connection, "dl_a", node, place)
    chain(connection, "a", "b")
    call(connection, "sequence_document")
    assert order(connection) == ["a", "b", "box", "c"]


@pytest.mark.parametrize(
    "edges",
    [[("b", "a"), ("c", "a")], [("b", "a"), ("b", "c")], [("a", "b"), ("b", "a")]],
    ids=["fork", "join", "cycle"],
)
def test_a_broken_chain_is_refused(connection: Connection, edges: list[tuple[str, str]]) -> None:
    make_document(connection)
    for place, node in enumerate("abc"):
        make_node(connection, "dl_a", node, place)
    for number, (later, earlier) in enumerate(edges):
        make_relation(connection, "dl_a", f"rel_{number}", later, earlier, relation_type="CONTINUES")
    with pytest.raises(psycopg.Error) as raised, connection.transaction():
        call(connection, "sequence_document")
    assert raised.value.sqlstate == "RG008"


def test_siblings_are_placed_by_their_first_node(connection: Connection) -> None:
    make_document(connection)
    make_component(connection, "dl_a", "cmp_body", component_type="BODY_MATTER")
    for place, name in enumerate(["second", "empty", "first"]):
        make_component(
            connection,
            "dl_a",
            name,
            parent_component_id="cmp_body",
            depth=1,
            sequence_in_parent_major=place * 3 + 1,
        )
    make_node(connection, "dl_a", "c", 0, parent_component_id="second", sequence_in_parent_major=4)
    make_node(connection, "dl_a", "a", 1, parent_component_id="first", sequence_in_parent_major=2)
    make_node(connection, "dl_a", "b", 2, parent_component_id="cmp_body", sequence_in_parent_major=9)
    chain(connection, "a", "b", "c")
    call(connection, "sequence_document")
    rows = connection.execute(
        "SELECT id, sequence_in_parent_major, first_sequence, last_sequence FROM ragraph.document_component"
        " WHERE document_id = 'dl_a' ORDER BY depth, sequence_in_parent_major"
    ).fetchall()
    assert rows == [
        ("cmp_body", 0, 0, 2),
        ("first", 0, 0, 0),
        ("second", 2, 2, 2),
        ("empty", 3, None, None),
    ]
    assert places(connection)["b"] == ("cmp_body", 1, None)
    assert violations(connection) == []


def _notes(connection: Connection) -> None:
    """Body with section s (p, q and three footnotes at its end) and back matter with endnotes."""
    make_document(connection, pages=2)
    make_component(connection, "dl_a", "body", component_type="BODY_MATTER")
    make_component(connection, "dl_a", "back", component_type="BACK_MATTER", sequence_in_parent_major=1)
    make_component(connection, "dl_a", "s", parent_component_id="body", depth=1)
    make_component(connection, "dl_a", "notes", component_type="NOTES_SECTION", parent_component_id="back", depth=1)
    nodes = [("p", "s"), ("q", "s"), ("foot_b", "s"), ("foot_a", "s"), ("foot_c", "s"), ("end", "notes")]
    for place, (node, parent) in enumerate(nodes):
        make_node(
            connection,
            "dl_a",
            node,
            place,
            parent_component_id=parent,
            content_node_type="PARAGRAPH" if node in "pq" else "NOTE",
            positional_data=positions(1 if node == "p" else 2),
        )
    refer: dict[str, Any] = {"relation_type": "REFERENCES_NOTE"}
    make_relation(connection, "dl_a", "r1", "p", "foot_a", **refer, marker_text="1", marker_start=1)
    make_relation(connection, "dl_a", "r2", "p", "foot_b", **refer, marker_text="2", marker_start=5)
    make_relation(connection, "dl_a", "r3", "q", "foot_a", **refer, marker_text="1", marker_start=0)
    make_relation(connection, "dl_a", "r4", "q", "end", **refer, marker_text="3", marker_start=3)
    make_relation(connection, "dl_a", "r5", "foot_b", "foot_c", **refer, marker_text="4", marker_start=3)


@pytest.mark.parametrize("chained", [False, True])
def test_footnotes_move_behind_the_node_that_refers_to_them_first(connection: Connection, *, chained: bool) -> None:
    _notes(connection)
    if chained:
        chain(connection, "p", "q", "foot_b", "foot_a", "foot_c", "end")
    call(connection, "sequence_document")
    assert places(connection) == {
        "p": ("s", 0, None),
        "foot_a": ("s", 0, 1),
        "foot_b": ("s", 0, 2),
        "foot_c": ("s", 0, 3),
        "q": ("s", 1, None),
        "end": ("notes", 0, None),
    }
    assert order(connection) == ["p", "foot_a", "foot_b", "foot_c", "q", "end"]
    assert connection.execute(
        "SELECT first_sequence, last_sequence, first_page, last_page FROM ragraph.document_component"
        " WHERE document_id = 'dl_a' AND id = 's'"
    ).fetchone() == (0, 4, 1, 2)
    assert call(connection, "sequence_document") == 0
    assert violations(connection) == []


def test_a_footnote_that_is_no_longer_referred_to_becomes_a_sibling_again(connection: Connection) -> None:
    _notes(connection)
    call(connection, "sequence_document")
    connection.execute("DELETE FROM ragraph.relation WHERE document_id = 'dl_a' AND id IN ('r1', 'r3')")
    call(connection, "sequence_document")
    assert places(connection)["foot_a"] == ("s", 1, None)
    assert places(connection)["q"] == ("s", 2, None)
    assert violations(connection) == []


def test_headers_take_the_place_of_the_sibling_before_and_a_minor_number(connection: Connection) -> None:
    make_document(connection, pages=2)
    make_component(connection, "dl_a", "body", component_type="BODY_MATTER")
    under: dict[str, Any] = {"parent_component_id": "body", "depth": 1}
    for place, name in enumerate(["head1", "head2"]):
        make_component(connection, "dl_a", name, component_type="HEADER", sequence_in_parent_major=place + 5, **under)
    make_component(connection, "dl_a", "s", sequence_in_parent_major=0, **under)
    for place, (node, parent) in enumerate([("a", "s"), ("n1", "head1"), ("b", "s"), ("n2", "head2"), ("c", "body")]):
        make_node(connection, "dl_a", node, place, parent_component_id=parent)
    chain(connection, "a", "n1", "b", "n2", "c")
    call(connection, "sequence_document")
    rows = connection.execute(
        "SELECT id, sequence_in_parent_major, sequence_in_parent_minor FROM ragraph.document_component"
        " WHERE document_id = 'dl_a' AND depth = 1 ORDER BY id"
    ).fetchall()
    assert rows == [("head1", 0, 1), ("head2", 0, 2), ("s", 0, None)]
    assert order(connection) == ["a", "b", "n1", "n2", "c"]
    assert places(connection)["c"] == ("body", 1, None)
    assert call(connection, "sequence_document") == 0
    assert violations(connection) == []


def test_empty_documents_are_sequenced(connection: Connection) -> None:
    make_document(connection)
    assert call(connection, "sequence_document") == 0


_TREES = st.tuples(
    st.lists(st.integers(0, 100), max_size=8),  # of each further component: which one before it is its parent
    st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=20),  # of each node: its parent, whether a NOTE
    st.randoms(use_true_random=False),
    st.booleans(),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_TREES)
def test_whatever_the_tree_it_comes_out_sound_and_stays_so(connection: Connection, shape: Any) -> None:
    parents, nodes, random, chained = shape
    with connection.transaction(force_rollback=True):
        make_document(connection)
        depths = [0]
        make_component(connection, "dl_a", "c0", component_type="BODY_MATTER")
        for number, choice in enumerate(parents, 1):
            parent = choice % number
            depths.append(depths[parent] + 1)
            make_component(
                connection,
                "dl_a",
                f"c{number}",
                component_type=random.choice(["SECTION", "LIST", "HEADER", "NOTES_SECTION"]),
                parent_component_id=f"c{parent}",
                depth=depths[number],
                sequence_in_parent_major=100 - number,
            )
        for place, (choice, is_note) in enumerate(nodes):
            make_node(
                connection,
                "dl_a",
                f"n{place}",
                place,
                content="x" * random.randrange(5),
                content_node_type="NOTE" if is_note else "PARAGRAPH",
                parent_component_id=f"c{choice % len(depths)}",
                sequence_in_parent_major=200 + place,
            )
        names = [f"n{place}" for place in range(len(nodes))]
        notes = [name for name, (_, is_note) in zip(names, nodes, strict=True) if is_note]
        for number, note in enumerate(notes):
            source = random.choice(names)
            if source < note or source not in notes:  # no note leads back to itself
                make_relation(
                    connection, "dl_a", f"r{number}", source, note, relation_type="REFERENCES_NOTE", marker_start=0
                )
        if chained:
            random.shuffle(names)
            chain(connection, *names)
        call(connection, "sequence_document")
        assert violations(connection) == []
        walked = connection.execute("SELECT id FROM ragraph.walk_document('dl_a') WHERE kind = 'node'").fetchall()
        assert [node for (node,) in walked] == order(connection)
        assert call(connection, "sequence_document") == 0


def test_what_holds_no_nodes_does_not_move_with_furniture_that_the_chain_puts_first(connection: Connection) -> None:
    make_document(connection)
    make_component(connection, "dl_a", "body", component_type="BODY_MATTER")
    for place, (name, kind) in enumerate([("list", "LIST"), ("empty", "LIST"), ("head", "HEADER")]):
        make_component(
            connection,
            "dl_a",
            name,
            component_type=kind,
            parent_component_id="body",
            depth=1,
            sequence_in_parent_major=place,
        )
    for place, (name, parent) in enumerate([("one", "list"), ("two", "head")]):
        make_node(connection, "dl_a", name, place, parent_component_id=parent, sequence_in_parent_major=place)
    chain(connection, "two", "one")
    call(connection, "sequence_document")
    assert call(connection, "sequence_document") == 0


_COMPONENTS = st.lists(
    st.tuples(
        st.integers(0, 7),  # which one before it is its parent; none, where the number is too large
        st.sampled_from(["SECTION", "LIST", "HEADER", "FOOTER", "NOTES_SECTION"]),
        st.integers(0, 3),  # its place among siblings
        st.sampled_from([None, None, 1, 2]),
    ),
    min_size=1,
    max_size=6,
)
_NODES = st.lists(
    st.tuples(st.integers(0, 7), st.booleans(), st.integers(0, 3), st.sampled_from([None, None, 1])), max_size=5
)
_EDGES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=3)


# a header in front of all else comes to stand behind the first section, and with it what refers to a note
@example(
    [(0, "SECTION", 1, None), (1, "HEADER", 0, None)],
    [(0, False, 0, None), (1, False, 0, None), (0, False, 0, None), (0, True, 0, None)],
    [(0, 3), (1, 3)],
)
@example(
    [(0, "HEADER", 0, None), (1, "SECTION", 0, None), (2, "SECTION", 0, None)],
    [(0, False, 0, None), (1, False, 0, None)],
    [],
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_COMPONENTS, _NODES, _EDGES)
def test_sequencing_again_changes_nothing_wherever_things_stood(
    connection: Connection, components: Any, nodes: Any, edges: Any
) -> None:
    with connection.transaction(force_rollback=True):
        make_document(connection)
        depths: list[int] = []
        for number, (parent, kind, major, minor) in enumerate(components):
            depths.append(depths[parent] + 1 if parent < number else 0)
            make_component(
                connection,
                "dl_a",
                f"c{number}",
                component_type=kind,
                parent_component_id=f"c{parent}" if parent < number else None,
                depth=depths[number],
                sequence_in_parent_major=8 * major + number,
                sequence_in_parent_minor=minor,
            )
        for number, (parent, note, major, minor) in enumerate(nodes):
            make_node(
                connection,
                "dl_a",
                f"n{number}",
                number,
                content="x" * number,
                content_node_type="NOTE" if note else "PARAGRAPH",
                parent_component_id=f"c{parent % len(depths)}",
                sequence_in_parent_major=8 * major + number,
                sequence_in_parent_minor=minor if note else None,
            )
        for number, (source, note) in enumerate(edges):
            inside = max(source, note) < len(nodes) and nodes[note][1]
            if inside and (source < note or not nodes[source][1]):  # no note leads back to itself
                make_relation(
                    connection,
                    "dl_a",
                    f"r{number}",
                    f"n{source}",
                    f"n{note}",
                    relation_type="REFERENCES_NOTE",
                    marker_start=0,
                )
        call(connection, "sequence_document")
        assert violations(connection) == []
        assert call(connection, "sequence_document") == 0
