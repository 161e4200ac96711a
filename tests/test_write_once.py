"""What a transaction wrote is told right, whatever becomes of the answer to its commit."""

from __future__ import annotations

import os
import signal
import socket
import threading
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from lost_answers import LostAnswers
from server_tools import VERSION, ask, kill_server, wait_until

from ragraph.database import migrate, retry
from ragraph.database.connection import Database
from ragraph.database.retry import write_once
from ragraph.server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOCK = 20_261
KEPT = f"""
CREATE TABLE kept (id text PRIMARY KEY);
CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_advisory_xact_lock({LOCK}); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON kept DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
WHEN (NEW.id = 'own') EXECUTE FUNCTION at_commit();
"""
"""A row for which COMMIT waits for a lock before anything is committed."""

INSERT = "INSERT INTO kept VALUES ('own') ON CONFLICT DO NOTHING"
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = '{}'"
SETTINGS = """
wal_writer_delay = 10s
wal_level = minimal
max_wal_senders = 0
autovacuum = off
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server that keeps WAL back until a commit, and in which nothing else takes ids of transactions."""
    home = tmp_path_factory.mktemp("killed") / "home"
    with EmbeddedServer(home, version=VERSION) as made:
        migrate.upgrade(made.url())
        ask(made.url(), KEPT)
        (data,) = (file.parent for file in home.rglob("postmaster.pid"))
        with (data / "postgresql.auto.conf").open("a") as file:
            file.write(SETTINGS)
        kill_server(home)
        made.start()
        yield made


class Revived(Database):
    """Starts its server again, after which another writer may be the first to come."""

    def __init__(self, server: EmbeddedServer, others: bool) -> None:
        super().__init__(server.url())
        self._server = server
        self._others = others
        self.given_out: list[str] = []

    def revive(self) -> bool:
        self._server.start()
        if self._others:
            other = "INSERT INTO kept VALUES ('other') RETURNING pg_current_xact_id()::text"
            self.given_out.append(ask(self._server.url(), other))
        return True


@pytest.mark.parametrize("others", [True, False])
@pytest.mark.parametrize("killed", ["backend", "server"])
def test_what_a_killed_server_has_not_committed_is_written_again(
    server: EmbeddedServer, killed: str, others: bool
) -> None:
    """The id of the lost transaction is given to another one, or to none yet."""
    ask(server.url(), "INSERT INTO kept VALUES ('first')")  # pages of which are in WAL whole
    ask(server.url(), "DELETE FROM kept")
    ids: list[str] = []

    def kill(connection: psycopg.Connection[Any]) -> None:
        if killed == "backend":
            os.kill(connection.info.backend_pid, signal.SIGKILL)
        else:
            kill_server(server.paths.home)

    def unit(connection: psycopg.Connection[Any]) -> int:
        if not ids:
            stack.enter_context(when_it_waits("advisory", server.url(), lambda: kill(connection)))
        connection.execute(INSERT)
        ids.extend(row[0] for row in connection.execute("SELECT pg_current_xact_id()::text"))
        return len(ids)

    database = Revived(server, others)
    with database, ExitStack() as stack, closing(psycopg.connect(server.url())) as holder:
        holder.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        assert write_once(database, unit) == 2
        assert database.given_out == ids[:1] * others
    assert ask(server.url(), "SELECT count(*) FROM kept WHERE id = 'own'") == 1


@contextmanager
def when_it_waits(kind: str, url: str, act: Callable[[], None]) -> Iterator[None]:
    """Act, aside, once somebody waits for a lock of a kind."""

    def wait() -> None:
        wait_until(lambda: ask(url, WAITING.format(kind)))
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("again", [True, False])
def test_a_commit_that_arrives_late_is_told(database: Database, monkeypatch: pytest.MonkeyPatch, again: bool) -> None:
    """Either while the unit is done again, which waits for it, or when no try is left."""
    monkeypatch.setattr(retry, "PAUSES_S", (0.01,) if again else ())
    monkeypatch.setattr(retry, "PATIENCE_S", () if again else (0.02,) * 1000)
    ask(database.url, KEPT)
    found: list[str] = []

    def cut(connection: psycopg.Connection[Any]) -> None:
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
        if again:
            wait_until(lambda: ask(database.url, WAITING.format("transactionid")))
        holder.rollback()

    def unit(connection: psycopg.Connection[Any]) -> str:
        if not found:
            stack.enter_context(when_it_waits("advisory", database.url, lambda: cut(connection)))
        found.append("added" if connection.execute(INSERT).rowcount else "unchanged")
        return found[-1]

    with ExitStack() as stack, psycopg.connect(database.url) as holder:
        holder.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        assert write_once(database, unit) == "added"
    assert found == (["added", "unchanged"] if again else ["added"])


def test_a_unit_whose_data_speak_of_commits_is_done_once(database: Database) -> None:
    ask(database.url, KEPT)
    rows = [("COPY and COMMIT",), ("COMMIT",)]
    done: list[int] = []

    def unit(connection: psycopg.Connection[Any]) -> str:
        done.append(len(done))
        with connection.cursor().copy("COPY kept FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return "added"

    with LostAnswers(database.url, 1) as proxy, Database(proxy.url) as through:
        assert write_once(through, unit) == "added"
        assert (proxy.lost, done) == (1, [0])
    assert ask(database.url, "SELECT count(*) FROM kept") == len(rows)
