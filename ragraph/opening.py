"""Opening a store: which server, which schema, and who closes what."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from ragraph import migrate, settings
from ragraph.arguments import checked
from ragraph.assets import Assets
from ragraph.database import Database, place_key
from ragraph.server import EmbeddedServer
from ragraph.store import Store


@checked()
def open(  # noqa: A001 - the contract
    url: str | None = None,
    *,
    home: str | Path | None = None,
    create: bool = True,
    upgrade: bool = True,
) -> Store:
    """Open a store, starting the embedded server if no other is named.

    Args:
        url: libpq URL or keyword string of a PostgreSQL 16+ database with pgvector. Default: the environment
            variable ``RAGRAPH_DATABASE_URL``, else the embedded server under ``home``.
        home: folder of the embedded server, and of originals unless ``RAGRAPH_ASSETS`` names another. Default:
            ``RAGRAPH_HOME``, else the platform's user data folder.
        create: make what is missing: the embedded server's data folder, the schema in another database.
        upgrade: bring the schema up to this version of ragraph; False raises if it is not.

    Returns:
        The store; close it, or use it in a ``with`` block. The embedded server stops when its last user leaves.

    Raises:
        ServerError: the server cannot be started, reached or used.
        SchemaVersionError: the schema is newer than this version of ragraph, or older and ``upgrade`` is False.
    """
    url = url or (None if home else settings.database_url())
    server = None
    with ExitStack() as stack:
        if url is None:
            server = EmbeddedServer(Path(home) if home else settings.home())
            stack.callback(server.close)
            server.start(create=create)
            url = server.url()
            originals = server.paths.home / "assets"
        else:
            originals = settings.home() / "assets" / place_key(url)
        # A database of others gets our schema only when it is asked for, not by a look into it.
        if upgrade and (create or server is not None or migrate.current(url) is not None):
            migrate.upgrade(url)
        else:
            migrate.check(url)
        restart = None if server is None else lambda: server.start(create=False)
        database = Database(url, restart=restart)
        stack.callback(database.close)
        assets = Assets(settings.assets() or str(originals))
        return Store(database, assets=assets, resources=stack.pop_all())
    raise AssertionError("unreachable")
