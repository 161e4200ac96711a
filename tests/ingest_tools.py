"""What the tests of ingesting share: a short way to ingest, and the whole store as plain values to compare."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.rows import dict_row

from ragraph.ingest.jobs import ingest_paths

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ragraph.database import Database
    from ragraph.schema.reports import FileReport, IngestReport

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
    """Ingest with the default model; ``model=None`` to leave it out."""
    return ingest_paths(database, paths, **{"workers": 2, **options})


def by_name(report: IngestReport) -> dict[str, FileReport]:
    return {file.path.rsplit("/", 1)[-1]: file for file in report.files}


def statuses(report: IngestReport) -> dict[str, str]:
    return {name: file.status for name, file in by_name(report).items()}


def rows(database: Database, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        return connection.execute(statement, values or None).fetchall()  # type: ignore[call-overload]


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
