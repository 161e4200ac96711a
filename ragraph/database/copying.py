"""Rows into tables by binary COPY, the fastest way there; under row-level security, which refuses it, in two steps.

The second step is one statement, on a cluster one for each row: of one that selects Citus makes a COPY again.
"""

from __future__ import annotations

import json
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.rows import tuple_row

from ragraph.base.queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    import psycopg
    from numpy.typing import NDArray

    Connection = psycopg.Connection[Any]


_LENGTHS = Struct(">HH")
_PORTION = 500
"""Staged rows that are held at once: a vector is some kB of text."""


def vector_bytes(vector: NDArray[np.float32]) -> bytes:
    """Return a vector as pgvector takes it in binary, for a column that is sent as ``bytea``."""
    return _LENGTHS.pack(len(vector), 0) + vector.astype(">f4").tobytes()


def json_text(value: list[Any] | dict[str, Any]) -> str:
    """Return JSON as ``jsonb`` is taken in binary, for a column that is sent as ``text``.

    Most rows have nothing to state, and it takes time to find that out.
    """
    return "\x01" + (json.dumps(value) if value else "{}" if isinstance(value, dict) else "[]")


class Copier:
    """Writes rows on a connection, for one transaction.

    Where row-level security holds for the role (``ragraph db tenants``), PostgreSQL takes no COPY into a table: rows
    are then copied into a temporary table of the same columns and inserted from there, under the policies.

    Attributes:
        staged: whether it does.
        spread: whether it does so on a cluster, row by row.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        with connection.cursor(row_factory=tuple_row) as cursor:
            self.staged, self.spread = cursor.execute(QUERIES["rows_are_secured"]).fetchone() or (False, False)

    def copy(self, table: str, columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Write rows into a table of the store.

        Args:
            table: its name.
            columns: name to the type that its values are sent as, in the order of ``rows``. An enum travels as its
                label (``text``), a regconfig as its ``oid``, what ``vector_bytes`` and ``json_text`` give as
                ``bytea`` and ``text``: the bytes are the same.
            rows: read once.

        Raises:
            psycopg.Error: a row breaks a rule, or a policy.
        """
        rows = iter(rows)
        first = next(rows, None)
        if first is None:  # to begin a COPY takes longer than some rows do
            return
        rows = chain([first], rows)
        target = sql.Identifier("ragraph", table)
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        if not self.staged:
            self._copy(target, names, columns, rows)
            return
        stage = sql.Identifier("pg_temp", f"staged_{table}")
        if not self._made(f"staged_{table}"):
            self._connection.execute(
                sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA").format(
                    sql.Identifier(f"staged_{table}"), names, target
                )
            )
        self._copy(stage, names, columns, rows)
        if self.spread:
            self._insert_each(target, columns, stage)
        else:
            self._connection.execute(
                sql.SQL("INSERT INTO {target} ({names}) SELECT {names} FROM {stage}").format(
                    target=target, names=names, stage=stage
                )
            )
        self._connection.execute(sql.SQL("DELETE FROM {}").format(stage))  # more may come in this transaction

    def _insert_each(self, target: sql.Identifier, columns: Mapping[str, str], stage: sql.Identifier) -> None:
        """Insert staged rows by their texts, which each type reads again as they were."""
        names = [sql.Identifier(name) for name in columns]
        texts = sql.SQL(", ").join(sql.SQL("{}::text").format(name) for name in names)
        insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            target, sql.SQL(", ").join(names), sql.SQL(", ").join(sql.Placeholder() * len(names))
        )
        with (
            self._connection.cursor("staged", row_factory=tuple_row) as staged,
            self._connection.cursor() as cursor,
        ):
            staged.execute(sql.SQL("SELECT {} FROM {}").format(texts, stage))
            while rows := staged.fetchmany(_PORTION):
                cursor.executemany(insert, rows)

    def _made(self, name: str) -> bool:
        found = self._connection.execute(QUERIES["temporary_table"], {"name": name}).fetchone()
        return found is not None

    def _copy(
        self, table: sql.Identifier, names: sql.Composed, columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]
    ) -> None:
        statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(table, names)
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(list(columns.values()))
            for row in rows:
                copy.write_row(row)
