"""Works: what the entries of bibliographies say, and what the documents of the store are as works themselves.

Each row belongs to its document and goes with it. Rows that mean the same work share an ``identity``, worked out from
what rows of one collection say (docs/decisions/0025); there is no row that outlives the last document that names it.
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
    Column("node_id", Text, comment="Bibliographic entry that names the work; null for the document as a work itself"),
    Column(
        "authors",
        ARRAY(Text),
        nullable=False,
        server_default=text("'{}'::text[]"),
        comment="Authors in their order: Surname, Given",
    ),
    Column("year", Integer, comment="Year of publication"),
    Column("title", Text, comment="Title of the work"),
    Column("container", Text, comment="Journal, proceedings or book that it stands in"),
    Column("volume", Text, comment="Volume of the container"),
    Column("issue", Text, comment="Issue of the volume"),
    Column("pages", Text, comment="Pages, or number of the article"),
    Column("doi", Text, comment="DOI in lower case, without prefix"),
    Column("pmid", Text, comment="Number in PubMed"),
    Column("pmcid", Text, comment="Number in PubMed Central: pmc123"),
    Column("arxiv", Text, comment="Number in arXiv, without version"),
    Column("isbn", Text, comment="ISBN of 13 digits"),
    Column("url", Text, comment="Address that the entry gives"),
    Column("keys", ARRAY(Text), nullable=False, comment="What it is compared by: doi:..., title:..., place:..."),
    Column("source_hash", Text, nullable=False, comment="Hash of what was read, and of the version that read it"),
    Column("pinned", Text, comment="Identity that somebody gave it; null where the rules hold"),
    Column("identity", Text, nullable=False, comment="work_...; rows that have the same mean the same work"),
    Column(
        "evidence",
        JSONB,
        nullable=False,
        server_default=EMPTY_OBJECT,
        comment="Why that identity: rule, and by what key",
    ),
    collection_column(),
    PrimaryKeyConstraint("document_id", "id"),
    collection_fk(),
    node_fk("node_id", "node"),
    CheckConstraint("id <> '' AND length(id) <= 200", name="id"),
    CheckConstraint("identity <> '' AND length(identity) <= 200", name="identity"),
    Index(None, "document_id", "node_id"),
    Index(None, "identity"),
    # rows that an index puts off are compared with each key of a search, and works are searched by many
    Index("work_entry_keys_idx", "keys", postgresql_using="gin", postgresql_with={"fastupdate": "off"}),
    comment="What an entry of a bibliography says, and which work it means; and what the document itself is",
)
