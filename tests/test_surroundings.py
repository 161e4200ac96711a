"""A store in a database that is set up otherwise: pgvector elsewhere, another search path, other settings.

Managed services and older applications have such databases. Nothing of a store depends on them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

import ragraph
from bench.throwaway import drop_database
from ragraph.database import migrate
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.ingest.vectors.maintenance import build_index
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    MakeDatabase = Callable[..., str]

_EXTENSIONS = (
    "CREATE SCHEMA extensions",
    "CREATE EXTENSION vector SCHEMA extensions",
    "GRANT USAGE ON SCHEMA extensions TO PUBLIC",
)
SURROUNDINGS: dict[str, tuple[str, ...]] = {
    "extensions": _EXTENSIONS,
    "quoted": (
        'CREATE SCHEMA "My ""ext"',
        'CREATE EXTENSION vector SCHEMA "My ""ext"',
        'GRANT USAGE ON SCHEMA "My ""ext" TO PUBLIC',
    ),
    "nowhere": ("ALTER DATABASE {} SET search_path = app",),
    "empty path": ("ALTER DATABASE {} SET search_path = ''",),
    "strings": ("ALTER DATABASE {} SET standard_conforming_strings = off",),
    "quoting": ("ALTER DATABASE {} SET quote_all_identifiers = on",),
    "dates": ("ALTER DATABASE {} SET datestyle = 'German'", "ALTER DATABASE {} SET intervalstyle = 'sql_standard'"),
    "no public": ("DROP SCHEMA public CASCADE", *_EXTENSIONS),
    "all": (
        *_EXTENSIONS,
        "ALTER DATABASE {} SET search_path = app",
        "ALTER DATABASE {} SET standard_conforming_strings = off",
    ),
}


def _admin(url: str) -> psycopg.Connection[Any]:
    above = url if os.environ.get("RAGRAPH_TEST_URL") else make_conninfo(url, user="postgres")
    return psycopg.connect(above, autocommit=True)


def _set_up(url: str, statements: tuple[str, ...]) -> None:
    with _admin(url) as admin:
        if any("EXTENSION" in statement for statement in statements):
            admin.execute("DROP EXTENSION IF EXISTS vector CASCADE")
        for statement in statements:
            admin.execute(sql.SQL(statement).format(sql.Identifier(admin.info.dbname)))


def _draft(name: str) -> DraftDocument:
    nodes = [DraftNode(key="h", type=ContentNodeType.HEADING, text="2. Bridges", level=1)]
    nodes += [
        DraftNode(
            key=f"p{n}", type=ContentNodeType.PARAGRAPH, text=f"Bridge {n} of C:\\{name} spans 图书馆 and a café."
        )
        for n in range(12)
    ]
    return DraftDocument(
        id=f"dl_{name}", metadata=DraftMetadata(title=f"On bridges, {name}", language="en"), nodes=nodes
    )


def _everything(url: str, folder: Path) -> list[Any]:
    """Return what a store answers, whatever surrounds it."""
    with ragraph.open(url) as store:
        assert [store.add(_draft(name)).status for name in ("one", "two")] == ["added", "added"]
        model = store.models()[0].name
        assert build_index(store.database, model, 1) == ()
        found = [
            [(hit.document_id, hit.content, round(hit.score, 6)) for hit in store.search(query, k=5, mode=mode)]
            for query in ("bridge 7 café", '"spans 图书馆"', "bridge -7")
            for mode in ("text", "vector", "hybrid", "graph")
        ]
        context = store.context("which bridge spans a café").text
        rendered = store.render("dl_one")
        filtered = [
            hit.document_id for hit in store.search("bridge", mode="text", filter={"title": {"$contains": "two"}})
        ]
        store.keep_versions()
        store.update("dl_two", title="On bridges still")
        history = len(store.history("dl_two"))
        assert store.check() == []
        file = folder / "store.ragraph"
        store.backup(file)
        with store.database.read() as connection:
            vectors = connection.execute("SELECT ragraph.search_text('bridge', 3)").fetchall()
        return [found, context, rendered, filtered, history, len(vectors)]


@pytest.fixture(scope="module")
def usual(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("usual")
    name = f"ragraph_test_usual_{os.getpid()}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            return _everything(make_conninfo(server_url, dbname=name), folder), folder / "store.ragraph"
        finally:
            drop_database(admin, name)


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_a_store_answers_the_same(name: str, usual: Any, make_database: MakeDatabase, tmp_path: Path) -> None:
    expected, backup = usual
    url = make_database(schema=False)
    _set_up(url, SURROUNDINGS[name])
    assert _everything(url, tmp_path) == expected
    with ragraph.open(url) as store:  # any client has the functions, with the settings that it finds
        with psycopg.connect(url) as client:
            found = client.execute("SELECT node_id FROM ragraph.search_text('\"spans 图书馆\"', 3)").fetchall()
            assert len(found) == 3
        assert store.check() == []
    # from here to there, and from there to here
    there = make_database(schema=False)
    ragraph.restore(tmp_path / "store.ragraph", there)
    with ragraph.open(there) as store:
        assert len(store.search("bridge", mode="vector", k=3)) == 3
        assert store.check() == []
    ragraph.restore(backup, url, replace=True)
    with ragraph.open(url) as store:
        assert len(store.search("bridge", mode="vector", k=3)) == 3
        assert store.check() == []


COLLATIONS = {
    "c": "LOCALE_PROVIDER libc LOCALE 'C'",
    "c utf-8": "LOCALE_PROVIDER libc LOCALE 'C.UTF-8'",
    "turkish": "LOCALE_PROVIDER libc LOCALE 'tr_TR.UTF-8'",
    "german": "LOCALE_PROVIDER libc LOCALE 'de_DE.UTF-8'",
    "builtin": "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'",
    "unicode": "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'PG_UNICODE_FAST'",
    "icu": "LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C.UTF-8'",
    "icu turkish": "LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C.UTF-8'",
    "icu numeric": "LOCALE_PROVIDER icu ICU_LOCALE 'en-u-kn-ka-shifted' LOCALE 'C.UTF-8'",
}


@pytest.mark.parametrize("name", COLLATIONS)
def test_collations(name: str, usual: Any, server_url: str, tmp_path: Path) -> None:
    database = f"ragraph_test_collated_{os.getpid()}"
    with _admin(server_url) as admin:
        try:
            admin.execute(f"CREATE DATABASE {database} TEMPLATE template0 ENCODING 'UTF8' {COLLATIONS[name]}")
        except (
            psycopg.errors.WrongObjectType,
            psycopg.errors.FeatureNotSupported,
            psycopg.errors.SyntaxError,
        ) as error:
            pytest.skip(f"this server does not have it: {error}")
        url = make_conninfo(server_url, dbname=database)
        try:
            with _admin(url) as inside:
                inside.execute("CREATE EXTENSION vector")
                inside.execute("GRANT ALL ON SCHEMA public TO PUBLIC")
                inside.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO PUBLIC").format(sql.Identifier(database)))
            assert _everything(url, tmp_path) == usual[0]
        finally:
            drop_database(admin, database)


def test_pgvector_may_move(make_database: MakeDatabase) -> None:
    url = make_database(schema=False)
    with ragraph.open(url) as store:
        assert store.add(_draft("one")).status == "added"
    with _admin(url) as admin:
        admin.execute("CREATE SCHEMA extensions")
        admin.execute("GRANT USAGE ON SCHEMA extensions TO PUBLIC")
        admin.execute("ALTER EXTENSION vector SET SCHEMA extensions")
    assert migrate.upgrade(url)
    assert not migrate.upgrade(url)
    with ragraph.open(url) as store:
        assert len(store.search("bridge", k=3)) == 3
