"""Documents from inside the file of another document: attachments of a mail, files in a PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import scalar_row

from ragraph.base.queries import QUERIES
from ragraph.documents.deleting import delete_rows
from ragraph.ingest.files.attachments import ATTACHED, has_attachments
from ragraph.ingest.files.inside import file_around
from ragraph.ingest.files.places import name_of
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.files.discover import Found

    Connection = psycopg.Connection[Any]


def own_metadata(draft: Draft, address: str) -> dict[str, Any]:
    """Return title, authors and date of an attached document; without a title it has the name of its file."""
    found = draft.metadata
    shown = next((node.text for node in draft.nodes if node.type is ContentNodeType.TITLE and node.text.strip()), None)
    return {
        "title": found.title or shown or name_of(address),
        "authors": ", ".join(found.authors) or None,
        "publication_date": found.publication_date,
    }


def publication_around(connection: Connection, found: Found, collection: str) -> str | None:
    """Return the publication of the file that a file is attached to; None for other files, or if it is not stored."""
    around = file_around(found.uri)
    if around is None:
        return None
    names = {"source_uri": around, "collection": collection}
    with connection.cursor(row_factory=scalar_row) as cursor:
        known: str | None = cursor.execute(QUERIES["publication_at"], names).fetchone()
    return known


def of_same_file(rows: Sequence[dict[str, Any]], found: Found, publication: str | None) -> list[dict[str, Any]]:
    """Return the rows that can be the document of a file, or one that it is a copy of.

    Each file has attachments of its own, even if their bytes are those of another file or of its attachments.

    Args:
        rows: documents with the place, the name or the bytes of the file.
        found: the file.
        publication: that of the file around it; None if it is not stored, for example because it is a copy itself.
    """
    if file_around(found.uri) is None:
        return [row for row in rows if row["source_uri"] is None or file_around(row["source_uri"]) is None]
    inside = [row for row in rows if row["source_uri"] and file_around(row["source_uri"]) is not None]
    here = [row for row in inside if row["source_uri"] == found.uri]
    return inside if publication is None else here or [row for row in inside if row["publication_id"] == publication]


def no_longer_inside(
    connection: Connection, row: dict[str, Any] | None, found: Found, collection: str, attachments: str
) -> tuple[str, ...]:
    """Return the ids of the documents that were attached to the file of a document and are no longer in it.

    Args:
        connection: a connection.
        row: the document of the file.
        found: the file, with its attachments if it was looked into.
        collection: collection of the run.
        attachments: what becomes of attachments, see ``ReadOptions``.
    """
    if row is None or found.address is not None or not has_attachments(found.path):
        return ()
    inside = found.entry.get(ATTACHED) if attachments == "documents" else {}
    if not isinstance(inside, dict):
        return ()  # nobody could look into it
    names = {
        "publication_id": row["publication_id"],
        "collection": collection,
        "source_uri": found.uri,
        "addresses": list(inside),
        "contents": list(inside.values()),
    }
    with connection.cursor(row_factory=scalar_row) as cursor:
        return tuple(cursor.execute(QUERIES["attached_elsewhere"], names).fetchall())


def delete_attached(connection: Connection, documents: Sequence[str]) -> set[str]:
    """Delete documents that are no longer in a file; return the assets that they named."""
    return {name for document in documents for name in delete_rows(connection, document)}


def adopt(connection: Connection, publication_id: str, found: Found, collection: str) -> None:
    """Make attachments that were stored before the file around them documents of its publication."""
    if addresses := found.entry.get(ATTACHED):
        names = {"addresses": list(addresses), "publication_id": publication_id, "collection": collection}
        with connection.cursor(row_factory=scalar_row) as cursor:
            before = cursor.execute(QUERIES["adopt_attachments"], names).fetchall()
            used = cursor.execute(QUERIES["publications_in_use"], {"publication_ids": before}).fetchall()
        if empty := sorted({*before} - {*used}):
            connection.execute(QUERIES["drop_publications"], {"publication_ids": empty})
