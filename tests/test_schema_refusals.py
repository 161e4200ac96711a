"""What the database refuses row by row: odd positions, vectors that cannot be compared, foreign collections, bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import (
    insert,
    make_component,
    make_document,
    make_embedding,
    make_model,
    make_node,
    make_relation,
    make_tree,
    positions,
    refused,
    sha256,
    vector,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import errors

if TYPE_CHECKING:
    from collections.abc import Callable

    Connection = psycopg.Connection[tuple[Any, ...]]

JUNK = [
    "5",
    '{"page_pdf": 1}',
    '"text"',
    "null",
    "[1]",
    "[null]",
    "[{}]",
    '[{"page": 1}]',
    '[{"page_pdf": null}]',
    '[{"page_pdf": "1"}]',
    '[{"page_pdf": "1"}, {"page_pdf": "1"}]',
    '[{"page_pdf": true}]',
    '[{"page_pdf": 1.5}]',
    '[{"page_pdf": [1]}]',
    '[[{"page_pdf": 1}]]',
    '[{"page_pdf": 1}, {"page_pdf": 1.5}, {"page_pdf": 2}]',
    '[{"page_pdf": 1}, {"page_pdf": [1]}, {"page_pdf": 2}]',
    '[{"page_pdf": 1}, [{"page_pdf": 1}], {"page_pdf": 2}]',
    '[{"page_pdf": 1}, {"page_pdf": "1"}, {"page_pdf": 2}]',
    '[{"page_pdf": 1}, {"page_logical": "i"}, {"page_pdf": 2}]',
    '[{"page_pdf": 1}, {"page_pdf": 3}, {"page_pdf": 2}]',
    '[{"page_pdf": 2}, {"page_pdf": 1}, {"page_pdf": 2}]',
    '[{"page_pdf": 1e30}]',
    '[{"page_pdf": 2}, {"page_pdf": 1}]',
]


@pytest.mark.parametrize("junk", JUNK)
def test_positions_without_proper_pages_are_refused(connection: Connection, junk: str) -> None:
    make_document(connection, pages=3)
    make_node(connection, "dl_a", "cn_0", 0)
    refused(
        connection,
        lambda: connection.execute("UPDATE ragraph.content_node SET positional_data = %s", [junk]),
        errors.CheckViolation,
        errors.DataError,
    )


@pytest.mark.parametrize("pages", [(1, 2), (2, 4), (3, 4)])
def test_both_ends_lie_on_pages_that_are_there(connection: Connection, pages: tuple[int, int]) -> None:
    """Of pages 1 to 4 only 2 and 3 are there: neither the first nor the last page may be another."""
    make_tree(connection, embed=False)
    make_document(connection, "dl_b", pages=3)
    connection.execute("DELETE FROM ragraph.document_page WHERE document_id = 'dl_b' AND page_pdf = 1")
    first, last = pages
    spread = f"[{first},{last}]"
    for attempt in (
        lambda: make_node(connection, "dl_b", "cn_x", 0, positional_data=positions(first, last)),
        lambda: make_component(connection, "dl_b", "cmp_x", page_range=spread),
    ):
        refused(connection, attempt, errors.ForeignKeyViolation)
    make_node(connection, "dl_b", "cn_x", 0, positional_data=positions(2, 3))


vectors = st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=vectors)
def test_a_vector_has_the_dimensions_of_its_model(connection: Connection, values: list[float]) -> None:
    with connection.transaction(force_rollback=True):
        make_model(connection, "free", dimensions=3, normalized=False)
        make_tree(connection, embed=False)
        length = sum(value * value for value in values) ** 0.5

        def write() -> None:
            make_embedding(connection, "dl_a", "cn_1", values, model_name="free", normalized=False)

        if len(values) == 3 and length > 1e-6:
            write()
        elif len(values) != 3 or length == 0:
            refused(connection, write)


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ("[0,0,0]", (errors.CheckViolation,)),
        ("[NaN,0,1]", (errors.DataError,)),
        ("[Infinity,0,1]", (errors.DataError,)),
        ("[]", (errors.DataError,)),
        ("[3,4,0]", (errors.CheckViolation,)),
        ("[1,0]", (errors.ForeignKeyViolation,)),
        ("[1,0,0,0]", (errors.ForeignKeyViolation,)),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(
    connection: Connection, values: str, kinds: tuple[type[psycopg.Error], ...]
) -> None:
    make_tree(connection, embed=False)
    make_model(connection)
    refused(connection, lambda: make_embedding(connection, "dl_a", "cn_1", values), *kinds)
    make_embedding(connection, "dl_a", "cn_1", "[0.6,0.8,0]")


def test_an_embedding_needs_its_model_and_cannot_deny_its_norm(connection: Connection) -> None:
    make_tree(connection)
    refused(connection, lambda: make_embedding(connection, "dl_a", "cn_1", vector(1), id="em_x", model_name="unknown"))
    refused(
        connection, lambda: make_embedding(connection, "dl_a", "cn_1", "[3,4,0]", id="em_x", part=1, normalized=False)
    )
    refused(
        connection, lambda: make_embedding(connection, "dl_a", "cn_1", vector(1), id="em_x"), errors.UniqueViolation
    )
    refused(connection, lambda: connection.execute("DELETE FROM ragraph.embedding_model"), errors.ForeignKeyViolation)


@pytest.mark.parametrize(
    "table", ["document_page", "document_component", "content_node", "relation", "document_relation", "embedding"]
)
def test_the_collection_is_the_document_s(connection: Connection, table: str) -> None:
    make_tree(connection, collection="tenant")
    make_document(connection, "dl_b", collection="other")
    make_relation(connection, "dl_a", "rel_1", "cn_1", "cn_2", collection="tenant")
    insert(
        connection,
        "document_relation",
        document_id="dl_a",
        id="rel_2",
        source_node_id="cn_1",
        target_document_id="dl_b",
        relation_type="CROSS_REFERENCES",
        collection="tenant",
    )
    change = psycopg.sql.SQL("UPDATE {} SET collection = 'other' WHERE document_id = 'dl_a'").format(
        psycopg.sql.Identifier("ragraph", table)
    )
    refused(connection, lambda: connection.execute(change), errors.ForeignKeyViolation)
    refused(
        connection,
        lambda: connection.execute("UPDATE ragraph.document SET collection = 'other' WHERE id = 'dl_a'"),
        errors.ForeignKeyViolation,
    )


@pytest.mark.parametrize(
    "action",
    [
        lambda c: make_document(c, "", pages=0),
        lambda c: make_document(c, "x" * 201, pages=0),
        lambda c: make_document(c, "dl_b", pages=0, sha256="ABC"),
        lambda c: make_document(c, "dl_b", pages=0, page_count=-1),
        lambda c: make_document(c, "dl_b", pages=0, error_message="but completed"),
        lambda c: make_component(c, "dl_a", "cmp_x", depth=1),
        lambda c: make_component(c, "dl_a", "cmp_x", parent_component_id="cmp_body", depth=0),
        lambda c: make_component(c, "dl_a", "cmp_x", page_range="empty", sequence_in_parent_major=9),
        lambda c: make_component(c, "dl_a", "cmp_x", page_range="[1,)", sequence_in_parent_major=9),
        lambda c: make_component(c, "dl_a", "cmp_x", first_sequence=2, last_sequence=1, sequence_in_parent_major=9),
        lambda c: make_component(c, "dl_a", "cmp_x", first_sequence=2, sequence_in_parent_major=9),
        lambda c: make_node(c, "dl_a", "cn_x", -1),
        lambda c: make_node(c, "dl_a", "cn_x", 99, char_start=5, char_end=4),
        lambda c: make_node(c, "dl_a", "cn_x", 99, content_hash="none"),
        lambda c: make_node(c, "dl_a", "cn_x", 99, token_count=-1),
        lambda c: make_relation(c, "dl_a", "rel_x", "cn_1", None, marker_start=-1),
        lambda c: make_embedding(c, "dl_a", "cn_1", vector(1), part=-1),
        lambda c: make_embedding(c, "dl_a", "cn_1", vector(1), part=3, char_start=5, char_end=4),
        lambda c: make_model(c, "", dimensions=3),
        lambda c: make_model(c, "big", dimensions=16001),
        lambda c: insert(c, "document_page", document_id="dl_a", page_pdf=0),
        lambda c: insert(
            c,
            "document_relation",
            document_id="dl_a",
            id="rel_x",
            source_node_id="cn_1",
            target_document_id="dl_a",
            relation_type="CROSS_REFERENCES",
        ),
    ],
)
def test_values_out_of_bounds_are_refused(connection: Connection, action: Callable[[Connection], object]) -> None:
    make_tree(connection)
    refused(connection, lambda: action(connection), errors.CheckViolation)


@pytest.mark.parametrize("size", [1_000_000, 10_000_000])
@pytest.mark.parametrize("alphabet", ["word ", "Ωmega-", "字-𠀀", "http://a.b/c?d=e "])
def test_long_paragraphs_fit(connection: Connection, size: int, alphabet: str) -> None:
    make_document(connection)
    content = alphabet * (size // len(alphabet))
    make_node(connection, "dl_a", "cn_0", 0, content=content, content_hash=sha256(content))
    row = connection.execute("SELECT length(content), text_search IS NOT NULL FROM ragraph.content_node").fetchone()
    assert row == (len(content), True)
