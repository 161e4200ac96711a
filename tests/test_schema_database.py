"""Pools and errors: reads cannot write, dead connections are replaced, every refusal is an error of ragraph."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document, make_tree
from psycopg import sql
from psycopg.rows import scalar_row

from ragraph.database import connection as module
from ragraph.database import migrate
from ragraph.database.connection import Database, check_server, check_server_version
from ragraph.database.driver import translate_errors
from ragraph.errors import (
    STORE_ERRORS,
    ArgumentError,
    ConstraintError,
    PoolExhaustedError,
    SchemaVersionError,
    ServerReadOnlyError,
    ServerResourcesError,
    ServerUnavailableError,
    ServerVersionError,
    StoreClosedError,
    StoreError,
    StoreForkedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import LiteralString

    from tcp_server import TcpServer

    Connection = psycopg.Connection[tuple[Any, ...]]


def _one(connection: Connection, query: str, *values: object) -> Any:
    row = connection.execute(query, values).fetchone()
    assert row is not None
    return row[0]


def _end_all(url: str) -> None:
    """End every other connection to the database, as a restart of the server does."""
    with psycopg.connect(url, autocommit=True) as killer:
        killer.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"  # waits for their end
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


def test_reads_cannot_write(database: Database) -> None:
    with pytest.raises(ServerReadOnlyError, match="only reads"), database.read() as connection:
        make_document(connection)


def test_a_read_sees_one_state_from_start_to_end(database: Database) -> None:
    with database.read() as reader:
        assert _one(reader, "SELECT count(*) FROM ragraph.document") == 0
        with database.write() as writer:
            make_document(writer)
        assert _one(reader, "SELECT count(*) FROM ragraph.document") == 0
    with database.read() as reader:
        assert _one(reader, "SELECT count(*) FROM ragraph.document") == 1


def _alone(database: Database, statement: LiteralString, **values: Any) -> Any:
    (found,) = database.rows(statement, values, scalar_row, prepare=False)
    return found


def _check_statements_alone(database: Database) -> None:
    for _ in range(2):  # also after one that failed
        with pytest.raises(ServerReadOnlyError, match="only reads"):
            _alone(database, "CREATE TABLE public.never (one integer)")
        with pytest.raises(ArgumentError):
            _alone(database, "SELECT 1 / %(none)s::integer", none=0)
        assert _alone(database, "SELECT current_setting('transaction_isolation')") == "repeatable read"
        assert _alone(database, "SELECT current_setting('transaction_read_only')") == "on"
        assert _alone(database, "SELECT current_setting('default_transaction_read_only')") == "off"
    with database.read() as connection:  # the same connection, in a transaction of several statements again
        assert _one(connection, "SELECT count(*) FROM ragraph.document") == 0
        assert connection.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS


def test_one_statement_alone_cannot_write_and_sees_one_state(database: Database) -> None:
    _check_statements_alone(database)


def test_one_statement_alone_is_as_safe_on_a_server_elsewhere(tcp: TcpServer) -> None:
    with psycopg.connect(tcp.url("postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE alone")
    migrate.upgrade(tcp.url("alone"))
    with Database(tcp.url("alone"), read_size=1) as database:
        assert not database.local
        _check_statements_alone(database)


def test_writes_commit_or_roll_back_as_a_whole(database: Database) -> None:
    with database.write() as connection:
        make_document(connection, "dl_a")
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        make_document(connection, "dl_b")
        _ = 1 / 0
    with pytest.raises(ConstraintError, match="document_pkey") as caught, database.write() as connection:
        make_document(connection, "dl_c")
        make_document(connection, "dl_a")
    assert isinstance(caught.value.__cause__, psycopg.errors.UniqueViolation)
    with database.read() as connection:
        assert connection.execute("SELECT id FROM ragraph.document").fetchall() == [("dl_a",)]


def test_vectors_come_and_go_as_vectors(database: Database) -> None:
    import numpy as np

    with database.write() as connection:
        make_tree(connection)
        found = _one(connection, "SELECT embedding_vector FROM ragraph.embedding WHERE node_id = 'cn_1'")
        near = _one(
            connection, "SELECT node_id FROM ragraph.embedding ORDER BY embedding_vector <=> %s::vector LIMIT 1", found
        )
    assert near == "cn_1"
    assert np.asarray(found.to_list() if hasattr(found, "to_list") else found).shape == (3,)


def test_idle_connections_that_died_are_replaced(database: Database, database_url: str) -> None:
    for _ in range(2):
        with database.read() as one, database.read() as other, database.write() as writer:
            pids = {_one(connection, "SELECT pg_backend_pid()") for connection in (one, other, writer)}
        _end_all(database_url)
        for transaction in (database.read, database.write, database.read):
            with transaction() as connection:
                assert _one(connection, "SELECT pg_backend_pid()") not in pids


def test_a_connection_that_was_idle_is_taken_without_asking_the_server(database: Database) -> None:
    last = "SELECT query FROM pg_stat_activity WHERE pid = %s"
    with database.read() as connection:
        pid = _one(connection, "SELECT pg_backend_pid() + 0")
    with database.write() as other:
        before = _one(other, last, pid)
        with database.read() as connection:
            assert connection.info.backend_pid == pid
        assert _one(other, last, pid) == before == "COMMIT"


def test_a_connection_that_dies_in_use_is_reported_and_replaced(database: Database, database_url: str) -> None:
    with pytest.raises(ServerUnavailableError, match="ended the connection"), database.write() as connection:
        make_document(connection)
        _end_all(database_url)
        connection.execute("SELECT 1")
    with database.read() as connection:
        assert _one(connection, "SELECT count(*) FROM ragraph.document") == 0


def test_readers_do_not_wait_for_writers(database_url: str) -> None:
    with Database(database_url, read_size=1, write_size=1) as database, database.write(), database.read() as reader:
        assert _one(reader, "SELECT 1") == 1


def test_a_reader_too_many_waits_and_is_told_why(database_url: str) -> None:
    waiting = pytest.raises(PoolExhaustedError, match="no connection became free")
    with Database(database_url, read_size=1, timeout=1) as database, database.read(), waiting, database.read():
        pass


def test_many_threads_share_few_connections(database_url: str) -> None:
    seen: set[int] = set()

    def work() -> None:
        for _ in range(5):
            with database.read() as connection:
                seen.add(_one(connection, "SELECT pg_backend_pid()"))

    with Database(database_url, read_size=2) as database:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 1 <= len(seen) <= 2


def test_a_reader_that_finds_no_connection_is_refused_in_time(database_url: str) -> None:
    """It waits as long as it says, and not once more."""
    with Database(database_url, read_size=1, timeout=1) as database, database.read():
        with pytest.raises(PoolExhaustedError, match=r"within 1 s"), database.read():
            pass
        assert database._pools["read"].get_stats()["requests_errors"] == 1


def test_a_closed_database_stays_closed(database_url: str) -> None:
    database = Database(database_url)
    with database.read():
        pass
    database.close()
    database.close()
    for use in (database.read, database.write):
        with pytest.raises(StoreClosedError, match="open it again"), use():
            pass
    with pytest.raises(StoreClosedError):
        database.revive()


def test_a_database_closed_in_use_says_so(database_url: str) -> None:
    """A reader that waits for a connection while another thread closes the store."""
    database = Database(database_url, read_size=1)
    said: list[BaseException] = []

    def wait() -> None:
        try:
            with database.read():
                pass
        except Exception as error:
            said.append(error)

    with database.read():
        waiting = threading.Thread(target=wait)
        waiting.start()
        while not database._pools["read"].get_stats().get("requests_waiting"):
            pass
        database.close()
        waiting.join()
    assert [type(error) for error in said] == [StoreClosedError]


def test_a_crowded_server_is_out_of_resources(database: Database, database_url: str) -> None:
    """Connections over the limit of a database; libpq gives no SQLSTATE for that."""
    name = database_url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT 1").format(sql.Identifier(name)))
        with pytest.raises(ServerResourcesError, match="no connections left"), database.read():
            pass
        other.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT -1").format(sql.Identifier(name)))


def test_a_server_without_lock_space_is_out_of_resources(database: Database) -> None:
    """More locks than shared memory has room for."""
    many = """
        DO $$ BEGIN
            FOR i IN 1..1000000 LOOP PERFORM pg_advisory_xact_lock(i); END LOOP;
        END $$
    """
    with (
        pytest.raises(ServerResourcesError, match=r"no memory left.*max_locks_per_transaction"),
        database.read() as one,
    ):
        one.execute(many)
    with database.read() as connection:
        assert _one(connection, "SELECT 1") == 1


def test_nothing_is_opened_before_the_first_use() -> None:
    Database("postgresql://nobody@127.0.0.1:1/nowhere").close()


@pytest.mark.parametrize("code", sorted(STORE_ERRORS))
def test_codes_of_the_functions_become_their_errors(connection: Connection, code: str) -> None:
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'no such\n  thing' USING ERRCODE = '{code}', HINT = 'look again'; END $$"
    with pytest.raises(STORE_ERRORS[code]) as caught, connection.transaction(), translate_errors():
        connection.execute(raising)
    # Python has words of its own for where ids come from
    assert str(caught.value) == f"no such thing; {STORE_ERRORS[code].look or 'look again'}"
    assert isinstance(caught.value.__cause__, psycopg.Error)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("SELECT 1 WHERE 'x'::text = 1", ArgumentError),  # a value of a wrong type, and no old schema
        ("SELECT FROM ragraph.no_such_table", SchemaVersionError),
        ("SELECT ragraph.no_such_function()", SchemaVersionError),
        ("SELECT 1/0", StoreError),
        ("SELECT", None),
        ("SELECT nonsense nonsense nonsense", StoreError),
        ("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53300'; END $$", ServerResourcesError),
        ("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$", ServerResourcesError),
        ("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53200'; END $$", ServerResourcesError),
        ("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53000'; END $$", ServerResourcesError),
        ("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '57P01'; END $$", ServerUnavailableError),
        ("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$", StoreError),
        ("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'RG999'; END $$", StoreError),
    ],
)
def test_other_codes_become_errors_of_one_line(
    connection: Connection, query: Any, error: type[Exception] | None
) -> None:
    def run() -> None:
        with connection.transaction(), translate_errors():
            connection.execute(query)

    if error is None:
        run()
        return
    with pytest.raises(error) as caught:
        run()
    assert "\n" not in str(caught.value)


def test_mistakes_of_the_caller_pass_unchanged(connection: Connection) -> None:
    with pytest.raises(psycopg.ProgrammingError), connection.transaction(), translate_errors():
        connection.execute("SELECT %s", [])


class _Info:
    """The part of a connection's info that the check reads, of a server that the tests cannot start."""

    dbname = "library"

    def __init__(self, version: int, encoding: str) -> None:
        self.server_version = version
        self.encoding = encoding

    def parameter_status(self, _name: str) -> str:
        return self.encoding


@pytest.mark.parametrize(
    ("info", "said"), [(_Info(150018, "UTF8"), "PostgreSQL 15"), (_Info(180004, "SQL_ASCII"), "SQL_ASCII")]
)
def test_an_unfit_server_is_one_line(info: _Info, said: str) -> None:
    class Old:
        pass

    old: Any = Old()
    old.info = info
    with pytest.raises(ServerVersionError, match=said):
        check_server_version(old)


def test_pgvector_is_looked_for(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    check_server(connection)
    monkeypatch.setattr(module, "MINIMUM_PGVECTOR", (99, 0))
    with pytest.raises(ServerVersionError, match="ALTER EXTENSION vector UPDATE"):
        check_server(connection)


def test_settings_of_one_caller_do_not_reach_the_next(database_url: str) -> None:
    with Database(database_url, read_size=1) as database:
        with database.read() as connection:
            connection.prepare_threshold = None
        with database.read() as connection:
            assert connection.prepare_threshold == 5


def test_reads_after_each_other_have_one_backend(database_url: str) -> None:
    """Its caches and plans are warm."""
    with Database(database_url) as database:
        backends = set()
        for _ in range(50):
            with database.read() as connection:
                backends.add(connection.info.backend_pid)
            backends |= set(database.rows("SELECT pg_backend_pid()", {}, scalar_row, prepare=False))
        assert len(backends) == 1


def test_a_lone_surrogate_or_nul_is_refused_before_it_is_stored(database: Database) -> None:
    attempts: list[Callable[[Connection], object]] = [
        lambda connection: make_document(connection, description="a\x00b"),
        lambda connection: make_document(connection, description="a\ud800b"),
    ]
    for attempt in attempts:
        with pytest.raises((StoreError, psycopg.DataError, UnicodeEncodeError)), database.write() as connection:
            attempt(connection)
    with database.read() as connection:
        assert _one(connection, "SELECT count(*) FROM ragraph.publication") == 0


def test_a_fork_is_told_to_open_its_own(database: Database) -> None:
    with database.read() as connection:
        before = _one(connection, "SELECT pg_backend_pid()")
    child = os.fork()
    if child == 0:
        try:
            with pytest.raises(StoreForkedError, match="fork"), database.read():
                pass
            with pytest.raises(StoreForkedError, match="fork"):
                database.revive()
            database.close()  # leaves the connections of the parent alone
            os._exit(0)
        except BaseException:  # nothing may go on as a second pytest
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with database.read() as connection:
        assert _one(connection, "SELECT pg_backend_pid()") == before


@pytest.mark.parametrize("value", ["a\0b", 10**12])
def test_values_that_the_database_cannot_take_are_wrong_arguments(database: Database, value: object) -> None:
    with pytest.raises(ArgumentError), database.read() as connection:
        connection.execute("SELECT %s::integer", [value])
