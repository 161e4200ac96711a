"""Entities: what a document names, where it does, and what it says of two of them.

An entity is a row of its document, so that it goes with it; rows of several documents that mean the same share an
``identity``, which is worked out from the rows and can be set by hand (docs/decisions/0024).
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from ragraph.schema.columns import EMPTY_OBJECT, collection_column, collection_fk, moment, node_fk
from ragraph.schema.declare import metadata


def _entity_fk(column: str, name: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["document_id", column], ["ragraph.entity.document_id", "ragraph.entity.id"], name=name, ondelete="CASCADE"
    )


entity = Table(
    "entity",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that names it"),
    Column("id", Text, nullable=False, comment="en_..., derived from document, extractor, kind and name"),
    Column("extractor", Text, nullable=False, comment="What found it: definitions, spacy:..., llm:..."),
    Column("kind", Text, nullable=False, comment="acronym, term, glossary, index, or the label of a model"),
    Column("name", Text, nullable=False, comment="What it is called; of an acronym the long form"),
    Column(
        "aliases",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="What else it is called in this document",
    ),
    Column("keys", ARRAY(Text), nullable=False, comment="name and aliases in the form they are looked up by"),
    Column(
        "shared",
        Boolean,
        nullable=False,
        comment="Whether another document that uses the name means the same; not so of the terms of a contract",
    ),
    Column("identity", Text, nullable=False, comment="ent_...; rows that have the same mean the same"),
    Column(
        "evidence", JSONB, nullable=False, server_default=EMPTY_OBJECT, comment="Why that identity: rule, and by what"
    ),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    collection_fk(),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("name <> '' AND length(name) <= 1000", name="name"),
    CheckConstraint("identity <> '' AND length(identity) <= 200", name="identity"),
    Index(None, "identity"),
    Index("entity_keys_idx", "keys", postgresql_using="gin"),
    comment="What a document names: a concept, a defined term, a person",
)

mention = Table(
    "mention",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of node and entity"),
    Column("entity_id", Text, nullable=False, comment="What is mentioned"),
    Column("node_id", Text, nullable=False, comment="Node that mentions it"),
    Column("char_start", Integer, nullable=False, comment="Start in the content of the node, in characters from 0"),
    Column("char_end", Integer, nullable=False, comment="End there, exclusive"),
    Column("surface", Text, nullable=False, comment="The words there"),
    Column(
        "defines",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="Whether the document defines it there",
    ),
    collection_column(),
    PrimaryKeyConstraint("document_id", "entity_id", "node_id", "char_start"),
    collection_fk(),
    _entity_fk("entity_id", "entity"),
    node_fk("node_id", "node"),
    CheckConstraint("char_start >= 0 AND char_end > char_start", name="span"),
    CheckConstraint("length(surface) = char_end - char_start", name="surface"),
    Index(None, "document_id", "node_id"),
    comment="A place where a node names an entity",
)

entity_relation = Table(
    "entity_relation",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that says so"),
    Column("id", Text, nullable=False, comment="er_..., derived from document, extractor, both ends, type and place"),
    Column("source_entity_id", Text, nullable=False, comment="Entity the edge starts from"),
    Column("target_entity_id", Text, nullable=False, comment="Entity it leads to"),
    Column("relation_type", Text, nullable=False, comment="What it says: inhibits, works for"),
    Column("node_id", Text, nullable=False, comment="Node that says so"),
    Column("quote", Text, nullable=False, comment="The words that say so, as they stand there"),
    Column("char_start", Integer, nullable=False, comment="Start of the quote in the content of the node, from 0"),
    Column("char_end", Integer, nullable=False, comment="End of it, exclusive"),
    Column("extractor", Text, nullable=False, comment="What found it"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    collection_fk(),
    _entity_fk("source_entity_id", "source"),
    _entity_fk("target_entity_id", "target"),
    node_fk("node_id", "node"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("source_entity_id <> target_entity_id", name="ends"),
    CheckConstraint("relation_type <> '' AND length(relation_type) <= 200", name="relation_type"),
    CheckConstraint("char_start >= 0 AND length(quote) = char_end - char_start AND quote <> ''", name="quote"),
    Index(None, "document_id", "source_entity_id"),
    Index(None, "document_id", "target_entity_id"),
    Index(None, "document_id", "node_id"),
    comment="RELATED_TO: what a document says of two entities, with the words that say so",
)

entity_extraction = Table(
    "entity_extraction",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that was read"),
    Column("extractor", Text, nullable=False, comment="What read it"),
    Column("version", Text, nullable=False, comment="Version of it; another one reads the document anew"),
    Column("nodes", ARRAY(Text), nullable=False, comment="Nodes that it has read; their ids change with their content"),
    moment("updated_at", "When it read last"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "extractor"),
    collection_fk(),
    CheckConstraint("extractor <> '' AND length(extractor) <= 500", name="extractor"),
    comment="How far an extractor has come with a document",
)
