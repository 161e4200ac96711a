-- name: publications
INSERT INTO ragraph.publication (id, title)
SELECT p.id || %(mark)s, p.title
FROM ragraph.publication AS p
WHERE p.id !~ '_c[0-9]+$';

-- name: documents
INSERT INTO ragraph.document (id, publication_id, ts_config, ingested_with, processing_status, processed_at)
SELECT d.id || %(mark)s, d.publication_id || %(mark)s, d.ts_config, d.ingested_with, d.processing_status, d.processed_at
FROM ragraph.document AS d
WHERE d.id !~ '_c[0-9]+$';

-- name: pages
INSERT INTO ragraph.document_page (document_id, page_pdf, page_logical, width, height)
SELECT p.document_id || %(mark)s, p.page_pdf, p.page_logical, p.width, p.height
FROM ragraph.document_page AS p
WHERE p.document_id !~ '_c[0-9]+$';

-- name: components
INSERT INTO ragraph.document_component (
    document_id, id, component_type, title, parent_component_id, depth, sequence_in_parent_major,
    sequence_in_parent_minor, page_range, first_sequence, last_sequence
)
SELECT
    c.document_id || %(mark)s, c.id, c.component_type, c.title, c.parent_component_id, c.depth, c.sequence_in_parent_major,
    c.sequence_in_parent_minor, c.page_range, c.first_sequence, c.last_sequence
FROM ragraph.document_component AS c
WHERE c.document_id !~ '_c[0-9]+$';

-- name: nodes
INSERT INTO ragraph.content_node (
    document_id, id, parent_component_id, content_node_type, content, embedding_source, sequence_in_parent_major,
    sequence_in_parent_minor, sequence_in_document, positional_data, content_hash, token_count, char_start, char_end, data,
    ts_config
)
SELECT
    n.document_id || %(mark)s, n.id, n.parent_component_id, n.content_node_type, n.content, n.embedding_source,
    n.sequence_in_parent_major, n.sequence_in_parent_minor, n.sequence_in_document, n.positional_data, n.content_hash,
    n.token_count, n.char_start, n.char_end, n.data, n.ts_config
FROM ragraph.content_node AS n
WHERE n.document_id !~ '_c[0-9]+$';

-- name: relations
INSERT INTO ragraph.relation (document_id, id, source_node_id, target_node_id, relation_type, marker_text)
SELECT r.document_id || %(mark)s, r.id, r.source_node_id, r.target_node_id, r.relation_type, r.marker_text
FROM ragraph.relation AS r
WHERE r.document_id !~ '_c[0-9]+$';

-- name: vectors
-- What stands beside the vectors, which are new ones.
SELECT
    e.document_id || %(mark)s, e.id, e.node_id, e.model_name, e.embedding_source::text, e.part, e.char_start, e.char_end,
    e.content_hash, e.normalized, e.collection
FROM ragraph.embedding AS e
WHERE e.document_id !~ '_c[0-9]+$'
ORDER BY e.document_id, e.id;
