"""Filters by date find the few documents that have a date of their own by an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        op.f("document_publication_date_idx"),
        "document",
        ["publication_date"],
        schema="ragraph",
        postgresql_where=sa.text("publication_date IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index(op.f("document_publication_date_idx"), table_name="document", schema="ragraph")
