"""Tokens of the service, and the log of who read and changed what."""

from __future__ import annotations

from sqlalchemy import (
    TIMESTAMP,
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

from ragraph.schema.columns import moment
from ragraph.schema.declare import metadata

access_token = Table(
    "access_token",
    metadata,
    Column("id", Text, primary_key=True, comment="Public part of the token; finds its row"),
    Column("name", Text, nullable=False, comment="Name of the token, or the user as a proxy signs in"),
    Column("secret_hash", Text, comment="SHA-256 of the secret part, in hexadecimal; null for users of a proxy"),
    Column("kind", Text, nullable=False, comment="reader, writer or admin"),
    Column("role_name", Text, nullable=False, comment="PostgreSQL role that its requests work as"),
    Column("tenant", Text, comment="Tenant that it belongs to: an existing role; null if it has a role of its own"),
    Column(
        "collections",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="Collections that it sees; * for all, empty for those of its tenant",
    ),
    Column("requests_per_minute", Integer, comment="Maximum number of requests a minute; null for the usual one"),
    Column("upload_bytes_per_day", BigInteger, comment="Maximum bytes of uploads a day; null for the usual one"),
    Column("concurrent_requests", Integer, comment="Maximum number of requests at a time; null for the usual one"),
    moment("created_at", "When it was made"),
    Column("expires_at", TIMESTAMP(timezone=True), comment="When it expires; null for never"),
    UniqueConstraint("name", name="name"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("name <> '' AND length(name) <= 200", name="name"),
    CheckConstraint("kind IN ('reader', 'writer', 'admin')", name="kind"),
    CheckConstraint("requests_per_minute >= 1", name="requests_per_minute"),
    CheckConstraint("upload_bytes_per_day >= 0", name="upload_bytes_per_day"),
    CheckConstraint("concurrent_requests >= 1", name="concurrent_requests"),
    comment="Who may use the service: tokens, and users that a proxy signs in",
)

audit_event = Table(
    "audit_event",
    metadata,
    Column("id", Text, nullable=False, comment="au_..., random"),
    moment("at", "When it was written"),
    Column("token_id", Text, comment="Id of the token; null if the service has no tokens"),
    Column("token_name", Text, comment="Name of the token or user; null if the service has no tokens"),
    Column("role_name", Text, comment="PostgreSQL role that it worked as; null for the service's own"),
    Column("address", Text, comment="Address that the request came from"),
    Column("action", Text, nullable=False, comment="Method and route of REST or page, or the tool of MCP"),
    Column(
        "documents",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="Ids of documents that were read or changed, or asked for; at most 1,000",
    ),
    Column("document_count", Integer, nullable=False, comment="Number of these documents, those left out included"),
    Column("status", SmallInteger, comment="HTTP status of the answer; null if a change was about to begin"),
    Column("query", Text, comment="Query string of the request; null unless the service logs it"),
    PrimaryKeyConstraint("id"),
    CheckConstraint("action <> '' AND length(action) <= 1000", name="action"),
    Index(None, "at"),
    comment="Who read and changed what by the service; rows are only added, and removed by the owner after a time",
)
