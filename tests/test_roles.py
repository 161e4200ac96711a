"""Roles of a store: what the writer and the reader may, and what they may not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from administrators import administrator
from command_line import CommandLine
from forked_python import run_python

import ragraph
from ragraph.database import migrate
from ragraph.database.connection import Database, connect
from ragraph.database.driver import translate_errors
from ragraph.database.roles import make_roles, roles_sql, with_role
from ragraph.errors import SchemaVersionError, ServerLoginError, StoreError

if TYPE_CHECKING:
    from conftest import MakeDatabase

TEXT = "# Rivers\n\nThe Rhine flows north. It is long.\n\n# Lakes\n\nLake Constance is deep.\n"


@pytest.fixture(scope="module")
def url(make_shared_database: MakeDatabase) -> str:
    made = make_shared_database()
    make_roles(administrator(made))
    return made


@pytest.fixture(scope="module")
def document(url: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One that the writer took in."""
    file = tmp_path_factory.mktemp("roles") / "waters.md"
    file.write_text(TEXT)
    with ragraph.open(url, role="writer") as store:
        report = store.ingest(file)
        assert not report.warnings
        (taken,) = store.documents()
        return taken.id


def test_the_writer_changes_and_deletes(url: str, document: str, tmp_path: Path) -> None:
    file = tmp_path / "more.md"
    with ragraph.open(url, role="writer") as store:
        for text in (TEXT, TEXT + "\nMore of it.\n"):
            file.write_text(text)
            report = store.ingest(file, collection="more")
            assert not report.warnings
        (more,) = store.documents(collection="more")
        store.delete(more.id)
        assert document in [item.id for item in store.documents()]


@pytest.mark.parametrize("mode", ["vector", "text", "hybrid"])
def test_the_reader_searches(url: str, document: str, mode: ragraph.base.defaults.ModeName) -> None:
    with ragraph.open(url, role="reader") as store:
        hits = store.search("Rhine", mode=mode)
        assert hits[0].document_id == document
        assert store.toc(document)
        assert "Rhine" in store.render(document)


def test_the_reader_is_told_what_it_may_not(url: str, document: str) -> None:
    said = r"permission denied for table .*`ragraph db roles`"
    with ragraph.open(url, role="reader") as store, pytest.raises(ServerLoginError, match=said):
        store.delete(document)
    with ragraph.open(url) as store:
        assert document in [item.id for item in store.documents()]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine (a int)",
        "CREATE TEMPORARY TABLE mine (a int)",
        "CREATE SCHEMA mine",
        "CREATE TABLE ragraph.mine (a int)",
        "INSERT INTO ragraph.publication (id, title) VALUES ('p', 'p')",
        "DELETE FROM ragraph.embedding",
        "TRUNCATE ragraph.document CASCADE",
        "UPDATE ragraph.alembic_version SET version_num = '0'",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "ALTER TABLE ragraph.document DISABLE TRIGGER ALL",
    ],
)
def test_the_reader_makes_and_changes_nothing(url: str, statement: str) -> None:
    with connect(with_role(url, "reader")) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(statement)


def test_the_writer_changes_no_tables(url: str) -> None:
    for statement in (
        "DROP TABLE ragraph.relation",
        "UPDATE ragraph.alembic_version SET version_num = '0'",
        "INSERT INTO ragraph.collection_grant VALUES ('ragraph_writer', '*', true)",
    ):
        with connect(with_role(url, "writer")) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


def test_the_reader_has_a_minute(url: str) -> None:
    with Database(with_role(url, "reader")) as database, database.read() as connection:
        assert connection.execute("SHOW statement_timeout").fetchone() == ("1min",)
        connection.execute("RESET ROLE")  # leads back to what the connection began as
        assert connection.execute("SELECT current_user").fetchone() == ("ragraph_reader",)
    with Database(url) as database, database.read() as connection:
        assert connection.execute("SHOW statement_timeout").fetchone() == ("0",)
        connection.execute("SET LOCAL statement_timeout = '10ms'")
        with pytest.raises(StoreError, match="exceeded this role's time limit"), translate_errors(url):
            connection.execute("SELECT pg_sleep(10)")
        connection.rollback()


def test_a_role_that_is_missing_is_told_as_one(make_database: MakeDatabase) -> None:
    made = make_database()
    with pytest.raises(ServerLoginError, match="has no role 'no such': `ragraph db roles`"):
        ragraph.open(made, role="no such")


def test_none_of_them_is_more_than_it_should(url: str) -> None:
    with connect(url) as connection:
        rows = connection.execute(
            "SELECT rolname FROM pg_roles WHERE starts_with(rolname, 'ragraph_')"
            " AND NOT (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole OR rolcreatedb)"
        ).fetchall()
    assert {"ragraph_owner", "ragraph_writer", "ragraph_reader"} <= {name for (name,) in rows}


def test_the_former_owner_and_the_owner_upgrade(make_database: MakeDatabase) -> None:
    """Both change functions and tables of a store whose roles were made; what is new is readable at once."""
    made = make_database()
    for owner in (made, with_role(made, "owner")):
        make_roles(administrator(made))
        migrate.downgrade(owner, "-1")
        with pytest.raises(SchemaVersionError, match="let its owner run ragraph db upgrade"):
            ragraph.open(made, role="writer")
        assert migrate.upgrade(owner)
        with ragraph.open(made, role="reader", upgrade=False) as store:
            assert store.documents() == []


def test_an_unknown_role_is_named(url: str) -> None:
    with pytest.raises(ServerLoginError, match="nobody at all"), ragraph.open(url, role="nobody at all"):
        pass


def test_the_command_line_works_as_a_role(url: str, document: str) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return run_python("from ragraph.faces.cli import main; main()", "--url", url, *words)

    listed = run("--role", "reader", "list", "--json")
    assert document in listed.stdout, listed.stderr
    refused = run("--role", "reader", "delete", document, "--yes")
    assert refused.returncode == 1
    assert "permission denied" in refused.stderr
    assert run("db", "roles", "--print").stdout.strip() == roles_sql()


def test_the_command_names_the_roles_that_it_made(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = CommandLine(administrator(url), monkeypatch, capsys)
    made = run("db", "roles", "--json")
    assert (made.code, json.loads(made.out)) == (
        0,
        {"roles": ["ragraph_owner", "ragraph_writer", "ragraph_reader", "ragraph_service"]},
    )
    assert (
        "ragraph_owner, ragraph_writer, ragraph_reader and ragraph_service have their rights" in run("db", "roles").out
    )
