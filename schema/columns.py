"""Columns, keys and indexes that several tables share."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import TIMESTAMP, Column, ForeignKeyConstraint, Index, Text, text
from sqlalchemy.dialects.postgresql import ARRAY

EMPTY_OBJECT = text("'{}'::jsonb")
EMPTY_ARRAY = text("'[]'::jsonb")


def moment(name: str, comment: str) -> Column[datetime]:
    """Return a column for a time, by default now."""
    return Column(name, TIMESTAMP(timezone=True), nullable=False, server_default=text("now()"), comment=comment)


def collection_column() -> Column[str]:
    """Return the column with the collection of a row."""
    return Column(
        "collection",
        Text,
        nullable=False,
        server_default=text("'default'"),
        comment="Namespace and tenant; the document's own, by foreign key",
    )


def collection_fk() -> ForeignKeyConstraint:
    """Return the foreign key that binds the collection of a row to that of its document."""
    return ForeignKeyConstraint(
        ["document_id", "collection"],
        ["ragraph.document.id", "ragraph.document.collection"],
        name="document",
        ondelete="CASCADE",
    )


def page_fk(column: str) -> ForeignKeyConstraint:
    """Return the foreign key of a column with a page of the document."""
    return ForeignKeyConstraint(
        ["document_id", column], ["ragraph.document_page.document_id", "ragraph.document_page.page_pdf"], name=column
    )


def page_indexes() -> tuple[Index, Index]:
    """Return the indexes on the first and the last page of a row."""
    # Deleting a document checks for each of its pages whether a row refers to it. Without these two indexes that reads
    # all rows of the document for each page: 55 s instead of 0.6 s for 1,500 pages and 30,000 nodes.
    return Index(None, "document_id", "first_page"), Index(None, "document_id", "last_page")


def node_fk(column: str, name: str) -> ForeignKeyConstraint:
    """Return the foreign key of a column with a node of the document."""
    return ForeignKeyConstraint(
        ["document_id", column],
        ["ragraph.content_node.document_id", "ragraph.content_node.id"],
        name=name,
        ondelete="CASCADE",
    )


def set_by_hand() -> Column[list[str]]:
    """Return the column with the names of columns that a user has updated."""
    return Column(
        "set_by_hand",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="Columns that a user has updated; later ingests keep their values",
    )
