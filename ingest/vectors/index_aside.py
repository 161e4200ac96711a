"""The index of a model out of the way of a run that writes many vectors; it is built again when the run is over.

To insert a vector into an HNSW index takes several times what its share of a build does. Where a run is going to write
so many that building all anew is cheaper, the index is dropped first. Searches are exact meanwhile, so they stay
complete and take longer. Whoever set an index aside holds a lock until it has written all; the last of them builds
(``maintenance.build_index``). A killed one lets go of it by dying, and the next run builds.
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
"""Fewer vectors than these are always inserted."""

DEARER = 4.0
"""How many times its share of a build a vector takes that is inserted, in processor time, whatever the size."""

_PATIENCE = "10s"
"""How long dropping waits for transactions that use the index; after that it stays."""


class IndexAside:
    """Decides for one run and one model, and holds the lock. Used by one thread at a time.

    Attributes:
        was_set: whether it took an index away, which is then to be built again.
    """

    def __init__(self, database: Database, model_name: str) -> None:
        self._database = database
        self._names = {"model_name": model_name}
        self._asked_at = LEAST
        self._holder: psycopg.Connection[Any] | None = None
        self.was_set = False

    def coming(self, vectors: int) -> None:
        """Say, before some are written, how many vectors are to come, as far as is known."""
        if self._holder is not None or vectors < self._asked_at:
            return
        self._asked_at = 2 * vectors  # not worth it, or not possible: not asked again for each batch
        try:
            with self._database.read() as reader:
                (held,) = reader.execute(QUERIES["vectors_in_index"], self._names).fetchone() or (None,)
            if held is None or is_worth(vectors, held):
                self._set_aside()
        except (RagraphError, psycopg.Error):  # the index is slower then, and as right
            self.close()

    def close(self) -> None:
        """Let others build the index."""
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
            if not is_direct(self._holder):  # a pooler would leave the lock with others
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
    """Whether to build an index anew over all is cheaper than to insert so many into one that holds so many."""
    return DEARER * vectors > held + vectors
