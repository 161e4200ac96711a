-- name: search_vector
-- Nearest nodes with their citations, best first, in one round trip. Every hit has a node and a citation, but an inner
-- join would skip the search, which checks the scope, if a store has no nodes yet.
WITH hit AS MATERIALIZED (
    SELECT * FROM
        ragraph.search_vector(
            query_vector => %(query_vector)s,
            model_name => ragraph_private.model_as_known(%(model_name)s, %(models_stamp)s::text),
            k => %(k)s::integer,
            scope => ragraph_private.without_excluded(%(scope)s::jsonb, %(query)s)
        )
)

SELECT
    h.score,
    h.char_start AS part_start,
    h.char_end AS part_end,
    jsonb_build_object('vector', h.rank) AS ranks,
    c.*
FROM hit AS h
LEFT JOIN ragraph_private.cited_nodes(
    (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
    (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i),
    with_entities => true
) AS c ON h.document_id = c.document_id AND h.node_id = c.node_id
ORDER BY h.rank;

-- name: vectors_of_nodes
-- The vectors of nodes under a model; a long node has several. Ids of nodes are unique within their document.
SELECT
    e.document_id,
    e.node_id,
    e.embedding_vector
FROM ragraph.embedding AS e
WHERE
    e.model_name = %(model_name)s
    AND e.document_id = any(%(document_ids)s::text[])
    AND e.node_id = any(%(node_ids)s::text[])
    AND ragraph_private.require_visible_vectors()
ORDER BY e.document_id, e.node_id, e.part;

-- name: search_text
-- Nodes that match the words best, with their citations.
WITH hit AS MATERIALIZED (
    SELECT * FROM
        ragraph.search_text(
            query => %(query)s,
            k => %(k)s::integer,
            scope => %(scope)s::jsonb,
            match => %(match)s,
            min_relevance => %(min_relevance)s::double precision
        )
)

SELECT
    h.score,
    h.char_start AS part_start,
    h.char_end AS part_end,
    jsonb_build_object('text', h.rank) AS ranks,
    h.relevance,
    c.*
FROM hit AS h
LEFT JOIN ragraph_private.cited_nodes(
    (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
    (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i),
    with_entities => true
) AS c ON h.document_id = c.document_id AND h.node_id = c.node_id
ORDER BY h.rank;

-- name: search_hybrid
-- The best nodes of vector and text search combined, with their citations.
WITH hit AS MATERIALIZED (
    SELECT * FROM
        ragraph.search_hybrid(
            query => %(query)s,
            query_vector => %(query_vector)s,
            model_name => ragraph_private.model_as_known(%(model_name)s, %(models_stamp)s::text),
            k => %(k)s::integer,
            scope => %(scope)s::jsonb,
            vector_weight => %(vector_weight)s::double precision,
            text_weight => %(text_weight)s::double precision,
            graph_weight => %(graph_weight)s::double precision,
            page_weight => %(page_weight)s::double precision,
            boosted => %(boosted)s::text[],
            min_relevance => %(min_relevance)s::double precision
        )
)

SELECT
    h.score,
    h.char_start AS part_start,
    h.char_end AS part_end,
    jsonb_strip_nulls(
        jsonb_build_object('vector', h.vector_rank, 'text', h.text_rank, 'graph', h.graph_rank, 'page', h.page_rank)
    ) AS ranks,
    jsonb_strip_nulls(jsonb_build_object('vector', h.vector_score, 'text', h.text_score)) AS scores,
    h.relevance,
    c.*
FROM hit AS h
LEFT JOIN ragraph_private.cited_nodes(
    (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
    (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i),
    with_entities => true
) AS c ON h.document_id = c.document_id AND h.node_id = c.node_id
ORDER BY h.rank;

-- name: check_scope
-- Raises the errors that a search in this scope would raise.
SELECT true AS sound
FROM ragraph_private.search_scope(ragraph_private.asked_scope(%(scope)s::jsonb));

-- name: explain_on
-- For this transaction, searches report their steps as notices.
SELECT set_config('ragraph.explain', 'on', true);
