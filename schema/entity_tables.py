"""Entities: what a document mentions, the places, and statements about two of them.

An entity is a row of its document, so it is deleted with it. Rows of several documents with the same meaning share an
``identity``, which is computed from the rows and can be set by a user (docs/decisions/0024).
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
    Column("document_id", Text, nullable=False, comment="Document that mentions it"),
    Column("id", Text, nullable=False, comment="en_..., derived from document, extractor, kind and name"),
    Column("extractor", Text, nullable=False, comment="Extractor that found it: definitions, spacy:..., llm:..."),
    Column("kind", Text, nullable=False, comment="acronym, term, glossary, index, or the label of a model"),
    Column("name", Text, nullable=False, comment="Its name; of an acronym the long form"),
    Column(
        "aliases",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="Its other names in this document",
    ),
    Column("keys", ARRAY(Text), nullable=False, comment="name and aliases, normalised for comparison"),
    Column(
        "shared",
        Boolean,
        nullable=False,
        comment="Whether other documents use the name in the same meaning; false for the terms of a contract",
    ),
    Column("identity", Text, nullable=False, comment="ent_...; shared by rows with the same meaning"),
    Column(
        "evidence",
        JSONB,
        nullable=False,
        server_default=EMPTY_OBJECT,
        comment="Why it has that identity: the rule and its key",
    ),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    collection_fk(),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("name <> '' AND length(name) <= 1000", name="name"),
    CheckConstraint("identity <> '' AND length(identity) <= 200", name="identity"),
    Index(None, "identity"),
    Index("entity_keys_idx", "keys", postgresql_using="gin"),
    comment="An entity that a document mentions: a concept, a defined term, a person",
)

mention = Table(
    "mention",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of node and entity"),
    Column("entity_id", Text, nullable=False, comment="Entity that is mentioned"),
    Column("node_id", Text, nullable=False, comment="Node that mentions it"),
    Column("char_start", Integer, nullable=False, comment="Start in the content of the node, in characters from 0"),
    Column("char_end", Integer, nullable=False, comment="End there, exclusive"),
    Column("surface", Text, nullable=False, comment="The words of the mention"),
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
    comment="A mention of an entity in a node",
)

entity_relation = Table(
    "entity_relation",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of the statement"),
    Column("id", Text, nullable=False, comment="er_..., derived from document, extractor, both ends, type and place"),
    Column("source_entity_id", Text, nullable=False, comment="Entity that the relation starts from"),
    Column("target_entity_id", Text, nullable=False, comment="Entity that it leads to"),
    Column("relation_type", Text, nullable=False, comment="Kind of relation: inhibits, works for"),
    Column("node_id", Text, nullable=False, comment="Node with the statement"),
    Column("quote", Text, nullable=False, comment="The words of the statement, as in the node"),
    Column("char_start", Integer, nullable=False, comment="Start of the quote in the content of the node, from 0"),
    Column("char_end", Integer, nullable=False, comment="End of it, exclusive"),
    Column("extractor", Text, nullable=False, comment="Extractor that found it"),
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
    comment="RELATED_TO: a statement of a document about two entities, with its words",
)

entity_extraction = Table(
    "entity_extraction",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document that was read"),
    Column("extractor", Text, nullable=False, comment="Extractor that read it"),
    Column("version", Text, nullable=False, comment="Version of the extractor; a new version reads the document again"),
    Column("nodes", ARRAY(Text), nullable=False, comment="Nodes that it has read; their ids change with their content"),
    moment("updated_at", "When it last read the document"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "extractor"),
    collection_fk(),
    CheckConstraint("extractor <> '' AND length(extractor) <= 500", name="extractor"),
    comment="Progress of an extractor in a document",
)
