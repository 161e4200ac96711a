"""The HNSW index is built beside readers and writers, by one session at a time, and again after a kill."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document, make_embedding, make_model, make_node, vector
from ingest_tools import rows
from pgvector.psycopg import register_vector
from server_tools import wait_until

from ragraph.base import system
from ragraph.ingest.vectors import maintenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph.database.connection import Database

NODES = 200
VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text LIKE '%embedding_hnsw%'"
_BUILDERS = "FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'create index concurrently%'"
BUILDING = f"SELECT count(*) {_BUILDERS} AND state = 'active'"


def _add(connection: psycopg.Connection[Any], place: int) -> None:
    make_node(connection, "dl_a", f"cn_{place}", place)
    make_embedding(connection, "dl_a", f"cn_{place}", vector(place))


@pytest.fixture
def filled(database: Database) -> Database:
    with database.write() as connection:
        make_model(connection)
        make_document(connection)
        for place in range(NODES):
            _add(connection, place)
    return database


@pytest.fixture
def writing(filled: Database) -> Iterator[psycopg.Connection[Any]]:
    """A writer that is in the middle of its transaction: a concurrent build waits for its end."""
    with psycopg.connect(filled.url) as connection:
        register_vector(connection)
        _add(connection, NODES)
        yield connection


def _found(database: Database) -> int:
    return len(
        rows(database, "SELECT 1 FROM ragraph.search_vector('[1,2,1]'::vector, 'tiny', k => 1000, exact_limit => 0)")
    )


def test_others_write_and_search_while_it_is_built(filled: Database, writing: psycopg.Connection[Any]) -> None:
    said: list[tuple[str, ...]] = []
    builder = threading.Thread(target=lambda: said.append(maintenance.build_index(filled, "tiny", 1)))
    builder.start()
    wait_until(lambda: rows(filled, BUILDING) == [(1,)])
    with filled.write() as connection:
        connection.execute("SET LOCAL lock_timeout = '2s'")  # a build in a transaction would hold it up
        _add(connection, NODES + 1)
    assert rows(filled, VALID) in ([], [(False,)])
    assert _found(filled) == NODES + 1
    # another that comes to build leaves it to the first
    assert maintenance.build_index(filled, "tiny", 1) == ()
    assert builder.is_alive()
    writing.commit()
    builder.join()
    assert said == [()]
    assert rows(filled, VALID) == [(True,)]
    assert _found(filled) == NODES + 2


def test_a_build_that_was_cut_off_is_begun_anew(filled: Database, writing: psycopg.Connection[Any]) -> None:
    said: list[tuple[str, ...]] = []
    builder = threading.Thread(target=lambda: said.append(maintenance.build_index(filled, "tiny", 1)))
    builder.start()
    wait_until(lambda: rows(filled, VALID) == [(False,)])
    with psycopg.connect(filled.url, autocommit=True) as killer:
        killer.execute(f"SELECT pg_terminate_backend(pid) {_BUILDERS}")
    assert _found(filled) == NODES
    writing.commit()
    builder.join()
    assert said == [()]
    assert rows(filled, VALID) == [(True,)]
    assert _found(filled) == NODES + 1


def test_an_invalid_index_that_is_there_is_replaced(filled: Database, writing: psycopg.Connection[Any]) -> None:
    ((statement,),) = rows(filled, "SELECT statement FROM ragraph_private.vector_index_plan('tiny', 1, true)")
    with psycopg.connect(filled.url, autocommit=True) as impatient:
        impatient.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            impatient.execute(statement)
    writing.rollback()
    assert rows(filled, VALID) == [(False,)]
    assert _found(filled) == NODES
    assert maintenance.build_index(filled, "tiny", 1) == ()
    assert rows(filled, VALID) == [(True,)]
    assert _found(filled) == NODES


def test_nothing_is_built_before_it_is_time(filled: Database) -> None:
    assert maintenance.build_index(filled, "tiny", NODES + 1) == ()
    assert rows(filled, VALID) == []


def test_memory_of_a_build_is_that_of_the_machine() -> None:
    assert 2**20 < system.free_memory() < 2**50


@pytest.mark.parametrize(("vectors", "carefully"), [(99_999, False), (100_000, True)])
def test_the_graph_of_many_vectors_is_built_with_more_care(filled: Database, vectors: int, carefully: bool) -> None:
    with filled.read() as connection:
        (options,) = connection.execute("SELECT ragraph_private.vector_index_options(%s)", [vectors]).fetchone() or ()
    assert (options == " with (ef_construction = 128)") is carefully
