"""Batch jobs: what was asked, the files of it with what became of each, and who works on a file at the moment."""

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
    Column("collection", Text, nullable=False, comment="Collection that was named for the documents"),
    Column(
        "asked", JSONB, nullable=False, server_default=EMPTY_OBJECT, comment="Paths and options; passwords are not kept"
    ),
    Column(
        "status",
        Text,
        nullable=False,
        server_default=text("'running'"),
        comment="running, completed (it went through; files may have failed), ended (too early) or cancelled",
    ),
    Column("lease_seconds", Float, nullable=False, comment="How long a file is kept for a process that gives no sign"),
    Column("error_message", Text, comment="Why it ended early"),
    Column("totals", JSONB, comment="Files by what became of them, once it is completed; the unchanged leave no rows"),
    moment("created_at", "When it was asked for"),
    moment("started_at", "When it was begun, or gone on with, last"),
    moment("heartbeat_at", "When one of its processes gave a sign last"),
    Column("ended_at", TIMESTAMP(timezone=True), comment="When it came to its end; null before"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("status IN ('running', 'completed', 'ended', 'cancelled')", name="status"),
    CheckConstraint("lease_seconds > 0", name="lease_seconds"),
    Index(None, "created_at"),
    comment="A batch of files to take in",
)

ingest_file = Table(
    "ingest_file",
    metadata,
    Column("job_id", Text, nullable=False, comment="Job that lists it"),
    Column("source_uri", Text, nullable=False, comment="Where the file is: file://, https://, s3:// ..."),
    Column("collection", Text, nullable=False, comment="Collection that its document goes into"),
    Column("place", Integer, nullable=False, comment="Its place in the list, from 0"),
    Column("name", Text, nullable=False, comment="The file as it was named, for people"),
    Column("record", Boolean, nullable=False, comment="Whether it holds publication records, which come before files"),
    Column(
        "entry", JSONB, nullable=False, server_default=EMPTY_OBJECT, comment="What a manifest says of it beyond that"
    ),
    Column("bytes", BigInteger, comment="Size of the file when it was listed; null where that was not known"),
    Column(
        "status",
        Text,
        nullable=False,
        server_default=text("'pending'"),
        comment="pending, processing, completed or failed, as of processing_status",
    ),
    Column("stage", Text, comment="reading, writing or embedding, while it is processing"),
    Column("outcome", Text, comment="added, changed, moved, unchanged, duplicate, record or failed"),
    Column("document_id", Text, comment="Document that it became; it may be gone"),
    Column("reason", Text, comment="Why it failed, or what it is a duplicate of"),
    Column("stage_seconds", JSONB, comment="Seconds that each stage took"),
    Column("started_at", TIMESTAMP(timezone=True), comment="When a process took it last"),
    Column("ended_at", TIMESTAMP(timezone=True), comment="When it was done, or failed"),
    PrimaryKeyConstraint("job_id", "collection", "source_uri"),
    ForeignKeyConstraint(["job_id"], ["ragraph.ingest_job.id"], name="job", ondelete="CASCADE"),
    CheckConstraint("status IN ('pending', 'processing', 'completed', 'failed')", name="status"),
    CheckConstraint("stage IN ('reading', 'writing', 'embedding')", name="stage"),
    Index(None, "collection", "source_uri"),
    Index("ingest_file_open_idx", "job_id", "place", postgresql_where=text("status IN ('pending', 'processing')")),
    comment="A file of a job, and what became of it",
)

ingest_lease = Table(
    "ingest_lease",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection that the document goes into"),
    Column("source_uri", Text, nullable=False, comment="Where the file is"),
    Column("fence", BigInteger, nullable=False, comment="Goes up each time that a process takes the file"),
    Column("holder", Text, nullable=False, comment="Process that has the file, or had it last"),
    Column("job_id", Text, nullable=False, comment="Job that it works for; it may be gone"),
    Column(
        "expires_at", TIMESTAMP(timezone=True), comment="When others may take the file; null when it was given back"
    ),
    PrimaryKeyConstraint("collection", "source_uri"),
    Index("ingest_lease_holder_idx", "holder", postgresql_where=text("expires_at IS NOT NULL")),
    comment="Which process works on a file; one that writes with an older fence is refused",
)
