"""Tenants: grants of collections to roles."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "collection_grant",
        sa.Column("role_name", sa.Text(), nullable=False, comment="Role of PostgreSQL; its members see the same"),
        sa.Column("collection", sa.Text(), nullable=False, comment="Collection that it sees; * for all, now and later"),
        sa.Column("may_write", sa.Boolean(), nullable=False, comment="Whether it also changes what is in there"),
        sa.CheckConstraint("collection <> ''", name=op.f("collection_grant_collection_check")),
        sa.PrimaryKeyConstraint("role_name", "collection", name=op.f("collection_grant_pkey")),
        schema="ragraph",
        comment="Which role sees which collection, where tenants are on; policies are made of it",
    )
    # if there are roles, the writer was granted rights on every new table
    op.execute(
        "DO $$ BEGIN IF to_regrole('ragraph_writer') IS NOT NULL THEN"
        " REVOKE INSERT, UPDATE, DELETE ON ragraph.collection_grant FROM ragraph_writer; END IF; END $$"
    )


def downgrade() -> None:
    op.drop_table("collection_grant", schema="ragraph")
