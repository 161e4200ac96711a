"""Batch jobs, their files, and leases on the files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ingest_job",
        sa.Column("id", sa.Text(), nullable=False, comment="job_..., made by the client"),
        sa.Column("collection", sa.Text(), nullable=False, comment="Collection that was named for the documents"),
        sa.Column(
            "asked",
            postgresql.JSONB(),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="Paths and options; passwords are not kept",
        ),
        sa.Column(
            "status",
            sa.Text(),
            server_default=sa.text("'running'"),
            nullable=False,
            comment="running, completed (it went through; files may have failed), ended (too early) or cancelled",
        ),
        sa.Column(
            "lease_seconds",
            sa.Float(),
            nullable=False,
            comment="How long a file is kept for a process that gives no sign",
        ),
        sa.Column("error_message", sa.Text(), nullable=True, comment="Why it ended early"),
        sa.Column(
            "totals",
            postgresql.JSONB(),
            nullable=True,
            comment="Files by what became of them, once it is completed; the unchanged leave no rows",
        ),
        sa.Column(
            "created_at",
            sa.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it was asked for",
        ),
        sa.Column(
            "started_at",
            sa.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it was begun, or gone on with, last",
        ),
        sa.Column(
            "heartbeat_at",
            sa.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When one of its processes gave a sign last",
        ),
        sa.Column(
            "ended_at", sa.TIMESTAMP(timezone=True), nullable=True, comment="When it came to its end; null before"
        ),
        sa.CheckConstraint("id <> '' AND length(id) <= 200", name=op.f("ingest_job_id_check")),
        sa.CheckConstraint(
            "status IN ('running', 'completed', 'ended', 'cancelled')", name=op.f("ingest_job_status_check")
        ),
        sa.CheckConstraint("lease_seconds > 0", name=op.f("ingest_job_lease_seconds_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("ingest_job_pkey")),
        schema="ragraph",
        comment="A batch of files to take in",
    )
    op.create_index(op.f("ingest_job_created_at_idx"), "ingest_job", ["created_at"], unique=False, schema="ragraph")
    op.create_table(
        "ingest_file",
        sa.Column("job_id", sa.Text(), nullable=False, comment="Job that lists it"),
        sa.Column("source_uri", sa.Text(), nullable=False, comment="Where the file is: file://, https://, s3:// ..."),
        sa.Column("collection", sa.Text(), nullable=False, comment="Collection that its document goes into"),
        sa.Column("place", sa.Integer(), nullable=False, comment="Its place in the list, from 0"),
        sa.Column("name", sa.Text(), nullable=False, comment="The file as it was named, for people"),
        sa.Column(
            "record",
            sa.Boolean(),
            nullable=False,
            comment="Whether it holds publication records, which come before files",
        ),
        sa.Column(
            "entry",
            postgresql.JSONB(),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="What a manifest says of it beyond that",
        ),
        sa.Column(
            "bytes",
            sa.BigInteger(),
            nullable=True,
            comment="Size of the file when it was listed; null where that was not known",
        ),
        sa.Column(
            "status",
            sa.Text(),
            server_default=sa.text("'pending'"),
            nullable=False,
            comment="pending, processing, completed or failed, as of processing_status",
        ),
        sa.Column("stage", sa.Text(), nullable=True, comment="reading, writing or embedding, while it is processing"),
        sa.Column(
            "outcome", sa.Text(), nullable=True, comment="added, changed, moved, unchanged, duplicate, record or failed"
        ),
        sa.Column("document_id", sa.Text(), nullable=True, comment="Document that it became; it may be gone"),
        sa.Column("reason", sa.Text(), nullable=True, comment="Why it failed, or what it is a duplicate of"),
        sa.Column("stage_seconds", postgresql.JSONB(), nullable=True, comment="Seconds that each stage took"),
        sa.Column("started_at", sa.TIMESTAMP(timezone=True), nullable=True, comment="When a process took it last"),
        sa.Column("ended_at", sa.TIMESTAMP(timezone=True), nullable=True, comment="When it was done, or failed"),
        sa.CheckConstraint("stage IN ('reading', 'writing', 'embedding')", name=op.f("ingest_file_stage_check")),
        sa.CheckConstraint(
            "status IN ('pending', 'processing', 'completed', 'failed')", name=op.f("ingest_file_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["ragraph.ingest_job.id"], name=op.f("ingest_file_job_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "collection", "source_uri", name=op.f("ingest_file_pkey")),
        schema="ragraph",
        comment="A file of a job, and what became of it",
    )
    op.create_index(
        op.f("ingest_file_collection_source_uri_idx"), "ingest_file", ["collection", "source_uri"], schema="ragraph"
    )
    op.create_index(
        "ingest_file_open_idx",
        "ingest_file",
        ["job_id", "place"],
        unique=False,
        schema="ragraph",
        postgresql_where=sa.text("status IN ('pending', 'processing')"),
    )
    op.create_table(
        "ingest_lease",
        sa.Column("collection", sa.Text(), nullable=False, comment="Collection that the document goes into"),
        sa.Column("source_uri", sa.Text(), nullable=False, comment="Where the file is"),
        sa.Column("fence", sa.BigInteger(), nullable=False, comment="Goes up each time that a process takes the file"),
        sa.Column("holder", sa.Text(), nullable=False, comment="Process that has the file, or had it last"),
        sa.Column("job_id", sa.Text(), nullable=False, comment="Job that it works for; it may be gone"),
        sa.Column(
            "expires_at",
            sa.TIMESTAMP(timezone=True),
            nullable=True,
            comment="When others may take the file; null when it was given back",
        ),
        sa.PrimaryKeyConstraint("collection", "source_uri", name=op.f("ingest_lease_pkey")),
        schema="ragraph",
        comment="Which process works on a file; one that writes with an older fence is refused",
    )
    op.create_index(
        "ingest_lease_holder_idx",
        "ingest_lease",
        ["holder"],
        unique=False,
        schema="ragraph",
        postgresql_where=sa.text("expires_at IS NOT NULL"),
    )


def downgrade() -> None:
    for table in ("ingest_lease", "ingest_file", "ingest_job"):
        op.drop_table(table, schema="ragraph")
