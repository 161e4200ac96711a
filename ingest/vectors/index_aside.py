"""Drop the index of a model during a run that writes many vectors; it is built again afterwards.

Inserting a vector into an HNSW index takes several times its share of a build. If a run is going to write so many that
building the index again is cheaper, the index is dropped first. Searches are exact meanwhile, so they stay complete and
take longer. A process that dropped an index holds a lock until it has written everything; the last such process builds
(``maintenance.build_index``). A killed process releases its lock, and the next run builds.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from ragraph.base.queries import QUERIES
from ragraph.database.connection import connect, is_direct
from ragraph.database.driver import translate_errors
from ragraph.errors import RagraphError

if TYPE_CHECKING:
    from ragraph.database.connection import Database

LEAST = 10_000
"""Minimum vectors of a run for dropping the index."""

DEARER = 4.0
"""Cost of inserting a vector, as a multiple of its share of a build, in processor time; the same at any size."""

_PATIENCE = "10s"
"""Maximum time that dropping waits for transactions that use the index; after that the index stays."""


class IndexAside:
    """Decides for one run and one model, and holds the lock. Used by one thread at a time.

    Attributes:
        was_set: whether it dropped an index, which has to be built again.
    """

    def __init__(self, database: Database, model_name: str) -> None:
        self._database = database
        self._names = {"model_name": model_name}
        self._asked_at = LEAST
        self._holder: psycopg.Connection[Any] | None = None
        self.was_set = False

    def coming(self, vectors: int) -> None:
        """Announce, before writing, how many vectors are to come, as far as known."""
        if self._holder is not None or vectors < self._asked_at:
            return
        self._asked_at = 2 * vectors  # not worthwhile, or not possible: do not check again for each batch
        try:
            with self._database.read() as reader:
                (held,) = reader.execute(QUERIES["vectors_in_index"], self._names).fetchone() or (None,)
            if held is None or is_worth(vectors, held):
                self._set_aside()
        except (RagraphError, psycopg.Error):  # writing is slower then, but correct
            self.close()

    def close(self) -> None:
        """Release the lock, so that the index can be built."""
        if self._holder is not None:
            with suppress(psycopg.Error):
                self._holder.execute(QUERIES["let_go_of_index"])
            self._forget_holder()

    def _forget_holder(self) -> None:
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def _set_aside(self) -> None:
        with translate_errors(self._database.url):
            self._holder = connect(self._database.url, autocommit=True, row_factory=tuple_row)
            if not is_direct(self._holder):  # a pooler would give the session and its lock to others
                self._forget_holder()
                return
            (held,) = self._holder.execute(QUERIES["hold_index_aside"], self._names).fetchone() or (False,)
            if not held:  # it is being built
                self.close()
                return
            self._holder.execute(sql.SQL("SET lock_timeout = {}").format(_PATIENCE))
            for (index,) in self._holder.execute(QUERIES["vector_indexes_of"], self._names).fetchall():
                drop = sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS ragraph.{}")
                self.was_set = True
                self._holder.execute(drop.format(sql.Identifier(index)))


def is_worth(vectors: int, held: int) -> bool:
    """Return True if building an index over all vectors is cheaper than inserting these into one with ``held``."""
    return DEARER * vectors > held + vectors
