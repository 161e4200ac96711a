"""A model records when searches were switched to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "embedding_model",
        sa.Column(
            "switched_at",
            sa.TIMESTAMP(timezone=True),
            comment="When the store was last switched to it: the latest is what searches and ingestion use unless told",
        ),
        schema="ragraph",
    )


def downgrade() -> None:
    op.drop_column("embedding_model", "switched_at", schema="ragraph")
