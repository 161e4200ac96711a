"""Works: parsed bibliography entries with the works that they cite, and CITES between documents."""

from __future__ import annotations

from importlib.resources import files

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TYPE ragraph.relation_type ADD VALUE IF NOT EXISTS 'CITES'")
    statements = (files("ragraph.migrations.versions") / "0014_works.sql").read_text(encoding="utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def downgrade() -> None:
    op.execute("DELETE FROM ragraph.document_relation WHERE relation_type = 'CITES'")
    op.drop_table("work_entry", schema="ragraph")  # the value of the type stays, because PostgreSQL cannot remove it
