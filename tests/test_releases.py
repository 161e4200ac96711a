"""Stores of every release are brought to this version, whole; an upgrade that is killed leaves the old one."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from catalog import catalog

import ragraph
from ragraph import migrate
from ragraph.backup.archive import reading
from ragraph.errors import SchemaVersionError

if TYPE_CHECKING:
    from conftest import MakeDatabase

RELEASES = sorted((Path(__file__).parent / "releases").glob("*.ragraph"))


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_a_store_of_a_release_is_upgraded(
    release: Path, make_database: MakeDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAGRAPH_ASSETS", str(tmp_path / "assets"))
    url = make_database(schema=False)
    with reading(release) as (_, manifest):
        report = ragraph.restore(release, url)
    assert report.revision == migrate.head() >= manifest.revision
    assert catalog(url) == catalog(make_database())
    with ragraph.open(url, upgrade=False) as store:
        assert store.check() == []
        found = store.verify()
        assert found.ok
        assert [model.recall for model in found.recall] == [1.0]
        guide, wages = sorted(store.documents(), key=lambda document: document.collection, reverse=True)
        assert (guide.collection, wages.collection) == ("guides", "default")
        assert {hit.document_id for hit in store.search("paid", mode="text", tags=["economy"])} == {wages.id}
        for document in (guide, wages):
            assert store.render(document.id)
            assert store.original(document.id)


KILLED_AT = """
import os, signal, sys
import psycopg
from ragraph import migrate

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
    return subprocess.run(
        [sys.executable, "-c", KILLED_AT, url, str(killed_at)], capture_output=True, text=True, check=False
    )


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
