"""Delete a document, with what is derived from it and what is attached to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row

from ragraph.base.queries import QUERIES
from ragraph.documents.assets import assets_of

if TYPE_CHECKING:
    import psycopg


def attached_to(connection: psycopg.Connection[Any], document: str) -> list[str]:
    """Return the ids of the documents read from inside the file of a document: a mail, a PDF file."""
    with connection.cursor(row_factory=scalar_row) as cursor:
        return list(cursor.execute(QUERIES["attached_to"], {"document_id": document}).fetchone() or ())


def delete_rows(connection: psycopg.Connection[Any], document: str) -> set[str]:
    """Delete a document and those attached to it, in the transaction of a connection.

    Returns:
        The assets that their rows named, which may have no other document now.

    Raises:
        psycopg.Error: with SQLSTATE RG001 if there is no such document.
    """
    names = [document, *attached_to(connection, document)]
    kept: set[str] = set()
    words: list[Any] = []
    for name in names:
        kept |= assets_of(connection, name)
        words += connection.execute(QUERIES["common_words_of"], {"document_id": name}).fetchall()
    connection.execute(QUERIES["delete_document"], {"document_id": document})
    for name in names:
        connection.execute(QUERIES["forget_files"], {"document_id": name})
    if words:
        named = zip(("collections", "ts_configs", "lexemes"), map(list, zip(*words, strict=True)), strict=True)
        connection.execute(QUERIES["forget_words"], dict(named))
    return kept
