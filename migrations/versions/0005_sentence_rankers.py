"""Rankers of sentences, fitted on judged questions of a collection."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sentence_ranker",
        sa.Column("collection", sa.Text(), nullable=False, comment="Collection whose questions it was fitted on"),
        sa.Column("version", sa.Integer(), nullable=False, comment="1, 2, ... as they were fitted"),
        sa.Column(
            "active",
            sa.Boolean(),
            nullable=False,
            comment="Whether contexts of the collection go by it; one does at most",
        ),
        sa.Column(
            "intercept", sa.Float(), nullable=False, comment="Score of a sentence that has nothing of what counts"
        ),
        sa.Column(
            "weights",
            postgresql.JSONB(),
            nullable=False,
            comment="What each number of a sentence counts, by its name",
        ),
        sa.Column(
            "asked",
            postgresql.ARRAY(sa.Text()),
            nullable=False,
            comment="Lexemes of questions that are crossed with those of sentences",
        ),
        sa.Column(
            "fitted_on",
            postgresql.JSONB(),
            nullable=False,
            comment="Numbers of questions, documents and sentences, and the settings",
        ),
        sa.Column(
            "figures",
            postgresql.JSONB(),
            nullable=False,
            comment="What it gained over the default, cross-validated, with intervals",
        ),
        sa.Column(
            "created_at",
            sa.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it was fitted",
        ),
        sa.PrimaryKeyConstraint("collection", "version", name=op.f("sentence_ranker_pkey")),
        sa.CheckConstraint("version >= 1", name=op.f("sentence_ranker_version_check")),
        schema="ragraph",
        comment="A linear ranker of sentences, fitted on judged questions; ragraph tune makes them",
    )
    op.create_index(
        "sentence_ranker_active_idx",
        "sentence_ranker",
        ["collection"],
        unique=True,
        schema="ragraph",
        postgresql_where=sa.text("active"),
    )
    op.create_table(
        "sentence_ranker_word",
        sa.Column("collection", sa.Text(), nullable=False, comment="Collection of the ranker"),
        sa.Column("version", sa.Integer(), nullable=False, comment="Version of the ranker"),
        sa.Column(
            "asked",
            sa.Text(),
            nullable=False,
            comment="Lexeme that the question has to have; empty for any question",
        ),
        sa.Column("word", sa.Text(), nullable=False, comment="Lexeme of a sentence, digits as 0"),
        sa.Column("idf", sa.Float(), nullable=False, comment="How rare it is among the sentences that were seen"),
        sa.Column(
            "weight",
            sa.Float(),
            nullable=False,
            comment="What it counts, times idf, of the length of the sentence so weighed",
        ),
        sa.PrimaryKeyConstraint("collection", "version", "asked", "word", name=op.f("sentence_ranker_word_pkey")),
        sa.ForeignKeyConstraint(
            ["collection", "version"],
            ["ragraph.sentence_ranker.collection", "ragraph.sentence_ranker.version"],
            name=op.f("sentence_ranker_word_ranker_fkey"),
            ondelete="CASCADE",
        ),
        schema="ragraph",
        comment="What words of sentences count for a ranker",
    )


def downgrade() -> None:
    op.drop_table("sentence_ranker_word", schema="ragraph")
    op.drop_table("sentence_ranker", schema="ragraph")
