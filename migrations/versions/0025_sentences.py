"""Sentences of nodes are made when the text is written, and not for each context.

Nodes of earlier documents have none until their document is written again; a context then makes them itself.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "node_sentences",
        sa.Column("document_id", sa.Text(), nullable=False, comment="Document of the node"),
        sa.Column("node_id", sa.Text(), nullable=False, comment="Node that the sentences are of"),
        sa.Column(
            "stamp",
            sa.BigInteger(),
            nullable=False,
            comment="Hash of the text and configuration that they were made of",
        ),
        _list("starts", sa.Integer(), "Start of each in the content, in characters from 0"),
        _list("ends", sa.Integer(), "End of each, exclusive"),
        _list("firsts", sa.Integer(), "Position in text_search from which on words are its own"),
        _list("lengths", sa.Integer(), "Number of positions of its words in text_search"),
        _list("letters", sa.BigInteger(), "Hash of its letters and digits; null of few letters"),
        sa.Column(
            "collection",
            sa.Text(),
            nullable=False,
            server_default=sa.text("'default'"),
            comment="Namespace and tenant; the document's own, by foreign key",
        ),
        sa.PrimaryKeyConstraint("document_id", "node_id", name=op.f("node_sentences_pkey")),
        sa.ForeignKeyConstraint(
            ["document_id", "collection"],
            ["ragraph.document.id", "ragraph.document.collection"],
            name=op.f("node_sentences_document_fkey"),
            ondelete="CASCADE",
        ),
        schema="ragraph",
        comment="Sentences of nodes as contexts rank them, made when the text is written",
    )


def downgrade() -> None:
    op.drop_table("node_sentences", schema="ragraph")


def _list(name: str, kind: sa.Integer, comment: str) -> sa.Column[Any]:
    return sa.Column(name, ARRAY(kind), nullable=False, comment=comment)
