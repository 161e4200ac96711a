"""Find the server of a store, start it if it is the embedded one, and find the folder of its originals."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ragraph.base import settings
from ragraph.database.driver import place_key
from ragraph.database.roles import with_role
from ragraph.documents.assets import Assets
from ragraph.errors import ServerError
from ragraph.server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator


class Place(NamedTuple):
    """The URL of a store's database, the embedded server or None, and its originals."""

    url: str
    server: EmbeddedServer | None
    assets: Assets


@contextmanager
def reached(url: str | None, home: str | Path | None, *, create: bool, role: str | None = None) -> Iterator[Place]:
    """Find the place of a store; an embedded server runs during the block. The schema may be missing.

    Args:
        url: URL of a database; default RAGRAPH_DATABASE_URL unless ``home`` is set, else the embedded server.
        home: folder of the embedded server; default RAGRAPH_HOME, else the user's data folder.
        create: create the embedded server's data folder if it is missing.
        role: role that each connection assumes, as in ``with_role``; default RAGRAPH_ROLE.

    Yields:
        The place.

    Raises:
        ServerError: the URL cannot be parsed, or the server cannot be started.
    """
    role = role or settings.role()
    url = url or (None if home else settings.database_url())
    if url is not None:
        try:
            conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise ServerError("the database URL cannot be read: write it as postgresql://user@host/database") from None
        yield Place(with_role(url, role) if role else url, None, _assets(settings.home() / "assets" / place_key(url)))
        return
    with EmbeddedServer(Path(home) if home else settings.home()).start(create=create) as server:
        own = server.url()
        yield Place(with_role(own, role) if role else own, server, _assets(server.paths.home / "assets"))


def _assets(folder: Path) -> Assets:
    return Assets(settings.assets() or str(folder))
