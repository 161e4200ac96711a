"""Entities: mentions, statements about two entities, and the progress of extractors."""

from __future__ import annotations

from importlib.resources import files

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    statements = (files("ragraph.migrations.versions") / "0011_entities.sql").read_text(encoding="utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def downgrade() -> None:
    for table in ("entity_extraction", "entity_relation", "mention", "entity"):
        op.drop_table(table, schema="ragraph")
