"""The fixtures and factories do what conftest.py says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import insert, make_document, make_model, make_relation, make_tree, vector
from hypothesis import HealthCheck, settings
from psycopg import sql

if TYPE_CHECKING:
    from ragraph.database.connection import Database

    Connection = psycopg.Connection[tuple[Any, ...]]


def count(connection: Connection, table: str) -> int:
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("ragraph", table)))
    return int(row.fetchall()[0][0])


@pytest.mark.parametrize("attempt", [1, 2])
def test_connection_is_rolled_back(connection: Connection, attempt: int) -> None:
    assert count(connection, "document") == 0, attempt
    make_document(connection)
    assert count(connection, "document") == 1


def test_a_failure_inside_a_nested_transaction_is_survived(connection: Connection) -> None:
    make_document(connection)
    with pytest.raises(psycopg.errors.UniqueViolation), connection.transaction():
        make_document(connection)
    assert count(connection, "document") == 1


def test_database_keeps_what_is_committed(database: Database) -> None:
    with database.write() as connection:
        tree = make_tree(connection, sections=3, nodes=2)
    with database.read() as connection:
        assert count(connection, "content_node") == 9
        assert count(connection, "embedding") == len(tree.nodes) == 6


def test_factories_take_several_documents(connection: Connection) -> None:
    make_tree(connection, "dl_a")
    make_tree(connection, "dl_b", collection="other", embed=False)
    make_document(connection, "dl_empty", pages=0)
    make_relation(connection, "dl_a", "rel_1", "cn_1", "cn_2")
    assert count(connection, "document") == 3
    assert count(connection, "content_node") == 16
    assert count(connection, "embedding") == 6


def test_an_empty_database_has_no_schema(make_database: Any) -> None:
    with psycopg.connect(make_database(schema=False)) as connection:
        row = connection.execute("SELECT to_regnamespace('ragraph')").fetchone()
    assert row == (None,)


def test_vectors_of_the_tiny_model_have_length_one(connection: Connection) -> None:
    make_model(connection)
    for number in range(1000):
        assert abs(sum(value * value for value in vector(number)) - 1) < 1e-9
    insert(connection, "embedding_model", name="other", dimensions=2, max_tokens=1, normalized=False)


def test_no_example_fails_for_the_time_it_takes() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
