"""Feedback of users: reviews of passages, and the log of queries of collections that keep one."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Float, Index, Integer, PrimaryKeyConstraint, Table, Text, text
from sqlalchemy.dialects.postgresql import JSONB

from ragraph.schema.columns import EMPTY_ARRAY, EMPTY_OBJECT, collection_column, collection_fk, moment
from ragraph.schema.declare import metadata

node_review = Table(
    "node_review",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of the node"),
    Column("id", Text, nullable=False, comment="rv_..., derived from document, node, question and reviewer"),
    # no foreign key: a node that an ingest removes may return with its id, and its review is then valid again
    Column("node_id", Text, nullable=False, comment="Node that was reviewed; an ingest may have removed it since"),
    Column("question", Text, nullable=False, comment="Question that the node was judged for; empty for the node alone"),
    Column("reviewer", Text, nullable=False, comment="Who reviewed it: a name, by default the PostgreSQL role"),
    Column("verdict", Text, nullable=False, comment="right, wrong, or note for a remark without a judgement"),
    Column("note", Text, comment="Remark of the reviewer"),
    moment("reviewed_at", "When it was last reviewed"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    collection_fk(),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("node_id <> ''", name="node_id"),
    CheckConstraint("reviewer <> '' AND length(reviewer) <= 200", name="reviewer"),
    CheckConstraint("length(question) <= 10000", name="question"),
    CheckConstraint("verdict IN ('right', 'wrong', 'note')", name="verdict"),
    CheckConstraint("note <> '' AND length(note) <= 10000", name="note"),
    CheckConstraint("verdict <> 'note' OR note IS NOT NULL", name="remark"),
    Index(None, "document_id", "node_id"),
    comment="What people say of a passage: right or wrong, alone or as the answer to a question",
)

query_logging = Table(
    "query_logging",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection whose queries are logged; * for all queries"),
    Column(
        "days",
        Integer,
        nullable=False,
        server_default=text("30"),
        comment="Days after which logged queries are deleted",
    ),
    PrimaryKeyConstraint("collection"),
    CheckConstraint("collection <> ''", name="collection"),
    CheckConstraint("days >= 1", name="days"),
    comment="Which collections log queries; without rows nothing is logged",
)

query_log = Table(
    "query_log",
    metadata,
    Column("id", Text, primary_key=True, comment="ql_..., random"),
    Column("kind", Text, nullable=False, comment="search or context"),
    Column("question", Text, nullable=False, comment="The query in words"),
    Column(
        "options", JSONB, nullable=False, server_default=EMPTY_OBJECT, comment="Scope, mode, k and the other options"
    ),
    Column(
        "hits",
        JSONB,
        nullable=False,
        server_default=EMPTY_ARRAY,
        comment="[{document_id, node_id, score}, ...], best first",
    ),
    Column("seconds", Float, comment="Duration of the search"),
    moment("asked_at", "When it was asked"),
    Column(
        "collection",
        Text,
        nullable=False,
        comment="Collection of the query, or of all its hits; * if there are several",
    ),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("kind IN ('search', 'context')", name="kind"),
    CheckConstraint("seconds >= 0", name="seconds"),
    Index(None, "collection", "asked_at"),
    comment="Queries of collections that log them, until they expire",
)
