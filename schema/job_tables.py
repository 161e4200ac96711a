"""Batch jobs: the request, its files with their results, and the leases of processes on files."""

from __future__ import annotations

from sqlalchemy import (
    TIMESTAMP,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from ragraph.schema.columns import EMPTY_OBJECT, moment
from ragraph.schema.declare import metadata

ingest_job = Table(
    "ingest_job",
    metadata,
    Column("id", Text, primary_key=True, comment="job_..., made by the client"),
    Column("collection", Text, nullable=False, comment="Collection of the documents"),
    Column(
        "asked", JSONB, nullable=False, server_default=EMPTY_OBJECT, comment="Paths and options; passwords are not kept"
    ),
    Column(
        "status",
        Text,
        nullable=False,
        server_default=text("'running'"),
        comment="running, completed (files may have failed), ended (too early) or cancelled",
    ),
    Column(
        "lease_seconds", Float, nullable=False, comment="Seconds until the lease of a process without heartbeat expires"
    ),
    Column("error_message", Text, comment="Why it ended early"),
    Column("totals", JSONB, comment="Number of files by outcome, once it is completed; unchanged files have no rows"),
    moment("created_at", "When it was requested"),
    moment("started_at", "When it was last started or resumed"),
    moment("heartbeat_at", "Last heartbeat of one of its processes"),
    Column("ended_at", TIMESTAMP(timezone=True), comment="When it ended; null before"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("status IN ('running', 'completed', 'ended', 'cancelled')", name="status"),
    CheckConstraint("lease_seconds > 0", name="lease_seconds"),
    Index(None, "created_at"),
    comment="A batch of files to ingest",
)

ingest_file = Table(
    "ingest_file",
    metadata,
    Column("job_id", Text, nullable=False, comment="Job that lists it"),
    Column("source_uri", Text, nullable=False, comment="URI of the file: file://, https://, s3:// ..."),
    Column("collection", Text, nullable=False, comment="Collection of its document"),
    Column("place", Integer, nullable=False, comment="Its position in the list, from 0"),
    Column("name", Text, nullable=False, comment="The file as it was named"),
    Column(
        "record", Boolean, nullable=False, comment="Whether it has publication records, which are read before files"
    ),
    Column("entry", JSONB, nullable=False, server_default=EMPTY_OBJECT, comment="Further fields from the manifest"),
    Column("bytes", BigInteger, comment="Size of the file when it was listed; null if unknown"),
    Column(
        "status",
        Text,
        nullable=False,
        server_default=text("'pending'"),
        comment="pending, processing, completed or failed, as of processing_status",
    ),
    Column("stage", Text, comment="reading, writing or embedding, while it is processing"),
    Column("outcome", Text, comment="added, changed, moved, unchanged, duplicate, record or failed"),
    Column("document_id", Text, comment="Document made from it; it may have been deleted"),
    Column("reason", Text, comment="Why it failed, or what it is a duplicate of"),
    Column("stage_seconds", JSONB, comment="Seconds by stage"),
    Column("started_at", TIMESTAMP(timezone=True), comment="When a process last took it"),
    Column("ended_at", TIMESTAMP(timezone=True), comment="When it was completed or failed"),
    PrimaryKeyConstraint("job_id", "collection", "source_uri"),
    ForeignKeyConstraint(["job_id"], ["ragraph.ingest_job.id"], name="job", ondelete="CASCADE"),
    CheckConstraint("status IN ('pending', 'processing', 'completed', 'failed')", name="status"),
    CheckConstraint("stage IN ('reading', 'writing', 'embedding')", name="stage"),
    Index(None, "collection", "source_uri"),
    Index("ingest_file_open_idx", "job_id", "place", postgresql_where=text("status IN ('pending', 'processing')")),
    comment="A file of a job, and its outcome",
)

ingest_lease = Table(
    "ingest_lease",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection of the document"),
    Column("source_uri", Text, nullable=False, comment="URI of the file"),
    Column(
        "fence", BigInteger, nullable=False, comment="Fencing token, increased each time that a process takes the file"
    ),
    Column("holder", Text, nullable=False, comment="Process that has, or last had, the file"),
    Column("job_id", Text, nullable=False, comment="Job of the process; it may have been deleted"),
    Column("expires_at", TIMESTAMP(timezone=True), comment="When others may take the file; null once it is released"),
    PrimaryKeyConstraint("collection", "source_uri"),
    Index("ingest_lease_holder_idx", "holder", postgresql_where=text("expires_at IS NOT NULL")),
    comment="Lease of a process on a file; writes with an older fencing token are refused",
)
