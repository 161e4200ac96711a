"""The life of the embedded server: who starts it, who stops it, what survives kill -9."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
import pytest
from server_tools import VERSION, Client, ask, has_ended, helpers, kill_server, postmasters, wait_until, watcher_waits

from ragraph.errors import (
    ServerError,
    ServerNotFoundError,
    ServerUnavailableError,
    ServerVersionError,
)
from ragraph.server import EmbeddedServer, locks, stop
from ragraph.server.data_directory import buffers
from ragraph.server.paths import StorePaths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STRANGER = ["sleep", "600"]
STOP = "import sys; from pathlib import Path; from ragraph.server import stop; assert stop(Path(sys.argv[1]))"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished, stopped store, to be copied: making one takes ten times as long."""
    home = tmp_path_factory.mktemp("made") / "home"
    with EmbeddedServer(home, version=VERSION) as server:
        ask(server.url(), "CREATE TABLE kept (n int)")
    stop(home)
    return home


@pytest.fixture
def home(made: Path) -> Iterator[Path]:
    """The finished store itself, for tests that leave it whole."""
    yield made
    stop(made)
    wait_until(lambda: not helpers(made, "last"))


@pytest.fixture
def spare(tmp_path: Path, made: Path) -> Iterator[Path]:
    """A copy of it, for tests that change or damage it."""
    folder = tmp_path / "home"
    subprocess.run(["cp", "-a", made, folder], check=True)
    yield folder
    stop(folder)


@pytest.fixture
def new_home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "new"
    stop(tmp_path / "new")


def data_of(home: Path) -> Path:
    return home / f"postgres-{VERSION}"


@pytest.mark.parametrize("version", [16, 18])
def test_first_start(new_home: Path, version: int) -> None:
    with EmbeddedServer(new_home, version=version) as server:
        url = server.url()
        assert int(ask(url, "SHOW server_version_num")) // 10000 == version
        assert ask(url, "SELECT current_user") == "ragraph"
        assert ask(url, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'ragraph'") == "ragraph"
        assert ask(url, "SHOW search_path") == "ragraph, public"
        assert ask(url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
        assert ask(url, "SELECT '[1,2]'::vector <-> '[1,3]'") == 1
        assert ask(url, "SELECT lower('ÄÖ') || (SELECT 'B' < 'a')") == "äötrue"  # letters known, byte order
        assert ask(url, "SELECT to_tsvector('simple', '“tide” rises—slowly')") == "'rises':2 'slowly':3 'tide':1"
        assert ask(url, "SHOW data_checksums") == "on"
        assert ask(url, "SHOW fsync") == "on"
        assert 256 <= int(ask(url, "SELECT pg_size_bytes(current_setting('shared_buffers')) / 1048576")) <= 2048
        assert ask(url, "SHOW listen_addresses") == ""
    wait_until(lambda: not postmasters(new_home))


def test_many_first_starts_at_once(new_home: Path) -> None:
    clients = [Client(new_home) for _ in range(4)]
    assert len({client.wait_open() for client in clients}) == 1
    assert len(postmasters(new_home)) == 1
    assert len(helpers(new_home, "last")) == 1
    for client in clients:
        client.leave()
    wait_until(lambda: not postmasters(new_home) and not helpers(new_home, "last"))


def test_buffers_are_an_eighth_of_the_memory() -> None:
    """A quarter of them is the largest table that PostgreSQL keeps in them when it scans it."""
    assert [buffers(memory * 2**20) for memory in (500, 4096, 8192, 65536)] == [256, 512, 1024, 2048]


def test_threads_start_at_once(home: Path) -> None:
    servers = [EmbeddedServer(home) for _ in range(4)]
    threads = [threading.Thread(target=server.start) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(postmasters(home)) == 1
    assert {ask(server.url()) for server in servers} == {1}
    for server in servers:
        server.close()


def test_first_start_killed_at_any_moment(new_home: Path) -> None:
    data = new_home / f"postgres-{VERSION}"
    moments: list[Callable[[], object]] = [
        lambda: [*new_home.glob("*.part/PG_VERSION")],  # initdb is at work
        data.exists,
        lambda: postmasters(new_home),
    ]
    for reached in moments:
        client = Client(new_home)
        wait_until(reached)
        client.kill()
    client = Client(new_home)
    assert ask(client.wait_open(), "SELECT count(*) FROM pg_extension WHERE extname = 'vector'") == 1
    assert not list(new_home.glob("*.part"))
    client.leave()


def test_remains_of_a_first_start(new_home: Path) -> None:
    part = new_home / f"postgres-{VERSION}.part"
    part.mkdir(parents=True)
    (part / "PG_VERSION").write_text("18\n")
    with EmbeddedServer(new_home, version=VERSION) as server:
        assert ask(server.url()) == 1
    stop(new_home)
    (new_home / "store.json").unlink()  # killed between the data folder and the marker
    with EmbeddedServer(new_home, version=VERSION) as server:
        assert ask(server.url()) == 1
    assert (new_home / "store.json").exists()


def test_last_client_stops_the_server(home: Path) -> None:
    first, second = Client(home), Client(home)
    url = first.wait_open()
    assert second.wait_open() == url
    first.leave()
    wait_until(lambda: watcher_waits(home))
    assert ask(url) == 1
    second.leave()
    wait_until(lambda: not postmasters(home) and not helpers(home, "last"))


def test_killed_clients_do_not_keep_the_server(home: Path) -> None:
    starter, other = Client(home), Client(home)
    url = starter.wait_open()
    other.wait_open()
    starter.kill()
    wait_until(lambda: watcher_waits(home))
    assert ask(url) == 1
    other.kill()
    wait_until(lambda: not postmasters(home) and not helpers(home, "last"))


def test_open_while_the_server_stops(home: Path) -> None:
    for _ in range(8):  # a new client comes at the very moment the watcher stops the server
        with EmbeddedServer(home) as server:
            assert ask(server.url()) == 1
    assert len(postmasters(home)) <= 1


def test_killed_watcher_is_replaced(home: Path) -> None:
    with EmbeddedServer(home):
        for watcher in helpers(home, "last"):
            watcher.kill()
        wait_until(lambda: not helpers(home, "last"))
    wait_until(lambda: not postmasters(home))


def test_client_and_watcher_killed(home: Path) -> None:
    client = Client(home)
    client.wait_open()
    for watcher in helpers(home, "last"):
        watcher.kill()
    client.kill()
    assert postmasters(home)  # nobody is left to stop it, until the next client comes
    with EmbeddedServer(home) as server:
        assert ask(server.url()) == 1
    wait_until(lambda: not postmasters(home))


def test_everything_killed_keeps_what_was_committed(spare: Path) -> None:
    client = Client(spare)
    url = client.wait_open()
    connection = psycopg.connect(url)
    connection.execute("INSERT INTO kept SELECT generate_series(1, 20000)")
    connection.commit()
    connection.execute("INSERT INTO kept VALUES (-1)")
    kill_server(spare)
    # a backend that is slow to see its postmaster dead still commits what it is told to
    wait_until(lambda: has_ended(connection.info.backend_pid))
    with pytest.raises(psycopg.OperationalError):
        connection.commit()
    client.kill()
    with EmbeddedServer(spare) as server:
        assert ask(server.url(), "SELECT count(*) FROM kept") == 20000


def test_same_object_starts_again_after_a_crash(home: Path) -> None:
    """The killed postmaster is a zombie for as long as its parent, this process, does not collect it."""
    with EmbeddedServer(home) as server:
        [postmaster] = postmasters(home)
        kill_server(home)
        wait_until(lambda: psutil.Process(postmaster.pid).status() == psutil.STATUS_ZOMBIE)
        other = Client(home)
        assert ask(other.wait_open()) == 1
        other.leave()
        kill_server(home)
        with pytest.raises(psycopg.OperationalError):
            ask(server.url())
        server.start()
        assert ask(server.url()) == 1
        assert not psutil.pid_exists(postmaster.pid)


def test_killed_backend(home: Path) -> None:
    with EmbeddedServer(home) as server, psycopg.connect(server.url()) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
        server.start()  # returns when the server has recovered
        assert ask(server.url()) == 1


def test_forked_child_keeps_the_server(home: Path) -> None:
    server = EmbeddedServer(home).start()
    url = server.url()
    go_read, go_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go_write)
        os.read(go_read, 1)  # until the parent has left and looked
        os._exit(0)
    os.close(go_read)
    server.close()
    wait_until(lambda: watcher_waits(home))
    assert ask(url) == 1
    os.close(go_write)
    os.waitpid(child, 0)
    wait_until(lambda: not postmasters(home))


def test_forked_child_that_closes_does_not_take_the_parents_hold(home: Path) -> None:
    with EmbeddedServer(home) as server:
        child = os.fork()
        if child == 0:
            server.close()
            os._exit(0)
        os.waitpid(child, 0)
        wait_until(lambda: watcher_waits(home))
        assert ask(server.url()) == 1


def test_fork_during_start_does_not_keep_the_servers_lock(home: Path) -> None:
    held = locks.take(home / "server.lock", locks.EXCLUSIVE)
    assert held is not None
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    locks.release(held)
    try:
        with EmbeddedServer(home) as server:
            assert ask(server.url()) == 1
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@pytest.fixture
def stranger(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the server's own user that has nothing to do with it, as after the reuse of a process number."""
    owner = data_of(home).stat()
    other_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        other_user = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    process = subprocess.Popen(STRANGER, **other_user)
    yield process
    process.kill()
    process.wait()


def write_pid_file(home: Path, text: str) -> None:
    path = data_of(home) / "postmaster.pid"
    path.write_text(text)
    owner = data_of(home).stat()
    os.chown(path, owner.st_uid, owner.st_gid)


def test_pid_of_a_stranger(home: Path, stranger: subprocess.Popen[bytes]) -> None:
    text = f"{stranger.pid}\n{data_of(home)}\n1700000000\n5432\n{home}/run\n\n  1234 5678\nready   \n"
    write_pid_file(home, text)
    (home / "run" / ".s.PGSQL.5432.lock").write_text(text)
    assert stop(home) is False
    with EmbeddedServer(home) as server:
        assert ask(server.url()) == 1
    wait_until(lambda: not postmasters(home))
    assert stranger.poll() is None


def test_pid_of_another_stores_server(home: Path, tmp_path: Path, made: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["cp", "-a", made, other], check=True)
    with EmbeddedServer(other) as neighbour:
        text = (other / data_of(home).name / "postmaster.pid").read_text()
        write_pid_file(home, text.replace(str(other), str(home)))
        assert stop(home) is False
        with EmbeddedServer(home) as server:
            assert server.url() != neighbour.url()
            assert ask(server.url()) == 1
        wait_until(lambda: not postmasters(home))
        assert ask(neighbour.url()) == 1
    stop(other)


@pytest.mark.parametrize("text", ["", "12", "no number\n", "99999999999999999999\n", "-1\n", "0\n/\n3\n", "1\n"])
def test_damaged_pid_file(home: Path, text: str) -> None:
    write_pid_file(home, text)
    assert stop(home) is False
    with EmbeddedServer(home) as server:
        assert ask(server.url()) == 1


def test_hung_server(home: Path) -> None:
    with EmbeddedServer(home) as server:
        [postmaster] = postmasters(home)
        postmaster.suspend()
        try:
            with pytest.raises(ServerUnavailableError, match="RAGRAPH_SERVER_TIMEOUT"):
                EmbeddedServer(home, timeout=1).start()
        finally:
            postmaster.resume()
        server.start()
        assert ask(server.url()) == 1


def hold_up_recovery(home: Path) -> psutil.Process:
    """Suspend the process that recovers, as soon as it appears."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for postmaster in postmasters(home):
            for child in postmaster.children():
                try:
                    if "startup" in " ".join(child.cmdline()):
                        child.suspend()
                        return child
                except psutil.NoSuchProcess:
                    continue
    raise AssertionError("the recovery was over before it could be held up")


def test_stop_during_recovery(spare: Path) -> None:
    """PostgreSQL 18 can hang for ever in a fast stop while it recovers from a crash of one of its processes."""
    with EmbeddedServer(spare) as server:
        ask(server.url(), "CREATE TABLE big AS SELECT repeat('x', 500) AS t FROM generate_series(1, 60000)")
        with psycopg.connect(server.url()) as connection:
            os.kill(connection.info.backend_pid, signal.SIGKILL)
            recovering = hold_up_recovery(spare)
        threading.Timer(0.5, recovering.resume).start()
        stopping = threading.Thread(target=stop, args=[spare], daemon=True)
        stopping.start()
        stopping.join(60)
        assert not stopping.is_alive()
        assert not postmasters(spare)
        server.start()
        assert ask(server.url(), "SELECT count(*) FROM big") == 60000


def test_long_recovery(spare: Path) -> None:
    """A recovery longer than the limit is an error at the time, and goes on: the next to come finds it done."""
    with EmbeddedServer(spare) as server:
        ask(server.url(), "CREATE TABLE big AS SELECT repeat('x', 500) AS t FROM generate_series(1, 60000)")
        kill_server(spare)
        outcome: list[Exception | None] = []

        def open_store() -> None:
            try:
                EmbeddedServer(spare, timeout=2).start().close()
            except ServerError as error:
                outcome.append(error)
            else:
                outcome.append(None)

        thread = threading.Thread(target=open_store)
        thread.start()
        recovering = hold_up_recovery(spare)
        thread.join()
        try:
            assert isinstance(outcome[0], ServerUnavailableError)
            assert "recovering" in str(outcome[0])
            with pytest.raises(ServerUnavailableError):
                EmbeddedServer(spare, timeout=0.5).start()
        finally:
            recovering.resume()
        server.start()
        assert ask(server.url(), "SELECT count(*) FROM big") == 60000


def test_remains_of_a_killed_server_are_waited_for(home: Path) -> None:
    with EmbeddedServer(home) as server, psycopg.connect(server.url()) as connection:
        backend = psutil.Process(connection.info.backend_pid)
        backend.suspend()
        kill_server(home)
        resumed = threading.Event()

        def resume() -> None:
            resumed.set()
            backend.resume()

        threading.Timer(1.0, resume).start()
        server.start()
        assert resumed.is_set()  # never two servers on the same data
        assert ask(server.url()) == 1


def test_store_open_where_its_server_cannot_be_seen(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a second container with the same folder: the lock is held, the process is not visible."""
    monkeypatch.setattr("ragraph.server.data_directory._ORPHAN_SECONDS", 0.5)
    with EmbeddedServer(home) as server:
        pid_file = data_of(home) / "postmaster.pid"
        text = pid_file.read_text()
        write_pid_file(home, text.replace(text.partition("\n")[0], "999999999", 1))
        with pytest.raises(ServerUnavailableError, match="another process holds the store"):
            EmbeddedServer(home).start()
        pid_file.write_text(text)
        assert ask(server.url()) == 1
        assert len(postmasters(home)) == 1


def test_damaged_data_folder_under_a_running_server(spare: Path) -> None:
    with EmbeddedServer(spare) as server:
        (data_of(spare) / "PG_VERSION").rename(data_of(spare) / "gone")
        with pytest.raises(ServerNotFoundError, match="missing or damaged"):
            EmbeddedServer(spare).start()
        assert len(postmasters(spare)) == 1
        (data_of(spare) / "gone").rename(data_of(spare) / "PG_VERSION")
        assert ask(server.url()) == 1


def test_lost_data_folder_is_not_made_anew(spare: Path) -> None:
    data_of(spare).rename(spare / f"{data_of(spare).name}.old")
    with pytest.raises(ServerNotFoundError, match=r"postgres-\d\d\.old"):
        EmbeddedServer(spare).start()
    assert not data_of(spare).exists()


def test_damaged_marker(spare: Path) -> None:
    for text in ("", "{", "[]", '{"postgres": null}'):
        (spare / "store.json").write_text(text)
        with pytest.raises(ServerNotFoundError, match=r"store\.json"):
            EmbeddedServer(spare).start()


def test_no_store_and_none_wanted(tmp_path: Path) -> None:
    for folder in (tmp_path / "missing", tmp_path):
        with pytest.raises(ServerNotFoundError, match="ragraph ingest FOLDER"):
            EmbeddedServer(folder).start(create=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("there", "asked"), [(16, 18), (18, 16)])
def test_store_of_another_version(tmp_path: Path, there: int, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / f"postgres-{there}"
    data.mkdir()
    (data / "PG_VERSION").write_text(f"{there}\n")
    (tmp_path / "store.json").write_text(f'{{"format": 1, "postgres": {there}}}')
    message = f"created by PostgreSQL {there}, not {asked}: set RAGRAPH_POSTGRES_VERSION={there}"
    with pytest.raises(ServerVersionError, match=message):
        EmbeddedServer(tmp_path, version=asked).start()
    monkeypatch.setenv("RAGRAPH_POSTGRES_VERSION", str(asked))
    with pytest.raises(ServerVersionError, match=message):
        EmbeddedServer(tmp_path).start()


def test_version_of_the_store_is_the_default(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGRAPH_POSTGRES_VERSION", raising=False)
    with EmbeddedServer(home) as server:
        assert int(ask(server.url(), "SHOW server_version_num")) // 10000 == VERSION


def test_swapped_data_folder(spare: Path) -> None:
    (data_of(spare) / "PG_VERSION").write_text("15\n")
    with pytest.raises(ServerVersionError, match="holds PostgreSQL 15"):
        EmbeddedServer(spare).start()


def test_store_deleted_and_made_again(spare: Path, made: Path) -> None:
    """The watcher of the old store must not stop the server of the new one at the same place."""
    old = Client(spare)
    old.wait_open()
    old_watcher = helpers(spare, "last")
    stop(spare)
    shutil.rmtree(spare)
    subprocess.run(["cp", "-a", made, spare], check=True)
    with EmbeddedServer(spare) as server:
        old.leave()
        wait_until(lambda: not any(process.is_running() for process in old_watcher))
        assert ask(server.url()) == 1


def test_stop_under_clients_then_start_again(home: Path) -> None:
    with EmbeddedServer(home) as server:
        with psycopg.connect(server.url()) as connection:
            assert stop(home) is True
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        assert stop(home) is False
        with pytest.raises(ServerUnavailableError, match="open the store again"):
            server.url()
        server.start()
        assert ask(server.url()) == 1


def test_stop_is_done_though_another_client_has_started_the_server_again(home: Path) -> None:
    """What stops looks away from the moment that the server begins to end until the next one runs."""
    first = Client(home)
    url = first.wait_open()
    [before] = postmasters(home)
    log = StorePaths.of(home).log_file
    begin = log.stat().st_size
    with psycopg.connect(url) as connection:
        backend = psutil.Process(connection.info.backend_pid)
        backend.suspend()  # the server waits for it
        stopping = subprocess.Popen([sys.executable, "-c", STOP, str(home)])
        try:
            wait_until(lambda: b"fast shutdown" in log.read_bytes()[begin:])
            psutil.Process(stopping.pid).suspend()
        finally:
            backend.resume()
    wait_until(lambda: not postmasters(home))
    second = Client(home)
    try:
        assert ask(second.wait_open()) == 1
        psutil.Process(stopping.pid).resume()
        assert stopping.wait(15) == 0  # it would wait for 20 seconds at least if it took the new server for the old
        [now] = postmasters(home)
        assert now != before
    finally:
        stopping.kill()
        stopping.wait()
        second.leave()
        first.leave()


def test_hold_keeps_the_server_until_stop(home: Path) -> None:
    with EmbeddedServer(home) as server:
        url = server.url()
        server.hold()
        server.hold()
        assert len(helpers(home, "hold")) == 1
    wait_until(lambda: watcher_waits(home))
    assert ask(url) == 1
    assert stop(home) is True
    wait_until(lambda: not helpers(home, "hold") and not helpers(home, "last"))


def test_closing_twice_and_using_after_close(home: Path) -> None:
    server = EmbeddedServer(home).start()
    server.close()
    server.close()
    with pytest.raises(ServerUnavailableError, match="not started"):
        server.url()
    with server:
        assert ask(server.url()) == 1
