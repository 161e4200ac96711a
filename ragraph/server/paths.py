"""The files and folders of an embedded store in its home folder."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ragraph.errors import ServerError, ServerNotFoundError, ServerVersionError
from ragraph.server.binaries import DEFAULT_VERSION, VERSIONS

_LONGEST = 900  # bytes; PostgreSQL's own limit is 1024 with the names of its files


@dataclass(frozen=True)
class StorePaths:
    """The folder of a store.

    ``store.json`` marks a finished store. ``postgres-18/`` has the data, ``run/`` the socket, ``log/`` the server's
    log. ``start.lock`` is held while the server is started, ``clients.lock`` by every client, ``server.lock`` by the
    server, ``watch.lock`` and ``hold.lock`` by the two helper processes of watch.py.
    """

    home: Path

    @classmethod
    def of(cls, home: Path) -> StorePaths:
        """Return the paths of a home folder, by its real path: two names of one folder are one store."""
        real = Path(home).expanduser().resolve()
        if "\n" in str(real) or "\r" in str(real):
            raise ServerError(f"the path {str(real)!r} has a line break: set RAGRAPH_HOME to another folder")
        if len(os.fsencode(real)) > _LONGEST:
            raise ServerError(
                f"a path of {len(os.fsencode(real))} bytes is too long for PostgreSQL: choose another RAGRAPH_HOME"
            )
        return cls(real)

    def data(self, version: int) -> Path:
        """Return the data folder of a major version."""
        return self.home / f"postgres-{version}"

    @property
    def marker(self) -> Path:
        """The file that marks a created store, so that a lost data folder is noticed."""
        return self.home / "store.json"

    @property
    def run(self) -> Path:
        """The folder of the socket, unless its path is too long."""
        return self.home / "run"

    @property
    def log_file(self) -> Path:
        """The log of the server."""
        return self.home / "log" / "postgres.log"

    @property
    def start_lock(self) -> Path:
        """Held exclusively by the process that starts the server."""
        return self.home / "start.lock"

    @property
    def clients_lock(self) -> Path:
        """Held shared by every client, exclusively by the watcher that stops the server."""
        return self.home / "clients.lock"

    @property
    def server_lock(self) -> Path:
        """Held by all processes of the server."""
        return self.home / "server.lock"

    @property
    def watch_lock(self) -> Path:
        """Held by the watcher."""
        return self.home / "watch.lock"

    @property
    def hold_lock(self) -> Path:
        """Held by the process that keeps the server running for other programs."""
        return self.home / "hold.lock"

    def version(self, asked: int | None) -> tuple[int, bool]:
        """Return the major version to use, and whether a store exists.

        Args:
            asked: the requested major version, or None.

        Raises:
            ServerNotFoundError: a store was created here, and its data folder is missing or damaged.
            ServerVersionError: the store has another version than the requested one.
        """
        there = [version for version in VERSIONS if self.data(version).exists()]
        made = self._marked()
        if made is None and not there:
            return asked or DEFAULT_VERSION, False
        if made is None:  # the first start was interrupted after the data folder was created
            made = asked if asked in there else there[-1]
        if asked not in {None, made}:
            raise ServerVersionError(
                f"the store in {self.home} was created by PostgreSQL {made}, not {asked}: "
                f"set RAGRAPH_POSTGRES_VERSION={made}, or set RAGRAPH_HOME to another folder for a new store"
            )
        if not (self.data(made) / "PG_VERSION").is_file():
            others = sorted(
                entry.name for entry in self.home.iterdir() if entry.is_dir() and entry.name.startswith("postgres-")
            )
            hint = f" (found here: {', '.join(others)})" if others else ""
            raise ServerNotFoundError(
                f"{self.data(made)} is missing or damaged, though a store was created here{hint}: restore that folder, "
                f"or delete {self.marker.name} and the rest of it to begin a new store"
            )
        return made, True

    def mark(self, version: int, *, again: bool = False) -> None:
        """Write the marker of a complete store, unless it exists; ``again`` replaces it."""
        if self.marker.exists() and not again:
            return
        content = {"format": 1, "postgres": version, "created": datetime.now(UTC).isoformat(timespec="seconds")}
        new = self.marker.with_name("store.json.new")
        new.write_text(json.dumps(content) + "\n", encoding="utf-8")
        new.replace(self.marker)

    def _marked(self) -> int | None:
        try:
            content = json.loads(self.marker.read_text(encoding="utf-8"))
            return int(content["postgres"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            raise ServerNotFoundError(
                f"{self.marker} cannot be read: restore it, or delete it if the store beside it is complete"
            ) from None
