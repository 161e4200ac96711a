"""A document records that its works must be matched again, so that work of interrupted runs is found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column: sa.Column[list[str] | None] = sa.Column(
        "works_owed",
        postgresql.ARRAY(sa.Text()),
        comment="Its works are to be worked out, with those that these keys and identities name; null once they are",
    )
    op.add_column("document", column, schema="ragraph")
    # left by earlier runs: documents without the rows of their bibliography, or of the document itself
    op.execute("""
        UPDATE ragraph.document AS d
        SET works_owed = '{}'
        WHERE
            d.processing_status <> 'completed'
            OR (
                d.type = 'MAIN'
                AND NOT EXISTS (
                    SELECT 1 FROM ragraph.work_entry AS e WHERE e.document_id = d.id AND e.node_id IS NULL
                )
            )
            OR EXISTS (
                SELECT 1
                FROM ragraph.content_node AS n
                LEFT JOIN ragraph.work_entry AS e ON n.document_id = e.document_id AND n.id = e.node_id
                WHERE
                    n.document_id = d.id
                    AND n.content_node_type = 'BIBLIOGRAPHIC_ENTRY'
                    AND e.id IS NULL
            )
        """)
    op.alter_column("document", "works_owed", server_default=sa.text("'{}'::text[]"), schema="ragraph")
    op.create_index(
        "document_works_owed_idx",
        "document",
        ["collection"],
        schema="ragraph",
        postgresql_where=sa.text(
            "works_owed IS NOT NULL AND processing_status = 'completed'::ragraph.processing_status"
        ),
    )


def downgrade() -> None:
    op.drop_index("document_works_owed_idx", "document", schema="ragraph")
    op.drop_column("document", "works_owed", schema="ragraph")
