"""Earlier versions of documents, for collections that keep them."""

from __future__ import annotations

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import TIMESTAMP, CheckConstraint, Column, Integer, PrimaryKeyConstraint, Table, Text
from sqlalchemy.dialects.postgresql import JSONB

from ragraph.schema.columns import collection_column, collection_fk, moment
from ragraph.schema.declare import metadata

version_keeping = Table(
    "version_keeping",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection that keeps earlier versions of its documents"),
    Column("keep", Integer, comment="Maximum number of earlier versions of each document; null for all"),
    PrimaryKeyConstraint("collection"),
    CheckConstraint("keep >= 0", name="keep"),
    comment="Which collections keep earlier versions of their documents; the others keep none",
)

document_version = Table(
    "document_version",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of the version"),
    Column(
        "version", Integer, nullable=False, comment="1, 2, ...; the version after the last of these is the live one"
    ),
    Column("head", JSONB, comment="Row of the table document in this version; null once the version was pruned"),
    Column("ingested_at", TIMESTAMP(timezone=True), comment="When it was ingested"),
    moment("superseded_at", "When the next version replaced it"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "version"),
    collection_fk(),
    CheckConstraint("version >= 1", name="version"),
    comment="An earlier state of a document",
)

document_version_row = Table(
    "document_version_row",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of the row"),
    Column("version", Integer, nullable=False, comment="Last version with this state of the row"),
    Column("kind", Text, nullable=False, comment="page, component, node, relation, vector; places: orders and spans"),
    Column("id", Text, nullable=False, comment="Its id; for places the component or node"),
    Column("content", JSONB, comment="The row; null if the next version added it"),
    Column("embedding_vector", VECTOR, comment="Vector of a node that the next version does not have"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "kind", "id", "version"),
    collection_fk(),
    CheckConstraint("kind IN ('page', 'component', 'node', 'relation', 'places', 'vector')", name="kind"),
    comment="Differences between a version and the next; unchanged rows are only in the live tables",
)
