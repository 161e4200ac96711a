"""Connections: two pools on one database, with every error of the driver translated to an error of ragraph.

Reads and writes have a pool each, so that a long ingest never makes a search wait for a connection and a search cannot
write by mistake. A pool opens at its first use and closes idle connections.

A connection pooler (such as PgBouncer) may run between client and server. It may give the server connection to another
program after each transaction. So no session settings are used: each transaction applies its own settings. Behind a
pooler, no statement is prepared.

Otherwise psycopg prepares a statement after five runs. The generic plan of a prepared search ignores how selective its
filters are, so code that searches sets ``connection.prepare_threshold = None`` or passes ``prepare=False``.
"""

from __future__ import annotations

import copy
import logging
import os
import select
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import psycopg
from pgvector.psycopg import register_vector
from psycopg import IsolationLevel
from psycopg.rows import scalar_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from ragraph import errors
from ragraph.base import notices
from ragraph.base.queries import QUERIES
from ragraph.database.driver import conninfo, is_local, role_of, translate_errors, unbroken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import LiteralString

    from psycopg.rows import RowFactory

    Connection = psycopg.Connection[tuple[Any, ...]]

T = TypeVar("T")

MINIMUM_SERVER = 16
"""Oldest major version of PostgreSQL that ragraph supports."""

MINIMUM_PGVECTOR = (0, 8)
"""Oldest version of pgvector that ragraph supports: iterative index scans came with 0.8."""

_CANCEL_S = 5.0
"""Seconds that a request to cancel a statement may take."""

_PROBE_AFTER_S = 3.0
"""Seconds to wait for a free connection before checking whether the server is the cause."""

_CONNECT = {"application_name": "ragraph", "client_encoding": "utf8", "connect_timeout": 10}
"""Default connection parameters, used if the URL does not set them."""

_PREPARE_AFTER = 5
"""Number of runs after which a pooled connection prepares a statement, if it leads to the server itself."""

_READ_AGAIN = 5
"""Number of times that a read statement is repeated if a table was rewritten between its snapshot and its lock."""

_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# A failed or lost connection is reported to the caller as an error of ragraph, so psycopg's own log line is not printed
# as well.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class _Pooled(psycopg.Connection["tuple[Any, ...]"]):
    """A connection of our pools.

    Attributes:
        direct: True if it leads to the server itself and not to a pooler.
        settings: values by name of the settings that each transaction applies.
    """

    direct: bool = False
    settings: Mapping[str, str] = MappingProxyType({})

    def apply_settings(self, further: Mapping[str, str]) -> None:
        """Apply the settings, and further ones by name, to the transaction that begins."""
        settings = {**self.settings, **further}
        if settings:
            values = {"names": list(settings), "settings": list(settings.values())}
            self.execute(QUERIES["set_locally"], values, prepare=False)


class Database:
    """A database of ragraph: read transactions from one pool, write transactions from another.

    Nothing is opened before the first use. Threads may share it; a forked process may not use it.

    All methods that query raise ``StoreClosedError`` after ``close``, ``StoreForkedError`` in a forked child,
    ``PoolExhaustedError`` if no connection becomes free, ``ServerResourcesError`` if the server has no connections
    left, and ``ServerUnavailableError`` if the server is gone. Only the last is worth a retry.

    Args:
        url: URL or key=value string of libpq.
        restart: starts the server of this database again; None if the server is not managed by ragraph.
        read_size: maximum number of simultaneous read connections; further readers wait.
        write_size: maximum number of simultaneous write connections.
        timeout: seconds to wait for a free connection.

    Raises:
        ServerLoginError: the URL cannot be parsed.
    """

    def __init__(
        self,
        url: str,
        *,
        restart: Callable[[], object] | None = None,
        read_size: int = 4,
        write_size: int = 2,
        timeout: float = 30.0,
    ) -> None:
        conninfo(url)
        self.url = url
        self._pool_url = url
        self._acting: Mapping[str, str] = MappingProxyType({})
        self._restart = restart
        self._timeout = timeout
        self._sizes = {"read": read_size, "write": write_size}
        self._pools: dict[str, ConnectionPool[_Pooled]] = {}
        self._lock = threading.Lock()
        self._reviving = threading.Lock()
        self._closed = threading.Event()
        self._process = os.getpid()
        self._busy: defaultdict[int, list[_Pooled]] = defaultdict(list)
        self._cancelled: set[int] = set()

    queries: ClassVar[Mapping[str, LiteralString]] = QUERIES
    """The queries by name."""

    def acting(self, role: str, *, url: str, writes: bool) -> Database:
        """Return this database as seen by another role; both share the connections, and closing one closes both.

        Each transaction assumes the role before its first statement and leaves it at its end, so that the server
        enforces the rights of the role.

        Args:
            role: name of a role that the login may assume.
            url: the URL of this database with that role, for connections outside of the pools.
            writes: False to let transactions only read, whatever the role may, a minute a statement at most.
        """
        seen = copy.copy(self)
        seen.url = url
        limits = {} if writes else {"transaction_read_only": "on", "statement_timeout": "60s"}
        seen._acting = MappingProxyType({**limits, "role": role})
        return seen

    @property
    def local(self) -> bool:
        """True if the server runs on this machine as far as the URL shows: its host is a socket folder."""
        return is_local(self.url)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a READ ONLY transaction that sees one state of the store from start to end.

        Yields:
            The connection, with the types of pgvector registered.

        Raises:
            ServerError: the server cannot be reached, refuses the login, is too old or lacks pgvector.
            StoreError: a statement failed; the transaction is rolled back.
        """
        with self._transaction("read") as connection:
            yield connection

    def rows(
        self,
        statement: LiteralString,
        parameters: Mapping[str, Any],
        row_factory: RowFactory[T],
        *,
        prepare: bool | None,
    ) -> list[T]:
        """Return the rows of one statement, in a transaction of its own as ``read`` opens it.

        BEGIN, statement and COMMIT are sent together, which saves two round trips. A statement that cannot be
        serialised is repeated: it waited for a change of the vectors' precision, and its snapshot is older.

        Args:
            statement: a statement that returns rows.
            parameters: values by name.
            row_factory: a psycopg row factory.
            prepare: as in psycopg's ``execute``.

        Raises:
            ServerError, StoreError: as ``read``.
        """
        for _ in range(_READ_AGAIN):
            try:
                return self._rows(statement, parameters, row_factory, prepare)
            except errors.StoreError as error:
                if not isinstance(error.__cause__, psycopg.errors.SerializationFailure):
                    raise
        return self._rows(statement, parameters, row_factory, prepare)

    def _rows(
        self, statement: LiteralString, parameters: Mapping[str, Any], row_factory: RowFactory[T], prepare: bool | None
    ) -> list[T]:
        with self._borrowed("read") as connection, connection.cursor(row_factory=row_factory) as cursor:
            # Not every pooler supports pipelined statements. Dates are read in the style that the connection reports,
            # which is the transaction's only until its end.
            if not connection.direct or "datestyle" in connection.settings:
                with connection:
                    connection.apply_settings(self._acting)
                    return cursor.execute(statement, parameters, prepare=prepare).fetchall()
            connection.autocommit = True  # this code sends BEGIN and COMMIT itself
            try:
                with connection.pipeline():
                    connection.execute(_BEGIN_READ, prepare=False)
                    connection.apply_settings(self._acting)
                    cursor.execute(statement, parameters, prepare=prepare)
                    connection.execute("COMMIT", prepare=False)
                return cursor.fetchall()
            finally:
                if not connection.closed:
                    connection.rollback()  # after a failure; otherwise no transaction is open and this sends nothing
                    connection.autocommit = False

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that is committed at the end of the block and rolled back on any exception.

        Yields:
            The connection, with the types of pgvector registered.

        Raises:
            ServerError: the server cannot be reached, refuses the login, is too old or lacks pgvector.
            ConstraintError: the rows violate a constraint; the transaction is rolled back.
            StoreError: a statement failed; the transaction is rolled back.
        """
        with self._transaction("write") as connection:
            yield connection

    def revive(self) -> bool:
        """Start the server again if ragraph manages it and it died.

        Returns:
            True if ragraph manages the server.

        Raises:
            StoreClosedError, StoreForkedError: this database was closed, or belongs to the parent process.
            ServerError: the server does not start; the message says why.
        """
        with self._reviving:  # ``close`` takes this lock, so that no server is started after it
            self.check_usable()
            if self._restart is None:
                return False
            self._restart()
            return True

    def retry_once(self, unit: Callable[[], T]) -> T:
        """Return the result of a unit of work; repeat it once if a server managed by ragraph was lost and restarted.

        The unit opens its own transactions and must be repeatable: a commit may have reached the server although its
        answer was lost.

        Raises:
            ServerUnavailableError: the server does not come back, or ragraph does not manage it.
        """
        try:
            return unit()
        except errors.ServerUnavailableError:
            if not self.revive():
                raise
        return unit()

    def cancel(self, thread: int) -> None:
        """Cancel the statement that a thread waits for, if any; its transaction is rolled back.

        Args:
            thread: identifier of the thread, as ``threading.get_ident`` returns it.
        """
        with self._lock:  # so that the connection stays the thread's
            if thread in self._busy:
                self._cancelled.add(thread)
                with suppress(psycopg.Error):
                    self._busy[thread][-1].cancel_safe(timeout=_CANCEL_S)

    def cancelled(self, thread: int) -> None:
        """Forget that a thread was cancelled, at the end of its work."""
        with self._lock:
            self._cancelled.discard(thread)

    def close(self) -> None:
        """Close all connections. A closed database stays closed; closing it again does nothing."""
        if self._process != os.getpid():  # in a fork, the connections belong to the parent, which still uses them
            return
        with self._reviving, self._lock:
            self._closed.set()
            pools = dict(self._pools)
            self._pools.clear()  # and not another dictionary: it is shared with what ``acting`` returned
        for pool in pools.values():
            pool.close()

    def __enter__(self) -> Database:
        self.check_usable()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[Connection]:
        # commits, or rolls back on an exception
        with self._borrowed(kind) as connection, connection:
            connection.apply_settings(self._acting)
            yield connection

    @contextmanager
    def _borrowed(self, kind: str) -> Iterator[_Pooled]:
        with translate_errors(self.url):
            pool = self._pool(kind)
            connection = self._working_connection(pool)
            thread = threading.get_ident()
            with self._lock:
                self._busy[thread].append(connection)
            try:
                yield connection
            finally:
                with self._lock:
                    self._busy[thread].remove(connection)
                    if not self._busy[thread]:
                        del self._busy[thread]
                    cancelled = thread in self._cancelled
                if cancelled:  # the request may arrive late, and must not hit the next statement
                    connection.close()
                # Here and not by the pool, which would give the connection back from another thread: the next search
                # would not find it yet, and would open or take one whose caches are cold.
                _reset(connection)
                pool.putconn(connection)

    def _pool(self, kind: str) -> ConnectionPool[_Pooled]:
        self.check_usable()
        with self._lock:
            self.check_usable()
            if kind not in self._pools:
                # The pool retries in the background and reports nothing but "timeout" to its caller. So the first
                # connection is tried here, where a refusal has a reason.
                self._probe()
                self._pools[kind] = ConnectionPool(
                    self._pool_url,
                    connection_class=_Pooled,
                    kwargs=_connect_parameters(self._pool_url),
                    min_size=0,
                    max_size=self._sizes[kind],
                    open=True,
                    configure=partial(_configure, writes=kind == "write"),
                    name=f"ragraph-{kind}",
                    timeout=self._timeout,
                    reconnect_timeout=5.0,
                    num_workers=1,
                )
            return self._pools[kind]

    def check_usable(self) -> None:
        """Raise StoreClosedError after ``close``, StoreForkedError in a forked child, without querying the server."""
        if self._process != os.getpid():  # first, because a fork inherits locks whose threads it does not have
            raise errors.StoreForkedError("this store was opened in another process, before a fork: open it in each")
        if self._closed.is_set():
            raise errors.StoreClosedError("this store is closed: open it again with ragraph.open()")

    def _probe(self) -> None:
        with connect(self._pool_url) as connection:
            check_server(connection)
            _check_role(connection, self._pool_url)

    def _working_connection(self, pool: ConnectionPool[_Pooled]) -> _Pooled:
        """Take a working connection from a pool, and discard those that the server ended since their last use."""
        end = time.monotonic() + self._timeout
        while True:
            left = end - time.monotonic()
            try:
                connection = pool.getconn(timeout=min(_PROBE_AFTER_S, max(left, 0.001)))
            except PoolClosed:
                self.check_usable()  # another thread closed the store meanwhile
                raise
            except PoolTimeout as error:
                self._probe()  # raises with the reason if the server is the cause
                if left > _PROBE_AFTER_S:
                    continue
                raise errors.PoolExhaustedError(
                    f"no connection became free within {self._timeout:g} s: close transactions sooner,"
                    " or open the store with larger pools"
                ) from error
            try:
                _check(connection)
            except psycopg.OperationalError:
                connection.close()
                pool.putconn(connection)
            else:
                return connection


def _check(connection: Connection) -> None:
    """Raise OperationalError if the server ended an idle connection; usually without a round trip.

    A server that ends a connection sends a message or closes the socket, and either makes the socket readable. The
    server is queried only if the socket is readable.
    """
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    if poll.poll(0):
        ConnectionPool.check_connection(connection)


def connect(url: str, **parameters: Any) -> Connection:
    """Open one connection outside any pool, with the defaults of ragraph.

    Args:
        url: URL or key=value string of libpq.
        **parameters: further arguments of ``psycopg.connect``, such as ``autocommit``.

    Raises:
        ServerLoginError: the server refuses the user, the password or the database.
        ServerUnavailableError: no server answers at that address.
    """
    with translate_errors(url):
        return psycopg.connect(url, **{**_connect_parameters(url), **parameters})


def check_server(connection: Connection) -> None:
    """Check that the server is new enough and that the database has pgvector.

    Raises:
        ServerVersionError: PostgreSQL is older than 16, the database is not in UTF-8, or pgvector is missing or older
            than 0.8.
    """
    check_server_version(connection)
    row = connection.execute(
        "SELECT extversion, current_database() FROM pg_extension WHERE extname = 'vector'"
    ).fetchone()
    if row is None:
        raise errors.ServerVersionError(
            f"database {connection.info.dbname} has no pgvector: run CREATE EXTENSION vector in it as an administrator"
        )
    version, database = row
    if tuple(int(part) for part in version.split(".")[:2]) < MINIMUM_PGVECTOR:
        raise errors.ServerVersionError(
            f"pgvector {version} is too old: install 0.8 or newer and run ALTER EXTENSION vector UPDATE in {database}"
        )


def check_server_version(connection: Connection) -> None:
    """Check what no migration can change: the version of the server and the encoding of the database.

    Raises:
        ServerVersionError: PostgreSQL is older than 16, or the database is not in UTF-8.
    """
    major = connection.info.server_version // 10000
    if major < MINIMUM_SERVER:
        raise errors.ServerVersionError(
            f"the server is PostgreSQL {major}: ragraph needs {MINIMUM_SERVER} or newer, so upgrade it or use another"
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise errors.ServerVersionError(
            f"database {connection.info.dbname} is encoded in {encoding}: create one with ENCODING 'UTF8'"
        )


def _connect_parameters(url: str) -> dict[str, Any]:
    given = conninfo(url)
    # a single connection repeats too few statements for preparing to pay off
    return {"prepare_threshold": None} | {name: value for name, value in _CONNECT.items() if name not in given}


def is_direct(connection: psycopg.Connection[Any]) -> bool:
    """Return True if a connection leads to the server itself; a pooler reports process ids of its own."""
    with connection.cursor(row_factory=scalar_row) as cursor:
        return bool(cursor.execute("SELECT pg_backend_pid()").fetchone() == connection.info.backend_pid)


def _check_role(connection: Connection, url: str) -> None:
    """Raise ServerLoginError if a pooler drops the role that connections should assume."""
    role = role_of(url)
    if role is None or is_direct(connection):  # a server refuses the connection if it cannot set the role
        return
    if connection.execute("SELECT current_user").fetchone() != (role,):
        raise errors.ServerLoginError(
            f"a pooler does not pass on the role {role!r}: log in as a user who has it, or at the server itself"
        )


def _configure(connection: _Pooled, *, writes: bool) -> None:
    connection.execute(QUERIES["vector_path"])  # for this transaction: pgvector may be outside of the search path
    register_vector(connection)
    connection.add_notice_handler(_warn)
    connection.direct = is_direct(connection)
    connection.settings = dict(connection.execute(QUERIES["connection_settings"], {"writes": writes}).fetchall())
    connection.commit()
    _reset(connection)
    if not writes:
        connection.read_only = True
        # A search and the citations of its hits are several statements, which must see the same documents.
        connection.isolation_level = IsolationLevel.REPEATABLE_READ


def _warn(notice: psycopg.errors.Diagnostic) -> None:
    """Pass on warnings of our functions; other notices are for the server's log."""
    if notice.sqlstate == "01RG1":
        hint = unbroken(notice.message_hint or "")
        said = errors.one_line(unbroken(notice.message_primary or ""), hint[:1].lower() + hint[1:])
        notices.warn(said)


def _reset(connection: _Pooled) -> None:
    # A caller may change the threshold; the next caller gets the documented default.
    connection.prepare_threshold = _PREPARE_AFTER if connection.direct else None
