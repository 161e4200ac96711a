"""A model records what its vector index stores, and the full length of vectors that are cut."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_KIND = postgresql.ENUM("halfvec", "bit", name="index_kind", schema="ragraph")


def upgrade() -> None:
    _KIND.create(op.get_bind())
    op.add_column(
        "embedding_model",
        sa.Column(
            "truncated_from",
            sa.Integer(),
            comment="Length of what the model gives, where its vectors here are but the beginning of that",
        ),
        schema="ragraph",
    )
    op.add_column(
        "embedding_model",
        sa.Column(
            "index_kind",
            postgresql.ENUM(name="index_kind", schema="ragraph", create_type=False),
            server_default="halfvec",
            nullable=False,
            comment="What the index of its vectors holds of each",
        ),
        schema="ragraph",
    )
    op.create_check_constraint(
        op.f("embedding_model_truncated_from_check"), "embedding_model", "truncated_from > dimensions", schema="ragraph"
    )
    op.create_check_constraint(
        op.f("embedding_model_index_kind_check"),
        "embedding_model",
        "index_kind = 'halfvec' OR distance <> 'l2'",
        schema="ragraph",
    )


def downgrade() -> None:
    op.drop_column("embedding_model", "index_kind", schema="ragraph")
    op.drop_column("embedding_model", "truncated_from", schema="ragraph")
    _KIND.drop(op.get_bind())
