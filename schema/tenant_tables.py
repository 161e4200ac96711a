"""Grants of collections to roles, for tenants."""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, PrimaryKeyConstraint, Table, Text

from ragraph.schema.declare import metadata

collection_grant = Table(
    "collection_grant",
    metadata,
    Column("role_name", Text, nullable=False, comment="PostgreSQL role; its members see the same"),
    Column("collection", Text, nullable=False, comment="Collection that it sees; * for all, present and future"),
    Column("may_write", Boolean, nullable=False, comment="Whether it may also change its content"),
    PrimaryKeyConstraint("role_name", "collection"),
    CheckConstraint("collection <> ''", name="collection"),
    comment="Which role sees which collection if tenants are on; read by the row-level security policies",
)
