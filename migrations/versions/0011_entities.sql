CREATE TABLE ragraph.entity (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    extractor TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    aliases TEXT[] DEFAULT '{}'::text[] NOT NULL,
    keys TEXT[] NOT NULL,
    shared BOOLEAN NOT NULL,
    identity TEXT NOT NULL,
    evidence JSONB DEFAULT '{}'::jsonb NOT NULL,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT entity_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT entity_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT entity_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT entity_name_check CHECK (name <> '' AND length(name) <= 1000),
    CONSTRAINT entity_identity_check CHECK (identity <> '' AND length(identity) <= 200)
);
CREATE INDEX entity_identity_idx ON ragraph.entity (identity);
CREATE INDEX entity_keys_idx ON ragraph.entity USING gin (keys);
COMMENT ON TABLE ragraph.entity IS 'What a document names: a concept, a defined term, a person';
COMMENT ON COLUMN ragraph.entity.document_id IS 'Document that names it';
COMMENT ON COLUMN ragraph.entity.id IS 'en_..., derived from document, extractor, kind and name';
COMMENT ON COLUMN ragraph.entity.extractor IS 'What found it: definitions, spacy:..., llm:...';
COMMENT ON COLUMN ragraph.entity.kind IS 'acronym, term, glossary, index, or the label of a model';
COMMENT ON COLUMN ragraph.entity.name IS 'What it is called; of an acronym the long form';
COMMENT ON COLUMN ragraph.entity.aliases IS 'What else it is called in this document';
COMMENT ON COLUMN ragraph.entity.keys IS 'name and aliases in the form they are looked up by';
COMMENT ON COLUMN ragraph.entity.shared IS 'Whether another document that uses the name means the same; not so of the terms of a contract';
COMMENT ON COLUMN ragraph.entity.identity IS 'ent_...; rows that have the same mean the same';
COMMENT ON COLUMN ragraph.entity.evidence IS 'Why that identity: rule, and by what';
COMMENT ON COLUMN ragraph.entity.collection IS 'Namespace and tenant; the document''s own, by foreign key';
CREATE TABLE ragraph.mention (
    document_id TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    surface TEXT NOT NULL,
    defines BOOLEAN DEFAULT false NOT NULL,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT mention_pkey PRIMARY KEY (document_id, entity_id, node_id, char_start),
    CONSTRAINT mention_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT mention_entity_fkey FOREIGN KEY(document_id, entity_id) REFERENCES ragraph.entity (document_id, id) ON DELETE CASCADE,
    CONSTRAINT mention_node_fkey FOREIGN KEY(document_id, node_id) REFERENCES ragraph.content_node (document_id, id) ON DELETE CASCADE,
    CONSTRAINT mention_span_check CHECK (char_start >= 0 AND char_end > char_start),
    CONSTRAINT mention_surface_check CHECK (length(surface) = char_end - char_start)
);
CREATE INDEX mention_document_id_node_id_idx ON ragraph.mention (document_id, node_id);
COMMENT ON TABLE ragraph.mention IS 'A place where a node names an entity';
COMMENT ON COLUMN ragraph.mention.document_id IS 'Document of node and entity';
COMMENT ON COLUMN ragraph.mention.entity_id IS 'What is mentioned';
COMMENT ON COLUMN ragraph.mention.node_id IS 'Node that mentions it';
COMMENT ON COLUMN ragraph.mention.char_start IS 'Start in the content of the node, in characters from 0';
COMMENT ON COLUMN ragraph.mention.char_end IS 'End there, exclusive';
COMMENT ON COLUMN ragraph.mention.surface IS 'The words there';
COMMENT ON COLUMN ragraph.mention.defines IS 'Whether the document defines it there';
COMMENT ON COLUMN ragraph.mention.collection IS 'Namespace and tenant; the document''s own, by foreign key';
CREATE TABLE ragraph.entity_relation (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    source_entity_id TEXT NOT NULL,
    target_entity_id TEXT NOT NULL,
    relation_type TEXT NOT NULL,
    node_id TEXT NOT NULL,
    quote TEXT NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    extractor TEXT NOT NULL,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT entity_relation_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT entity_relation_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT entity_relation_source_fkey FOREIGN KEY(document_id, source_entity_id) REFERENCES ragraph.entity (document_id, id) ON DELETE CASCADE,
    CONSTRAINT entity_relation_target_fkey FOREIGN KEY(document_id, target_entity_id) REFERENCES ragraph.entity (document_id, id) ON DELETE CASCADE,
    CONSTRAINT entity_relation_node_fkey FOREIGN KEY(document_id, node_id) REFERENCES ragraph.content_node (document_id, id) ON DELETE CASCADE,
    CONSTRAINT entity_relation_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT entity_relation_ends_check CHECK (source_entity_id <> target_entity_id),
    CONSTRAINT entity_relation_relation_type_check CHECK (relation_type <> '' AND length(relation_type) <= 200),
    CONSTRAINT entity_relation_quote_check CHECK (char_start >= 0 AND length(quote) = char_end - char_start AND quote <> '')
);
CREATE INDEX entity_relation_document_id_node_id_idx ON ragraph.entity_relation (document_id, node_id);
CREATE INDEX entity_relation_document_id_source_entity_id_idx ON ragraph.entity_relation (document_id, source_entity_id);
CREATE INDEX entity_relation_document_id_target_entity_id_idx ON ragraph.entity_relation (document_id, target_entity_id);
COMMENT ON TABLE ragraph.entity_relation IS 'RELATED_TO: what a document says of two entities, with the words that say so';
COMMENT ON COLUMN ragraph.entity_relation.document_id IS 'Document that says so';
COMMENT ON COLUMN ragraph.entity_relation.id IS 'er_..., derived from document, extractor, both ends, type and place';
COMMENT ON COLUMN ragraph.entity_relation.source_entity_id IS 'Entity the edge starts from';
COMMENT ON COLUMN ragraph.entity_relation.target_entity_id IS 'Entity it leads to';
COMMENT ON COLUMN ragraph.entity_relation.relation_type IS 'What it says: inhibits, works for';
COMMENT ON COLUMN ragraph.entity_relation.node_id IS 'Node that says so';
COMMENT ON COLUMN ragraph.entity_relation.quote IS 'The words that say so, as they stand there';
COMMENT ON COLUMN ragraph.entity_relation.char_start IS 'Start of the quote in the content of the node, from 0';
COMMENT ON COLUMN ragraph.entity_relation.char_end IS 'End of it, exclusive';
COMMENT ON COLUMN ragraph.entity_relation.extractor IS 'What found it';
COMMENT ON COLUMN ragraph.entity_relation.collection IS 'Namespace and tenant; the document''s own, by foreign key';
CREATE TABLE ragraph.entity_extraction (
    document_id TEXT NOT NULL,
    extractor TEXT NOT NULL,
    version TEXT NOT NULL,
    nodes TEXT[] NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT entity_extraction_pkey PRIMARY KEY (document_id, extractor),
    CONSTRAINT entity_extraction_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT entity_extraction_extractor_check CHECK (extractor <> '' AND length(extractor) <= 500)
);
COMMENT ON TABLE ragraph.entity_extraction IS 'How far an extractor has come with a document';
COMMENT ON COLUMN ragraph.entity_extraction.document_id IS 'Document that was read';
COMMENT ON COLUMN ragraph.entity_extraction.extractor IS 'What read it';
COMMENT ON COLUMN ragraph.entity_extraction.version IS 'Version of it; another one reads the document anew';
COMMENT ON COLUMN ragraph.entity_extraction.nodes IS 'Nodes that it has read; their ids change with their content';
COMMENT ON COLUMN ragraph.entity_extraction.updated_at IS 'When it read last';
COMMENT ON COLUMN ragraph.entity_extraction.collection IS 'Namespace and tenant; the document''s own, by foreign key';
