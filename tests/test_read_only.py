"""A server that only reads: a standby, or one whose transactions are read only. Reading works; writing says why not."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from command_line import CommandLine
from tcp_server import TcpServer, _free_port

import ragraph
from ragraph.database import migrate
from ragraph.errors import ServerReadOnlyError
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.schema.enums import ContentNodeType
from ragraph.server.account import let_pass, server_account
from ragraph.server.binaries import find_binaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragraph import Store


def _draft(name: str) -> DraftDocument:
    nodes = [DraftNode(key="h", type=ContentNodeType.HEADING, text="Bridges", level=1)]
    nodes += [
        DraftNode(key=f"p{n}", type=ContentNodeType.PARAGRAPH, text=f"Bridge {n} of document {name} spans a river.")
        for n in range(5)
    ]
    return DraftDocument(id=f"dl_{name}", metadata=DraftMetadata(title=f"On bridges, {name}"), nodes=nodes)


@pytest.fixture(scope="module")
def primary(tcp: TcpServer) -> str:
    with psycopg.connect(tcp.url("postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE mirrored")
    with ragraph.open(tcp.url("mirrored")) as store:
        assert store.add(_draft("one")).status == "added"
    return tcp.url("mirrored")


@pytest.fixture(scope="module")
def standby(primary: str, tcp: TcpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the same store on a hot standby."""
    folder = tmp_path_factory.mktemp("standby")
    data = folder / "data"
    binaries = find_binaries(int(os.environ.get("RAGRAPH_POSTGRES_VERSION") or 18))
    owner = server_account(data)
    let_pass(folder, owner)
    owner.own(folder)
    other = TcpServer(_free_port())

    def ran(*arguments: str) -> None:
        with (folder / "log").open("a") as log:
            subprocess.run(
                arguments, check=True, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/", **owner.run_as()
            )

    copied = tcp.admin_url("postgres").replace("/postgres?", "/?")
    ran(binaries.program("pg_basebackup"), "-d", copied, "-D", str(data), "-R", "-X", "stream", "--checkpoint=fast")
    with (data / "postgresql.conf").open("a") as settings:
        settings.write(f"port = {other.port}\n")
    control = binaries.program("pg_ctl")
    ran(control, "-D", str(data), "-w", "-l", str(data / "log"), "start")
    try:
        with psycopg.connect(other.admin_url("mirrored")) as admin:
            assert admin.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)
        yield other.url("mirrored")
    finally:
        ran(control, "-D", str(data), "-w", "-m", "immediate", "stop")


@pytest.fixture
def frozen(primary: str, tcp: TcpServer, standby: str) -> Iterator[str]:
    """The URL of the store, whose transactions only read by default; after the standby was copied."""
    with psycopg.connect(tcp.admin_url("postgres"), autocommit=True) as admin:
        admin.execute("ALTER DATABASE mirrored SET default_transaction_read_only = on")
        yield primary
        admin.execute("ALTER DATABASE mirrored RESET default_transaction_read_only")


READING: dict[str, Callable[[Store], Any]] = {
    "words": lambda store: store.search("bridge river", mode="text"),
    "vector": lambda store: store.search("bridge river", mode="vector"),
    "hybrid": lambda store: store.search("bridge river"),
    "graph": lambda store: store.search("bridge river", mode="graph"),
    "sections": lambda store: store.search_sections("bridge river"),
    "context": lambda store: store.context("which bridge spans a river").text,
    "documents": lambda store: store.documents(),
    "toc": lambda store: store.toc("dl_one"),
    "render": lambda store: store.render("dl_one"),
    "cite": lambda store: store.cite("dl_one", store.nodes("dl_one")[1].id),
    "facets": lambda store: store.facets(),
    "models": lambda store: store.models(),
    "stats": lambda store: store.stats(),
    "doctor": lambda store: store.doctor(),
    "check": lambda store: store.check() == [],
    "jobs": lambda store: store.jobs() == [],
}
WRITING: dict[str, Callable[[Store], Any]] = {
    "add": lambda store: store.add(_draft("two")),
    "update": lambda store: store.update("dl_one", title="On bridges still"),
    "delete": lambda store: store.delete("dl_one"),
    "versions": lambda store: store.keep_versions(),
}


@pytest.mark.parametrize("place", ["standby", "frozen"])
def test_it_reads_and_says_that_it_does_not_write(
    place: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = request.getfixturevalue(place)
    with ragraph.open(url) as store:
        for name, read in READING.items():
            assert read(store), name
        for write in WRITING.values():
            with pytest.raises(ServerReadOnlyError, match=r"only reads .*: write at the primary"):
                write(store)
        (tmp_path / "rain.md").write_text("# Rain\n\nRain fills the reservoirs of the valley.\n")
        with pytest.raises(ragraph.errors.RagraphError) as caught:
            store.ingest(tmp_path)
        assert "only reads" in str(caught.value)
        store.backup(tmp_path / "store.ragraph")
    with pytest.raises(ServerReadOnlyError):
        migrate.downgrade(url, "base")
    run = CommandLine(url, monkeypatch, capsys)
    for command in (("list",), ("search", "bridge"), ("stats",)):
        assert run(*command).code == 0
    for writing in (("delete", "dl_one", "--yes"), ("ingest", str(tmp_path)), ("embed",)):
        ended = run(*writing)
        if ended.code:
            assert "only reads" in ended.err and len(ended.err.splitlines()) < 4, ended


@pytest.mark.parametrize("place", ["standby", "frozen"])
def test_a_search_is_answered_and_one_line_says_that_it_is_not_logged(
    place: str, tcp: TcpServer, primary: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(place)
    with psycopg.connect(tcp.url("mirrored"), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("SELECT ragraph.set_query_log('*', 30)")
    try:
        with ragraph.open(url) as store:
            _wait_for_log(store)
            with pytest.warns(ragraph.errors.RagraphNotice) as told:
                assert store.search("bridge river", mode="text")
            (notice,) = {str(one.message) for one in told}
            assert notice.startswith("the query was answered but not logged: ")
            assert "only reads" in notice
            assert "\n" not in notice
            assert store.search("bridge river", mode="text")  # it is not told again at each query
            assert store.queries() == []
    finally:
        with psycopg.connect(tcp.url("mirrored"), autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute("SELECT ragraph.set_query_log('*', 0)")


def _wait_for_log(store: Store) -> None:
    """Wait until the setting has reached a standby."""
    for _ in range(600):
        if store.query_logging():
            return
        time.sleep(0.1)
    pytest.fail("the setting did not arrive")
