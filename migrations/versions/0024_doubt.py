"""Pages say how likely a reader would find a fault in what was read of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "document_page",
        sa.Column(
            "doubt",
            sa.Float(),
            comment="How likely a reader would find a fault in what was read of it, from 0 to 1; null if not weighed",
        ),
        schema="ragraph",
    )
    op.create_check_constraint(
        op.f("document_page_doubt_check"), "document_page", "doubt BETWEEN 0 AND 1", schema="ragraph"
    )


def downgrade() -> None:
    op.drop_column("document_page", "doubt", schema="ragraph")
