"""Columns that a user has updated are recorded, so that later ingests keep their values."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TABLES = ("publication", "document")


def upgrade() -> None:
    for table in _TABLES:
        column: sa.Column[list[str]] = sa.Column(
            "set_by_hand",
            postgresql.ARRAY(sa.Text()),
            server_default=sa.text("'{}'::text[]"),
            nullable=False,
            comment="Columns that somebody has updated; ingesting again leaves them",
        )
        op.add_column(table, column, schema="ragraph")


def downgrade() -> None:
    for table in _TABLES:
        op.drop_column(table, "set_by_hand", schema="ragraph")
