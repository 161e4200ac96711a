"""Every way to the newest schema ends at the same place, and none leaves a mess."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from catalog import catalog
from factories import make_document, make_tree

from ragraph.database import migrate
from ragraph.errors import SchemaVersionError
from ragraph.schema.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    MakeDatabase = Callable[..., str]


@pytest.fixture
def empty_url(make_database: MakeDatabase) -> str:
    return make_database(schema=False)


def _engine(url: str) -> sa.Engine:
    # Without this path a role named ragraph has the schema as its default, and alembic leaves the name off.
    return sa.create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(url, options="-c search_path=public"),
        poolclass=sa.NullPool,
    )


def _execute(url: str, *statements: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path TO public")
        for statement in statements:
            cursor = connection.execute(statement)
            rows = cursor.fetchall() if cursor.description else []
    return rows


@pytest.fixture(scope="session")
def scripts() -> ScriptDirectory:
    from importlib.resources import files

    config = Config()
    config.set_main_option("script_location", str(files("ragraph.migrations")))
    return ScriptDirectory.from_config(config)


def test_revisions_are_numbered_in_one_line(scripts: ScriptDirectory) -> None:
    """Reading the newest from the file names, as opening a store does, agrees with alembic."""
    assert scripts.get_heads() == [migrate.head()]
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == [f"{number:04}" for number in range(len(revisions), 0, -1)]


def test_migrations_make_what_the_tables_declare(empty_url: str, database_url: str) -> None:
    """The same tables, columns, generated columns, constraints, indexes, enums and comments."""
    with _engine(empty_url).begin() as connection:
        connection.execute(sa.text("CREATE SCHEMA ragraph"))
        metadata.create_all(connection)
    declared, migrated = catalog(empty_url), catalog(database_url)
    for what in ("tables", "columns", "constraints", "indexes", "enums"):
        assert migrated[what] == declared[what], what


# What generated columns compute is compared in the test above; alembic only says that it cannot change them.
@pytest.mark.filterwarnings("ignore:Computed default")
def test_alembic_finds_nothing_to_do(database_url: str) -> None:
    with _engine(database_url).connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "include_schemas": True,
                "include_name": lambda name, kind, _: kind != "schema" or name == "ragraph",
                "version_table_schema": "ragraph",
                "compare_type": True,
                "compare_server_default": True,
            },
        )
        assert compare_metadata(context, metadata) == []


def test_a_fresh_database_equals_one_upgraded_step_by_step(
    empty_url: str, database_url: str, scripts: ScriptDirectory
) -> None:
    migrate.upgrade(empty_url)
    migrate.downgrade(empty_url, "base")
    from alembic import command

    _execute(empty_url, "CREATE SCHEMA ragraph")
    for script in reversed(list(scripts.walk_revisions())):
        config = Config()
        config.set_main_option("script_location", scripts.dir)
        with _engine(empty_url).begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, script.revision)
    migrate.upgrade(empty_url)
    assert catalog(empty_url) == catalog(database_url)


def test_up_down_and_up_again(empty_url: str, database_url: str) -> None:
    before = _execute(empty_url, "SELECT oid::regclass::text FROM pg_class WHERE oid >= 16384 ORDER BY 1")
    assert migrate.current(empty_url) is None
    assert migrate.upgrade(empty_url)
    assert migrate.current(empty_url) == migrate.head()
    with psycopg.connect(empty_url) as connection:
        make_tree(connection)
    migrate.downgrade(empty_url, "base")
    assert migrate.current(empty_url) is None
    assert _execute(empty_url, "SELECT to_regnamespace('ragraph')") == [(None,)]
    assert _execute(empty_url, "SELECT oid::regclass::text FROM pg_class WHERE oid >= 16384 ORDER BY 1") == before
    assert migrate.upgrade(empty_url)
    assert catalog(empty_url) == catalog(database_url)
    with pytest.raises(SchemaVersionError, match="nothing to downgrade"):
        migrate.downgrade(empty_url, "base")
        migrate.downgrade(empty_url, "base")


def test_an_upgrade_keeps_the_rows(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        make_tree(connection)
    _execute(database_url, "COMMENT ON TABLE ragraph.alembic_version IS NULL")
    assert migrate.upgrade(database_url)
    assert _execute(database_url, "SELECT count(*) FROM ragraph.content_node") == [(8,)]


def test_untitled_documents_of_older_stores_get_the_names_of_their_files(database_url: str) -> None:
    migrate.downgrade(database_url, "0001")
    titles = {"pub_a": "file:///home/a/two%20words%3F.txt", "pub_b": "A title", "pub_c": "file:///home/a/%FF.txt"}
    with psycopg.connect(database_url) as connection:
        for publication, title in titles.items():
            make_document(connection, publication.replace("pub", "dl"), publication_id=publication, older=True)
            connection.execute("UPDATE ragraph.publication SET title = %s WHERE id = %s", [title, publication])
    assert migrate.upgrade(database_url)
    found = _execute(database_url, "SELECT id, title FROM ragraph.publication ORDER BY id")
    assert found == [("pub_a", "two words?.txt"), ("pub_b", "A title"), ("pub_c", "\ufffd.txt")]


def test_documents_of_older_stores_were_ingested_into_the_collection_they_are_in(database_url: str) -> None:
    migrate.downgrade(database_url, "0005")
    with psycopg.connect(database_url) as connection:
        make_document(connection, "dl_a", collection="papers", older=True)
        connection.execute("UPDATE ragraph.document SET set_by_hand = '{collection,language}'")
    assert migrate.upgrade(database_url)
    found = _execute(database_url, "SELECT ingested_into, set_by_hand FROM ragraph.document")
    assert found == [(["papers"], ["language"])]


def test_an_up_to_date_store_opens_with_one_query(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    queries: list[object] = []
    execute = psycopg.Connection.execute

    def counted(self: psycopg.Connection[Any], query: Any, *args: Any, **kwargs: Any) -> Any:
        queries.append(query)
        return execute(self, query, *args, **kwargs)

    monkeypatch.setattr(psycopg.Connection, "execute", counted)
    assert not migrate.upgrade(database_url)
    assert len(queries) == 1


def test_opening_does_not_import_alembic_or_sqlalchemy(database_url: str) -> None:
    code = (
        "import sys; from ragraph.database import migrate; migrate.upgrade(sys.argv[1]);"
        "print([name for name in ('alembic', 'sqlalchemy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, database_url], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_first_starts_at_once_do_not_collide(empty_url: str, database_url: str) -> None:
    """Six processes upgrade an empty database together: all succeed, one of them does the work."""
    code = (
        "import sys; from ragraph.database import migrate; "
        "sys.stdin.readline(); print(migrate.upgrade(sys.argv[1]), flush=True)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, empty_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    with ThreadPoolExecutor(len(processes)) as threads:
        results = list(threads.map(lambda process: process.communicate("go\n"), processes))
    assert sorted(out.strip() for out, _ in results) == ["False"] * 5 + ["True"], [error for _, error in results]
    assert catalog(empty_url) == catalog(database_url)


@pytest.fixture
def function_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Replace the function files of this version by others."""

    def replace(**texts: str) -> None:
        monkeypatch.setattr(migrate, "_function_files", lambda: {f"{name}.sql": texts[name] for name in sorted(texts)})
        migrate._digest.cache_clear()

    yield replace
    monkeypatch.undo()
    migrate._digest.cache_clear()


def test_a_failed_upgrade_leaves_nothing(empty_url: str, function_files: Callable[..., None]) -> None:
    function_files(bad="CREATE FUNCTION ragraph.f() nonsense")
    with pytest.raises(Exception, match="syntax error") as caught:
        migrate.upgrade(empty_url)
    assert "in sql/functions/bad.sql" in getattr(caught.value.__cause__, "__notes__", [])
    assert _execute(empty_url, "SELECT to_regnamespace('ragraph')") == [(None,)]


def _function(name: str, arguments: str, result: str = "int", value: str = "1") -> str:
    return (
        f"CREATE OR REPLACE FUNCTION ragraph.{name}({arguments}) RETURNS {result} LANGUAGE plpgsql"
        f" AS $$ BEGIN RETURN {value}; END $$;"
    )


def test_functions_follow_their_files(empty_url: str, function_files: Callable[..., None]) -> None:
    """Changed bodies are replaced, other signatures and results too, and what has no file any more is dropped."""

    def made() -> list[str]:
        rows = _execute(
            empty_url,
            "SELECT oid::regprocedure || ' ' || prorettype::regtype FROM pg_proc"
            " WHERE pronamespace = 'ragraph'::regnamespace ORDER BY 1",
        )
        return [signature for (signature,) in rows]

    function_files(a=_function("f", "a int") + _function("g", "a int", value="ragraph.f(a)"), b=_function("h", ""))
    assert migrate.upgrade(empty_url)
    assert not migrate.upgrade(empty_url)
    assert made() == ["ragraph.f(integer) integer", "ragraph.g(integer) integer", "ragraph.h() integer"]

    function_files(
        a=_function("f", "a int", value="2") + _function("g", "a int, b text"), c=_function('"odd ""name"', "")
    )
    with pytest.raises(SchemaVersionError, match="functions differ"):
        migrate.check(empty_url)
    assert migrate.upgrade(empty_url)
    migrate.check(empty_url)
    assert made() == ['ragraph."odd ""name"() integer', "ragraph.f(integer) integer", "ragraph.g(integer,text) integer"]
    assert _execute(empty_url, "SELECT ragraph.f(1)") == [(2,)]

    function_files(a=_function("f", "renamed int", "text", "'x'"))
    assert migrate.upgrade(empty_url)
    assert made() == ["ragraph.f(integer) text"]


def test_private_functions_and_types_are_made_anew(empty_url: str, function_files: Callable[..., None]) -> None:
    """Those of stores that kept them in the schema ragraph go too, and so do those that no file makes any more."""

    def made() -> list[tuple[Any, ...]]:
        return _execute(
            empty_url,
            "SELECT oid::regprocedure::text FROM pg_proc"
            " WHERE pronamespace IN ('ragraph'::regnamespace, 'ragraph_private'::regnamespace) ORDER BY 1",
        )

    function_files(a=_function("_old", "a int") + _function("f", "a int", value="ragraph._old(a)"))
    assert migrate.upgrade(empty_url)
    _execute(empty_url, "DROP SCHEMA ragraph_private", "GRANT EXECUTE ON FUNCTION ragraph.f TO pg_monitor")

    place = "CREATE TYPE ragraph_private.place AS (at int{});"
    inner = _function("inner_part", "a ragraph_private.place", value="a.at").replace("ragraph.", "ragraph_private.", 1)
    outer = _function("f", "a int", value="ragraph_private.inner_part(row(a{})::ragraph_private.place)")
    function_files(a=place.format("") + inner + outer.format(""))
    assert migrate.upgrade(empty_url)
    assert made() == [("ragraph.f(integer)",), ("ragraph_private.inner_part(ragraph_private.place)",)]
    assert _execute(empty_url, "SELECT ragraph.f(7)") == [(7,)]

    function_files(a=place.format(", of text") + inner + outer.format(", 'x'"))
    assert migrate.upgrade(empty_url)
    assert _execute(empty_url, "SELECT ragraph.f(7)") == [(7,)]
    assert _execute(empty_url, "SELECT proacl::text LIKE '%pg_monitor%' FROM pg_proc WHERE proname = 'f'") == [(True,)]

    function_files(a=_function("f", "a int"))
    assert migrate.upgrade(empty_url)
    assert made() == [("ragraph.f(integer)",)]
    assert _execute(empty_url, "SELECT count(*) FROM pg_type WHERE typname = 'place'") == [(0,)]


def test_views_follow_their_files(empty_url: str, function_files: Callable[..., None]) -> None:
    """They are replaced, with the rights granted on them, made anew when columns go, and dropped with their files."""

    def view(columns: str) -> str:
        return f"CREATE OR REPLACE VIEW ragraph.v AS SELECT {columns} FROM ragraph.document;"

    function_files(a=view("id") + "CREATE OR REPLACE VIEW ragraph.w AS SELECT 1 AS one;", b=_function("f", ""))
    assert migrate.upgrade(empty_url)
    _execute(empty_url, "GRANT SELECT ON ragraph.v TO pg_monitor")
    function_files(a=view("id, language"), b=_function("f", ""))
    assert migrate.upgrade(empty_url)
    shown = "SELECT relname FROM pg_class WHERE relkind = 'v' AND relnamespace = 'ragraph'::regnamespace"
    assert _execute(empty_url, shown) == [("v",)]
    assert _execute(empty_url, "SELECT has_table_privilege('pg_monitor', 'ragraph.v', 'select')") == [(True,)]
    function_files(a=view("language"), b=_function("f", ""))
    assert migrate.upgrade(empty_url)
    assert _execute(empty_url, "SELECT * FROM ragraph.v") == []
    migrate.downgrade(empty_url, "0001")
    assert _execute(empty_url, shown) == []


def test_a_newer_database_is_left_alone(database_url: str) -> None:
    _execute(database_url, "UPDATE ragraph.alembic_version SET version_num = '9999'")
    for attempt in (
        lambda: migrate.upgrade(database_url),
        lambda: migrate.check(database_url),
        lambda: migrate.downgrade(database_url, "base"),
    ):
        with pytest.raises(SchemaVersionError, match=r"9999.*upgrade ragraph"):
            attempt()


def test_a_database_without_schema_is_told_apart(empty_url: str) -> None:
    with pytest.raises(SchemaVersionError, match="run ragraph db upgrade"):
        migrate.check(empty_url)
