"""Ranking data: statistics of words, sentences of nodes, and rankers of sentences."""

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

from ragraph.schema.columns import collection_column, collection_fk, moment
from ragraph.schema.declare import metadata

text_statistics = Table(
    "text_statistics",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection that was counted"),
    Column("ts_config", REGCONFIG, nullable=False, comment="Text search configuration of the nodes"),
    Column("nodes", BigInteger, nullable=False, comment="Number of nodes, updated from text_change"),
    Column(
        "sampled", BigInteger, nullable=False, server_default="0", comment="Number of nodes when the sample was taken"
    ),
    Column("mean_length", Float, comment="Mean length of the nodes, in tokens; null before the first sample"),
    Column(
        "shares", JSONB, comment="Share of the nodes with a lexeme, for common lexemes; null before the first sample"
    ),
    moment("updated_at", "When the sample was taken"),
    PrimaryKeyConstraint("collection", "ts_config"),
    comment="Statistics that full text search ranks by in large scopes; updated by ensure_text_statistics()",
)

text_change = Table(
    "text_change",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that was written or deleted"),
    Column("collection", Text, nullable=False, comment="Its collection at that time"),
    Column("ts_config", REGCONFIG, nullable=False, comment="Text search configuration of the nodes"),
    Column("nodes", Integer, nullable=False, comment="Nodes added minus nodes removed"),
    PrimaryKeyConstraint("document_id", "collection", "ts_config"),
    comment="Changes that text_statistics does not include yet; ensure_text_statistics() adds them",
)

node_sentences = Table(
    "node_sentences",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of the node"),
    # no foreign key, which would lock each node: a row whose node has changed or is gone is not used
    Column("node_id", Text, nullable=False, comment="Node that the sentences are of"),
    Column("stamp", BigInteger, nullable=False, comment="Hash of the text and configuration that they were made of"),
    Column("starts", ARRAY(Integer), nullable=False, comment="Start of each in the content, in characters from 0"),
    Column("ends", ARRAY(Integer), nullable=False, comment="End of each, exclusive"),
    Column("firsts", ARRAY(Integer), nullable=False, comment="Position in text_search from which on words are its own"),
    Column("lengths", ARRAY(Integer), nullable=False, comment="Number of positions of its words in text_search"),
    Column("letters", ARRAY(BigInteger), nullable=False, comment="Hash of its letters and digits; null of few letters"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "node_id"),
    collection_fk(),
    comment="Sentences of nodes as contexts rank them, made when the text is written",
)

sentence_ranker = Table(
    "sentence_ranker",
    metadata,
    Column("collection", Text, nullable=False, comment="Collection whose questions it was fitted on"),
    Column("version", Integer, nullable=False, comment="1, 2, ... in the order of fitting"),
    Column(
        "active",
        Boolean,
        nullable=False,
        comment="Whether contexts of the collection use it; at most one version is active",
    ),
    Column("intercept", Float, nullable=False, comment="Score of a sentence without any feature"),
    Column("weights", JSONB, nullable=False, comment="Weight of each feature of a sentence, by name"),
    Column(
        "asked", ARRAY(Text), nullable=False, comment="Lexemes of questions that are crossed with those of sentences"
    ),
    Column(
        "fitted_on", JSONB, nullable=False, comment="Numbers of questions, documents and sentences, and the settings"
    ),
    Column("figures", JSONB, nullable=False, comment="Gains over the default, cross-validated, with intervals"),
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
    Column("asked", Text, nullable=False, comment="Lexeme that the question must have; empty for any question"),
    Column("word", Text, nullable=False, comment="Lexeme of a sentence, digits as 0"),
    Column("idf", Float, nullable=False, comment="Inverse frequency among the sentences of the fit"),
    Column(
        "weight",
        Float,
        nullable=False,
        comment="Weight of the word, multiplied by idf and normalised by the length of the sentence",
    ),
    PrimaryKeyConstraint("collection", "version", "asked", "word"),
    ForeignKeyConstraint(
        ["collection", "version"],
        ["ragraph.sentence_ranker.collection", "ragraph.sentence_ranker.version"],
        name="ranker",
        ondelete="CASCADE",
    ),
    comment="Weights of words in sentences for a ranker",
)
