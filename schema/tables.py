"""The tables of the model, declared once; migrations, dump, diagram and tests are derived from here.

The declarations keep these rules (docs/decisions/0001-one-schema-everywhere.md has the reasons):

* every table under ``document`` has a primary key, unique indexes and foreign keys that start with ``document_id``; the
  client makes the ids; there are no triggers, identity columns or deferred checks;
* the component tree cannot have a cycle: ``parent_depth`` is generated as ``depth - 1`` and is part of the foreign key
  to the parent, so every step towards the root lowers ``depth`` by one;
* ``collection`` is bound to the document's by foreign key, the pages of a node and of a component to the rows of
  ``document_page``, the shape of a vector to its row in ``embedding_model``.
"""

from __future__ import annotations

from enum import StrEnum

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import (
    TIMESTAMP,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Date,
    Enum,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, INT4RANGE, JSONB, REGCONFIG, TSVECTOR

from ragraph.schema import access_tables as access_tables  # who may use the service, and did
from ragraph.schema import entity_tables as entity_tables  # declared there: what documents name
from ragraph.schema import enums
from ragraph.schema import feedback_tables as feedback_tables  # what users say and ask
from ragraph.schema import job_tables as job_tables  # declared there: batch jobs
from ragraph.schema import ranking_tables as ranking_tables  # what search ranks by
from ragraph.schema import tenant_tables as tenant_tables  # who sees which collection
from ragraph.schema import version_tables as version_tables  # what documents were before
from ragraph.schema import work_tables as work_tables  # what documents cite
from ragraph.schema.columns import (
    EMPTY_ARRAY,
    EMPTY_OBJECT,
    collection_column,
    collection_fk,
    moment,
    node_fk,
    page_fk,
    page_indexes,
    set_by_hand,
)
from ragraph.schema.declare import SCHEMA as SCHEMA
from ragraph.schema.declare import metadata as metadata
from ragraph.schema.words import word_vector


def _enum(values: type[StrEnum], name: str) -> Enum:
    return Enum(
        values,
        name=name,
        schema=SCHEMA,
        metadata=metadata,
        values_callable=lambda members: [member.value for member in members],
    )


document_type = _enum(enums.DocumentType, "document_type")
component_type = _enum(enums.ComponentType, "component_type")
content_node_type = _enum(enums.ContentNodeType, "content_node_type")
embedding_source = _enum(enums.EmbeddingSource, "embedding_source")
relation_type = _enum(enums.RelationType, "relation_type")
processing_status = _enum(enums.ProcessingStatus, "processing_status")
distance = _enum(enums.Distance, "distance")
index_kind = _enum(enums.IndexKind, "index_kind")


publication = Table(
    "publication",
    metadata,
    Column("id", Text, primary_key=True, comment="pub_..., from the publication record or derived from the document"),
    Column("title", Text, nullable=False, comment="Title of the publication"),
    Column("abstract", Text, comment="Abstract, if the record has one"),
    Column("citation", Text, comment="Formal citation as the publisher words it"),
    Column("authors", Text, comment="Authors, comma separated"),
    Column("publication_date", Date, comment="Date of publication; a year alone is its first of January"),
    Column("source", Text, comment="Repository that the publication comes from"),
    Column("source_url", Text, comment="Landing page of the publication"),
    Column("uri", Text, comment="Persistent identifier (handle, DOI) that leads to source_url"),
    Column("collection", Text, nullable=False, server_default=text("'default'"), comment="Namespace and tenant"),
    Column(
        "tags", ARRAY(Text), nullable=False, server_default=text("'{}'::text[]"), comment="Free labels to filter by"
    ),
    Column(
        "metadata",
        JSONB,
        nullable=False,
        server_default=EMPTY_OBJECT,
        comment="What the record says beyond the columns",
    ),
    set_by_hand(),
    moment("created_at", "When the row was made"),
    moment("updated_at", "When the row last changed"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    Index(None, "collection"),
    Index("publication_tags_idx", "tags", postgresql_using="gin"),
    Index(
        "publication_metadata_idx", "metadata", postgresql_using="gin", postgresql_ops={"metadata": "jsonb_path_ops"}
    ),
    Index(None, "publication_date"),
    comment="A publication; has one or more documents",
)

document = Table(
    "document",
    metadata,
    Column(
        "id",
        Text,
        primary_key=True,
        comment="dl_..., from the publication record, --id, or derived from the first bytes",
    ),
    Column("publication_id", Text, nullable=False, comment="Publication of the document"),
    Column("type", document_type, nullable=False, server_default="MAIN", comment="Role in the publication"),
    Column("download_url", Text, comment="Where the source file can be downloaded"),
    Column("title", Text, comment="Title of a document attached to another one; null for that of its publication"),
    Column("authors", Text, comment="Authors of such a document, comma separated"),
    Column("publication_date", Date, comment="Date of such a document; null for that of its publication"),
    Column("description", Text, comment="Description of the document"),
    Column("mime_type", Text, comment="MIME type of the source file"),
    Column("charset", Text, comment="Character set of the source file"),
    Column("storage_url", Text, comment="Where the source file is stored (file://, s3://)"),
    Column("file_size", BigInteger, comment="Size of the source file in bytes"),
    Column("language", Text, comment="Language of the document, BCP 47"),
    Column("version", Text, comment="Version of the document, as its publisher names it"),
    Column("collection", Text, nullable=False, server_default=text("'default'"), comment="Namespace and tenant"),
    Column("source_uri", Text, comment="Where the file was last read; null if another file has this place now"),
    Column("sha256", Text, comment="SHA-256 of the source file, 64 hexadecimal digits; null until a file was read"),
    Column("page_count", Integer, comment="Number of pages; null for formats without pages"),
    Column(
        "ts_config",
        REGCONFIG,
        nullable=False,
        server_default=text("'simple'::regconfig"),
        comment="Text search configuration of the language",
    ),
    Column(
        "structure",
        JSONB,
        nullable=False,
        server_default=EMPTY_OBJECT,
        comment="Containers stated by the format; read when the tree is assembled",
    ),
    Column(
        "ingested_with",
        JSONB,
        nullable=False,
        server_default=EMPTY_OBJECT,
        comment="Reader that made the nodes, with its version and settings",
    ),
    Column(
        "processing_status",
        processing_status,
        nullable=False,
        server_default="pending",
        comment="Progress of the document",
    ),
    Column("error_message", Text, comment="Why processing failed; null unless processing_status is failed"),
    set_by_hand(),
    Column(
        "ingested_into",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="Collections in which its file is recognised as this document, although it may have moved since",
    ),
    Column(
        "works_owed",
        ARRAY(Text),
        server_default=text("'{}'::text[]"),
        comment="Its works must be matched again, with those of these keys and identities; null once done",
    ),
    moment("created_at", "When the row was made"),
    moment("updated_at", "When the document last changed"),
    Column("processed_at", TIMESTAMP(timezone=True), comment="When a file was last ingested"),
    UniqueConstraint("id", "collection", name="id_collection"),
    ForeignKeyConstraint(["publication_id"], ["ragraph.publication.id"], name="publication"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
    CheckConstraint("page_count >= 0", name="page_count"),
    CheckConstraint("file_size >= 0", name="file_size"),
    CheckConstraint("processing_status = 'failed' OR error_message IS NULL", name="error_message"),
    Index(None, "publication_id"),
    Index(None, "collection"),
    Index(None, "sha256"),
    Index(None, "language"),
    Index(None, "source_uri"),
    # attached documents alone have a date of their own
    Index("document_publication_date_idx", "publication_date", postgresql_where=text("publication_date IS NOT NULL")),
    # the pending work of interrupted runs, usually none, however many documents there are
    Index(
        "document_works_owed_idx",
        "collection",
        postgresql_where=text("works_owed IS NOT NULL AND processing_status = 'completed'::ragraph.processing_status"),
    ),
    comment="A file of a publication, with nodes, components, relations and embeddings",
)

document_page = Table(
    "document_page",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document the page belongs to"),
    Column("page_pdf", Integer, nullable=False, comment="Physical page, counted from 1"),
    Column("page_logical", Text, comment="Page number as printed or labelled, for example iii or A-3"),
    Column("width", Float, comment="Width in points"),
    Column("height", Float, comment="Height in points"),
    Column(
        "doubt",
        Float,
        comment="How likely a reader would find a fault in what was read of it, from 0 to 1; null if not weighed",
    ),
    collection_column(),
    PrimaryKeyConstraint("document_id", "page_pdf"),
    collection_fk(),
    CheckConstraint("page_pdf >= 1", name="page_pdf"),
    CheckConstraint("doubt BETWEEN 0 AND 1", name="doubt"),
    Index(None, "document_id", "page_logical"),
    comment="A physical page; nodes and components can only be on pages listed here",
)

document_component = Table(
    "document_component",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document the component belongs to"),
    Column("id", Text, nullable=False, comment="cmp_..., derived from document, type, title and count"),
    Column("component_type", component_type, nullable=False, comment="Type of the component"),
    Column("title", Text, comment="Its heading; null for a container without one"),
    Column("parent_component_id", Text, comment="Component that contains it; null at the top"),
    Column("depth", Integer, nullable=False, comment="Steps to the top; 0 at the top"),
    Column(
        "parent_depth",
        Integer,
        Computed("CASE WHEN parent_component_id IS NOT NULL THEN depth - 1 END", persisted=True),
        comment="depth - 1, part of the foreign key to the parent: makes a cycle impossible",
    ),
    Column(
        "sequence_in_parent_major",
        Integer,
        nullable=False,
        comment="Order among its siblings, nodes and components alike",
    ),
    Column("sequence_in_parent_minor", Integer, comment="Order of headers and footers at that place; else null"),
    Column("page_range", INT4RANGE, comment="Its pages, inclusive; null for formats without pages"),
    Column("first_page", Integer, Computed("lower(page_range)", persisted=True), comment="First page of page_range"),
    Column("last_page", Integer, Computed("upper(page_range) - 1", persisted=True), comment="Last page of page_range"),
    Column("first_sequence", Integer, comment="Smallest sequence_in_document below it; null without nodes"),
    Column("last_sequence", Integer, comment="Largest sequence_in_document below it; null without nodes"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    UniqueConstraint("document_id", "id", "depth", name="id_depth"),
    UniqueConstraint(
        "document_id",
        "parent_component_id",
        "sequence_in_parent_major",
        "sequence_in_parent_minor",
        name="sibling_order",
        postgresql_nulls_not_distinct=True,
        deferrable=True,
        initially="IMMEDIATE",
    ),
    collection_fk(),
    ForeignKeyConstraint(
        ["document_id", "parent_component_id", "parent_depth"],
        ["ragraph.document_component.document_id", "ragraph.document_component.id", "ragraph.document_component.depth"],
        name="parent",
        ondelete="CASCADE",
    ),
    page_fk("first_page"),
    page_fk("last_page"),
    CheckConstraint("depth >= 0 AND (parent_component_id IS NULL) = (depth = 0)", name="depth"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint(
        "first_sequence <= last_sequence AND (first_sequence IS NULL) = (last_sequence IS NULL)", name="interval"
    ),
    CheckConstraint(
        "NOT isempty(page_range) AND NOT lower_inf(page_range) AND NOT upper_inf(page_range)", name="page_range"
    ),
    Index(None, "document_id", "first_sequence", "last_sequence"),
    *page_indexes(),
    comment="A branch of the document tree: matter, chapter, section, list, box, header ...",
)

content_node = Table(
    "content_node",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document the node belongs to"),
    Column(
        "id",
        Text,
        nullable=False,
        comment="cn_..., derived from document, type, content and a count of equal nodes",
    ),
    Column("parent_component_id", Text, comment="Component that contains it; null until the tree is assembled"),
    Column("content_node_type", content_node_type, nullable=False, comment="Type of the node"),
    Column(
        "content",
        Text,
        nullable=False,
        comment="Its text; for a table the flattened cells; empty for a figure without text",
    ),
    Column("storage_url", Text, comment="Where binary content (an image) is stored"),
    Column("description", Text, comment="Description of a table or figure in words; embedded in place of the content"),
    Column(
        "embedding_source",
        embedding_source,
        nullable=False,
        server_default="TEXT_CONTENT",
        comment="Which of its texts is embedded",
    ),
    Column(
        "sequence_in_parent_major",
        Integer,
        nullable=False,
        comment="Order among its siblings; for a footnote that of the node that refers to it",
    ),
    Column("sequence_in_parent_minor", Integer, comment="Order of footnotes and the like after that node; else null"),
    Column("sequence_in_document", Integer, nullable=False, comment="Reading order, dense, from 0"),
    Column(
        "positional_data",
        JSONB,
        nullable=False,
        server_default=EMPTY_ARRAY,
        comment="[{page_pdf, page_logical, bbox: {x1, y1, x2, y2}}, ...] in points, origin top left,"
        " one entry per page or box",
    ),
    Column(
        "first_page",
        Integer,
        Computed("((positional_data -> 0) ->> 'page_pdf')::integer", persisted=True),
        comment="page_pdf of the first position",
    ),
    Column(
        "last_page",
        Integer,
        Computed("((positional_data -> (-1)) ->> 'page_pdf')::integer", persisted=True),
        comment="page_pdf of the last position",
    ),
    Column("content_hash", Text, nullable=False, comment="SHA-256 of the content, 64 hexadecimal digits"),
    Column(
        "token_count",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Tokens of the content, by the tokenizer of the default embedding model",
    ),
    Column(
        "char_start",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Start of its span in document_text(document_id), in characters from 0",
    ),
    Column("char_end", Integer, nullable=False, server_default=text("0"), comment="End of that span, exclusive"),
    Column(
        "data",
        JSONB,
        nullable=False,
        server_default=EMPTY_OBJECT,
        comment="Fields of the type besides text: cells, level of a heading, language of code, anchors, marker",
    ),
    Column(
        "ts_config",
        REGCONFIG,
        nullable=False,
        server_default=text("'simple'::regconfig"),
        comment="The document's text search configuration",
    ),
    Column(
        "text_search",
        TSVECTOR,
        Computed(word_vector("ts_config", "content"), persisted=True),
        comment="Lexemes of the content for full text search: words, also without accents; pairs of letters of Chinese",
    ),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    UniqueConstraint(
        "document_id", "sequence_in_document", name="reading_order", deferrable=True, initially="IMMEDIATE"
    ),
    UniqueConstraint(
        "document_id",
        "parent_component_id",
        "sequence_in_parent_major",
        "sequence_in_parent_minor",
        name="sibling_order",
        postgresql_nulls_not_distinct=True,
        deferrable=True,
        initially="IMMEDIATE",
    ),
    collection_fk(),
    ForeignKeyConstraint(
        ["document_id", "parent_component_id"],
        ["ragraph.document_component.document_id", "ragraph.document_component.id"],
        name="parent",
    ),
    page_fk("first_page"),
    page_fk("last_page"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("content_hash ~ '^[0-9a-f]{64}$'", name="content_hash"),
    CheckConstraint(
        "token_count >= 0 AND char_start >= 0 AND char_end >= char_start AND sequence_in_document >= 0", name="counts"
    ),
    CheckConstraint(
        # strict: in lax mode a page given as text or in a nested array would pass
        "CASE WHEN jsonb_typeof(positional_data) = 'array' THEN jsonb_array_length(positional_data)"
        " = jsonb_array_length(jsonb_path_query_array(positional_data, 'strict $[*] ? ("
        '@.page_pdf.type() == "number" && @.page_pdf >= 1 && @.page_pdf.floor() == @.page_pdf'
        " && @.page_pdf >= $[0].page_pdf && @.page_pdf <= $[last].page_pdf)')) ELSE false END",
        name="positional_data",
    ),
    Index(
        "content_node_positional_data_idx",
        "positional_data",
        postgresql_using="gin",
        postgresql_ops={"positional_data": "jsonb_path_ops"},
    ),
    Index("content_node_text_search_idx", "text_search", postgresql_using="gin"),
    *page_indexes(),
    # a search for a rare type ("only tables") finds its candidates here and compares them exactly
    Index(None, "content_node_type", "document_id"),
    # which configurations there are, at each text search; and row-level security, which keeps from text_search's index
    Index(None, "ts_config", "collection", "document_id"),
    postgresql_with={"toast_tuple_target": 4080},  # words stay in the row: a search reads those of many nodes
    comment="A leaf of the document tree: paragraph, heading, table, figure, note ...",
)

relation = Table(
    "relation",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of both ends"),
    Column("id", Text, nullable=False, comment="rel_..., derived from document, source, type, marker and count"),
    Column("source_node_id", Text, nullable=False, comment="Node that the relation starts from"),
    Column("target_node_id", Text, comment="Node that it leads to; null until resolved"),
    Column("relation_type", relation_type, nullable=False, comment="Type of the relation"),
    Column("marker_text", Text, comment="Marker as printed: 1, [22], (Author, 2025), Section 4.2"),
    Column(
        "marker_start", Integer, comment="Position of the marker in the content of the source, in characters from 0"
    ),
    Column("target_anchor", Text, comment="Anchor that the format states as the target; resolve_relations reads it"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    collection_fk(),
    node_fk("source_node_id", "source"),
    node_fk("target_node_id", "target"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("source_node_id <> target_node_id", name="ends"),
    CheckConstraint("marker_start >= 0", name="marker_start"),
    Index(None, "document_id", "source_node_id"),
    Index(None, "document_id", "target_node_id"),
    comment="A relation between two nodes of one document",
)

document_relation = Table(
    "document_relation",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of the source"),
    Column("id", Text, nullable=False, comment="rel_..., derived from document, source, type and target"),
    Column("source_node_id", Text, nullable=False, comment="Node that the relation starts from"),
    Column(
        "target_document_id", Text, nullable=False, comment="Other document; a soft reference, checked by check_store()"
    ),
    Column("target_node_id", Text, comment="Node in that document; null for the whole document"),
    Column("relation_type", relation_type, nullable=False, comment="Type of the relation"),
    Column("marker_text", Text, comment="Marker as printed"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    collection_fk(),
    node_fk("source_node_id", "source"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("document_id <> target_document_id", name="other_document"),
    Index(None, "document_id", "source_node_id"),
    Index(None, "target_document_id", "target_node_id"),
    comment="A relation whose target is in another document",
)

embedding_model = Table(
    "embedding_model",
    metadata,
    Column("name", Text, primary_key=True, comment="Name of the model in embeddings and searches"),
    Column("location", Text, comment="Folder or hub name to load it from; null for the packaged default"),
    Column("dimensions", Integer, nullable=False, comment="Length of its vectors"),
    Column("distance", distance, nullable=False, server_default="cosine", comment="Distance to search by"),
    Column(
        "max_tokens", Integer, nullable=False, comment="Maximum number of tokens that it reads, with special tokens"
    ),
    Column("query_prefix", Text, nullable=False, server_default="", comment="Prefix of queries"),
    Column("document_prefix", Text, nullable=False, server_default="", comment="Prefix of texts of the store"),
    Column("normalized", Boolean, nullable=False, comment="Whether its vectors have length 1"),
    moment("created_at", "When the model was registered"),
    Column(
        "switched_at",
        TIMESTAMP(timezone=True),
        comment="When the store was last switched to it; the latest is the default of searches and ingestion",
    ),
    Column(
        "truncated_from",
        Integer,
        comment="Length of the model's full vectors, if its vectors here are cut to their beginning",
    ),
    Column(
        "index_kind",
        index_kind,
        nullable=False,
        server_default="halfvec",
        comment="What its vector index stores of each vector",
    ),
    Column(
        "ef_search",
        Integer,
        comment="Number of candidates for searches of its index (hnsw.ef_search); null if not measured",
    ),
    Column("index_recall", Float, comment="Share of the ten nearest that searches found with it when measured"),
    Column("measured_vectors", BigInteger, comment="Number of its vectors when measured"),
    UniqueConstraint("name", "dimensions", "normalized", name="shape"),
    CheckConstraint("name <> '' AND length(name) <= 200", name="name"),
    CheckConstraint("dimensions BETWEEN 1 AND 16000", name="dimensions"),
    CheckConstraint("max_tokens >= 1", name="max_tokens"),
    CheckConstraint("truncated_from > dimensions", name="truncated_from"),
    CheckConstraint("index_kind = 'halfvec' OR distance <> 'l2'", name="index_kind"),
    CheckConstraint(
        "num_nulls(ef_search, index_recall, measured_vectors) IN (0, 3)"
        " AND ef_search >= 1 AND index_recall BETWEEN 0 AND 1 AND measured_vectors >= 0",
        name="measured",
    ),
    comment="An embedding model; a store may have vectors of several",
)

embedding = Table(
    "embedding",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document the node belongs to"),
    Column("id", Text, nullable=False, comment="em_..., derived from document, node, model, source and part"),
    Column("node_id", Text, nullable=False, comment="Node that was embedded"),
    Column("model_name", Text, nullable=False, comment="Model of the vector"),
    Column(
        "embedding_source",
        embedding_source,
        nullable=False,
        server_default="TEXT_CONTENT",
        comment="Which text of the node was embedded",
    ),
    Column(
        "part",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="0, 1, ... for nodes longer than the model's limit",
    ),
    Column("char_start", Integer, nullable=False, comment="Start of the part in that text, in characters from 0"),
    Column("char_end", Integer, nullable=False, comment="End of the part, exclusive"),
    Column(
        "content_hash",
        Text,
        nullable=False,
        comment="SHA-256 of the embedded text, with its heading path",
    ),
    Column("embedding_vector", VECTOR, nullable=False, comment="The vector"),
    Column(
        "dimensions",
        Integer,
        Computed("vector_dims(embedding_vector)", persisted=True),
        comment="Length of the vector, bound to the model's",
    ),
    Column("normalized", Boolean, nullable=False, comment="Whether the vector has length 1, bound to the model's"),
    moment("created_at", "When the vector was computed"),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    UniqueConstraint("document_id", "node_id", "model_name", "embedding_source", "part", name="part"),
    collection_fk(),
    node_fk("node_id", "node"),
    ForeignKeyConstraint(
        ["model_name", "dimensions", "normalized"],
        ["ragraph.embedding_model.name", "ragraph.embedding_model.dimensions", "ragraph.embedding_model.normalized"],
        name="model",
    ),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("part >= 0 AND char_start >= 0 AND char_end >= char_start", name="span"),
    CheckConstraint("content_hash ~ '^[0-9a-f]{64}$'", name="content_hash"),
    CheckConstraint("vector_norm(embedding_vector) > 0", name="not_zero"),
    CheckConstraint("NOT normalized OR abs(vector_norm(embedding_vector) - 1) < 0.001", name="normalized"),
    Index(None, "model_name", "collection"),
    # finds equal texts that were embedded before; a hash takes 4 bytes where a tree would store 64
    Index(None, "content_hash", postgresql_using="hash"),
    comment="A vector of a node, or of a part of it, by one model",
)
