"""The tables, types and indexes that ragraph starts with.

Frozen in 0001_tables.sql: what changes in schema/tables.py later needs a revision of its own.
"""

from __future__ import annotations

from importlib.resources import files

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TABLES = (
    "embedding",
    "document_relation",
    "relation",
    "content_node",
    "document_component",
    "document_page",
    "document",
    "embedding_model",
    "text_statistics",
    "publication",
)
_TYPES = (
    "distance",
    "processing_status",
    "relation_type",
    "embedding_source",
    "content_node_type",
    "component_type",
    "document_type",
)


def upgrade() -> None:
    statements = (files("ragraph.migrations.versions") / "0001_tables.sql").read_text(encoding="utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table, schema="ragraph")
    for name in _TYPES:
        op.execute(f"DROP TYPE ragraph.{name}")
