"""What documents were before they changed, where that is kept."""

from __future__ import annotations

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import TIMESTAMP, CheckConstraint, Column, Integer, PrimaryKeyConstraint, Table, Text
from sqlalchemy.dialects.postgresql import JSONB

from ragraph.schema.columns import collection_column, collection_fk, moment
from ragraph.schema.declare import metadata

version_keeping = Table(
    "version_keeping",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection whose documents keep what they were"),
    Column("keep", Integer, comment="How many earlier versions of each document; null for all"),
    PrimaryKeyConstraint("collection"),
    CheckConstraint("keep >= 0", name="keep"),
    comment="Which collections keep earlier versions of their documents; the others keep none",
)

document_version = Table(
    "document_version",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that was so"),
    Column(
        "version", Integer, nullable=False, comment="1, 2, ...; the version after the last of these is the live one"
    ),
    Column("head", JSONB, comment="Its row in document as it was; null once the version was pruned"),
    Column("ingested_at", TIMESTAMP(timezone=True), comment="When it was taken in"),
    moment("superseded_at", "When the next version took its place"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "version"),
    collection_fk(),
    CheckConstraint("version >= 1", name="version"),
    comment="An earlier state of a document",
)

document_version_row = Table(
    "document_version_row",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that the row belonged to"),
    Column("version", Integer, nullable=False, comment="Last version in which the row was so"),
    Column("kind", Text, nullable=False, comment="page, component, node, relation, vector; places: orders and spans"),
    Column("id", Text, nullable=False, comment="Its id; of places component or node"),
    Column("content", JSONB, comment="The row; null: the next version has one that this one did not"),
    Column("embedding_vector", VECTOR, comment="The vector, of a node that the next version does not have"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "kind", "id", "version"),
    collection_fk(),
    CheckConstraint("kind IN ('page', 'component', 'node', 'relation', 'places', 'vector')", name="kind"),
    comment="In what an earlier version differs from the next; what did not change stands only in live tables",
)
