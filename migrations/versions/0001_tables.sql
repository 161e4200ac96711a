CREATE TYPE ragraph.document_type AS ENUM ('MAIN', 'SUPPLEMENTAL', 'OTHER');
CREATE TYPE ragraph.component_type AS ENUM ('FRONT_MATTER', 'BODY_MATTER', 'BACK_MATTER', 'CONTAINER', 'SECTION', 'LIST', 'COPYRIGHT_PAGE', 'FOOTER', 'HEADER', 'TEXT_BOX', 'TITLE_PAGE', 'BIBLIOGRAPHY', 'LIST_OF_BOXES', 'LIST_OF_TABLES', 'LIST_OF_FIGURES', 'NOTES_SECTION', 'TABLE_OF_CONTENTS', 'ABSTRACT', 'ACKNOWLEDGEMENTS', 'APPENDIX', 'CHAPTER', 'CONCLUSION', 'DEDICATION', 'EPILOGUE', 'EXECUTIVE_SUMMARY', 'FOREWORD', 'INDEX', 'INTRODUCTION', 'PART', 'PREFACE');
CREATE TYPE ragraph.content_node_type AS ENUM ('AUTHOR', 'BLOCK_QUOTATION', 'BIBLIOGRAPHIC_ENTRY', 'CAPTION', 'CODE', 'FIGURE', 'FORMULA', 'HEADING', 'LIST_ITEM', 'NOTE', 'PARAGRAPH', 'PAGE_NUMBER', 'STANZA', 'SUBHEADING', 'SUBTITLE', 'TABLE', 'TITLE');
CREATE TYPE ragraph.embedding_source AS ENUM ('TEXT_CONTENT', 'DESCRIPTION', 'CAPTION');
CREATE TYPE ragraph.relation_type AS ENUM ('REFERENCES_NOTE', 'REFERENCES_CITATION', 'IS_CAPTIONED_BY', 'IS_SUPPLEMENTED_BY', 'CONTINUES', 'CROSS_REFERENCES');
CREATE TYPE ragraph.processing_status AS ENUM ('pending', 'processing', 'completed', 'failed');
CREATE TYPE ragraph.distance AS ENUM ('cosine', 'l2', 'inner_product');

CREATE TABLE ragraph.publication (
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    abstract TEXT,
    citation TEXT,
    authors TEXT,
    publication_date DATE,
    source TEXT,
    source_url TEXT,
    uri TEXT,
    collection TEXT DEFAULT 'default' NOT NULL,
    tags TEXT[] DEFAULT '{}'::text[] NOT NULL,
    metadata JSONB DEFAULT '{}'::jsonb NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    CONSTRAINT publication_pkey PRIMARY KEY (id),
    CONSTRAINT publication_id_check CHECK (id <> '' AND length(id) <= 200)
);
CREATE INDEX publication_collection_idx ON ragraph.publication (collection);
CREATE INDEX publication_metadata_idx ON ragraph.publication USING gin (metadata jsonb_path_ops);
CREATE INDEX publication_publication_date_idx ON ragraph.publication (publication_date);
CREATE INDEX publication_tags_idx ON ragraph.publication USING gin (tags);
COMMENT ON TABLE ragraph.publication IS 'A work that was published; holds one or more documents';
COMMENT ON COLUMN ragraph.publication.id IS 'pub_..., from the publication record or derived from the document';
COMMENT ON COLUMN ragraph.publication.title IS 'Title of the publication';
COMMENT ON COLUMN ragraph.publication.abstract IS 'Abstract, if the record has one';
COMMENT ON COLUMN ragraph.publication.citation IS 'Formal citation as the publisher words it';
COMMENT ON COLUMN ragraph.publication.authors IS 'Authors, comma separated';
COMMENT ON COLUMN ragraph.publication.publication_date IS 'Date of publication; a year alone is its first of January';
COMMENT ON COLUMN ragraph.publication.source IS 'Repository that the publication comes from';
COMMENT ON COLUMN ragraph.publication.source_url IS 'Landing page of the publication';
COMMENT ON COLUMN ragraph.publication.uri IS 'Persistent identifier (handle, DOI) that leads to source_url';
COMMENT ON COLUMN ragraph.publication.collection IS 'Namespace and tenant';
COMMENT ON COLUMN ragraph.publication.tags IS 'Free labels to filter by';
COMMENT ON COLUMN ragraph.publication.metadata IS 'What the record says beyond the columns';
COMMENT ON COLUMN ragraph.publication.created_at IS 'When the row was made';
COMMENT ON COLUMN ragraph.publication.updated_at IS 'When the row last changed';

CREATE TABLE ragraph.embedding_model (
    name TEXT NOT NULL,
    location TEXT,
    dimensions INTEGER NOT NULL,
    distance ragraph.distance DEFAULT 'cosine' NOT NULL,
    max_tokens INTEGER NOT NULL,
    query_prefix TEXT DEFAULT '' NOT NULL,
    document_prefix TEXT DEFAULT '' NOT NULL,
    normalized BOOLEAN NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    CONSTRAINT embedding_model_pkey PRIMARY KEY (name),
    CONSTRAINT embedding_model_shape_key UNIQUE (name, dimensions, normalized),
    CONSTRAINT embedding_model_name_check CHECK (name <> '' AND length(name) <= 200),
    CONSTRAINT embedding_model_dimensions_check CHECK (dimensions BETWEEN 1 AND 16000),
    CONSTRAINT embedding_model_max_tokens_check CHECK (max_tokens >= 1)
);
COMMENT ON TABLE ragraph.embedding_model IS 'An embedding model; vectors of several live side by side';
COMMENT ON COLUMN ragraph.embedding_model.name IS 'Name of the model, as embeddings and searches give it';
COMMENT ON COLUMN ragraph.embedding_model.location IS 'Folder or hub name to load it from; null for the packaged default';
COMMENT ON COLUMN ragraph.embedding_model.dimensions IS 'Length of its vectors';
COMMENT ON COLUMN ragraph.embedding_model.distance IS 'Distance to search by';
COMMENT ON COLUMN ragraph.embedding_model.max_tokens IS 'Tokens it reads at most, special tokens included';
COMMENT ON COLUMN ragraph.embedding_model.query_prefix IS 'Put before a query';
COMMENT ON COLUMN ragraph.embedding_model.document_prefix IS 'Put before a text of the store';
COMMENT ON COLUMN ragraph.embedding_model.normalized IS 'Whether its vectors have length 1';
COMMENT ON COLUMN ragraph.embedding_model.created_at IS 'When the model was registered';

CREATE TABLE ragraph.text_statistics (
    collection TEXT NOT NULL,
    ts_config REGCONFIG NOT NULL,
    nodes BIGINT NOT NULL,
    mean_length FLOAT NOT NULL,
    shares JSONB NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    CONSTRAINT text_statistics_pkey PRIMARY KEY (collection, ts_config)
);
COMMENT ON TABLE ragraph.text_statistics IS 'What full text search ranks by in large scopes; taken again by ensure_text_statistics()';
COMMENT ON COLUMN ragraph.text_statistics.collection IS 'Collection that was counted';
COMMENT ON COLUMN ragraph.text_statistics.ts_config IS 'Text search configuration of the nodes';
COMMENT ON COLUMN ragraph.text_statistics.nodes IS 'Number of nodes when it was counted';
COMMENT ON COLUMN ragraph.text_statistics.mean_length IS 'Mean length of the nodes, in tokens';
COMMENT ON COLUMN ragraph.text_statistics.shares IS 'Share of the nodes that hold a lexeme, of the common ones';
COMMENT ON COLUMN ragraph.text_statistics.updated_at IS 'When it was counted';

CREATE TABLE ragraph.document (
    id TEXT NOT NULL,
    publication_id TEXT NOT NULL,
    type ragraph.document_type DEFAULT 'MAIN' NOT NULL,
    download_url TEXT,
    description TEXT,
    mime_type TEXT,
    charset TEXT,
    storage_url TEXT,
    file_size BIGINT,
    language TEXT,
    version TEXT,
    collection TEXT DEFAULT 'default' NOT NULL,
    source_uri TEXT,
    sha256 TEXT,
    page_count INTEGER,
    ts_config REGCONFIG DEFAULT 'simple'::regconfig NOT NULL,
    structure JSONB DEFAULT '{}'::jsonb NOT NULL,
    ingested_with JSONB DEFAULT '{}'::jsonb NOT NULL,
    processing_status ragraph.processing_status DEFAULT 'pending' NOT NULL,
    error_message TEXT,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    processed_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT document_pkey PRIMARY KEY (id),
    CONSTRAINT document_id_collection_key UNIQUE (id, collection),
    CONSTRAINT document_publication_fkey FOREIGN KEY(publication_id) REFERENCES ragraph.publication (id),
    CONSTRAINT document_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT document_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    CONSTRAINT document_page_count_check CHECK (page_count >= 0),
    CONSTRAINT document_file_size_check CHECK (file_size >= 0),
    CONSTRAINT document_error_message_check CHECK (processing_status = 'failed' OR error_message IS NULL)
);
CREATE INDEX document_collection_sha256_idx ON ragraph.document (collection, sha256);
CREATE INDEX document_language_idx ON ragraph.document (language);
CREATE INDEX document_publication_id_idx ON ragraph.document (publication_id);
CREATE INDEX document_source_uri_idx ON ragraph.document (source_uri);
COMMENT ON TABLE ragraph.document IS 'A file of a publication; its nodes, components, relations and embeddings hang on it';
COMMENT ON COLUMN ragraph.document.id IS 'dl_..., from the publication record, --id, or derived from source_uri';
COMMENT ON COLUMN ragraph.document.publication_id IS 'Publication that holds the document';
COMMENT ON COLUMN ragraph.document.type IS 'Part it plays in the publication';
COMMENT ON COLUMN ragraph.document.download_url IS 'Where the source file can be downloaded';
COMMENT ON COLUMN ragraph.document.description IS 'Description of the document';
COMMENT ON COLUMN ragraph.document.mime_type IS 'MIME type of the source file';
COMMENT ON COLUMN ragraph.document.charset IS 'Character set of the source file';
COMMENT ON COLUMN ragraph.document.storage_url IS 'Where the source file is kept (file://, s3://)';
COMMENT ON COLUMN ragraph.document.file_size IS 'Size of the source file in bytes';
COMMENT ON COLUMN ragraph.document.language IS 'Language of the document, BCP 47';
COMMENT ON COLUMN ragraph.document.version IS 'Version of the document, as its publisher counts';
COMMENT ON COLUMN ragraph.document.collection IS 'Namespace and tenant';
COMMENT ON COLUMN ragraph.document.source_uri IS 'Where the ingester read the file from; the id is derived from it';
COMMENT ON COLUMN ragraph.document.sha256 IS 'SHA-256 of the source file, 64 hexadecimal digits; null until a file was read';
COMMENT ON COLUMN ragraph.document.page_count IS 'Number of pages; null for formats that have none';
COMMENT ON COLUMN ragraph.document.ts_config IS 'Text search configuration of the language';
COMMENT ON COLUMN ragraph.document.structure IS 'Containers that the format itself states; stage two reads them';
COMMENT ON COLUMN ragraph.document.ingested_with IS 'Reader, its version and settings that made the nodes';
COMMENT ON COLUMN ragraph.document.processing_status IS 'How far the document has come';
COMMENT ON COLUMN ragraph.document.error_message IS 'Why processing failed; null unless processing_status is failed';
COMMENT ON COLUMN ragraph.document.created_at IS 'When the row was made';
COMMENT ON COLUMN ragraph.document.updated_at IS 'When the document last changed';
COMMENT ON COLUMN ragraph.document.processed_at IS 'When a file was last read into the graph';

CREATE TABLE ragraph.document_page (
    document_id TEXT NOT NULL,
    page_pdf INTEGER NOT NULL,
    page_logical TEXT,
    width FLOAT,
    height FLOAT,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT document_page_pkey PRIMARY KEY (document_id, page_pdf),
    CONSTRAINT document_page_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT document_page_page_pdf_check CHECK (page_pdf >= 1)
);
CREATE INDEX document_page_document_id_page_logical_idx ON ragraph.document_page (document_id, page_logical);
COMMENT ON TABLE ragraph.document_page IS 'A physical page; nodes and components can only lie on pages that are here';
COMMENT ON COLUMN ragraph.document_page.document_id IS 'Document the page belongs to';
COMMENT ON COLUMN ragraph.document_page.page_pdf IS 'Physical page, counted from 1';
COMMENT ON COLUMN ragraph.document_page.page_logical IS 'Page number as printed or labelled, for example iii or A-3';
COMMENT ON COLUMN ragraph.document_page.width IS 'Width in points';
COMMENT ON COLUMN ragraph.document_page.height IS 'Height in points';
COMMENT ON COLUMN ragraph.document_page.collection IS 'Namespace and tenant; the document''s own, by foreign key';

CREATE TABLE ragraph.document_component (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    component_type ragraph.component_type NOT NULL,
    title TEXT,
    parent_component_id TEXT,
    depth INTEGER NOT NULL,
    parent_depth INTEGER GENERATED ALWAYS AS (CASE WHEN parent_component_id IS NOT NULL THEN depth - 1 END) STORED,
    sequence_in_parent_major INTEGER NOT NULL,
    sequence_in_parent_minor INTEGER,
    page_range INT4RANGE,
    first_page INTEGER GENERATED ALWAYS AS (lower(page_range)) STORED,
    last_page INTEGER GENERATED ALWAYS AS (upper(page_range) - 1) STORED,
    first_sequence INTEGER,
    last_sequence INTEGER,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT document_component_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT document_component_id_depth_key UNIQUE (document_id, id, depth),
    CONSTRAINT document_component_sibling_order_key UNIQUE NULLS NOT DISTINCT (document_id, parent_component_id, sequence_in_parent_major, sequence_in_parent_minor) DEFERRABLE INITIALLY IMMEDIATE,
    CONSTRAINT document_component_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT document_component_parent_fkey FOREIGN KEY(document_id, parent_component_id, parent_depth) REFERENCES ragraph.document_component (document_id, id, depth) ON DELETE CASCADE,
    CONSTRAINT document_component_first_page_fkey FOREIGN KEY(document_id, first_page) REFERENCES ragraph.document_page (document_id, page_pdf),
    CONSTRAINT document_component_last_page_fkey FOREIGN KEY(document_id, last_page) REFERENCES ragraph.document_page (document_id, page_pdf),
    CONSTRAINT document_component_depth_check CHECK (depth >= 0 AND (parent_component_id IS NULL) = (depth = 0)),
    CONSTRAINT document_component_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT document_component_interval_check CHECK (first_sequence <= last_sequence AND (first_sequence IS NULL) = (last_sequence IS NULL)),
    CONSTRAINT document_component_page_range_check CHECK (NOT isempty(page_range) AND NOT lower_inf(page_range) AND NOT upper_inf(page_range))
);
CREATE INDEX document_component_document_id_first_page_idx ON ragraph.document_component (document_id, first_page);
CREATE INDEX document_component_document_id_first_sequence_last_sequence_idx ON ragraph.document_component (document_id, first_sequence, last_sequence);
CREATE INDEX document_component_document_id_last_page_idx ON ragraph.document_component (document_id, last_page);
COMMENT ON TABLE ragraph.document_component IS 'A branch of the document tree: matter, chapter, section, list, box, header ...';
COMMENT ON COLUMN ragraph.document_component.document_id IS 'Document the component belongs to';
COMMENT ON COLUMN ragraph.document_component.id IS 'cmp_..., derived from document, type, title and count';
COMMENT ON COLUMN ragraph.document_component.component_type IS 'What the component is';
COMMENT ON COLUMN ragraph.document_component.title IS 'Its heading; null for a container without one';
COMMENT ON COLUMN ragraph.document_component.parent_component_id IS 'Component that contains it; null at the top';
COMMENT ON COLUMN ragraph.document_component.depth IS 'Steps to the top; 0 at the top';
COMMENT ON COLUMN ragraph.document_component.parent_depth IS 'depth - 1, part of the foreign key to the parent: makes a cycle impossible';
COMMENT ON COLUMN ragraph.document_component.sequence_in_parent_major IS 'Order among its siblings, nodes and components alike';
COMMENT ON COLUMN ragraph.document_component.sequence_in_parent_minor IS 'Null but for headers and footers: their order at that place';
COMMENT ON COLUMN ragraph.document_component.page_range IS 'Pages it lies on, inclusive; null for formats without pages';
COMMENT ON COLUMN ragraph.document_component.first_page IS 'First page of page_range';
COMMENT ON COLUMN ragraph.document_component.last_page IS 'Last page of page_range';
COMMENT ON COLUMN ragraph.document_component.first_sequence IS 'Smallest sequence_in_document below it; null when it holds no node';
COMMENT ON COLUMN ragraph.document_component.last_sequence IS 'Largest sequence_in_document below it; null when it holds no node';
COMMENT ON COLUMN ragraph.document_component.collection IS 'Namespace and tenant; the document''s own, by foreign key';

CREATE TABLE ragraph.content_node (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    parent_component_id TEXT,
    content_node_type ragraph.content_node_type NOT NULL,
    content TEXT NOT NULL,
    storage_url TEXT,
    description TEXT,
    embedding_source ragraph.embedding_source DEFAULT 'TEXT_CONTENT' NOT NULL,
    sequence_in_parent_major INTEGER NOT NULL,
    sequence_in_parent_minor INTEGER,
    sequence_in_document INTEGER NOT NULL,
    positional_data JSONB DEFAULT '[]'::jsonb NOT NULL,
    first_page INTEGER GENERATED ALWAYS AS (((positional_data -> 0) ->> 'page_pdf')::integer) STORED,
    last_page INTEGER GENERATED ALWAYS AS (((positional_data -> (-1)) ->> 'page_pdf')::integer) STORED,
    content_hash TEXT NOT NULL,
    token_count INTEGER DEFAULT 0 NOT NULL,
    char_start INTEGER DEFAULT 0 NOT NULL,
    char_end INTEGER DEFAULT 0 NOT NULL,
    data JSONB DEFAULT '{}'::jsonb NOT NULL,
    ts_config REGCONFIG DEFAULT 'simple'::regconfig NOT NULL,
    text_search TSVECTOR GENERATED ALWAYS AS (to_tsvector(ts_config, left(content, 100000))) STORED,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT content_node_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT content_node_reading_order_key UNIQUE (document_id, sequence_in_document) DEFERRABLE INITIALLY IMMEDIATE,
    CONSTRAINT content_node_sibling_order_key UNIQUE NULLS NOT DISTINCT (document_id, parent_component_id, sequence_in_parent_major, sequence_in_parent_minor) DEFERRABLE INITIALLY IMMEDIATE,
    CONSTRAINT content_node_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT content_node_parent_fkey FOREIGN KEY(document_id, parent_component_id) REFERENCES ragraph.document_component (document_id, id),
    CONSTRAINT content_node_first_page_fkey FOREIGN KEY(document_id, first_page) REFERENCES ragraph.document_page (document_id, page_pdf),
    CONSTRAINT content_node_last_page_fkey FOREIGN KEY(document_id, last_page) REFERENCES ragraph.document_page (document_id, page_pdf),
    CONSTRAINT content_node_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT content_node_content_hash_check CHECK (content_hash ~ '^[0-9a-f]{64}$'),
    CONSTRAINT content_node_counts_check CHECK (token_count >= 0 AND char_start >= 0 AND char_end >= char_start AND sequence_in_document >= 0),
    CONSTRAINT content_node_positional_data_check CHECK (CASE WHEN jsonb_typeof(positional_data) = 'array' THEN jsonb_array_length(positional_data) = jsonb_array_length(jsonb_path_query_array(positional_data, 'strict $[*] ? (@.page_pdf.type() == "number" && @.page_pdf >= 1 && @.page_pdf.floor() == @.page_pdf && @.page_pdf >= $[0].page_pdf && @.page_pdf <= $[last].page_pdf)')) ELSE false END)
);
CREATE INDEX content_node_content_node_type_document_id_idx ON ragraph.content_node (content_node_type, document_id);
CREATE INDEX content_node_ts_config_collection_document_id_idx ON ragraph.content_node (ts_config, collection, document_id);
CREATE INDEX content_node_document_id_first_page_idx ON ragraph.content_node (document_id, first_page);
CREATE INDEX content_node_document_id_last_page_idx ON ragraph.content_node (document_id, last_page);
CREATE INDEX content_node_positional_data_idx ON ragraph.content_node USING gin (positional_data jsonb_path_ops);
CREATE INDEX content_node_text_search_idx ON ragraph.content_node USING gin (text_search);
COMMENT ON TABLE ragraph.content_node IS 'A leaf of the document tree: paragraph, heading, table, figure, note ...';
COMMENT ON COLUMN ragraph.content_node.document_id IS 'Document the node belongs to';
COMMENT ON COLUMN ragraph.content_node.id IS 'cn_..., derived from document, type, content and the how-manyth such node it is';
COMMENT ON COLUMN ragraph.content_node.parent_component_id IS 'Component that contains it; null after stage one';
COMMENT ON COLUMN ragraph.content_node.content_node_type IS 'What the node is';
COMMENT ON COLUMN ragraph.content_node.content IS 'Its text; of a table the flattened cells; empty for a figure without text';
COMMENT ON COLUMN ragraph.content_node.storage_url IS 'Where binary content (an image) is kept';
COMMENT ON COLUMN ragraph.content_node.description IS 'Description of a table or figure in words; embedded in place of the content';
COMMENT ON COLUMN ragraph.content_node.embedding_source IS 'Which of its texts is embedded';
COMMENT ON COLUMN ragraph.content_node.sequence_in_parent_major IS 'Order among its siblings; of a footnote that of the node that refers to it';
COMMENT ON COLUMN ragraph.content_node.sequence_in_parent_minor IS 'Null but for footnotes and the like: their order after that node';
COMMENT ON COLUMN ragraph.content_node.sequence_in_document IS 'Reading order, dense, from 0';
COMMENT ON COLUMN ragraph.content_node.positional_data IS '[{page_pdf, page_logical, bbox: {x1, y1, x2, y2}}, ...] in points, origin top left, one entry per page or box';
COMMENT ON COLUMN ragraph.content_node.first_page IS 'page_pdf of the first position';
COMMENT ON COLUMN ragraph.content_node.last_page IS 'page_pdf of the last position';
COMMENT ON COLUMN ragraph.content_node.content_hash IS 'SHA-256 of the content, 64 hexadecimal digits';
COMMENT ON COLUMN ragraph.content_node.token_count IS 'Tokens of the content, by the tokenizer of the default embedding model';
COMMENT ON COLUMN ragraph.content_node.char_start IS 'Start of its span in document_text(document_id), in characters from 0';
COMMENT ON COLUMN ragraph.content_node.char_end IS 'End of that span, exclusive';
COMMENT ON COLUMN ragraph.content_node.data IS 'What the type needs beyond text: cells, level of a heading, language of code, anchors, marker';
COMMENT ON COLUMN ragraph.content_node.ts_config IS 'The document''s text search configuration';
COMMENT ON COLUMN ragraph.content_node.text_search IS 'Lexemes of the content for full text search';
COMMENT ON COLUMN ragraph.content_node.collection IS 'Namespace and tenant; the document''s own, by foreign key';

CREATE TABLE ragraph.relation (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    source_node_id TEXT NOT NULL,
    target_node_id TEXT,
    relation_type ragraph.relation_type NOT NULL,
    marker_text TEXT,
    marker_start INTEGER,
    target_anchor TEXT,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT relation_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT relation_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT relation_source_fkey FOREIGN KEY(document_id, source_node_id) REFERENCES ragraph.content_node (document_id, id) ON DELETE CASCADE,
    CONSTRAINT relation_target_fkey FOREIGN KEY(document_id, target_node_id) REFERENCES ragraph.content_node (document_id, id) ON DELETE CASCADE,
    CONSTRAINT relation_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT relation_ends_check CHECK (source_node_id <> target_node_id),
    CONSTRAINT relation_marker_start_check CHECK (marker_start >= 0)
);
CREATE INDEX relation_document_id_source_node_id_idx ON ragraph.relation (document_id, source_node_id);
CREATE INDEX relation_document_id_target_node_id_idx ON ragraph.relation (document_id, target_node_id);
COMMENT ON TABLE ragraph.relation IS 'An edge between two nodes of one document';
COMMENT ON COLUMN ragraph.relation.document_id IS 'Document of both ends';
COMMENT ON COLUMN ragraph.relation.id IS 'rel_..., derived from document, source, type, marker and count';
COMMENT ON COLUMN ragraph.relation.source_node_id IS 'Node the edge starts from';
COMMENT ON COLUMN ragraph.relation.target_node_id IS 'Node it leads to; null until resolved';
COMMENT ON COLUMN ragraph.relation.relation_type IS 'What the edge says';
COMMENT ON COLUMN ragraph.relation.marker_text IS 'Marker as printed: 1, [22], (Author, 2025), Section 4.2';
COMMENT ON COLUMN ragraph.relation.marker_start IS 'Place of the marker in the content of the source, in characters from 0';
COMMENT ON COLUMN ragraph.relation.target_anchor IS 'Anchor that the format states as the target; resolve_relations reads it';
COMMENT ON COLUMN ragraph.relation.collection IS 'Namespace and tenant; the document''s own, by foreign key';

CREATE TABLE ragraph.document_relation (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    source_node_id TEXT NOT NULL,
    target_document_id TEXT NOT NULL,
    target_node_id TEXT,
    relation_type ragraph.relation_type NOT NULL,
    marker_text TEXT,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT document_relation_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT document_relation_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT document_relation_source_fkey FOREIGN KEY(document_id, source_node_id) REFERENCES ragraph.content_node (document_id, id) ON DELETE CASCADE,
    CONSTRAINT document_relation_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT document_relation_other_document_check CHECK (document_id <> target_document_id)
);
CREATE INDEX document_relation_document_id_source_node_id_idx ON ragraph.document_relation (document_id, source_node_id);
CREATE INDEX document_relation_target_document_id_target_node_id_idx ON ragraph.document_relation (target_document_id, target_node_id);
COMMENT ON TABLE ragraph.document_relation IS 'An edge whose target lies in another document';
COMMENT ON COLUMN ragraph.document_relation.document_id IS 'Document of the source';
COMMENT ON COLUMN ragraph.document_relation.id IS 'rel_..., derived from document, source, type and target';
COMMENT ON COLUMN ragraph.document_relation.source_node_id IS 'Node the edge starts from';
COMMENT ON COLUMN ragraph.document_relation.target_document_id IS 'Other document; a soft reference, checked by check_store()';
COMMENT ON COLUMN ragraph.document_relation.target_node_id IS 'Node in that document; null for the document as a whole';
COMMENT ON COLUMN ragraph.document_relation.relation_type IS 'What the edge says';
COMMENT ON COLUMN ragraph.document_relation.marker_text IS 'Marker as printed';
COMMENT ON COLUMN ragraph.document_relation.collection IS 'Namespace and tenant; the document''s own, by foreign key';

CREATE TABLE ragraph.embedding (
    document_id TEXT NOT NULL,
    id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    model_name TEXT NOT NULL,
    embedding_source ragraph.embedding_source DEFAULT 'TEXT_CONTENT' NOT NULL,
    part INTEGER DEFAULT 0 NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    embedding_vector vector NOT NULL,
    dimensions INTEGER GENERATED ALWAYS AS (vector_dims(embedding_vector)) STORED,
    normalized BOOLEAN NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    collection TEXT DEFAULT 'default' NOT NULL,
    CONSTRAINT embedding_pkey PRIMARY KEY (document_id, id),
    CONSTRAINT embedding_part_key UNIQUE (document_id, node_id, model_name, embedding_source, part),
    CONSTRAINT embedding_document_fkey FOREIGN KEY(document_id, collection) REFERENCES ragraph.document (id, collection) ON DELETE CASCADE,
    CONSTRAINT embedding_node_fkey FOREIGN KEY(document_id, node_id) REFERENCES ragraph.content_node (document_id, id) ON DELETE CASCADE,
    CONSTRAINT embedding_model_fkey FOREIGN KEY(model_name, dimensions, normalized) REFERENCES ragraph.embedding_model (name, dimensions, normalized),
    CONSTRAINT embedding_id_check CHECK (id <> '' AND length(id) <= 200),
    CONSTRAINT embedding_span_check CHECK (part >= 0 AND char_start >= 0 AND char_end >= char_start),
    CONSTRAINT embedding_content_hash_check CHECK (content_hash ~ '^[0-9a-f]{64}$'),
    CONSTRAINT embedding_not_zero_check CHECK (vector_norm(embedding_vector) > 0),
    CONSTRAINT embedding_normalized_check CHECK (NOT normalized OR abs(vector_norm(embedding_vector) - 1) < 0.001)
);
CREATE INDEX embedding_model_name_collection_idx ON ragraph.embedding (model_name, collection);
COMMENT ON TABLE ragraph.embedding IS 'A vector of a node, or of a part of it, under one model';
COMMENT ON COLUMN ragraph.embedding.document_id IS 'Document the node belongs to';
COMMENT ON COLUMN ragraph.embedding.id IS 'em_..., derived from document, node, model, source and part';
COMMENT ON COLUMN ragraph.embedding.node_id IS 'Node that was embedded';
COMMENT ON COLUMN ragraph.embedding.model_name IS 'Model that made the vector';
COMMENT ON COLUMN ragraph.embedding.embedding_source IS 'Which text of the node was embedded';
COMMENT ON COLUMN ragraph.embedding.part IS '0, 1, ... for nodes longer than the model reads';
COMMENT ON COLUMN ragraph.embedding.char_start IS 'Start of the part in that text, in characters from 0';
COMMENT ON COLUMN ragraph.embedding.char_end IS 'End of the part, exclusive';
COMMENT ON COLUMN ragraph.embedding.content_hash IS 'SHA-256 of the very text that was embedded, heading path included';
COMMENT ON COLUMN ragraph.embedding.embedding_vector IS 'The vector';
COMMENT ON COLUMN ragraph.embedding.dimensions IS 'Length of the vector, bound to the model''s';
COMMENT ON COLUMN ragraph.embedding.normalized IS 'Whether the vector has length 1, bound to the model''s';
COMMENT ON COLUMN ragraph.embedding.created_at IS 'When the vector was made';
COMMENT ON COLUMN ragraph.embedding.collection IS 'Namespace and tenant; the document''s own, by foreign key';
