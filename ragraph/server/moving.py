"""Move an embedded store to another major version of PostgreSQL, with nobody else on it.

The data folder of the old version stays until the new one is complete and beyond: a move that is killed leaves the
store at the old version, and what it began is cleared by the next.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg
from psycopg.conninfo import make_conninfo

from ragraph.base import settings
from ragraph.base.queries import QUERIES
from ragraph.errors import ServerError, ServerResourcesError, ServerUnavailableError
from ragraph.server import data_directory, locks, watch
from ragraph.server.binaries import find_binaries
from ragraph.server.paths import StorePaths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ALONE_S = 10.0
"""How long a server may take to stop after its last client has left."""
_ROOM = 2.5
"""Free space that a move takes, in sizes of the old data folder: its copy in a file, and the new one."""


class Move:
    """A store that is moved: one server of it runs at a time.

    Args:
        paths: of the store, which nobody else uses.
        old: major version that it has.
        new: that it is to have.
    """

    def __init__(self, paths: StorePaths, old: int, new: int) -> None:
        self.paths = paths
        self.old, self.new = old, new

    @contextmanager
    def old_server(self) -> Iterator[str]:
        """The URL of the store as it is.

        Raises:
            ServerError: other databases were made on its server, or other tables, which would not be moved along.
        """
        with self._running(self.old) as found:
            with found.connect("postgres") as connection:
                others = connection.execute(
                    "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname NOT IN ('postgres', %s)"
                    " ORDER BY datname",
                    [data_directory.DATABASE],
                ).fetchall()
            if others:
                names = ", ".join(name for (name,) in others)
                raise ServerError(f"the server also holds the databases {names}: move them by pg_dump, then drop them")
            with found.connect(data_directory.DATABASE) as connection:
                beside = [name for (name,) in connection.execute(QUERIES["relations_beside"], {}).fetchall()]
            if beside:
                raise ServerError(
                    f"the store's database also holds {', '.join(beside[:5])}, which would not be moved along:"
                    " move it by pg_dump, then drop it"
                )
            yield _url(found)

    @staticmethod
    def as_administrator(url: str) -> str:
        """The same URL for the superuser of the embedded server."""
        return make_conninfo(url, user=data_directory.ADMIN)

    @contextmanager
    def new_server(self) -> Iterator[str]:
        """The URL of an empty store of the new version; when the block is through, it is the store."""
        shutil.rmtree(self.paths.data(self.new), ignore_errors=True)  # of a move that was killed
        try:
            with self._running(self.new, create=True) as found:
                found.prepare()
                yield _url(found)
        except BaseException:
            shutil.rmtree(self.paths.data(self.new), ignore_errors=True)
            raise
        self.paths.mark(self.new, again=True)

    @contextmanager
    def _running(self, version: int, *, create: bool = False) -> Iterator[data_directory.Cluster]:
        found = data_directory.Cluster(self.paths, find_binaries(version))
        if create:
            found.create()
        try:
            found.run(time.monotonic() + settings.server_timeout())
            yield found
        finally:
            with contextlib.suppress(TimeoutError):
                watch.stop_postmaster(found.data, self.paths.server_lock)


@contextmanager
def moving(home: Path, version: int) -> Iterator[Move | None]:
    """Give the move of a store to a version; None if it has it already. Nobody else may open the store meanwhile.

    Raises:
        ServerError: there is no store, it is of a newer version, or others use it.
        ServerResourcesError: the disk has too little room.
    """
    paths = StorePaths.of(home)
    find_binaries(version)
    made, there = paths.version(None)
    if not there:
        raise ServerError(f"there is no store in {paths.home}: set RAGRAPH_HOME")
    if made == version:
        yield None
        return
    if made > version:
        raise ServerError(f"the store is on PostgreSQL {made} already: there is no way back but backup and restore")
    deadline = time.monotonic() + _ALONE_S
    try:
        with _held(paths.clients_lock, deadline), _held(paths.start_lock, deadline):
            watch.stop_postmaster(paths.data(made), paths.server_lock)  # kept by `db url`, or of a killed client
            _check_room(paths, made)
            yield Move(paths, made, version)
    except TimeoutError as error:
        raise ServerError(f"{error}: end it by hand, see {paths.log_file}") from None
    except OSError as error:
        raise data_directory.refused(error, paths.home) from None
    except psycopg.Error as error:
        raise data_directory.unprepared(error, paths) from None


@contextmanager
def _held(path: Path, deadline: float) -> Iterator[None]:
    try:
        lock = locks.take(path, locks.EXCLUSIVE, deadline=deadline, waiting_for="the other users of the store to leave")
    except ServerUnavailableError:
        raise ServerUnavailableError("the store is in use: close the programs that use it, then try again") from None
    try:
        yield
    finally:
        if lock is not None:
            locks.release(lock)


def _check_room(paths: StorePaths, version: int) -> None:
    size = sum(file.stat().st_size for file in paths.data(version).rglob("*") if file.is_file())
    free = shutil.disk_usage(paths.home).free
    if free < _ROOM * size:
        raise ServerResourcesError(
            f"the move takes {_ROOM * size / 1e9:.1f} GB on the disk of {paths.home}, which has {free / 1e9:.1f} free"
        )


def _url(found: data_directory.Cluster) -> str:
    host = quote(found.socket_folder(), safe="")
    return f"postgresql://{data_directory.ROLE}@/{data_directory.DATABASE}?host={host}&port=5432"
