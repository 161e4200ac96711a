-- name: build_index
-- Also below the size from which ingestion builds it, so that the bare query has one.
SELECT ragraph.ensure_vector_index('synthetic', 1);

-- name: take_statistics
SELECT ragraph.ensure_text_statistics();

-- name: analyze_text
ANALYZE ragraph.content_node, ragraph.embedding, ragraph.relation, ragraph.text_statistics;

-- name: set_index
-- The bare query is given the same ef_search that pgvector has by default.
SELECT set_config('hnsw.ef_search', '40', true);

-- name: bare
SELECT e.document_id, e.node_id
FROM ragraph.embedding AS e
WHERE e.model_name = 'synthetic'
ORDER BY e.embedding_vector::halfvec(384) <=> %(vector)s::vector::halfvec(384)
LIMIT %(k)s;

-- name: vector
SELECT s.document_id, s.node_id
FROM ragraph.search_vector(%(vector)s, %(model)s, %(k)s, filter => %(filter)s) AS s;

-- name: all_words
SELECT s.document_id, s.node_id FROM ragraph.search_text(%(query)s, %(k)s, filter => %(filter)s) AS s;

-- name: any_word
SELECT s.document_id, s.node_id
FROM ragraph.search_text(%(query)s, %(k)s, filter => %(filter)s, match => 'any') AS s;

-- name: any_word_exactly
SELECT s.document_id, s.node_id
FROM ragraph.search_text(%(query)s, %(k)s, filter => %(filter)s, exact_limit => 2000000000, match => 'any') AS s;

-- name: without_pages
SELECT s.document_id, s.node_id
FROM ragraph.search_hybrid(%(query)s, %(vector)s, %(model)s, %(k)s, filter => %(filter)s, page_weight => 0) AS s;

-- name: hybrid
SELECT s.document_id, s.node_id
FROM ragraph.search_hybrid(%(query)s, %(vector)s, %(model)s, %(k)s, filter => %(filter)s) AS s;

-- name: graph
SELECT s.document_id, s.node_id
FROM ragraph.search_hybrid(%(query)s, %(vector)s, %(model)s, %(k)s, filter => %(filter)s, graph_weight => 0.5) AS s;

-- name: everything
-- Hybrid search in a scope, what belongs to the hits within a budget, and where all of it stands: one statement.
WITH part AS MATERIALIZED (
    SELECT
        e.*,
        row_number() OVER (ORDER BY e.block, e.sequence_in_document, e.char_start) AS place
    FROM
        ragraph.expand_hits(
            hits => (
                SELECT
                    coalesce(
                        jsonb_agg(
                            jsonb_build_object(
                                'document_id', s.document_id, 'node_id', s.node_id, 'score', s.score
                            ) ORDER BY s.rank
                        ),
                        '[]'
                    )
                FROM ragraph.search_hybrid(%(query)s, %(vector)s, %(model)s, %(k)s, filter => %(filter)s) AS s
            ),
            token_budget => 2000,
            before => 1,
            after => 1,
            captions => true,
            notes => true,
            citations => true
        ) AS e
)

SELECT
    p.document_id,
    p.node_id,
    c.section_path,
    c.pages
FROM part AS p
INNER JOIN
    ragraph.cite_nodes(
        (SELECT array_agg(i.document_id ORDER BY i.place) FROM part AS i),
        (SELECT array_agg(i.node_id ORDER BY i.place) FROM part AS i)
    ) AS c
    ON p.place = c.ordinality
ORDER BY p.place;
