-- name: make_model
INSERT INTO ragraph.embedding_model (name, dimensions, max_tokens, normalized)
VALUES (%(model)s, %(dimensions)s, 256, TRUE);

-- name: make_publications
-- As many nodes as there are vectors, in documents of a thousand.
INSERT INTO ragraph.publication (id, title)
SELECT 'pub_' || d, 'Document ' || d FROM generate_series(0, (%(count)s - 1) / 1000) AS d;

-- name: make_documents
INSERT INTO ragraph.document (id, publication_id, page_count)
SELECT 'dl_' || d, 'pub_' || d, 0 FROM generate_series(0, (%(count)s - 1) / 1000) AS d;

-- name: make_nodes
INSERT INTO ragraph.content_node
(document_id, id, content_node_type, content, sequence_in_parent_major, sequence_in_document, content_hash)
SELECT 'dl_' || n / 1000, 'cn_' || n, 'PARAGRAPH', 'Node ' || n, mod(n, 1000), mod(n, 1000), repeat('0', 64)
FROM generate_series(0, %(count)s - 1) AS n;

-- name: make_given
CREATE UNLOGGED TABLE given (place integer PRIMARY KEY, numbers vector);

-- name: give
COPY given (place, numbers) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: fill
INSERT INTO ragraph.embedding
(
    document_id, id, node_id, model_name, char_start, char_end, content_hash, embedding_vector, normalized
)
SELECT
    'dl_' || g.place / 1000,
    'em_' || g.place,
    'cn_' || g.place,
    %(model)s,
    0,
    1,
    repeat('0', 64),
    g.numbers,
    TRUE
FROM given AS g;

-- name: analyze
ANALYZE ragraph.content_node, ragraph.embedding;

-- name: index_bytes
SELECT pg_relation_size(c.oid) AS bytes
FROM ragraph_private.vector_indexes(%(model)s) AS i
INNER JOIN pg_class AS c ON i.index_name = c.relname;

-- name: table_bytes
SELECT pg_table_size('ragraph.embedding') AS bytes;

-- name: search
SELECT s.node_id
FROM ragraph.search_vector(%(vector)s::vector, %(model)s, 10, exact_limit => %(exact_limit)s) AS s
ORDER BY s.rank;
