"""Who sees which collection, where tenants are on."""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, PrimaryKeyConstraint, Table, Text

from ragraph.schema.declare import metadata

collection_grant = Table(
    "collection_grant",
    metadata,
    Column("role_name", Text, nullable=False, comment="Role of PostgreSQL; its members see the same"),
    Column("collection", Text, nullable=False, comment="Collection that it sees; * for all, now and later"),
    Column("may_write", Boolean, nullable=False, comment="Whether it also changes what is in there"),
    PrimaryKeyConstraint("role_name", "collection"),
    CheckConstraint("collection <> ''", name="collection"),
    comment="Which role sees which collection, where tenants are on; policies are made of it",
)
