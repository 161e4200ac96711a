"""Tokens of the service, and the log of who read and changed what."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "access_token",
        sa.Column("id", sa.Text(), nullable=False, comment="Public part of the token; finds its row"),
        sa.Column("name", sa.Text(), nullable=False, comment="Name of the token, or the user as a proxy signs in"),
        sa.Column(
            "secret_hash",
            sa.Text(),
            comment="SHA-256 of the secret part, in hexadecimal; null for users of a proxy",
        ),
        sa.Column("kind", sa.Text(), nullable=False, comment="reader, writer or admin"),
        sa.Column("role_name", sa.Text(), nullable=False, comment="PostgreSQL role that its requests work as"),
        sa.Column(
            "tenant", sa.Text(), comment="Tenant that it belongs to: an existing role; null if it has a role of its own"
        ),
        sa.Column(
            "collections",
            postgresql.ARRAY(sa.Text()),
            nullable=False,
            server_default=sa.text("'{}'::text[]"),
            comment="Collections that it sees; * for all, empty for those of its tenant",
        ),
        sa.Column(
            "requests_per_minute", sa.Integer(), comment="Maximum number of requests a minute; null for the usual one"
        ),
        sa.Column(
            "upload_bytes_per_day", sa.BigInteger(), comment="Maximum bytes of uploads a day; null for the usual one"
        ),
        sa.Column(
            "concurrent_requests", sa.Integer(), comment="Maximum number of requests at a time; null for the usual one"
        ),
        sa.Column(
            "created_at",
            sa.TIMESTAMP(timezone=True),
            nullable=False,
            server_default=sa.text("now()"),
            comment="When it was made",
        ),
        sa.Column("expires_at", sa.TIMESTAMP(timezone=True), comment="When it expires; null for never"),
        sa.CheckConstraint("id <> '' AND length(id) <= 200", name=op.f("access_token_id_check")),
        sa.CheckConstraint("name <> '' AND length(name) <= 200", name=op.f("access_token_name_check")),
        sa.CheckConstraint("kind IN ('reader', 'writer', 'admin')", name=op.f("access_token_kind_check")),
        sa.CheckConstraint("requests_per_minute >= 1", name=op.f("access_token_requests_per_minute_check")),
        sa.CheckConstraint("upload_bytes_per_day >= 0", name=op.f("access_token_upload_bytes_per_day_check")),
        sa.CheckConstraint("concurrent_requests >= 1", name=op.f("access_token_concurrent_requests_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("access_token_pkey")),
        sa.UniqueConstraint("name", name=op.f("access_token_name_key")),
        schema="ragraph",
        comment="Who may use the service: tokens, and users that a proxy signs in",
    )
    op.create_table(
        "audit_event",
        sa.Column("id", sa.Text(), nullable=False, comment="au_..., random"),
        sa.Column(
            "at",
            sa.TIMESTAMP(timezone=True),
            nullable=False,
            server_default=sa.text("now()"),
            comment="When it was written",
        ),
        sa.Column("token_id", sa.Text(), comment="Id of the token; null if the service has no tokens"),
        sa.Column("token_name", sa.Text(), comment="Name of the token or user; null if the service has no tokens"),
        sa.Column(
            "role_name",
            sa.Text(),
            comment="PostgreSQL role that it worked as; null for the service's own",
        ),
        sa.Column("address", sa.Text(), comment="Address that the request came from"),
        sa.Column("action", sa.Text(), nullable=False, comment="Method and route of REST or page, or the tool of MCP"),
        sa.Column(
            "documents",
            postgresql.ARRAY(sa.Text()),
            nullable=False,
            server_default=sa.text("'{}'::text[]"),
            comment="Ids of documents that were read or changed, or asked for; at most 1,000",
        ),
        sa.Column(
            "document_count",
            sa.Integer(),
            nullable=False,
            comment="Number of these documents, those left out included",
        ),
        sa.Column(
            "status", sa.SmallInteger(), comment="HTTP status of the answer; null if a change was about to begin"
        ),
        sa.Column("query", sa.Text(), comment="Query string of the request; null unless the service logs it"),
        sa.CheckConstraint("action <> '' AND length(action) <= 1000", name=op.f("audit_event_action_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("audit_event_pkey")),
        schema="ragraph",
        comment="Who read and changed what by the service; rows are only added, and removed by the owner after a time",
    )
    op.create_index("audit_event_at_idx", "audit_event", ["at"], schema="ragraph")
    # if there are roles, they were granted rights on every new table: nobody but the owner and the service sees these
    op.execute(
        "DO $$ BEGIN IF to_regrole('ragraph_reader') IS NOT NULL THEN"
        " REVOKE ALL ON ragraph.access_token, ragraph.audit_event FROM ragraph_reader, ragraph_writer; END IF; END $$"
    )


def downgrade() -> None:
    op.drop_table("audit_event", schema="ragraph")
    op.drop_table("access_token", schema="ragraph")
