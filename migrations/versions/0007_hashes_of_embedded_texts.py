"""An index on hashes of embedded texts, so that equal text is not embedded again."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "embedding_content_hash_idx", "embedding", ["content_hash"], schema="ragraph", postgresql_using="hash"
    )


def downgrade() -> None:
    op.drop_index("embedding_content_hash_idx", "embedding", schema="ragraph")
