"""A backup holds all of a store as it is at one moment, and comes back as it was or not at all."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import psycopg
import pytest
from administrators import administrator
from command_line import CommandLine
from forked_python import run_python
from ingest_tools import WordModel, digest, one_pool, rows, run
from psycopg import sql
from psycopg.conninfo import make_conninfo

import ragraph
import ragraph.store.opening
from ragraph.backup.archive import digests_of, reading, writing
from ragraph.database import migrate
from ragraph.database.connection import connect
from ragraph.database.roles import make_roles
from ragraph.database.tenants import grant_collection, revoke_collection, switch_tenants, tenants_on
from ragraph.errors import ArgumentError, BackupError, SchemaVersionError, ServerError, ServerUnavailableError
from ragraph.faces.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragraph import Store

EXAMPLES = Path(__file__).parent.parent / "examples" / "documents"
TEXT = "# Of wages\n\nWages are paid by the day.\n\n## Of rent\n\nRent is paid by the year.\n"


@pytest.fixture(scope="module", autouse=True)
def pool() -> Iterator[None]:
    with one_pool():
        yield


@pytest.fixture
def store(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("RAGRAPH_HOME", str(tmp_path / "home"))
    (tmp_path / "wages.md").write_text(TEXT)
    with ragraph.open(database_url) as opened:
        opened.ingest([tmp_path / "wages.md", EXAMPLES / "field-guide.docx"], model=WordModel())
        yield opened


@pytest.fixture
def file(store: Store, tmp_path: Path) -> Path:
    path = tmp_path / "library.ragraph"
    store.backup(path)
    return path


def held(url: str) -> str:
    with ragraph.open(url) as opened:
        return digest(opened.database)


def test_a_backup_comes_back_as_it_was(
    store: Store, file: Path, make_database: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAGRAPH_ASSETS", str(tmp_path / "others"))
    other = make_database(schema=False)
    report = ragraph.restore(file, other)
    assert (report.rows["document"], report.originals, report.warnings) == (2, 2, [])
    assert held(other) == digest(store.database)
    with ragraph.open(other) as again:
        found = again.verify(file)
        assert found.ok
        assert found.differences == []
        assert (found.originals, found.recall[0].recall) == (2, 1.0)
        document = again.documents()[0].id
        assert again.original(document)[0] != store.original(document)[0]
        run(again.database, tmp_path / "wages.md", model=WordModel())
        assert again.verify(file).ok  # nothing was left to do


def test_it_is_the_state_of_one_moment(store: Store, tmp_path: Path, make_database: Callable[..., str]) -> None:
    """Whatever is written after its snapshot was taken: neither dump nor digests know of it."""
    before = digest(store.database)

    def write_meanwhile(step: str) -> None:
        if step == "graph":
            document = store.documents()[0].id
            thread = threading.Thread(target=store.delete, args=(document,))
            thread.start()
            thread.join()

    store.backup(tmp_path / "b.ragraph", progress=write_meanwhile)
    assert len(store.documents()) == 1
    other = make_database(schema=False)
    ragraph.restore(tmp_path / "b.ragraph", other)
    assert held(other) == before
    assert any(line.startswith("document of") for line in store.verify(tmp_path / "b.ragraph").differences)


def test_a_store_that_holds_something_is_not_overwritten(
    store: Store, file: Path, make_database: Callable[..., str], tmp_path: Path
) -> None:
    other = make_database()
    (tmp_path / "own.md").write_text("# Mine\n\nThis is mine alone.\n")
    with ragraph.open(other) as opened:
        opened.ingest(tmp_path / "own.md", model=None)
    before = held(other)
    with pytest.raises(BackupError, match=r"already has 1 publication; .*replace=True"):
        ragraph.restore(file, other)
    assert held(other) == before
    ragraph.restore(file, other, replace=True)
    assert held(other) == digest(store.database)


def test_an_empty_store_may_be_restored_into(store: Store, file: Path, database_url: str) -> None:
    before = digest(store.database)
    for document in store.documents():
        store.delete(document.id)
    store.close()
    ragraph.restore(file, database_url)
    assert held(database_url) == before


def changed(file: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """Give a copy of a backup with one member changed."""
    copy = file.with_name("changed.ragraph")
    with ZipFile(file) as archive, ZipFile(copy, "w") as written:
        for member in archive.namelist():
            content = archive.read(member)
            written.writestr(member, change(content) if member == name else content)
    return copy


def test_half_a_backup_leaves_the_store_as_it_was(
    store: Store, file: Path, make_database: Callable[..., str], tmp_path: Path
) -> None:
    other = make_database()
    (tmp_path / "own.md").write_text("# Mine\n\nThis is mine alone.\n")
    with ragraph.open(other) as opened:
        opened.ingest(tmp_path / "own.md", model=None)
    before = held(other)
    for size in (100, 5_000, len(ZipFile(file).read("database.dump")) - 1_000):
        cut = changed(file, "database.dump", lambda content, size=size: content[:size])  # type: ignore[misc]
        with pytest.raises(BackupError, match=r"pg_restore|psql"):
            ragraph.restore(cut, other, replace=True)
        assert held(other) == before


def test_a_damaged_original_leaves_the_store_as_it_was(file: Path, make_database: Callable[..., str]) -> None:
    other = make_database(schema=False)
    original = next(name for name in ZipFile(file).namelist() if name.startswith("assets/"))
    wrong = changed(file, original, lambda content: b"x" + content)
    with pytest.raises(BackupError, match="do not match the digest in its name"):
        ragraph.restore(wrong, other)
    assert migrate.current(other) is None


def test_what_is_no_backup_is_told(file: Path, tmp_path: Path, make_database: Callable[..., str]) -> None:
    (tmp_path / "b.ragraph").write_bytes(file.read_bytes()[:2000])
    with pytest.raises(BackupError, match="not a complete backup"):
        ragraph.restore(tmp_path / "b.ragraph", home=tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(BackupError, match="cannot be read"):
        ragraph.restore(tmp_path / "nope.ragraph", home=tmp_path / "new")
    newer = changed(file, "manifest.json", lambda held: json.dumps({**json.loads(held), "revision": "9999"}).encode())
    with pytest.raises(SchemaVersionError, match="made by a newer ragraph"):
        ragraph.restore(newer, make_database(schema=False))


def test_rows_that_differ_from_the_digests_are_told(file: Path, make_database: Callable[..., str]) -> None:
    wrong = changed(file, "digests.tsv", lambda held: held.replace(b"content_node\t", b"content_nodes\t", 1))
    with pytest.raises(BackupError, match="differs from the backup: content_node of dl_"):
        ragraph.restore(wrong, make_database(schema=False))


def test_a_store_stays_as_it_was_if_the_digests_differ(
    file: Path, make_database: Callable[..., str], tmp_path: Path
) -> None:
    """An archive may be complete, with right checksums, and still hold other rows than its digests say."""
    url = make_database()
    (tmp_path / "other.md").write_text("# Of profit\n\nProfit is paid last.\n")
    with ragraph.open(url) as other:
        other.ingest(tmp_path / "other.md", model=WordModel())
    before = held(url)
    wrong = changed(file, "digests.tsv", lambda held: held.replace(b"content_node\t", b"content_nodes\t", 1))
    with pytest.raises(BackupError, match="differs from the backup: content_node of dl_"):
        ragraph.restore(wrong, url, replace=True)
    assert held(url) == before


def test_a_file_that_is_there_stays(store: Store, file: Path) -> None:
    before = file.read_bytes()
    with pytest.raises(BackupError, match=r"exists; .*overwrite=True"):
        store.backup(file)
    with pytest.raises(ArgumentError, match="path has a NUL character"):
        store.backup("a\0b")
    with pytest.raises(BackupError, match=r"within cannot be written \(Not a directory\)$"):
        store.backup(file / "within")
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir() if path.name.endswith(".part")] == []
    store.backup(file, overwrite=True)
    assert file.stat().st_mode & 0o777 == 0o600


def test_rights_come_along_where_their_roles_are(
    store: Store, tmp_path: Path, make_database: Callable[..., str], database_url: str
) -> None:
    name = f"ragraph_reader_{abs(hash(database_url)) % 10**8}"
    role = sql.Identifier(name)
    with psycopg.connect(database_url, autocommit=True) as admin:
        if not admin.execute("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()[
            0
        ]:  # type: ignore[index]
            administrator = psycopg.connect(database_url.replace("ragraph@", "postgres@"), autocommit=True)
        else:
            administrator = admin
        administrator.execute(sql.SQL("CREATE ROLE {}").format(role))
        try:
            admin.execute(sql.SQL("GRANT SELECT ON ragraph.document TO {}").format(role))
            store.backup(tmp_path / "b.ragraph")
            other = make_database(schema=False)
            assert ragraph.restore(tmp_path / "b.ragraph", other).warnings == []
            granted = "SELECT has_table_privilege(%s, 'ragraph.document', 'SELECT')"
            with psycopg.connect(other) as connection:
                assert connection.execute(granted, [name]).fetchone() == (True,)
                connection.execute(sql.SQL("REVOKE ALL ON ragraph.document FROM {}").format(role))
            admin.execute(sql.SQL("REVOKE ALL ON ragraph.document FROM {}").format(role))
        finally:
            administrator.execute(sql.SQL("DROP ROLE {}").format(role))
            administrator.close()
    report = ragraph.restore(tmp_path / "b.ragraph", make_database(schema=False))
    (warning,) = report.warnings
    assert warning == f"grants were not restored: no role {name}; create these, then run `ragraph db roles`"


def test_tenants_stay_on_where_their_roles_are_missing(
    store: Store, tmp_path: Path, make_database: Callable[..., str], database_url: str
) -> None:
    """Else whoever may read would see all collections, once roles were made."""
    admin = administrator(database_url)
    name = f"tenant_{abs(hash(database_url)) % 10**8}"
    make_roles(admin)
    grant_collection(admin, name, "acme", create=True)
    grant_collection(admin, "reader", "shared")
    switch_tenants(admin, on=True)
    store.backup(tmp_path / "b.ragraph")
    switch_tenants(admin, on=False)
    revoke_collection(admin, name)
    with psycopg.connect(admin, autocommit=True) as connection:
        role = sql.Identifier(name)
        connection.execute(sql.SQL("DROP OWNED BY {}").format(role))
        connection.execute(sql.SQL("DROP ROLE {}").format(role))
    other = make_database(schema=False)
    (warning,) = ragraph.restore(tmp_path / "b.ragraph", other).warnings
    assert "tenants are on" in warning
    assert tenants_on(other)
    assert held(other) == digest(store.database)
    make_roles(administrator(other))
    with ragraph.open(other, role="reader", upgrade=False) as reader:
        assert reader.documents() == []


def test_verify_sees_what_is_wrong(store: Store, file: Path) -> None:
    assert store.assets is not None
    one, other = sorted(store.assets.sizes())
    store.assets.remove(one)
    path = store.assets.path(other)
    assert path is not None
    path.write_bytes(b"something else")
    report = store.verify(file)
    assert not report.ok
    assert report.damaged == [one, other]
    assert report.differences == []
    with store.database.write() as connection:
        connection.execute(
            "UPDATE ragraph.content_node SET token_count = token_count + 1 WHERE content LIKE 'Rent is%%'"
        )
    (line,) = store.verify(file).differences
    assert line.startswith("content_node of dl_")
    assert line.endswith("rows, of which some differ")


@pytest.mark.parametrize(
    ("member", "change", "error"),
    [
        ("assets/", lambda held: b"x" + held, "do not match the digest in its name"),
        ("database.dump", lambda held: held[: len(held) // 2], "pg_restore failed"),
        ("manifest.json", lambda held: json.dumps({**json.loads(held), "revision": "9999"}).encode(), "newer ragraph"),
    ],
)
def test_verify_refuses_a_backup_that_a_restore_refuses(
    store: Store, file: Path, make_database: Callable[..., str], member: str, change: Any, error: str
) -> None:
    name = next(name for name in ZipFile(file).namelist() if name.startswith(member))
    wrong = changed(file, name, change)
    with pytest.raises((BackupError, SchemaVersionError), match=error):
        ragraph.restore(wrong, make_database(schema=False))
    with pytest.raises((BackupError, SchemaVersionError), match=error):
        store.verify(wrong)
    assert store.verify(file).ok


def test_digests_do_not_depend_on_the_session(store: Store, file: Path) -> None:
    with store.database.read() as connection:
        connection.execute("SET LOCAL timezone = 'Asia/Tokyo'")
        connection.execute("SET LOCAL datestyle = 'German'")
        connection.execute("SET LOCAL extra_float_digits = 0")
        found = connection.execute("SELECT * FROM ragraph.store_digests()").fetchall()
    with reading(file) as (archive, manifest):
        assert {(table, document or ""): (count, text) for table, document, count, text in found} == digests_of(archive)
        assert manifest.roles == []


def test_the_commands(
    store: Store, tmp_path: Path, make_database: Callable[..., str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    source = CommandLine(store.database.url, monkeypatch, capsys)
    file = str(tmp_path / "b.ragraph")
    assert "2 documents" in source("backup", file).out
    ended = source("backup", file)
    assert (ended.code, "pass --overwrite" in ended.err) == (1, True)
    assert source("verify", "--against", file).out.endswith("Sound.\n")
    ended = source("restore", file)
    assert (ended.code, "pass --replace" in ended.err) == (1, True)
    other = CommandLine(make_database(schema=False), monkeypatch, capsys)
    assert "equal to the backup" in other("restore", file).out
    document = rows(store.database, "SELECT id FROM ragraph.document LIMIT 1")[0][0]
    assert other("delete", document, "--yes").code == 0
    ended = other("verify", "--against", file, "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["ok"] is False


@pytest.mark.slow
def test_an_embedded_store_moves_to_a_newer_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.delenv("RAGRAPH_DATABASE_URL", raising=False)
    monkeypatch.setenv("RAGRAPH_POSTGRES_VERSION", "16")
    monkeypatch.setenv("RAGRAPH_HOME", str(tmp_path / "home"))
    (tmp_path / "wages.md").write_text(TEXT)
    with ragraph.open() as store:
        store.ingest(tmp_path / "wages.md", model=WordModel())
        before = digest(store.database)
        with pytest.raises(ServerUnavailableError, match="in use"):
            ragraph.store.opening.upgrade_server(18)
    monkeypatch.delenv("RAGRAPH_POSTGRES_VERSION")

    def fail(step: str) -> None:
        if step == "upgrade":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ragraph.store.opening.upgrade_server(18, progress=fail)
    assert not (tmp_path / "home" / "postgres-18").exists()
    (tmp_path / "home" / "postgres-18").mkdir()  # of a move that was killed
    monkeypatch.setattr(sys, "argv", ["ragraph", "db", "upgrade", "--server", "18"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "1 document, 4 nodes" in capsys.readouterr().out
    with ragraph.open() as store:
        assert store.database.url
        with store.database.read() as connection:
            assert connection.info.server_version >= 180000
        assert digest(store.database) == before
    assert ragraph.store.opening.upgrade_server(18) is None
    with pytest.raises(ServerError, match="can go back only by backup"):
        ragraph.store.opening.upgrade_server(16)


def test_roles_and_tenants_move_with_an_embedded_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else whoever may read would see all collections, once the roles were made again."""
    monkeypatch.delenv("RAGRAPH_DATABASE_URL", raising=False)
    monkeypatch.setenv("RAGRAPH_POSTGRES_VERSION", "16")
    monkeypatch.setenv("RAGRAPH_HOME", str(tmp_path / "home"))
    (tmp_path / "wages.md").write_text(TEXT)
    with ragraph.open() as store:
        admin = make_conninfo(store.database.url, user="postgres")
        make_roles(admin)
        switch_tenants(admin, on=True)
        grant_collection(admin, 'Ac"me', "acme", write=True, create=True)
        with connect(admin, autocommit=True) as connection:
            connection.execute("CREATE ROLE alice LOGIN PASSWORD 'x' IN ROLE ragraph_reader")
            connection.execute('ALTER ROLE alice SET search_path = ragraph, "Of A"')
            connection.execute("CREATE TABLE public.own ()")
        store.ingest(tmp_path / "wages.md", model=WordModel())
        with ragraph.open(role='Ac"me') as tenant:
            tenant.ingest(tmp_path / "wages.md", collection="acme", model=WordModel())
    monkeypatch.delenv("RAGRAPH_POSTGRES_VERSION")
    with pytest.raises(ServerError, match="also has own"):
        ragraph.store.opening.upgrade_server(18)
    with ragraph.open() as store, connect(make_conninfo(store.database.url, user="postgres")) as connection:
        connection.execute("DROP TABLE public.own")
    ragraph.store.opening.upgrade_server(18)
    with ragraph.open() as store:
        assert len(store.documents()) == 2
        with connect(make_conninfo(store.database.url, user="postgres")) as connection:
            assert connection.info.server_version >= 180000
            settings = connection.execute("SELECT rolcanlogin, rolconfig FROM pg_roles WHERE rolname = 'alice'")
            assert settings.fetchone() == (True, ['search_path=ragraph, "Of A"'])
    for role, seen in (('Ac"me', ["acme"]), ("reader", [])):
        with ragraph.open(role=role, upgrade=False) as tenant:
            assert [document.collection for document in tenant.documents()] == seen


KILLED = """
import os, signal, sys
from pathlib import Path
from ragraph.backup.archive import writing

with writing(Path(sys.argv[1]), overwrite=False) as archive:
    archive.writestr("a", "b")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_backup_left_is_removed_by_the_next_and_what_another_writes_is_not(tmp_path: Path) -> None:
    file, other = tmp_path / "a.ragraph", tmp_path / "b.ragraph"
    for killed in (file, other):
        assert run_python(KILLED, str(killed)).returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2
    with writing(file, overwrite=False), writing(file, overwrite=False) as archive:
        archive.writestr("c", "d")
    assert sorted(path.name.split(".")[1] for path in tmp_path.iterdir()) == ["b", "ragraph"]
    assert file.exists()
