"""Earlier versions of documents, for collections that keep them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects.postgresql import JSONB

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "version_keeping",
        sa.Column("collection", sa.Text(), nullable=False, comment="Collection whose documents keep what they were"),
        sa.Column("keep", sa.Integer(), comment="How many earlier versions of each document; null for all"),
        sa.CheckConstraint("keep >= 0", name=op.f("version_keeping_keep_check")),
        sa.PrimaryKeyConstraint("collection", name=op.f("version_keeping_pkey")),
        schema="ragraph",
        comment="Which collections keep earlier versions of their documents; the others keep none",
    )
    op.create_table(
        "document_version",
        sa.Column("document_id", sa.Text(), nullable=False, comment="Document that was so"),
        sa.Column(
            "version",
            sa.Integer(),
            nullable=False,
            comment="1, 2, ...; the version after the last of these is the live one",
        ),
        sa.Column("head", JSONB(), comment="Its row in document as it was; null once the version was pruned"),
        sa.Column("ingested_at", sa.TIMESTAMP(timezone=True), comment="When it was taken in"),
        sa.Column(
            "superseded_at",
            sa.TIMESTAMP(timezone=True),
            nullable=False,
            server_default=sa.text("now()"),
            comment="When the next version took its place",
        ),
        _collection(),
        sa.CheckConstraint("version >= 1", name=op.f("document_version_version_check")),
        sa.PrimaryKeyConstraint("document_id", "version", name=op.f("document_version_pkey")),
        _of_document("document_version"),
        schema="ragraph",
        comment="An earlier state of a document",
    )
    op.create_table(
        "document_version_row",
        sa.Column("document_id", sa.Text(), nullable=False, comment="Document that the row belonged to"),
        sa.Column("version", sa.Integer(), nullable=False, comment="Last version in which the row was so"),
        sa.Column(
            "kind",
            sa.Text(),
            nullable=False,
            comment="page, component, node, relation, vector; places: orders and spans",
        ),
        sa.Column("id", sa.Text(), nullable=False, comment="Its id; of places component or node"),
        sa.Column("content", JSONB(), comment="The row; null: the next version has one that this one did not"),
        sa.Column("embedding_vector", VECTOR(), comment="The vector, of a node that the next version does not have"),
        _collection(),
        sa.CheckConstraint(
            "kind IN ('page', 'component', 'node', 'relation', 'places', 'vector')",
            name=op.f("document_version_row_kind_check"),
        ),
        sa.PrimaryKeyConstraint("document_id", "kind", "id", "version", name=op.f("document_version_row_pkey")),
        _of_document("document_version_row"),
        schema="ragraph",
        comment="In what an earlier version differs from the next; what did not change stands only in live tables",
    )


def downgrade() -> None:
    for table in ("document_version_row", "document_version", "version_keeping"):
        op.drop_table(table, schema="ragraph")


def _collection() -> sa.Column[str]:
    return sa.Column(
        "collection",
        sa.Text(),
        nullable=False,
        server_default=sa.text("'default'"),
        comment="Namespace and tenant; the document's own, by foreign key",
    )


def _of_document(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["document_id", "collection"],
        ["ragraph.document.id", "ragraph.document.collection"],
        name=op.f(f"{table}_document_fkey"),
        ondelete="CASCADE",
    )
