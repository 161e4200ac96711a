"""Temporary stores: on an embedded server of their own, or in a database of an existing server."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

import ragraph
from ragraph import server

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def throwaway_store() -> Iterator[ragraph.Store]:
    """Yield an empty store in a temporary folder; its server is stopped before the folder is deleted."""
    with tempfile.TemporaryDirectory(prefix="ragraph-", ignore_cleanup_errors=True) as folder:
        try:
            with ragraph.open(home=folder) as store:
                yield store
        finally:
            server.stop(Path(folder))


def drop_database(admin: psycopg.Connection, name: str) -> None:
    """Drop a database if it exists, whoever is connected to it; ``admin`` commits each statement."""
    for attempt in range(100):
        try:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectInUse):
            # autovacuum is connected, which only a superuser may end; it leaves by itself
            if attempt == 99:
                raise
            time.sleep(0.1)
        else:
            return
