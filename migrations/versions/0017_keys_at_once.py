"""The index on keys of works inserts each row at once, because pending rows are compared with each key of a search."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER INDEX ragraph.work_entry_keys_idx SET (fastupdate = off)")
    op.execute("SELECT gin_clean_pending_list('ragraph.work_entry_keys_idx'::regclass)")


def downgrade() -> None:
    op.execute("ALTER INDEX ragraph.work_entry_keys_idx RESET (fastupdate)")
