"""What searches rank by, of collections and not of documents: statistics of words, rankers of sentences."""

from __future__ import annotations

from sqlalchemy import (
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
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, REGCONFIG

from ragraph.schema.columns import moment
from ragraph.schema.declare import metadata

text_statistics = Table(
    "text_statistics",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection that was counted"),
    Column("ts_config", REGCONFIG, nullable=False, comment="Text search configuration of the nodes"),
    Column("nodes", BigInteger, nullable=False, comment="Number of nodes, kept by what text_change says"),
    Column("sampled", BigInteger, nullable=False, server_default="0", comment="Nodes when the rest was taken"),
    Column("mean_length", Float, comment="Mean length of the nodes, in tokens; null until it was taken"),
    Column("shares", JSONB, comment="Share of the nodes that hold a lexeme, of the common ones; null until then"),
    moment("updated_at", "When it was taken"),
    PrimaryKeyConstraint("collection", "ts_config"),
    comment="What full text search ranks by in large scopes; kept by ensure_text_statistics()",
)

text_change = Table(
    "text_change",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that was written or deleted; it may be gone"),
    Column("collection", Text, nullable=False, comment="Its collection then"),
    Column("ts_config", REGCONFIG, nullable=False, comment="Text search configuration of the nodes"),
    Column("nodes", Integer, nullable=False, comment="Nodes added less nodes removed"),
    PrimaryKeyConstraint("document_id", "collection", "ts_config"),
    comment="What text_statistics does not count yet; ensure_text_statistics() takes it over",
)

sentence_ranker = Table(
    "sentence_ranker",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection whose questions it was fitted on"),
    Column("version", Integer, nullable=False, comment="1, 2, ... as they were fitted"),
    Column("active", Boolean, nullable=False, comment="Whether contexts of the collection go by it; one does at most"),
    Column("intercept", Float, nullable=False, comment="Score of a sentence that has nothing of what counts"),
    Column("weights", JSONB, nullable=False, comment="What each number of a sentence counts, by its name"),
    Column(
        "asked", ARRAY(Text), nullable=False, comment="Lexemes of questions that are crossed with those of sentences"
    ),
    Column(
        "fitted_on", JSONB, nullable=False, comment="Numbers of questions, documents and sentences, and the settings"
    ),
    Column(
        "figures", JSONB, nullable=False, comment="What it gained over the default, cross-validated, with intervals"
    ),
    moment("created_at", "When it was fitted"),
    PrimaryKeyConstraint("collection", "version"),
    CheckConstraint("version >= 1", name="version"),
    Index("sentence_ranker_active_idx", "collection", unique=True, postgresql_where=text("active")),
    comment="A linear ranker of sentences, fitted on judged questions; ragraph tune makes them",
)

sentence_ranker_word = Table(
    "sentence_ranker_word",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection of the ranker"),
    Column("version", Integer, nullable=False, comment="Version of the ranker"),
    Column("asked", Text, nullable=False, comment="Lexeme that the question has to have; empty for any question"),
    Column("word", Text, nullable=False, comment="Lexeme of a sentence, digits as 0"),
    Column("idf", Float, nullable=False, comment="How rare it is among the sentences that were seen"),
    Column(
        "weight", Float, nullable=False, comment="What it counts, times idf, of the length of the sentence so weighed"
    ),
    PrimaryKeyConstraint("collection", "version", "asked", "word"),
    ForeignKeyConstraint(
        ["collection", "version"],
        ["ragraph.sentence_ranker.collection", "ragraph.sentence_ranker.version"],
        name="ranker",
        ondelete="CASCADE",
    ),
    comment="What words of sentences count for a ranker",
)
