"""The dump and the diagram in git are what ``make schema`` writes today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from ragraph.schema import generate
from ragraph.schema.tables import metadata
from ragraph.server.binaries import find_binaries

if TYPE_CHECKING:
    from collections.abc import Callable

STALE = "run make schema and commit the result"


def test_the_dump_is_current(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        if connection.info.server_version // 10000 != 18:
            pytest.skip("the dump is made by PostgreSQL 18")
    text = generate.dump_of(find_binaries(18).program("pg_dump"), database_url)
    assert text == (generate.FOLDER / "ragraph.sql").read_text(encoding="utf-8"), STALE


def test_the_diagram_is_current() -> None:
    assert generate.diagram() == (generate.FOLDER / "diagram.md").read_text(encoding="utf-8"), STALE


def test_the_diagram_shows_every_table_and_column() -> None:
    diagram = generate.diagram()
    for table in metadata.tables.values():
        assert f"    {table.name} {{" in diagram
        for column in table.columns:
            assert f" {column.name} " in diagram


def test_the_dump_loads_into_an_empty_database(make_database: Callable[..., str]) -> None:
    """It is SQL that parses and works by itself, given pgvector."""
    url = make_database(schema=False)
    with psycopg.connect(url) as connection:
        if connection.info.server_version // 10000 < 18:
            pytest.skip("the dump is made by PostgreSQL 18")
        connection.execute("SET search_path TO public")
        connection.execute((generate.FOLDER / "ragraph.sql").read_text(encoding="utf-8"))
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'ragraph'").fetchone()
    assert row == (len(metadata.tables),)
