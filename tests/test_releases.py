"""Stores of every release are brought to this version, whole; an upgrade that is killed leaves the old one."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from catalog import catalog, rights
from factories import make_tree
from forked_python import run_python

import ragraph
from ragraph.backup.archive import reading
from ragraph.database import migrate
from ragraph.errors import SchemaVersionError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from conftest import MakeDatabase

    from ragraph import Store
    from ragraph.schema.results import Violation

RELEASES = sorted((Path(__file__).parent / "releases").glob("*.ragraph"))


def checked(store: Store) -> list[Violation]:
    """Check an upgraded store, once what its documents cite was read, which is done on demand."""
    assert {found.rule for found in store.check()} <= {"citations of a document are resolved"}
    store.update_works()
    return store.check()


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_a_store_of_a_release_is_upgraded(
    release: Path, make_database: MakeDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAGRAPH_ASSETS", str(tmp_path / "assets"))
    url = make_database(schema=False)
    with reading(release) as (_, manifest):
        report = ragraph.restore(release, url)
    assert migrate.current(url) == report.revision == migrate.head() >= manifest.revision
    assert catalog(url) == catalog(make_database())
    with ragraph.open(url, upgrade=False) as store:
        assert checked(store) == []
        found = store.verify()
        assert found.ok
        assert [model.recall for model in found.recall] == [1.0]
        guide, wages = sorted(store.documents(), key=lambda document: document.collection, reverse=True)
        assert (guide.collection, wages.collection) == ("guides", "default")
        assert {hit.document_id for hit in store.search("paid", mode="text", tags=["economy"])} == {wages.id}
        for document in (guide, wages):
            assert store.render(document.id)
            assert store.original(document.id)


def answers(url: str) -> dict[str, Any]:
    """Return what a store of the sample library says: searches, contexts, texts, contents, relations, citations."""
    with ragraph.open(url, upgrade=False) as store:
        said: dict[str, Any] = {"documents": store.documents()}
        for mode in ("text", "vector", "hybrid"):
            said[mode] = [(hit.node_id, hit.score) for hit in store.search("the tenants of the landlord", 9, mode=mode)]
        said["context"] = str(store.context("who pays the rent", 300))
        for document in said["documents"]:
            node = store.nodes(document.id)[-1].id
            said[document.id] = [
                *(store.render(document.id), store.toc(document.id), store.nodes(document.id)),
                *(store.relations(document.id), store.cite(document.id, node)),
            ]
        assert checked(store) == []
    return said


@pytest.mark.slow
def test_a_store_of_an_earlier_revision_answers_as_one_of_this(
    copied_library: Callable[[], AbstractContextManager[str]], make_database: MakeDatabase
) -> None:
    """Its objects and rights are those of a new store too. Every third revision; between them each step is taken."""
    fresh = make_database()
    objects, may = catalog(fresh), rights(fresh)
    with copied_library() as url:
        expected = answers(url)
    assert expected["text"]
    for number in range(1, int(migrate.head()), 3):
        with copied_library() as url:
            migrate.downgrade(url, f"{number:04}")
            assert migrate.upgrade(url)
            assert (catalog(url), rights(url)) == (objects, may), number
            assert answers(url) == expected, number


KILLED_AT = """
import os, signal, sys
import psycopg
from ragraph.database import migrate

url, wanted = sys.argv[1], int(sys.argv[2])
execute, told = psycopg.Cursor.execute, 0

def counted(self, *given, **named):
    global told
    told += 1
    if told == wanted:
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(self, *given, **named)

psycopg.Cursor.execute = counted
migrate.upgrade(url)
print(told)
"""


def _upgraded(url: str, killed_at: int) -> subprocess.CompletedProcess[str]:
    return run_python(KILLED_AT, url, str(killed_at))


def test_an_upgrade_that_is_killed_leaves_the_old(make_database: MakeDatabase) -> None:
    """From a store of three revisions ago, killed at statements all through: each time it is as it was."""
    url, whole = make_database(), make_database()
    migrate.downgrade(whole, "-3")
    steps = int(_upgraded(whole, 0).stdout)
    migrate.downgrade(url, "-3")
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO ragraph.publication (id, title) VALUES ('pub_kept', 'Kept')")
    before = catalog(url)
    for place in range(1, 6):
        ended = _upgraded(url, max(steps * place // 5 - 1, 1))
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert catalog(url) == before
    assert _upgraded(url, 0).returncode == 0
    assert catalog(url) == catalog(whole)
    with ragraph.open(url, upgrade=False) as store, store.database.read() as connection:
        assert connection.execute("SELECT title FROM ragraph.publication").fetchall() == [("Kept",)]


def test_a_newer_store_is_refused_in_one_line(make_database: MakeDatabase) -> None:
    url = make_database()
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE ragraph.alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaVersionError, match=r"made by a newer ragraph: upgrade ragraph") as caught:
        ragraph.open(url)
    assert "\n" not in str(caught.value)


HANGING = """
    CREATE VIEW ragraph.nodes_of_old WITH (security_invoker = true) AS
        SELECT n.id, n.content FROM ragraph.content_node n;
    CREATE FUNCTION ragraph.rows_of_old() RETURNS SETOF ragraph.content_node LANGUAGE sql STABLE
        AS 'SELECT * FROM ragraph.content_node';
    CREATE VIEW ragraph.rows_of_rows AS SELECT id FROM ragraph.rows_of_old();
    GRANT SELECT ON ragraph.nodes_of_old, ragraph.content_node TO pg_monitor
"""
RIGHTS = """
    SELECT o.name, a.grantee::regrole::text, a.privilege_type
    FROM (SELECT relname, relacl FROM pg_class WHERE relnamespace = 'ragraph'::regnamespace) AS o (name, acl),
    aclexplode(o.acl) AS a WHERE a.grantee <> a.grantor
"""


@pytest.fixture
def before_words(make_database: MakeDatabase) -> str:
    """Give a store of the revision before the one that writes all nodes anew, with what hangs on their table."""
    url = make_database()
    with ragraph.open(url) as store, store.database.write() as connection:
        for number in range(3):
            make_tree(connection, f"dl_{number}")
        make_tree(connection, "dl_words", ts_config="french")
    migrate.downgrade(url, "0009")
    with psycopg.connect(url) as connection:
        connection.execute(HANGING)
    return url


def _rows(url: str) -> list[tuple[Any, ...]]:
    texts = "SELECT document_id, id, content, collection, first_page FROM ragraph.content_node ORDER BY 1, 2"
    with psycopg.connect(url) as connection:
        return connection.execute(texts).fetchall()


def test_readers_read_on_while_all_nodes_are_written_anew(before_words: str, make_database: MakeDatabase) -> None:
    rows = _rows(before_words)
    told: list[str] = []
    with psycopg.connect(before_words, autocommit=True) as reader:
        reader.execute("SET lock_timeout = '5s'")

        def read(words: str) -> None:
            told.append(words)
            reader.execute(
                "SELECT count(*) FROM ragraph.rows_of_rows, ragraph.nodes_of_old, ragraph.relation"
            ).fetchall()

        assert migrate.upgrade(before_words, read)
    assert "of content_node written anew" in told[0]
    assert _rows(before_words) == rows
    assert catalog(before_words) == catalog(make_database())
    with ragraph.open(before_words, upgrade=False) as store:
        assert checked(store) == []


def test_writing_all_nodes_anew_that_is_killed_goes_on_at_the_next_start(
    before_words: str, make_database: MakeDatabase
) -> None:
    def seen() -> list[list[tuple[Any, ...]]]:
        queries = (
            RIGHTS,
            "SELECT * FROM ragraph.nodes_of_old ORDER BY 1",
            "SELECT * FROM ragraph.rows_of_rows ORDER BY 1",
        )
        with psycopg.connect(before_words) as connection:
            return [sorted(connection.execute(query).fetchall()) for query in queries]

    rows, before, hanging = _rows(before_words), catalog(before_words), seen()
    revisions = set()
    for place in range(1, 100, 4):
        ended = _upgraded(before_words, place)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert _rows(before_words) == rows
        assert seen() == hanging
        revisions.add(revision := migrate.current(before_words))
        if revision == "0009":
            assert catalog(before_words) == before
        else:
            break
    assert revisions == {"0009", "0010"}
    assert migrate.upgrade(before_words)
    assert _rows(before_words) == rows
    assert catalog(before_words) == catalog(make_database())


def test_upgrades_since_the_release_write_no_large_table_anew(make_database: MakeDatabase) -> None:
    """Readers would wait as long as it takes, 20 s with 200,000 nodes: what has to be computed anew goes elsewhere."""
    url = make_database()
    migrate.downgrade(url, "0010")  # the last that did; no release had it
    files = (
        "SELECT c.relname, pg_relation_filenode(c.oid) FROM pg_class c"
        " WHERE c.relname = ANY(%s) AND c.relnamespace = 'ragraph'::regnamespace ORDER BY 1"
    )
    large = ["content_node", "content_node_text_search_idx", "document_component", "embedding", "relation"]
    with psycopg.connect(url, autocommit=True) as connection:
        before = connection.execute(files, [large]).fetchall()
        assert len(before) == len(large)
        migrate.upgrade(url)
        assert connection.execute(files, [large]).fetchall() == before
