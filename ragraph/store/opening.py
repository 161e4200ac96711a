"""Open, restore and move stores."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
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
    """Open a store; start the embedded server if no other server is named.

    Args:
        url: libpq URL or keyword string of a PostgreSQL 16+ database with pgvector. Default: the environment variable
            ``RAGRAPH_DATABASE_URL``, else the embedded server in ``home``.
        home: folder of the embedded server, and of originals unless ``RAGRAPH_ASSETS`` names another. Default:
            ``RAGRAPH_HOME``, else the platform's user data folder.
        role: role that each connection assumes: ``reader``, ``writer`` or ``owner``, which `ragraph db roles` creates,
            or any other that the login may assume. Default: ``RAGRAPH_ROLE``, else the login itself.
        create: create what is missing: the embedded server's data folder, or the schema in another database.
        upgrade: upgrade the schema to this version of ragraph; False to raise an error if it is older.

    Returns:
        The store; close it, or use it in a ``with`` block. The embedded server stops when its last user leaves.

    Raises:
        ServerError: the server cannot be started, reached or used.
        SchemaVersionError: the schema is newer than this version of ragraph, or older and ``upgrade`` is False.
    """
    with ExitStack() as stack:
        place = stack.enter_context(reached(url, home, create=create, role=role))
        # Another database gets the schema only on request, not because it was looked at.
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

    Roles of the server are moved with their passwords, memberships and rights on the store. The old data folder is kept
    next to the new one. A move that fails or is killed leaves the store unchanged.

    Args:
        version: 18.
        home: folder of the embedded server; default as in ``open``.
        progress: called with the name of each step as it begins.

    Returns:
        The report of the restored store; None if the store already has that version.

    Raises:
        ServerError: the store does not exist, others use it, it is newer, its disk has too little free space, or its
            server has databases or tables of others.
        BackupError: the moved store differs from the old one.
    """
    from ragraph.backup.dumping import back_up
    from ragraph.backup.restoring import restore_into
    from ragraph.database.roles import ServerRoles
    from ragraph.server.moving import moving

    folder = Path(home) if home else settings.home()
    with moving(folder, version) as move, ExitStack() as stack:
        if move is None:
            return None
        file = move.paths.home / "move.ragraph"
        stack.callback(file.unlink, missing_ok=True)
        assets = Assets(settings.assets() or str(move.paths.home / "assets"))
        with move.old_server() as url:
            migrate.upgrade(url)
            roles = ServerRoles.of(move.as_administrator(url))
            back_up(url, None, file, originals=False, overwrite=True, progress=progress)  # over that of a killed one
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
    """Restore a store from a file of ``Store.backup``, on the same or another version of PostgreSQL.

    The database is restored in one transaction and compared with the backup row by row. An older schema is upgraded.
    Vector indexes are built again, which takes the most time.

    Args:
        path: the file.
        url: an existing database without a store or with an empty one; default as in ``open``.
        home: folder of an embedded server, created if missing; default as in ``open``.
        replace: delete the data of an existing store.
        progress: called with the name of each step as it begins.

    Raises:
        BackupError: the file is not a complete backup, the store is not empty, or the database refuses it. The database
            is unchanged.
        SchemaVersionError: the backup was made by a newer version of ragraph.
        ServerError: the server cannot be started, reached or used.
    """
    from ragraph.backup.archive import reading
    from ragraph.backup.restoring import restore_into

    with reading(Path(path), whole=True):
        pass  # no server is created for an invalid file, and no data is deleted for a damaged one
    with reached(url, home, create=True) as place:
        return restore_into(place.url, place.assets, path, replace=replace, progress=progress)
