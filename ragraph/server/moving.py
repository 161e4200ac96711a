"""Move an embedded store to another major version of PostgreSQL while nobody else uses it.

The data folder of the old version is kept, also after the new one is complete. A killed move leaves the store at the
old version, and the next move removes what it left behind.
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
"""Seconds to wait for a server to stop after its last client has left."""
_ROOM = 2.5
"""Free space that a move needs, in sizes of the old data folder: for a dump and the new data folder."""


class Move:
    """A store that is being moved; one server of it runs at a time.

    Args:
        paths: paths of the store, which nobody else uses.
        old: its current major version.
        new: the major version to move to.
    """

    def __init__(self, paths: StorePaths, old: int, new: int) -> None:
        self.paths = paths
        self.old, self.new = old, new

    @contextmanager
    def old_server(self) -> Iterator[str]:
        """Run the server of the old version during the block.

        Yields:
            The URL of the store.

        Raises:
            ServerError: the server has other databases or tables, which would not be moved.
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
                raise ServerError(f"the server also has the databases {names}: move them by pg_dump, then drop them")
            with found.connect(data_directory.DATABASE) as connection:
                beside = [name for (name,) in connection.execute(QUERIES["relations_beside"], {}).fetchall()]
            if beside:
                raise ServerError(
                    f"the store's database also has {', '.join(beside[:5])}, which would not be moved:"
                    " move it by pg_dump, then drop it"
                )
            yield _url(found)

    @staticmethod
    def as_administrator(url: str) -> str:
        """Return the same URL for the superuser of the embedded server."""
        return make_conninfo(url, user=data_directory.ADMIN)

    @contextmanager
    def new_server(self) -> Iterator[str]:
        """Run a server of the new version with an empty store; at the end of the block it becomes the store.

        Yields:
            The URL of the empty store.
        """
        shutil.rmtree(self.paths.data(self.new), ignore_errors=True)  # left by a killed move
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
    """Prepare the move of a store to a version, while nobody else may open the store.

    Yields:
        The move, or None if the store has this version already.

    Raises:
        ServerError: there is no store, it has a newer version, or others use it.
        ServerResourcesError: the disk has too little free space.
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
        raise ServerError(f"the store is on PostgreSQL {made} already: it can go back only by backup and restore")
    deadline = time.monotonic() + _ALONE_S
    try:
        with _locked(paths.clients_lock, deadline), _locked(paths.start_lock, deadline):
            # kept running by ``db url``, or left by a killed client
            watch.stop_postmaster(paths.data(made), paths.server_lock)
            _check_room(paths, made)
            yield Move(paths, made, version)
    except TimeoutError as error:
        raise ServerError(f"{error}: end it by hand, see {paths.log_file}") from None
    except OSError as error:
        raise data_directory.refused(error, paths.home) from None
    except psycopg.Error as error:
        raise data_directory.unprepared(error, paths) from None


@contextmanager
def _locked(path: Path, deadline: float) -> Iterator[None]:
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
            f"the move needs {_ROOM * size / 1e9:.1f} GB on the disk of {paths.home}, which has {free / 1e9:.1f} free"
        )


def _url(found: data_directory.Cluster) -> str:
    host = quote(found.socket_folder(), safe="")
    return f"postgresql://{data_directory.ROLE}@/{data_directory.DATABASE}?host={host}&port=5432"
