"""What the tests of ingesting share: a short way to ingest, and the whole store as plain values to compare."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from psycopg import sql
from psycopg.rows import dict_row

from ragraph.ingest.reader_process import isolate
from ragraph.models.embedding import EmbeddingModel
from ragraph.schema.enums import Distance
from ragraph.store.intake import ingest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ragraph.database.connection import Database
    from ragraph.schema.reports import FileReport, IngestReport


class WordModel(EmbeddingModel):
    """Stands for an embedding model where only the ingester is tested: words as tokens, vectors from hashes.

    The packaged model takes seconds to load in every process; tests/test_embedding.py and the tests of the command
    line use it.
    """

    location = "tests"
    dimensions = 8
    distance = Distance.COSINE
    query_prefix = ""
    normalized = True
    max_tokens = 256
    special_tokens = 2

    def __init__(self, name: str = "words", document_prefix: str = "") -> None:
        self.name = name
        self.document_prefix = document_prefix

    def encode_documents(self, texts: Sequence[str]) -> Any:
        digests = [hashlib.sha256((self.document_prefix + text).encode()).digest() for text in texts]
        vectors = np.array([[byte + 1 for byte in found[: self.dimensions]] for found in digests], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def encode_query(self, text: str) -> Any:
        return self.encode_documents([text])[0]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]

    def count_tokens(self, texts: Iterable[str]) -> list[int]:
        return [len(self.token_offsets(text)) for text in texts]


@contextmanager
def one_pool() -> Iterator[None]:
    """Let all runs share one pool of readers, since each costs a second to start."""
    pool = isolate.ReaderPool()

    class Shared:
        def __init__(self, **_: Any) -> None:
            self.read = pool.read

        def __enter__(self) -> Shared:
            return self

        def __exit__(self, *_: object) -> None: ...

        def close(self) -> None: ...

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolate, "ReaderPool", Shared)
        yield
    pool.close()


TABLES = {
    "publication": "id",
    "document": "id",
    "document_page": "document_id, page_pdf",
    "document_component": "document_id, id",
    "content_node": "document_id, id",
    "relation": "document_id, id",
    "embedding_model": "name",
    "embedding": "document_id, id",
}
TIMES = {"created_at", "updated_at", "processed_at"}


def run(database: Database, *paths: Path, **options: Any) -> IngestReport:
    """Ingest with a model of words; ``model=None`` to embed nothing."""
    own: Any = {"workers": 2, "model": WordModel(), **options}
    return ingest(database, paths, own, own.pop("assets", None))


def by_name(report: IngestReport) -> dict[str, FileReport]:
    return {file.path.rsplit("/", 1)[-1]: file for file in report.files}


def statuses(report: IngestReport) -> dict[str, str]:
    return {name: file.status for name, file in by_name(report).items()}


def rows(database: Database, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        return connection.execute(statement, values or None).fetchall()


def dump(database: Database, *, without: Iterable[str] = ()) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of all tables in key order, times left out and vectors rounded."""
    found: dict[str, list[dict[str, Any]]] = {}
    with database.read() as connection, connection.cursor(row_factory=dict_row) as cursor:
        for table, key in TABLES.items():
            if table in without:
                continue
            statement = sql.SQL("SELECT * FROM {} ORDER BY {}").format(sql.Identifier("ragraph", table), sql.SQL(key))
            found[table] = [
                {name: _plain(value) for name, value in row.items() if name not in TIMES}
                for row in cursor.execute(statement)
            ]
    return found


def digest(database: Database) -> str:
    """Return a hash of the whole store: equal before and after means that nothing changed."""
    return hashlib.sha256(repr(dump(database)).encode()).hexdigest()


def _plain(value: Any) -> Any:
    # the last digits of a vector depend on what else was in its batch
    return [round(float(number), 3) + 0.0 for number in value] if hasattr(value, "dtype") else value
