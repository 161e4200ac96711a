"""A model records how many candidates searches of its index compare, and their recall."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("ef_search", sa.Integer(), "Candidates that searches look at in its index (hnsw.ef_search); null: not measured"),
    ("index_recall", sa.Float(), "Share of the ten nearest that searches found so when it was measured"),
    ("measured_vectors", sa.BigInteger(), "Vectors that it had then"),
)


def upgrade() -> None:
    for name, kind, comment in _COLUMNS:
        op.add_column("embedding_model", sa.Column(name, kind, comment=comment), schema="ragraph")
    op.create_check_constraint(
        op.f("embedding_model_measured_check"),
        "embedding_model",
        "num_nulls(ef_search, index_recall, measured_vectors) IN (0, 3)"
        " AND ef_search >= 1 AND index_recall BETWEEN 0 AND 1 AND measured_vectors >= 0",
        schema="ragraph",
    )


def downgrade() -> None:
    for name, _, _ in _COLUMNS:
        op.drop_column("embedding_model", name, schema="ragraph")
