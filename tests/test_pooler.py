"""Behind a pooler in transaction mode: nothing of ours stays on the server's connections, which others use as well.

A real PgBouncer (Debian's) stands in front of the tests' server. Where it is missing the tests are skipped, unless
RAGRAPH_POOLER says ``required``.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from server_tools import wait_until
from tcp_server import PASSWORD, ROLE

import ragraph
from ragraph.database import migrate
from ragraph.database.roles import make_roles
from ragraph.errors import BackupError, ServerLoginError
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.ingest.vectors.index_aside import IndexAside
from ragraph.ingest.vectors.maintenance import build_index
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tcp_server import TcpServer

    from ragraph import Store

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
SIZE = 4
"""Connections of the pool to the server."""

if PROGRAM is None and os.environ.get("RAGRAPH_POOLER") != "required":
    pytest.skip("there is no pgbouncer; Debian has it", allow_module_level=True)

Url = str
_STATE = """
SELECT pg_backend_pid(), array[
    current_setting('transaction_read_only'), current_setting('transaction_isolation'),
    current_setting('default_transaction_read_only'), current_setting('default_transaction_isolation'),
    current_setting('search_path'), current_setting('statement_timeout'), current_setting('lock_timeout'),
    current_setting('synchronous_commit'), current_setting('maintenance_work_mem'), current_user::text,
    nullif(current_setting('ragraph.explain', true), ''),
    (SELECT string_agg(s.name || '=' || s.setting, ' ' ORDER BY s.name) FROM pg_settings AS s
     WHERE s.source = 'session' AND s.name <> 'application_name'),
    (SELECT count(*)::text FROM pg_prepared_statements),
    (SELECT count(*)::text FROM pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid()),
    (SELECT count(*)::text FROM pg_class AS c WHERE c.relnamespace = pg_my_temp_schema())
]
"""


@contextmanager
def pooler(
    folder: Path, server: TcpServer, *, user: str = ROLE, password: str = PASSWORD, **options: str
) -> Iterator[int]:
    """Run PgBouncer in transaction mode before a server, which it enters as one user, and give its port."""
    assert PROGRAM is not None, "pgbouncer is required: apt-get install pgbouncer"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    lines = {
        "listen_addr": "127.0.0.1",
        "listen_port": str(port),
        "unix_socket_dir": "",
        "auth_type": "any",
        "pool_mode": "transaction",
        "default_pool_size": str(SIZE),
        "max_client_conn": "200",
        "ignore_startup_parameters": "extra_float_digits",
        **options,
    }
    quoted = password.replace("'", "''")
    configured = folder / "pgbouncer.ini"
    configured.write_text(
        f"[databases]\n* = host=127.0.0.1 port={server.port} user={user} password='{quoted}'\n[pgbouncer]\n"
        + "".join(f"{name} = {value}\n" for name, value in lines.items())
    )
    command = [PROGRAM, *(["-u", "nobody"] if os.geteuid() == 0 else []), "-q", str(configured)]
    with (folder / "pgbouncer.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)

    def answers() -> bool:
        assert process.poll() is None, (folder / "pgbouncer.log").read_text()
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_until(answers)
        yield port
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def direct(tcp: TcpServer) -> str:
    """The URL of a database, at the server itself."""
    with psycopg.connect(tcp.url("postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE pooled")
    migrate.upgrade(tcp.url("pooled"))
    with psycopg.connect(tcp.url("pooled"), autocommit=True) as other:
        other.execute("CREATE TABLE public.of_others (note text)")
    return tcp.url("pooled")


@pytest.fixture(scope="module")
def pooled(direct: str, tcp: TcpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the same database, through the pooler."""
    with pooler(tmp_path_factory.mktemp("pooler"), tcp) as port:
        yield f"postgresql://{ROLE}@127.0.0.1:{port}/pooled"


@pytest.fixture(scope="module")
def store(pooled: str) -> Iterator[Store]:
    with ragraph.open(pooled) as opened:
        for name in ("one", "two"):
            assert opened.add(_draft(name)).status == "added"
        yield opened


def _draft(name: str) -> DraftDocument:
    nodes = [DraftNode(key="h", type=ContentNodeType.HEADING, text="Bridges", level=1)]
    nodes += [
        DraftNode(key=f"p{n}", type=ContentNodeType.PARAGRAPH, text=f"Bridge {n} of document {name} spans a river.")
        for n in range(20)
    ]
    return DraftDocument(id=f"dl_{name}", metadata=DraftMetadata(title=f"On bridges, {name}"), nodes=nodes)


def _states(url: str) -> dict[int, list[str]]:
    """Return what each connection of the pool to the server has set; all are held at once, so none is left out."""
    with ExitStack() as stack:
        found = {}
        for _ in range(SIZE):
            held = stack.enter_context(psycopg.connect(url, prepare_threshold=None))
            pid, state = held.execute(_STATE).fetchone() or (0, [])
            found[pid] = state
        return found


def _done(command: Callable[..., object], *arguments: str) -> bool:
    command(*arguments)
    return True


COMMANDS: dict[str, Callable[[Store], Any]] = {
    "words": lambda store: store.search("bridge river", mode="text"),
    "vector": lambda store: store.search("bridge river", mode="vector"),
    "hybrid": lambda store: store.search("bridge river"),
    "graph": lambda store: store.search("bridge river", mode="graph"),
    "explain": lambda store: store.search("bridge river", explain=True),
    "sections": lambda store: store.search_sections("bridge river"),
    "context": lambda store: store.context("which bridge spans a river"),
    "documents": lambda store: store.documents(),
    "document": lambda store: store.document("dl_one"),
    "nodes": lambda store: store.nodes("dl_one"),
    "toc": lambda store: store.toc("dl_one"),
    "page": lambda store: store.pages("dl_one") or True,
    "render": lambda store: store.render("dl_one"),
    "cite": lambda store: store.cite("dl_one", store.nodes("dl_one")[1].id),
    "quote": lambda store: store.quote("dl_one", store.nodes("dl_one")[1].id, "spans a river"),
    "references": lambda store: store.references("dl_one"),
    "facets": lambda store: store.facets(),
    "models": lambda store: store.models(),
    "stats": lambda store: store.stats(),
    "doctor": lambda store: store.doctor(),
    "check": lambda store: store.check() == [],
    "jobs": lambda store: store.jobs() == [],
    "update": lambda store: store.update("dl_two", title="On bridges still"),
    "embed": lambda store: store.embed(),
    "index": lambda store: build_index(store.database, store.models()[0].name, 1) == (),
    "versions": lambda store: _done(store.keep_versions),
    "add": lambda store: store.add(_draft("three")),
    "history": lambda store: store.history(store.documents()[0].id) or True,
    "delete": lambda store: _done(store.delete, store.add(_draft("gone")).document_id or ""),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_others_write_as_before(command: str, store: Store, pooled: str) -> None:
    before = _states(pooled)
    assert len(before) == SIZE
    assert COMMANDS[command](store)
    assert _states(pooled) == before
    with ExitStack() as stack:
        for _ in range(SIZE):
            other = stack.enter_context(psycopg.connect(pooled, prepare_threshold=None))
            other.execute("INSERT INTO public.of_others VALUES ('so')")


def test_files_are_ingested(store: Store, pooled: str, tmp_path: Path) -> None:
    (tmp_path / "rain.md").write_text("# Rain\n\nRain fills the reservoirs of the valley.\n")
    before = _states(pooled)
    report = store.ingest(tmp_path)
    assert report.ok, report
    assert store.search("reservoirs of the valley", mode="text")
    assert _states(pooled) == before


def test_threads_search_together(store: Store) -> None:
    def work(mode: Any) -> int:
        return sum(len(store.search("bridge river", k=5, mode=mode)) for _ in range(25))

    for mode in ("text", "hybrid"):
        with ThreadPoolExecutor(6) as threads:
            assert list(threads.map(work, [mode] * 6)) == [125] * 6


def test_a_store_is_made_and_taken_back(tcp: TcpServer, pooled: str) -> None:
    with psycopg.connect(tcp.url("postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE made")
    url = pooled.replace("/pooled", "/made")
    before = _states(url)
    assert migrate.upgrade(url)
    migrate.check(url)
    migrate.downgrade(url, "base")
    assert _states(url) == before


def test_an_index_is_never_set_aside(store: Store) -> None:
    # the lock that says so is of a session
    aside = IndexAside(store.database, store.models()[0].name)
    aside.coming(10**9)
    assert not aside.was_set
    aside.close()


def test_backups_are_for_the_server_itself(store: Store, pooled: str, tmp_path: Path) -> None:
    before = _states(pooled)
    with pytest.raises(BackupError, match="leads to a pooler; give the address of the server itself"):
        store.backup(tmp_path / "store.ragraph")
    assert _states(pooled) == before


def test_backups_go_to_the_server_itself(
    store: Store, direct: str, pooled: str, tcp: TcpServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _states(pooled)
    file = tmp_path / "store.ragraph"
    monkeypatch.setenv("RAGRAPH_DIRECT_URL", direct)
    assert store.backup(file).rows["document"] >= 2
    monkeypatch.setenv("RAGRAPH_DIRECT_URL", tcp.url("postgres"))
    with pytest.raises(BackupError, match="leads to another database"):
        store.backup(file, overwrite=True)
    monkeypatch.setenv("RAGRAPH_DIRECT_URL", pooled)
    with pytest.raises(BackupError, match="leads to a pooler too"):
        store.backup(file, overwrite=True)
    assert _states(pooled) == before
    with psycopg.connect(tcp.url("postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE restored")
    monkeypatch.setenv("RAGRAPH_DIRECT_URL", tcp.url("restored"))
    report = ragraph.restore(file, pooled.replace("/pooled", "/restored"))
    assert report.rows["document"] >= 2


def test_a_role_is_taken_or_refused(direct: str, tcp: TcpServer, pooled: str, tmp_path: Path) -> None:
    make_roles(tcp.admin_url("pooled"))
    with pytest.raises(ServerLoginError, match="does not pass on parameters"), ragraph.open(pooled, role="reader"):
        pass
    ignoring = {"ignore_startup_parameters": "extra_float_digits, options"}
    with pooler(tmp_path, tcp, **ignoring) as port:
        url = f"postgresql://{ROLE}@127.0.0.1:{port}/pooled"
        with (
            pytest.raises(ServerLoginError, match="does not pass on the role"),
            ragraph.open(url, role="reader") as no,
        ):
            no.documents()


def test_statement_mode_is_named(direct: str, tcp: TcpServer, tmp_path: Path) -> None:
    with (
        pooler(tmp_path, tcp, pool_mode="statement") as port,
        pytest.raises(ServerLoginError, match=r"pooler in statement mode .*: set pool_mode to transaction or session"),
        ragraph.open(f"postgresql://{ROLE}@127.0.0.1:{port}/pooled"),
    ):
        pass


def test_who_only_reads_has_the_time_of_readers(direct: str, tcp: TcpServer, tmp_path: Path) -> None:
    make_roles(tcp.admin_url("pooled"))
    with psycopg.connect(tcp.admin_url("pooled"), autocommit=True) as admin:
        admin.execute("CREATE ROLE visitor LOGIN PASSWORD 'v' IN ROLE ragraph_reader")
    with pooler(tmp_path, tcp, user="visitor", password="v") as port:
        url = f"postgresql://visitor@127.0.0.1:{port}/pooled"
        before = _states(url)
        with ragraph.open(url) as visited:
            for _ in range(2):
                with visited.database.read() as connection:
                    assert connection.execute("SHOW statement_timeout").fetchone() == ("1min",)
            assert visited.documents() is not None
        assert _states(url) == before
