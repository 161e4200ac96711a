"""Works: parsed bibliography entries, and the documents of the store as works.

Each row is deleted with its document. Rows for the same work share an ``identity``, computed from the rows of one
collection (docs/decisions/0025). No row outlives the last document that names the work.
"""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Integer, PrimaryKeyConstraint, Table, Text, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from ragraph.schema.columns import EMPTY_OBJECT, collection_column, collection_fk, node_fk
from ragraph.schema.declare import metadata

work_entry = Table(
    "work_entry",
    metadata,
    Column("document_id", Text, nullable=False, comment="Document of the entry"),
    Column("id", Text, nullable=False, comment="we_..., derived from document and node"),
    Column("node_id", Text, comment="Bibliography entry that cites the work; null for the document itself as a work"),
    Column(
        "authors",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="Authors in their order: Surname, Given",
    ),
    Column("year", Integer, comment="Year of publication"),
    Column("title", Text, comment="Title of the work"),
    Column("container", Text, comment="Journal, proceedings or book that contains it"),
    Column("volume", Text, comment="Volume of the container"),
    Column("issue", Text, comment="Issue of the volume"),
    Column("pages", Text, comment="Pages, or article number"),
    Column("doi", Text, comment="DOI in lower case, without prefix"),
    Column("pmid", Text, comment="PubMed id"),
    Column("pmcid", Text, comment="PubMed Central id: pmc123"),
    Column("arxiv", Text, comment="arXiv id, without version"),
    Column("isbn", Text, comment="ISBN of 13 digits"),
    Column("url", Text, comment="Address in the entry"),
    Column(
        "keys", ARRAY(Text), nullable=False, comment="Keys by which works are matched: doi:..., title:..., place:..."
    ),
    Column("source_hash", Text, nullable=False, comment="Hash of the parsed text and of the parser's version"),
    Column("pinned", Text, comment="Identity set by a user; null if the rules decide"),
    Column("identity", Text, nullable=False, comment="work_...; shared by rows of the same work"),
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
    node_fk("node_id", "node"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("identity <> '' AND length(identity) <= 200", name="identity"),
    Index(None, "document_id", "node_id"),
    Index(None, "identity"),
    # pending rows of a GIN index are compared with each key of a search, and works are searched by many keys
    Index("work_entry_keys_idx", "keys", postgresql_using="gin", postgresql_with={"fastupdate": "off"}),
    comment="A parsed bibliography entry and the work that it cites; or the document itself as a work",
)
