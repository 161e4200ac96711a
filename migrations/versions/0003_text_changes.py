"""Text statistics are updated by difference: what documents add and remove is recorded until it is counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TABLE = "What full text search ranks by in large scopes; {} by ensure_text_statistics()"
_COMMENTS = {
    "nodes": ("Number of nodes when it was counted", "Number of nodes, kept by what text_change says"),
    "mean_length": (
        "Mean length of the nodes, in tokens",
        "Mean length of the nodes, in tokens; null until it was taken",
    ),
    "shares": (
        "Share of the nodes that hold a lexeme, of the common ones",
        "Share of the nodes that hold a lexeme, of the common ones; null until then",
    ),
    "updated_at": ("When it was counted", "When it was taken"),
}


def upgrade() -> None:
    op.create_table(
        "text_change",
        sa.Column(
            "document_id", sa.Text(), nullable=False, comment="Document that was written or deleted; it may be gone"
        ),
        sa.Column("collection", sa.Text(), nullable=False, comment="Its collection then"),
        sa.Column(
            "ts_config", postgresql.REGCONFIG(), nullable=False, comment="Text search configuration of the nodes"
        ),
        sa.Column("nodes", sa.Integer(), nullable=False, comment="Nodes added less nodes removed"),
        sa.PrimaryKeyConstraint("document_id", "collection", "ts_config", name=op.f("text_change_pkey")),
        schema="ragraph",
        comment="What text_statistics does not count yet; ensure_text_statistics() takes it over",
    )
    sampled = sa.Column(
        "sampled",
        sa.BigInteger(),
        server_default="0",
        nullable=False,
        comment="Nodes when the rest was taken",
    )
    op.add_column("text_statistics", sampled, schema="ragraph")
    op.alter_column("text_statistics", "mean_length", nullable=True, schema="ragraph")
    op.alter_column("text_statistics", "shares", nullable=True, schema="ragraph")
    _describe(1)
    # count once, so that later differences have a base
    op.execute("UPDATE ragraph.text_statistics SET sampled = nodes")
    op.execute(
        "INSERT INTO ragraph.text_statistics (collection, ts_config, nodes)"
        " SELECT n.collection, n.ts_config, count(*) FROM ragraph.content_node AS n GROUP BY n.collection, n.ts_config"
        " ON CONFLICT (collection, ts_config) DO UPDATE SET nodes = excluded.nodes"
    )


def downgrade() -> None:
    op.execute("DELETE FROM ragraph.text_statistics WHERE shares IS NULL")
    op.execute("UPDATE ragraph.text_statistics SET nodes = sampled")
    _describe(0)
    op.alter_column("text_statistics", "shares", nullable=False, schema="ragraph")
    op.alter_column("text_statistics", "mean_length", nullable=False, schema="ragraph")
    op.drop_column("text_statistics", "sampled", schema="ragraph")
    op.drop_table("text_change", schema="ragraph")


def _describe(which: int) -> None:
    for column, comments in _COMMENTS.items():
        op.alter_column(
            "text_statistics", column, comment=comments[which], existing_comment=comments[1 - which], schema="ragraph"
        )
    words = ("taken again", "kept")
    op.create_table_comment(
        "text_statistics",
        _TABLE.format(words[which]),
        existing_comment=_TABLE.format(words[1 - which]),
        schema="ragraph",
    )
