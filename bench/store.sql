-- name: publication
INSERT INTO ragraph.publication (id, title) VALUES (%(id)s, %(title)s) ON CONFLICT (id) DO NOTHING;

-- name: count_rows
SELECT
    (SELECT count(*) FROM ragraph.document_page) + (SELECT count(*) FROM ragraph.document_component)
    + (SELECT count(*) FROM ragraph.content_node) + (SELECT count(*) FROM ragraph.relation) AS graph,
    (SELECT count(*) FROM ragraph.embedding) AS embeddings;

-- name: bare_tables
-- The columns that are written: once bare, once with the keys, checks, generated values and indexes of ours.
CREATE TABLE IF NOT EXISTS bare_page AS SELECT
    document_id, page_pdf, page_logical, width, height, collection
FROM ragraph.document_page WITH NO DATA;
CREATE TABLE IF NOT EXISTS full_page (LIKE ragraph.document_page INCLUDING ALL);
CREATE TABLE IF NOT EXISTS bare_component AS SELECT
    document_id, id, component_type, title, parent_component_id, depth, sequence_in_parent_major,
    sequence_in_parent_minor, page_range, first_sequence, last_sequence, collection
FROM ragraph.document_component WITH NO DATA;
CREATE TABLE IF NOT EXISTS full_component (LIKE ragraph.document_component INCLUDING ALL);
CREATE TABLE IF NOT EXISTS bare_node AS SELECT
    document_id, id, parent_component_id, content_node_type, content, storage_url, description, embedding_source,
    sequence_in_parent_major, sequence_in_parent_minor, sequence_in_document, positional_data, content_hash,
    token_count, char_start, char_end, data, ts_config, collection
FROM ragraph.content_node WITH NO DATA;
CREATE TABLE IF NOT EXISTS full_node (LIKE ragraph.content_node INCLUDING ALL);
CREATE TABLE IF NOT EXISTS bare_relation AS SELECT
    document_id, id, source_node_id, target_node_id, relation_type, marker_text, marker_start, target_anchor, collection
FROM ragraph.relation WITH NO DATA;
CREATE TABLE IF NOT EXISTS full_relation (LIKE ragraph.relation INCLUDING ALL);
CREATE TABLE IF NOT EXISTS bare_embedding AS SELECT
    document_id, id, node_id, model_name, embedding_source, part, char_start, char_end, content_hash,
    embedding_vector, normalized, created_at, collection
FROM ragraph.embedding WITH NO DATA;
CREATE TABLE IF NOT EXISTS full_embedding (LIKE ragraph.embedding INCLUDING ALL);

-- name: copy_out_page
COPY (
    SELECT
        document_id, page_pdf, page_logical, width, height, collection
    FROM ragraph.document_page
) TO STDOUT WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_out_component
COPY (
    SELECT
        document_id, id, component_type, title, parent_component_id, depth, sequence_in_parent_major,
        sequence_in_parent_minor, page_range, first_sequence, last_sequence, collection
    FROM ragraph.document_component
) TO STDOUT WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_out_node
COPY (
    SELECT
        document_id, id, parent_component_id, content_node_type, content, storage_url, description, embedding_source,
        sequence_in_parent_major, sequence_in_parent_minor, sequence_in_document, positional_data, content_hash,
        token_count, char_start, char_end, data, ts_config, collection
    FROM ragraph.content_node
) TO STDOUT WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_out_relation
COPY (
    SELECT
        document_id, id, source_node_id, target_node_id, relation_type, marker_text, marker_start, target_anchor, collection
    FROM ragraph.relation
) TO STDOUT WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_out_embedding
COPY (
    SELECT
        document_id, id, node_id, model_name, embedding_source, part, char_start, char_end, content_hash,
        embedding_vector, normalized, created_at, collection
    FROM ragraph.embedding
) TO STDOUT WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_bare_page
COPY bare_page (
    document_id, page_pdf, page_logical, width, height, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_bare_component
COPY bare_component (
    document_id, id, component_type, title, parent_component_id, depth, sequence_in_parent_major,
    sequence_in_parent_minor, page_range, first_sequence, last_sequence, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_bare_node
COPY bare_node (
    document_id, id, parent_component_id, content_node_type, content, storage_url, description, embedding_source,
    sequence_in_parent_major, sequence_in_parent_minor, sequence_in_document, positional_data, content_hash,
    token_count, char_start, char_end, data, ts_config, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_bare_relation
COPY bare_relation (
    document_id, id, source_node_id, target_node_id, relation_type, marker_text, marker_start, target_anchor, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_bare_embedding
COPY bare_embedding (
    document_id, id, node_id, model_name, embedding_source, part, char_start, char_end, content_hash,
    embedding_vector, normalized, created_at, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_full_page
COPY full_page (
    document_id, page_pdf, page_logical, width, height, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_full_component
COPY full_component (
    document_id, id, component_type, title, parent_component_id, depth, sequence_in_parent_major,
    sequence_in_parent_minor, page_range, first_sequence, last_sequence, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_full_node
COPY full_node (
    document_id, id, parent_component_id, content_node_type, content, storage_url, description, embedding_source,
    sequence_in_parent_major, sequence_in_parent_minor, sequence_in_document, positional_data, content_hash,
    token_count, char_start, char_end, data, ts_config, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_full_relation
COPY full_relation (
    document_id, id, source_node_id, target_node_id, relation_type, marker_text, marker_start, target_anchor, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: copy_full_embedding
COPY full_embedding (
    document_id, id, node_id, model_name, embedding_source, part, char_start, char_end, content_hash,
    embedding_vector, normalized, created_at, collection
) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: tag_rare
-- Every node of a rare type: one in a thousand of the embedded ones becomes a STANZA.
WITH ranked AS (
    SELECT
        n.document_id,
        n.id,
        row_number() OVER (ORDER BY md5(n.document_id || n.id)) AS place,
        count(*) OVER () AS total
    FROM ragraph.content_node AS n
    WHERE n.content_node_type IN ('PARAGRAPH', 'STANZA')
)

UPDATE ragraph.content_node AS n
SET content_node_type = CASE WHEN r.place <= ceil(r.total * %(share)s) THEN 'STANZA' ELSE 'PARAGRAPH' END::ragraph.content_node_type
FROM ranked AS r
WHERE
    n.document_id = r.document_id
    AND n.id = r.id
    AND n.content_node_type
    IS DISTINCT FROM CASE WHEN r.place <= ceil(r.total * %(share)s) THEN 'STANZA' ELSE 'PARAGRAPH' END::ragraph.content_node_type;

-- name: count_rare
SELECT count(*) FROM ragraph.content_node AS n WHERE n.content_node_type = 'STANZA';

-- name: analyze
ANALYZE ragraph.content_node, ragraph.embedding, ragraph.document_component, ragraph.relation;

-- name: set_index
-- The bare query is given the same ef_search that pgvector has by default.
SET LOCAL hnsw.ef_search = 40;

-- name: section
SELECT s.document_id, s.node_id
FROM
    ragraph.search_vector(
        %(vector)s, %(model)s, %(k)s, document_ids => ARRAY[%(document_id)s]::text [], component_id => %(component_id)s
    ) AS s;

-- name: section_exact
SELECT e.document_id, e.node_id
FROM ragraph.embedding AS e
INNER JOIN ragraph.content_node AS n ON e.document_id = n.document_id AND e.node_id = n.id
INNER JOIN ragraph.document_component AS c
    ON n.document_id = c.document_id AND n.sequence_in_document BETWEEN c.first_sequence AND c.last_sequence
WHERE c.document_id = %(document_id)s AND c.id = %(component_id)s AND e.model_name = %(model)s
ORDER BY e.embedding_vector <=> %(vector)s, e.node_id COLLATE "C"
LIMIT %(k)s;

-- name: global
SELECT s.document_id, s.node_id FROM ragraph.search_vector(%(vector)s, %(model)s, %(k)s) AS s;

-- name: global_exact
-- The bare distance, without the cast of the index: a scan of all vectors.
SELECT e.document_id, e.node_id
FROM ragraph.embedding AS e
WHERE e.model_name = %(model)s
ORDER BY e.embedding_vector <=> %(vector)s
LIMIT %(k)s;

-- name: bare
SELECT e.document_id, e.node_id
FROM ragraph.embedding AS e
WHERE e.model_name = 'synthetic'
ORDER BY e.embedding_vector::halfvec(384) <=> %(vector)s::vector::halfvec(384)
LIMIT %(k)s;

-- name: rare
SELECT s.document_id, s.node_id
FROM ragraph.search_vector(%(vector)s, %(model)s, %(k)s, node_types => '{STANZA}') AS s;

-- name: nothing
SELECT 1;

-- name: order_stamped
SELECT md5(string_agg(n.content, E'\n\n' ORDER BY n.sequence_in_document))
FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s;

-- name: order_walk
SELECT md5(string_agg(n.content, E'\n\n' ORDER BY w.sequence))
FROM ragraph.walk_document(%(document_id)s) AS w
INNER JOIN ragraph.content_node AS n ON n.document_id = %(document_id)s AND w.id = n.id
WHERE w.kind = 'node';

-- name: order_continues
-- The linked list: from the node that continues nothing, one hop at a time.
WITH RECURSIVE chain AS (
    SELECT n.id, 0 AS place
    FROM ragraph.content_node AS n
    WHERE
        n.document_id = %(document_id)s
        AND NOT EXISTS (
            SELECT 1 FROM ragraph.relation AS r
            WHERE r.document_id = %(document_id)s AND r.relation_type = 'CONTINUES' AND r.source_node_id = n.id
        )
    UNION ALL
    SELECT r.source_node_id, c.place + 1
    FROM chain AS c
    INNER JOIN ragraph.relation AS r
        ON r.document_id = %(document_id)s AND r.relation_type = 'CONTINUES' AND c.id = r.target_node_id
)

SELECT md5(string_agg(n.content, E'\n\n' ORDER BY c.place))
FROM chain AS c
INNER JOIN ragraph.content_node AS n ON n.document_id = %(document_id)s AND c.id = n.id;
