"""Reviews of passages, and a log of the queries of collections that keep one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "node_review",
        sa.Column("document_id", sa.Text(), nullable=False, comment="Document of the node"),
        sa.Column(
            "id", sa.Text(), nullable=False, comment="rv_..., derived from document, node, question and reviewer"
        ),
        sa.Column(
            "node_id",
            sa.Text(),
            nullable=False,
            comment="Node that was reviewed; an ingest may have removed it since",
        ),
        sa.Column(
            "question",
            sa.Text(),
            nullable=False,
            comment="Question that the node was judged for; empty for the node alone",
        ),
        sa.Column(
            "reviewer",
            sa.Text(),
            nullable=False,
            comment="Who reviewed it: a name, by default the PostgreSQL role",
        ),
        sa.Column(
            "verdict",
            sa.Text(),
            nullable=False,
            comment="right, wrong, or note for a remark without a judgement",
        ),
        sa.Column("note", sa.Text(), comment="Remark of the reviewer"),
        _moment("reviewed_at", "When it was last reviewed"),
        sa.Column(
            "collection",
            sa.Text(),
            nullable=False,
            server_default=sa.text("'default'"),
            comment="Namespace and tenant; the document's own, by foreign key",
        ),
        sa.CheckConstraint("id <> '' AND length(id) <= 200", name=op.f("node_review_id_check")),
        sa.CheckConstraint("node_id <> ''", name=op.f("node_review_node_id_check")),
        sa.CheckConstraint("reviewer <> '' AND length(reviewer) <= 200", name=op.f("node_review_reviewer_check")),
        sa.CheckConstraint("length(question) <= 10000", name=op.f("node_review_question_check")),
        sa.CheckConstraint("verdict IN ('right', 'wrong', 'note')", name=op.f("node_review_verdict_check")),
        sa.CheckConstraint("note <> '' AND length(note) <= 10000", name=op.f("node_review_note_check")),
        sa.CheckConstraint("verdict <> 'note' OR note IS NOT NULL", name=op.f("node_review_remark_check")),
        sa.PrimaryKeyConstraint("document_id", "id", name=op.f("node_review_pkey")),
        sa.ForeignKeyConstraint(
            ["document_id", "collection"],
            ["ragraph.document.id", "ragraph.document.collection"],
            name=op.f("node_review_document_fkey"),
            ondelete="CASCADE",
        ),
        schema="ragraph",
        comment="What people say of a passage: right or wrong, alone or as the answer to a question",
    )
    op.create_index(
        op.f("node_review_document_id_node_id_idx"), "node_review", ["document_id", "node_id"], schema="ragraph"
    )
    op.create_table(
        "query_logging",
        sa.Column(
            "collection", sa.Text(), nullable=False, comment="Collection whose queries are logged; * for all queries"
        ),
        sa.Column(
            "days",
            sa.Integer(),
            nullable=False,
            server_default=sa.text("30"),
            comment="Days after which logged queries are deleted",
        ),
        sa.CheckConstraint("collection <> ''", name=op.f("query_logging_collection_check")),
        sa.CheckConstraint("days >= 1", name=op.f("query_logging_days_check")),
        sa.PrimaryKeyConstraint("collection", name=op.f("query_logging_pkey")),
        schema="ragraph",
        comment="Which collections log queries; without rows nothing is logged",
    )
    op.create_table(
        "query_log",
        sa.Column("id", sa.Text(), nullable=False, comment="ql_..., random"),
        sa.Column("kind", sa.Text(), nullable=False, comment="search or context"),
        sa.Column("question", sa.Text(), nullable=False, comment="The query in words"),
        sa.Column(
            "options",
            JSONB(),
            nullable=False,
            server_default=sa.text("'{}'::jsonb"),
            comment="Scope, mode, k and the other options",
        ),
        sa.Column(
            "hits",
            JSONB(),
            nullable=False,
            server_default=sa.text("'[]'::jsonb"),
            comment="[{document_id, node_id, score}, ...], best first",
        ),
        sa.Column("seconds", sa.Float(), comment="Duration of the search"),
        _moment("asked_at", "When it was asked"),
        sa.Column(
            "collection",
            sa.Text(),
            nullable=False,
            comment="Collection of the query, or of all its hits; * if there are several",
        ),
        sa.CheckConstraint("id <> '' AND length(id) <= 200", name=op.f("query_log_id_check")),
        sa.CheckConstraint("kind IN ('search', 'context')", name=op.f("query_log_kind_check")),
        sa.CheckConstraint("seconds >= 0", name=op.f("query_log_seconds_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("query_log_pkey")),
        schema="ragraph",
        comment="Queries of collections that log them, until they expire",
    )
    op.create_index(
        op.f("query_log_collection_asked_at_idx"), "query_log", ["collection", "asked_at"], schema="ragraph"
    )


def downgrade() -> None:
    for table in ("query_log", "query_logging", "node_review"):
        op.drop_table(table, schema="ragraph")


def _moment(name: str, comment: str) -> sa.Column[object]:
    return sa.Column(
        name, sa.TIMESTAMP(timezone=True), nullable=False, server_default=sa.text("now()"), comment=comment
    )
