"""Opening a store: which server, which schema, and who closes what."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ragraph.base import settings
from ragraph.base.arguments import checked
from ragraph.database import migrate
from ragraph.database.connection import Database
from ragraph.documents.assets import Assets
from ragraph.store.places import reached
from ragraph.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.schema.backup import RestoreReport


@checked()
def open(  # noqa: A001 - the contract
    url: str | None = None,
    *,
    home: str | Path | None = None,
    role: str | None = None,
    create: bool = True,
    upgrade: bool = True,
) -> Store:
    """Open a store, starting the embedded server if no other is named.

    Args:
        url: libpq URL or keyword string of a PostgreSQL 16+ database with pgvector. Default: the environment
            variable ``RAGRAPH_DATABASE_URL``, else the embedded server under ``home``.
        home: folder of the embedded server, and of originals unless ``RAGRAPH_ASSETS`` names another. Default:
            ``RAGRAPH_HOME``, else the platform's user data folder.
        role: the role that each connection becomes: ``reader``, ``writer`` or ``owner``, which `ragraph db roles`
            makes, or any that the login may become. Default: ``RAGRAPH_ROLE``, else the login itself.
        create: make what is missing: the embedded server's data folder, the schema in another database.
        upgrade: bring the schema up to this version of ragraph; False raises if it is not.

    Returns:
        The store; close it, or use it in a ``with`` block. The embedded server stops when its last user leaves.

    Raises:
        ServerError: the server cannot be started, reached or used.
        SchemaVersionError: the schema is newer than this version of ragraph, or older and ``upgrade`` is False.
    """
    with ExitStack() as stack:
        place = stack.enter_context(reached(url, home, create=create, role=role))
        # A database of others gets our schema only when it is asked for, not by a look into it.
        if upgrade and (create or place.server is not None or migrate.current(place.url) is not None):
            migrate.upgrade(place.url)
        else:
            migrate.check(place.url)
        server = place.server
        restart = None if server is None else lambda: server.start(create=False)
        database = Database(place.url, restart=restart)
        stack.callback(database.close)
        return Store(database, assets=place.assets, resources=stack.pop_all())
    raise AssertionError("unreachable")


@checked()
def upgrade_server(
    version: int, *, home: str | Path | None = None, progress: Callable[[str], None] | None = None
) -> RestoreReport | None:
    """Move an embedded store to another major version of PostgreSQL, by a backup that is restored and compared.

    Roles of the server go along, with their passwords, memberships and what they may of the store.

    The old data folder stays beside the new one. A move that fails or is killed leaves the store as it was.

    Args:
        version: 18.
        home: folder of the embedded server; default as of ``open``.
        progress: told the name of each step as it begins.

    Returns:
        What was moved; None if the store is of that version already.

    Raises:
        ServerError: there is no such store, others use it, it is newer, its disk has too little room, or its server
            holds what is not of the store.
        BackupError: what was moved is not what was there.
    """
    from ragraph.backup.dumping import back_up
    from ragraph.backup.restoring import restore_into
    from ragraph.database.roles import ServerRoles
    from ragraph.server.moving import moving

    folder = Path(home) if home else settings.home()
    with moving(folder, version) as move, ExitStack() as stack:
        if move is None:
            return None
        temporary = stack.enter_context(TemporaryDirectory(dir=move.paths.home, prefix="move-"))
        file = Path(temporary) / "store.ragraph"
        assets = Assets(settings.assets() or str(move.paths.home / "assets"))
        with move.old_server() as url:
            migrate.upgrade(url)
            roles = ServerRoles.of(move.as_administrator(url))
            back_up(url, None, file, originals=False, overwrite=False, progress=progress)
        with move.new_server() as url:
            roles.make(move.as_administrator(url))
            report = restore_into(url, assets, file, replace=False, progress=progress)
            roles.apply(move.as_administrator(url))
            return report
    raise AssertionError("unreachable")


@checked()
def restore(
    path: str | Path,
    url: str | None = None,
    *,
    home: str | Path | None = None,
    replace: bool = False,
    progress: Callable[[str], None] | None = None,
) -> RestoreReport:
    """Bring a store back from a file that ``Store.backup`` wrote, on the same or another version of PostgreSQL.

    All of it comes in one transaction and is compared, row by row, with what was backed up; originals follow. An older
    schema is upgraded. Vector indexes are built anew, which takes the most time.

    Args:
        path: the file.
        url: of an existing database, which holds no store or an empty one; default as of ``open``.
        home: folder of an embedded server, made where there is none; default as of ``open``.
        replace: drop what the store holds.
        progress: told the name of each step as it begins.

    Raises:
        BackupError: the file is no whole backup, the store is not empty, or the database refuses: it is as before.
        SchemaVersionError: the backup was made by a newer version of ragraph.
        ServerError: the server cannot be started, reached or used.
    """
    from ragraph.backup.archive import reading
    from ragraph.backup.restoring import restore_into

    with reading(Path(path), whole=True):
        pass  # no server is made for what is no backup, and nothing is dropped for a damaged one
    with reached(url, home, create=True) as place:
        return restore_into(place.url, place.assets, path, replace=replace, progress=progress)
