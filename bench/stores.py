"""Stores to compare with each other: make empty ones, fill them by a model that costs nothing, read them completely."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from pgvector import Vector
from psycopg import sql
from psycopg.rows import dict_row

from bench.throwaway import drop_database
from ragraph.base.queries import read_queries
from ragraph.database import migrate
from ragraph.database.connection import Database
from ragraph.models.embedding import EmbeddingModel
from ragraph.schema.enums import Distance

if TYPE_CHECKING:
    from collections.abc import Sequence

QUERIES = read_queries(Path(__file__).parent / "stores.sql")
OF_RUNS = ("ingest_job", "ingest_file", "ingest_lease")
"""Tables of what runs did, which says nothing of documents: a disturbed run does it again."""
MEASURED = ("ef_search", "index_recall")
"""Columns of figures of a vector index, which is built by chance."""
_TIMESTAMPTZ = 1184


class HashModel(EmbeddingModel):
    """Vectors from hashes, because only writing them is measured."""

    name = "hashes"
    location = "bench"
    dimensions = 8
    distance = Distance.COSINE
    query_prefix = document_prefix = ""
    normalized = True
    max_tokens = 256
    special_tokens = 2

    def encode_documents(self, texts: Sequence[str]) -> Any:
        """Return a vector for each text."""
        found = [hashlib.sha256(text.encode()).digest()[: self.dimensions] for text in texts]
        vectors = np.array([list(digest) for digest in found], dtype=np.float32) + 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def encode_query(self, text: str) -> Any:
        """Return the vector of a text."""
        return self.encode_documents([text])[0]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the words of a text."""
        return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]

    def count_tokens(self, texts: Any) -> list[int]:
        """Return how many words texts have."""
        return [len(self.token_offsets(text)) for text in texts]


def fresh(server: str, name: str) -> str:
    """Make an empty store on a server, replacing one with this name; return its URL."""
    drop(server, name)
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    head, question, parameters = server.partition("?")
    scheme, rest = head.split("://", 1)
    url = f"{scheme}://{rest.split('/', 1)[0]}/{name}{question}{parameters}"
    migrate.upgrade(url)
    return url


def drop(server: str, name: str) -> None:
    """Drop a store."""
    with psycopg.connect(server, autocommit=True) as admin:
        drop_database(admin, name)


def dump(url: str) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of all tables but those of runs, without times and measurements, and all indexes."""
    found: dict[str, list[dict[str, Any]]] = {}
    with Database(url) as database, database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        keys = {row["relname"]: row["key_columns"] for row in cursor.execute(QUERIES["keys"]).fetchall()}
        for table in sorted(keys.keys() - set(OF_RUNS)):
            key = sql.SQL(", ").join(map(sql.Identifier, keys[table]))
            rows = cursor.execute(sql.SQL("SELECT * FROM {} ORDER BY {}").format(sql.Identifier("ragraph", table), key))
            out = {column.name for column in rows.description or () if column.type_code == _TIMESTAMPTZ} | {*MEASURED}
            found[table] = [{name: _plain(value) for name, value in row.items() if name not in out} for row in rows]
        found["indexes"] = cursor.execute(QUERIES["indexes"]).fetchall()
    return found


def compare(expected: dict[str, list[dict[str, Any]]], found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return the differences of two stores, one line each; vectors may differ in their last digits."""
    lines = []
    for table, rows in expected.items():
        if len(rows) != len(found[table]):
            lines.append(f"{table}: {len(found[table])} rows, not {len(rows)}")
            continue
        for one, other in zip(rows, found[table], strict=True):
            wrong = [name for name in one if not _same(one[name], other[name])]
            if wrong:
                apart = "; ".join(f"{name} {_apart(one[name], other[name])}" for name in wrong)
                lines.append(f"{table} {one.get('id') or one}: {apart}")
    return lines


def _plain(value: Any) -> Any:
    """Remove the backends of vectors: of two documents with the same words, the second has copies of the first's."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if name != "backends"}
    if isinstance(value, np.ndarray):  # pgvector before 0.5 returns vectors like this
        return Vector(value)
    return value


def _apart(one: Any, other: Any) -> str:
    """Show two values; of objects, their members that differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted({*one, *other}, key=str)
        return ", ".join(
            f"{key}: {_apart(one.get(key), other.get(key))}" for key in keys if one.get(key) != other.get(key)
        )
    return f"{one!r:.80} and {other!r:.80}"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Vector) and isinstance(other, Vector):
        # the last digits of a vector depend on the other texts of its batch
        left, right = one.to_numpy(), other.to_numpy()
        return left.shape == right.shape and bool(np.abs(left - right).max() < 1e-3)
    return bool(one == other)


def violations(url: str) -> int:
    """Return the number of rules of the model that a store breaks."""
    with Database(url) as database, database.read() as connection:
        return len(connection.execute("SELECT * FROM ragraph.check_store()").fetchall())
