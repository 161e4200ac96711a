"""Insert rows by binary COPY, the fastest way.

Row-level security refuses COPY into a table, so the rows are then copied into a temporary table. From there, one
statement inserts all rows. On a cluster each row is a statement, because Citus turns INSERT ... SELECT into a COPY.
"""

from __future__ import annotations

import json
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.rows import tuple_row

from ragraph.base.queries import QUERIES
from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    import psycopg
    from numpy.typing import NDArray

    Connection = psycopg.Connection[Any]


_LENGTHS = Struct(">HH")
_VECTOR = "embedding_vector"
_PORTION = 500
"""Number of staged rows held in memory at a time; a vector takes some kB as text."""


def vector_bytes(vector: NDArray[np.float32]) -> bytes:
    """Return a vector in pgvector's binary format, for a column that is sent as ``bytea``."""
    return _LENGTHS.pack(len(vector), 0) + vector.astype(">f4").tobytes()


def _half_bytes(vector: bytes) -> bytes:
    """Return a result of ``vector_bytes`` in half precision, as pgvector rounds it.

    Raises:
        ArgumentError: a number is beyond the range of half precision.
    """
    import numpy as np

    with np.errstate(over="ignore"):
        half = np.frombuffer(vector, dtype=">f4", offset=_LENGTHS.size).astype(">f2")
    if not np.isfinite(half).all():
        raise ArgumentError(
            "a vector has a number beyond 65504, and this store has its vectors in half precision",
            hint="ragraph db vectors full",
        )
    return vector[: _LENGTHS.size] + half.tobytes()


def json_text(value: list[Any] | dict[str, Any]) -> str:
    """Return JSON in the binary format of ``jsonb``, for a column that is sent as ``text``.

    Most values are empty; those are not serialised, to save time.
    """
    return "\x01" + (json.dumps(value) if value else "{}" if isinstance(value, dict) else "[]")


class Copier:
    """Writes rows on a connection, for one transaction.

    If row-level security applies to the role (``ragraph db tenants``), PostgreSQL refuses COPY into the table. Rows are
    then copied into a temporary table with the same columns and inserted from there, under the policies.

    Attributes:
        staged: True if rows pass through a temporary table.
        spread: True if they do so on a cluster, row by row.
        half: True if the store has its vectors in half precision (``ragraph db vectors``).
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        with connection.cursor(row_factory=tuple_row) as cursor:
            self.staged, self.spread, self.half = cursor.execute(QUERIES["rows_are_secured"]).fetchone() or (False,) * 3

    def copy(self, table: str, columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Write rows into a table of the store.

        Args:
            table: name of the table.
            columns: the type that each column's values are sent as, by column name, in the order of ``rows``. An enum
                is sent as its label (``text``), a regconfig as its ``oid``. The results of ``vector_bytes`` and
                ``json_text`` are sent as ``bytea`` and ``text``, because the bytes are the same.
            rows: tuples with a value for each column; read once.

        Raises:
            psycopg.Error: a row violates a constraint or a policy.
        """
        rows = iter(rows)
        first = next(rows, None)
        if first is None:  # starting a COPY takes longer than inserting some rows
            return
        rows = chain([first], rows)
        if self.half and _VECTOR in columns:
            place = list(columns).index(_VECTOR)
            rows = ((*row[:place], _half_bytes(row[place]), *row[place + 1 :]) for row in rows)
        target = sql.Identifier("ragraph", table)
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        if not self.staged:
            self._copy(target, names, columns, rows)
            return
        stage = sql.Identifier("pg_temp", f"staged_{table}")
        if not self._exists(f"staged_{table}"):
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
        self._connection.execute(sql.SQL("DELETE FROM {}").format(stage))  # the transaction may copy more rows

    def _insert_each(self, target: sql.Identifier, columns: Mapping[str, str], stage: sql.Identifier) -> None:
        """Insert staged rows as text, which each type parses back to the same value."""
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

    def _exists(self, name: str) -> bool:
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
