"""Full text search reads pairs of letters where no space divides words, and words without their accents too.

The table is rewritten once, as a copy, because PostgreSQL computes a generated column when a row is written.
"""

from __future__ import annotations

from importlib.resources import files

from alembic import op

from ragraph.migrations.aside import compute_aside

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_BEFORE = (
    "ALTER TABLE ragraph.content_node ADD COLUMN text_search TSVECTOR"
    " GENERATED ALWAYS AS (to_tsvector(ts_config, left(content, 100000))) STORED"
)
_COMMENTS = (
    "Lexemes of the content for full text search",
    "Lexemes of the content for full text search: words, also without accents; pairs of letters of Chinese",
)


def upgrade() -> None:
    statement = (files("ragraph.migrations.versions") / "0010_words.sql").read_text(encoding="utf-8")
    _compute(statement, _COMMENTS[1])


def downgrade() -> None:
    _compute(_BEFORE, _COMMENTS[0])


def _compute(statement: str, comment: str) -> None:
    if not compute_aside("ragraph.content_node", "text_search", statement):
        op.drop_column("content_node", "text_search", schema="ragraph")  # and its index
        op.get_bind().exec_driver_sql(statement, execution_options={"no_parameters": True})
        op.create_index(
            "content_node_text_search_idx", "content_node", ["text_search"], schema="ragraph", postgresql_using="gin"
        )
    op.execute(f"COMMENT ON COLUMN ragraph.content_node.text_search IS '{comment}'")
    # statistics of English text stay valid; for other languages they are taken again
    op.execute("UPDATE ragraph.text_statistics SET sampled = 0 WHERE ts_config <> 'english'::regconfig")
