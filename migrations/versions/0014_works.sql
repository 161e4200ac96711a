CREATE TABLE ragraph.work_entry (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    node_id TEXT,
    authors TEXT[] DEFAULT '{}'::text[] NOT NULL,
    year INTEGER,
    title TEXT,
    container TEXT,
    volume TEXT,
    issue TEXT,
    pages TEXT,
    doi TEXT,
    pmid TEXT,
    pmcid TEXT,
    arxiv TEXT,
    isbn TEXT,
    url TEXT,
    keys TEXT[] NOT NULL,
    source_hash TEXT NOT NULL,
    pinned TEXT,
    identity TEXT NOT NULL,
    evidence JSONB DEFAULT '{}'::jsonb NOT NULL,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT work_entry_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT work_entry_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT work_entry_node_fkey FOREIGN KEY(document_id, node_id) REFERENCES ragraph.content_node (document_id, id) ON DELETE CASCADE,
    CONSTRAINT work_entry_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT work_entry_identity_check CHECK (identity <> '' AND length(identity) <= 200)
);
CREATE INDEX work_entry_document_id_node_id_idx ON ragraph.work_entry (document_id, node_id);
CREATE INDEX work_entry_identity_idx ON ragraph.work_entry (identity);
CREATE INDEX work_entry_keys_idx ON ragraph.work_entry USING gin (keys);
COMMENT ON TABLE ragraph.work_entry IS 'What an entry of a bibliography says, and which work it means; and what the document itself is';
COMMENT ON COLUMN ragraph.work_entry.document_id IS 'Document of the entry';
COMMENT ON COLUMN ragraph.work_entry.id IS 'we_..., derived from document and node';
COMMENT ON COLUMN ragraph.work_entry.node_id IS 'Bibliographic entry that names the work; null for the document as a work itself';
COMMENT ON COLUMN ragraph.work_entry.authors IS 'Authors in their order: Surname, Given';
COMMENT ON COLUMN ragraph.work_entry.year IS 'Year of publication';
COMMENT ON COLUMN ragraph.work_entry.title IS 'Title of the work';
COMMENT ON COLUMN ragraph.work_entry.container IS 'Journal, proceedings or book that it stands in';
COMMENT ON COLUMN ragraph.work_entry.volume IS 'Volume of the container';
COMMENT ON COLUMN ragraph.work_entry.issue IS 'Issue of the volume';
COMMENT ON COLUMN ragraph.work_entry.pages IS 'Pages, or number of the article';
COMMENT ON COLUMN ragraph.work_entry.doi IS 'DOI in lower case, without prefix';
COMMENT ON COLUMN ragraph.work_entry.pmid IS 'Number in PubMed';
COMMENT ON COLUMN ragraph.work_entry.pmcid IS 'Number in PubMed Central: pmc123';
COMMENT ON COLUMN ragraph.work_entry.arxiv IS 'Number in arXiv, without version';
COMMENT ON COLUMN ragraph.work_entry.isbn IS 'ISBN of 13 digits';
COMMENT ON COLUMN ragraph.work_entry.url IS 'Address that the entry gives';
COMMENT ON COLUMN ragraph.work_entry.keys IS 'What it is compared by: doi:..., title:..., place:...';
COMMENT ON COLUMN ragraph.work_entry.source_hash IS 'Hash of what was read, and of the version that read it';
COMMENT ON COLUMN ragraph.work_entry.pinned IS 'Identity that somebody gave it; null where the rules hold';
COMMENT ON COLUMN ragraph.work_entry.identity IS 'work_...; rows that have the same mean the same work';
COMMENT ON COLUMN ragraph.work_entry.evidence IS 'Why that identity: rule, and by what key';
COMMENT ON COLUMN ragraph.work_entry.collection IS 'Namespace and tenant; the document''s own, by foreign key';
