"""A document records the collections it was ingested into, so that its file is recognised wherever it was moved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column: sa.Column[list[str]] = sa.Column(
        "ingested_into",
        postgresql.ARRAY(sa.Text()),
        server_default=sa.text("'{}'::text[]"),
        nullable=False,
        comment="Collections whose ingestion takes its file for this document, wherever it was moved since",
    )
    op.add_column("document", column, schema="ragraph")
    op.execute(
        "UPDATE ragraph.document"
        " SET ingested_into = ARRAY[collection], set_by_hand = array_remove(set_by_hand, 'collection')"
    )
    op.drop_index("document_collection_sha256_idx", "document", schema="ragraph")
    op.create_index("document_sha256_idx", "document", ["sha256"], schema="ragraph")
    op.create_index("document_collection_idx", "document", ["collection"], schema="ragraph")


def downgrade() -> None:
    op.drop_index("document_collection_idx", "document", schema="ragraph")
    op.drop_index("document_sha256_idx", "document", schema="ragraph")
    op.create_index("document_collection_sha256_idx", "document", ["collection", "sha256"], schema="ragraph")
    op.drop_column("document", "ingested_into", schema="ragraph")
