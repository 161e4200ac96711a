"""Where a store lies: which server, started if it is ours, and which folder its originals have."""

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
    """The URL of a store's database, the embedded server if it is on one, and its originals."""

    url: str
    server: EmbeddedServer | None
    assets: Assets


@contextmanager
def reached(url: str | None, home: str | Path | None, *, create: bool, role: str | None = None) -> Iterator[Place]:
    """Give the place of a store; the embedded server runs meanwhile. The schema may be missing.

    Args:
        url: of a database; default RAGRAPH_DATABASE_URL unless ``home`` is given, else the embedded server.
        home: folder of the embedded server; default RAGRAPH_HOME, else the user's data folder.
        create: make the embedded server's data folder where there is none.
        role: what each connection becomes, as of ``with_role``; default RAGRAPH_ROLE.

    Raises:
        ServerError: the URL cannot be read, or the server cannot be started.
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
