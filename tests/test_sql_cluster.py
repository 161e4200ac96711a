"""What keeps the store able to lie on several servers, held without any: rules of SQL, words of the command line.

Each rule stands for a statement that Citus 14 refused or answered wrongly; `make bench-cluster` asks a real cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from command_line import CommandLine
from psycopg import sql

from ragraph import cluster
from ragraph.database import Database
from ragraph.errors import ConstraintError, ServerError
from ragraph.schema.findings import Finding

SQL = Path(__file__).parent.parent / "sql"
MODIFIES = re.compile(r"\b(insert into|update|delete from)\s+ragraph\.", re.I)


def _statements() -> Iterator[tuple[str, str]]:
    for path in sorted(SQL.glob("*/*.sql")):
        text = re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))
        for statement in re.split(r";\s*\n", text):
            yield path.name, statement


def _breaking(rule: re.Pattern[str], *, only_modifying: bool = False) -> list[str]:
    return [
        f"{name}: {' '.join(statement.split())[:100]}"
        for name, statement in _statements()
        if rule.search(statement) and (MODIFIES.search(statement) or not only_modifying)
    ]


def test_an_upsert_takes_the_time_from_the_row_it_would_have_written() -> None:
    """DO UPDATE refuses functions that are not immutable, now() among them."""
    assert _breaking(re.compile(r"do update set(?:(?!\breturning\b).)*\bnow\(\)", re.I | re.S)) == []


def test_a_modifying_statement_spells_out_what_a_case_compares() -> None:
    """CASE x WHEN y comes to a shard as CASE x WHEN NULL."""
    assert _breaking(re.compile(r"\bcase\s+(?!when\b)[\w.]+(?:\([^()]*\))?\s+when\b", re.I), only_modifying=True) == []


def test_no_table_of_the_session_is_joined() -> None:
    assert _breaking(re.compile(r"\bpg_temp\.|\btemp(orary)? table\b", re.I)) == []


def test_nothing_is_inserted_beside_another_change() -> None:
    """An INSERT ... SELECT under a WITH that changes rows goes to a shard with names of tables nobody resolved."""
    changing = (
        r"\bas\s+(?:materialized\s+)?\(\s*(?:update|delete|insert)\b(?:(?!;).)*?\)\s*insert into ragraph\.(?!text_)"
    )
    assert _breaking(re.compile(changing, re.I | re.S)) == []


def test_generic_plans_are_forced_only_where_there_is_no_cluster() -> None:
    for path in sorted(SQL.glob("functions/*.sql")):
        text = path.read_text(encoding="utf-8")
        assert "set plan_cache_mode = force_generic_plan" not in text, path.name
        if "force_generic_plan" in text:
            assert "to_regclass('pg_catalog.pg_dist_partition') is null" in text, path.name


def test_every_table_has_its_place_on_a_cluster(connection: psycopg.Connection[tuple[str, str]]) -> None:
    """Documents and what hangs on them are spread by the id of the document, which leads their primary keys."""
    kinds = dict(connection.execute("SELECT * FROM ragraph_private.cluster_tables()").fetchall())
    assert kinds["document"] == "distributed"
    assert kinds["publication"] == kinds["embedding_model"] == "reference"
    keys = """
        SELECT c.conrelid::regclass::text, a.attname
        FROM pg_constraint AS c
        JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
        WHERE c.contype IN ('p', 'u') AND c.connamespace = 'ragraph'::regnamespace"""
    in_keys: dict[str, set[str]] = {}
    for table, column in connection.execute(keys):
        in_keys.setdefault(table.removeprefix("ragraph."), set()).add(column)
    for table, kind in kinds.items():
        if kind == "distributed" and table != "document":
            assert "document_id" in in_keys[table], table


def test_a_server_without_citus_is_told_what_to_do(database_url: str) -> None:
    (finding,) = cluster.check(database_url)
    assert finding == Finding(
        "Citus",
        False,
        "the database has none: connect to the coordinator of a cluster, and CREATE EXTENSION citus there",
    )
    with pytest.raises(ServerError, match=r"^Citus: the database has none: connect to"):
        cluster.distribute(database_url)


def test_every_table_is_local_where_there_is_one_server(database_url: str) -> None:
    tables = cluster.status(database_url)
    assert {table.kind for table in tables} == {"local"}
    assert {"content_node", "alembic_version"} <= {table.table_name for table in tables}
    assert all(table.bytes > 0 for table in tables)


def test_the_command_line_says_it_too(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ragraph = CommandLine(database_url, monkeypatch, capsys)
    checked = ragraph("cluster", "check")
    assert (checked.code, checked.err) == (1, "")
    assert checked.out.startswith("no  Citus: the database has none: connect to the coordinator")
    refused = ragraph("cluster", "distribute")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("error: Citus: the database has none")
    assert len(refused.err.splitlines()) == 1


def test_a_rule_that_a_shard_refuses_is_named_as_it_is_named_here(database: Database) -> None:
    said = 'insert or update on table "relation_102031" violates foreign key constraint "relation_source_fkey_102031"'
    raising = sql.SQL("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'XX000', MESSAGE = {}; END $$").format(said)
    with pytest.raises(ConstraintError, match=r"\(constraint relation_source_fkey\)"), database.write() as connection:
        connection.execute(raising)
